"""The strip "How firm is that?", and the tables of its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.drawing.blocks.markup import Href, section
from dashboard.drawing.blocks.templates import Template
from metrics_core.findings.firmness import Firmness

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


def strip(firmness: Firmness, href: Href, current: str = "") -> Markup:
    """Each way in which the verdict could turn, side by side: title, word, reason. `href` gives
    where they lead; `current` is the part whose evidence is on the page. Nothing where nothing is
    compared."""
    if not firmness.entries:
        return section(TITLE, firmness.text) if firmness.text else Markup()
    head = Markup() if current else section(TITLE, firmness.text)
    return _drawn("strip", head=head, entries=firmness.entries, href=href, current=current)


def waiting() -> Markup:
    """The strip's room while it is worked out, so that nothing below it moves."""
    return _drawn("waiting", head=section(TITLE, "Being worked out."))


def table(heads: Sequence[Head], rows: Sequence[Sequence[Cell]], label: str) -> Markup:
    """A table of evidence; `label` says what it holds to those who do not see it."""
    kinds = [("number" if head.number else "", head.text) for head in heads]
    return _drawn("table", heads=heads, kinds=kinds, rows=rows, label=label)
