"""Which run is the baseline where neither the address nor the reader says."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NAMED_LIKE_ONE = ("baseline", "bm25", "production", "current")
_WORDS = ("prod", "v1")
_NUMBER = re.compile("[0-9]+")
_BETWEEN_WORDS = re.compile(r"[\W_]+")


def usual_baseline(names: Sequence[str], *, as_before: bool = False) -> str:
    """The run that is named like a baseline, else the first; of runs whose names differ by numbers
    alone the lowest is. `as_before` knows neither that nor "prod" and "v1": the links of older
    collections must not change."""
    for hint in _NAMED_LIKE_ONE:
        for name in names:
            if hint in name.casefold():
                return name
    if as_before:
        return names[0]
    for word in _WORDS:
        for name in names:
            if word in _BETWEEN_WORDS.split(name.casefold()):
                return name
    return min(names, key=natural) if differ_by_numbers(names) else names[0]


def differ_by_numbers(names: Sequence[str]) -> bool:
    """Whether the names are alike but for the numbers and dates in them."""
    return len({_NUMBER.sub("#", name.casefold()) for name in names}) == 1


def natural(name: str) -> list[tuple[int, int, str]]:
    """What sorts v2 before v10."""
    parts = re.split("([0-9]+)", name.casefold())
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part]
