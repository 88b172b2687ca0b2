"""How a process ends: by the status of what it ran. For who owns the process, the server and the
command line.

When Python closes down, it ends each thread that still runs as soon as that one comes back to it.
A thread that Arrow's C++ called back, as while it reads a file of Python's, is then unwound through
that C++, which takes it for an exception that it must not let pass, and aborts: SIGABRT instead of
the status. And where a Ctrl-C passed through an `exec`, as of each dataclass that is loaded, Python
forgets whatever status is returned. So the process is left before Python closes down.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress


def by_status(main: Callable[[], int]) -> int:
    """What `main` returns; from then on the process ends by that status, or by the one with which
    `main` exits, once threads that are to be waited for are done and all that was registered for
    the end (`atexit`) since this was called is. An error that `main` raises ends it as Python does.
    """
    status: int | None = None

    def leave() -> None:
        if status is None:
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(status)

    # Before all others, and so called after them.
    atexit.register(leave)
    try:
        status = main()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            status = ended.code or 0
        raise
    return status


SECONDS_AT_LAST = 6
"""How long a process that was told to end may take."""


def leave_at_last(status: int, seconds: float = SECONDS_AT_LAST) -> None:
    """For the handler of a signal that ends the process: leave by this status in so many seconds,
    whatever swallows the exit or holds it up. Not by a thread where there is a timer: the signal
    may have come while one was being started, and then the next waits for it for ever.

    Python prints and drops an exit that is raised in a weak reference's callback or a finalizer,
    so from now on such an exit ends the process at once.
    """
    sys.unraisablehook = lambda dropped: (
        os._exit(status) if dropped.exc_type is SystemExit else sys.__unraisablehook__(dropped)
    )
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, lambda *_: os._exit(status))
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return
    from threading import Timer

    end = Timer(seconds, os._exit, (status,))
    end.daemon = True
    end.start()
