"""The checks of a verdict in one row, the strip above their evidence, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.drawing.blocks.markup import Href
from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w
from metrics_core.findings.firmness import Firmness

_drawn = Template("firmness")

TITLE = "Can you rely on it?"
_SETTLING = "What would settle it?"


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


def strip(firmness: Firmness, href: Href, current: str) -> Markup:
    """Each way in which the verdict could turn, side by side: title, word, reason. `href` gives
    where they lead; `current` is the part whose evidence is on the page."""
    return _drawn("strip", entries=firmness.entries, href=href, current=current)


_MARKS = {"firm": ("✓", "holds"), "not firm": ("!", "does not hold"), "": ("!", "open")}
_OPEN = ("–", "")


@dataclass(frozen=True)
class _Check:
    """A check as it is drawn: a mark, how it is coloured and what it says to those who do not see
    it, the name, the short answer and where its evidence is."""

    mark: str
    tone: str
    spoken: str
    title: str
    brief: str
    link: str


def checks(firmness: Firmness, href: Href) -> Markup:
    """Can the verdict be relied on, in one row: a mark, a name and a short answer for each check;
    where nobody is clearly ahead, what would settle it. Nothing where there is no verdict."""
    if not firmness.checks:
        return Markup()
    unclear, known = bool(firmness.settling), {entry.part for entry in firmness.entries}
    drawn = []
    for check in firmness.checks:
        plain = unclear and not check.tone
        mark, spoken = _OPEN if plain else _MARKS[check.tone]
        tone = "" if plain else "firm" if check.tone == "firm" else "doubt"
        link = href("firm", part=check.part if check.part in known else "")
        drawn.append(_Check(mark, tone, spoken, check.title, check.brief, link))
    n = len(drawn)
    told = f"{firmness.holding} of {n} {w.plural(n, 'check holds', 'checks hold')}"
    return _drawn(
        "checks",
        title=_SETTLING if unclear else TITLE,
        told="nothing to rely on yet" if unclear else told,
        checks=drawn,
    )


def waiting(*, unclear: bool) -> Markup:
    """Their room while they are worked out, so that nothing below it moves."""
    title = _SETTLING if unclear else TITLE
    return _drawn("checks", title=title, told="being worked out", checks=[])


def table(heads: Sequence[Head], rows: Sequence[Sequence[Cell]], label: str) -> Markup:
    """A table of evidence; `label` says what it holds to those who do not see it."""
    kinds = [("number" if head.number else "", head.text) for head in heads]
    return _drawn("table", heads=heads, kinds=kinds, rows=rows, label=label)
