"""The strip "How firm is that?", and the tables of its evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.drawing.blocks.markup import Href, section, style_of
from dashboard.drawing.blocks.templates import Template, percent
from dashboard.drawing.drawing import Drawing
from metrics_core.findings.firmness import Firmness, WayToTurn

_drawn = Template("firmness")

TITLE = "How firm is that?"


@dataclass(frozen=True)
class Head:
    """A column's head; numbers stand at the right."""

    text: str
    number: bool = False


@dataclass(frozen=True)
class Cell:
    """What stands in a cell: a text that may lead on, with a smaller one below it."""

    text: str
    link: str = ""
    small: str = ""


@dataclass(frozen=True)
class Span:
    """Where a difference lies, from `low` to `high`, both NaN where nobody knows; and what that
    is."""

    name: str
    note: str
    low: float
    high: float


def strip(firmness: Firmness, href: Href) -> Markup:
    """Each way in which the verdict could turn, side by side: title, word, reason. `href` gives
    where they lead. Nothing where nothing is compared."""
    if not firmness.entries:
        return section(TITLE, firmness.text) if firmness.text else Markup()
    head = section(TITLE, firmness.text)
    return _drawn("strip", head=head, entries=firmness.entries, href=href)


def waiting() -> Markup:
    """The strip's room while it is worked out, so that nothing below it moves."""
    return _drawn("waiting", head=section(TITLE, "Being worked out."))


def check(entry: WayToTurn, link: str, *, is_open: bool) -> Markup:
    """A check in a row: whether it holds, its name, the answer in a word, and why; it opens on its
    evidence."""
    return _drawn("check", entry=entry, link=link, is_open=is_open)


def spans(rows: Sequence[Span], drawing: Drawing, label: str) -> Markup:
    """Where a difference lies or could lie, on one axis with the zero line."""
    ends = [end for row in rows for end in (row.low, row.high) if not math.isnan(end)]
    low, high = min(0.0, *ends), max(0.0, *ends)
    room = (high - low) * 0.04 or 1.0

    def at(value: float) -> str:
        return percent((value - low + room) / (high - low + 2 * room))

    drawn = [(row, at(row.low), at(row.high)) for row in rows]
    style = style_of(drawing.styles, drawing.focus)
    named = (drawing.baseline, at(0.0))
    return _drawn("spans", rows=drawn, zero=named, style=style, label=label)


def table(heads: Sequence[Head], rows: Sequence[Sequence[Cell]], label: str) -> Markup:
    """A table of evidence; `label` says what it holds to those who do not see it."""
    kinds = [("number" if head.number else "", head.text) for head in heads]
    return _drawn("table", heads=heads, kinds=kinds, rows=rows, label=label)
