"""Long files are read in threads of their own: who waits sees how much was read, and a click ends
the waiting, not the reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from threading import Thread
from typing import Generic, TypeVar

import streamlit as st

from dashboard.streamlit_internals import page_run
from metrics_core.base.compiled.machine import being_compiled
from metrics_core.base.errors import RanklensError
from metrics_core.formats.source.limits import format_size
from metrics_core.formats.source.source import Source

Result = TypeVar("Result")

_LOOK = 0.1
"""Seconds after which who waits looks again."""


def compile_note() -> str:
    """Why reading stands still for a while on a new machine, behind what is told of it; else ""."""
    note = being_compiled()
    return f" · {note}" if note else ""


class FileReading(Generic[Result]):
    """A file that is being read, or was."""

    def __init__(self, source: Source, read: Callable[[Callable[[int], None]], Result]) -> None:
        """Begin. `read` is given what is to be told the bytes of text that were read so far."""
        self._name, self._size, self._read = source.name, 0, 0
        self._future: Future[Result] = Future()
        Thread(target=self._run, args=(source, read), name="reading of a file", daemon=True).start()

    def _run(self, source: Source, read: Callable[[Callable[[int], None]], Result]) -> None:
        with suppress(RanklensError):  # what reading finds as well
            self._size = 0 if source.is_packed else source.size()
        try:
            self._future.set_result(read(self._count_bytes))
        except BaseException as error:  # who waits gets it
            self._future.set_exception(error)

    def _count_bytes(self, read: int) -> None:
        self._read = read

    @property
    def has_failed(self) -> bool:
        """Whether it ended without a result."""
        return self._future.done() and self._future.exception() is not None

    @property
    def share(self) -> float:
        """How much was read, from 0 to 1; 0 where nobody knows how much there is."""
        return min(self._read / self._size, 1.0) if self._size else 0.0

    @property
    def progress_text(self) -> str:
        """How much was read, as a sentence."""
        size_note = f"of {format_size(self._size)}" if self._size else "unpacked"
        return f"Reading {self._name}: {format_size(self._read)} {size_note}{compile_note()}"

    def watch_shares(self) -> Iterator[float]:
        """The share that was read, now and then until the end."""
        while wait([self._future], _LOOK).not_done:
            yield self.share

    def result(self) -> Result:
        """What was read. Raises what reading raised."""
        return self._future.result()

    def show_progress(self, more: str = "") -> Result:
        """What was read, once it was; till then a bar shows how much, and says `more`, where a page
        is drawn."""
        if page_run() is None:
            return self.result()
        placeholder = None
        for share in self.watch_shares():
            placeholder = placeholder or st.empty()
            placeholder.progress(share, f"{self.progress_text}{more}")
        if placeholder is not None:
            placeholder.empty()
        return self.result()
