"""Additions to a chart that is used outside a page, for example in a paper: the names of the runs
and of the axes."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.figures.layout import axis_name, chart_margin, corner_note
from dashboard.drawing.figures.run_key import legend_height, legend_notes
from dashboard.drawing.figures.text import LINE, escape
from dashboard.drawing.theme import RunStyle

_GAP, _AXIS_NAME = 8, 20


def paper_chart(
    chart: Chart,
    drawing: Drawing,
    *,
    runs: Sequence[RunStyle] = (),
    n_columns: int = 2,
    y_title: str = "",
    x_title: str = "",
) -> Chart:
    """Return the chart with names for its vertical axis (`y_title`) and its horizontal axis
    (`x_title`). A legend of these runs, divided into `n_columns` columns, is added above the
    chart."""
    palette, lines = drawing.palette, LINE if y_title else 0
    key = legend_height(runs, n_columns) + (_GAP if runs else 0)
    margin = chart_margin(chart)
    wider = margin._replace(
        top=margin.top + key + lines, bottom=margin.bottom + (_AXIS_NAME if x_title else 0)
    )
    notes = list(legend_notes(runs, palette, wider, n_columns))
    if y_title:
        notes.append(corner_note(escape(y_title), palette.muted, wider, key))
    if x_title:
        notes.append(axis_name(x_title, palette.muted, wider))
    layout = chart.to_dict()["layout"]
    return chart.with_layout(
        height=layout["height"] + sum(wider) - sum(margin),
        margin={**layout["margin"], "t": wider.top, "b": wider.bottom},
        annotations=[*layout["annotations"], *notes],
    )
