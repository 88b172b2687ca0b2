"""Who works out an answer takes a turn: as many at a time as there are cores, first come first.

Twenty readers who ask at once would else share two cores among twenty answers, each with its own
tables in memory and none of them ready soon. A turn that ends is handed to the page that was asked
for first: one that were merely free would be taken by whoever runs just then. A page of many
answers keeps its place for all of them, up to a few seconds, so that one that works for minutes
lets others in. What follows a page, below what its reader sees first, waits as if the page had been
asked for a little later. What is at hand takes no turn. No Streamlit here.
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

_KEEPS_ITS_PLACE = 3.0
"""Seconds for which a page goes before those that were asked for after it."""


class Turns:
    """So many turns at a time, in the order of their places."""

    def __init__(self, most: int) -> None:
        self._free, self._lock = most, threading.Lock()
        self._waiting: list[tuple[float, int, threading.Event]] = []
        self._numbers = itertools.count()

    @contextmanager
    def one(self, place: float) -> Iterator[None]:
        """A turn, before those whose place is a greater number."""
        self._take(place)
        try:
            yield
        finally:
            self._hand_on()

    def _take(self, place: float) -> None:
        mine = threading.Event()
        with self._lock:
            if self._free:
                self._free -= 1
                return
            heapq.heappush(self._waiting, (place, next(self._numbers), mine))
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
    begun = 0.0
    later = 0.0

    def place(self) -> float:
        """The second at which this page was asked for, or not much before now."""
        return max(self.begun, time.monotonic() - _KEEPS_ITS_PLACE) + self.later


_mine = _Mine()


def take_turns() -> None:
    """Have this thread, which draws a page, take turns from here on, with a place of this moment.
    The threads that an answer is worked out by take none: it holds one already."""
    _mine.takes_turns, _mine.begun, _mine.later = True, time.monotonic(), 0.0


def let_others_first() -> None:
    """Have this thread wait a little longer for its turns, until it takes them as before: what its
    page shows first is there."""
    _mine.later = _LATER


def in_turn(work: Callable[[], Made]) -> Made:
    """What `work` gives, in its turn."""
    if not _mine.takes_turns or _mine.holds_one:
        return work()
    with _TURNS.one(_mine.place()):
        _mine.holds_one = True
        try:
            return work()
        finally:
            _mine.holds_one = False
