"""The page that opens after an upload, with a message about each file.

A collection that is new, or has its first result, opens on the Overview. Files, which lists every
file, opens instead if judgments or runs are missing, if a file was refused, or if Files has a
question whose answer may change every score.
"""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from dashboard.answers.id_offers import find_offered_id_maps
from dashboard.session.actions.refused_files import refusals
from dashboard.session.actions.uploaded_files import find_original
from dashboard.session.address import goto
from dashboard.session.open_collection import collection_id, current_library
from dashboard.study.library import Library, may_be_a_run

LoadedFile = tuple[str, str]
"""Name of a loaded file, and a description of its content."""

_LOADED, _LEADS_ON, _LANDED = "_loaded_files", "_upload_leads_on", "_landed_in"
_CONTENTS = {
    "run": "run",
    "qrels": "judgments",
    "queries": "queries",
    "documents": "documents",
    "scores": "scores",
}


def reset_upload() -> None:
    """Forget the files of the previous upload."""
    st.session_state[_LOADED] = []
    st.session_state.pop(_LANDED, None)


def note_loaded_files(files: Iterable[tuple[str, str]]) -> None:
    """Remember loaded files, given as (file, kind)."""
    loaded: list[LoadedFile] = st.session_state.setdefault(_LOADED, [])
    loaded += [(file, _CONTENTS[kind]) for file, kind in files]


def request_landing() -> None:
    """Open the landing page in the next run of the page."""
    st.session_state[_LEADS_ON] = True


def open_landing_page(*, is_ready: bool) -> None:
    """Open the landing page if requested: the Overview if the collection `is_ready`, otherwise
    Files.

    Does not return if a page is opened.
    """
    if not st.session_state.pop(_LEADS_ON, False):
        return
    library = current_library()
    if is_ready and not refusals() and not _has_questions(library):
        st.session_state[_LANDED] = collection_id()
        goto("overview")
    if library.files:
        goto("data")


def _has_questions(library: Library) -> bool:
    """Whether a run does not fit the judgments, ids do not match, or the kind of a file is
    uncertain."""
    originals = [find_original(f) for f in library.files if f.used and f.kind in ("run", "qrels")]
    return (
        bool(library.study and library.study.refused)
        or bool(find_offered_id_maps(library))
        or any(map(may_be_a_run, library.files_of_kind("qrels")))
        or any(original is not None and original.is_guessed for original in originals)
    )


def arrived_files() -> list[LoadedFile] | None:
    """The files of the last upload, for the page that it opened; None if no page was opened or the
    user dismissed the message."""
    if st.session_state.get(_LANDED) != collection_id():
        return None
    loaded: list[LoadedFile] = st.session_state.get(_LOADED, [])
    return loaded


def dismiss_arrival() -> None:
    """Dismiss the message about the uploaded files."""
    st.session_state.pop(_LANDED, None)
