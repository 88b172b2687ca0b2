"""The page that opens after an upload, with a message about each file.

A collection that is new, or that has a result for the first time, opens on the Overview. The Files
page, which lists every file, opens instead if there is nothing to compare, if a file was refused,
or if the page has a question whose answer may change every score."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from dashboard.answers.file_fields import KIND_NAMES
from dashboard.answers.id_offers import find_offered_id_maps
from dashboard.session.actions.refused_files import refusals
from dashboard.session.actions.uploaded_files import find_original
from dashboard.session.address import goto
from dashboard.session.open_collection import current_collection_id, current_library
from dashboard.study.library import Library, may_be_a_run
from metrics_core.formats.registry import Kind

LoadedFile = tuple[str, str]
"""The name of a loaded file, and a description of its contents."""

_LOADED, _LEADS_ON, _LANDED = "_loaded_files", "_upload_leads_on", "_landed_in"


def reset_upload() -> None:
    """Forget which files were loaded by the previous upload."""
    st.session_state[_LOADED] = []
    st.session_state.pop(_LANDED, None)


def record_loaded_files(files: Iterable[tuple[str, Kind]]) -> None:
    """Store which files were loaded, given as (file, kind)."""
    loaded: list[LoadedFile] = st.session_state.setdefault(_LOADED, [])
    loaded += [(file, KIND_NAMES[kind]) for file, kind in files]


def request_landing() -> None:
    """Request that the app, when it is next executed, opens the page for a finished upload."""
    st.session_state[_LEADS_ON] = True


def open_landing_page(*, is_ready: bool) -> None:
    """Open the page for a finished upload, if this was requested. The page is the Overview if
    `is_ready` says that the collection is ready and if Files has nothing to report. Otherwise, it
    is Files.

    This function does not return if it opens a page."""
    if not st.session_state.pop(_LEADS_ON, False):
        return
    library = current_library()
    if is_ready and not refusals() and not _has_questions(library):
        st.session_state[_LANDED] = current_collection_id()
        goto("overview")
    if library.files:
        goto("data")


def _has_questions(library: Library) -> bool:
    """Return whether Files has a question for the user: a run does not fit the judgments, ids do
    not match, or the kind of a file is uncertain."""
    originals = [find_original(f) for f in library.files if f.used and f.kind in ("run", "qrels")]
    return (
        bool(library.study and library.study.refused)
        or bool(find_offered_id_maps(library))
        or any(map(may_be_a_run, library.files_of_kind("qrels")))
        or any(original is not None and original.is_guessed for original in originals)
    )


def files_of_last_upload() -> list[LoadedFile] | None:
    """Return the files of the last upload if the Overview was opened because of this upload and the
    user has not dismissed the message about it. Otherwise, return None."""
    if st.session_state.get(_LANDED) != current_collection_id():
        return None
    loaded: list[LoadedFile] = st.session_state.get(_LOADED, [])
    return loaded


def dismiss_upload_message() -> None:
    """Dismiss the message about the uploaded files."""
    st.session_state.pop(_LANDED, None)
