"""A page's declaration: its name, what it needs, its own address fields."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.address.address import Field

FEWEST_VERSIONS = 2
FEWEST_OF_PAIRS = 3
"""Of two runs the Overview says all."""


@dataclass(frozen=True)
class Page:
    """`name` is the page's file and its address, `title` stands in the menu. A page that
    `needs_study` is shown once judgments and a run are there; the menu offers it from `fewest_runs`
    on, if it stands `in_menu` at all. `fields` are its own parameters of the address."""

    name: str
    title: str
    needs_study: bool = True
    fields: tuple[Field, ...] = ()
    fewest_runs: int = 1
    in_menu: bool = True
