"""Long runs of folders as the workspace's cache keeps them: read once, then opened by what their
copy says. The files of the folder are never written. No Streamlit here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any

from dashboard.opened.files import File, Origin, glanced, read_files
from dashboard.workspace import StorageError
from dashboard.workspace.adding import packed
from dashboard.workspace.cache import Cache, Kept
from dashboard.workspace.durable import State
from dashboard.workspace.records import note_of
from dashboard.workspace.stored_run import gathered, is_long, just_kept, stored_run
from dashboard.workspace.tables import as_arrow, content_of
from metrics_core.tables import Run

_SMALLEST = 4_000_000
"""Bytes of a file that may hold a long run, packed or not."""
_WHAT = "files"
_READING = Lock()


class ConvertedFiles:
    """Files of folders; of one that was read before, only its state or its bytes are looked at."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def read(
        self,
        path: Path,
        state: State | None,
        *,
        shown: str,
        origin: Origin,
        choices: Mapping[str, Any],
    ) -> list[File]:
        """The tables of one file in this state, as `read_files` gives them."""
        large = path.is_file() and path.stat().st_size >= _SMALLEST
        if not large or glanced(path) not in ("run", None):
            return read_files(path, shown=shown, origin=origin, choices=choices)
        told = (shown, repr(sorted(choices.items())))
        by_state = (*told, str(path), repr(state))
        known = self._known(by_state, shown, origin)
        if known is not None:
            return [known]
        by_content = (*told, _hash_of(path))
        with _READING:  # two at once would need twice the room
            known = self._known(by_content, shown, origin)
            if known is None:
                files = read_files(path, shown=shown, origin=origin, choices=choices)
                if not self._keep(by_content, files):
                    return files
                known = self._known(by_content, shown, origin)
        record = self._cache.get(_WHAT, *by_content)
        if known is None or record is None:
            return read_files(path, shown=shown, origin=origin, choices=choices)
        self._cache.put(_WHAT, *by_state, kept=record)
        return [known]

    def _known(self, of: tuple[str, ...], shown: str, origin: Origin) -> File | None:
        """The file that was read before; None where its copy is not there, or not whole."""
        record = self._cache.get(_WHAT, *of)
        if record is None:
            return None
        told = record.told
        notes = [note_of(note) for note in told["notes"]]
        try:
            run = stored_run(
                self._cache.shelves,
                self._cache,
                table=told["table"],
                content=told["content"],
                file=shown,
                name=told["name"],
                notes=notes,
            )
        except StorageError:
            return None
        self._cache.use_table(told["table"])
        key = f"{origin}:{shown}"
        return File(key=key, file=shown, origin=origin, table=run, read_as=told["read_as"])

    def _keep(self, of: tuple[str, ...], files: list[File]) -> bool:
        """Keep what was read, if it is one long run; whether it now is kept."""
        run = files[0].table if len(files) == 1 else None
        if not isinstance(run, Run) or not is_long(len(run)):
            return False
        run = gathered(run)
        rows = as_arrow(run)
        table, content = packed(rows)
        if not self._cache.put_table(table, content):
            return False
        just_kept(self._cache, table, run)
        told = {
            "table": table,
            "content": content_of(rows, "run"),
            "name": run.name,
            "read_as": files[0].read_as,
            "notes": [asdict(note) for note in run.notes],
        }
        self._cache.put(_WHAT, *of, kept=Kept(told=told))
        return True


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
