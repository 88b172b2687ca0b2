"""Lines of JSON with a checksum, and checks of values that anybody may have written.

Only values that file readers accept are valid. A checksum is not enough, because it shows only that
a record is complete, not who wrote it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection
from typing import Any

_LARGEST = 1 << 53
"""Largest integer up to which float64 represents every integer exactly."""

_DEEPEST = 20


def add_checksum(name: str, values: Any) -> bytes:
    """Return values as a line of JSON with their checksum. They are stored under this name."""
    text = json.dumps(values, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    check = hashlib.sha256(text.encode()).hexdigest()
    return f'{{"check":"{check}","{name}":{text}}}\n'.encode()


def read_checked_line(name: str, line: bytes) -> Any:
    """Return the values in a line that `add_checksum` wrote. Raises ValueError if it is damaged."""
    try:
        values = json.loads(line)[name]
        is_intact = line == add_checksum(name, values)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    if not is_intact:
        raise ValueError("its checksum does not match")
    return values


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
