"""Building blocks of charts with one row per group of queries.

The vertical axis of these charts is in px from the top of the plot, so that every mark and label is
positioned exactly, and charts side by side have the same rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace, make_bar_trace, make_scatter_trace
from dashboard.drawing.figures.layout import (
    Margin,
    clamp_shift,
    interval_line,
    make_axis,
    make_figure,
    make_note,
    run_marker,
)
from dashboard.drawing.figures.text import (
    LINE,
    color_text,
    escape,
    hover_properties,
    short_names,
    shorten_group_name,
    text_width,
    widest_line_width,
    wrap_group_name,
)
from dashboard.drawing.theme import Palette, RunStyle
from dashboard.drawing.ticks import Ticks
from metrics_core.base import wording
from metrics_core.base.arrays import Floats

_PITCH = 15.0
_MOST_PITCH, _LEAST_PITCH, _ALL_PITCHES = 10.0, 3.0, 36.0
"""Limits in px for a row with several runs: the maximum and minimum distance between two runs, and
the height that all runs together may have. With these values, twelve rows fit on the first
screen."""


@dataclass(frozen=True)
class FigureRows:
    """The groups from top to bottom with their labels. All rows have the same `height` in px.
    `pitch` is the distance in px between the intervals of two runs within a row."""

    groups: tuple[str, ...]
    labels: tuple[str, ...]
    label_width: float
    height: float
    pitch: float

    @property
    def total_height(self) -> float:
        """The height of all rows in px."""
        return self.height * len(self.groups)

    def row_centres(self, groups: Iterable[str]) -> Floats:
        """Return the vertical position of the centre of each group's row, float64[group]."""
        y_by_group = {group: (i + 0.5) * self.height for i, group in enumerate(self.groups)}
        return np.array([y_by_group[group] for group in groups], dtype=np.float64)


