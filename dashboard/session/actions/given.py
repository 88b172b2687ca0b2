"""What an uploader gives: short files as they are, and what the notes of long ones stand for."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from dashboard.files import arrived
from dashboard.files.uploaded_file import UploadedFile
from dashboard.streamlit_internals import FileOfUploader, page_run
from dashboard.workspace.disk.scratch import ScratchFile
from metrics_core.base.errors import RanklensError

_VISIT = "_arriving"


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
