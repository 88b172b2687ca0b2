"""The table of queries: heads that sort, rows that open, pages, and the filters it stands under."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.answers.queries import QueryRows
from dashboard.answers.table_column import TableColumn
from dashboard.drawing.blocks import overview
from dashboard.drawing.blocks.markup import Href, Styles, style_of
from dashboard.drawing.blocks.templates import Template, percent
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import short_names, shorten, text_width
from dashboard.drawing.theme import RunStyle
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import BETTER, WORSE

Span = tuple[float, float]
Link = Callable[[str], str]
"""The address that an order, a query_id, a page number or a column leads to."""

_HEAD = 48
"""Characters of a head that names no run, in a few lines."""
_VALUES = 3
"""Values of a filter that are named; more are counted."""
_LEAST = {"score": 72, "difference": 190, "number": 72}
_METER = 56
"""The px that a score, a difference with its bar and a number take; those of a score's bar."""
_PADDING, _MARK, _ARROW, _WIDEST, _NAME, _CELL = 18, 22, 8, 260, 72, 15
"""Px beside a text, of a run's mark and the arrow of the order, of an arrow that may stand below
its head, of the widest column, of a run's name that keeps to one line, of a text's size."""
_AROUND = 1
"""Pages to both sides of the one shown that have a link."""

_drawn = Template("queries")


@dataclass(frozen=True)
class _Head:
    """A column's head; `sorted` is "ascending" or "descending" where the rows stand by it. `whole`
    is the name where `name` is shortened."""

    column: TableColumn
    name: str
    whole: str
    sorted: str
    link: str
    style: RunStyle | None
    width: int = 0


@dataclass(frozen=True)
class _Cell:
    """A score: as it is written, and the length of its bar."""

    text: str
    share: str


@dataclass(frozen=True)
class _Gap:
    """A difference, and where its bar lies: its begin, its length; `tone` colours it."""

    value: float
    tone: str
    begin: str = ""
    long: str = ""


@dataclass(frozen=True)
class _Row:
    """A query; `parts` are its cells but the first: a `_Gap`, a `_Cell` or a group."""

    text: str
    link: str
    parts: Sequence[tuple[str, Any]]
    clear: bool


def query_table(
    rows: QueryRows,
    columns: Sequence[TableColumn],
    order: str,
    styles: Styles,
    *,
    pair: tuple[str, str],
    label: str,
    span: tuple[float, float],
    scale: tuple[float, float] | None,
    coloured: bool,
    sorted_by: Link,
    opened: Link,
) -> Markup:
    """A page of the list: query, difference with its bar, a score for each run, with a bar where
    there is a `scale`, groups. `order` is the key of the column it stands by, "-" before it where
    the greatest is first; the differences are those of the `pair`, lie in `span`, and are
    `coloured` where they are more than "same"."""
    written = {
        column.key: _texts(column, rows.frame[column.source].tolist())
        for column in columns
        if column.kind in ("score", "number")
    }
    heads = [
        replace(
            head,
            width=_width(
                head, written.get(head.column.key) or rows.frame[head.column.source], scale
            ),
        )
        for head in _heads(columns, order, styles, pair, sorted_by)
    ]
    return _drawn(
        "query_table",
        heads=heads,
        rows=[
            _row(
                record,
                columns,
                {key: texts[i] for key, texts in written.items()},
                (span, scale),
                coloured,
                opened,
            )
            for i, record in enumerate(rows.frame.to_dict("records"))
        ],
        wide=sum(head.width for head in heads),
        zero=_part(0.0, span) if span[1] > span[0] else "",
        label=label,
    )


def _texts(column: TableColumn, values: Sequence[float]) -> list[str]:
    """The numbers of a column as they are written: those of the query file as they stand there,
    others all with the same decimals."""
    if column.key.startswith("by:"):
        return [*map(w.plain_number, values)]
    return w.column(values, counts=column.kind == "number")


def _width(head: _Head, texts: Iterable[Any], scale: Span | None) -> int:
    """The px that a column takes: room for its texts, within limits, and for the longest word of
    its head; 0 for the query, which has what is left."""
    if head.column.kind == "text":
        return 0
    words = max((text_width(word, bold=True) for word in re.split(r"[\s_-]", head.name)), default=0)
    least, room, mark = _LEAST.get(head.column.kind, 0), 0.0, _ARROW
    if head.column.kind == "score":
        words, mark = max(words, min(text_width(head.name, bold=True), _NAME)), _MARK
        least += 0 if scale is None else _METER
    if head.column.kind in ("group", "number"):
        room = text_width(max(map(str, texts), key=len, default=""), size=_CELL)
    return round(min(max(least, room + _PADDING, words + _PADDING + mark), _WIDEST))


