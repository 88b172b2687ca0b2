"""Writing of long runs to disk in pieces, as their rows arrive. This module does not import
Streamlit.

The cached facts about the rows are computed from each piece while the piece is in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dashboard.workspace.disk.durable import Draft
from dashboard.workspace.long_runs.cache import Cache
from dashboard.workspace.long_runs.extracts import (
    RowLayout,
    cache_layout,
    cache_top_rows,
    select_top_rows,
)
from dashboard.workspace.long_runs.stored_run import (
    StoredRun,
    group_queries,
    open_rows,
    stays_on_disk,
)
from dashboard.workspace.long_runs.tables import put_rows, rows_writer
from metrics_core.base.notes import Note
from metrics_core.tables import Run, Table
from metrics_core.tables.arrays import as_array
from metrics_core.tables.columns import encode_ids


class RowsHash:
    """A hash of the rows of a run in their order. It does not depend on how the rows are split into
    pieces."""

    def __init__(self) -> None:
        self._columns = [hashlib.sha256() for _ in range(3)]
        self._query_ids: list[str] = []
        self._counts: list[int] = []

    def update(self, rows: pa.Table) -> None:
        """Add the next rows to the hash."""
        queries = encode_ids(rows["query_id"])
        codes = as_array(queries.indices)
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        ids = queries.dictionary.take(pa.array(codes[starts])).to_pylist()
        counts = np.diff(starts, append=len(codes)).tolist()
        if ids and self._query_ids[-1:] == ids[:1]:
            self._counts[-1] += counts[0]
            ids, counts = ids[1:], counts[1:]
        self._query_ids += ids
        self._counts += counts
        sizes, texts, scores = self._columns
        for chunk in rows["doc_id"].chunks:
            _, edges, data = chunk.buffers()
            first, last = np.frombuffer(edges, np.int32)[[chunk.offset, chunk.offset + len(chunk)]]
            sizes.update(as_array(pc.binary_length(chunk)).astype(np.int32).data)
            texts.update(memoryview(data)[first:last] if data is not None else b"")
        scores.update(np.ascontiguousarray(as_array(rows["score"]), dtype=np.float64).data)
        if "rank" in rows.column_names:
            scores.update(np.ascontiguousarray(as_array(rows["rank"])).data)

    def hexdigest(self) -> str:
        """Return the hash of all rows so far."""
        digest = hashlib.sha256(repr((self._query_ids, self._counts)).encode())
        for column in self._columns:
            digest.update(column.digest())
        return digest.hexdigest()

    @classmethod
    def hash_table(cls, rows: pa.Table) -> str:
        """Return the hash of a table's rows."""
        digest = cls()
        digest.update(rows)
        return digest.hexdigest()


class RunWriter:
    """A writer that stores the rows of one run in a draft of the cache.

    Call the writer with one piece of the run at a time: all rows of some queries. Several threads
    may do this in parallel. Each call returns a function that writes the piece; call these
    functions in the order of the pieces."""

    def __init__(self, cache: Cache, draft: Draft) -> None:
        self._cache, self._draft = cache, draft
        self._writer: pq.ParquetWriter | None = None
        self._hash = RowsHash()
        self._layouts: list[RowLayout] = []
        self._heads: list[pa.Table] = []

    def __call__(self, rows: pa.Table) -> Callable[[], None]:
        """Analyse rows, and return a function that writes them. The rows must be grouped by query.
        The function raises OSError."""
        run = Run(table=rows)
        layout = RowLayout.from_run(run)
        if layout is None:
            raise ValueError("the rows of a query are not contiguous")
        return partial(self._write, rows, layout, select_top_rows(run))

    def _write(self, rows: pa.Table, layout: RowLayout, top_rows: pa.Table) -> None:
        if self._writer is None:
            self._writer = rows_writer(self._draft, rows.schema)
        put_rows(self._writer, rows)
        self._hash.update(rows)
        self._layouts.append(layout)
        self._heads.append(top_rows)

    def __len__(self) -> int:
        return sum(int(layout.counts.sum()) for layout in self._layouts)

    def finish(self, file: str, name: str, notes: Sequence[Note]) -> StoredRun:
        """Complete the draft, and return the run that consists of all rows written to it. Raises
        OSError."""
        assert self._writer is not None
        self._writer.close()
        table, layout = self._draft.digest, RowLayout.join_parts(self._layouts)
        content = self._hash.hexdigest()
        store = self._cache.folder_store
        rows = open_rows(store, self._cache, table, content, layout, file)
        store.put_table(table, self._draft)
        cache_layout(self._cache, table, layout)
        cache_top_rows(self._cache, table, pa.concat_tables(self._heads).unify_dictionaries())
        return StoredRun(rows, name, notes)


def move_to_disk(cache: Cache, table: Table, file: str) -> Table:
    """Move a long run to the cache, with its rows grouped by query. Other tables are returned
    unchanged.

    If the cache cannot be written, the run stays in memory. Raises OSError if writing was begun but
    failed."""
    if isinstance(table, StoredRun) or not isinstance(table, Run) or not stays_on_disk(len(table)):
        return table
    if not table.complete:  # judged ranks are in memory anyway
        return table
    run = group_queries(table)
    with cache.open_draft() as draft:
        if draft is None:
            return run
        run_writer = RunWriter(cache, draft)
        run_writer(run.table)()
        return run_writer.finish(file, run.name, run.notes)
