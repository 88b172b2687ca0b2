"""Files from uploaders, and the original files of tables.

A short file is passed on unchanged. A long file is represented by a note, and is read in a separate
thread. The original files of small tables are kept, so that they can be read again with other
choices."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.files import long_uploads
from dashboard.files.files import BEFORE, File
from dashboard.files.long_runs import ONE_AT_A_TIME, SMALLEST, convert_run
from dashboard.files.shape_choices import find_fields
from dashboard.files.uploaded_file import UploadedFile, UploadedTable, read_tables
from dashboard.session.file_reading import FileReading
from dashboard.session.open_collection import (
    all_collections,
    current_collection_id,
    find_reading_choices,
    workspace,
)
from dashboard.streamlit_internals import FileOfUploader, current_page_run
from dashboard.workspace.disk.durable import State, file_state
from dashboard.workspace.disk.scratch import ScratchFile
from metrics_core import formats
from metrics_core.base.errors import RanklensError
from metrics_core.base.memo import Memo
from metrics_core.formats import Loaded
from metrics_core.formats.fields import FileFields
from metrics_core.formats.source.opening import open_source
from metrics_core.formats.source.unpacking import Origin
from metrics_core.tables import Qrels, Table

_VISIT, _READINGS, _HELD = "_arriving", "_long_uploads", "_held_files"
_MOST_HELD = 12
"""Maximum number of original files that a visit keeps for reading them again. Each is shorter than
`long_runs.SMALLEST`."""


def accept_long_files() -> None:
    """Allow long files to be uploaded in this session. This is called for every uploader that is
    drawn."""
    run = current_page_run()
    if run is not None and _VISIT not in st.session_state:
        # The session keeps its unread files alive.
        st.session_state[_VISIT] = long_uploads.get_or_create_uploads(run.session_id)


def read_uploader_file(file: FileOfUploader) -> UploadedFile:
    """Return the file that was uploaded to an uploader."""
    content, visit = file.getvalue(), _current_uploads()
    return UploadedFile(file.name, (visit.find_upload(content) if visit else None) or content)


def release_files(files: Iterable[UploadedFile]) -> None:
    """Forget long files that have been read. A file on disk is removed when no other object refers
    to it."""
    visit = _current_uploads()
    for file in files:
        if visit is not None and isinstance(file.content, ScratchFile):
            visit.release_upload(file.content)


def pop_upload_error(name: str) -> RanklensError | None:
    """Return the reason why a file with this name could not be stored, and forget the reason.
    Returns None if there is no reason."""
    visit = _current_uploads()
    return visit.pop_failure(name) if visit else None


def _current_uploads() -> long_uploads.VisitUploads | None:
    visit: long_uploads.VisitUploads | None = st.session_state.get(_VISIT)
    return visit


def start_reading(
    upload_key: tuple[int, int], upload: UploadedFile, judgments: Sequence[Qrels]
) -> FileReading[list[Loaded]]:
    """Start to read a long file in a `FileReading`. If an earlier run of the app has started to
    read it, return the existing `FileReading`.

    `upload_key` is the generation of the uploader and the number of the file in it. If the file is
    a run, it is joined with these judgments."""
    readings: dict[tuple[int, int], FileReading[list[Loaded]]]
    readings = st.session_state.setdefault(_READINGS, {})
    if upload_key not in readings:
        source, cache = open_source(upload.origin, upload.name), workspace().cache
        answers = all_collections().choices_by_shape(current_collection_id())

        def read(progress: Callable[[int], None]) -> list[Loaded]:
            with ONE_AT_A_TIME:
                if formats.is_set(upload.origin):
                    return read_tables(upload)
                table = convert_run(source, cache, judgments, progress=progress)
                return read_tables(upload, choices_by_shape=answers) if table is None else [table]

        readings[upload_key] = FileReading(source, read)
    return readings[upload_key]


def forget_readings() -> None:
    """Forget the `FileReading` objects of long files after their results were stored or
    reported."""
    st.session_state.pop(_READINGS, None)


_TABLES = Memo(4)
"""Cache for the tables of files whose columns the user is choosing."""


@dataclass(frozen=True)
class Original:
    """The original file of a table, or a file that could not be read, together with the choices for
    reading it. `is_guessed` is true if the kind of table was only guessed."""

    name: str
    source: UploadedFile | Path
    choices: Mapping[str, Any]
    is_guessed: bool = False

    def read_tables_with(self, choices: Mapping[str, Any]) -> list[Table]:
        """Read the tables of the file with these choices in addition to the earlier ones. The
        result is empty for a long file, because it is read only after the user has confirmed the
        choices. Raises RanklensError."""
        source = self.source
        origin: Origin
        state: State | None
        if isinstance(source, Path):
            length, origin, state = source.stat().st_size, source, file_state(source)
        else:
            length, origin, state = len(source), source.origin, None
        if length >= SMALLEST:
            return []
        merged = {**self.choices, **choices}

        def read() -> list[Table]:
            return [
                loaded.table for loaded in formats.read_all_tables(origin, name=self.name, **merged)
            ]

        return _TABLES((self.name, origin, state, json.dumps(merged, sort_keys=True)), read)

    def fields(self) -> FileFields | None:
        """The fields of the file with their first values. It is None if the file has no named
        fields."""
        origin = self.source if isinstance(self.source, Path) else self.source.origin
        return find_fields(origin, self.name, self.choices.get("encoding"))


def keep_original(collection_id: str, number: str, loaded: Loaded) -> None:
    """Keep the original file of a small table in memory until the browser session ends. The
    workspace cannot keep it, because it stores tables, not files."""
    if not isinstance(loaded, UploadedTable) or loaded.uploaded_file is None:
        return
    upload = loaded.uploaded_file
    if not isinstance(upload.content, bytes):
        return
    if loaded.file not in (upload.name, f"{upload.name}/{loaded.tag}"):
        return  # a joined run: this file is only its first part
    original = Original(upload.name, upload, loaded.choices, loaded.evidence == "guess")
    _kept_originals()[collection_id, number] = original
    for key in list(_kept_originals())[:-_MOST_HELD]:
        del _kept_originals()[key]


def _kept_originals() -> dict[tuple[str, str], Original]:
    originals: dict[tuple[str, str], Original] = st.session_state.setdefault(_HELD, {})
    return originals


def find_original(file: File) -> Original | None:
    """Return the original file of a table in the open collection. Returns None if the file is not
    available."""
    identity = current_collection_id()
    if file.number:
        return _kept_originals().get((identity, file.number))
    folder = all_collections().folder_of(identity)
    # For a file of several systems, the name of each follows that of the file.
    names = [file.file, *(str(above) for above in Path(file.file).parents)]
    name = next((n for n in names if folder and (folder / n).is_file()), None)
    if folder is None or name is None:
        return None
    stored_choices = all_collections().record(identity).choices
    answers = all_collections().choices_by_shape(identity)
    choices_found = find_reading_choices(stored_choices, answers, folder / name, name)
    choices = {key: value for key, value in choices_found.items() if key != BEFORE}
    return Original(name, folder / name, choices, file.evidence == "guess")


def find_originals_of_file(original: Original) -> dict[str, Original]:
    """Return the originals of all tables of the open collection that were read from the same file,
    keyed by the number of the table."""
    identity = current_collection_id()
    return {
        number: other
        for (owner, number), other in _kept_originals().items()
        if owner == identity and other.source is original.source
    }


def is_same_upload(collection_id: str, number: str, loaded: Loaded) -> bool:
    """Return whether a stored table was read from the same uploaded file as `loaded`."""
    original = _kept_originals().get((collection_id, number))
    return (
        original is not None
        and isinstance(loaded, UploadedTable)
        and original.source is loaded.uploaded_file
    )
