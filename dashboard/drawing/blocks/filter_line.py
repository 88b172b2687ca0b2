"""Blocks below the filter line: an error with its position, and the available columns."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.figures.text import shorten
from metrics_core.base.errors import FilterLineError

_AROUND = 60
"""Maximum number of characters of a filter line that are shown on each side of an error."""

_render = Template("filter_line")


def draw_line_error(error: FilterLineError) -> Markup:
    """Draw the filter line with the position of its error, and the reason for the error."""
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


def draw_filter_help(names: Sequence[str], example: str) -> Markup:
    """Draw a list of the columns and the conditions that a filter line can contain. The list is
    hidden until the user opens it."""
    return _render("can_name", names=list(names), example=example)


def draw_search_chip(search_text: str, link: str) -> Markup:
    """Draw the search text that is used in addition to a filter line, with a link that clears
    it."""
    return _render("searched", words=shorten(search_text), whole=search_text, link=link)


def draw_selection_chip(count: int, is_known: bool, link: str) -> Markup:
    """Draw a chip with the number of queries that were selected in a chart, and a link that clears
    the selection. If the selection is unknown because it was made in another session, the chip says
    so."""
    return _render("chosen", picked=count, known=is_known, link=link)
