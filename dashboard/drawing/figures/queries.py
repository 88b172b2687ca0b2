"""The chart of every query by its difference; run against run is in `against`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace, bar
from dashboard.drawing.figures.colour import blend
from dashboard.drawing.figures.layout import NARROW, Margin, axis, corner, figure, note, tick_width
from dashboard.drawing.figures.text import (
    LINE,
    escape,
    lines,
    query_text,
    shorten,
    spread,
    text_width,
    wrapped,
)
from dashboard.drawing.theme import Palette
from dashboard.drawing.ticks import Ticks, difference_ticks
from metrics_core.base import wording
from metrics_core.comparing.pairs import BETTER, LEVEL_WITH, WORSE

FADED = 0.2
"""The opacity of marks that a filter leaves out."""
MOST_BARS = 1000
"""More bars than this are narrower than a pixel; evenly spaced ones stand for the rest."""
_BARS_HEIGHT = 290
_FEWEST_SLOTS = 12
_NAME, _HALF = 44, 30
_WITH_GAPS = 200


def sorted_differences(
    frame: pd.DataFrame,
    drawing: Drawing,
    *,
    mean: float | None = None,
    shown: Collection[str] | None = None,
) -> Chart:
    """Every query as a bar, best difference first; those not `shown` fade.

    `frame` is that of `metrics_core.comparing.pairs.differences` with a column text; `mean` is the
    mean difference. customdata is [query_id, escaped text, numbers]. With more than MOST_BARS
    queries evenly spaced ones are drawn for all, the best and the worst among them.
    """
    palette, focus, baseline = drawing.palette, drawing.focus, drawing.baseline
    ranked = _ranked(frame)
    ticks = difference_ticks(ranked.difference, most=8)
    right = text_width("+0.000") + 12 if mean is not None else 8
    name = wrapped(f"{shorten(focus, _HALF)} minus {shorten(baseline, _HALF)}", _NAME)
    margin = Margin(tick_width(ticks), right, 12 + LINE * lines(name), 8)
    notes = [
        *_counts(ranked, ticks, margin, mean, palette),
        corner(name, palette.muted, margin, 0, **_wholes(focus, baseline)),
    ]
    notes += [] if mean is None else [_mean_name(mean, palette)]
    zero = {"zeroline": True, "zerolinecolor": palette.zero, "zerolinewidth": 1}
    slots = max(len(ranked.rows), _FEWEST_SLOTS)
    return figure(
        _bars(frame, ranked, palette, shown),
        palette=palette,
        height=_BARS_HEIGHT + margin.top + margin.bottom,
        margin=margin,
        annotations=notes,
        shapes=[] if mean is None else [_mean_line(mean, palette)],
        barmode="overlay",
        bargap=0,
        xaxis=axis(palette, (-0.8, slots - 0.2)),
        yaxis={**axis(palette, ticks.span, ticks, grid=True), **zero},
    )


def _wholes(focus: str, baseline: str) -> dict[str, str]:
    """What the name of the bars says when it is pointed at, where it is shortened."""
    long = max(len(focus), len(baseline)) > _HALF
    return {"hovertext": escape(f"{focus} minus {baseline}")} if long else {}


def outcome_color(outcome: str, palette: Palette) -> str:
    """The colour of a query that got better, worse or stayed the same."""
    return {BETTER: palette.better, WORSE: palette.worse, LEVEL_WITH: palette.zero}[outcome]


def query_customdata(part: pd.DataFrame) -> list[list[str]]:
    """Per query [query_id, escaped text, numbers]; `HOVER` shows the last two."""
    told = zip(part["query_id"].tolist(), part["text"].tolist(), strict=True)
    titles = [query_text(text) if _is_told(text) else escape(query_id) for query_id, text in told]
    gaps, own, before = (
        write(part[column].tolist())
        for column, write in (
            ("difference", wording.differences),
            ("score", wording.scores),
            ("baseline_score", wording.scores),
        )
    )
    return [
        [query_id, title, f"{gap}   {then} → {now}"]
        for query_id, title, gap, then, now in zip(
            part["query_id"].tolist(), titles, gaps, before, own, strict=True
        )
    ]


def _is_told(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())


HOVER = "<b>%{customdata[1]}</b><br>%{customdata[2]}<extra></extra>"


@dataclass(frozen=True)
class _Ranked:
    """The rows of a frame that have a difference, best first, with what stands in them."""

    rows: npt.NDArray[np.intp]
    difference: npt.NDArray[np.float64]
    outcome: npt.NDArray[np.object_]

    def places(self, outcome: str) -> npt.NDArray[np.intp]:
        """Which places from the left the queries of an outcome have."""
        return np.flatnonzero(self.outcome == outcome)


def _ranked(frame: pd.DataFrame) -> _Ranked:
    gaps = frame["difference"].to_numpy(dtype=np.float64)
    rows = np.argsort(-gaps, kind="stable")[: int((~np.isnan(gaps)).sum())]
    return _Ranked(rows, gaps[rows], frame["outcome"].to_numpy(dtype=object)[rows])


def _bars(
    frame: pd.DataFrame, ranked: _Ranked, palette: Palette, shown: Collection[str] | None
) -> list[Trace]:
    """A trace per outcome; what is shown stands above what is faded and is wide enough to hit."""
    n = len(ranked.rows)
    kept = np.ones(n, dtype=bool)
    if shown is not None:
        kept = frame["query_id"].isin(set(shown)).to_numpy()[ranked.rows]
    width = 0.82 if n <= _WITH_GAPS else max(1.0, n / MOST_BARS)
    traces = []
    for layer, share in ((~kept, FADED), (kept, 1.0)):
        drawn = _thinned(np.flatnonzero(layer))
        for outcome in sorted(set(ranked.outcome[drawn])):
            places = drawn[ranked.outcome[drawn] == outcome]
            # Paler, not translucent: bars narrower than a pixel overlap.
            color = blend(outcome_color(str(outcome), palette), palette.page, share)
            traces.append(
                bar(
                    x=places,
                    y=ranked.difference[places],
                    width=width,
                    marker={"color": color, "line": {"width": 0}},
                    customdata=query_customdata(frame.iloc[ranked.rows[places]]),
                    hovertemplate=HOVER,
                )
            )
    return traces


def _thinned(places: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    if len(places) <= MOST_BARS:
        return places
    return places[np.linspace(0, len(places) - 1, MOST_BARS).round().astype(int)]


def _mean_line(mean: float, palette: Palette) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "yref": "y",
        "x0": 0,
        "x1": 1,
        "y0": mean,
        "y1": mean,
        "line": {"color": palette.muted, "width": 1.4, "dash": "3px,3px"},
    }


def _mean_name(mean: float, palette: Palette) -> dict[str, Any]:
    text = f"mean<br>{wording.difference(mean)}"
    return note(text, 1, mean, palette.ink, xref="paper", xshift=8)


def _counts(
    ranked: _Ranked, ticks: Ticks, margin: Margin, mean: float | None, palette: Palette
) -> list[dict[str, Any]]:
    """ "46 better" and the like on that side of the zero line where the group has no bars: the
    better and the same ones below it, the worse ones above it."""
    slots = max(len(ranked.rows), _FEWEST_SLOTS)
    plot = NARROW - margin.left - margin.right
    groups = {o: ranked.places(o) for o in (BETTER, LEVEL_WITH, WORSE)}
    groups = {o: places for o, places in groups.items() if len(places)}
    texts = {o: f"{wording.count(len(places))} {o}" for o, places in groups.items()}
    px = {o: (int(p[0]) + int(p[-1]) + 1) / 2 / slots * plot for o, p in groups.items()}
    width = {o: text_width(t, bold=True) + 10 for o, t in texts.items()}
    worse_from = int(groups[WORSE][0]) / slots * plot if WORSE in groups else plot
    below = [o for o in (BETTER, LEVEL_WITH) if o in groups]
    above = [WORSE] if WORSE in groups else []
    if LEVEL_WITH in below and sum(width[o] for o in below) > worse_from:
        below.remove(LEVEL_WITH)
        above.insert(0, LEVEL_WITH)
    notes = []
    for side, sign, end in ((below, -1, worse_from), (above, 1, plot)):
        centres = spread([px[o] for o in side], [width[o] for o in side], 0, end)
        shift = sign * _clear_of_mean(ticks, mean, sign)
        for outcome, centre in zip(side, centres, strict=True):
            n, word = texts[outcome].split(" ", 1)
            color = palette.muted if outcome == LEVEL_WITH else outcome_color(outcome, palette)
            place = {"xref": "paper", "xanchor": "center", "xshift": centre - px[outcome]}
            text = f"<b>{n}</b> {word}"
            at = px[outcome] / plot
            own = shift + sign * (_reach(ranked, ticks, sign) if outcome == LEVEL_WITH else 0.0)
            notes.append(note(text, at, 0, color, yshift=own, **place))
    return notes


def _reach(ranked: _Ranked, ticks: Ticks, sign: int) -> float:
    """Px by which bars that count as the same leave the zero line on one side of it: where few
    queries differ little they are as high as their name."""
    same = ranked.difference[ranked.outcome == LEVEL_WITH]
    end = sign * max(float((sign * same).max()), 0.0)
    return abs(ticks.share(end) - ticks.share(0)) * _BARS_HEIGHT


def _clear_of_mean(ticks: Ticks, mean: float | None, sign: int) -> float:
    """Px from the zero line to the middle of a count that the mean line does not strike."""
    off = 0.0 if mean is None else sign * (ticks.share(mean) - ticks.share(0)) * _BARS_HEIGHT
    return off + 13 if 3 < off < 25 else 14
