"""Nouns for the groups of a column in sentences."""

from __future__ import annotations

from typing import NamedTuple


class GroupNoun(NamedTuple):
    """Singular and plural of the word for a group."""

    singular: str = "group"
    plural: str = "groups"
