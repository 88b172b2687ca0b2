"""Charts of the Queries page: every query by its difference, and run against run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from dashboard.figures.colour import blend, rgba
from dashboard.figures.layout import (
    NARROW,
    Margin,
    axis,
    corner,
    figure,
    note,
    tick_width,
)
from dashboard.figures.text import LINE, escape, lines, query_text, spread, text_width, wrapped
from dashboard.theme import Palette, RunStyle
from dashboard.ticks import Ticks, difference_ticks, score_ticks
from metrics_core import wording
from metrics_core.comparing.pairs import BETTER, LEVEL_WITH, WORSE

FADED = 0.2
"""The opacity of marks that a filter leaves out."""
MOST_BARS = 1000
"""More bars than this are narrower than a pixel; evenly spaced ones stand for the rest."""
_BARS_HEIGHT, _SQUARE = 290, 280
_FEWEST_SLOTS = 12
_NAME = 44
_WITH_GAPS, _MANY_POINTS = 200, 2000
_SYMBOLS = {BETTER: "triangle-up", WORSE: "triangle-down", LEVEL_WITH: "circle"}


def sorted_differences(
    frame: pd.DataFrame,
    *,
    palette: Palette,
    focus: str,
    baseline: str,
    mean: float | None = None,
    shown: Collection[str] | None = None,
) -> go.Figure:
    """Every query as a bar, best difference first; those not `shown` fade.

    `frame` is that of `metrics_core.comparing.pairs.differences` with a column text; `mean` is the
    mean difference. customdata is [query_id, escaped text, numbers]. With more than MOST_BARS
    queries evenly spaced ones are drawn for all, the best and the worst among them.
    """
    ranked = frame.dropna(subset=["difference"]).sort_values("difference", ascending=False)
    ranked = ranked.assign(place=np.arange(len(ranked)))
    ticks = difference_ticks(ranked["difference"], most=8)
    right = text_width("+0.000") + 12 if mean is not None else 8
    name = wrapped(f"{focus} minus {baseline}", _NAME)
    margin = Margin(tick_width(ticks), right, 12 + LINE * lines(name), 8)
    notes = [*_counts(ranked, ticks, margin, mean, palette), corner(name, palette.muted, margin, 0)]
    notes += [] if mean is None else [_mean_name(mean, palette)]
    zero = {"zeroline": True, "zerolinecolor": palette.zero, "zerolinewidth": 1}
    slots = max(len(ranked), _FEWEST_SLOTS)
    return figure(
        _bars(ranked, palette, shown),
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


def run_against_run(
    frame: pd.DataFrame,
    *,
    palette: Palette,
    focus: str,
    baseline: str,
    focus_style: RunStyle,
    same: float,
    shown: Collection[str] | None = None,
    value_range: tuple[float, float] = (0, 1),
) -> go.Figure:
    """One point per query: the baseline's score to the right, that of the run in focus upward.

    Around the diagonal lies the band in which two scores count as the same. customdata is
    [query_id, escaped text, numbers].
    """
    known = frame.dropna(subset=["difference"])
    ticks = score_ticks(known[["score", "baseline_score"]].to_numpy().ravel(), value_range)
    upward, across = f"↑ {wrapped(focus, _NAME)}", f"{wrapped(baseline, _NAME)} →"
    margin = Margin(tick_width(ticks), 14, 14 + LINE * lines(upward), 32 + LINE * lines(across))
    low, high = ticks.span
    room = 0.03 * (high - low)
    span = (low - room, high + room)
    square = axis(palette, span, ticks, grid=True)
    over = {"yref": "paper", "xref": "paper", "xanchor": "left", "yanchor": "top"}
    return figure(
        [*_ties(span, same, palette), *_points(known, palette, shown)],
        palette=palette,
        height=_SQUARE + margin.top + margin.bottom,
        margin=margin,
        annotations=[
            corner(upward, focus_style.color(palette), margin, 0),
            note(across, 0, 0, palette.ink, **over, yshift=-26),
            *_sides(focus, baseline, ticks, palette),
        ],
        xaxis={**square, "constrain": "domain", "constraintoward": "left"},
        yaxis={**square, "scaleanchor": "x", "constrain": "domain", "constraintoward": "top"},
    )


def _color(outcome: str, palette: Palette) -> str:
    return {BETTER: palette.better, WORSE: palette.worse, LEVEL_WITH: palette.zero}[outcome]


def _opacity(part: pd.DataFrame, shown: Collection[str] | None) -> float | npt.NDArray[np.float64]:
    if shown is None:
        return 1.0
    return np.where(part["query_id"].isin(set(shown)), 1.0, FADED)


def _customdata(part: pd.DataFrame) -> list[list[str]]:
    columns = ["query_id", "text", "score", "baseline_score", "difference"]
    data = []
    for query_id, text, score, before, gap in part[columns].itertuples(index=False):
        title = query_text(text) if isinstance(text, str) and text.strip() else escape(query_id)
        numbers = f"{wording.difference(gap)}   {wording.score(before)} → {wording.score(score)}"
        data.append([query_id, title, numbers])
    return data


_HOVER = "<b>%{customdata[1]}</b><br>%{customdata[2]}<extra></extra>"


def _bars(ranked: pd.DataFrame, palette: Palette, shown: Collection[str] | None) -> list[go.Bar]:
    """A trace per outcome; what is shown stands above what is faded and is wide enough to hit."""
    wanted = set(ranked["query_id"] if shown is None else shown)
    kept = ranked["query_id"].isin(wanted)
    n = len(ranked)
    width = 0.82 if n <= _WITH_GAPS else max(1.0, n / MOST_BARS)
    traces = []
    for layer, share in ((ranked[~kept], FADED), (ranked[kept], 1.0)):
        for outcome, part in _thinned(layer).groupby("outcome", sort=True):
            # Paler, not translucent: bars narrower than a pixel overlap.
            color = blend(_color(str(outcome), palette), palette.page, share)
            traces.append(
                go.Bar(
                    x=part["place"].to_numpy(),
                    y=part["difference"].to_numpy(),
                    width=width,
                    marker={"color": color, "line": {"width": 0}},
                    customdata=_customdata(part),
                    hovertemplate=_HOVER,
                )
            )
    return traces


def _thinned(frame: pd.DataFrame) -> pd.DataFrame:
    if len(frame) <= MOST_BARS:
        return frame
    return frame.iloc[np.linspace(0, len(frame) - 1, MOST_BARS).round().astype(int)]


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
    ranked: pd.DataFrame, ticks: Ticks, margin: Margin, mean: float | None, palette: Palette
) -> list[dict[str, Any]]:
    """ "46 better" and the like on that side of the zero line where the group has no bars: the
    better and the same ones below it, the worse ones above it."""
    slots = max(len(ranked), _FEWEST_SLOTS)
    plot = NARROW - margin.left - margin.right
    groups = {o: ranked.loc[ranked["outcome"] == o, "place"] for o in (BETTER, LEVEL_WITH, WORSE)}
    groups = {o: places for o, places in groups.items() if len(places)}
    texts = {o: f"{wording.count(len(places))} {o}" for o, places in groups.items()}
    px = {o: (p.iloc[0] + p.iloc[-1] + 1) / 2 / slots * plot for o, p in groups.items()}
    width = {o: text_width(t, bold=True) + 10 for o, t in texts.items()}
    worse_from = groups[WORSE].iloc[0] / slots * plot if WORSE in groups else plot
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
            color = palette.muted if outcome == LEVEL_WITH else _color(outcome, palette)
            place = {"xref": "paper", "xanchor": "center", "xshift": centre - px[outcome]}
            text = f"<b>{n}</b> {word}"
            at = px[outcome] / plot
            notes.append(note(text, at, 0, color, yshift=shift, **place))
    return notes


def _clear_of_mean(ticks: Ticks, mean: float | None, sign: int) -> float:
    """Px from the zero line to the middle of a count that the mean line does not strike."""
    off = 0.0 if mean is None else sign * (ticks.share(mean) - ticks.share(0)) * _BARS_HEIGHT
    return off + 13 if 3 < off < 25 else 14


def _ties(span: tuple[float, float], same: float, palette: Palette) -> list[go.Scatter]:
    low, high = span
    band = go.Scatter(
        x=[low, high, high, low],
        y=[low - same, high - same, high + same, low + same],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=rgba(palette.zero, 0.3),
        hoverinfo="skip",
    )
    line = {"color": palette.zero, "width": 1}
    diagonal = go.Scatter(x=[low, high], y=[low, high], mode="lines", line=line, hoverinfo="skip")
    return [band, diagonal]


def _points(
    known: pd.DataFrame, palette: Palette, shown: Collection[str] | None
) -> list[go.Scatter]:
    many = len(known) > _MANY_POINTS
    if many:
        grid = known[["score", "baseline_score"]].round(2).assign(shown=_opacity(known, shown))
        known = known[~grid.duplicated()]
    traces = []
    for outcome in (LEVEL_WITH, BETTER, WORSE):
        part = known[known["outcome"] == outcome]
        traces.append(
            go.Scatter(
                x=part["baseline_score"].to_numpy(),
                y=part["score"].to_numpy(),
                mode="markers",
                marker=_marker(outcome, palette, many, _opacity(part, shown)),
                customdata=_customdata(part),
                hovertemplate=_HOVER,
                cliponaxis=False,
            )
        )
    return traces


def _marker(
    outcome: str, palette: Palette, many: bool, opacity: float | npt.NDArray[np.float64]
) -> Mapping[str, Any]:
    return {
        "symbol": _SYMBOLS[outcome],
        "size": 6 if many else 9,
        "color": _color(outcome, palette),
        "opacity": opacity,
        "line": {"color": palette.page, "width": 0 if many else 0.7},
    }


def _sides(focus: str, baseline: str, ticks: Ticks, palette: Palette) -> list[dict[str, Any]]:
    """Which side of the diagonal belongs to which run."""
    low, high = ticks.span
    ground = {"bgcolor": rgba(palette.page, 0.75), "borderpad": 1}
    ours, theirs = f"{wrapped(focus, 22)} better", f"{wrapped(baseline, 22)} better"
    ends = {"xanchor": "right", "yanchor": "bottom", "align": "right", "xshift": -4, "yshift": 4}
    starts = {"yanchor": "top", "xshift": 6, "yshift": -4}
    return [
        note(ours, low, high, palette.better, **ground, **starts),
        note(theirs, high, low, palette.worse, **ground, **ends),
    ]
