"""What an uploader gives: short files as they are, long ones by the notes that stand for them;
these are read while the page goes on. And the files that tables came from, for another reading."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.files import long_uploads
from dashboard.files.files import BEFORE, File
from dashboard.files.long_runs import ONE_AT_A_TIME, SMALLEST, converted
from dashboard.files.remembered import fields_in
from dashboard.files.uploaded_file import UploadedFile, UploadedTable, tables_of
from dashboard.session.open_collection import (
    all_collections,
    choices_for,
    collection,
    workspace,
)
from dashboard.session.reading import FileReading
from dashboard.streamlit_internals import FileOfUploader, page_run
from dashboard.workspace.disk.durable import State, state_of
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
"""Files of a visit that are held for another reading, each shorter than `long_runs.SMALLEST`."""


def expect_files() -> None:
    """Let long files of this session come; called wherever an uploader is drawn."""
    run = page_run()
    if run is not None and _VISIT not in st.session_state:
        # As long as the session lives, so do the files that it was given and has not read.
        st.session_state[_VISIT] = long_uploads.begin(run.session_id)


def uploaded(file: FileOfUploader) -> UploadedFile:
    """A file of an uploader."""
    content, visit = file.getvalue(), _visit()
    return UploadedFile(file.name, (visit.find(content) if visit else None) or content)


def release(files: Iterable[UploadedFile]) -> None:
    """Files were read: what is on the disk for them is removed once nobody holds it."""
    visit = _visit()
    for file in files:
        if visit is not None and isinstance(file.content, ScratchFile):
            visit.release(file.content)


def lost(name: str) -> RanklensError | None:
    """Why a file of this name could not be kept; told once, None where nothing stood against it."""
    visit = _visit()
    return visit.lost(name) if visit else None


def _visit() -> long_uploads.Visit | None:
    found: long_uploads.Visit | None = st.session_state.get(_VISIT)
    return found


def reading_of(
    of: tuple[int, int], given: UploadedFile, judgments: Sequence[Qrels]
) -> FileReading[list[Loaded]]:
    """The reading of a long file, the number-th `of` the uploader that was drawn, begun once in
    whichever run of the page; judged with these judgments."""
    begun: dict[tuple[int, int], FileReading[list[Loaded]]]
    begun = st.session_state.setdefault(_READINGS, {})
    if of not in begun:
        source, cache = open_source(given.origin, given.name), workspace().cache
        answers = all_collections().answers_of(collection())

        def read(progress: Callable[[int], None]) -> list[Loaded]:
            with ONE_AT_A_TIME:
                if formats.is_set(given.origin):
                    return tables_of(given)
                made = converted(source, cache, judgments, progress=progress)
                return tables_of(given, answers=answers) if made is None else [made]

        begun[of] = FileReading(source, read)
    return begun[of]


def forget_readings() -> None:
    """Forget what was begun: it is kept, or told."""
    st.session_state.pop(_READINGS, None)


_TABLES = Memo(4)
"""What the files hold whose columns are being chosen."""


@dataclass(frozen=True)
class Original:
    """The file that a table came from, or could not be made of, and the choices by which it was
    read; `guessed` where nothing said what it is."""

    name: str
    given: UploadedFile | Path
    choices: Mapping[str, Any] = field(default_factory=dict)
    guessed: bool = False

    def tables_by(self, choices: Mapping[str, Any]) -> list[Table]:
        """Its tables, read by further choices; none of a long file, which is read once the reader
        says so. Raises RanklensError."""
        given = self.given
        origin: Origin
        state: State | None
        if isinstance(given, Path):
            length, origin, state = given.stat().st_size, given, state_of(given)
        else:
            length, origin, state = len(given), given.origin, None
        if length >= SMALLEST:
            return []
        own = {**self.choices, **choices}

        def read() -> list[Table]:
            return [loaded.table for loaded in formats.read_each(origin, name=self.name, **own)]

        return _TABLES((self.name, origin, state, json.dumps(own, sort_keys=True)), read)

    def fields(self) -> FileFields | None:
        """Its fields with their first values; None if it has none by name."""
        origin = self.given if isinstance(self.given, Path) else self.given.origin
        return fields_in(origin, self.name, self.choices.get("encoding"))


def hold(identity: str, number: str, loaded: Loaded) -> None:
    """Hold the file that a table of a collection came from as long as the visit lasts, if it is
    short: the workspace keeps tables, not files."""
    if not isinstance(loaded, UploadedTable) or loaded.given is None:
        return
    given = loaded.given
    if not isinstance(given.content, bytes):
        return
    if loaded.file not in (given.name, f"{given.name}/{loaded.tag}"):
        return  # the parts of a run, of which this is the first
    own = Original(given.name, given, loaded.choices, loaded.evidence == "guess")
    _held()[identity, number] = own
    for key in list(_held())[:-_MOST_HELD]:
        del _held()[key]


def _held() -> dict[tuple[str, str], Original]:
    held: dict[tuple[str, str], Original] = st.session_state.setdefault(_HELD, {})
    return held


def original_of(file: File) -> Original | None:
    """The file that a table of the open collection came from; None where it is not at hand."""
    here = collection()
    if file.number:
        return _held().get((here, file.number))
    folder = all_collections().folder_of(here)
    # A file of several systems has a name for each behind its own.
    names = [file.file, *(str(above) for above in Path(file.file).parents)]
    name = next((n for n in names if folder and (folder / n).is_file()), None)
    if folder is None or name is None:
        return None
    chosen, answers = all_collections().choices_of(here), all_collections().answers_of(here)
    how = choices_for(chosen, answers, folder / name, name)
    choices = {key: own for key, own in how.items() if key != BEFORE}
    return Original(name, folder / name, choices, file.evidence == "guess")


def made_of(original: Original) -> dict[str, Original]:
    """Number -> the file, of the tables of the open collection that came from this one."""
    here = collection()
    return {
        number: own
        for (of, number), own in _held().items()
        if of == here and own.given is original.given
    }


def is_read_anew(identity: str, number: str, loaded: Loaded) -> bool:
    """Whether a table of a collection came from the very file that this one came from."""
    own = _held().get((identity, number))
    return own is not None and isinstance(loaded, UploadedTable) and own.given is loaded.given
