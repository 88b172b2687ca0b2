"""What an uploader gives: short files as they are, long ones by the notes that stand for them;
these are read while the page goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from dashboard.files import arrived
from dashboard.files.converting import ONE_AT_A_TIME, converted
from dashboard.files.uploaded_file import UploadedFile, tables_of
from dashboard.session.open_collection import collection, judgments_of, workspace
from dashboard.session.reading import Reading
from dashboard.streamlit_internals import FileOfUploader, page_run
from dashboard.workspace.disk.scratch import ScratchFile
from metrics_core import formats
from metrics_core.base.errors import RanklensError
from metrics_core.formats import Loaded
from metrics_core.formats.source.opening import open_source
from metrics_core.tables import Qrels

_VISIT, _READINGS = "_arriving", "_long_uploads"


def expect_files() -> None:
    """Let long files of this session come; called wherever an uploader is drawn."""
    run = page_run()
    if run is not None and _VISIT not in st.session_state:
        # As long as the session lives, so do the files that it was given and has not read.
        st.session_state[_VISIT] = arrived.begin(run.session_id)


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


def _visit() -> arrived.Visit | None:
    found: arrived.Visit | None = st.session_state.get(_VISIT)
    return found


def reading_of(
    of: tuple[int, int], given: UploadedFile, beside: Iterable[Loaded]
) -> Reading[list[Loaded]]:
    """The reading of a long file, the number-th `of` the uploader that was drawn, begun once in
    whichever run of the page; judged with the judgments that are open or were given `beside` it."""
    begun: dict[tuple[int, int], Reading[list[Loaded]]]
    begun = st.session_state.setdefault(_READINGS, {})
    if of not in begun:
        tables = (loaded.table for loaded in beside)
        judgments = [*judgments_of(collection()), *(t for t in tables if isinstance(t, Qrels))]
        source, cache = open_source(given.origin, given.name), workspace().cache

        def read(progress: Callable[[int], None]) -> list[Loaded]:
            with ONE_AT_A_TIME:
                if formats.is_set(given.origin):
                    return tables_of(given)
                made = converted(source, cache, judgments, progress=progress)
                return tables_of(given) if made is None else [made]

        begun[of] = Reading(source, read)
    return begun[of]


def forget_readings() -> None:
    """Forget what was begun: it is kept, or told."""
    st.session_state.pop(_READINGS, None)
