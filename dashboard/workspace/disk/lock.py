"""One writer at a time, across threads and processes; a wait that is too long names the writer."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from dashboard.workspace.disk.errors import StorageError

_LONGEST_WAIT = 20.0


class WriteLock:
    """The right to change a folder. The system takes it back when its holder ends, however."""

    def __init__(self, folder: Path, longest_wait: float = _LONGEST_WAIT) -> None:
        """`longest_wait` in seconds."""
        self._folder, self._wait = folder, longest_wait

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock. Raises StorageError where another one holds it for too long."""
        # One of its own each time: the system keeps threads apart just like processes.
        lock = FileLock(self._folder / "lock", mode=0o600)
        try:
            lock.acquire(timeout=self._wait, poll_interval=0.01)
        except Timeout:
            raise StorageError(
                f"{self._holder()} is writing to {self._folder}, so nothing was changed.",
                "Try again once it is done, or end it.",
            ) from None
        try:
            self._sign()
            yield
        finally:
            lock.release()

    def _sign(self) -> None:
        # Only told to people who wait, so it need not outlive anything.
        signed = {"process": os.getpid(), "host": socket.gethostname(), "since": _now()}
        with suppress(OSError):
            (self._folder / "writer").write_text(json.dumps(signed), "utf-8")
            (self._folder / "writer").chmod(0o600)

    def _holder(self) -> str:
        try:
            signed = json.loads((self._folder / "writer").read_text("utf-8"))
            return (
                f"Another Ranklens (process {signed['process']} on {signed['host']},"
                f" since {signed['since']})"
            )
        except (OSError, ValueError, KeyError, TypeError):
            return "Another program"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
