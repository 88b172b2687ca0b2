"""Long files are read in separate threads: the user sees the progress, and a click ends the
waiting, not the reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from threading import Thread
from typing import Generic, TypeVar

import streamlit as st

from dashboard.streamlit_internals import current_page_run
from metrics_core.base.compiled.machine import being_compiled
from metrics_core.base.errors import RanklensError
from metrics_core.formats.source.limits import format_size
from metrics_core.formats.source.source import Source

Result = TypeVar("Result")

_LOOK = 0.1
"""Seconds between two checks of the progress."""


def compilation_note() -> str:
    """Return a note on why the first read on a new machine takes longer, to add to the progress;
    empty if there is no delay."""
    note = being_compiled()
    return f" · {note}" if note else ""


class FileReading(Generic[Result]):
    """A file that is being read or has been read."""

    def __init__(self, source: Source, read: Callable[[Callable[[int], None]], Result]) -> None:
        """Start reading. `read` takes a function to call with the number of bytes of text read so
        far."""
        self._name, self._size, self._read = source.name, 0, 0
        self._future: Future[Result] = Future()
        Thread(target=self._run, args=(source, read), name="reading of a file", daemon=True).start()

    def _run(self, source: Source, read: Callable[[Callable[[int], None]], Result]) -> None:
        with suppress(RanklensError):  # reading reports it, too
            self._size = 0 if source.is_packed else source.size()
        try:
            self._future.set_result(read(self._count_bytes))
        except BaseException as error:  # raised by `result`
            self._future.set_exception(error)

    def _count_bytes(self, n_bytes: int) -> None:
        self._read = n_bytes

    @property
    def has_failed(self) -> bool:
        """Whether the reading ended with an error."""
        return self._future.done() and self._future.exception() is not None

    @property
    def read_share(self) -> float:
        """The share of the file that was read, from 0 to 1; 0 if the size is unknown."""
        return min(self._read / self._size, 1.0) if self._size else 0.0

    @property
    def progress_text(self) -> str:
        """The progress as a sentence."""
        size_note = f"of {format_size(self._size)}" if self._size else "unpacked"
        return f"Reading {self._name}: {format_size(self._read)} {size_note}{compilation_note()}"

    def watch_shares(self) -> Iterator[float]:
        """Yield the share of the file read so far, at intervals, until the reading ends."""
        while wait([self._future], _LOOK).not_done:
            yield self.read_share

    def result(self) -> Result:
        """Wait for the result. Raises the error of the reading."""
        return self._future.result()

    def show_progress(self, further_text: str = "") -> Result:
        """Wait for the result. If a page is drawn, a bar shows the progress, followed by
        `further_text`."""
        if current_page_run() is None:
            return self.result()
        placeholder = None
        for share in self.watch_shares():
            placeholder = placeholder or st.empty()
            placeholder.progress(share, f"{self.progress_text}{further_text}")
        if placeholder is not None:
            placeholder.empty()
        return self.result()
