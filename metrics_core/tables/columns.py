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
from metrics_core.base.wording import shown
from metrics_core.tables.arrays import column_of, texts_of, values_of

ID = pa.string()
CODED_ID = pa.dictionary(pa.int32(), pa.string())


def coded(ids: pa.ChunkedArray | pa.Array | Sequence[Any]) -> pa.DictionaryArray:
    """Ids as one dictionary-encoded array of text (few distinct values: query ids); whole numbers
    become text, missing values null."""
    if not isinstance(ids, (pa.Array, pa.ChunkedArray)):
        ids = texts(ids)
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


def coded_texts(given: Sequence[str]) -> pa.DictionaryArray:
    """Texts of few distinct values as `coded` makes them, each of which is written once: a long
    one that stands in many rows would take its length in each."""
    places: dict[str, int] = {}
    codes = np.fromiter((places.setdefault(t, len(places)) for t in given), np.int32, len(given))
    return pa.DictionaryArray.from_arrays(column_of(codes), texts_of(list(places)))


def coded_anew(ids: pa.ChunkedArray | pa.Array | Sequence[Any]) -> pa.DictionaryArray:
    """The same ids, coded by those alone that occur, in the order in which they do."""
    known = coded(ids)
    if known.null_count:  # they are refused later, with their rows
        return known
    codes = values_of(known.indices)
    used, first, places = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(used), dtype=np.int32)
    rank[order] = np.arange(len(used), dtype=np.int32)
    return pa.DictionaryArray.from_arrays(
        column_of(rank[places.reshape(-1)]), known.dictionary.take(column_of(used[order]))
    )


def text_column(values: pa.ChunkedArray | pa.Array | Sequence[Any]) -> pa.ChunkedArray:
    """Texts as one Arrow column of plain text; whole numbers become text, missing values null."""
    if isinstance(values, pa.ChunkedArray):
        return values.cast(ID) if values.type != ID else values
    array = values if isinstance(values, pa.Array) else texts(values)
    return pa.chunked_array([array.cast(ID)])


def texts(values: Sequence[Any]) -> pa.Array:
    """Python's values as an array of text. Whole numbers become text, None and NaN null; anything
    else is refused with its row as a TableError."""
    listed = values if isinstance(values, list) else list(values)
    kinds = set(map(type, listed))
    with suppress(UnicodeEncodeError):  # half a character, which is refused below with its row
        if kinds <= {str}:
            return texts_of(listed)
        if kinds <= {str, int} and (digits := _digits(listed)) is not None:
            return texts_of(digits)
    plain = [id_text(value) for value in listed]
    wrong = [row for row, text in enumerate(plain) if text is None and not _is_missing(listed[row])]
    refuse(
        "An id must be text or a whole number.",
        np.array(wrong, dtype=np.int64),
        lambda row: RowProblem(
            row,
            shown(listed[row]),
            "whole characters" if isinstance(listed[row], str) else "a text",
        ),
        hint=WRITE_TEXTS,
    )
    return pa.array(plain, ID)


def _digits(values: list[Any]) -> list[str] | None:
    """Texts and whole numbers as texts; None if a number has more digits than Python writes."""
    try:
        return list(map(str, values))
    except ValueError:
        return None


def are_plain_ids(values: list[Any]) -> bool:
    """Whether all values are texts or whole numbers that Python writes, by their types; others may
    be ids, too."""
    kinds = set(map(type, values))
    return kinds <= {str} or (kinds <= {str, int} and _digits(values) is not None)


def _is_missing(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def refuse_without_ids(name: str, ids: pa.DictionaryArray | pa.ChunkedArray) -> None:
    """Raise a TableError for the rows whose id is missing or empty."""
    if pa.types.is_dictionary(ids.type):
        ids = coded(ids)
        some = ids.null_count or "" in ids.dictionary.to_pylist()
    else:
        some = ids.null_count or pc.min(pc.binary_length(ids)).as_py() == 0
    if not some:
        return
    empty = pc.equal(pc.fill_null(ids.cast(ID), ""), "")
    refuse(
        f"Every row needs a {name}.",
        np.flatnonzero(values_of(empty)),
        lambda row: RowProblem(row, "nothing", f"a {name} in every row"),
    )


def is_plain(ids: pa.ChunkedArray) -> bool:
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


def refuse(
    message: str,
    rows: npt.NDArray[Any],
    problem: Callable[[int], RowProblem],
    hint: str = "",
    offer: str = "",
) -> None:
    """Raise a TableError for these rows, if there are any."""
    if len(rows):
        shown = [problem(int(row)) for row in rows[:MOST_PROBLEMS_SHOWN]]
        raise TableError(message, shown, count=len(rows), hint=hint, offer=offer)


def all_but_best(repeated: Ints, first: Ints, scores: Floats) -> Ints:
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
    keep = np.ones(table.num_rows, dtype=np.bool_)
    keep[rows] = False
    return table.filter(column_of(keep))


_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u00ad"
WRITE_TEXTS = "Write the ids as text: a float, for example, does not keep the original spelling."

_NOTHING = dict.fromkeys(map(ord, _INVISIBLE))


def cleaned_id(text: str) -> str:
    """An id in NFC, without blanks around it and without invisible characters."""
    return unicodedata.normalize("NFC", text.translate(_NOTHING)).strip()


def id_text(value: Any) -> str | None:
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
