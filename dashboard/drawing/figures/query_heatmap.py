"""The heatmap of scores, with one row per run and one column per query."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace, make_bar_trace
from dashboard.drawing.figures.layout import NARROW, Margin, make_axis, make_figure, make_note
from dashboard.drawing.figures.text import (
    escape,
    hover_properties,
    name_with_mark,
    query_hover_text,
    short_names,
    widest_line_width,
)
from metrics_core.base import wording
from metrics_core.base.arrays import Floats, Mask

_ROW, _FILLED = 34, 0.94
_NAME, _MARK = 22, 34
"""Maximum number of characters of a run's name, and the width in px of the run's mark together with
its padding."""
_ALL = 60
"""Maximum number of columns for which the columns have gaps between them. With more columns, only
some of the gaps would be visible, and these would seem to separate groups."""


def score_heatmap(
    frame: pd.DataFrame, drawing: Drawing, *, empty_lists: pd.DataFrame | None = None
) -> Chart:
    """Draw the score of every run on every query.

    `frame` has query_id, text and one column of scores per shown run; its rows are the queries from
    left to right. The run in focus is at the top. Undefined scores are blank. `empty_lists` has one
    bool column per run that is true if the list is empty; the cells of empty lists have a frame.
    customdata is [query_id, escaped text, numbers]."""
    palette, runs = drawing.palette, list(drawing.styles)
    values = frame[runs].to_numpy(dtype=np.float64).T
    short = short_names(runs, _NAME)
    margin = Margin(
        min(widest_line_width([short[r] for r in runs], bold=True) + _MARK, NARROW / 2), 4, 4, 4
    )
    anchors = {"xref": "paper", "xanchor": "right", "align": "right", "xshift": -8}
    names = [
        make_note(
            name_with_mark(drawing.styles[run], palette, short[run]),
            0,
            i,
            palette.ink,
            **anchors,
            **hover_properties(run, short[run]),
        )
        for i, run in enumerate(runs)
    ]
    return make_figure(
        _score_bars(frame, values, drawing, empty_lists),
        palette=palette,
        height=_ROW * len(runs) + margin.top + margin.bottom,
        margin=margin,
        annotations=names,
        barmode="overlay",
        bargap=0,
        xaxis=make_axis(palette, (-0.5, max(len(frame), 1) - 0.5)),
        yaxis=make_axis(palette, (len(runs) - 0.5, -0.5)),
    )


def score_span(frame: pd.DataFrame, drawing: Drawing) -> tuple[float, float]:
    """Return the scores at the two ends of the colour scale in `score_heatmap`. `frame` has one
    column per run."""
    return _score_span(frame[list(drawing.styles)].to_numpy(dtype=np.float64), drawing)


def _score_span(values: Floats, drawing: Drawing) -> tuple[float, float]:
    low, high = drawing.value_range
    finite = values[np.isfinite(values)]
    least, most = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    low, high = (low if np.isfinite(low) else least), (high if np.isfinite(high) else most)
    return low, high if high > low else low + 1.0


def _score_bars(
    frame: pd.DataFrame,
    values: Floats,
    drawing: Drawing,
    empty_lists: pd.DataFrame | None,
) -> list[Trace]:
    """Return bars that fill the cells. Bars are used because overlapping marks could not be
    clicked."""
    titles = [query_hover_text(text) for text in frame["text"]]
    ids = list(frame["query_id"])
    runs = [escape(run) for run in drawing.styles]
    is_empty = np.zeros(values.shape, dtype=np.bool_)
    if empty_lists is not None:
        is_empty = empty_lists[list(drawing.styles)].to_numpy(dtype=np.bool_).T
    low, high = _score_span(values, drawing)
    palette = drawing.palette
    # From near the colour of the page to the colour of the highest grade.
    colors = [[0.0, palette.diverging_zero], [0.5, palette.grade_2], [1.0, palette.grade_3]]
    scored = {"cmin": low, "cmax": high, "colorscale": colors}
    framed = {"color": palette.page, "line": {"width": 1, "color": palette.line}}

    def make_cell_trace(cells: Mask, *, has_no_results: bool) -> Trace:
        row, column = np.nonzero(cells)
        marker = {**scored, "color": values[row, column], "line": {"width": 0}}
        texts = [wording.format_score(values[y, x]) for y, x in zip(row, column, strict=True)]
        labels = [f"{text}, no results" if has_no_results else text for text in texts]
        return make_bar_trace(
            x=column,
            base=row - _FILLED / 2,
            y=np.full(len(row), _FILLED),
            width=_FILLED if len(frame) <= _ALL else 1,
            marker=framed if has_no_results else marker,
            customdata=[
                [ids[x], titles[x], f"{runs[y]} {text}"]
                for y, x, text in zip(row, column, labels, strict=True)
            ],
            hovertemplate="<b>%{customdata[1]}</b><br>%{customdata[2]}<extra></extra>",
            unselected={"marker": {"opacity": 1}},
        )

    traces = [make_cell_trace(~np.isnan(values) & ~is_empty, has_no_results=False)]
    return [*traces, make_cell_trace(is_empty, has_no_results=True)] if is_empty.any() else traces
