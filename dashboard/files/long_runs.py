"""Long TREC runs, which are read, stored on disk and joined with judgments in one pass.

When the same file of a folder is opened again, its stored copy is used. The files of a folder are
never changed. This module does not import Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from threading import Lock
from typing import Any

import pyarrow as pa

from dashboard.files.files import File, Origin, guess_kind, make_files, read_file
from dashboard.files.judged_places import cache_judged_document_ranks
from dashboard.workspace import StorageError
from dashboard.workspace.disk.durable import State, file_sha256
from dashboard.workspace.disk.records import parse_note
from dashboard.workspace.long_runs.cache import Cache, CachedValue
from dashboard.workspace.long_runs.run_writer import RunWriter, move_to_disk
from dashboard.workspace.long_runs.stored_run import StoredRun, open_stored_run, stays_on_disk
from dashboard.workspace.long_runs.tables import hash_rows
from metrics_core.base.errors import RanklensError
from metrics_core.base.memo import Memo
from metrics_core.formats import is_set
from metrics_core.formats.parsing.trec_lines import split_fields
from metrics_core.formats.registry import Kind, Loaded
from metrics_core.formats.source.opening import open_source
from metrics_core.formats.source.source import Source
from metrics_core.formats.trec import trec_title
from metrics_core.tables import Qrels

SMALLEST = 4_000_000
"""Minimum size in bytes of a file that may contain a long run. It applies to compressed and
uncompressed files."""

ONE_AT_A_TIME = Lock()
"""Lock that a thread holds while it reads a long run, because reading two at the same time would
need twice the memory."""

_TABLES = Memo(2)
_NO_JUDGMENTS = Qrels.from_columns([], [], [])

_WHAT = "converted"
_OF_TEXT = {"kind", "encoding"}
"""Choices with which a long TREC run can still be read in one pass, because they do not change its
columns or grades."""


def convert_run(
    source: Source,
    cache: Cache,
    judgments: Sequence[Qrels] = (),
    *,
    kind: Kind | None = None,
    progress: Callable[[int], None] | None = None,
) -> Loaded | None:
    """Read a long run, store its rows in the cache, and join it with the `judgments` that seem to
    fit.

    `progress` is called with the number of bytes of text that have been read. Returns None if
    nothing can be stored, or if the file must be read in the ordinary way. The ordinary way is
    needed for a short file, and for a file with errors, anomalies or another format."""
    from metrics_core.judging.while_reading.judged import judge_and_keep_run
    from metrics_core.judging.while_reading.judgments import make_judgment_tables

    try:
        qrels = _choose_fitting_judgments(source, judgments)
        tables = _TABLES(hash_rows(qrels.input_table, "qrels"), lambda: make_judgment_tables(qrels))
        tables = tables if tables.has_plain_ids else make_judgment_tables(_NO_JUDGMENTS)
        with cache.open_draft() as draft:
            if draft is None:
                return None
            run_writer = RunWriter(cache, draft)
            judged_run = judge_and_keep_run(
                source, tables, run_writer, kind=kind, progress=progress
            )
            if judged_run is None or not stays_on_disk(len(run_writer)):
                return None
            run = run_writer.finish(source.name, judged_run.name, judged_run.notes)
        if judged_run.places is not None:
            cache_judged_document_ranks(cache, run.rows.content, qrels, judged_run.places)
        return Loaded(run, "trec", trec_title(source, "run"), source.name)
    except (RanklensError, MemoryError, OSError, pa.ArrowException):
        return None


def _choose_fitting_judgments(source: Source, judgments: Sequence[Qrels]) -> Qrels:
    """Return the judgments that contain the first query of the run. If several of the given
    judgments contain it, return the last of these; if none contain it, return the last of all. If
    no judgments are given, return empty judgments."""
    query_id = "".join(split_fields(source.head.partition(b"\n")[0].decode())[:1])
    knowing = [qrels for qrels in judgments if query_id in qrels.query_ids]
    return [_NO_JUDGMENTS, *judgments, *knowing][-1]


class ConvertedFiles:
    """A reader of files in folders. For a long run that was read before, it uses the stored copy if
    the state or the content of the file is unchanged."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def read(
        self,
        path: Path,
        state: State | None,
        *,
        display_name: str,
        origin: Origin,
        choices: Mapping[str, Any],
        judgments: Sequence[Qrels] = (),
        progress: Callable[[int], None] | None = None,
    ) -> list[File]:
        """Return the tables of a file, with the same result as `read_file`. `state` identifies the
        present state of the file.

        While a long run is read, it is joined with the `judgments` that seem to fit. `progress` is
        called with the number of bytes of text that have been read."""
        if not may_be_long_run(path):
            return read_file(path, display_name=display_name, origin=origin, choices=choices)
        common_key = (display_name, repr(sorted(choices.items())))
        by_state = (*common_key, str(path), repr(state))
        files = self._read_cached(by_state, display_name, origin)
        if files:
            return files
        with ONE_AT_A_TIME:
            by_content = (*common_key, file_sha256(path))
            files = self._read_cached(by_content, display_name, origin)
            if not files and choices.keys() <= _OF_TEXT and not is_set(path):
                files = self._convert(path, display_name, origin, choices, judgments, progress)
            if not files:
                loaded_files = read_file(
                    path, display_name=display_name, origin=origin, choices=choices
                )
                files = (
                    [self._move_to_disk(loaded_files[0])]
                    if len(loaded_files) == 1
                    else loaded_files
                )
            for key in (by_state, by_content):
                self._cache_file(key, files)
            return files

    def _convert(
        self,
        path: Path,
        display_name: str,
        origin: Origin,
        choices: Mapping[str, Any],
        judgments: Sequence[Qrels],
        progress: Callable[[int], None] | None,
    ) -> list[File]:
        """Read the file of a long run and join it with judgments, in one pass. Return an empty list
        if this is not possible."""
        source = open_source(path, display_name, choices.get("encoding"))
        loaded = convert_run(
            source, self._cache, judgments, kind=choices.get("kind"), progress=progress
        )
        return [] if loaded is None else make_files([loaded], display_name, origin)

    def _move_to_disk(self, file: File) -> File:
        """Return the file with its long run moved to the cache, after the whole file was read."""
        if file.table is None:
            return file
        with suppress(OSError):
            return replace(file, table=move_to_disk(self._cache, file.table, file.file))
        return file

    def _read_cached(
        self, key_parts: tuple[str, ...], display_name: str, origin: Origin
    ) -> list[File]:
        """Return the file from its stored copy. The list is empty if the copy is missing or
        incomplete."""
        record = self._cache.get(_WHAT, *key_parts)
        if record is None:
            return []
        metadata = record.metadata
        notes = [parse_note(note) for note in metadata["notes"]]
        try:
            run = open_stored_run(
                self._cache.folder_store,
                self._cache,
                table_name=metadata["table"],
                content_hash=metadata["content"],
                file=display_name,
                name=metadata["name"],
                notes=notes,
            )
        except StorageError:
            return []
        loaded = Loaded(run, "trec", metadata["read_as"], display_name)
        return make_files([loaded], display_name, origin)

    def _cache_file(self, key_parts: tuple[str, ...], files: list[File]) -> None:
        """Store in the cache what was read from a file, so that it need not be read again. Nothing
        is stored unless the file contains only a long run, because only the rows of such a run are
        stored while they are read."""
        run = files[0].table if len(files) == 1 else None
        if not isinstance(run, StoredRun):
            return
        metadata = {
            "table": run.rows.table,
            "content": run.rows.content,
            "name": run.name,
            "read_as": files[0].read_as,
            "notes": [asdict(note) for note in run.notes],
        }
        self._cache.put(_WHAT, *key_parts, value=CachedValue(metadata=metadata))


def may_be_long_run(path: Path) -> bool:
    """Return whether a file may contain a long run, according to its size and its first lines."""
    large = path.is_file() and path.stat().st_size >= SMALLEST
    return large and guess_kind(path) in ("run", None)
