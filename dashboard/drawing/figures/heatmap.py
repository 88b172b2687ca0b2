"""The heatmap of the Breakdown page: the differences in the cells of two crossed columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from dashboard.drawing.figures.chart import Chart, Trace, make_bar_trace
from dashboard.drawing.figures.colour import diverging_color, readable_color
from dashboard.drawing.figures.layout import NARROW, Margin, make_axis, make_figure, make_note
from dashboard.drawing.figures.text import (
    LINE,
    NAME_LENGTH,
    escape,
    hover_properties,
    shorten_group_name,
    text_width,
    widest_line_width,
    wrap,
    wrap_group_name,
    wrap_html,
)
from dashboard.drawing.theme import Palette
from metrics_core.base import wording
from metrics_core.slicing.breakdowns import ALL

_ROW, _FILLED = 40, 0.95
_LEAST_LIMIT = 0.1
FEWEST_COLOURED = 5
"""Minimum number of queries in a coloured cell. With fewer queries, the colour of an unreliable
mean would look like a finding."""
_UPRIGHT = 44


class _Grid(NamedTuple):
    """The groups at the left (rows) and at the top (columns). If `is_swapped` is true, the rows of
    the frame are the columns of the chart."""

    rows: list[str]
    columns: list[str]
    is_swapped: bool


def difference_heatmap(
    cells: pd.DataFrame, *, palette: Palette, rows_title: str, columns_title: str
) -> Chart:
    """Draw the mean difference and the number of queries in each cell of two crossed columns.

    `cells` is the frame of `cross_groups`. The column with fewer groups is placed at the top, so
    that the chart fits on a narrow screen. Each cell that has queries is filled by one bar, with
    the customdata [row, column, hover text]."""
    grid = _make_grid(cells)
    margin, length = _heatmap_margin(grid)
    row = max(_ROW, LINE * max(len(wrap_group_name(name)) for name in grid.rows) + 4)
    return make_figure(
        [_cell_bars(cells[cells["queries"] > 0], grid, palette, rows_title, columns_title)],
        palette=palette,
        height=margin.top + row * len(grid.rows) + margin.bottom,
        margin=margin,
        annotations=[
            *_group_name_notes(grid, palette, length),
            *_empty_cell_notes(cells, grid, palette),
        ],
        barmode="overlay",
        uniformtext={"minsize": 9, "mode": "hide"},
        xaxis=make_axis(palette, (-0.5, len(grid.columns) - 0.5)),
        yaxis=make_axis(palette, (len(grid.rows) - 0.5, -0.5)),
    )


def _cell_bars(
    filled_cells: pd.DataFrame, grid: _Grid, palette: Palette, rows_title: str, columns_title: str
) -> Trace:
    """Return one trace for all cells. Each cell is a bar of height 0.95 with a text in it."""
    limit = color_limit(filled_cells)
    values = list(filled_cells[["difference", "queries"]].itertuples(index=False))
    few = filled_cells["queries"].to_numpy() < FEWEST_COLOURED
    colors = [
        palette.page if is_small else diverging_color(gap, limit, palette)
        for is_small, (gap, _) in zip(few, values, strict=True)
    ]
    texts = [readable_color(color, palette.ink, palette.page) for color in colors]
    x = (filled_cells["row"] if grid.is_swapped else filled_cells["column"]).map(grid.columns.index)
    y = (filled_cells["column"] if grid.is_swapped else filled_cells["row"]).map(grid.rows.index)
    return make_bar_trace(
        x=x.to_list(),
        base=(y - _FILLED / 2).to_list(),
        y=[_FILLED] * len(filled_cells),
        width=0.98,
        marker={
            "color": colors,
            "line": {"color": palette.line, "width": few.astype(int).tolist()},
        },
        text=[
            f"{wording.format_difference(gap)}<br>n = {wording.format_count(n)}"
            for gap, n in values
        ],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        insidetextfont={"color": texts},
        customdata=_customdata(filled_cells, rows_title, columns_title),
        hovertemplate="%{customdata[2]}<extra></extra>",
        unselected={"marker": {"opacity": 1}},
    )


def _make_grid(cells: pd.DataFrame) -> _Grid:
    rows, columns = (list(dict.fromkeys(cells[c])) for c in ("row", "column"))
    is_swapped = len(columns) > len(rows)
    return _Grid(columns, rows, True) if is_swapped else _Grid(rows, columns, False)


def color_limit(cells: pd.DataFrame) -> float:
    """Return the absolute difference at which the colour is strongest. It is the largest absolute
    difference of all coloured cells, but at least 0.1. `cells` is the frame of `cross_groups`."""
    sizes = cells.loc[cells["queries"] >= FEWEST_COLOURED, "difference"].abs()
    return max(_LEAST_LIMIT, float(sizes.max()))


def _heatmap_margin(grid: _Grid) -> tuple[Margin, int]:
    """Return the margins of the chart, and the maximum number of characters per line of the names
    at the top. This number is 0 if the columns are so narrow that the names are vertical."""
    left = max(widest_line_width(wrap_group_name(row), bold=row == ALL) for row in grid.rows) + 14
    cell = (NARROW - left) / len(grid.columns)
    if cell < _UPRIGHT:
        return Margin(
            left,
            2,
            max(widest_line_width(wrap_group_name(c), bold=True) for c in grid.columns) + 10,
            2,
        ), 0
    # Words that fit are not broken.
    words = (word for column in grid.columns for word in shorten_group_name(column).split())
    length = max([int(cell / 7.4), *(len(word) for word in words if text_width(word) <= cell)])
    most = max(len(wrap(shorten_group_name(column), length)) for column in grid.columns)
    return Margin(left, 2, LINE * most + 8, 2), length


def _customdata(filled_cells: pd.DataFrame, rows_title: str, columns_title: str) -> list[list[str]]:
    data = []
    for row, column, queries, difference in filled_cells[
        ["row", "column", "queries", "difference"]
    ].itertuples(index=False):
        groups_text = (
            f"{escape(rows_title)}: {escape(row)}<br>{escape(columns_title)}: {escape(column)}"
        )
        value, count = wording.format_difference(difference), wording.format_query_count(queries)
        data.append([row, column, f"{groups_text}<br><b>{value}</b>  {count}"])
    return data


def _group_name_notes(grid: _Grid, palette: Palette, length: int) -> list[dict[str, Any]]:
    def make_group_note(
        group: str, length: int, x: float, y: float, **anchors: Any
    ) -> dict[str, Any]:
        short = shorten_group_name(group)
        html = wrap_html(short, length)
        html = f"<b>{html}</b>" if group == ALL else html
        return make_note(html, x, y, palette.ink, **anchors, **hover_properties(group, short))

    column_anchors = {"yref": "paper", "xanchor": "center", "yanchor": "bottom", "yshift": 3}
    column_anchors |= {"align": "center"} if length else {"textangle": -90, "align": "left"}
    row_anchors = {"xref": "paper", "xanchor": "right", "align": "right", "xshift": -8}
    columns = [
        make_group_note(c, length or NAME_LENGTH, i, 1, **column_anchors)
        for i, c in enumerate(grid.columns)
    ]
    return columns + [
        make_group_note(r, NAME_LENGTH, 0, i, **row_anchors) for i, r in enumerate(grid.rows)
    ]


def _empty_cell_notes(cells: pd.DataFrame, grid: _Grid, palette: Palette) -> list[dict[str, Any]]:
    cell_width = NARROW * 0.7 / len(grid.columns)
    if cell_width < text_width("queries"):
        return []
    text = "no queries" if text_width("no queries") < cell_width else "no<br>queries"
    notes = []
    for row, column in cells.loc[cells["queries"] == 0, ["row", "column"]].itertuples(index=False):
        x, y = (row, column) if grid.is_swapped else (column, row)
        anchors: dict[str, Any] = {"xanchor": "center", "align": "center"}
        position = (grid.columns.index(x), grid.rows.index(y))
        notes.append(make_note(text, *position, palette.faint, **anchors))
    return notes
