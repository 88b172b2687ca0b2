"""A whole collection as one file, out and in."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import IO

import pyarrow as pa

from dashboard.workspace.adding import free_id, now
from dashboard.workspace.errors import StorageError
from dashboard.workspace.records import (
    Collection,
    DamagedRecordError,
    Entry,
    decode,
    encode,
    is_table,
)
from dashboard.workspace.shelves import LAYOUT, Shelves
from dashboard.workspace.store import Workspace

_ABOUT = "ranklens.json"
_COLLECTION, _RECORDS, _TABLES = "collection.json", "records/", "tables/"
_LARGEST_RECORD, _LARGEST_TABLE = 1 << 20, 1 << 31
_MOST_MEMBERS = 20_000
_EPOCH = (1980, 1, 1, 0, 0, 0)


def pack(workspace: Workspace, identity: str, out: IO[bytes]) -> None:
    """Write a collection into a zip file: records and tables as they are kept. Raises StorageError
    where one of its tables is damaged."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as packed:
        _put(packed, _ABOUT, json.dumps({"layout": LAYOUT}).encode())
        _put(packed, _COLLECTION, encode(workspace.collection(identity)))
        written = set()
        for entry in workspace.entries(identity):
            if entry.table not in written:
                _put(packed, f"{_TABLES}{entry.table}.parquet", workspace.bytes_of(entry))
                written.add(entry.table)
            _put(packed, f"{_RECORDS}{entry.number}.json", encode(entry))


def _put(packed: zipfile.ZipFile, name: str, content: bytes) -> None:
    # A fixed time: the same collection gives the same file.
    packed.writestr(zipfile.ZipInfo(name, _EPOCH), content)


def is_packed(content: bytes) -> bool:
    """Whether these are the bytes of a packed collection."""
    if not content.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            return _ABOUT in packed.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def unpack(workspace: Workspace, content: bytes, *, file: str) -> Collection:
    """Make a collection of a packed one, under an id of its own. Raises StorageError where the file
    is damaged, was made by a newer version, or cannot be kept; then nothing is."""
    with _whole(file), zipfile.ZipFile(io.BytesIO(content)) as packed:
        told, entries = _collection(packed, file), list(_entries(packed))
        tables = {e.table: _member(packed, f"{_TABLES}{e.table}.parquet") for e in entries}
        for name, table in tables.items():
            if hashlib.sha256(table).hexdigest() != name:
                raise DamagedRecordError("a table is not as it was written")
    with workspace.writing() as shelves:
        made = replace(told, id=free_id(shelves.ids()), changed=now(), removed=False)
        _put_all(shelves, made, entries, tables)
        return made


def _put_all(
    shelves: Shelves, made: Collection, entries: list[Entry], tables: dict[str, bytes]
) -> None:
    for name, table in tables.items():
        shelves.put_table(name, pa.py_buffer(table))
    shelves.put_whole(made, entries)


def _collection(packed: zipfile.ZipFile, file: str) -> Collection:
    layout = json.loads(_member(packed, _ABOUT))["layout"]
    if layout > LAYOUT:
        raise StorageError(
            f"{file} was written by a newer Ranklens (layout {layout}, this one knows {LAYOUT}).",
            "Open it with the newer Ranklens.",
        )
    return decode(_member(packed, _COLLECTION), Collection)


def _entries(packed: zipfile.ZipFile) -> Iterator[Entry]:
    names = [n for n in packed.namelist() if n.startswith(_RECORDS)]
    if len(names) > _MOST_MEMBERS:
        raise DamagedRecordError(f"{len(names)} records")
    for name in sorted(names):
        entry = decode(_member(packed, name), Entry)
        if not is_table(entry.table):
            raise DamagedRecordError("a record names no table")
        yield entry


def _member(packed: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a member; no more than it says, and no more than a collection can hold."""
    told = packed.getinfo(name)
    largest = _LARGEST_TABLE if name.startswith(_TABLES) else _LARGEST_RECORD
    # Tables are packed already: one that grows is no table of ours.
    if told.file_size > largest or told.compress_type != zipfile.ZIP_STORED:
        raise DamagedRecordError(f"{name} is too large")
    return packed.read(told)


@contextmanager
def _whole(file: str) -> Iterator[None]:
    """Turns what a damaged zip raises into one sentence."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        ValueError,
        KeyError,
        TypeError,
        EOFError,
        NotImplementedError,
    ) as error:
        raise StorageError(
            f"{file} is not whole, so nothing of it was taken in.",
            "Copy or download the file again.",
        ) from error
