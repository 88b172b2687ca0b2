"""Keep freed memory in this process for reuse. Used by the server and the command line.

The GNU C library returns freed arrays of some MB to the system at once and requests memory again
for the next array. Each thread besides the first has a separate heap, which is returned as soon as
it is empty. The system clears this memory before it is used again. Without this module, the
clearing took a third of the time for rendering a page on 200,000 queries, and a tenth of the time
of `evaluate` on a long run."""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameter numbers in `malloc.h` of the GNU C library."""
_THRESHOLDS = (128 * 2**20, 32 * 2**20)
"""Sizes in bytes above which a freed array, or the free memory at the end of the heap, is returned
to the system. The second value is the maximum that versions of the library before 2022 allow."""


def keep_freed_memory(*, use_one_heap: bool = False) -> None:
    """Keep freed memory in the process instead of returning it to the system.

    If `use_one_heap` is true, all threads use one heap, so that any thread can reuse the freed
    memory. Call this function before starting threads.
    """
    library = _c_library()
    if library is None:
        return
    threshold = next((size for size in _THRESHOLDS if library.mallopt(_MMAP_THRESHOLD, size)), None)
    # Setting only the trim threshold would make the library request every array anew.
    if threshold is not None:
        library.mallopt(_TRIM_THRESHOLD, threshold)
    if use_one_heap:
        library.mallopt(_ARENA_MAX, 1)


def release_memory() -> None:
    """Return all free memory to the system."""
    library = _c_library()
    if library is not None:
        library.malloc_trim(0)


def _c_library() -> ctypes.CDLL | None:
    """Return the GNU C library, or None if this process does not use it."""
    if sys.platform != "linux":
        return None
    try:
        return ctypes.CDLL("libc.so.6")
    except OSError:
        return None
