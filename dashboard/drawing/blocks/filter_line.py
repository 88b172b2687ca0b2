"""Under the filter line: what is wrong in it and where, what it can name."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.figures.text import shorten
from metrics_core.base.errors import FilterLineError

_AROUND = 60
"""Characters of a line that are shown before and after the place where it is wrong."""

_render = Template("filter_line")


def line_error(error: FilterLineError) -> Markup:
    """The line with the place where it is wrong, and why."""
    position = error.position
    end = position + max(
        len(error.found) if error.line[position:].startswith(error.found) else 0, 0
    )
    before, part, after = error.line[:position], error.line[position:end], error.line[end:]
    return _render(
        "wrong",
        before=before if len(before) <= _AROUND else f"…{before[-_AROUND:]}",
        found=part[:_AROUND],
        after=after if len(after) <= _AROUND else f"{after[:_AROUND]}…",
        expected=error.expected,
        said=error.found[:_AROUND],
        hint=error.hint,
    )


def filter_help(names: Sequence[str], example: str) -> Markup:
    """The columns that a filter line can name, folded, with what can be said of them."""
    return _render("can_name", names=list(names), example=example)


def search_chip(words: str, link: str) -> Markup:
    """The words that are searched for beside a filter, and the way to do without."""
    return _render("searched", words=shorten(words), whole=words, link=link)


def selection_chip(count: int, is_known: bool, link: str) -> Markup:
    """How many queries were picked in a chart, and the way back to all; or that the selection was
    made in another visit."""
    return _render("chosen", picked=count, known=is_known, link=link)
