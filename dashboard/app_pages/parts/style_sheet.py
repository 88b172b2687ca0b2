"""The styles of the app as one text: the variables of the colour palette, and the style sheets of
all pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dashboard.drawing.theme import css_variables

_SHEETS = ("app_pages/frame.css", "drawing/style.css")


@cache
def style_sheet() -> str:
    """Return the variables of the colour palette, followed by the style sheets of all pages."""
    folder = Path(__file__).parents[2]
    return css_variables() + "".join((folder / name).read_text("utf-8") for name in _SHEETS)
