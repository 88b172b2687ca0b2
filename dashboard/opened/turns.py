"""Who works out an answer takes a turn: as many at a time as there are cores.

Twenty readers who ask at once would else share two cores among twenty answers, each with its own
tables in memory and none of them ready soon. What is at hand takes no turn. No Streamlit here.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")

_TURNS = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))


class _Mine(threading.local):
    takes_turns = False
    holds_one = False


_mine = _Mine()


def take_turns() -> None:
    """Have this thread, which draws a page, take turns from here on. The threads that an answer is
    worked out by take none: it holds one already."""
    _mine.takes_turns = True


def in_turn(work: Callable[[], Made]) -> Made:
    """What `work` gives, in its turn."""
    if not _mine.takes_turns or _mine.holds_one:
        return work()
    with _TURNS:
        _mine.holds_one = True
        try:
            return work()
        finally:
            _mine.holds_one = False
