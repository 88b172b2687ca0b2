"""What sentences call the groups of a column."""

from __future__ import annotations

from typing import NamedTuple


class GroupNoun(NamedTuple):
    """What one group of a column is called, and several."""

    singular: str = "group"
    plural: str = "groups"
