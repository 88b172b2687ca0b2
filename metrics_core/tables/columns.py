"""Columns as Arrow and numpy arrays: ids as text, numbers as floats, rows refused or dropped."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints
from metrics_core.base.errors import MOST_PROBLEMS_SHOWN, RowProblem, TableError
from metrics_core.base.wording import shorten_value
from metrics_core.tables.arrays import as_array, as_column, as_text_column

ID = pa.string()
CODED_ID = pa.dictionary(pa.int32(), pa.string())


def encode_ids(ids: pa.ChunkedArray | pa.Array | Sequence[Any]) -> pa.DictionaryArray:
    """Ids as one dictionary-encoded array of text (few distinct values: query ids); whole numbers
    become text, missing values null."""
    if not isinstance(ids, (pa.Array, pa.ChunkedArray)):
        ids = to_text_array(ids)
    elif (ids.type.value_type if pa.types.is_dictionary(ids.type) else ids.type) != ID:
        ids = ids.cast(CODED_ID if pa.types.is_dictionary(ids.type) else ID)
    if isinstance(ids, pa.ChunkedArray):
        if not pa.types.is_dictionary(ids.type):
            ids = ids.dictionary_encode()
        elif ids.num_chunks > 1:
            # Pieces of one table share their dictionary, and to unify them would read it each time.
            first = ids.chunk(0).dictionary
            if not all(chunk.dictionary.equals(first) for chunk in ids.chunks[1:]):
                ids = ids.unify_dictionaries()
        return ids.combine_chunks() if ids.num_chunks != 1 else ids.chunk(0)
    return ids if pa.types.is_dictionary(ids.type) else ids.dictionary_encode()


def encode_texts(values: Sequence[str]) -> pa.DictionaryArray:
    """Texts of few distinct values as `encode_ids` makes them, each of which is written once: a
    long one that stands in many rows would take its length in each."""
    codes_by_text: dict[str, int] = {}
    codes = np.fromiter(
        (codes_by_text.setdefault(t, len(codes_by_text)) for t in values), np.int32, len(values)
    )
    return pa.DictionaryArray.from_arrays(as_column(codes), as_text_column(list(codes_by_text)))


def reencode_ids(ids: pa.ChunkedArray | pa.Array | Sequence[Any]) -> pa.DictionaryArray:
    """The same ids, coded by those alone that occur, in the order in which they do."""
    encoded = encode_ids(ids)
    if encoded.null_count:  # they are refused later, with their rows
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
    """Texts as one Arrow column of plain text; whole numbers become text, missing values null."""
    if isinstance(values, pa.ChunkedArray):
        return values.cast(ID) if values.type != ID else values
    array = values if isinstance(values, pa.Array) else to_text_array(values)
    return pa.chunked_array([array.cast(ID)])


def to_text_array(values: Sequence[Any]) -> pa.Array:
    """Python's values as an array of text. Whole numbers become text, None and NaN null; anything
    else is refused with its row as a TableError."""
    items = values if isinstance(values, list) else list(values)
    kinds = set(map(type, items))
    with suppress(UnicodeEncodeError):  # half a character, which is refused below with its row
        if kinds <= {str}:
            return as_text_column(items)
        if kinds <= {str, int} and (digits := _to_digits(items)) is not None:
            return as_text_column(digits)
    id_texts = [to_id_text(value) for value in items]
    wrong_rows = [
        row for row, text in enumerate(id_texts) if text is None and not _is_missing(items[row])
    ]
    raise_for_rows(
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


def _to_digits(values: list[Any]) -> list[str] | None:
    """Texts and whole numbers as texts; None if a number has more digits than Python writes."""
    try:
        return list(map(str, values))
    except ValueError:
        return None


def are_plain_ids(values: list[Any]) -> bool:
    """Whether all values are texts or whole numbers that Python writes, by their types; others may
    be ids, too."""
    kinds = set(map(type, values))
    return kinds <= {str} or (kinds <= {str, int} and _to_digits(values) is not None)


def _is_missing(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def refuse_missing_ids(name: str, ids: pa.DictionaryArray | pa.ChunkedArray) -> None:
    """Raise a TableError for the rows whose id is missing or empty."""
    if pa.types.is_dictionary(ids.type):
        ids = encode_ids(ids)
        has_missing = ids.null_count or "" in ids.dictionary.to_pylist()
    else:
        has_missing = ids.null_count or pc.min(pc.binary_length(ids)).as_py() == 0
    if not has_missing:
        return
    is_empty = pc.equal(pc.fill_null(ids.cast(ID), ""), "")
    raise_for_rows(
        f"Every row needs a {name}.",
        np.flatnonzero(as_array(is_empty)),
        lambda row: RowProblem(row, "nothing", f"a {name} in every row"),
    )


def is_printable(ids: pa.ChunkedArray) -> bool:
    """Whether every text is of printable ASCII alone, without blanks. It may be False where all
    are: a chunk's buffer may hold more than its own texts."""
    for chunk in ids.chunks:
        data = chunk.buffers()[2]
        if data is not None and not are_printable(np.frombuffer(data, dtype=np.uint8)):
            return False
    return True


def are_printable(octets: npt.NDArray[np.uint8]) -> bool:
    """Whether these bytes are all of printable ASCII, and none is a blank."""
    return not len(octets) or bool(octets.min() > 0x20 and octets.max() < 0x7F)


def raise_for_rows(
    message: str,
    rows: npt.NDArray[Any],
    build_problem: Callable[[int], RowProblem],
    hint: str = "",
    offer: str = "",
) -> None:
    """Raise a TableError for these rows, if there are any."""
    if len(rows):
        problems = [build_problem(int(row)) for row in rows[:MOST_PROBLEMS_SHOWN]]
        raise TableError(message, problems, count=len(rows), hint=hint, offer=offer)


def find_worse_rows(repeated: Ints, first: Ints, scores: Floats) -> Ints:
    """Rows to drop so that of each repeated pair the row with the highest score stays."""
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
    """The table without these rows."""
    is_kept = np.ones(table.num_rows, dtype=np.bool_)
    is_kept[rows] = False
    return table.filter(as_column(is_kept))


_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u00ad"
WRITE_TEXTS = "Write the ids as text: a float, for example, does not keep the original spelling."

_INVISIBLE_MAP = dict.fromkeys(map(ord, _INVISIBLE))


def clean_id(text: str) -> str:
    """An id in NFC, without blanks around it and without invisible characters."""
    return unicodedata.normalize("NFC", text.translate(_INVISIBLE_MAP)).strip()


def to_id_text(value: Any) -> str | None:
    """A text as it stands, a whole number as its digits, so that 1 and "1" are one id; None for any
    other value, and for a text with half a character, which nothing can write."""
    if isinstance(value, str):
        return value if value.isascii() or value == value.encode(errors="ignore").decode() else None
    if not isinstance(value, (int, np.integer)) or isinstance(value, (bool, np.timedelta64)):
        return None
    try:
        return str(value)
    except ValueError:  # of more digits than Python writes
        return None
