"""Long TREC runs: read, kept on the disk and judged in one pass; those of folders are then opened
by what their copy says. The files of a folder are never written. No Streamlit here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from threading import Lock
from typing import Any

import pyarrow as pa

from dashboard.files.files import File, Origin, glanced, read_files
from dashboard.files.judged_places import keep_places
from dashboard.workspace import StorageError
from dashboard.workspace.disk.durable import State, sha256_of
from dashboard.workspace.disk.records import note_of
from dashboard.workspace.long_runs.cache import Cache, Kept
from dashboard.workspace.long_runs.keeping import Keeping, on_disk
from dashboard.workspace.long_runs.stored_run import StoredRun, is_long, stored_run
from dashboard.workspace.long_runs.tables import content_of
from metrics_core.base.errors import RanklensError
from metrics_core.base.memo import Memo
from metrics_core.formats import is_set
from metrics_core.formats.parsing.trec_lines import fields_of
from metrics_core.formats.registry import Kind, Loaded
from metrics_core.formats.source.opening import open_source
from metrics_core.formats.source.source import Source
from metrics_core.formats.trec import trec_title
from metrics_core.tables import Qrels

SMALLEST = 4_000_000
"""Bytes of a file that may hold a long run, packed or not."""

ONE_AT_A_TIME = Lock()
"""Held while such a file is read: two at once would need twice the room."""

_TABLES = Memo(2)
_NO_JUDGMENTS = Qrels.from_columns([], [], [])

_WHAT = "converted"
_OF_TEXT = {"kind", "encoding"}
"""Choices that do not change what a long TREC run means."""


def converted(
    source: Source,
    cache: Cache,
    judgments: Sequence[Qrels] = (),
    *,
    kind: Kind | None = None,
    progress: Callable[[int], None] | None = None,
) -> Loaded | None:
    """A long run whose rows the cache now keeps, judged with those of the `judgments` that seem to
    be its own; `progress` is told the bytes of text read so far. None where reading it whole
    decides: what is wrong or odd, other formats, short runs; and where nothing can be kept."""
    from metrics_core.judging.while_reading.judged import kept_run
    from metrics_core.judging.while_reading.judgments import judgments_of

    try:
        qrels = _fitting(source, judgments)
        tables = _TABLES(content_of(qrels.given, "qrels"), lambda: judgments_of(qrels))
        tables = tables if tables.plain else judgments_of(_NO_JUDGMENTS)
        with cache.draft() as draft:
            if draft is None:
                return None
            keeping = Keeping(cache, draft)
            found = kept_run(source, tables, keeping, kind=kind, progress=progress)
            if found is None or not is_long(len(keeping)):
                return None
            run = keeping.kept(source.name, found.name, found.notes)
        if found.places is not None:
            keep_places(cache, run.rows.content, qrels, found.places)
        return Loaded(run, "trec", trec_title(source, "run"), source.name)
    except (RanklensError, MemoryError, OSError, pa.ArrowException):
        return None


def _fitting(source: Source, judgments: Sequence[Qrels]) -> Qrels:
    """The last of these judgments, if it can be of those that know the first query of a run."""
    query_id = "".join(fields_of(source.head.partition(b"\n")[0].decode())[:1])
    knowing = [qrels for qrels in judgments if query_id in qrels.query_ids]
    return [_NO_JUDGMENTS, *judgments, *knowing][-1]


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
