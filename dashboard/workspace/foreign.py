"""Tables that somebody else wrote: a packed collection may come from anybody, and a hash in it says
only that it is whole."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.workspace.keeping import RowsHash
from dashboard.workspace.records import DamagedRecordError, Entry
from dashboard.workspace.tables import arrow_of, as_arrow, content_of, queries_of, table_of
from metrics_core.errors import RanklensError
from metrics_core.tables import Documents, Qrels, Queries, RankedRun, Run, Table
from metrics_core.tables.arrays import values_of
from metrics_core.tables.columns import CODED_ID, ID

_UNPACKED_AT_LEAST, _TIMES_UNPACKED = 256_000_000, 50
"""A table may take so many bytes, or so many times the bytes that it is kept as."""

_ROWS_AT_LEAST, _ROWS_A_BYTE = 1_000_000, 20
_HELD_AT_ONCE = 16_000_000


def check(entry: Entry, content: bytes) -> None:
    """Raises DamagedRecordError for a table that is not what its record tells, that no file would
    have been read as, or that unpacks to far more than a table does; of that only a part is held.
    """
    try:
        _check_size(content)
        rows = arrow_of(content)
        if entry.content not in (content_of(rows, entry.kind), _hash_of_run(rows)):
            raise DamagedRecordError("a record tells of other rows")
        table = table_of(content, entry.kind, name=entry.name, notes=entry.notes)
        if _columns(as_arrow(_read_again(rows, entry))) != _columns(rows):
            raise DamagedRecordError("a table has other columns than those of its kind")
        if (len(table), queries_of(table)) != (entry.rows, entry.queries):
            raise DamagedRecordError("a record counts other rows or queries")
        if entry.complete != (not isinstance(table, Run) or table.complete):
            raise DamagedRecordError("a record tells of other rows")
    except (pa.ArrowException, RanklensError, KeyError, TypeError, OSError) as error:
        raise DamagedRecordError(str(error)) from error


def _hash_of_run(rows: pa.Table) -> str:
    """The hash of rows that are those of a long run; "" for others."""
    columns = {"query_id": CODED_ID, "doc_id": ID, "score": pa.float64()}
    return RowsHash.of(rows) if rows.schema.equals(pa.schema(columns)) else ""


def _check_size(content: bytes) -> None:
    most = max(_UNPACKED_AT_LEAST, _TIMES_UNPACKED * len(content))
    file = pq.ParquetFile(pa.BufferReader(content))
    groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
    if file.metadata.num_rows > max(_ROWS_AT_LEAST, _ROWS_A_BYTE * len(content)):
        raise DamagedRecordError(f"{file.metadata.num_rows} rows in {len(content)} bytes")
    largest = max((group.total_byte_size for group in groups), default=0)
    if largest > most:
        raise DamagedRecordError(f"{largest} bytes in {len(content)}")
    # A long text is written once for many rows, and each row that is read holds it anew.
    rows_at_once = max(1, min(1 << 16, _HELD_AT_ONCE // max(1, largest)))
    size = 0
    for batch in file.iter_batches(rows_at_once):
        size += batch.nbytes
        if size > most:
            raise DamagedRecordError(f"more than {size} bytes in {len(content)}")


def _read_again(rows: pa.Table, entry: Entry) -> Table:
    """The table that a reader makes of these rows. Raises TableError or KeyError for some that no
    reader lets pass."""
    if not entry.complete:
        numbers = (values_of(rows[c]) for c in ("rank", "retrieved", "judged"))
        return RankedRun.from_ranks(entry.name, rows["query_id"], rows["doc_id"], *numbers)
    if entry.kind == "run":
        return Run.from_columns(entry.name, rows["query_id"], rows["doc_id"], rows["score"])
    if entry.kind == "qrels":
        given = ["query_id", "doc_id", "relevance", "subtopic"]
        return Qrels.from_columns(*(rows[c] for c in given if c in rows.column_names))
    columns = {name: rows[name] for name in rows.column_names}
    if entry.kind == "queries":
        return Queries.from_columns({name: c.to_pylist() for name, c in columns.items()})
    return Documents.from_columns(columns)


def _columns(rows: pa.Table) -> set[tuple[str, pa.DataType]]:
    return {(field.name, field.type) for field in rows.schema}
