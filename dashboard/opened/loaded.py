"""The workspace's files in memory: read when they are asked for, let go when they are removed."""

from __future__ import annotations

from threading import Lock

from dashboard.opened.files import File
from dashboard.workspace import Entry, StorageError, Workspace
from dashboard.workspace.errors import damaged
from metrics_core.parallel import on_all_cores


class LoadedFiles:
    """One of these serves all sessions, so a table is in memory once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._kept: dict[str, dict[tuple[str, str], File]] = {}
        self._locks: dict[str, Lock] = {}

    def of(self, collection: str) -> list[File]:
        """The files of a collection; those that cannot be read carry the error."""
        with self._locks.setdefault(collection, Lock()):
            known = self._kept.get(collection, {})
            unsound = {d.number: d for d in self._workspace.damaged(collection)}
            entries = {(e.number, e.changed): e for e in self._workspace.entries(collection)}
            lacking = [entry for key, entry in entries.items() if key not in known]
            read = {(e.number, e.changed): f for e, f in on_all_cores(self._read, lacking)}
            files = {key: known.get(key) or read[key] for key in entries}
            # One that could not be read is tried again: it may have been mended.
            self._kept[collection] = {k: f for k, f in files.items() if f.error is None}
        whole = [f for f in files.values() if f.error is None]
        broken = {f.number: f for f in files.values() if f.error is not None}
        told = {n: _damaged(n, d.file, damaged(d.file, d.why)) for n, d in unsound.items()}
        return [*whole, *(broken | told).values()]

    def _read(self, entry: Entry) -> tuple[Entry, File]:
        try:
            table = self._workspace.load(entry)
        except StorageError as error:
            return entry, _damaged(entry.number, entry.file, error)
        return entry, File(
            key=entry.content,
            version=f"{entry.number} {entry.changed}",
            file=entry.file,
            origin="upload",
            table=table,
            read_as=entry.read_as,
            slot=entry.slot if entry.kind == "run" else None,
            number=entry.number,
            written=entry.came,
        )


def _damaged(number: str, file: str, error: StorageError) -> File:
    return File(key=f"damaged:{number}", file=file, origin="upload", error=error, number=number)
