"""How everything looks: the palette's variables and the style sheets of all pages, as one text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dashboard.drawing.theme import css_variables

_SHEETS = ("app_pages/frame.css", "drawing/style.css")


@cache
def style_sheet() -> str:
    """The palette's variables and the style sheets of all pages, one after the other."""
    folder = Path(__file__).parents[2]
    return css_variables() + "".join((folder / name).read_text("utf-8") for name in _SHEETS)
