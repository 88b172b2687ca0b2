"""The parts of the Collections page."""

from __future__ import annotations

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template

_drawn = Template("collections")


def row(name: str, link: str, told: str, *, is_open: bool) -> Markup:
    """One collection: its name, which opens it, and what it holds."""
    return _drawn("row", name=name, link=link, told=told, is_open=is_open)
