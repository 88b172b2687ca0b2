"""Tables as stored bytes in Parquet format. This module does not import Streamlit."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.workspace.disk.durable import Draft
from metrics_core.base.notes import Note
from metrics_core.formats import Kind
from metrics_core.tables import Documents, GivenScores, Qrels, Queries, RankedRun, Run, Table
from metrics_core.tables.columns import encode_ids

_GROUP = 100_000
_LISTS = 28_000
"""Number of rows per row group for a long run. To read a single query, its whole row group must be
read. With fewer rows per group, there would be more groups, and opening the file would be
slower."""


def table_bytes(table: pa.Table) -> pa.Buffer:
    """Return the rows of a table as Parquet, with a checksum for each page."""
    out = pa.BufferOutputStream()
    # Scores and documents are too rarely repeated for a dictionary.
    dictionary_columns = ["query_id"] if "score" in table.column_names else True
    pq.write_table(
        table,
        out,
        compression="zstd",
        compression_level=1,
        use_dictionary=dictionary_columns,
        row_group_size=_GROUP,
        write_page_checksum=True,
    )
    return out.getvalue()


def rows_writer(out: Draft, schema: pa.Schema) -> pq.ParquetWriter:
    """Return a writer that stores the rows of a run as Parquet, piece by piece, with a checksum for
    each page."""
    return pq.ParquetWriter(
        out,
        schema,
        compression="zstd",
        compression_level=1,
        use_dictionary=["query_id"],
        # Halves the bytes of scores; minimum and maximum are not needed.
        column_encoding={"doc_id": "PLAIN", "score": "BYTE_STREAM_SPLIT"},
        write_statistics=False,
        write_page_checksum=True,
    )


def put_rows(writer: pq.ParquetWriter, rows: pa.Table) -> None:
    """Write the next rows."""
    writer.write_table(rows, row_group_size=_LISTS)


def read_parquet(content: bytes) -> pa.Table:
    """Read the rows that `table_bytes` wrote. Raises the errors of pyarrow for any other bytes."""
    return pq.read_table(pa.BufferReader(content), page_checksum_verification=True)


def read_table(content: bytes, kind: Kind, *, name: str, notes: Sequence[Note]) -> Table:
    """Read the table that `table_bytes` wrote. `name` is used only for runs. Raises the errors of
    pyarrow, ValueError or KeyError for any other bytes."""
    table = read_parquet(content)
    if kind == "run" and "retrieved" in table.column_names:
        table = table.set_column(0, "query_id", encode_ids(table["query_id"]))
        return RankedRun(table=table, name=name, notes=tuple(notes))
    if kind == "run":
        return Run(table=table, name=name, notes=tuple(notes))
    if kind == "qrels":
        return _make_qrels(table).with_notes(*notes)
    if kind == "scores":
        return _make_given_scores(table).with_notes(*notes)
    if kind == "queries":
        frame = table.to_pandas(types_mapper=lambda _: None)
        return Queries(frame=frame.astype(object).where(frame.notna(), None), notes=tuple(notes))
    return Documents(table=table, notes=tuple(notes))


def _make_qrels(table: pa.Table) -> Qrels:
    if "subtopic" in table.column_names:
        return Qrels.from_columns(
            *(table[c] for c in ("query_id", "doc_id", "relevance", "subtopic"))
        )
    return Qrels(table=table)


_SCORE_COLUMNS = ("query_id", "run", "measure", "value", "repeat")


def _make_given_scores(table: pa.Table) -> GivenScores:
    keys = [name for name in ("query_id", "run", "repeat") if name in table.column_names]
    text_names = [name for name in table.column_names if name not in _SCORE_COLUMNS]
    details = None
    if text_names:
        frame = table.select([*keys, *text_names]).to_pandas().drop_duplicates(keys)
        details = pa.Table.from_pandas(frame, preserve_index=False)
    repeat = table["repeat"] if "repeat" in keys else None
    query_ids, runs, measures = (table[name] for name in ("query_id", "run", "measure"))
    values = table["value"].to_numpy()
    return GivenScores.from_columns(query_ids, runs, measures, values, repeat, details=details)


def _join_details(scores: GivenScores) -> pa.Table:
    """Return the rows of given scores with the accompanying texts as additional columns."""
    if scores.details is None:
        return scores.table
    frame, texts = (part.to_pandas() for part in (scores.table, scores.details))
    keys = [name for name in ("query_id", "run", "repeat") if name in texts and name in frame]
    columns = dict.fromkeys(keys, str)
    joined = frame.astype(columns).merge(texts.astype(columns), on=keys, how="left")
    return pa.Table.from_pandas(joined, preserve_index=False)


def as_arrow(table: Table) -> pa.Table:
    """Return the rows of a table as an Arrow table, in the form in which they are stored."""
    if isinstance(table, Qrels):
        return table.input_table
    if isinstance(table, Queries):
        return pa.Table.from_pandas(pd.DataFrame(table.frame), preserve_index=False)
    if isinstance(table, GivenScores):
        return _join_details(table)
    return table.table


def count_queries(table: Table) -> int | None:
    """Return the number of queries in a table. Returns None for documents."""
    if isinstance(table, Queries):
        return len(table)
    if isinstance(table, (Run, Qrels, GivenScores)):
        return len(table.query_ids)
    return None


def hash_rows(table: pa.Table, kind: str) -> str:
    """Return a hash of the rows, by which the same run is recognised in two files. The hash of long
    runs is made by `RowsHash`."""
    digest = hashlib.sha256(kind.encode())
    with pa.ipc.new_stream(_Digest(digest), table.schema) as stream:
        stream.write_table(table.unify_dictionaries().combine_chunks())
    return digest.hexdigest()


class _Digest:
    """A file that only hashes the bytes that are written to it."""

    closed = False

    def __init__(self, digest: hashlib._Hash) -> None:
        self.digest = digest

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing, because writes are not buffered."""

    def close(self) -> None:
        """Do nothing, because there is nothing to release."""
