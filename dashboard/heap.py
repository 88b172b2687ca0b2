"""The heap of this process: what one page worked with is there for the next, until nobody asks.

The C library gives memory of this size back at once and takes it anew for the next array, and a
thread that is not the first one has a heap of its own, given back as soon as it is empty: of what a
page of 200,000 queries worked, a third was the system's, which cleared the same pages again and
again.
"""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""As `malloc.h` of the GNU C library numbers them."""
_KEPT = 128 * 2**20
"""Larger arrays go back at once, and so does what lies free beyond this at the end of the heap."""


def keep_for_the_next_page() -> None:
    """One heap for all threads, from which what is free stays at hand. To be called before there
    are any."""
    library = _library()
    if library is not None:
        for setting, value in (
            (_ARENA_MAX, 1),
            (_TRIM_THRESHOLD, _KEPT),
            (_MMAP_THRESHOLD, _KEPT),
        ):
            library.mallopt(setting, value)


def give_back() -> None:
    """Return all that is free to the system."""
    library = _library()
    if library is not None:
        library.malloc_trim(0)


def _library() -> ctypes.CDLL | None:
    """The GNU C library, if this process runs on it."""
    if sys.platform != "linux":
        return None
    try:
        return ctypes.CDLL("libc.so.6")
    except OSError:
        return None
