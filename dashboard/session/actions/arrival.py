"""The page that an upload leads to, and what that page says of each file.

A collection that is new, or that has its first result, opens on the Overview. It opens on Files,
which lists every file, while judgments or runs are missing, if a file was refused, and if Files has
a question whose answer may change every score.
"""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from dashboard.answers.id_offers import id_offers
from dashboard.session.actions.refused_files import refusals
from dashboard.session.actions.uploaded_files import find_original
from dashboard.session.address import goto
from dashboard.session.open_collection import collection_id, current_library
from dashboard.study.library import Library, may_be_a_run

LoadedFile = tuple[str, str]
"""A file that was loaded, and what it holds."""

_LOADED, _LEADS_ON, _LANDED = "_loaded_files", "_upload_leads_on", "_landed_in"
_CONTENTS = {"run": "run", "qrels": "judgments", "queries": "queries", "documents": "documents"}


def reset_upload() -> None:
    """Forget what was said of the upload before."""
    st.session_state[_LOADED] = []
    st.session_state.pop(_LANDED, None)


def note_loaded(files: Iterable[tuple[str, str]]) -> None:
    """Remember files that were loaded, each with its kind."""
    loaded: list[LoadedFile] = st.session_state.setdefault(_LOADED, [])
    loaded += [(file, _CONTENTS[kind]) for file, kind in files]


def request_landing() -> None:
    """Have the next run of the page open the collection on its first page."""
    st.session_state[_LEADS_ON] = True


def open_landing_page(*, is_ready: bool) -> None:
    """Open the page that an upload leads to, the Overview if the collection `is_ready` for it; does
    not return if there is one."""
    if not st.session_state.pop(_LEADS_ON, False):
        return
    library = current_library()
    if is_ready and not refusals() and not _has_questions(library):
        st.session_state[_LANDED] = collection_id()
        goto("overview")
    if library.files:
        goto("data")


def _has_questions(library: Library) -> bool:
    """Whether a run does not fit the judgments, ids do not match, or a file may be another kind."""
    originals = [find_original(f) for f in library.files if f.used and f.kind in ("run", "qrels")]
    return (
        bool(library.study and library.study.refused)
        or bool(id_offers(library))
        or any(map(may_be_a_run, library.files_of_kind("qrels")))
        or any(original is not None and original.is_guessed for original in originals)
    )


def arrived_files() -> list[LoadedFile] | None:
    """The files that the last upload loaded, as the page says that it led to; None where it led to
    none, or the reader has read it."""
    if st.session_state.get(_LANDED) != collection_id():
        return None
    loaded: list[LoadedFile] = st.session_state.get(_LOADED, [])
    return loaded


def dismiss_arrival() -> None:
    """The reader has read what became of the files."""
    st.session_state.pop(_LANDED, None)
