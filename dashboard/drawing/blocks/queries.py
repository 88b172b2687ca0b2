"""The table of queries: header cells that sort the table, rows that open a query, page links, and
the active filters."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from markupsafe import Markup

from dashboard.answers.column_filters import ColumnFilter
from dashboard.answers.queries import QueryList, QueryRows
from dashboard.answers.table_column import TableColumn
from dashboard.drawing.blocks import overview
from dashboard.drawing.blocks.markup import Href, Styles, run_style, shorten_run_names
from dashboard.drawing.blocks.table import Column, aria_sort
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import short_names, shorten, text_width
from dashboard.drawing.ticks import Ticks
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import SAME
from metrics_core.findings.significance import rounding_note
from metrics_core.slicing.breakdowns import NO_GROUP

Link = Callable[[str], str]
"""A function that takes an order, a filter line, a query_id, a page number or a column and returns
its link."""
MoveLink = Callable[[str, int], str]
"""A function that takes the key of a column and a number of positions, and returns the link that
moves the column by this number. The result is "" if the column cannot be moved there."""

_HEAD = 48
"""Maximum number of characters of a column's name in its header cell. For the name of a run,
another limit applies."""
_PAIR = 24
"""Maximum number of characters of the names of the compared runs in the header cell of their
difference. Longer names are only in its hover text."""
_VALUES = 3
"""Maximum number of a filter's values that are named. If there are more, the number of further
values is added."""
_LEAST = {"score": 72, "difference": 190, "number": 72}
_METER = 56
"""Widths in px. `_LEAST` has the minimum width of a column by kind: a score, a difference with its
bar, and a number. `_METER` is the width of a score bar."""
_PADDING, _MARK, _ARROW, _WIDEST, _NAME, _CELL = 18, 22, 18, 260, 72, 15
"""Sizes in px, in this order: the padding beside a text; a run's mark together with the sort arrow;
a sort arrow; the widest column; the longest run name that is kept
on one line; the font size of a cell."""
_AROUND = 1
"""Number of pages on each side of the current page that have a link."""

_render = Template("queries")


@dataclass(frozen=True)
class TableLinks:
    """The functions that make the links in the table of queries: `order` sorts the table, `line`
    sets the filter line, `query` opens a query, and `move` moves a column. `filters` maps the key
    of each column to its filter."""

    order: Link
    line: Link
    query: Link
    move: MoveLink
    filters: Mapping[str, ColumnFilter]


def draw_query_table(
    rows: QueryRows,
    columns: Sequence[TableColumn],
    order: str,
    styles: Styles,
    *,
    pair: tuple[str, str],
    label: str,
    span: tuple[float, float],
    scale: tuple[float, float] | None,
    use_colours: bool,
    links: TableLinks,
    starred: Collection[str] = (),
    unfold: str = "",
) -> Markup:
    """Draw a page of the list of queries as a table: the query, the difference with its bar, a
    score for each run, and the groups. A score has a bar if there is a `scale`.

    `order` is the key of the sort column, with "-" before it for descending order. The differences
    are between the runs of the `pair`; `span` is the range of their bars. If `use_colours` is true,
    differences are coloured unless they count as tied. The queries in `starred` have a star.
    `unfold` is the link that shows all rows on a narrow screen, "" if they are shown."""
    texts = column_texts(columns, rows.frame)
    return _render(
        "query_table",
        heads=[
            Column(
                name,
                column.kind.replace("text", "who"),
                links.order(f"-{column.key}" if order == column.key else column.key),
                aria_sort(order, column.key),
                hint=full_name if name != full_name else "",
                style=run_style(styles, column.name) if column.kind == "score" else None,
                width=_column_width(column.kind, name, texts[column.key], bars=scale is not None),
                menu=_draw_header_menu(column.key, full_name, number, order, links),
            )
            for number, (column, (name, full_name)) in enumerate(
                zip(columns, short_and_full_names(columns, pair), strict=True), start=1
            )
        ],
        columns=columns,
        rows=rows.frame.to_dict("records"),
        texts=texts,
        gaps=Ticks([], [], span) if span[1] > span[0] else None,
        scores=None if scale is None else Ticks([], [], scale),
        coloured=use_colours,
        opened=links.query,
        only=lambda column, value: _link_to_value(column.key, value, links),
        starred=starred,
        label=label,
        unfold=unfold,
    )


def _draw_header_menu(key: str, name: str, number: int, order: str, links: TableLinks) -> Markup:
    """Draw the menu in a column's header cell: both sort orders, and the filter of the column."""
    column_filter = links.filters.get(key)
    return _render(
        "head_menu",
        key=key,
        name=name,
        number=number,
        order=order,
        filter=column_filter,
        links=links,
    )