def iterate_rows(frame: pd.DataFrame, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Iterate over the rows of a small frame as tuples of the values in the given columns. This is
    much faster than the methods of pandas."""
    return zip(*(frame[column].tolist() for column in columns), strict=True)


def make_group_rows(frame: pd.DataFrame, drawing: Drawing, order: Sequence[str]) -> FigureRows:
    """Return one row for each group of a breakdown, in the given order. The label of a group
    includes its number of queries. `frame` is the result of `summarise_groups`."""
    queries: dict[str, int] = {}
    for group, n in iterate_rows(frame, "group", "queries"):
        queries[group] = max(n, queries.get(group, 0))
    names = [wrap_group_name(group) for group in order]
    counts = [wording.format_query_count(queries[group]) for group in order]
    labels, widths = [], [0.0]
    for lines, count in zip(names, counts, strict=True):
        text = "<br>".join(map(escape, lines))
        labels.append(f"<b>{text}</b><br>{color_text(count, drawing.palette.muted)}")
        widths += [widest_line_width(lines, bold=True), widest_line_width([count])]
    runs = len(set(frame["run"]) & set(drawing.styles))
    pitch = max(_LEAST_PITCH, min(_MOST_PITCH, _ALL_PITCHES / max(runs, 1)))
    tallest = max((len(lines) for lines in names), default=1) + 1
    height = max(pitch * runs + 10, LINE * tallest + 8)
    return FigureRows(tuple(order), tuple(labels), max(widths) + 16, height, pitch)


_LABEL: dict[str, Any] = {"xref": "paper", "xanchor": "right", "xshift": -12, "align": "right"}


def row_figure(
    traces: Sequence[Any],
    *,
    rows: FigureRows,
    palette: Palette,
    margin: Margin,
    ticks: Ticks,
    annotations: Sequence[Mapping[str, Any]],
    **value_axis: Any,
) -> Chart:
    """Return the figure of a chart with one row per group. Alternate rows are shaded over the whole
    width, labels are at the left, and a click anywhere in a row returns the group of the row."""
    labels = [
        make_note(
            label, 0, y, palette.ink, **_LABEL, **hover_properties(group, shorten_group_name(group))
        )
        for group, label, y in zip(
            rows.groups, rows.labels, rows.row_centres(rows.groups), strict=True
        )
    ]
    return make_figure(
        [_click_trace(rows, ticks), *traces],
        palette=palette,
        height=margin.top + rows.total_height + margin.bottom,
        margin=margin,
        annotations=[*labels, *annotations],
        shapes=[
            w
            for i in range(1, len(rows.groups), 2)
            for w in _row_background_shapes(i, rows, margin, palette)
        ],
        barmode="overlay",
        xaxis={**make_axis(palette, ticks.span, ticks, grid=True), **value_axis},
        yaxis=make_axis(palette, (rows.total_height, 0)),
    )


def _click_trace(rows: FigureRows, ticks: Ticks) -> Trace:
    low, high = ticks.span
    return make_bar_trace(
        orientation="h",
        base=[low] * len(rows.groups),
        x=[high - low] * len(rows.groups),
        y=rows.row_centres(rows.groups),
        width=rows.height,
        customdata=[[group] for group in rows.groups],
        marker={"opacity": 0},
        unselected={"marker": {"opacity": 0}},
        hoverinfo="none",
    )


def _row_background_shapes(
    index: int, rows: FigureRows, margin: Margin, palette: Palette
) -> Iterable[dict[str, Any]]:
    """Yield the shapes that shade one row: one over the plot, and one over each of the two margins
    beside it. The widths over the margins are in px."""
    edges: list[dict[str, Any]] = [
        {"x0": 0, "x1": 1},
        {"xsizemode": "pixel", "xanchor": 0, "x0": -math.ceil(margin.left), "x1": 0},
        {"xsizemode": "pixel", "xanchor": 1, "x0": 0, "x1": math.ceil(margin.right)},
    ]
    for edge in edges:
        yield {
            "type": "rect",
            "xref": "paper",
            "yref": "y",
            "y0": index * rows.height,
            "y1": (index + 1) * rows.height,
            "fillcolor": palette.wash,
            "line": {"width": 0},
            "layer": "below",
            **edge,
        }


def zero_label(drawing: Drawing, ticks: Ticks, margin: Margin) -> dict[str, Any]:
    """Return a note with the baseline's name, placed above the zero line."""
    baseline, ink = drawing.baseline, drawing.palette.ink
    short = short_names(drawing.styles)[baseline]
    shift = clamp_shift(ticks.share(0), text_width(short), margin)
    anchors = {"yref": "paper", "xanchor": "center", "yanchor": "bottom", "yshift": 4}
    return make_note(
        escape(short), 0, 1, ink, xshift=shift, **anchors, **hover_properties(baseline, short)
    )


def interval_trace(
    run_rows: pd.DataFrame, y: Floats, columns: tuple[str, str], line: dict[str, Any]
) -> Trace:
    """Return one trace with all intervals of a run, separated by gaps. `y` has the vertical
    positions, float64[row]."""
    low, high = (run_rows[column].to_numpy(dtype=np.float64) for column in columns)
    gap = np.full(len(run_rows), np.nan)
    return make_scatter_trace(
        x=np.column_stack([low, high, gap]).ravel(),
        y=np.column_stack([y, y, gap]).ravel(),
        mode="lines",
        line=line,
        hoverinfo="skip",
    )


def point_trace(
    run_rows: pd.DataFrame,
    y: Floats,
    style: RunStyle,
    palette: Palette,
    columns: tuple[str, str, str],
    pitch: float = _PITCH,
) -> Trace:
    """Return the points of a run with the customdata [group, run, hover text]. `y` has the vertical
    positions, float64[row]."""
    write = wording.format_difference if columns[0] == "difference" else wording.format_score
    name = f"<b>{escape(style.name)}</b>"
    data = [
        [
            group,
            style.name,
            f"{name}  {escape(group)}<br>{_format_with_interval(write, value, low, high)}",
        ]
        for group, value, low, high in iterate_rows(run_rows, "group", *columns)
    ]
    return make_scatter_trace(
        x=run_rows[columns[0]].to_numpy(),
        y=y,
        mode="markers",
        marker=run_marker(style, palette, min(11, pitch + 3)),
        customdata=data,
        hovertemplate="%{customdata[2]}<extra></extra>",
        unselected={"marker": {"opacity": 1}},
        cliponaxis=False,
    )


def _format_with_interval(
    format_value: Callable[[float, int], str], value: float, low: float, high: float
) -> str:
    if math.isnan(low):
        return format_value(value, 3)
    digits = wording.interval_decimals(low, high)
    return f"{format_value(value, digits)} {wording.format_interval(low, high, digits)}"


def run_marks(
    run_rows: pd.DataFrame,
    y: Floats,
    style: RunStyle,
    palette: Palette,
    columns: tuple[str, str, str],
    pitch: float = _PITCH,
) -> list[Trace]:
    """Return the intervals of a run and the points on top of them. `pitch`, the distance in px
    between two runs, limits the thickness of the intervals. `y` has the vertical positions,
    float64[row]."""
    line = interval_line(style, palette, min(7, pitch * 0.5))
    return [
        interval_trace(run_rows, y, columns[1:], line),
        point_trace(run_rows, y, style, palette, columns, pitch),
    ]
