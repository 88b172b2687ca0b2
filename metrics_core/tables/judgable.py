"""What runs and judgments share: rows of (query, document)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core.base import frames as pd
from metrics_core.base.notes import Note
from metrics_core.tables.arrays import as_array, as_text_column
from metrics_core.tables.columns import ID, encode_ids


def format_pair(query_ids: pa.Array | pa.ChunkedArray, doc_ids: pa.ChunkedArray, row: int) -> str:
    """The pair of a row of two columns, for messages."""
    return f"document {doc_ids[row].as_py()} of query {query_ids[row].as_py()}"


def rename_queries(table: pa.Table, names: Mapping[str, str]) -> pa.Table:
    """The table with each query_id under the name that it has here."""
    column = encode_ids(table["query_id"])
    new_ids = as_text_column([names[query_id] for query_id in column.dictionary.to_pylist()])
    index = table.column_names.index("query_id")
    ids = pa.DictionaryArray.from_arrays(column.indices, new_ids)
    return table.set_column(index, "query_id", ids)


@dataclass(frozen=True)
class Judgable:
    """What Run and Qrels share: a table whose rows belong to (query_id, doc_id) pairs."""

    table: pa.Table
    notes: tuple[Note, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return self.table.num_rows

    @property
    def query_ids(self) -> list[str]:
        """The distinct query ids, in the order of their first row."""
        return encode_ids(self.table["query_id"]).dictionary.to_pylist()

    @property
    def query_codes(self) -> npt.NDArray[np.int32]:
        """Per row the position of its query in `query_ids`; int32, read-only."""
        return as_array(encode_ids(self.table["query_id"]).indices)

    @property
    def doc_ids(self) -> pa.ChunkedArray:
        """Per row the doc_id, text."""
        return self.table["doc_id"]

    def pair(self, row: int) -> str:
        """A row's pair in words, for messages."""
        return format_pair(self.table["query_id"], self.doc_ids, row)

    def with_query_ids(self, names: Mapping[str, str]) -> Self:
        """The same rows with each query under the name that it has here; no two have the same."""
        return replace(self, table=rename_queries(self.table, names))

    def noting(self, *notes: Note) -> Self:
        """The same table with further notes."""
        return replace(self, notes=(*self.notes, *notes))

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame with text ids; for people and exports, not for large runs."""
        table = self.table.set_column(0, "query_id", self.table["query_id"].cast(ID))
        return table.to_pandas()
