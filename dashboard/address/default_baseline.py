"""The default baseline of a page. Commands and Python functions take the first run. A page guesses
the baseline from the names of the runs, and says so."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SYSTEMS = ("bm25", "popularity", "random")
"""Words that identify a baseline only at the beginning of a run's name. Elsewhere in a name they
may name a component: dense-bm25-hybrid is not bm25."""
_HINTS = ("baseline", "bm25", "production", "current", "prod", "v1", "popularity", "random")
_BEFORE = ("baseline", "bm25", "production", "current")
_NUMBER = re.compile("[0-9]+")
_BETWEEN_WORDS = re.compile(r"[\W_]+")


def default_baseline(names: Sequence[str], *, use_earlier_rule: bool = False) -> str:
    """Return the run whose name contains a word that identifies a baseline. If there is no such
    run, return the first run.

    If several names contain the same word, the name with the fewest words is taken. If no name
    contains such a word and the names differ only by numbers, the run with the lowest number is
    taken. If `use_earlier_rule` is true, the rule of earlier versions is used instead, so that
    links of older collections do not change. The earlier rule searches the names for a few words,
    even inside longer words."""
    if use_earlier_rule:
        matching = [name for hint in _BEFORE for name in names if hint in name.casefold()]
        return matching[0] if matching else names[0]
    words = {n: list(filter(None, _BETWEEN_WORDS.split(n.casefold()))) for n in names}
    for hint in _HINTS:
        looked_at = 1 if hint in _SYSTEMS else None
        matching_names = [name for name in names if hint in words[name][:looked_at]]
        if matching_names:
            return min(matching_names, key=lambda name: len(words[name]))
    return min(names, key=natural_sort_key) if differ_only_by_numbers(names) else names[0]


def differ_only_by_numbers(names: Sequence[str]) -> bool:
    """Return whether the names differ only by their numbers and dates."""
    return len({_NUMBER.sub("#", name.casefold()) for name in names}) == 1


def natural_sort_key(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key that puts v2 before v10. Numbers are compared by their digits, because a
    name may have more digits than Python parses."""
    parts = re.split("([0-9]+)", name.casefold())
    return [_number_key(part) if part.isdecimal() else (1, 0, part) for part in parts if part]


def _number_key(part: str) -> tuple[int, int, str]:
    digits = part.lstrip("0")
    return 0, len(digits), digits
