"""Strict JSON: parsed without guessing, and hashed independently of the file's layout."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from metrics_core.base.wording import shorten_value

HEX = 12
"""Number of hexadecimal digits of a hash."""
_MOST_DIGITS = 20


def parse_json(body: bytes) -> Any:
    """Parse the JSON values of a UTF-8 file.

    Raises ValueError for invalid JSON, for a duplicate key (such as one left by a merge that kept
    both sides), for values that are nested too deeply, and for numbers that are not finite."""
    try:
        return json.loads(
            body.decode("utf-8-sig"),
            object_pairs_hook=_refuse_repeated_keys,
            parse_int=_parse_whole_number,
            parse_float=_parse_finite_number,
            parse_constant=_parse_finite_number,
        )
    except RecursionError as error:
        raise ValueError("values that are nested too deeply") from error


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise ValueError(f"{shorten_value(key)} twice")
        values[key] = value
    return values


def _parse_whole_number(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(text):,} digits")
    return int(text)


def _parse_finite_number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{shorten_value(text)}, which is not a finite number")
    return value


def hash_values(values: Mapping[str, Any], *, errors: str = "strict") -> str:
    """Return the beginning of a hash of values. It does not depend on the file's layout or the
    order of keys.

    Raises ValueError for text that cannot be encoded, unless `errors` is "surrogatepass"."""
    plain = json.dumps(_normalise_numbers(values), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(plain.encode(errors=errors)).hexdigest()[:HEX]


def _normalise_numbers(value: Any) -> Any:
    """Convert each number in nested values to the form that this module writes, such as 1 for
    1.0."""
    if isinstance(value, dict):
        return {key: _normalise_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_normalise_numbers(item) for item in value]
    return shorten_number(value) if isinstance(value, float) else value


def shorten_number(value: float) -> float | int | None:
    """Return a number in its JSON form: an integer if it has no fraction, None if it is not
    finite."""
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
