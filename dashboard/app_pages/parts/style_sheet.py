"""The styles of the app: the palette's variables and the style sheets of all pages, as one text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dashboard.drawing.theme import css_variables

_SHEETS = ("app_pages/frame.css", "drawing/style.css")


@cache
def style_sheet() -> str:
    """Return the palette's variables followed by the style sheets of all pages."""
    folder = Path(__file__).parents[2]
    return css_variables() + "".join((folder / name).read_text("utf-8") for name in _SHEETS)
