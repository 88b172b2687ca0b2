"""Folders of earlier layouts, whose collections were files of JSON: imported once, and left as they
are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dashboard.workspace.disk.lines import contents_of, is_name
from dashboard.workspace.disk.records import (
    Collection,
    DamagedRecordError,
    Entry,
    Record,
    decode,
    is_id,
)
from dashboard.workspace.disk.shelves import Shelves

_COLLECTION, _RECORD, _JOURNAL = "collection.json", ".json", ".journal"


def import_folder(shelves: Shelves) -> None:
    """Make a database of each collection of the folder. A record that cannot be read is left out:
    it stays where it is. Raises OSError and StorageError."""
    with shelves.importing() as is_due:
        for folder in _collections(shelves.folder) if is_due else ():
            if not shelves.database(folder.name).exists():
                _import(shelves, folder)


def _import(shelves: Shelves, folder: Path) -> None:
    told = next(_records(folder / _COLLECTION, Collection), None)
    if told is None or told.id != folder.name:
        told = Collection(folder.name, f"Unnamed collection {folder.name}", "")
    journals = {
        path.stem: path.read_bytes()
        for path in sorted(folder.glob(f"*{_JOURNAL}"))
        if is_name(path.stem) and path.is_file()
    }
    shelves.put_whole(told, _entries(folder), contents_of(journals), numbered=False)


def tables_named(folder: Path) -> set[str]:
    """The tables that files of an earlier layout name."""
    return {entry.table for own in _collections(folder) for entry in _entries(own)}


def _collections(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("collections/*")) if is_id(path.name)]


def _entries(folder: Path) -> list[Entry]:
    found = (
        entry
        for path in sorted(folder.glob(f"*{_RECORD}"))
        if path.name != _COLLECTION
        for entry in _records(path, Entry)
        if entry.number == path.stem
    )
    return sorted(found, key=lambda entry: int(entry.number))


def _records(path: Path, kind: type[Record]) -> Iterator[Record]:
    try:
        yield decode(path.read_bytes(), kind)
    except (DamagedRecordError, OSError):
        return
