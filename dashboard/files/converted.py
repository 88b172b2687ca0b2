"""Long runs of folders as the workspace's cache keeps them: read once, then opened by what their
copy says. The files of the folder are never written. No Streamlit here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from dashboard.files.converting import ONE_AT_A_TIME, SMALLEST, converted
from dashboard.files.files import File, Origin, glanced, read_files
from dashboard.workspace import StorageError
from dashboard.workspace.disk.durable import State, sha256_of
from dashboard.workspace.disk.records import note_of
from dashboard.workspace.long_runs.cache import Cache, Kept
from dashboard.workspace.long_runs.keeping import on_disk
from dashboard.workspace.long_runs.stored_run import StoredRun, stored_run
from metrics_core.formats import is_set
from metrics_core.formats.source.opening import open_source
from metrics_core.tables import Qrels

_WHAT = "converted"
_OF_TEXT = {"kind", "encoding"}
"""Choices that do not change what a long TREC run means."""


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
        judgments: Sequence[Qrels] = (),
        progress: Callable[[int], None] | None = None,
    ) -> list[File]:
        """The tables of one file in this state, as `read_files` gives them. A long run is judged
        with what of `judgments` seems to be its own while it is read; `progress` is told the bytes
        of text that were."""
        if not may_be_long(path):
            return read_files(path, shown=shown, origin=origin, choices=choices)
        told = (shown, repr(sorted(choices.items())))
        by_state = (*told, str(path), repr(state))
        known = self._known(by_state, shown, origin)
        if known is not None:
            return [known]
        with ONE_AT_A_TIME:
            by_content = (*told, sha256_of(path))
            known = self._known(by_content, shown, origin)
            files = [known] if known is not None else []
            if not files and choices.keys() <= _OF_TEXT and not is_set(path):
                files = self._converted(path, shown, origin, choices, judgments, progress)
            if not files:
                read = read_files(path, shown=shown, origin=origin, choices=choices)
                files = [self._on_disk(read[0])] if len(read) == 1 else read
            for of in (by_state, by_content):
                self._keep(of, files)
            return files

    def _converted(
        self,
        path: Path,
        shown: str,
        origin: Origin,
        choices: Mapping[str, Any],
        judgments: Sequence[Qrels],
        progress: Callable[[int], None] | None,
    ) -> list[File]:
        """The file of a long run, read and judged in one pass; none where that cannot be."""
        source = open_source(path, shown, choices.get("encoding"))
        made = converted(
            source, self._cache, judgments, kind=choices.get("kind"), progress=progress
        )
        if made is None:
            return []
        key = f"{origin}:{shown}"
        return [File(key=key, file=shown, origin=origin, table=made.table, read_as=made.title)]

    def _on_disk(self, file: File) -> File:
        """A file that was read whole; a long run of it as the cache keeps it."""
        if file.table is None:
            return file
        with suppress(OSError):
            return replace(file, table=on_disk(self._cache, file.table, file.file))
        return file

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
        key = f"{origin}:{shown}"
        return File(key=key, file=shown, origin=origin, table=run, read_as=told["read_as"])

    def _keep(self, of: tuple[str, ...], files: list[File]) -> None:
        """Remember what was read, if it is one long run whose rows the cache keeps."""
        run = files[0].table if len(files) == 1 else None
        if not isinstance(run, StoredRun):
            return
        told = {
            "table": run.rows.table,
            "content": run.rows.content,
            "name": run.name,
            "read_as": files[0].read_as,
            "notes": [asdict(note) for note in run.notes],
        }
        self._cache.put(_WHAT, *of, kept=Kept(told=told))


def may_be_long(path: Path) -> bool:
    """Whether a file may hold a long run, by its size and its first lines."""
    large = path.is_file() and path.stat().st_size >= SMALLEST
    return large and glanced(path) in ("run", None)
