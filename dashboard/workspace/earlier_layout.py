"""Folders of earlier layouts, whose collections were files of JSON: imported once, and left as they
are."""

from __future__ import annotations

import re
from pathlib import Path

from dashboard.workspace.disk.contents import Contents
from dashboard.workspace.disk.lines import NO_CHECKSUM, contents_of, is_name
from dashboard.workspace.disk.records import (
    Collection,
    DamagedRecordError,
    Entry,
    Record,
    decode,
    is_id,
    is_number,
)
from dashboard.workspace.disk.shelves import Shelves

_COLLECTION, _RECORD, _JOURNAL = "collection.json", ".json", ".journal"
_TABLE = re.compile(rb"[0-9a-f]{64}")


def import_folder(shelves: Shelves) -> None:
    """Make a database of each collection of the folder. A record that cannot be read is a damaged
    row. Raises OSError and StorageError."""
    with shelves.importing() as is_due:
        for folder in _collections(shelves.folder) if is_due else ():
            if not shelves.database(folder.name).exists():
                _import(shelves, folder)


def _import(shelves: Shelves, folder: Path) -> None:
    told = _record(folder / _COLLECTION, Collection)
    if told is None or told.id != folder.name:
        told = Collection(folder.name, f"Unnamed collection {folder.name}", "")
    journals = {
        path.stem: path.read_bytes()
        for path in sorted(folder.glob(f"*{_JOURNAL}"))
        if is_name(path.stem) and path.is_file()
    }
    paths = [p for p in folder.glob(f"*{_RECORD}") if is_number(p.stem)]
    found = {path.stem: _record(path, Entry) for path in sorted(paths, key=lambda p: int(p.stem))}
    entries = [entry for number, entry in found.items() if entry and entry.number == number]
    contents = contents_of(journals)
    lost = found.keys() - {entry.number for entry in entries}
    damaged = [(int(number), "", NO_CHECKSUM) for number in lost]
    contents = Contents(contents.whole, {**contents.damaged, "files": damaged})
    shelves.put_whole(told, entries, contents, numbered=False)


def tables_named(folder: Path) -> set[str]:
    """The tables that records of an earlier layout name, also damaged ones."""
    records = [p for own in _collections(folder) for p in own.glob(f"*{_RECORD}") if p.is_file()]
    return {name.decode() for path in records for name in _TABLE.findall(path.read_bytes())}


def _collections(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("collections/*")) if is_id(path.name)]


def _record(path: Path, kind: type[Record]) -> Record | None:
    try:
        return decode(path.read_bytes(), kind)
    except (DamagedRecordError, OSError):
        return None
