"""Uploaded files that are not read yet. They are in the workspace's folder as long as this process
runs.

    workspace/arriving/<process>.lock             held as long as the process that created it runs
    workspace/arriving/<process>-<file>.part

This module does not import Streamlit."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from threading import Lock
from weakref import finalize

from filelock import FileLock, Timeout

from dashboard.workspace.disk import durable

FOLDER = "arriving"


class ScratchFile:
    """A file that exists as long as this object exists, but no longer than the process."""

    def __init__(self, path: Path) -> None:
        """Create the file. Raises OSError."""
        self.path = path
        self.size = 0
        """Bytes that were written."""
        self._file = os.fdopen(durable.create_private_file(path), "wb")
        self._end = finalize(self, _unlink, path)

    def write(self, content: bytes | memoryview) -> None:
        """Write the next bytes. Raises OSError."""
        self._file.write(content)
        self.size += len(content)

    def close(self) -> None:
        """Close the file. Raises OSError."""
        self._file.close()

    def remove(self) -> None:
        """Remove the file, whether or not it is complete."""
        with suppress(OSError):  # buffered bytes need not be written
            self._file.close()
        self._end()


def _unlink(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


class ScratchFolder:
    """The folder in which this process stores uploads until they are read. It is inside a
    workspace's folder."""

    def __init__(self, folder: Path) -> None:
        """Create the object. The folder for uploads, inside the workspace's `folder`, is created
        when the first file needs it."""
        self.folder, self._was_there = folder, folder.is_dir()
        self._scratch_folder, self._name = folder / FOLDER, token_hex(8)
        # Any thread may write the first file: the lock belongs to the process.
        lock = self._scratch_folder / f"{self._name}.lock"
        self._lock = FileLock(lock, mode=0o600, thread_local=False)
        self._making = Lock()

    def new_file(self) -> ScratchFile:
        """Create a file that can be written to. Raises OSError."""
        with self._making:
            if self._was_there and not self.folder.is_dir():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            durable.make_folder(self._scratch_folder)
            if not self._lock.is_locked:
                self._lock.acquire()
        return ScratchFile(self._scratch_folder / f"{self._name}-{token_hex(8)}{durable.DRAFT}")


def sweep_scratch(folder: Path) -> None:
    """Remove the files of processes that have ended. `folder` is the folder of a workspace."""
    scratch_folder = folder / FOLDER
    for lock in scratch_folder.glob("*.lock"):
        file_lock = FileLock(lock, mode=0o600)
        with suppress(Timeout, OSError):
            file_lock.acquire(timeout=0)
            file_lock.release()
            _unlink(lock)
    for draft in scratch_folder.glob(f"*{durable.DRAFT}"):
        if not (scratch_folder / f"{draft.name.partition('-')[0]}.lock").exists():
            _unlink(draft)
