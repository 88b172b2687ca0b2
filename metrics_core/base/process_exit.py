"""End a process with the status of the code it ran. Used by the server and the command line.

When Python shuts down, it ends each running thread as soon as the thread returns to Python code. If
that thread was called back from Arrow's C++ code, for example to read a Python file, the C++ code
treats this as a fatal exception: the process ends with SIGABRT. Also, if a Ctrl-C interrupted an
`exec`, for example in the creation of a dataclass, Python ignores the returned status. Therefore
the process exits before Python shuts down."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress


def exit_with_status(main: Callable[[], int]) -> int:
    """Run `main` and end the process with the status that it returns.

    If `main` itself exits with a status, the process ends with that status in the same way.
    Non-daemon threads, and functions registered with `atexit` after this call, finish first. If
    `main` raises an error, the process ends as usual in Python."""
    status: int | None = None

    def exit_process() -> None:
        if status is None:
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(status)

    # Registered first, and so called last.
    atexit.register(exit_process)
    try:
        status = main()
    except SystemExit as exit_error:
        if exit_error.code is None or isinstance(exit_error.code, int):
            status = exit_error.code or 0
        raise
    return status


EXIT_TIMEOUT = 6
"""Seconds that a process may take to end after a signal."""


def exit_within(status: int, seconds: float = EXIT_TIMEOUT) -> None:
    """End the process with this status after at most `seconds`, even if the exit is delayed or
    suppressed.

    Call this in the handler of a signal. A system timer is used if there is one. A thread would not
    be safe: if the signal arrived while a thread was being started, starting another thread would
    wait forever. Normally, Python prints and ignores an exit that is raised in the callback of a
    weak reference or in a finalizer. After this call, even such an exit ends the process at
    once."""
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
