"""The heap of this process: what one piece of work needed is there for the next. For who owns the
process, the server and the command line.

The C library gives arrays of some MB back at once and takes them anew for the next, and a thread
that is not the first one has a heap of its own, given back as soon as it is empty: of what a page
of 200,000 queries worked, a third was the system's, which cleared the same pages again and again,
and a tenth of what `evaluate` takes for a long run.
"""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""As `malloc.h` of the GNU C library numbers them."""
_KEPT = (128 * 2**20, 32 * 2**20)
"""Larger arrays go back at once, and so does what lies free beyond this at the end of the heap. The
second where the library allows no more, as before its version of 2022."""


def keep_what_is_free(*, together: bool = False) -> None:
    """Let what is free stay at hand; `together` has all threads share one heap, so that it is there
    for whichever works next. To be called before there are any."""
    library = _library()
    if library is None:
        return
    kept = next((size for size in _KEPT if library.mallopt(_MMAP_THRESHOLD, size)), None)
    # Alone it would have the library take every array anew, however small.
    if kept is not None:
        library.mallopt(_TRIM_THRESHOLD, kept)
    if together:
        library.mallopt(_ARENA_MAX, 1)


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
