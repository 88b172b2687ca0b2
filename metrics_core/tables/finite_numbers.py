"""Convert scores and grades of Python programs to arrays of finite numbers.

A value that is not a number (a word, a list, None, a date, an integer beyond double precision) is
refused with its query, document and value. numpy would raise a different error or convert the value
to something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from numbers import Integral, Real
from typing import Any

import numpy as np
import pyarrow as pa

from metrics_core.base.arrays import AnyArray
from metrics_core.base.errors import RowProblem
from metrics_core.base.wording import shorten_value
from metrics_core.tables.arrays import as_array
from metrics_core.tables.columns import raise_row_problems

NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
"""Pattern of a plain decimal number. Other spellings that Python accepts, such as `1_000`, do not
match."""

_NUMBER = re.compile(NUMBER, re.ASCII)
_HINT = "Give each document one finite number, or remove the document."


def is_number(text: str) -> bool:
    """Return whether a string is a plain decimal number."""
    return bool(_NUMBER.match(text))


def to_finite_numbers(values: Any, noun: str, describe_pair: Callable[[int], str]) -> AnyArray:
    """Convert the scores or grades of all rows to finite numbers: int64[row], or float64[row] if
    not all of them fit int64.

    Raises TableError for rows without a finite number. `noun` is "score" or "grade", and
    `describe_pair` is a function that describes a row's query and document."""
    numbers, value_texts = _read_numbers(values)
    wrong_rows = np.flatnonzero(~np.isfinite(numbers))
    raise_row_problems(
        f"A {noun} must be a finite number.",
        wrong_rows,
        lambda row: RowProblem(
            row,
            f"{value_texts.get(row, numbers[row])} for {describe_pair(row)}",
            f"a finite {noun}",
        ),
        hint=_HINT,
    )
    return numbers


def to_finite_number(value: Any) -> float | None:
    """Return a value as a number: int if it is whole, otherwise float. Returns None if the value is
    not a finite double."""
    if isinstance(value, np.bool_):
        return int(value)
    if isinstance(value, str):
        value = _to_decimal(value) if is_number(value) else None
    # numpy's timedelta64 counts as an integer.
    if not isinstance(value, (Real, Decimal)) or isinstance(value, np.timedelta64):
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    if not np.isfinite(number):
        return None
    if isinstance(value, Integral) or (isinstance(value, Decimal) and not _has_fraction(value)):
        return int(value)
    return number


def _to_decimal(text: str) -> Decimal | float:
    """Convert a string to a decimal number, or to a float if its exponent is out of Decimal's
    range."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return float(text)


def _has_fraction(value: Decimal) -> bool:
    """Return whether a number is written with a decimal point or an exponent, such as 1.0 or
    1E5."""
    return value.as_tuple().exponent != 0


def _read_numbers(values: Any) -> tuple[AnyArray, dict[int, str]]:
    """Return the numbers, int64[row] or float64[row], and a dictionary from row to invalid value,
    as a string.

    An invalid value is NaN in the array; the string is used in messages."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        plain = pa.types.is_floating(values.type) or pa.types.is_integer(values.type)
        values = as_array(values) if plain else values.to_pylist()
    elif hasattr(values, "dtype"):
        values = np.asarray(values)
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "bif":
        with np.errstate(over="ignore"):
            kind = np.float64 if values.dtype.kind == "f" else np.int64
            return values.astype(kind, copy=False), {}
    items = values if isinstance(values, list) else list(values)
    plain = _convert_plain_numbers(items)
    if plain is not None:
        return plain, {}
    numbers = [to_finite_number(value) for value in items]
    value_texts = {
        row: shorten_value(items[row]) for row, number in enumerate(numbers) if number is None
    }
    return _build_array(numbers), value_texts


def _convert_plain_numbers(values: list[Any]) -> AnyArray | None:
    """Convert numbers of built-in types all at once, int64[row] or float64[row].

    Returns None for values that must be converted one by one: other types, integers beyond 64 bits,
    or non-finite numbers among integers."""
    kinds = set(map(type, values))
    if not kinds or not kinds <= {float, int, bool}:
        return None
    try:
        if float not in kinds:
            return np.fromiter(values, np.int64, len(values))
        numbers = np.fromiter(values, np.float64, len(values))
    except OverflowError:
        return None
    return numbers if kinds == {float} or np.isfinite(numbers).all() else None


def _build_array(numbers: list[float | None]) -> AnyArray:
    if all(isinstance(number, int) for number in numbers):
        try:
            return np.array(numbers, dtype=np.int64)
        except OverflowError:
            pass
    return np.array([np.nan if number is None else number for number in numbers], dtype=np.float64)
