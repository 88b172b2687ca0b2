"""Headings of the cards beside the lists of a query. On a phone, a tap on a heading opens or closes
its card."""

from __future__ import annotations

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template

_render = Template("card_head")


def draw_card_heading(title: str) -> Markup:
    """Draw a card's heading. On a phone, a tap on it opens the card. Use `draw_summary` for text
    that changes while the card is used, because a card is closed when its heading is redrawn."""
    return _render("head", title=title)


def draw_summary(text: str = "") -> Markup:
    """Draw a summary of a card in a few words, at the end of its heading."""
    return _render("note", text=text)


def draw_shortcut_key(letter: str) -> Markup:
    """Draw the keyboard key that opens a card, at the end of the card's heading."""
    return _render("key", letter=letter)


def draw_card_remark(text: str) -> Markup:
    """Draw a line of grey text in a card."""
    return _render("remark", text=text)
