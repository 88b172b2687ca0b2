"""The cards beside the lists of a query: their heads, which fold on a phone."""

from __future__ import annotations

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template

_render = Template("card_head")


def head(title: str) -> Markup:
    """A card's heading; on a phone it opens the card. What changes while the card is used stands in
    `summary`, for a heading that is drawn anew is closed."""
    return _render("head", title=title)


def summary(text: str = "") -> Markup:
    """What a card comes to in a word, at the end of its heading."""
    return _render("told", text=text)


def key(letter: str) -> Markup:
    """The key that leads to a card, at the end of its heading."""
    return _render("key", letter=letter)


def remark(text: str) -> Markup:
    """A muted line of a card."""
    return _render("remark", text=text)
