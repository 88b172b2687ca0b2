"""Runs whose rows stay on disk. The rows are read when they are needed and then released.

A long run can be opened without its rows: the cached layout has its queries and the positions of
their rows. The ranks of its judged documents (judged ranks) are cached as well, so most pages never
read a row. This module does not import Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.workspace.disk.errors import damaged_file_error
from dashboard.workspace.disk.folder_store import FolderStore
from dashboard.workspace.long_runs.cache import Cache
from dashboard.workspace.long_runs.extracts import (
    HEAD,
    RowLayout,
    cached_layout,
    has_grouped_queries,
    load_top_rows,
)
from metrics_core.base.arrays import Ints
from metrics_core.base.notes import Note
from metrics_core.tables import Run
from metrics_core.tables.arrays import as_column
from metrics_core.tables.columns import ID, encode_ids
from metrics_core.tables.judgable import rename_queries
from metrics_core.tables.run import new_list_cache

MAX_IN_MEMORY = 250_000
"""Maximum number of rows of a run that is kept in memory."""


@dataclass(frozen=True)
class StoredRows:
    """The rows of one file, which is stored under the name `table` in the folder of the `cache` or
    of the workspace.

    `content` is a hash of the rows. `reading` returns a context manager for reading the file. It
    raises StorageError if the file is damaged."""

    path: Path
    table: str
    content: str
    layout: RowLayout
    cache: Cache
    reading: Callable[[], AbstractContextManager[None]]
    _lock: Lock = field(default_factory=Lock)
    _lock_of_heads: Lock = field(default_factory=Lock)

    def read_all(self) -> pa.Table:
        """Read all rows. Simultaneous readers share one copy of the rows in memory."""
        with self._lock:
            table = self.cache.tables_in_memory.get(self.table)
            if table is None:
                with self.reading():
                    table = pq.read_table(self.path, page_checksum_verification=True)
                # Each part of the file encodes its queries separately.
                table = table.set_column(0, "query_id", encode_ids(table["query_id"]))
                self.cache.tables_in_memory[self.table] = table
        return table

    def read_top_rows(self) -> pa.Table:
        """Read the rows in the first `HEAD` ranks of every query."""
        with self._lock_of_heads:
            return load_top_rows(self.cache, self.table, lambda: Run(table=self.read_all()))

    def read_queries(self, query_ids: Collection[str]) -> pa.Table:
        """Read all rows of these queries. The result may also have rows of other queries."""
        wanted_ids = set(query_ids)
        positions = [
            i for i, query_id in enumerate(self.layout.query_ids) if query_id in wanted_ids
        ]
        ends = np.cumsum(self.layout.counts)
        with self.reading(), pq.ParquetFile(self.path, page_checksum_verification=True) as file:
            metadata = file.metadata
            sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
            edges = np.cumsum([0, *sizes])
            first = (
                np.searchsorted(edges, ends[positions] - self.layout.counts[positions], "right") - 1
            )
            last = np.searchsorted(edges, ends[positions], "left")
            groups = {g for a, b in zip(first, last, strict=True) for g in range(a, b)}
            parts = [
                self._read_row_group(file, group, wanted_ids, int(edges[group]))
                for group in sorted(groups)
            ]
        return pa.concat_tables(parts) if parts else file.schema_arrow.empty_table()

    def _read_row_group(
        self, file: pq.ParquetFile, group: int, wanted_ids: set[str], first_row: int
    ) -> pa.Table:
        """Read a row group of the file. If only one query is wanted, return a copy of its rows, so
        that the memory of the other rows is released."""
        table = file.read_row_group(group)
        if len(wanted_ids) > 1:
            return table
        position = self.layout.query_ids.index(next(iter(wanted_ids)))
        end = int(self.layout.counts[: position + 1].sum()) - first_row
        start = end - int(self.layout.counts[position])
        rows = table.take(as_column(np.arange(max(start, 0), min(end, len(table)))))
        return rows.set_column(0, "query_id", encode_ids(rows["query_id"].cast(ID)))


@dataclass(frozen=True)
class _RenamedRows:
    """Stored rows with other names for their queries."""

    rows: StoredRows
    names: Mapping[str, str]

    @property
    def content(self) -> str:
        """The hash of the stored rows."""
        return self.rows.content

    @cached_property
    def layout(self) -> RowLayout:
        """The layout of the rows with the new query ids."""
        stored_layout = self.rows.layout
        return replace(
            stored_layout, query_ids=[self.names[query_id] for query_id in stored_layout.query_ids]
        )

    def read_all(self) -> pa.Table:
        """Read all rows, with the new query ids."""
        return rename_queries(self.rows.read_all(), self.names)

    def read_top_rows(self) -> pa.Table:
        """Return the result of `StoredRows.read_top_rows` with the new query ids."""
        return rename_queries(self.rows.read_top_rows(), self.names)

    def read_queries(self, query_ids: Collection[str]) -> pa.Table:
        """Read the rows of these queries. `query_ids` and the ids in the result are the ids after
        renaming."""
        stored_ids = [q for q in self.rows.layout.query_ids if self.names[q] in query_ids]
        return rename_queries(self.rows.read_queries(stored_ids), self.names)


class StoredRun(Run):
    """A run whose rows are read from its file when needed."""

    def __init__(self, rows: StoredRows, name: str, notes: Sequence[Note] = ()) -> None:
        """Create the run. `name` identifies it; `notes` come from reading its original file."""
        attributes = {"rows": rows, "name": name, "notes": tuple(notes), "_lists": new_list_cache()}
        for attribute, value in attributes.items():
            object.__setattr__(self, attribute, value)

    rows: StoredRows

    @property
    def table(self) -> pa.Table:
        """All rows. They are read from disk unless they are in memory."""
        return self.rows.read_all()

    def __len__(self) -> int:
        return int(self.rows.layout.counts.sum())

    @property
    def query_ids(self) -> list[str]:
        """The distinct query ids, in the order of their first row."""
        return self.rows.layout.query_ids

    def length(self, query_id: str) -> int:
        """Return the number of documents in the run's list for a query."""
        query_ids = self.rows.layout.query_ids
        is_listed = query_id in query_ids
        return int(self.rows.layout.counts[query_ids.index(query_id)]) if is_listed else 0

    @property
    def plain(self) -> bool:
        """Whether every doc_id consists of printable ASCII characters."""
        return self.rows.layout.plain

    def read_whole(self) -> Run:
        """Return the run with all its rows in memory."""
        return Run(table=self.rows.read_all(), name=self.name, notes=self.notes)

    def select_queries(self, query_ids: Collection[str]) -> Run:
        """Return a run in memory with all rows of these queries. It may also have rows of other
        queries."""
        return Run(table=self.rows.read_queries(query_ids), name=self.name, notes=self.notes)

    def select_top(self, depth: int) -> Run:
        """Return a run in memory with the same queries and at least their first `depth` ranks."""
        if depth > HEAD:
            return self.read_whole()
        return Run(table=self.rows.read_top_rows(), name=self.name, notes=self.notes)

    def first_ties(self) -> Ints:
        """Return the first tied rank of each query in `query_ids`, int64[query]. A rank is tied if
        the next rank has the same score. The value is 0 if the query has no ties."""
        return self.rows.layout.first_ties

    def has_same_rows(self, other: Run) -> bool:
        """Return whether both runs have the same rows in the same order."""
        if isinstance(other, StoredRun):
            return self.rows.content == other.rows.content
        return super().has_same_rows(other)

    def renamed(self, name: str) -> StoredRun:
        """Return the same run with another name."""
        return StoredRun(self.rows, name, self.notes)

    def with_query_ids(self, names: Mapping[str, str]) -> StoredRun:
        """Return the same run with renamed queries."""
        # Only for computing answers: it has no file of its own to store.
        rows = cast(StoredRows, _RenamedRows(self.rows, names))
        return StoredRun(rows, self.name, self.notes)

    def with_notes(self, *notes: Note) -> StoredRun:
        """Return the same run with additional notes."""
        return StoredRun(self.rows, self.name, (*self.notes, *notes))


