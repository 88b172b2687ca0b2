"""Convert Arrow columns to numpy arrays and back, using their buffers directly.

pyarrow's own conversions import pandas first, which takes longer than joining a million rows with
judgments."""

from __future__ import annotations

from collections.abc import Sequence
from operator import eq
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import AnyArray, Int32s, Ints

_DTYPES = {pa.from_numpy_dtype(np.dtype(code)): np.dtype(code) for code in "?bhiqBHIQefd"}
"""The numpy type of each Arrow type of numbers and booleans. They are listed here because
`to_pandas_dtype` of pyarrow below version 26 imports pandas."""


def as_array(column: pa.Array | pa.ChunkedArray) -> AnyArray:
    """Return a column of numbers or booleans as an array of the same type, [row].

    If values are missing, the array is float64[row] with NaN in their place. The array is read-only
    unless it is a copy."""
    if isinstance(column, pa.ChunkedArray):
        if column.num_chunks == 1:
            return as_array(column.chunk(0))
        parts = [as_array(chunk) for chunk in column.chunks]
        return np.concatenate(parts) if parts else np.empty(0, _numpy_dtype(column.type))
    if column.null_count:
        return _fill_missing(column.cast(pa.float64()), np.nan)
    _, body = column.buffers()
    start, count = column.offset, len(column)
    if pa.types.is_boolean(column.type):
        bits = np.frombuffer(body or b"", dtype=np.uint8)
        return np.unpackbits(bits, bitorder="little")[start : start + count].astype(np.bool_)
    dtype = _numpy_dtype(column.type)
    if body is None:
        return np.empty(0, dtype)
    return np.frombuffer(body, dtype=dtype)[start : start + count]


def _numpy_dtype(kind: pa.DataType) -> np.dtype[Any]:
    return _DTYPES[kind] if kind in _DTYPES else np.dtype(kind.to_pandas_dtype())


def as_column(values: AnyArray) -> pa.Array:
    """Return an array of numbers or booleans, [row], as a column without missing values.

    Contiguous numbers are not copied."""
    if values.dtype == np.bool_:
        body, kind = np.packbits(values, bitorder="little"), pa.bool_()
    else:
        body, kind = np.ascontiguousarray(values), pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(body)])


def as_text_column(texts: Sequence[str]) -> pa.StringArray:
    """Return strings as a column, string[n]."""
    # Encoding all at once, separated by zeros, takes a fifth of the time.
    try:
        octets = np.frombuffer("\0".join(texts).encode(), dtype=np.uint8)
    except UnicodeEncodeError:  # raised again with the position in its own text
        return _encode_one_by_one(texts)
    zeros = np.flatnonzero(octets == 0)
    if len(zeros) != len(texts) - 1:
        return _encode_one_by_one(texts)
    edges = np.zeros(len(texts) + 1, dtype=np.int32)
    edges[1:-1] = zeros - np.arange(len(zeros))
    edges[-1] = len(octets) - len(zeros)
    body = octets[octets != 0]
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(edges), pa.py_buffer(body))


def _encode_one_by_one(texts: Sequence[str]) -> pa.StringArray:
    """Encode strings one by one. This also works for an empty list and for strings with NUL
    bytes."""
    encoded = [text.encode() for text in texts]
    edges = np.zeros(len(encoded) + 1, dtype=np.int32)
    np.cumsum([len(text) for text in encoded], out=edges[1:])
    return pa.StringArray.from_buffers(
        len(encoded), pa.py_buffer(edges), pa.py_buffer(b"".join(encoded))
    )


def find_indexes(texts: Sequence[str], lookup_texts: Sequence[str]) -> Ints:
    """Return the index in `lookup_texts` of each string, int64[string]; -1 if `lookup_texts` lacks
    the string.

    The strings in `lookup_texts` must be distinct."""
    # Most often runs have the same queries in the same order.
    if len(texts) == len(lookup_texts) and all(map(eq, texts, lookup_texts)):
        return np.arange(len(texts))
    indexes = pc.index_in(as_text_column(texts), value_set=as_text_column(lookup_texts))
    return _fill_missing(indexes, -1).astype(np.int64)


def match_codes(codes: Ints, lookup_codes: Ints) -> tuple[Ints, Ints]:
    """Return the positions in `codes`, int64[n], whose number occurs in `lookup_codes`, int64[m],
    and for each of them the position of the number there, int64[match] each."""
    order = np.argsort(lookup_codes)
    if not len(order):
        return order, order
    position = np.searchsorted(lookup_codes[order], codes)
    candidates = order[np.minimum(position, len(order) - 1)]
    matches = np.flatnonzero(lookup_codes[candidates] == codes)
    return matches, candidates[matches]


def _fill_missing(column: pa.Array, fill_value: float) -> AnyArray:
    """Return the values of a column of numbers, with `fill_value` in place of missing values."""
    _, body = column.buffers()
    all_values = pa.Array.from_buffers(column.type, len(column), [None, body], offset=column.offset)
    return np.where(as_array(column.is_null()), fill_value, as_array(all_values))


def block_starts(codes: Ints | Int32s) -> Ints:
    """Return the first row of each block of equal codes, int64[block]. `codes` int[row] are not
    negative."""
    return np.flatnonzero(np.diff(codes, prepend=-1))


def group_rows(codes: Ints | Int32s) -> list[Ints]:
    """Return the rows of each code, int64[row of the code], sorted by code. `codes` int[row] are
    not negative."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, block_starts(codes[order])[1:]) if len(codes) else []


def example_queries(query_ids: Sequence[Any], codes: AnyArray) -> tuple[str, ...]:
    """Return the first three of these queries as examples of a note. `codes` int[n] are their
    indexes in `query_ids`."""
    return tuple(f"query {query_ids[int(code)]}" for code in codes[:3])


def is_coded(column: pa.Array | pa.ChunkedArray) -> bool:
    """Return whether a column is dictionary-encoded."""
    return pa.types.is_dictionary(column.type)


def is_text_type(kind: pa.DataType) -> bool:
    """Return whether values of this type are strings."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def is_list_type(kind: pa.DataType) -> bool:
    """Return whether values of this type are lists."""
    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(is_kind(kind) for is_kind in kinds)
