"""Reading of long files in separate threads. The user sees the progress; a click stops the page
from waiting, but does not stop the reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from threading import Thread
from typing import Generic, TypeVar

import streamlit as st

from dashboard.streamlit_internals import current_page_run
from metrics_core.base.compiled.machine import compilation_message
from metrics_core.base.errors import RanklensError
from metrics_core.formats.source.limits import format_size
from metrics_core.formats.source.source import Source

Result = TypeVar("Result")

_LOOK = 0.1
"""Interval in seconds between two checks of the progress."""


def compilation_note() -> str:
    """Return a note that explains why the first file on a new machine takes longer to read. It is
    added to the progress, and is empty if there is no delay."""
    note = compilation_message()
    return f" · {note}" if note else ""


class FileReading(Generic[Result]):
    """An object that reads a file in the background. It may still be reading."""

    def __init__(self, source: Source, read: Callable[[Callable[[int], None]], Result]) -> None:
        """Start to read a file. `read` is called with a function that it must call with the number
        of bytes of text read so far."""
        self._name, self._size, self._read = source.name, 0, 0
        self._future: Future[Result] = Future()
        Thread(target=self._run, args=(source, read), name="reading of a file", daemon=True).start()

    def _run(self, source: Source, read: Callable[[Callable[[int], None]], Result]) -> None:
        with suppress(RanklensError):  # reading reports it, too
            self._size = 0 if source.is_packed else source.size()
        try:
            self._future.set_result(read(self._record_bytes_read))
        except BaseException as error:  # raised by `result`
            self._future.set_exception(error)

    def _record_bytes_read(self, n_bytes: int) -> None:
        self._read = n_bytes

    @property
    def has_failed(self) -> bool:
        """Whether the reading ended with an error."""
        return self._future.done() and self._future.exception() is not None

    @property
    def progress_share(self) -> float:
        """The share of the file that has been read, from 0 to 1. It is 0 if the size of the file is
        unknown."""
        return min(self._read / self._size, 1.0) if self._size else 0.0

    @property
    def progress_text(self) -> str:
        """The progress as a sentence."""
        size_note = f"of {format_size(self._size)}" if self._size else "unpacked"
        return f"Reading {self._name}: {format_size(self._read)} {size_note}{compilation_note()}"

    def iterate_progress_shares(self) -> Iterator[float]:
        """Yield the share of the file that has been read, at intervals, until the reading ends."""
        while wait([self._future], _LOOK).not_done:
            yield self.progress_share

    def result(self) -> Result:
        """Wait until the file has been read, and return the result. Raises the error with which the
        reading ended."""
        return self._future.result()

    def show_progress(self, further_text: str) -> Result:
        """Wait for the result and return it. If a page is being drawn, a bar shows the progress in
        the meantime; `further_text` follows the text of the progress."""
        if current_page_run() is None:
            return self.result()
        placeholder = None
        for share in self.iterate_progress_shares():
            placeholder = placeholder or st.empty()
            placeholder.progress(share, f"{self.progress_text}{further_text}")
        if placeholder is not None:
            placeholder.empty()
        return self.result()
