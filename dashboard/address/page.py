"""Declare a page: its name, its position, its requirements, and its address fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dashboard.address.address import Field

FEWEST_VERSIONS = 2
FEWEST_OF_PAIRS = 3
"""Minimum number of runs for the pages that compare all pairs. With two runs, these pages would
repeat the Overview."""

Group = Literal["This comparison", "Queries", "All runs", "", "none"]
"""The position of a page in the rail: the heading above it, "" (at the bottom), or "none" (not in
the rail)."""

Bar = Literal["link", "files"]
"""The last item of the top bar: a link to the page itself, or a button to add files."""

Controls = Literal["pair", "runs", ""]
"""Which controls a page uses: all of them ("pair"), all except the choice of the compared runs
("runs"), or none ("")."""


@dataclass(frozen=True)
class Page:
    """Declaration of a page.

    `name` is the name of the page's file and its path in the URL; `title` is shown in the rail, in
    its `group`. If `within` names another page, the rail highlights that page instead. Pressing G
    and then `key` opens the page. A page that `needs_study` is shown once there is a study to view.
    A page is offered in the rail if there are at least `fewest_runs` runs. A page that
    `needs_lists` is not offered if there are only given scores; while a given measure is chosen,
    such a page offers a computed measure instead. A page that `needs_judgments` is not offered for
    runs without judgments. `controls` names the controls that the page uses, `bar` is the last item
    of the top bar, and `fields` are the address fields of this page alone."""

    name: str
    title: str
    group: Group = "none"
    key: str = ""
    within: str = ""
    needs_study: bool = True
    controls: Controls = "pair"
    bar: Bar = "link"
    fields: tuple[Field, ...] = ()
    fewest_runs: int = 1
    needs_lists: bool = False
    needs_judgments: bool = False
