"""Page names, and the small texts of the sidebar."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.theme import RunStyle
from metrics_core.base.errors import RanklensError, UnknownMeasureError

PageName = tuple[str, str, bool]
"""Title, link, whether it is the page shown."""

_drawn = Template("navigation")


def page_names(pages: Sequence[PageName]) -> Markup:
    """The menu on top of every page."""
    return _drawn("menu", kind="pages", pages=pages)


def drawer(pages: Sequence[PageName]) -> Markup:
    """The same menu inside the sidebar, shown on narrow screens only."""
    return _drawn("menu", kind="drawer", pages=pages)


def collection(name: str, link: str) -> Markup:
    """Which collection is open, and the way to the others."""
    return _drawn("collection", name=name, link=link)


def explained(name: str, text: str, link: str, more: str = "") -> Markup:
    """The chosen measure in a sentence or two, and the way to all about it; `more` is what matters
    to few, and is folded."""
    return _drawn("explained", name=name, text=text, link=link, more=more)


def refused(
    error: RanklensError, kept: str = "", link: Callable[[str], str] = lambda name: ""
) -> Markup:
    """Why a typed name or value was not taken; the nearest measures are links, `kept` is shown
    instead."""
    near: list[tuple[str, str]] = []
    hint = error.hint
    if isinstance(error, UnknownMeasureError):
        near = [(name, link(name)) for name in error.nearest if link(name)]
        hint = ""
    return _drawn("refused", message=error.message, hint=hint, near=near, kept=kept)


def read_as(text: str) -> Markup:
    """What a typed name was read as."""
    return _drawn("read_as", text=text)


def in_view(text: str, empty: bool) -> Markup:
    """How many queries the filters leave."""
    return _drawn("in_view", text=text, empty=empty)


def pill_colors(key: str, styles: Sequence[RunStyle]) -> Markup:
    """The runs' own colours for the marks in a widget's pills, one for each in their order."""
    return _drawn("pill_colors", key=key, styles=styles)


def steps(previous: str | None, following: str | None, place: str, back: str) -> Markup:
    """← All queries · 1 of 17 that got worse · ← Previous · Next →; a link that is None leads
    nowhere, `back` leads to the list."""
    return _drawn("steps", previous=previous, following=following, place=place, back=back)


def image_menu() -> Markup:
    """A chart's own menu: the picture in two formats."""
    return _drawn("image_menu")
