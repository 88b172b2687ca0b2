"""Who works out an answer takes a turn: as many at a time as there are cores, first come first.

Twenty readers who ask at once would else share two cores among twenty answers, each with its own
tables in memory and none of them ready soon. A turn that ends is handed to who waits longest: one
that were merely free would be taken by whoever runs just then, mostly the same page for its next
answer. What follows a page, below what its reader sees first, waits as if it had been asked for a
little later. What is at hand takes no turn. No Streamlit here.
"""

from __future__ import annotations

import heapq
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Made = TypeVar("Made")

_LATER = 1.0
"""Seconds by which what follows a page lets others go first: what is asked for in the meantime."""


class Turns:
    """So many turns at a time, in the order in which they are asked for."""

    def __init__(self, most: int) -> None:
        self._free, self._lock = most, threading.Lock()
        self._waiting: list[tuple[float, int, threading.Event]] = []
        self._numbers = itertools.count()

    @contextmanager
    def one(self, later: float = 0.0) -> Iterator[None]:
        """A turn, as if asked for `later` seconds from now."""
        self._take(later)
        try:
            yield
        finally:
            self._hand_on()

    def _take(self, later: float) -> None:
        mine = threading.Event()
        with self._lock:
            if self._free:
                self._free -= 1
                return
            place = (time.monotonic() + later, next(self._numbers), mine)
            heapq.heappush(self._waiting, place)
        mine.wait()

    def _hand_on(self) -> None:
        with self._lock:
            if self._waiting:
                heapq.heappop(self._waiting)[2].set()
            else:
                self._free += 1


_TURNS = Turns(max(2, os.cpu_count() or 1))


class _Mine(threading.local):
    takes_turns = False
    holds_one = False
    later = 0.0


_mine = _Mine()


def take_turns() -> None:
    """Have this thread, which draws a page, take turns from here on. The threads that an answer is
    worked out by take none: it holds one already."""
    _mine.takes_turns, _mine.later = True, 0.0


def let_others_first() -> None:
    """Have this thread wait a little longer for its turns, until it takes them as before: what its
    page shows first is there."""
    _mine.later = _LATER


def in_turn(work: Callable[[], Made]) -> Made:
    """What `work` gives, in its turn."""
    if not _mine.takes_turns or _mine.holds_one:
        return work()
    with _TURNS.one(_mine.later):
        _mine.holds_one = True
        try:
            return work()
        finally:
            _mine.holds_one = False
