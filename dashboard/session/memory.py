"""Memory that large files and long runs needed for a while, given back to the system."""

from __future__ import annotations

import gc
from threading import Lock, Timer

import pyarrow as pa
import streamlit as st

from dashboard.study.library import Library
from dashboard.workspace.long_runs.stored_run import StoredRun
from metrics_core.base import heap

_READ = "_read_large"
_LATER = 1.0
_WAITING = Lock()


def request_release() -> None:
    """Return what reading large files needed to the system, once the next page is drawn: looking
    for it takes a tenth of a second."""
    st.session_state[_READ] = True


def release_unused() -> None:
    """Return what was let go of, without looking for what else could be."""
    pa.default_memory_pool().release_unused()
    heap.release_memory()


def release_after_page() -> None:
    """Return what a page over long runs worked with, if that is what is open, and what files needed
    that were read before it."""
    if st.session_state.pop(_READ, False):
        gc.collect()
        release_unused()
        return
    library = st.session_state.get("_library")
    study = library.study if isinstance(library, Library) else None
    if study is not None and any(isinstance(run, StoredRun) for run in study.runs.values()):
        _trim_soon()


def _trim_soon() -> None:
    """Give back in a second, for all pages of that second: it takes as long as a small page, and
    what the next page needs again comes back slowly."""
    if _WAITING.acquire(blocking=False):
        later = Timer(_LATER, _trim_for_all)
        later.daemon = True
        later.start()


def _trim_for_all() -> None:
    _WAITING.release()
    heap.release_memory()