def _link_to_value(key: str, value: str, links: TableLinks) -> str:
    """Return the link that lists only the queries with this value of a column. Returns "" if the
    column has no filter, if there is no value, or if only these queries are listed already."""
    column_filter = links.filters.get(key)
    if column_filter is None or value in ("", NO_GROUP) or column_filter.chosen == {value}:
        return ""
    return links.line(column_filter.line_with_values((value,)))


def column_texts(columns: Sequence[TableColumn], frame: pd.DataFrame) -> dict[str, list[str]]:
    """Return the texts of the cells by column key. Numbers from the query file are unchanged. In
    any other column, all numbers have the same number of decimals."""

    def format_column(column: TableColumn) -> list[str]:
        values = frame[column.source].tolist()
        if column.kind == "difference":
            digits = w.score_decimals(values)
            return [w.format_difference(value, digits) for value in values]
        if column.kind not in ("score", "number"):
            return [*map(str, values)]
        if column.key.startswith("by:"):
            return [*map(w.format_plain_number, values)]
        return w.format_column(values, are_counts=column.kind == "number")

    return {column.key: format_column(column) for column in columns}


def _column_width(kind: str, name: str, texts: Sequence[str], *, bars: bool) -> int:
    """Return the width of a column in px. It is enough for the column's texts and for the longest
    word in the header cell, within limits. It is 0 for the query text, which takes the remaining
    width."""
    if kind == "text":
        return 0
    words = max((text_width(word, bold=True) for word in re.split(r"[\s_-]", name)), default=0)
    least, text_room, mark = _LEAST.get(kind, 0), 0.0, _ARROW
    if kind == "score":
        words, mark = max(words, min(text_width(name, bold=True), _NAME)), _MARK
        least += _METER * bars
    if kind in ("group", "number", "score"):
        text_room = text_width(max(texts, key=len, default=""), size=_CELL)
    return round(min(max(least, text_room + _PADDING, words + _PADDING + mark), _WIDEST))


