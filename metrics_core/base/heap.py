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
_THRESHOLDS = (128 * 2**20, 32 * 2**20)
"""Larger arrays go back at once, and so does what lies free beyond this at the end of the heap. The
second where the library allows no more, as before its version of 2022."""


def keep_freed_memory(*, shared: bool = False) -> None:
    """Let what is free stay at hand; `shared` has all threads share one heap, so that it is there
    for whichever works next. To be called before there are any."""
    library = _c_library()
    if library is None:
        return
    threshold = next((size for size in _THRESHOLDS if library.mallopt(_MMAP_THRESHOLD, size)), None)
    # Alone it would have the library take every array anew, however small.
    if threshold is not None:
        library.mallopt(_TRIM_THRESHOLD, threshold)
    if shared:
        library.mallopt(_ARENA_MAX, 1)


def release_memory() -> None:
    """Return all that is free to the system."""
    library = _c_library()
    if library is not None:
        library.malloc_trim(0)


def _c_library() -> ctypes.CDLL | None:
    """The GNU C library, if this process runs on it."""
    if sys.platform != "linux":
        return None
    try:
        return ctypes.CDLL("libc.so.6")
    except OSError:
        return None
