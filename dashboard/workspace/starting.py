"""What a start does to a workspace: take over an older layout, and sweep out what is left over."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from dashboard.workspace import durable
from dashboard.workspace.adding import now
from dashboard.workspace.errors import StorageError
from dashboard.workspace.records import Collection, Entry
from dashboard.workspace.shelves import Shelves
from dashboard.workspace.store import Workspace
from dashboard.workspace.tables import queries_of, table_of
from metrics_core.notes import Note

OWN = "own"
"""The collection of a reader's own files where nobody made another one; links of the first layout
name it."""

BESIDE_SAMPLE = "added-to-example"
"""Where the first layout's files go that were added to the example."""

_FIRST_INDEX = "index.json"
_NAMES = {OWN: "My files", BESIDE_SAMPLE: "Added to the example"}


def start(workspace: Workspace) -> None:
    """Bring the folder to today's layout and clean it. Where it cannot be written or another one
    writes, it stays as it is."""
    with suppress(StorageError):
        if workspace.folder.is_dir():
            with workspace.writing() as shelves:
                _take_over(shelves)
                shelves.sync()
                _sweep(shelves)


def _sweep(shelves: Shelves) -> None:
    """Remove what was removed before this start, what was being written when something ended it,
    and tables that nothing names; none of these where a record cannot be read, which may name it.
    """
    for draft in shelves.drafts():
        if draft.is_dir():
            shutil.rmtree(draft, ignore_errors=True)
        else:
            draft.unlink(missing_ok=True)
    for identity in shelves.ids():
        if shelves.collection(identity).removed:
            shelves.drop_collection(identity)
            continue
        every = shelves.entries(identity)
        hidden = {e.replaces for e in every}
        for entry in every:
            if entry.removed or entry.number in hidden:
                shelves.drop_entry(identity, entry.number)
    if any(shelves.damaged(identity) for identity in shelves.ids()):
        return
    named = {e.table for identity in shelves.ids() for e in shelves.entries(identity)}
    for table in shelves.tables():
        if table not in named:
            shelves.drop_table(table)


# The first layout


def _take_over(shelves: Shelves) -> None:
    """Turn the first layout's one list of files into collections; what of it cannot be read stays
    where it is."""
    index = shelves.folder / _FIRST_INDEX
    if not index.exists():
        return
    try:
        listed = list(json.loads(index.read_bytes())["files"])
    except (ValueError, KeyError, TypeError):
        listed = []
    taken = []
    for number, told in enumerate(listed, start=1):
        with suppress(pa.ArrowException, ValueError, KeyError, TypeError, OSError):
            taken.append(_taken(shelves, f"{number:05}", told))
    for identity, name in _NAMES.items():
        entries = [entry for where, entry in taken if where == identity]
        if entries and identity not in shelves.ids():
            shelves.put_whole(Collection(identity, name, now()), entries)
    shelves.say_layout()
    index.replace(index.with_name("index-of-layout-1.json"))
    durable.sync_folder(shelves.folder)
    for _, entry in taken:
        durable.remove(_first_table(shelves.folder, entry.content))


def _taken(shelves: Shelves, number: str, told: Mapping[str, Any]) -> tuple[str, Entry]:
    """A file of the first layout: its table is kept anew, its record is returned with the
    collection that it belongs to."""
    content = _first_table(shelves.folder, str(told["content"])).read_bytes()
    notes = tuple(Note(**{**n, "examples": tuple(n["examples"])}) for n in told["notes"])
    table = table_of(content, told["kind"], name=told["name"], notes=notes)
    name = hashlib.sha256(content).hexdigest()
    shelves.put_table(name, pa.py_buffer(content))
    entry = Entry(
        number=number,
        kind=told["kind"],
        name=told["name"],
        file=told["file"],
        read_as=told["read_as"],
        rows=told["rows"],
        queries=queries_of(table),
        slot=told["slot"],
        content=told["content"],
        table=name,
        changed=now(),
        notes=notes,
    )
    return (BESIDE_SAMPLE if told.get("with_sample") else OWN), entry


def _first_table(folder: Path, content: str) -> Path:
    """Where the first layout kept a table; its names were hashes, and nothing else is a path."""
    return folder / f"{int(content, 16):064x}.parquet"