def open_stored_run(
    folder_store: FolderStore,
    cache: Cache,
    *,
    table_name: str,
    content_hash: str,
    file: str,
    name: str,
    notes: Sequence[Note],
) -> Run:
    """Open the run whose rows are stored under the name `table_name`, without reading the rows.

    If the rows of a query are not contiguous, the whole run is read. Raises StorageError if the
    rows are damaged."""
    reading = partial(_guard_reading, folder_store, table_name, file)
    path = folder_store.table_path(table_name)

    def read_whole_run() -> Run:
        with reading():
            rows = pq.read_table(path, page_checksum_verification=True)
        return Run(table=rows, name=name, notes=tuple(notes))

    with reading():
        layout = cached_layout(cache, table_name, read_whole_run)
    if layout is None:
        return read_whole_run()
    rows = open_rows(folder_store, cache, table_name, content_hash, layout, file)
    return StoredRun(rows, name, notes)


def open_rows(
    folder_store: FolderStore,
    cache: Cache,
    table_name: str,
    content_hash: str,
    layout: RowLayout,
    file: str,
) -> StoredRows:
    """Return the rows that `folder_store` has, or will have, under the name `table_name`."""
    reading = partial(_guard_reading, folder_store, table_name, file)
    rows = StoredRows(
        folder_store.table_path(table_name), table_name, content_hash, layout, cache, reading
    )
    cache.open_tables[table_name] = rows
    return rows


@contextmanager
def _guard_reading(folder_store: FolderStore, table_name: str, file: str) -> Iterator[None]:
    problem = folder_store.find_table_problem(table_name, check_now=True)
    if problem:
        raise damaged_file_error(file, problem)
    try:
        yield
    except (pa.ArrowException, ValueError, KeyError, OSError) as error:
        folder_store.mark_unreadable(table_name, str(error))
        raise damaged_file_error(file, folder_store.find_table_problem(table_name)) from error


def stays_on_disk(n_rows: int) -> bool:
    """Return whether a run with this number of rows stays on disk."""
    return n_rows > MAX_IN_MEMORY


def group_queries(run: Run) -> Run:
    """Return a long run in which the rows of each query are contiguous. Rows of the same query keep
    their order."""
    if not stays_on_disk(len(run)) or has_grouped_queries(run):
        return run
    order = np.argsort(run.query_codes, kind="stable")
    return replace(run, table=run.table.take(as_column(order)).combine_chunks())