def short_and_full_names(
    columns: Sequence[TableColumn], pair: tuple[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield two names for each column: a shortened name for the header cell, and the full name."""
    short = short_names([*pair, *(column.name for column in columns if column.kind == "score")])
    for column in columns:
        if column.kind == "difference":
            name = f" {w.MINUS} ".join(short[run] for run in pair)
            yield name if len(name) <= _PAIR else "difference", f" {w.MINUS} ".join(pair)
        elif column.kind == "score":
            yield short[column.name], column.name
        else:
            full_name = "Query" if column.kind == "text" else column.title
            yield shorten(full_name, _HEAD), full_name


def draw_column_order(columns: Sequence[TableColumn], move: MoveLink) -> Markup:
    """Draw the shown columns in their order, each with links that move the column."""
    return _render("column_order", columns=columns, move=move)


def draw_page_links(rows: QueryRows, total: int, page_link: Link) -> Markup:
    """Draw the position of the page in the list of queries, and links to the other pages. The
    result is empty if there is only one page."""
    if rows.pages == 1:
        return Markup()
    near = range(rows.number - _AROUND, rows.number + _AROUND + 1)
    numbers = sorted({1, rows.pages, *(n for n in near if 1 <= n <= rows.pages)})
    return _render(
        "page_links",
        place=(
            f"{w.format_count(rows.start + 1)}{w.DASH}"
            f"{w.format_count(rows.start + len(rows.frame))}"
            f" of {w.format_count(total)}"
        ),
        numbers=[(n, n == 1 or n - 1 in numbers, page_link(str(n))) for n in numbers],
        here=rows.number,
        previous=page_link(str(rows.number - 1)) if rows.number > 1 else None,
        following=page_link(str(rows.number + 1)) if rows.number < rows.pages else None,
    )


def draw_filters(conditions: Sequence[tuple[str, str]], make_link_without: Link) -> Markup:
    """Draw the filters of the view as one chip per filtered column. A click on a chip removes the
    filter of its column."""
    columns = dict.fromkeys(column for column, _ in conditions)
    if not columns:
        return Markup()
    chips = []
    for column in columns:
        values = [value for name, value in conditions if name == column]
        shown_values = [shorten(value) for value in values[:_VALUES]]
        more = len(values) - _VALUES
        values_text = w.join_words([*shown_values, *([f"{more} more"] if more > 0 else [])], "or")
        chips.append((column, values_text, ", ".join(values), make_link_without(column)))
    return _render("filters", chips=chips)


def draw_strip_note(query_list: QueryList, max_queries: int) -> Markup:
    """Draw a note that says what the chart of sorted differences shows and how to use it, and the
    number of queries of each outcome above their bars. If there are more than `max_queries`
    queries, the note says that only some are shown."""
    return _render(
        "strip_said",
        outcomes=query_list.frame.sort_values("difference")["outcome"].value_counts(sort=False)
        if query_list.has_outcomes
        else {},
        same=SAME,
        paired=query_list.paired,
        most=max_queries,
        mean=query_list.mean,
        rounding=rounding_note(query_list.frame),
    )


def draw_colour_key(measure: str, low: float, high: float, *, has_empty_lists: bool) -> Markup:
    """Draw the colour scale of the heatmap with the values at its ends. If `has_empty_lists` is
    true, the frame that marks empty lists is explained, too."""
    return _render("colour_key", measure=measure, low=low, high=high, empty=has_empty_lists)


def draw_list_summary(
    count: int, total: int, parts: Sequence[Markup], criterion: str = "", clear_link: str = ""
) -> Markup:
    """Draw the number of queries in a list, the criterion of the list, and the active filters with
    a link that clears them all. If the list has all queries, the text is only for screen
    readers."""
    narrowing = [part for part in parts if part]
    return _render(
        "listed", kept=count, total=total, taken=narrowing, rule=criterion, cleared=clear_link
    )


def draw_lists_beside_heatmap(
    failed_queries: pd.DataFrame,
    leading_queries: pd.DataFrame,
    n_failing_queries: int,
    drawing: Drawing,
    href: Href,
) -> Markup:
    """Draw two lists beside the heatmap: the queries on which every shown run fails, and the
    queries with the largest lead of the run in focus over all other runs. An empty list is omitted.
    Both frames have query_id, text, meta; `leading_queries` also has difference."""
    lists = []
    if len(failed_queries):
        more = (
            f"all {w.format_count(n_failing_queries)}",
            href("queries", show="none", view="", p=""),
        )
        zero = failed_queries.assign(amount=w.format_score(0.0))
        runs = drawing.comparison.every_run
        title = f"{w.sentence_case(runs)} {'fail' if runs == 'both runs' else 'fails'}"
        lists.append(overview.draw_amount_list(title, zero, href, all_link=more))
    if len(leading_queries):
        rows = leading_queries.assign(amount=leading_queries["difference"].map(w.format_difference))
        others = drawing.baseline if len(drawing.styles) == 2 else "all others"
        title = shorten_run_names(f"{drawing.focus} is ahead of {others}", drawing.styles)
        subtitle = "difference from the next best" if others == "all others" else "difference"
        lists.append(overview.draw_amount_list(title, rows, href, subtitle=subtitle))
    return overview.draw_side_by_side(*lists) if lists else Markup()
