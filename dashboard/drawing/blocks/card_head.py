"""Headings of the cards beside the lists of a query. On a phone, a heading folds its card."""

from __future__ import annotations

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template

_render = Template("card_head")


def draw_card_heading(title: str) -> Markup:
    """Draw a card's heading; on a phone, a tap on it opens the card. Text that changes while the
    card is used belongs in `draw_summary`, because redrawing the heading closes the card."""
    return _render("head", title=title)


def draw_summary(text: str = "") -> Markup:
    """Draw the summary of a card in a few words, at the end of its heading."""
    return _render("note", text=text)


def draw_shortcut_key(letter: str) -> Markup:
    """Draw, at the end of a card's heading, the keyboard key that opens the card."""
    return _render("key", letter=letter)


def draw_card_remark(text: str) -> Markup:
    """Draw a muted line in a card."""
    return _render("remark", text=text)
