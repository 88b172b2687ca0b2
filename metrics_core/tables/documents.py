"""The table of documents, which contains the texts that can be retrieved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Mask
from metrics_core.base.errors import RowProblem
from metrics_core.base.notes import HasNotes, Note
from metrics_core.tables.arrays import as_array
from metrics_core.tables.columns import ID, raise_row_problems, refuse_missing_ids, to_text_column
from metrics_core.tables.repeats import find_repeated_rows


@dataclass(frozen=True)
class Documents(HasNotes):
    """Documents, as an Arrow table with doc_id, title, text (string) and any additional columns."""

    table: pa.Table
    notes: tuple[Note, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return self.table.num_rows

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> Documents:
        """Build and check documents from columns of equal length.

        doc_id is required; a missing title or text column is added with empty strings. Raises
        TableError if a doc_id is repeated, missing or empty."""
        table = pa.table(dict(columns) | {"doc_id": to_text_column(columns["doc_id"])})
        refuse_missing_ids("doc_id", table["doc_id"])
        repeated, _ = find_repeated_rows(np.zeros(len(table), dtype=np.int32), table["doc_id"])
        raise_row_problems(
            "Each document may occur only once.",
            repeated,
            lambda row: RowProblem(
                row, f"document {table['doc_id'][row].as_py()} a second time", "each doc_id once"
            ),
            hint="Keep one row per document.",
        )
        for name in ("title", "text"):
            if name not in table.column_names:
                table = table.append_column(name, pa.array([""] * len(table), ID))
        leading_names = ["doc_id", "title", "text"]
        return cls(
            table.select(leading_names + [c for c in table.column_names if c not in leading_names])
        )

    def lookup(self, doc_ids: Iterable[str]) -> pd.DataFrame:
        """Return the rows of the documents with these ids, as a frame indexed by doc_id.

        Columns: title, text and any additional columns. Ids without a row are omitted."""
        id_array = pa.array(list(dict.fromkeys(doc_ids)), ID)
        rows = self.table.filter(pc.is_in(self.table["doc_id"], value_set=id_array))
        return rows.to_pandas().set_index("doc_id")

    def are_known(self, doc_ids: pa.Array | pa.ChunkedArray) -> Mask:
        """Return whether each id has a row, bool[id]."""
        is_known = pc.is_in(doc_ids, value_set=self.table["doc_id"].combine_chunks())
        return np.asarray(as_array(is_known), dtype=np.bool_)
