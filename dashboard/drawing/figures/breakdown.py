"""Charts of the Breakdown page with one row per group; see `heatmap` for two crossed columns. Runs
are named only in the common legend above."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.figures.layout import Margin, drawing_order
from dashboard.drawing.figures.rows import (
    group_rows,
    iterate_rows,
    row_figure,
    run_marks,
    zero_label,
)
from dashboard.drawing.figures.text import LINE
from dashboard.drawing.theme import RunStyle
from dashboard.drawing.ticks import Ticks, difference_ticks, nice_ticks

_DIFFERENCE = ("difference", "diff_low", "diff_high")
_SCORE = ("mean", "low", "high")
_RIGHT, _TOP, _BOTTOM = 14, 10 + LINE, 28


def difference_by_group(frame: pd.DataFrame, drawing: Drawing, *, order: Sequence[str]) -> Chart:
    """Draw the differences from the baseline by group: one row per group, in the given order, with
    one interval for each run.

    `frame` is the result of `summarise_groups`. A click on a run's point returns the customdata
    [group, run, hover text]; a click elsewhere in a row returns [group].
    """
    ticks = difference_ticks(_column_values(frame, drawing, _DIFFERENCE))
    line = {"zeroline": True, "zerolinecolor": drawing.palette.zero, "zerolinewidth": 1.5}
    return _group_chart(frame, drawing, order, _DIFFERENCE, ticks, line)


def score_by_group(frame: pd.DataFrame, drawing: Drawing, *, order: Sequence[str]) -> Chart:
    """Draw the mean score by group with its interval; rows, points and customdata are the same as
    for `difference_by_group`."""
    values = _column_values(frame, drawing, _SCORE)
    finite = values[~np.isnan(values)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
    padding = max(0.05 * (high - low), 0.02)
    low, high = low - padding, high + padding
    ticks = nice_ticks(low, high, most=5).within(low, high)
    return _group_chart(frame, drawing, order, _SCORE, ticks, {})


def _group_chart(
    frame: pd.DataFrame,
    drawing: Drawing,
    order: Sequence[str],
    columns: tuple[str, str, str],
    ticks: Ticks,
    value_axis: dict[str, Any],
) -> Chart:
    rows = group_rows(frame, drawing, order)
    runs = runs_with_values(frame, drawing, columns[0])
    offsets = {s.name: (i - (len(runs) - 1) / 2) * rows.pitch for i, s in enumerate(runs)}
    margin = Margin(rows.label_width, _RIGHT, _TOP, _BOTTOM)
    traces = []
    for style in (s for s in drawing_order(drawing.styles) if s.name in offsets):
        part = frame[(frame["run"] == style.name) & frame[columns[0]].notna()]
        y = rows.centres(part["group"]) + offsets[style.name]
        traces += run_marks(part, y, style, drawing.palette, columns, rows.pitch)
    notes = [zero_label(drawing, ticks, margin)] if columns == _DIFFERENCE else []
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
    """Return the styles of the runs that have values in `column`: the run in focus, then the other
    runs. `frame` is the result of `summarise_groups`."""
    names = {run for run, value in iterate_rows(frame, "run", column) if not math.isnan(value)}
    styles = (style for style in drawing.styles.values() if style.name in names)
    return sorted(styles, key=lambda style: style.role != "focus")


def _column_values(
    frame: pd.DataFrame, drawing: Drawing, columns: Sequence[str]
) -> npt.NDArray[np.float64]:
    return (
        frame.loc[frame["run"].isin(list(drawing.styles)), list(columns)]
        .to_numpy(np.float64)
        .ravel()
    )
