"""Return of memory to the operating system after large files or long runs were processed."""

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
    """Request that memory be released after the next page is drawn. It is not released at once,
    because garbage collection takes a tenth of a second."""
    st.session_state[_READ] = True


def release_unused() -> None:
    """Give memory that this process no longer uses back to the operating system, without a garbage
    collection."""
    pa.default_memory_pool().release_unused()
    heap.release_memory()


def release_after_page() -> None:
    """Release the memory that a page about long runs used, and the memory of files that were read
    before the page."""
    if st.session_state.pop(_READ, False):
        gc.collect()
        release_unused()
        return
    library = st.session_state.get("_library")
    study = library.study if isinstance(library, Library) else None
    if study is not None and any(isinstance(run, StoredRun) for run in study.runs.values()):
        _release_memory_soon()


def _release_memory_soon() -> None:
    """Release memory in one second, once for all pages that are drawn in that second. Releasing it
    for each page would take as long as drawing a small page, and memory that the next page needs
    would have to be requested again."""
    if _WAITING.acquire(blocking=False):
        later = Timer(_LATER, _release_memory_now)
        later.daemon = True
        later.start()


def _release_memory_now() -> None:
    _WAITING.release()
    heap.release_memory()
