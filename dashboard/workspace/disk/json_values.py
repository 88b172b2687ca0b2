"""Check values decoded from JSON, which anybody may have written.

Only values that file readers accept are valid: a checksum shows that a record is complete, not who
wrote it.
"""

from __future__ import annotations

import math
from collections.abc import Collection

_LARGEST = 1 << 53
"""Every integer up to this one can be represented as float64."""

_DEEPEST = 20


def check_values(decoded: object) -> None:
    """Raise ValueError for values that no file reader accepts: a lone surrogate, a number that is
    not finite or that float64 cannot represent, or too deeply nested lists."""
    level: list[object] = [decoded]
    for _ in range(_DEEPEST):
        level = [inner for value in level for inner in _check_value(value)]
        if not level:
            return
    raise ValueError(f"values are nested more than {_DEEPEST} deep")


def _check_value(value: object) -> Collection[object]:
    """Check a single value; return the values inside it."""
    if isinstance(value, str):
        value.encode()  # UnicodeEncodeError is a ValueError
    elif isinstance(value, int) and abs(value) > _LARGEST:
        raise ValueError("a whole number is too large")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is not finite")
    elif isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list | tuple) else ()
