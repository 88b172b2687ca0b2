"""The chart of all queries sorted by difference; see `run_against_run` for the scatter plot."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace, make_bar_trace
from dashboard.drawing.figures.colour import mix_colors
from dashboard.drawing.figures.layout import Margin, make_axis, make_figure, tick_width
from dashboard.drawing.figures.text import escape, query_hover_text
from dashboard.drawing.theme import Palette
from dashboard.drawing.ticks import difference_ticks
from metrics_core.base import wording
from metrics_core.base.arrays import Floats, Objects
from metrics_core.comparing.pairs import BETTER, TIED, WORSE

FADED = 0.2
"""Opacity of the marks of queries that do not match the filter."""
MOST_BARS = 400
"""Maximum number of bars. If there are more queries, evenly spaced ones are drawn."""
_HEIGHT = 150
_FEWEST_SLOTS = 12
_WITH_GAPS = 60


def sorted_differences(
    frame: pd.DataFrame, drawing: Drawing, *, visible_ids: Collection[str] | None = None
) -> Chart:
    """Draw every query as a bar, lowest difference first. Queries that are not in
    `visible_ids` are faded; if `visible_ids` is None, no query is faded.

    `frame` is the result of `query_differences` with a column text. customdata is [query_id,
    escaped text, numbers]. If there are more than MOST_BARS queries, evenly spaced queries are
    drawn, including the best and the worst."""
    palette, ranked = drawing.palette, _sort_queries(frame)
    ticks = difference_ticks(ranked.difference)
    zero = {"zeroline": True, "zerolinecolor": palette.zero, "zerolinewidth": 1}
    return make_figure(
        _difference_bars(frame, ranked, palette, visible_ids),
        palette=palette,
        height=_HEIGHT,
        margin=Margin(tick_width(ticks), 0, 6, 6),
        barmode="overlay",
        bargap=0,
        xaxis=make_axis(palette, (-0.5, max(len(ranked.rows), _FEWEST_SLOTS) - 0.5)),
        yaxis={**make_axis(palette, ticks.span, ticks, grid=True), **zero},
    )


def outcome_color(outcome: str, palette: Palette) -> str:
    """Return the colour of a query that got better, got worse or stayed the same."""
    return {BETTER: palette.better, WORSE: palette.worse, TIED: palette.zero}[outcome]


def query_customdata(queries: pd.DataFrame) -> list[list[str]]:
    """Return the customdata of each query: [query_id, escaped text, numbers]. The hover template
    `HOVER` shows the last two."""
    rows = zip(queries["query_id"].tolist(), queries["text"].tolist(), strict=True)
    titles = [
        query_hover_text(text) if isinstance(text, str) and text.strip() else escape(query_id)
        for query_id, text in rows
    ]
    gaps = map(wording.format_difference, queries["difference"])
    before, after = (map(wording.format_score, queries[c]) for c in ("baseline_score", "score"))
    return [
        [query_id, title, f"{gap}   {score_before} → {score_after}"]
        for query_id, title, gap, score_before, score_after in zip(
            queries["query_id"].tolist(), titles, gaps, before, after, strict=True
        )
    ]


HOVER = "<b>%{customdata[1]}</b><br>%{customdata[2]}<extra></extra>"


@dataclass(frozen=True)
class _Ranked:
    """The queries that have a difference, lowest first: their row numbers in the frame, their
    differences and their outcomes. Each array has the shape [query]."""

    rows: npt.NDArray[np.intp]
    difference: Floats
    outcome: Objects


def _sort_queries(frame: pd.DataFrame) -> _Ranked:
    gaps = frame["difference"].to_numpy(dtype=np.float64)
    rows = np.argsort(gaps, kind="stable")[: int((~np.isnan(gaps)).sum())]
    return _Ranked(rows, gaps[rows], frame["outcome"].to_numpy(dtype=object)[rows])


def _difference_bars(
    frame: pd.DataFrame,
    sorted_queries: _Ranked,
    palette: Palette,
    visible_ids: Collection[str] | None,
) -> list[Trace]:
    """Return at most two traces per outcome: faded bars, and highlighted bars drawn above them.
    Bars stay wide enough to click even if there are many queries."""
    n = len(sorted_queries.rows)
    is_visible = np.ones(n, dtype=bool)
    if visible_ids is not None:
        is_visible = frame["query_id"].isin(set(visible_ids)).to_numpy()[sorted_queries.rows]
    width = 0.82 if n <= _WITH_GAPS else max(1.0, n / MOST_BARS)
    traces = []
    for layer, share in ((~is_visible, FADED), (is_visible, 1.0)):
        indices = _thin_out_bars(np.flatnonzero(layer))
        for outcome in sorted(set(sorted_queries.outcome[indices])):
            places = indices[sorted_queries.outcome[indices] == outcome]
            # Paler instead of translucent, because bars narrower than a pixel overlap.
            color = mix_colors(outcome_color(str(outcome), palette), palette.page, share)
            traces.append(
                make_bar_trace(
                    x=places,
                    y=sorted_queries.difference[places],
                    width=width,
                    marker={"color": color, "line": {"width": 0}},
                    customdata=query_customdata(frame.iloc[sorted_queries.rows[places]]),
                    hovertemplate=HOVER,
                )
            )
    return traces


def _thin_out_bars(positions: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    if len(positions) <= MOST_BARS:
        return positions
    return positions[np.linspace(0, len(positions) - 1, MOST_BARS).round().astype(int)]
