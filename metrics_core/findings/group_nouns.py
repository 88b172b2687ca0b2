"""What sentences call the groups of a column."""

from __future__ import annotations

from typing import NamedTuple


class Noun(NamedTuple):
    """What one group of a column is called, and several."""

    one: str = "group"
    many: str = "groups"
