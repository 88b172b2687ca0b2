"""Checks of tables in a packed collection. The collection may come from anybody, and its hashes
show only that it is complete."""

from __future__ import annotations

import pyarrow as pa

from dashboard.workspace.disk.records import DamagedRecordError, Entry
from dashboard.workspace.long_runs.run_writer import RowsHash
from dashboard.workspace.long_runs.tables import (
    as_arrow,
    count_queries,
    hash_rows,
    read_parquet,
    read_table,
)
from metrics_core.base.errors import RanklensError
from metrics_core.formats.parquet import open_parquet
from metrics_core.formats.source.limits import Limit
from metrics_core.formats.source.parquet_size import CELL_BYTES, OBJECT_CELL_BYTES, check_table_size
from metrics_core.formats.source.source import Source
from metrics_core.tables import Documents, GivenScores, Qrels, Queries, RankedRun, Run, Table
from metrics_core.tables.arrays import as_array
from metrics_core.tables.columns import CODED_ID, ID

_ANY_SIZE = Limit(1 << 40)
"""Size limit for stored tables, which may be larger than the files that users upload. It is so high
that only the ratio of the unpacked size to the stored size is limited in practice."""


def check_table(entry: Entry, content: bytes) -> None:
    """Check a table. Raises DamagedRecordError if the table does not match its record, if no file
    reader would produce it, or if it unpacks to far more bytes than a real table of this stored
    size. In the last case, the table is not completely loaded into memory."""
    try:
        _check_size(entry, content)
        rows = read_parquet(content)
        if entry.content not in (hash_rows(rows, entry.kind), _hash_run(rows)):
            raise DamagedRecordError("a record does not match its rows")
        table = read_table(content, entry.kind, name=entry.name, notes=entry.notes)
        if _typed_columns(as_arrow(_rebuild_table(rows, entry))) != _typed_columns(rows):
            raise DamagedRecordError("a table does not have the expected columns")
        if (len(table), count_queries(table)) != (entry.rows, entry.queries):
            raise DamagedRecordError("a record has the wrong number of rows or queries")
        if entry.complete != (not isinstance(table, Run) or table.complete):
            raise DamagedRecordError("a record does not match its rows")
    except (pa.ArrowException, RanklensError, KeyError, TypeError, OSError) as error:
        raise DamagedRecordError(str(error)) from error


def _hash_run(rows: pa.Table) -> str:
    """Return the hash of the rows if they have the columns of a long run. Otherwise, the result is
    empty."""
    columns = {"query_id": CODED_ID, "doc_id": ID, "score": pa.float64()}
    return RowsHash.hash_table(rows) if rows.schema.equals(pa.schema(columns)) else ""


def _check_size(entry: Entry, content: bytes) -> None:
    """Check the unpacked size of a table. Raises the same errors as reading any Parquet file:
    FileFormatError, or errors of pyarrow."""
    source = Source(entry.file, content, limit=_ANY_SIZE)
    file = open_parquet(source)
    a_cell = OBJECT_CELL_BYTES if entry.kind == "queries" else CELL_BYTES
    check_table_size(source, file, file.schema_arrow.names, bytes_per_cell=a_cell)


def _rebuild_table(rows: pa.Table, entry: Entry) -> Table:
    """Build a table from its rows in the same way as a file reader. Raises TableError or KeyError
    if the rows are invalid."""
    if not entry.complete:
        numbers = (as_array(rows[c]) for c in ("rank", "retrieved", "judged"))
        return RankedRun.from_ranks(entry.name, rows["query_id"], rows["doc_id"], *numbers)
    if entry.kind == "run":
        return Run.from_columns(entry.name, rows["query_id"], rows["doc_id"], rows["score"])
    if entry.kind == "qrels":
        column_names = ["query_id", "doc_id", "relevance", "subtopic"]
        return Qrels.from_columns(*(rows[c] for c in column_names if c in rows.column_names))
    columns = {name: rows[name] for name in rows.column_names}
    if entry.kind == "queries":
        return Queries.from_columns({name: c.to_pylist() for name, c in columns.items()})
    if entry.kind == "scores":
        return GivenScores.from_columns(**columns | {"value": as_array(rows["value"])})
    return Documents.from_columns(columns)


def _typed_columns(rows: pa.Table) -> set[tuple[str, pa.DataType]]:
    return {(field.name, field.type) for field in rows.schema}
