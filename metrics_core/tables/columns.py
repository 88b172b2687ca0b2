"""Columns as Arrow and numpy arrays: convert ids to text, and refuse or drop rows."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import frames as pd
from metrics_core.base.arrays import AnyArray, Bytes, Floats, Ints
from metrics_core.base.errors import MOST_PROBLEMS_SHOWN, RowProblem, TableError
from metrics_core.base.wording import shorten_value
from metrics_core.tables.arrays import as_array, as_column, as_text_column, is_coded

ID = pa.string()
CODED_ID = pa.dictionary(pa.int32(), pa.string())


def encode_ids(ids: pa.ChunkedArray | pa.Array | Sequence[Any]) -> pa.DictionaryArray:
    """Return ids as one dictionary-encoded array, dictionary<int32, string>[row], for columns with
    few distinct values (query ids).

    Whole numbers become text, and missing values become null. Raises TableError for a value that is
    not an id."""
    if not isinstance(ids, (pa.Array, pa.ChunkedArray)):
        ids = to_text_array(ids)
    elif (ids.type.value_type if is_coded(ids) else ids.type) != ID:
        ids = ids.cast(CODED_ID if is_coded(ids) else ID)
    if isinstance(ids, pa.ChunkedArray):
        if not is_coded(ids):
            ids = ids.dictionary_encode()
        elif ids.num_chunks > 1:
            # Chunks of one table share a dictionary; unifying would read it once per chunk.
            first = ids.chunk(0).dictionary
            if not all(chunk.dictionary.equals(first) for chunk in ids.chunks[1:]):
                ids = ids.unify_dictionaries()
        return ids.combine_chunks() if ids.num_chunks != 1 else ids.chunk(0)
    return ids if is_coded(ids) else ids.dictionary_encode()


def encode_texts(values: Sequence[str]) -> pa.DictionaryArray:
    """Encode strings as a dictionary-encoded array, in the same way as `encode_ids`. Each distinct
    string is stored once.

    Use this function for columns with few distinct strings. The strings may be long."""
    codes_by_text: dict[str, int] = {}
    codes = np.fromiter(
        (codes_by_text.setdefault(t, len(codes_by_text)) for t in values), np.int32, len(values)
    )
    return pa.DictionaryArray.from_arrays(as_column(codes), as_text_column(list(codes_by_text)))


def reencode_ids(ids: pa.ChunkedArray | pa.Array | Sequence[Any]) -> pa.DictionaryArray:
    """Return ids encoded with a new dictionary. It contains only the ids that occur, in order of
    first occurrence."""
    encoded = encode_ids(ids)
    if encoded.null_count:  # missing ids are refused later, with their rows
        return encoded
    codes = as_array(encoded.indices)
    used_codes, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(used_codes), dtype=np.int32)
    rank[order] = np.arange(len(used_codes), dtype=np.int32)
    return pa.DictionaryArray.from_arrays(
        as_column(rank[inverse.reshape(-1)]), encoded.dictionary.take(as_column(used_codes[order]))
    )


def to_text_column(values: pa.ChunkedArray | pa.Array | Sequence[Any]) -> pa.ChunkedArray:
    """Return strings as a chunked string column. Whole numbers become strings, and missing values
    become null.

    Raises TableError for a value that is not an id."""
    if isinstance(values, pa.ChunkedArray):
        return values.cast(ID) if values.type != ID else values
    array = values if isinstance(values, pa.Array) else to_text_array(values)
    return pa.chunked_array([array.cast(ID)])


def to_text_array(values: Sequence[Any]) -> pa.Array:
    """Convert Python values to a string array. Whole numbers become text; None and NaN become null.

    Raises TableError, with the row, for any other value."""
    items = values if isinstance(values, list) else list(values)
    kinds = set(map(type, items))
    with suppress(UnicodeEncodeError):  # a lone surrogate, refused below with its row
        if kinds <= {str}:
            return as_text_column(items)
        if kinds <= {str, int} and (digits := _to_strings(items)) is not None:
            return as_text_column(digits)
    id_texts = [to_id_text(value) for value in items]
    wrong_rows = [
        row for row, text in enumerate(id_texts) if text is None and not is_missing(items[row])
    ]
    raise_row_problems(
        "An id must be text or a whole number.",
        np.array(wrong_rows, dtype=np.int64),
        lambda row: RowProblem(
            row,
            shorten_value(items[row]),
            "whole characters" if isinstance(items[row], str) else "a text",
        ),
        hint=WRITE_TEXTS,
    )
    return pa.array(id_texts, ID)


def _to_strings(values: list[Any]) -> list[str] | None:
    """Convert strings and whole numbers to strings. Returns None if a number is too long for Python
    to convert."""
    try:
        return list(map(str, values))
    except ValueError:
        return None


def are_plain_ids(values: list[Any]) -> bool:
    """Return whether all values are of type str, or of type int and short enough for Python to
    convert to text.

    False does not mean that a value is not an id, because values of other types may also be ids."""
    kinds = set(map(type, values))
    return kinds <= {str} or (kinds <= {str, int} and _to_strings(values) is not None)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN or another value that pandas treats as missing."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def refuse_missing_ids(name: str, ids: pa.DictionaryArray | pa.ChunkedArray) -> None:
    """Raise TableError for rows with a missing or empty id."""
    if is_coded(ids):
        ids = encode_ids(ids)
        has_missing = ids.null_count or "" in ids.dictionary.to_pylist()
    else:
        has_missing = ids.null_count or pc.min(pc.binary_length(ids)).as_py() == 0
    if not has_missing:
        return
    is_empty = pc.equal(pc.fill_null(ids.cast(ID), ""), "")
    raise_row_problems(
        f"Every row needs a {name}.",
        np.flatnonzero(as_array(is_empty)),
        lambda row: RowProblem(row, "nothing", f"a {name} in every row"),
    )


def is_printable(ids: pa.ChunkedArray) -> bool:
    """Return whether all ids are printable.

    The result may be False although all ids are printable, because the buffer of a chunk may also
    contain strings that are not ids of the column."""
    for chunk in ids.chunks:
        data = chunk.buffers()[2]
        if data is not None and not are_printable_bytes(np.frombuffer(data, dtype=np.uint8)):
            return False
    return True


def are_printable_bytes(octets: Bytes) -> bool:
    """Return whether all bytes `octets`, uint8[n], are printable ASCII without blanks."""
    return not len(octets) or bool(octets.min() > 0x20 and octets.max() < 0x7F)


def raise_row_problems(
    message: str,
    rows: AnyArray,
    build_problem: Callable[[int], RowProblem],
    hint: str = "",
    suggestion: str = "",
) -> None:
    """Raise TableError for these rows. Does nothing if there are none. `rows` is int64[n]."""
    if len(rows):
        problems = [build_problem(int(row)) for row in rows[:MOST_PROBLEMS_SHOWN]]
        raise TableError(message, problems, count=len(rows), hint=hint, offer=suggestion)


def find_lower_scored_rows(repeated: Ints, first: Ints, scores: Floats) -> Ints:
    """Return the rows to drop, int64[n]: all rows of a repeated pair except the row with its
    highest score.

    `repeated` and `first` are the result of `find_repeated_rows`; `scores` is float64[row]."""
    groups = pd.DataFrame(
        {
            "row": np.concatenate([np.unique(first), repeated]),
            "first": np.concatenate([np.unique(first), first]),
        }
    ).sort_values("row")
    groups["score"] = scores[groups["row"]]
    best = groups.groupby("first")["score"].idxmax()
    return groups.drop(index=best)["row"].to_numpy()


def drop_rows(table: pa.Table, rows: Ints) -> pa.Table:
    """Return the table without the rows with these indexes, int64[n]."""
    is_kept = np.ones(table.num_rows, dtype=np.bool_)
    is_kept[rows] = False
    return table.filter(as_column(is_kept))


_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u00ad"
WRITE_TEXTS = "Write the ids as text: a float, for example, does not keep the original spelling."

_INVISIBLE_MAP = dict.fromkeys(map(ord, _INVISIBLE))


def clean_id(text: str) -> str:
    """Normalise an id: convert it to Unicode NFC, and remove invisible characters and surrounding
    blanks."""
    return unicodedata.normalize("NFC", text.translate(_INVISIBLE_MAP)).strip()


def to_id_text(value: Any) -> str | None:
    """Return a string unchanged, and a whole number as its digits, so that 1 and "1" are the same
    id.

    Returns None for any other value, and for a string with a lone surrogate, which has no UTF-8
    form."""
    if isinstance(value, str):
        return value if value.isascii() or value == value.encode(errors="ignore").decode() else None
    if not isinstance(value, (int, np.integer)) or isinstance(value, (bool, np.timedelta64)):
        return None
    try:
        return str(value)
    except ValueError:  # more digits than Python converts
        return None
