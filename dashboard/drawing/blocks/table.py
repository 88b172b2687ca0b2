"""The one table of all pages: what a column's head says, and in which order it puts the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dashboard.drawing.theme import RunStyle


class Column(NamedTuple):
    """A column of a table: its name and the class of its head. `link` sorts by it, `sorted` is what
    ARIA calls the order. The lines `about` it are below the name, `hint` is seen on hover; a run
    has the mark of its `style`. `width` is in px."""

    name: str
    kind: str = ""
    link: str = ""
    sorted: str = ""
    about: Sequence[str] = ()
    hint: str = ""
    style: RunStyle | None = None
    width: int = 0


def sort_order(order: str, key: str) -> str:
    """Return what ARIA calls the order of a column, "" for one by which the rows are not sorted."""
    if order.removeprefix("-") != key:
        return ""
    return "descending" if order.startswith("-") else "ascending"
