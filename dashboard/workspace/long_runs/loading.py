"""Tables of entries, their bytes checked."""

from __future__ import annotations

import pyarrow as pa

from dashboard.workspace.disk.errors import damaged
from dashboard.workspace.disk.records import Entry
from dashboard.workspace.disk.shelves import Shelves
from dashboard.workspace.long_runs.cache import Cache
from dashboard.workspace.long_runs.stored_run import is_long, stored_run
from dashboard.workspace.long_runs.tables import table_of
from metrics_core.base.errors import RanklensError
from metrics_core.tables import Table


def load(shelves: Shelves, cache: Cache, entry: Entry) -> Table:
    """The table of an entry; the rows of a long run stay on the disk. Raises StorageError where
    they are not those that were kept."""
    if entry.kind == "run" and entry.complete and is_long(entry.rows):
        return stored_run(
            shelves,
            cache,
            table=entry.table,
            content=entry.content,
            file=entry.file,
            name=entry.name,
            notes=entry.notes,
        )
    content = bytes_of(shelves, entry)
    try:
        return table_of(content, entry.kind, name=entry.name, notes=entry.notes)
    except (pa.ArrowException, RanklensError, ValueError, KeyError, OSError) as error:
        shelves.mark_unsound(entry.table, str(error))
        raise damaged(entry.file, shelves.unsound(entry.table)) from error


def bytes_of(shelves: Shelves, entry: Entry) -> bytes:
    """The bytes that an entry's table is kept as. Raises StorageError for other bytes."""
    content = shelves.table(entry.table)
    if content is None:
        raise damaged(entry.file, shelves.unsound(entry.table))
    return content
