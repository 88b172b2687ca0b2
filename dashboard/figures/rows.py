"""Parts of charts whose rows are groups of queries.

Their vertical axis counts px from the top of the plot, so that every mark and label is placed
exactly and charts side by side keep the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from dashboard.figures.layout import NARROW, Margin, axis, figure, interval_line, note, point
from dashboard.figures.text import (
    LINE,
    SIZE,
    escape,
    name_width,
    run_name,
    spread,
    text_width,
    widest,
    wrap,
    wrapped,
)
from dashboard.theme import Palette, RunStyle
from dashboard.ticks import Ticks
from metrics_core import wording

PITCH = 15
"""Px between the intervals of two runs in one row."""
_BETWEEN = 10


@dataclass(frozen=True)
class Rows:
    """The groups from top to bottom, with what is written at their left; all of one height."""

    groups: tuple[str, ...]
    labels: tuple[str, ...]
    label_width: float
    height: float

    @property
    def total(self) -> float:
        """The height of all rows in px."""
        return self.height * len(self.groups)

    def centres(self, groups: Iterable[str]) -> npt.NDArray[np.float64]:
        """The y of these groups' rows."""
        place = {group: (i + 0.5) * self.height for i, group in enumerate(self.groups)}
        return np.array([place[group] for group in groups], dtype=np.float64)


def rows_of(
    frame: pd.DataFrame, styles: Mapping[str, RunStyle], palette: Palette, order: Sequence[str],
    *, counted: bool,
) -> Rows:  # fmt: skip
    """The rows of a breakdown's groups in this order; `counted` adds "18 queries" to the labels
    and makes them bold. The height does not depend on it."""
    queries = frame.groupby("group", sort=False)["queries"].max()
    compared = frame.loc[frame["run"].isin(list(styles)) & frame["difference"].notna(), "run"]
    names = [wrap(group) for group in order]
    counts = [f"{wording.count(n)} {wording.plural(n, 'query', 'queries')}" for n in queries[order]]
    labels, widths = [], [0.0]
    for group, lines, count in zip(order, names, counts, strict=True):
        muted = f'<span style="color:{palette.muted}">{count}</span>'
        text = wrapped(group)
        labels.append(f"<b>{text}</b><br>{muted}" if counted else text)
        widths.append(widest(lines, bold=counted))
        widths.append(widest([count]) if counted else 0.0)
    tallest = max((len(lines) for lines in names), default=1) + 1
    height = max(PITCH * compared.nunique() + 17, LINE * tallest + 12)
    return Rows(tuple(order), tuple(labels), max(widths) + 16, height)


def row_figure(
    traces: Sequence[Any],
    *,
    rows: Rows,
    palette: Palette,
    margin: Margin,
    ticks: Ticks,
    annotations: Sequence[Mapping[str, Any]],
    **value_axis: Any,
) -> go.Figure:
    """The figure of a chart with rows: every second row washed from edge to edge, the groups at
    the left, a click anywhere in a row gives its group."""
    labels = [
        note(label, 0, y, palette.ink, xref="paper", xanchor="right", xshift=-12, align="right")
        for label, y in zip(rows.labels, rows.centres(rows.groups), strict=True)
    ]
    return figure(
        [_clicks(rows, ticks), *traces],
        palette=palette,
        height=margin.top + rows.total + margin.bottom,
        margin=margin,
        annotations=[*labels, *annotations],
        shapes=[w for i in range(1, len(rows.groups), 2) for w in _wash(i, rows, margin, palette)],
        barmode="overlay",
        xaxis={**axis(palette, ticks.span, ticks, grid=True), **value_axis},
        yaxis=axis(palette, (rows.total, 0)),
    )


def _clicks(rows: Rows, ticks: Ticks) -> go.Bar:
    low, high = ticks.span
    return go.Bar(
        orientation="h",
        base=[low] * len(rows.groups),
        x=[high - low] * len(rows.groups),
        y=rows.centres(rows.groups),
        width=rows.height,
        customdata=[[group] for group in rows.groups],
        marker={"opacity": 0},
        unselected={"marker": {"opacity": 0}},
        hoverinfo="none",
    )


def _wash(index: int, rows: Rows, margin: Margin, palette: Palette) -> Iterable[dict[str, Any]]:
    """The ground of one row: over the plot, and in px over the margins on both sides."""
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


