"""Values that were decoded from JSON which anybody may have written: held to what the readers of
files let pass, because a check sum says that a record is whole and not who wrote it."""

from __future__ import annotations

import math
from collections.abc import Collection

_LARGEST = 1 << 53
"""Beyond it float64 does not hold every whole number."""

_DEEPEST = 20


def check_values(decoded: object) -> None:
    """Raise ValueError for what no reader lets pass: half a character (a lone surrogate), a number
    that is not finite or that float64 does not hold, and lists within lists without end."""
    level: list[object] = [decoded]
    for _ in range(_DEEPEST):
        level = [inner for value in level for inner in _check_value(value)]
        if not level:
            return
    raise ValueError(f"values are nested more than {_DEEPEST} deep")


def _check_value(value: object) -> Collection[object]:
    """Check a value by itself; the values inside of it."""
    if isinstance(value, str):
        value.encode()  # UnicodeEncodeError is a ValueError
    elif isinstance(value, int) and abs(value) > _LARGEST:
        raise ValueError("a whole number is too large")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is not finite")
    elif isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list | tuple) else ()
