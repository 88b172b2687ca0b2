"""The heatmap of the Breakdown page: differences in the cells of two groupings."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from dashboard.drawing.figures.chart import Chart, Trace, bar
from dashboard.drawing.figures.colour import diverging, text_on
from dashboard.drawing.figures.layout import NARROW, Margin, axis, figure, note
from dashboard.drawing.figures.text import (
    LINE,
    NAME_LENGTH,
    escape,
    group_lines,
    shorten_group,
    text_width,
    whole,
    widest,
    wrap,
    wrapped,
)
from dashboard.drawing.theme import Palette
from metrics_core.base import wording
from metrics_core.slicing.breakdowns import ALL

_ROW, _FILLED = 40, 0.95
_LEAST_LIMIT = 0.1
_HATCH = {"fillmode": "overlay", "fgopacity": 0.2, "size": 8, "solidity": 0.12}
"""Faint enough for numbers to be read on it; Plotly chooses black or white lines itself."""
FEWEST_UNHATCHED = 5
"""Cells of fewer queries are hatched."""
_UPRIGHT = 44


class _Grid(NamedTuple):
    """The groups that stand at the left and on top, and whether the two are exchanged."""

    rows: list[str]
    columns: list[str]
    turned: bool


def difference_heatmap(
    cells: pd.DataFrame, *, palette: Palette, rows_title: str, columns_title: str
) -> Chart:
    """Mean differences in the cells of two groupings, with their number of queries.

    `cells` is that of `slicing.breakdowns.cross_breakdown`. The grouping with fewer groups
    makes the columns, so that the chart fits a narrow screen. Each cell is one bar that fills it,
    with customdata [row, column, what the hover box says]; a cell without queries has none.
    """
    grid = _grid(cells)
    margin, length = _margin(grid)
    return figure(
        [_bars(cells[cells["queries"] > 0], grid, palette, rows_title, columns_title)],
        palette=palette,
        height=margin.top + _ROW * len(grid.rows) + margin.bottom,
        margin=margin,
        annotations=[*_heads(grid, palette, length), *_blanks(cells, grid, palette)],
        barmode="overlay",
        uniformtext={"minsize": 9, "mode": "hide"},
        xaxis=axis(palette, (-0.5, len(grid.columns) - 0.5)),
        yaxis=axis(palette, (len(grid.rows) - 0.5, -0.5)),
    )


def _bars(
    filled: pd.DataFrame, grid: _Grid, palette: Palette, rows_title: str, columns_title: str
) -> Trace:
    """One trace for all cells: each a bar of height 1 with its text."""
    limit = limit_of(filled)
    counted = list(filled[["difference", "queries"]].itertuples(index=False))
    colors = [diverging(gap, limit, palette) for gap, _ in counted]
    texts = [text_on(color, palette.ink, palette.page) for color in colors]
    x = (filled["row"] if grid.turned else filled["column"]).map(grid.columns.index)
    y = (filled["column"] if grid.turned else filled["row"]).map(grid.rows.index)
    return bar(
        x=x.to_list(),
        base=(y - _FILLED / 2).to_list(),
        y=[_FILLED] * len(filled),
        width=0.98,
        marker={"color": colors, "line": {"width": 0}, "pattern": _hatching(filled)},
        text=[_written(gap, n) for gap, n in counted],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        insidetextfont={"color": texts},
        customdata=_customdata(filled, rows_title, columns_title),
        hovertemplate="%{customdata[2]}<extra></extra>",
        unselected={"marker": {"opacity": 1}},
    )


def _hatching(filled: pd.DataFrame) -> dict[str, Any]:
    """Cells of the very few queries are hatched: colour alone would make them findings."""
    return {"shape": ["/" if n < FEWEST_UNHATCHED else "" for n in filled["queries"]], **_HATCH}


def _grid(cells: pd.DataFrame) -> _Grid:
    rows, columns = (list(dict.fromkeys(cells[c])) for c in ("row", "column"))
    turned = len(columns) > len(rows)
    return _Grid(columns, rows, True) if turned else _Grid(rows, columns, False)


def limit_of(cells: pd.DataFrame) -> float:
    """The difference that gets the full colour: the greatest of all cells, so that a colour says
    what its number says."""
    filled = cells[cells["queries"] > 0]
    return (
        max(float(filled["difference"].abs().max()), _LEAST_LIMIT) if len(filled) else _LEAST_LIMIT
    )


def _margin(grid: _Grid) -> tuple[Margin, int]:
    """The margins, and how many characters of a column's name stand on one line; 0 if the names
    stand on end, because the columns are narrow."""
    left = max(widest(group_lines(row), bold=row == ALL) for row in grid.rows) + 14
    cell = (NARROW - left) / len(grid.columns)
    if cell < _UPRIGHT:
        return Margin(
            left, 2, max(widest(group_lines(c), bold=True) for c in grid.columns) + 10, 2
        ), 0
    # No word is broken that fits as it is.
    words = (word for column in grid.columns for word in shorten_group(column).split())
    length = max([int(cell / 7.4), *(len(word) for word in words if text_width(word) <= cell)])
    most = max(len(wrap(shorten_group(column), length)) for column in grid.columns)
    return Margin(left, 2, LINE * most + 8, 2), length


def _written(difference: float, queries: int) -> str:
    return f"{wording.difference(difference)}<br>n {wording.count(queries)}"


def _customdata(filled: pd.DataFrame, rows_title: str, columns_title: str) -> list[list[str]]:
    data = []
    for row, column, queries, difference in filled[
        ["row", "column", "queries", "difference"]
    ].itertuples(index=False):
        place = f"{escape(rows_title)}: {escape(row)}<br>{escape(columns_title)}: {escape(column)}"
        count = f"{wording.count(queries)} {wording.plural(queries, 'query', 'queries')}"
        value = wording.difference(difference)
        data.append([row, column, f"{place}<br><b>{value}</b>  {count}"])
    return data


def _heads(grid: _Grid, palette: Palette, length: int) -> list[dict[str, Any]]:
    def head(group: str, length: int, x: float, y: float, **place: Any) -> dict[str, Any]:
        shown = shorten_group(group)
        html = wrapped(shown, length)
        html = f"<b>{html}</b>" if group == ALL else html
        return note(html, x, y, palette.ink, **place, **whole(group, shown))

    over = {"yref": "paper", "xanchor": "center", "yanchor": "bottom", "yshift": 3}
    over |= {"align": "center"} if length else {"textangle": -90, "align": "left"}
    beside = {"xref": "paper", "xanchor": "right", "align": "right", "xshift": -8}
    columns = [head(c, length or NAME_LENGTH, i, 1, **over) for i, c in enumerate(grid.columns)]
    return columns + [head(r, NAME_LENGTH, 0, i, **beside) for i, r in enumerate(grid.rows)]


def _blanks(cells: pd.DataFrame, grid: _Grid, palette: Palette) -> list[dict[str, Any]]:
    room = NARROW * 0.7 / len(grid.columns)
    if room < text_width("queries"):
        return []
    text = "no queries" if text_width("no queries") < room else "no<br>queries"
    notes = []
    for row, column in cells.loc[cells["queries"] == 0, ["row", "column"]].itertuples(index=False):
        x, y = (row, column) if grid.turned else (column, row)
        place: dict[str, Any] = {"xanchor": "center", "align": "center"}
        at = (grid.columns.index(x), grid.rows.index(y))
        notes.append(note(text, *at, palette.faint, **place))
    return notes
