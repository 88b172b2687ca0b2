"""Charts of the Breakdown page with one row per group; see `heatmap` for two crossed columns. The
names of the runs are only in the legend that the charts share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.figures.layout import NARROW, Margin, axis_name, order_for_drawing
from dashboard.drawing.figures.rows import (
    iterate_rows,
    make_group_rows,
    row_figure,
    run_marks,
    zero_label,
)
from dashboard.drawing.figures.text import LINE, widest_line_width
from dashboard.drawing.theme import RunStyle
from dashboard.drawing.ticks import Ticks, nice_ticks, zero_based_ticks
from metrics_core.base.arrays import Floats

_DIFFERENCE = ("difference", "diff_low", "diff_high")
_SCORE = ("mean", "low", "high")
_RIGHT, _TOP, _BOTTOM = 14, 10 + LINE, 28
_STEPS, _APART, _EDGE = 8, 8, 0.02
"""Limits for the value axis: the maximum number of steps, the distance between two labels in px,
and the space beyond the first and last tick as a share of the axis."""


def difference_by_group(
    frame: pd.DataFrame, drawing: Drawing, *, order: Sequence[str], label: str = ""
) -> Chart:
    """Draw the differences from the baseline by group. There is one row per group, in the given
    order, with one interval per run. The text `label` below the axis says what the marks are.

    `frame` is the result of `summarise_groups`. A click on a run's point returns the customdata
    [group, run, hover text]; a click elsewhere in a row returns [group]."""
    ticks = zero_based_ticks(_column_values(frame, drawing, _DIFFERENCE), max_ticks=_STEPS)
    line = {"zeroline": True, "zerolinecolor": drawing.palette.zero, "zerolinewidth": 1.5}
    return _group_chart(frame, drawing, order, _DIFFERENCE, ticks, label, line)


def score_by_group(
    frame: pd.DataFrame, drawing: Drawing, *, order: Sequence[str], label: str = ""
) -> Chart:
    """Draw the mean score by group with its interval. Rows, points, customdata and `label` are the
    same as for `difference_by_group`."""
    values = _column_values(frame, drawing, _SCORE)
    finite = values[~np.isnan(values)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
    padding = 0.02 if high == low else 0.0
    ticks = nice_ticks(low - padding, high + padding, max_ticks=_STEPS)
    return _group_chart(frame, drawing, order, _SCORE, ticks, label, {})


def _space_labels(ticks: Ticks, width: float) -> Ticks:
    """Return the ticks with only as many labels as fit on an axis of `width` px. If zero is a tick,
    it keeps its label. Some space is added at both ends of the axis."""
    low, high = ticks.span
    edge = _EDGE * (high - low)
    every = math.ceil((widest_line_width(ticks.texts) + _APART) * (len(ticks.values) - 1) / width)
    start = ticks.values.index(0.0) if 0.0 in ticks.values else 0
    texts = [text if (i - start) % every == 0 else "" for i, text in enumerate(ticks.texts)]
    return Ticks(ticks.values, texts, (low - edge, high + edge))


def _group_chart(
    frame: pd.DataFrame,
    drawing: Drawing,
    order: Sequence[str],
    columns: tuple[str, str, str],
    ticks: Ticks,
    label: str,
    value_axis: dict[str, Any],
) -> Chart:
    rows = make_group_rows(frame, drawing, order)
    runs = runs_with_values(frame, drawing, columns[0])
    offsets = {s.name: (i - (len(runs) - 1) / 2) * rows.pitch for i, s in enumerate(runs)}
    margin = Margin(rows.label_width, _RIGHT, _TOP, _BOTTOM + (LINE if label else 0))
    ticks = _space_labels(ticks, NARROW - margin.left - margin.right)
    traces = []
    for style in (s for s in order_for_drawing(drawing.styles) if s.name in offsets):
        part = frame[(frame["run"] == style.name) & frame[columns[0]].notna()]
        y = rows.row_centres(part["group"]) + offsets[style.name]
        traces += run_marks(part, y, style, drawing.palette, columns, rows.pitch)
    notes = [zero_label(drawing, ticks, margin)] if columns == _DIFFERENCE else []
    notes += [axis_name(label, drawing.palette.muted, margin)] if label else []
    return row_figure(
        traces,
        rows=rows,
        palette=drawing.palette,
        margin=margin,
        ticks=ticks,
        annotations=notes,
        **value_axis,
    )


def runs_with_values(frame: pd.DataFrame, drawing: Drawing, column: str) -> list[RunStyle]:
    """Return the styles of the runs that have values in `column`. The run in focus comes first.
    `frame` is the result of `summarise_groups`."""
    names = {run for run, value in iterate_rows(frame, "run", column) if not math.isnan(value)}
    styles = (style for style in drawing.styles.values() if style.name in names)
    return sorted(styles, key=lambda style: style.role != "focus")


def _column_values(frame: pd.DataFrame, drawing: Drawing, columns: Sequence[str]) -> Floats:
    return (
        frame.loc[frame["run"].isin(list(drawing.styles)), list(columns)]
        .to_numpy(np.float64)
        .ravel()
    )
