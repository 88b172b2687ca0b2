"""Workspace folders with the layout of an earlier version, whose collections are JSON files. They
are imported once; the JSON files are not changed."""

from __future__ import annotations

import re
from pathlib import Path

from dashboard.workspace.disk.contents import Contents
from dashboard.workspace.disk.folder_store import FolderStore
from dashboard.workspace.disk.journal_lines import NO_CHECKSUM, is_journal_name, parse_journals
from dashboard.workspace.disk.records import (
    Collection,
    DamagedRecordError,
    Entry,
    Record,
    decode_record,
    is_collection_id,
    is_file_number,
)

_COLLECTION, _RECORD, _JOURNAL = "collection.json", ".json", ".journal"
_TABLE = re.compile(rb"[0-9a-f]{64}")


def import_folder(folder_store: FolderStore) -> None:
    """Create a database for each collection that has none yet. Records that cannot be read become
    damaged rows. Raises OSError and StorageError."""
    with folder_store.start_import() as is_due:
        for folder in _collection_folders(folder_store.folder) if is_due else ():
            if not folder_store.database_path(folder.name).exists():
                _import_collection(folder_store, folder)


def _import_collection(folder_store: FolderStore, folder: Path) -> None:
    collection = _read_record(folder / _COLLECTION, Collection)
    if collection is None or collection.id != folder.name:
        collection = Collection(folder.name, f"Unnamed collection {folder.name}", "")
    journals = {
        path.stem: path.read_bytes()
        for path in sorted(folder.glob(f"*{_JOURNAL}"))
        if is_journal_name(path.stem) and path.is_file()
    }
    paths = [p for p in folder.glob(f"*{_RECORD}") if is_file_number(p.stem)]
    records = {
        path.stem: _read_record(path, Entry) for path in sorted(paths, key=lambda p: int(p.stem))
    }
    entries = [entry for number, entry in records.items() if entry and entry.number == number]
    contents = parse_journals(journals)
    damaged_numbers = records.keys() - {entry.number for entry in entries}
    damaged = [(int(number), "", NO_CHECKSUM) for number in damaged_numbers]
    contents = Contents(contents.intact, {**contents.damaged, "files": damaged})
    folder_store.create_collection(collection, entries, contents, renumber=False)


def find_table_names(folder: Path) -> set[str]:
    """Return the names of the tables that records of an earlier layout mention. Damaged records are
    included."""
    records = [
        p
        for collection_folder in _collection_folders(folder)
        for p in collection_folder.glob(f"*{_RECORD}")
        if p.is_file()
    ]
    return {name.decode() for path in records for name in _TABLE.findall(path.read_bytes())}


def _collection_folders(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("collections/*")) if is_collection_id(path.name)]


def _read_record(path: Path, kind: type[Record]) -> Record | None:
    try:
        return decode_record(path.read_bytes(), kind)
    except (DamagedRecordError, OSError):
        return None
