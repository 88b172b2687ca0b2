"""Read the metadata of a Parquet file, which are structs in Thrift's compact protocol, by the same
rules as Arrow.

Arrow uses a field only if it has the expected type, and ignores the declared element type of a
list. So fields are looked up by number and type. Lists with an unexpected element type are refused,
and so is everything that could be interpreted in two ways. Arrow's own reader may crash on a
damaged footer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

BOOL, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 3, 4, 5, 6, 7, 8, 9, 10, 12

Fields = Mapping[tuple[int, int], Any]
"""The fields of a struct: a dictionary from (number, type) to value."""

_MAX_DEPTH = 8
_LARGEST_NUMBER = (1 << 15) - 1
_ELEMENTS = {
    (2,): STRUCT,
    (4,): STRUCT,
    (5,): STRUCT,
    (7,): STRUCT,
    (4, 1): STRUCT,
    (4, 4): STRUCT,
    (4, 1, 3, 2): I32,
    (4, 1, 3, 3): BINARY,
    (4, 1, 3, 8): STRUCT,
    (4, 1, 3, 13): STRUCT,
    (4, 1, 3, 16, 2): I64,
    (4, 1, 3, 16, 3): I64,
    (4, 1, 3, 17, 2): I32,
}
"""Element types of the lists in a footer. Each key has the numbers of the fields that lead to the
list."""


def read_struct(data: bytes, position: int, path: tuple[int, ...] = ()) -> tuple[Fields, int]:
    """Return the fields of a struct, without strings, and the position after the struct.

    `path` has the numbers of the fields that lead to the struct. Raises ArrowInvalid for a
    malformed struct, and IndexError if the data end before the struct does."""
    if len(path) > _MAX_DEPTH:
        raise pa.ArrowInvalid("a struct with too many fields")
    fields: dict[tuple[int, int], Any] = {}
    number = 0
    while kind := data[position]:
        step, kind, position = kind >> 4, kind & 15, position + 1
        if step:
            number += step
        else:
            number, position = read_zigzag(data, position)
        value, position = _read_value(data, position, kind, (*path, number))
        key = (number, BOOL if kind == BOOL + 1 else kind)
        if key in fields or not 0 < number <= _LARGEST_NUMBER:
            raise pa.ArrowInvalid("a repeated field")
        fields[key] = value
    return fields, position + 1


def _read_value(data: bytes, position: int, kind: int, path: tuple[int, ...]) -> tuple[Any, int]:
    if kind in (BOOL, BOOL + 1):
        return kind == BOOL, position
    if kind in (I32, I64, I16):
        value, position = read_zigzag(data, position)
        if kind != I64 and not -(1 << 31) <= value < 1 << 31:
            raise pa.ArrowInvalid("a number with too many bits")
        return value, position
    if kind == BINARY:
        size, position = read_varint(data, position)
        return None, position + size
    if kind == STRUCT:
        return read_struct(data, position, path)
    if kind in (LIST, SET):
        return _read_elements(data, position, path)
    if kind in (BYTE, DOUBLE):
        return None, position + (1 if kind == BYTE else 8)
    raise pa.ArrowInvalid("a field of the wrong type")


def _read_elements(data: bytes, position: int, path: tuple[int, ...]) -> tuple[list[Any], int]:
    count, kind = data[position] >> 4, data[position] & 15
    position += 1
    if count == 15:
        count, position = read_varint(data, position)
    if count and kind != _ELEMENTS.get(path, kind):
        raise pa.ArrowInvalid("a list with elements of the wrong type")
    values: list[Any] = []
    for _ in range(count):
        # In a list, a boolean is a byte of its own, not part of the type.
        value, position = (
            (None, position + 1)
            if kind in (BOOL, BOOL + 1)
            else _read_value(data, position, kind, path)
        )
        if position > len(data):
            raise IndexError
        values.append(value)
    return values, position


def read_varint(data: bytes, position: int) -> tuple[int, int]:
    """Return an unsigned integer stored in groups of seven bits, lowest first, and the position
    after it."""
    number = shift = 0
    while True:
        byte = data[position]
        position += 1
        number |= (byte & 127) << shift
        if number >> 64:
            raise pa.ArrowInvalid("a number with too many bits")
        if byte < 128:
            return number, position
        shift += 7


def read_zigzag(data: bytes, position: int) -> tuple[int, int]:
    """Return a signed integer and the position after it."""
    number, position = read_varint(data, position)
    return number >> 1 ^ -(number & 1), position