def intervals(
    part: pd.DataFrame, y: npt.NDArray[np.float64], columns: tuple[str, str], line: dict[str, Any]
) -> go.Scatter:
    """One trace with the intervals of a run, broken between them."""
    low, high = (part[column].to_numpy(dtype=np.float64) for column in columns)
    gap = np.full(len(part), np.nan)
    return go.Scatter(
        x=np.column_stack([low, high, gap]).ravel(),
        y=np.column_stack([y, y, gap]).ravel(),
        mode="lines",
        line=line,
        hoverinfo="skip",
    )


def points(
    part: pd.DataFrame,
    y: npt.NDArray[np.float64],
    style: RunStyle,
    palette: Palette,
    columns: tuple[str, str, str],
) -> go.Scatter:
    """The points of a run: customdata [group, what the hover box says]."""
    write = wording.difference if columns[0] == "difference" else wording.score
    name = f"<b>{escape(style.name)}</b>"
    data = [
        [group, f"{name}  {escape(group)}<br>{write(value)} {_interval(low, high)}".rstrip()]
        for group, value, low, high in part[["group", *columns]].itertuples(index=False)
    ]
    return go.Scatter(
        x=part[columns[0]].to_numpy(),
        y=y,
        mode="markers",
        marker=point(style, palette),
        customdata=data,
        hovertemplate="%{customdata[1]}<extra></extra>",
        unselected={"marker": {"opacity": 1}},
        cliponaxis=False,
    )


def _interval(low: float, high: float) -> str:
    return "" if math.isnan(low) else wording.interval(low, high)


def marks(
    part: pd.DataFrame,
    y: npt.NDArray[np.float64],
    style: RunStyle,
    palette: Palette,
    columns: tuple[str, str, str],
) -> list[go.Scatter]:
    """The intervals of a run and its points on top."""
    return [
        intervals(part, y, columns[1:], interval_line(style, palette)),
        points(part, y, style, palette, columns),
    ]


def first_values(
    frame: pd.DataFrame, runs: Iterable[RunStyle], order: Sequence[str], column: str
) -> dict[str, tuple[str, float]]:
    """Per run the first group in this order with a value in the column, and that value."""
    found = {}
    place = {group: i for i, group in enumerate(order)}
    for style in runs:
        part = frame[(frame["run"] == style.name) & frame[column].notna()]
        if len(part):
            first = part.loc[part["group"].map(place).idxmin()]
            found[style.name] = (str(first["group"]), float(first[column]))
    return found


def key(styles: Iterable[RunStyle], palette: Palette) -> list[str]:
    """Lines that name the runs with their marks, for names too long to stand beside them."""
    filled, used = [""], 0.0
    for style in styles:
        text = f"{style.glyph} {style.name}"
        width = text_width(text, bold=True) + 18
        if used + width > NARROW and used:
            filled.append("")
            used = 0.0
        used += width
        filled[-1] += f"{style.glyph} {run_name(style, palette, length=44)}".replace(
            style.glyph, f'<span style="color:{style.color(palette)}">{style.glyph}</span>', 1
        )
        filled[-1] += "\u2003"
    return [line.rstrip("\u2003") for line in filled if line]


Placed = list[list[tuple[RunStyle, float, float]]]
"""Lines of run names from bottom to top: each name's style, its share of the axis, its shift."""


def names_above(shares: Mapping[str, float], styles: Mapping[str, RunStyle], left: float,
                right: float) -> Placed:  # fmt: skip
    """Names over their points, in as few lines as hold them at the narrowest width."""
    plot = NARROW - left - right
    order = sorted(shares, key=lambda run: shares[run])
    for n in range(1, len(order) + 1):
        lines = [order[i::n] for i in range(n)]
        sizes = [[name_width(styles[r], length=44) + _BETWEEN for r in line] for line in lines]
        if n == len(order) or max(map(sum, sizes)) <= NARROW:
            break
    else:
        return []
    placed = []
    for line, widths in zip(lines, sizes, strict=True):
        wanted = [shares[run] * plot for run in line]
        centres = spread(wanted, widths, -left, plot + right)
        placed.append(
            [
                (styles[run], shares[run], centre - want)
                for run, centre, want in zip(line, centres, wanted, strict=True)
            ]
        )
    return placed


def name_notes(placed: Placed, palette: Palette) -> list[dict[str, Any]]:
    """The names of `names_above` as notes over the plot."""
    return [
        note(
            run_name(style, palette, length=44),
            share,
            1,
            palette.ink,
            xref="paper",
            yref="paper",
            xanchor="center",
            yanchor="bottom",
            xshift=shift,
            yshift=4 + LINE * i,
            font={"size": SIZE},
        )
        for i, line in enumerate(placed)
        for style, share, shift in line
    ]
