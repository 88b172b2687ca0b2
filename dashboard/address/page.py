"""A page's declaration: its name, where it stands, what it needs, its own address fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dashboard.address.address import Field

FEWEST_VERSIONS = 2
FEWEST_OF_PAIRS = 3
"""Of two runs the Overview says all."""

Group = Literal["This comparison", "Queries", "All runs", "", "none"]
"""Where a page stands in the rail: below a heading, at the foot (""), or not in it."""

Bar = Literal["link", "files"]
"""What stands at the end of the bar: the way to the page's address, or to more files."""

Controls = Literal["pair", "runs", ""]
"""Which controls change something on a page: all of them, those that do not say who is compared
with whom, or none."""


@dataclass(frozen=True)
class Page:
    """`name` is the page's file and its address, `title` stands in the rail, in a `group`; `within`
    names the page that is marked there in its place. With G, the `key` opens it. A page that
    `needs_study` is shown once judgments and a run are there; the rail offers it from `fewest_runs`
    on. `controls` are those that it has a use for, `bar` is what ends theirs, `fields` its own
    parameters of the address."""

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