def _heads(
    columns: Sequence[TableColumn],
    order: str,
    styles: Styles,
    pair: tuple[str, str],
    sorted_by: Link,
) -> list[_Head]:
    fixed = {"text": "Query", "difference": f" {w.MINUS} ".join(pair)}
    short = short_names([*pair, *(column.name for column in columns if column.kind == "score")])
    heads = []
    for column in columns:
        whole = fixed.get(column.kind, column.name)
        if column.kind in ("group", "number"):
            whole = column.title
        name = short[whole] if column.kind == "score" else shorten(whole, _HEAD)
        if column.kind == "difference":
            name = f" {w.MINUS} ".join(short[run] for run in pair)
        down = order == f"-{column.key}"
        heads.append(
            _Head(
                column=column,
                name=name,
                whole=whole if name != whole else "",
                sorted="descending" if down else "ascending" if order == column.key else "",
                link=sorted_by(column.key),
                style=style_of(styles, column.name) if column.kind == "score" else None,
            )
        )
    return heads


def _row(
    record: Mapping[str, Any],
    columns: Sequence[TableColumn],
    written: Mapping[str, str],
    spans: tuple[Span, Span | None],
    coloured: bool,
    opened: Link,
) -> _Row:
    clear = coloured and record["outcome"] in (BETTER, WORSE)
    parts: list[tuple[str, Any]] = []
    for column in columns:
        value = record[column.source]
        if column.kind == "score":
            share = _part(value, spans[1]) if spans[1] is not None and value == value else ""
            parts.append((column.kind, _Cell(written[column.key], share)))
        elif column.kind == "number":
            parts.append((column.kind, written[column.key]))
        elif column.kind == "difference":
            tone = str(record["outcome"]) if clear else ""
            parts.append((column.kind, _gap(value, spans[0], tone)))
        elif column.kind != "text":
            parts.append((column.kind, value))
    return _Row(
        text=record["text"].strip() or f"query {record['query_id']}",
        link=opened(record["query_id"]),
        parts=parts,
        clear=clear,
    )


def _gap(value: float, span: Span, tone: str) -> _Gap:
    low, high = span
    if not high > low or value != value:
        return _Gap(value, tone)
    return _Gap(value, tone, _part(min(value, 0.0), span), percent(abs(value) / (high - low)))


def _part(value: float, span: Span) -> str:
    """Where a value lies in a span, from its left end."""
    low, high = span
    return percent((value - low) / (high - low))


def page_links(rows: QueryRows, total: int, linked: Link) -> Markup:
    """Where the page stands in its list, and the way to the others; nothing where it is whole."""
    if rows.pages == 1:
        return Markup()
    near = range(rows.number - _AROUND, rows.number + _AROUND + 1)
    shown = sorted({1, rows.pages, *(n for n in near if 1 <= n <= rows.pages)})
    return _drawn(
        "page_links",
        place=f"{w.count(rows.start + 1)}{w.DASH}{w.count(rows.start + len(rows.frame))}"
        f" of {w.count(total)}",
        numbers=[(n, n == 1 or n - 1 in shown, linked(str(n))) for n in shown],
        here=rows.number,
        previous=linked(str(rows.number - 1)) if rows.number > 1 else None,
        following=linked(str(rows.number + 1)) if rows.number < rows.pages else None,
    )


def filters(where: Sequence[tuple[str, str]], without: Link) -> Markup:
    """The filters of the view, a chip for each column, which takes its filter back."""
    columns = dict.fromkeys(column for column, _ in where)
    if not columns:
        return Markup()
    chips = []
    for column in columns:
        values = [value for name, value in where if name == column]
        named = [shorten(value) for value in values[:_VALUES]]
        more = len(values) - _VALUES
        said = w.listing([*named, *([f"{more} more"] if more > 0 else [])], "or")
        chips.append((column, said, ", ".join(values), without(column)))
    return _drawn("filters", chips=chips)


def strip_said(paired: int, most: int, mean: float) -> Markup:
    """What the strip of differences shows and what it takes; that it thins out where queries are
    more than `most`."""
    return _drawn("strip_said", paired=paired, most=most, mean=mean)


def colour_key(measure: str, low: float, high: float, *, empty: bool) -> Markup:
    """What the colours of the heatmap stand for, with their ends; `empty` where a frame is one."""
    return _drawn("colour_key", measure=measure, low=low, high=high, empty=empty)


def listed(kept: int, total: int, taken: Sequence[Markup], rule: str = "") -> Markup:
    """How many of the queries a list holds, by which rule, and what narrows it; only read aloud
    where it is all of them and nothing does."""
    narrowing = [part for part in taken if part]
    return _drawn("listed", kept=kept, total=total, taken=narrowing, rule=rule)


def beside_heatmap(
    failed: pd.DataFrame, ahead: pd.DataFrame, failing: int, drawing: Drawing, href: Href
) -> Markup:
    """Queries on which every shown run fails, and those on which the run in focus leads all others
    most; nothing where there are none. Both have query_id, text, meta, `ahead` a difference."""
    lists = []
    if len(failed):
        more = (f"all {w.count(failing)}", href("queries", show="none", view="", p=""))
        zero = failed.assign(amount=w.score(0.0))
        runs = drawing.comparison.every_run
        lists.append(overview.amount_list(f"{w.sentence_case(runs)} fails", zero, href, more=more))
    if len(ahead):
        told = ahead.assign(amount=ahead["difference"].map(w.difference))
        title, which = f"{drawing.focus} is ahead of all others", "difference to the next best"
        lists.append(overview.amount_list(title, told, href, which=which))
    return overview.side_by_side(*lists) if lists else Markup()
