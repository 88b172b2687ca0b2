"""Folders for as long as this process wants them, which a later start removes if it was killed.

<temporary folder>/ranklens-…/owner.lock     held while the process that made it lives
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
    """A folder for this account alone, removed by `close`, with this object or with the process;
    after a kill by the next `remove_abandoned`. `path` is where files are put."""

    def __init__(self) -> None:
        """Make it. Raises OSError."""
        while True:
            self._directory = TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True)
            self._lock = _folder_lock(Path(self._directory.name))
            # A start that looked between these two lines takes it for abandoned: then another one.
            with suppress(Timeout, FileNotFoundError):
                self._lock.acquire(timeout=0)
                self.path = Path(self._directory.name) / "files"
                self.path.mkdir()
                return

    def close(self) -> None:
        """Remove it with all that is in it; a second time does nothing."""
        self._lock.release()
        self._directory.cleanup()


def remove_abandoned() -> None:
    """Remove such folders whose process has ended; never one that is in use, or another's."""
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(Timeout, OSError):
            if not _is_ours(folder) or not (folder / _LOCK).is_file():
                continue
            with _folder_lock(folder).acquire(timeout=0):
                shutil.rmtree(folder, ignore_errors=True)


def _folder_lock(folder: Path) -> FileLock:
    # Whichever thread lets go of it: the lock is of the process.
    return FileLock(folder / _LOCK, mode=0o600, thread_local=False)


def _is_ours(folder: Path) -> bool:
    """Whether a folder is of this account, and no link that somebody put into a shared place."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and (os.name != "posix" or status.st_uid == os.getuid())
