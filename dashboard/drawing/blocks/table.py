"""Column heads of the table shared by all pages, and the sort order that they show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from dashboard.drawing.theme import RunStyle


class Column(NamedTuple):
    """A column of a table: its name, and the class of its heading (`kind`). `link` sorts the table
    by the column; `sorted` is its current order for ARIA. The lines of `about` are below the name,
    and `hint` is shown on hover. If the column belongs to a run, the run's mark is drawn in its
    `style`. `width` is in px. The word `mark` is framed. `menu` is drawn after the name."""

    name: str
    kind: str = ""
    link: str = ""
    sorted: str = ""
    about: Sequence[str] = ()
    hint: str = ""
    style: RunStyle | None = None
    width: int = 0
    menu: Markup = Markup()
    mark: str = ""


def sort_order(order: str, key: str) -> str:
    """Return the ARIA value of a column's order; "" if the rows are not sorted by it."""
    if order.removeprefix("-") != key:
        return ""
    return "descending" if order.startswith("-") else "ascending"
