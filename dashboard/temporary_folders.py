"""Temporary folders that a later start removes if this process is killed.

<temporary folder>/ranklens-…/owner.lock     held while the process that created it lives
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from filelock import FileLock, Timeout

_PREFIX, _LOCK = "ranklens-", "owner.lock"


class TemporaryFolder:
    """A folder private to this account. The folder is removed by `close`, together with this
    object, or at the end of the process. If the process is killed, the next
    `remove_abandoned_folders` removes it. Files go into `path`."""

    def __init__(self) -> None:
        """Create the folder. Raises OSError."""
        while True:
            self._directory = TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True)
            self._lock = _folder_lock(Path(self._directory.name))
            # Another start may look between these two lines and take the folder for abandoned: then
            # try again.
            with suppress(Timeout, FileNotFoundError):
                self._lock.acquire(timeout=0)
                self.path = Path(self._directory.name) / "files"
                self.path.mkdir()
                return

    def close(self) -> None:
        """Remove the folder with its content; calling it again does nothing."""
        self._lock.release()
        self._directory.cleanup()


def remove_abandoned_folders() -> None:
    """Remove temporary folders whose process has ended. Folders that are in use or belong to
    another account stay."""
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(Timeout, OSError):
            if not _belongs_to_account(folder) or not (folder / _LOCK).is_file():
                continue
            with _folder_lock(folder).acquire(timeout=0):
                shutil.rmtree(folder, ignore_errors=True)


def _folder_lock(folder: Path) -> FileLock:
    # Any thread may release it: the lock belongs to the process.
    return FileLock(folder / _LOCK, mode=0o600, thread_local=False)


def _belongs_to_account(folder: Path) -> bool:
    """Whether a folder belongs to this account, and is not a link placed in a shared folder."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and (os.name != "posix" or status.st_uid == os.getuid())
