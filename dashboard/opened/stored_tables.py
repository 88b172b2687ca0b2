"""Tables on disk: one Parquet file each, named by its content. No Streamlit here."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from metrics_core.formats import Kind
from metrics_core.notes import Note
from metrics_core.tables import Documents, Qrels, Queries, Run, Table


def store_table(table: pa.Table, path: Path) -> None:
    """Write the rows; a file that is there already stays whole until the new one is."""
    draft = path.with_suffix(".part")
    pq.write_table(table, draft, compression="zstd")
    draft.replace(path)


def load_table(path: Path, kind: Kind, *, name: str, notes: Sequence[Note]) -> Table:
    """The table of a file that `store_table` wrote; a run gets its name."""
    table = pq.read_table(path, memory_map=True)
    if kind == "run":
        return Run(table=table, name=name, notes=tuple(notes))
    if kind == "qrels":
        return _qrels(table).noting(*notes)
    if kind == "queries":
        frame = table.to_pandas(types_mapper=lambda _: None)
        return Queries(frame=frame.astype(object).where(frame.notna(), None), notes=tuple(notes))
    return Documents(table=table, notes=tuple(notes))


def _qrels(table: pa.Table) -> Qrels:
    if "subtopic" in table.column_names:
        return Qrels.from_columns(
            *(table[c] for c in ("query_id", "doc_id", "relevance", "subtopic"))
        )
    return Qrels(table=table)


def as_arrow(table: Table) -> pa.Table:
    """The rows of a table as they are kept."""
    if isinstance(table, Qrels):
        return table.given
    if isinstance(table, Queries):
        return pa.Table.from_pandas(pd.DataFrame(table.frame), preserve_index=False)
    return table.table


def content_of(table: pa.Table, kind: str) -> str:
    """A hash of the rows: the same run from two files is one."""
    digest = hashlib.sha256(kind.encode())
    with pa.ipc.new_stream(_Digest(digest), table.schema) as stream:
        stream.write_table(table.unify_dictionaries().combine_chunks())
    return digest.hexdigest()


class _Digest:
    """A file that only hashes what is written to it."""

    closed = False

    def __init__(self, digest: hashlib._Hash) -> None:
        self.digest = digest

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Nothing to free."""
