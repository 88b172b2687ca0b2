"""A whole collection as one file, out and in."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import IO

import pyarrow as pa

from dashboard.workspace import foreign
from dashboard.workspace.adding import free_id, now
from dashboard.workspace.errors import StorageError, damaged
from dashboard.workspace.records import (
    Collection,
    DamagedRecordError,
    Entry,
    decode,
    encode,
    is_number,
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
    where one of them is damaged."""
    for lost in workspace.damaged(identity):
        if is_number(lost.number):
            raise damaged(lost.file, lost.why)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as packed:
        told, entries = encode(workspace.collection(identity)), workspace.entries(identity)
        records = {f"{_RECORDS}{entry.number}.json": encode(entry) for entry in entries}
        _put(packed, _ABOUT, about(told, records))
        for name, content in {_COLLECTION: told, **records}.items():
            _put(packed, name, content)
        for table, entry in {entry.table: entry for entry in entries}.items():
            _put(packed, f"{_TABLES}{table}.parquet", workspace.bytes_of(entry))


def about(told: bytes, records: Mapping[str, bytes]) -> bytes:
    """What tells that a zip is a packed collection: the layout, and a hash of its records, because
    a zip does not notice when its list of members is damaged."""
    check = hashlib.sha256(told)
    for name in sorted(records):
        check.update(hashlib.sha256(records[name]).digest())
    return json.dumps({"layout": LAYOUT, "check": check.hexdigest()}).encode()


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
    except (zipfile.BadZipFile, ValueError, OSError, RuntimeError, struct.error):
        return False


def unpack(workspace: Workspace, content: bytes, *, file: str) -> Collection:
    """Make a collection of a packed one, under an id of its own. Raises StorageError where the file
    is damaged, was made by a newer version, or cannot be kept; then nothing is."""
    with _whole(file), zipfile.ZipFile(io.BytesIO(content)) as packed:
        _check_size(packed, len(content))
        told, entries = _collection(packed, file), _entries(packed)
        tables = {e.table: _member(packed, f"{_TABLES}{e.table}.parquet") for e in entries}
        for name, table in tables.items():
            if hashlib.sha256(table).hexdigest() != name:
                raise DamagedRecordError("a table is not as it was written")
        for entry in entries:
            foreign.check(entry, tables[entry.table])
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
    own = _member(packed, _ABOUT)
    layout = json.loads(own)["layout"]
    if layout > LAYOUT:
        raise StorageError(
            f"{file} was written by a newer Ranklens (layout {layout}, this one knows {LAYOUT}).",
            "Open it with the newer Ranklens.",
        )
    told = _member(packed, _COLLECTION)
    if own != about(told, _records(packed)):
        raise DamagedRecordError("its records are not those that were packed")
    return decode(told, Collection)


def _records(packed: zipfile.ZipFile) -> dict[str, bytes]:
    names = [n for n in packed.namelist() if n.startswith(_RECORDS)]
    if len(names) > _MOST_MEMBERS:
        raise DamagedRecordError(f"{len(names)} records")
    return {name: _member(packed, name) for name in sorted(names)}


def _entries(packed: zipfile.ZipFile) -> list[Entry]:
    entries = [decode(content, Entry) for content in _records(packed).values()]
    slots = [e.slot for e in entries if e.kind == "run"]
    if len({(e.kind, e.name) for e in entries}) < len(entries) or len(set(slots)) < len(slots):
        raise DamagedRecordError("two files have one name or colour")
    return entries


def _member(packed: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a member; no more than it says, and no more than a collection can hold."""
    told = packed.getinfo(name)
    largest = _LARGEST_TABLE if name.startswith(_TABLES) else _LARGEST_RECORD
    if told.file_size > largest:
        raise DamagedRecordError(f"{name} is too large")
    return packed.read(told)


def _check_size(packed: zipfile.ZipFile, size: int) -> None:
    """Tables are packed already and members stand one after the other: what says that it is more
    than the file has bytes was not packed by us."""
    every = packed.infolist()
    stored = all(member.compress_type == zipfile.ZIP_STORED for member in every)
    if not stored or sum(member.file_size for member in every) > size:
        raise DamagedRecordError("its members are larger than it is")


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
        OSError,
        RuntimeError,  # a member that is encrypted, or text that is nested too deep
        struct.error,
    ) as error:
        raise StorageError(
            f"{file} is not whole, so nothing of it was taken in.",
            "Copy or download the file again.",
        ) from error
