"""The forest plot for a paper: the difference of each run from the baseline, with its interval."""

from __future__ import annotations

import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.figures.layout import Margin
from dashboard.drawing.figures.rows import (
    FigureRows,
    iterate_rows,
    row_figure,
    run_marks,
    zero_label,
)
from dashboard.drawing.figures.text import (
    LINE,
    color_text,
    name_with_mark,
    short_names,
    widest_line_width,
)
from dashboard.drawing.ticks import difference_ticks
from metrics_core.base import wording

_COLUMNS = ("difference", "low", "high")
_ROW, _TOP, _RIGHT, _BOTTOM = 2 * LINE + 12, LINE + 10, 14, 28


def forest(by_run: pd.DataFrame, drawing: Drawing) -> Chart:
    """Draw one row per run, largest difference first, with the numbers of the run below its name.
    `by_run` is the frame of `comparing.pairs.compare`."""
    others = by_run[by_run["run"] != drawing.baseline].assign(group=lambda frame: frame["run"])
    ordered = others.sort_values("difference", ascending=False, na_position="last", kind="stable")
    runs = ordered["run"].tolist()
    short, palette = short_names(runs), drawing.palette
    digits = wording.column_decimals(ordered["low"], ordered["high"])
    numbers = [_numbers_text(*cell, digits=digits) for cell in iterate_rows(ordered, *_COLUMNS)]
    names = [name_with_mark(drawing.styles[run], palette, short[run]) for run in runs]
    labels = [
        f"{name}<br>{color_text(text, palette.muted)}"
        for name, text in zip(names, numbers, strict=True)
    ]
    width = (
        max(
            widest_line_width([f"● {name}" for name in short.values()], bold=True),
            widest_line_width(numbers),
        )
        + 16
    )
    rows = FigureRows(tuple(runs), tuple(labels), width, _ROW, _ROW)
    ticks = difference_ticks(ordered[list(_COLUMNS)].to_numpy().ravel(), max_ticks=5)
    margin = Margin(width, _RIGHT, _TOP, _BOTTOM)
    traces = []
    for run in runs:
        part = ordered[(ordered["run"] == run) & ordered["difference"].notna()]
        y = rows.row_centres(part["group"])
        traces += run_marks(part, y, drawing.styles[run], palette, _COLUMNS)
    return row_figure(
        traces,
        rows=rows,
        palette=palette,
        margin=margin,
        ticks=ticks,
        annotations=[zero_label(drawing, ticks, margin)],
        zeroline=True,
        zerolinecolor=palette.zero,
        zerolinewidth=1.5,
    )


def _numbers_text(difference: float, low: float, high: float, *, digits: int) -> str:
    if low != low:
        return wording.format_difference(difference, digits)
    return (
        f"{wording.format_difference(difference, digits)}"
        f" {wording.format_interval(low, high, digits)}"
    )
