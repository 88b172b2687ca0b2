"""Adding a file to a collection: the record of the file, its bytes, and its colour."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import choice
from typing import Literal

import pyarrow as pa

from dashboard.workspace.disk.records import Entry
from dashboard.workspace.long_runs.stored_run import StoredRun
from dashboard.workspace.long_runs.tables import as_arrow, count_queries, hash_rows, table_bytes
from metrics_core.formats import Loaded
from metrics_core.tables import Run, Table
from metrics_core.tables.run_names import find_free_name

_ID_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # without letters that look alike
_ID_LENGTH = 8


@dataclass(frozen=True)
class AddedFile:
    """The result of adding a file. The file is new, is already known, or replaces an earlier file
    of the same name (`older_file`)."""

    entry: Entry
    status: Literal["new", "known", "replaced"]
    older_file: Entry | None = None


def make_record(
    loaded: Loaded,
    all_entries: Sequence[Entry],
    *,
    number: str,
    content_hash: str,
    table_name: str,
    slots: Iterable[int],
    replaced_entry: Entry | None,
) -> Entry:
    """Return the record of a new file. `all_entries` are the records of the collection's other
    files. `slots` are additional slots (colour and shape) that are in use."""
    name = loaded.table.name if isinstance(loaded.table, Run) else loaded.file
    added_at = current_time()
    taken_slots = {*slots, *(e.slot for e in all_entries if e.kind == "run")}
    return Entry(
        number=number,
        kind=loaded.kind,
        name=replaced_entry.name
        if replaced_entry
        else find_free_name(name, names_of_kind(all_entries, loaded.kind)),
        file=loaded.file,
        read_as=loaded.title,
        rows=len(loaded.table),
        queries=count_queries(loaded.table),
        slot=replaced_entry.slot if replaced_entry else find_free_slot(taken_slots),
        content=content_hash,
        table=table_name,
        changed=added_at,
        notes=loaded.notes,
        replaces=replaced_entry.number if replaced_entry else "",
        added=added_at,
        complete=not isinstance(loaded.table, Run) or loaded.table.complete,
    )


PackedTable = tuple[str, pa.Buffer | Path]
"""The hash that serves as a table's name, and the table's bytes or the path of a file with these
bytes."""


def hash_content(table: Table, kind: str) -> str:
    """Return the hash of a table's rows."""
    return table.rows.content if isinstance(table, StoredRun) else hash_rows(as_arrow(table), kind)


def pack_table(table: Table) -> PackedTable:
    """Return the name of a table, and its bytes or the path of a file with its bytes. Raises
    StorageError if the rows are in a file that is damaged."""
    if isinstance(table, StoredRun):
        with table.rows.reading():
            return table.rows.table, table.rows.path
    content = table_bytes(as_arrow(table))
    return hashlib.sha256(content).hexdigest(), content


def names_of_kind(entries: Iterable[Entry], kind: str) -> list[str]:
    """Return the names of the files of this kind."""
    return [e.name for e in entries if e.kind == kind]


def find_free_slot(taken_slots: Iterable[int]) -> int:
    """Return the first slot (colour and shape) that no run uses."""
    used = set(taken_slots)
    return next(i for i in range(len(used) + 1) if i not in used)


def make_free_id(taken_ids: Sequence[str]) -> str:
    """Return an id that is not in use."""
    while (new_id := "".join(choice(_ID_LETTERS) for _ in range(_ID_LENGTH))) in taken_ids:
        pass
    return new_id


def current_time() -> str:
    """Return the current time in UTC, in the format that records use."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
