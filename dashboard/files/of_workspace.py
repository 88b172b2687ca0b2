"""The workspace's files in memory: read when they are asked for, let go when they are removed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from threading import Lock

from dashboard.files.files import File
from dashboard.workspace import Entry, StorageError, Workspace
from dashboard.workspace.disk.errors import damaged
from dashboard.workspace.disk.records import hidden
from metrics_core.base.notes import Note
from metrics_core.base.parallel import on_all_cores

_Key = tuple[str, str]
"""Number of an entry, and when it was changed."""


class LoadedFiles:
    """One of these serves all sessions, so a table is in memory once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._kept: dict[str, dict[tuple[str, str], File]] = {}
        self._locks: dict[str, Lock] = {}

    def of(self, collection: str) -> list[File]:
        """The files of a collection; those that cannot be read carry the error."""
        with self._locks.setdefault(collection, Lock()):
            files = self._read_all(collection, self._kept.get(collection, {}))
            if any(f.error is not None for f in files.values()):  # what it replaced is shown again
                files = self._read_all(collection, {_key(e): f for e, f in files.items()})
            whole = {e: f for e, f in files.items() if f.error is None}
            # One that could not be read is tried again: it may have been mended.
            self._kept[collection] = {_key(e): f for e, f in whole.items()}
            standing_in = self._workspace.standing_in(collection)
            unsound = self._workspace.damaged(collection)
        older = hidden(list(whole))  # those whose newer one is in memory still
        here = [f for e, f in whole.items() if e.number not in older]
        shown = [_older(f) if f.number in standing_in else f for f in here]
        broken = {f.number: f for f in files.values() if f.error is not None}
        told = {d.number: _damaged(d.number, d.file, damaged(d.file, d.why)) for d in unsound}
        return [*shown, *(broken | told).values()]

    def _read_all(self, collection: str, known: Mapping[_Key, File]) -> dict[Entry, File]:
        """All files of a collection, of which some are `known`."""
        entries = self._workspace.entries(collection)
        lacking = [entry for entry in entries if _key(entry) not in known]
        read = dict(on_all_cores(self._read, lacking))
        return {entry: known.get(_key(entry)) or read[entry] for entry in entries}

    def _read(self, entry: Entry) -> tuple[Entry, File]:
        try:
            table = self._workspace.load(entry)
        except StorageError as error:
            return entry, _damaged(entry.number, entry.file, error)
        return entry, File(
            # Judgments in use are remembered by their rows; two runs may have the same.
            key=f"{entry.content}#{entry.number}" if entry.kind == "run" else entry.content,
            content=entry.content,
            version=f"{entry.number} {entry.changed}",
            file=entry.file,
            origin="upload",
            table=table,
            read_as=entry.read_as,
            slot=entry.slot if entry.kind == "run" else None,
            number=entry.number,
            written=entry.came,
        )


def _key(entry: Entry) -> _Key:
    return entry.number, entry.changed


def _older(file: File) -> File:
    """A file that a newer one replaced whose table is not whole."""
    assert file.table is not None
    message = f"an older version of {file.file}: the newer one could not be read"
    table = file.table.noting(Note("older_version", message, loud=True))
    return replace(file, table=table, version=f"{file.version} older")


def _damaged(number: str, file: str, error: StorageError) -> File:
    return File(key=f"damaged:{number}", file=file, origin="upload", error=error, number=number)
