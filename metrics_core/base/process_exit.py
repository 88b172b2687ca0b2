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


def exit_with_status(main: Callable[[], int]) -> int:
    """What `main` returns; from then on the process ends by that status, or by the one with which
    `main` exits, once threads that are to be waited for are done and all that was registered for
    the end (`atexit`) since this was called is. An error that `main` raises ends it as Python does.
    """
    status: int | None = None

    def exit_process() -> None:
        if status is None:
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(status)

    # Before all others, and so called after them.
    atexit.register(exit_process)
    try:
        status = main()
    except SystemExit as exit_error:
        if exit_error.code is None or isinstance(exit_error.code, int):
            status = exit_error.code or 0
        raise
    return status


EXIT_TIMEOUT = 6
"""How long a process that was told to end may take."""


def exit_within(status: int, seconds: float = EXIT_TIMEOUT) -> None:
    """For the handler of a signal that ends the process: leave by this status in so many seconds,
    whatever swallows the exit or holds it up. Not by a thread where there is a timer: the signal
    may have come while one was being started, and then the next waits for it for ever.

    Python prints and drops an exit that is raised in a weak reference's callback or a finalizer,
    so from now on such an exit ends the process at once.
    """
    sys.unraisablehook = lambda unraisable: (
        os._exit(status)
        if unraisable.exc_type is SystemExit
        else sys.__unraisablehook__(unraisable)
    )
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, lambda *_: os._exit(status))
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return
    from threading import Timer

    timer = Timer(seconds, os._exit, (status,))
    timer.daemon = True
    timer.start()
