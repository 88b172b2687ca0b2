"""Base class of runs and judgments, whose rows are pairs of a query and a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import pyarrow as pa

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Int32s
from metrics_core.base.notes import HasNotes, Note
from metrics_core.tables.arrays import as_array, as_text_column
from metrics_core.tables.columns import ID, encode_ids


def format_pair(query_ids: pa.Array | pa.ChunkedArray, doc_ids: pa.ChunkedArray, row: int) -> str:
    """Describe the document and the query of a row, for messages."""
    return f"document {doc_ids[row].as_py()} of query {query_ids[row].as_py()}"


def rename_queries(table: pa.Table, names: Mapping[str, str]) -> pa.Table:
    """Return the table with new query ids. `names` maps each old id to its new id."""
    column = encode_ids(table["query_id"])
    new_ids = as_text_column([names[query_id] for query_id in column.dictionary.to_pylist()])
    index = table.column_names.index("query_id")
    ids = pa.DictionaryArray.from_arrays(column.indices, new_ids)
    return table.set_column(index, "query_id", ids)


@dataclass(frozen=True)
class Judgable(HasNotes):
    """Base class of Run and Qrels: a table with query_id, doc_id and other columns."""

    table: pa.Table
    notes: tuple[Note, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return self.table.num_rows

    @property
    def query_ids(self) -> list[str]:
        """Distinct query ids, in order of first occurrence."""
        return encode_ids(self.table["query_id"]).dictionary.to_pylist()

    @property
    def query_codes(self) -> Int32s:
        """Index in `query_ids` of each row's query, int32[row], read-only."""
        return as_array(encode_ids(self.table["query_id"]).indices)

    @property
    def doc_ids(self) -> pa.ChunkedArray:
        """Document id of each row, string[row]."""
        return self.table["doc_id"]

    def pair(self, row: int) -> str:
        """Describe the document and the query of a row, for messages."""
        return format_pair(self.table["query_id"], self.doc_ids, row)

    def with_query_ids(self, names: Mapping[str, str]) -> Self:
        """Return the same rows with new query ids.

        `names` maps each old id to a distinct new id."""
        return replace(self, table=rename_queries(self.table, names))

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas frame with the same columns and text ids.

        Intended for interactive use and exports; slow for large runs."""
        table = self.table.set_column(0, "query_id", self.table["query_id"].cast(ID))
        return table.to_pandas()
