"""Header cells of tables on all pages, and the sort order that the cells show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from dashboard.drawing.theme import RunStyle


class Column(NamedTuple):
    """The header cell of a table column.

    `name` is the name of the column, and `kind` is the CSS class of the cell. `link` sorts the
    table by the column; `sorted` is the present order of the column for ARIA. The lines of `about`
    are below the name, and `hint` is shown on hover. If the column belongs to a run, `style` is the
    style of this run's symbol. `width` is in px. `mark` is a word that is drawn in a frame. `menu`
    is drawn after the name."""

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


def aria_sort(order: str, key: str) -> str:
    """Return the ARIA value for the sort order of a column. Returns "" if the rows are not sorted
    by this column."""
    if order.removeprefix("-") != key:
        return ""
    return "descending" if order.startswith("-") else "ascending"
