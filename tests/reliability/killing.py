"""A process that is killed at a random moment, and what it told until then."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

READY = "ready"


def preload(modules: Sequence[str]) -> None:
    """What every process has imported before it begins; to be said before the first."""
    multiprocessing.set_forkserver_preload(list(modules))


def killed(work: Callable[..., None], seconds: float, *given: Any) -> list[Any]:
    """What `work`, called with a pipe and what is given, sent after it said that it is ready, until
    it was killed so many seconds later."""
    ours, its = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("forkserver").Process(
        target=work, args=(its, *given), daemon=True
    )
    child.start()
    its.close()
    try:
        assert ours.recv() == READY
        time.sleep(seconds)
    finally:
        child.kill()
        child.join()
    return list(_left_in(ours))


def _left_in(pipe: Connection) -> Any:
    while True:
        try:
            yield pipe.recv()
        except (EOFError, OSError):  # what was being sent may be cut
            return
