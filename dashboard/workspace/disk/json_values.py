"""Checks of values decoded from JSON that anybody may have written.

Only values that file readers accept are valid. A checksum is not enough, because it shows only that
a record is complete, not who wrote it."""

from __future__ import annotations

import math
from collections.abc import Collection

_LARGEST = 1 << 53
"""Largest integer up to which float64 represents every integer exactly."""

_DEEPEST = 20


def check_values(decoded: object) -> None:
    """Check decoded values. Raises ValueError for values that no file reader accepts: a lone
    surrogate, a number that is not finite or that float64 cannot represent, or lists that are
    nested too deeply."""
    level: list[object] = [decoded]
    for _ in range(_DEEPEST):
        level = [inner for value in level for inner in _check_and_list_children(value)]
        if not level:
            return
    raise ValueError(f"values are nested more than {_DEEPEST} levels deep")


def _check_and_list_children(value: object) -> Collection[object]:
    """Check a single value, and return the values that it contains."""
    if isinstance(value, str):
        value.encode()  # UnicodeEncodeError is a ValueError
    elif isinstance(value, int) and abs(value) > _LARGEST:
        raise ValueError("a whole number is too large")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is not finite")
    elif isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list | tuple) else ()
