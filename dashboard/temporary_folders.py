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
    """A temporary folder that only this account can access. Files belong in its subfolder `path`.

    The folder is removed by `close`, together with this object, or at the end of the process. If
    the process is killed, the next call of `remove_abandoned_folders` removes it."""

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
        """Remove the folder and everything in it. If it is removed already, nothing happens."""
        self._lock.release()
        self._directory.cleanup()


def remove_abandoned_folders() -> None:
    """Remove temporary folders whose process has ended. Folders that are in use, or that belong to
    another account, are not removed."""
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
    """Return whether a folder belongs to this account and is not a link. In a shared folder,
    somebody else may have placed a link with this name."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and (os.name != "posix" or status.st_uid == os.getuid())
