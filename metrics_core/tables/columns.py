"""Columns as Arrow and numpy arrays: ids as text, numbers as floats, rows refused or dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from metrics_core.errors import MOST_PROBLEMS_SHOWN, RowProblem, TableError

ID = pa.string()
CODED_ID = pa.dictionary(pa.int32(), pa.string())


def coded(ids: pa.ChunkedArray | pa.Array | Sequence[str]) -> pa.DictionaryArray:
    """Ids as one dictionary-encoded array (few distinct values: query ids)."""
    if not isinstance(ids, (pa.Array, pa.ChunkedArray)):
        ids = pa.array(list(ids), ID)
    if isinstance(ids, pa.ChunkedArray):
        if pa.types.is_dictionary(ids.type):
            ids = ids.unify_dictionaries()
        else:
            ids = ids.dictionary_encode()
        return ids.combine_chunks() if ids.num_chunks != 1 else ids.chunk(0)
    return ids if pa.types.is_dictionary(ids.type) else ids.dictionary_encode()


def text_column(values: pa.ChunkedArray | pa.Array | Sequence[str]) -> pa.ChunkedArray:
    """Texts as one Arrow column of plain text."""
    if isinstance(values, pa.ChunkedArray):
        return values.cast(ID) if values.type != ID else values
    array = values if isinstance(values, pa.Array) else pa.array(list(values), ID)
    return pa.chunked_array([array.cast(ID)])


def float_array(values: Any) -> npt.NDArray[np.float64]:
    """Numbers as a contiguous float64 array."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        values = values.to_numpy()
    return np.ascontiguousarray(values, dtype=np.float64)


def refuse(
    message: str, rows: npt.NDArray[Any], problem: Callable[[int], RowProblem], hint: str = ""
) -> None:
    """Raise a TableError for these rows, if there are any."""
    if len(rows):
        shown = [problem(int(row)) for row in rows[:MOST_PROBLEMS_SHOWN]]
        raise TableError(message, shown, count=len(rows), hint=hint)


def all_but_best(
    repeated: npt.NDArray[np.int64], first: npt.NDArray[np.int64], scores: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
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


def drop_rows(table: pa.Table, rows: npt.NDArray[np.int64]) -> pa.Table:
    """The table without these rows."""
    keep = np.ones(table.num_rows, dtype=np.bool_)
    keep[rows] = False
    return table.filter(pa.array(keep))
