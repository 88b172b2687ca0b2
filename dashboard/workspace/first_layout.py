"""The first layout: one list of files, index.json, and beside it their tables, named by a hash of
their rows. That hash tells whether rows are those that were given, and of which kind they are, so
that tables are known even where the list is damaged.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa

from dashboard.workspace.adding import free_slot, names, now
from dashboard.workspace.disk import durable
from dashboard.workspace.disk.records import Collection, Entry, decode, encode, is_table
from dashboard.workspace.disk.shelves import Shelves
from dashboard.workspace.long_runs.tables import arrow_of, content_of, queries_of, table_of
from metrics_core.base.errors import RanklensError
from metrics_core.base.notes import Note
from metrics_core.formats import Kind
from metrics_core.tables import Table
from metrics_core.tables.run_names import free_name

OWN = "own"
"""The collection of a reader's own files where nobody made another one; links of the first layout
name it."""

BESIDE_SAMPLE = "added-to-example"
"""Where the first layout's files go that were added to the example."""

_INDEX, _TABLE = "index.json", ".parquet"
_NAMES = {OWN: "My files", BESIDE_SAMPLE: "Added to the example"}
_UNREADABLE = (
    pa.ArrowException, RanklensError, ValueError, KeyError, TypeError, AttributeError, OSError,
)  # fmt: skip


def take_over(shelves: Shelves) -> None:
    """Turn the one list of files into collections. Whenever it is ended in between, it can be run
    again. A table that is not as it was written stays where it is; its file is told to be damaged,
    and is mended by adding it again. Raises OSError."""
    index = shelves.folder / _INDEX
    if not index.exists():
        return
    listed = list(_listed(index))
    listed += _not_listed(shelves.folder, {entry.content for _, entry in listed})
    for identity, name in _NAMES.items():
        known = {e.content for e in shelves.entries(identity)}
        given = [e for where, e in listed if where == identity and e.content not in known]
        _put(shelves, Collection(identity, name, now()), [_kept(shelves, e) for e in given])
    shelves.say_layout()
    for identity in _NAMES:
        for entry in shelves.entries(identity):
            if entry.table == entry.content:
                continue
            if shelves.unsound(entry.table, look=True):  # a copy of a folder in use may lack it
                _kept(shelves, entry)
            if not shelves.unsound(entry.table, look=True):
                durable.remove(_first_table(shelves.folder, entry.content))
    index.replace(index.with_name("index-of-layout-1.json"))
    durable.sync_folder(shelves.folder)


def _listed(index: Path) -> Iterator[tuple[str, Entry]]:
    """Collection and record of each file of the list, as far as it can be read. A record names a
    table that is not there, until it is kept."""
    try:
        files = list(json.loads(index.read_bytes())["files"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    for told in files:
        with suppress(*_UNREADABLE):
            yield BESIDE_SAMPLE if told.get("with_sample") else OWN, _entry(told)


def _entry(told: Mapping[str, Any]) -> Entry:
    """Raises KeyError, TypeError or ValueError where it tells of no file."""
    entry = Entry(
        number="00000",
        kind=told["kind"],
        name=told["name"],
        file=told["file"],
        read_as=told["read_as"],
        rows=told["rows"],
        queries=None,
        slot=told["slot"],
        content=told["content"],
        table=told["content"],
        changed=now(),
        notes=tuple(
            Note(**{**note, "examples": tuple(note["examples"])}) for note in told["notes"]
        ),
    )
    return decode(encode(entry), Entry)


def _not_listed(folder: Path, listed: set[str]) -> Iterator[tuple[str, Entry]]:
    """Tables that the list lacks, because it is damaged; what they were called is lost."""
    for path in sorted(folder.glob(f"*{_TABLE}")):
        if not is_table(path.stem) or path.stem in listed:
            continue
        content = path.read_bytes()
        for kind in get_args(Kind):
            with suppress(*_UNREADABLE):
                rows = len(_table(content, path.stem, kind))
                file = f"{path.stem[:8]}{_TABLE}"
                told = {"kind": kind, "name": file, "file": file, "read_as": "Parquet"}
                more = {"rows": rows, "slot": 0, "content": path.stem, "notes": ()}
                yield OWN, _entry({**told, **more})


def _table(content: bytes, digest: str, kind: Kind) -> Table:
    """The rows of a table. Raises one of _UNREADABLE where they are not those, or of another
    kind."""
    if content_of(arrow_of(content), kind) != digest:
        raise ValueError("not the rows that were given")
    return table_of(content, kind, name="", notes=())


def _kept(shelves: Shelves, entry: Entry) -> Entry:
    """The record with its table kept anew, if that is as it was written."""
    path = _first_table(shelves.folder, entry.content)
    content = path.read_bytes() if path.exists() else b""
    try:
        table = _table(content, entry.content, entry.kind)
    except _UNREADABLE:
        return entry
    name = hashlib.sha256(content).hexdigest()
    shelves.put_table(name, pa.py_buffer(content))
    return replace(entry, table=name, queries=queries_of(table))


def _put(shelves: Shelves, collection: Collection, given: list[Entry]) -> None:
    """Add records to a collection that may be there, under free names and in free colours."""
    every = list(shelves.entries(collection.id))
    first = int(shelves.free_number(collection.id))
    for number, entry in enumerate(given, start=first):
        taken = {e.slot for e in every if e.kind == "run"}
        every.append(
            replace(
                entry,
                number=f"{number:05}",
                name=free_name(entry.name, names(every, entry.kind)),
                slot=free_slot(taken) if entry.slot in taken else entry.slot,
            )
        )
    if given and collection.id not in shelves.ids():
        shelves.put_whole(collection, every)
    else:
        for entry in every[len(every) - len(given) :]:
            shelves.put_entry(collection.id, entry)


def _first_table(folder: Path, content: str) -> Path:
    return folder / f"{content}{_TABLE}"
