"""The files of the workspace in memory. They are loaded on request and released when they are
removed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from threading import Lock

from dashboard.files.files import File
from dashboard.workspace import Entry, StorageError, Workspace
from dashboard.workspace.disk.errors import damaged_file_error
from dashboard.workspace.disk.records import replaced_entry_numbers
from metrics_core.base.notes import Note
from metrics_core.base.parallel import map_on_all_cores

_Key = tuple[str, str]
"""The number of an entry in the workspace, and the time when it was changed."""


class LoadedFiles:
    """The loaded tables of the workspace. All sessions share them, so that each table is in memory
    only once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._loaded: dict[str, dict[tuple[str, str], File]] = {}
        self._locks: dict[str, Lock] = {}

    def list_files(self, collection_id: str) -> list[File]:
        """List the files of a collection. A file that cannot be read has an error."""
        with self._locks.setdefault(collection_id, Lock()):
            files = self._read_missing_files(collection_id, self._loaded.get(collection_id, {}))
            if any(
                f.error is not None for f in files.values()
            ):  # the file it replaced is shown again
                files = self._read_missing_files(
                    collection_id, {_entry_key(e): f for e, f in files.items()}
                )
            intact = {e: f for e, f in files.items() if f.error is None}
            # A file that could not be read is tried again next time: it may have been repaired.
            self._loaded[collection_id] = {_entry_key(e): f for e, f in intact.items()}
            standing_in = self._workspace.fallback_file_numbers(collection_id)
            unsound = self._workspace.damaged_records(collection_id)
        older = replaced_entry_numbers(list(intact))  # files whose newer version is still in memory
        current_files = [f for e, f in intact.items() if e.number not in older]
        shown_files = [
            _add_older_version_note(f) if f.number in standing_in else f for f in current_files
        ]
        broken = {f.number: f for f in files.values() if f.error is not None}
        damaged_files = {
            d.number: _make_damaged_file(d.number, d.file, damaged_file_error(d.file, d.why))
            for d in unsound
        }
        return [*shown_files, *(broken | damaged_files).values()]

    def _read_missing_files(
        self, collection_id: str, loaded_files: Mapping[_Key, File]
    ) -> dict[Entry, File]:
        """Read those files of a collection that are not yet in `loaded_files`."""
        entries = self._workspace.entries(collection_id)
        missing = [entry for entry in entries if _entry_key(entry) not in loaded_files]
        newly_loaded = dict(map_on_all_cores(self._read, missing))
        return {
            entry: loaded_files.get(_entry_key(entry)) or newly_loaded[entry] for entry in entries
        }

    def _read(self, entry: Entry) -> tuple[Entry, File]:
        try:
            table = self._workspace.load_table(entry)
        except StorageError as error:
            return entry, _make_damaged_file(entry.number, entry.file, error)
        return entry, File(
            # Judgments in use are identified by their rows; two runs may have the same rows.
            key=f"{entry.content}#{entry.number}" if entry.kind == "run" else entry.content,
            content=entry.content,
            version=f"{entry.number} {entry.changed}",
            file=entry.file,
            origin="upload",
            table=table,
            read_as=entry.read_as,
            slot=entry.slot if entry.kind == "run" else None,
            number=entry.number,
            written=entry.added_at,
        )


def _entry_key(entry: Entry) -> _Key:
    return entry.number, entry.changed


def _add_older_version_note(file: File) -> File:
    """Return an earlier version of a file with a note. The note says that this version is shown
    because the newer one cannot be read."""
    assert file.table is not None
    message = f"an older version of {file.file} is in use, because the newer one cannot be read"
    table = file.table.with_notes(Note("older_version", message, loud=True))
    return replace(file, table=table, version=f"{file.version} older")


def _make_damaged_file(number: str, file: str, error: StorageError) -> File:
    return File(key=f"damaged:{number}", file=file, origin="upload", error=error, number=number)
