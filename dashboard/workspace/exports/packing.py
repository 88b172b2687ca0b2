"""Packing of a whole collection into one file, and unpacking."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

import pyarrow as pa

from dashboard.workspace import adding
from dashboard.workspace.disk.contents import NO_CONTENTS, Contents
from dashboard.workspace.disk.errors import StorageError, damaged_file_error
from dashboard.workspace.disk.journal_lines import is_journal_name, parse_journals, write_journals
from dashboard.workspace.disk.json_values import check_values
from dashboard.workspace.disk.records import (
    BASELINE_RULE,
    DEFAULT_SETTINGS,
    Collection,
    DamagedRecordError,
    Entry,
    Settings,
    decode_record,
    encode_record,
    is_file_number,
)
from dashboard.workspace.exports import table_checks
from dashboard.workspace.store import Workspace
from metrics_core.formats import Loaded
from metrics_core.formats.source.unpacking import Origin, open_raw, stored_size

_ABOUT = "ranklens.json"
_COLLECTION, _RECORDS, _TABLES = "collection.json", "records/", "tables/"
_JOURNALS = "journals/"
_LAYOUT, _WITHOUT_JOURNALS = 3, 2
"""Format versions of packed collections: with journals (`_LAYOUT`) and without journals. A
collection without journals can be imported by older versions of Ranklens."""

_LARGEST_RECORD, _LARGEST_JOURNAL, _LARGEST_TABLE = 1 << 20, 1 << 28, 1 << 31
_MOST_MEMBERS = 20_000
_EPOCH = (1980, 1, 1, 0, 0, 0)


def write_packed_collection(workspace: Workspace, collection_id: str, out: IO[bytes]) -> None:
    """Write a collection to a zip file. Its records and tables are copied unchanged. Raises
    StorageError if a record or a table is damaged."""
    for damaged_item in workspace.damaged_records(collection_id):
        if is_file_number(damaged_item.number):
            raise damaged_file_error(damaged_item.file, damaged_item.why)
    collection, entries = workspace.collection(collection_id), workspace.entries(collection_id)
    _write_archive(
        out, collection, entries, workspace.contents(collection_id), workspace.read_bytes
    )


def pack_tables(
    collection: Collection,
    files: Iterable[Loaded],
    out: IO[bytes],
    contents: Contents = NO_CONTENTS,
) -> None:
    """Pack a collection whose tables are not in a workspace into a zip file.

    `contents` are the layers, notes and tags of the collection. Raises StorageError if the rows of
    a table are damaged."""
    entries: list[Entry] = []
    tables: dict[str, pa.Buffer | Path] = {}
    for number, loaded in enumerate(files, start=1):
        name, tables[name] = adding.pack_table(loaded.table)
        entries.append(
            adding.make_record(
                loaded,
                entries,
                number=f"{number:05}",
                content_hash=adding.hash_content(loaded.table, loaded.kind),
                table_name=name,
                slots=(),
                replaced_entry=None,
            )
        )

    def read_entry_bytes(entry: Entry) -> bytes:
        content = tables[entry.table]
        return content.read_bytes() if isinstance(content, Path) else content.to_pybytes()

    _write_archive(out, collection, entries, contents, read_entry_bytes)


def pack_new_collection(
    name: str, files: Iterable[Loaded], settings: Settings = DEFAULT_SETTINGS
) -> bytes:
    """Return a packed collection that contains these tables, as bytes. The only `settings` that it
    contains are the directions of given measures."""
    out = io.BytesIO()
    collection = Collection(
        adding.make_free_id(()),
        name,
        adding.current_time(),
        baseline_rule=BASELINE_RULE,
        directions=dict(settings.directions),
    )
    pack_tables(collection, files, out)
    return out.getvalue()


def _write_archive(
    out: IO[bytes],
    collection: Collection,
    entries: Iterable[Entry],
    contents: Contents,
    read_entry_bytes: Callable[[Entry], bytes],
) -> None:
    head, entries = encode_record(collection), list(entries)
    records = {f"{_RECORDS}{entry.number}.json": encode_record(entry) for entry in entries}
    records |= {f"{_JOURNALS}{name}": lines for name, lines in write_journals(contents).items()}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as packed:
        _add_member(packed, _ABOUT, make_about_file(head, records))
        for name, content in {_COLLECTION: head, **records}.items():
            _add_member(packed, name, content)
        for table, entry in {entry.table: entry for entry in entries}.items():
            _add_member(packed, f"{_TABLES}{table}.parquet", read_entry_bytes(entry))


def make_about_file(collection_record: bytes, records: Mapping[str, bytes]) -> bytes:
    """Return the content of the file that marks a zip as a packed collection: the format version,
    and a hash of the records and journals. The hash is needed because the zip format does not
    detect a damaged list of members."""
    check = hashlib.sha256(collection_record)
    for name in sorted(records):
        check.update(hashlib.sha256(records[name]).digest())
    journals = any(name.startswith(_JOURNALS) for name in records)
    layout = _LAYOUT if journals else _WITHOUT_JOURNALS
    return json.dumps({"layout": layout, "check": check.hexdigest()}).encode()


def _add_member(packed: zipfile.ZipFile, name: str, content: bytes) -> None:
    # A fixed time, so that the same collection gives the same file.
    packed.writestr(zipfile.ZipInfo(name, _EPOCH), content)


def is_packed_collection(origin: Origin) -> bool:
    """Return whether a file is a packed collection."""
    try:
        with open_raw(origin) as file:
            # A packed collection begins with a member; zipfile accepts any bytes before one.
            if file.read(2) != b"PK":
                return False
            with zipfile.ZipFile(file) as packed:
                return _ABOUT in packed.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, RuntimeError, struct.error):
        return False


def import_packed_collection(workspace: Workspace, origin: Origin, *, file: str) -> Collection:
    """Import a packed collection under a new id.

    Raises StorageError if the file is damaged, was made by a newer version, or cannot be stored. In
    these cases, nothing is stored."""
    with (
        _translate_errors(file),
        open_raw(origin) as plain_file,
        zipfile.ZipFile(plain_file) as packed,
    ):
        _check_size(packed, stored_size(origin))
        collection, entries = _read_collection(packed, file), _read_entries(packed)
        members = _read_members(packed, _JOURNALS)
        journals = {name.removeprefix(_JOURNALS): lines for name, lines in members.items()}
        if not all(is_journal_name(name) for name in journals):
            raise DamagedRecordError("unrecognised journal in the zip")
        for lines in journals.values():
            _check_lines(lines)
        tables = {e.table: _read_member(packed, f"{_TABLES}{e.table}.parquet") for e in entries}
        for name, table in tables.items():
            if hashlib.sha256(table).hexdigest() != name:
                raise DamagedRecordError("a table is corrupted")
        for entry in entries:
            table_checks.check_table(entry, tables[entry.table])
    with workspace.hold_write_lock() as folder_store:
        new_collection = replace(
            collection,
            id=adding.make_free_id(folder_store.collection_ids()),
            changed=adding.current_time(),
            removed=False,
        )
        for name, table in tables.items():
            folder_store.put_table(name, pa.py_buffer(table))
        folder_store.create_collection(new_collection, entries, parse_journals(journals))
        return new_collection


def _read_collection(packed: zipfile.ZipFile, file: str) -> Collection:
    about_content = _read_member(packed, _ABOUT)
    layout = json.loads(about_content)["layout"]
    if layout > _LAYOUT:
        raise StorageError(
            f"{file} was written by a newer Ranklens (layout {layout}; this version supports"
            f" {_LAYOUT}).",
            "Open it with the newer Ranklens.",
        )
    collection_bytes = _read_member(packed, _COLLECTION)
    records = _read_members(packed, _RECORDS) | _read_members(packed, _JOURNALS)
    if about_content != make_about_file(collection_bytes, records):
        raise DamagedRecordError("its records differ from those that were packed")
    return decode_record(collection_bytes, Collection)


def _check_lines(journal: bytes) -> None:
    """Check the lines of a journal. Raises ValueError if a line has values that no file reader
    accepts. Damaged lines are accepted, because they show which data is lost."""
    for line in journal.splitlines():
        try:
            values = json.loads(line)
        except ValueError:
            continue
        check_values(values)


def _read_members(packed: zipfile.ZipFile, folder: str) -> dict[str, bytes]:
    """Return the bytes of each member in a folder of the zip by name."""
    names = [n for n in packed.namelist() if n.startswith(folder)]
    if len(names) > _MOST_MEMBERS:
        raise DamagedRecordError(f"{len(names)} records")
    return {name: _read_member(packed, name) for name in sorted(names)}


def _read_entries(packed: zipfile.ZipFile) -> list[Entry]:
    entries = [
        decode_record(content, Entry) for content in _read_members(packed, _RECORDS).values()
    ]
    slots = [e.slot for e in entries if e.kind == "run"]
    if len({(e.kind, e.name) for e in entries}) < len(entries) or len(set(slots)) < len(slots):
        raise DamagedRecordError("two files share a name or colour")
    return entries


def _read_member(packed: zipfile.ZipFile, name: str) -> bytes:
    """Read a member of the zip, at most to its declared size. Raises DamagedRecordError if this
    size is above the maximum for the kind of the member."""
    info = packed.getinfo(name)
    sizes = {_TABLES: _LARGEST_TABLE, _JOURNALS: _LARGEST_JOURNAL}
    largest = next((sizes[f] for f in sizes if name.startswith(f)), _LARGEST_RECORD)
    if info.file_size > largest:
        raise DamagedRecordError(f"{name} is too large")
    return packed.read(info)


def _check_size(packed: zipfile.ZipFile, size: int) -> None:
    """Check that no member of the zip is compressed, and that all members together are not larger
    than the zip file. Packing does not compress members, because tables are compressed already."""
    members = packed.infolist()
    stored = all(member.compress_type == zipfile.ZIP_STORED for member in members)
    if not stored or sum(member.file_size for member in members) > size:
        raise DamagedRecordError("the files in it are compressed, or larger than the zip itself")


@contextmanager
def _translate_errors(file: str) -> Iterator[None]:
    """Convert any error that a damaged zip causes in the `with` block to the same StorageError."""
    try:
        yield
    except StorageError:
        raise
    except (
        Exception
    ) as error:  # zipfile, JSON and Arrow raise more kinds of errors than can be listed
        raise StorageError(
            f"{file} is damaged or incomplete, so nothing was imported.",
            "Copy or download the file again.",
        ) from error
