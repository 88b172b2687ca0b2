"""Documents: what can be found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Mask
from metrics_core.base.errors import RowProblem
from metrics_core.base.notes import Note
from metrics_core.tables.arrays import values_of
from metrics_core.tables.columns import ID, refuse, refuse_without_ids, text_column
from metrics_core.tables.repeats import repeated_rows


@dataclass(frozen=True)
class Documents:
    """Titles and texts: an Arrow table with doc_id, title, text and any other column."""

    table: pa.Table
    notes: tuple[Note, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return self.table.num_rows

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> Documents:
        """Build and check documents; doc_id is required, title and text are added empty where
        absent. Raises TableError where a doc_id stands twice or is missing."""
        table = pa.table(dict(columns) | {"doc_id": text_column(columns["doc_id"])})
        refuse_without_ids("doc_id", table["doc_id"])
        repeated, _ = repeated_rows(np.zeros(len(table), dtype=np.int32), table["doc_id"])
        refuse(
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
        first = ["doc_id", "title", "text"]
        return cls(table.select(first + [c for c in table.column_names if c not in first]))

    def lookup(self, doc_ids: Iterable[str]) -> pd.DataFrame:
        """The rows of these documents, indexed by doc_id; ids without a row are absent."""
        wanted = pa.array(list(dict.fromkeys(doc_ids)), ID)
        rows = self.table.filter(pc.is_in(self.table["doc_id"], value_set=wanted))
        return rows.to_pandas().set_index("doc_id")

    def known(self, doc_ids: pa.Array | pa.ChunkedArray) -> Mask:
        """Per given id whether there is a row for it."""
        found = pc.is_in(doc_ids, value_set=self.table["doc_id"].combine_chunks())
        return np.asarray(values_of(found), dtype=np.bool_)

    def noting(self, *notes: Note) -> Documents:
        """The same table with further notes."""
        return replace(self, notes=(*self.notes, *notes))
