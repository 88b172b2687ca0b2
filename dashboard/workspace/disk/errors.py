"""Errors of the disk as sentences that name the folder and say how to fix the error."""

from __future__ import annotations

import errno
from pathlib import Path

from metrics_core.base.errors import RanklensError
from metrics_core.base.plugins import describe_error

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


class StorageError(RanklensError):
    """Raised if the workspace could not store, change or return something. Its existing content is
    intact."""


def refused_write_error(error: OSError, folder: Path) -> StorageError:
    """Convert an operating system error that occurred while writing to `folder` to the error to
    raise."""
    if error.errno in _FULL:
        return StorageError(
            f"The disk of {folder} is full.",
            "Free some space there, or start with another folder: ranklens --workspace folder.",
        )
    if error.errno in _FORBIDDEN:
        return StorageError(
            f"This account may not write to the folder {folder}.",
            "Give this account write permission there, or start with another folder: ranklens"
            " --workspace folder.",
        )
    reason = error.strerror or type(error).__name__
    return StorageError(
        f"The folder {folder} could not be written: {reason}.",
        "Check that its disk is connected and intact, and that this account may use"
        " more space. Then try again.",
    )


def missing_folder_error(folder: Path) -> StorageError:
    """Return the error for a folder that no longer exists."""
    return StorageError(
        f"The folder {folder} no longer exists.",
        "Connect its disk or restore the folder. If it was deleted on purpose, restart"
        " Ranklens to create a new one.",
    )


def unreadable_folder_error(error: OSError, folder: Path) -> StorageError:
    """Return the error for a folder that the operating system refuses to list."""
    return StorageError(
        f"The folder {folder} cannot be read: {error.strerror or type(error).__name__}.",
        "Check that its disk is connected and intact, and that this account may read it.",
    )


def missing_collection_error() -> StorageError:
    """Return the error for a change to a collection that no longer exists."""
    return StorageError(
        "This collection no longer exists.",
        "It was deleted for good, in another window or at a restart. Open or create another one.",
    )


def missing_subfolder_error(folder: Path) -> StorageError:
    """Return the error for a workspace folder without the subfolder that lists its contents."""
    return StorageError(
        f"The folder {folder} lacks the subfolder collections, which lists the folder’s contents.",
        "Restore the subfolder, from a backup if necessary. To start over, move the"
        " whole folder away and restart Ranklens.",
    )


def locked_database_error(path: Path) -> StorageError:
    """Return the error for a database that another program has locked for too long."""
    return StorageError(
        f"Another program is writing to {path}, so nothing was changed.",
        "Try again when it has finished, or stop it.",
    )


class DamagedDatabaseError(StorageError):
    """Raised if SQLite reports that a database is damaged."""

    path: Path


def damaged_database_error(path: Path, reason: str) -> DamagedDatabaseError:
    """Return the error for a database that cannot be read."""
    error = DamagedDatabaseError(
        f"The database {path} is damaged: {reason}.",
        "Restore its last good state on the page Collections, or restore a backup.",
    )
    error.path = path
    return error


def newer_version_error(folder: Path, found_version: object, known_version: int) -> StorageError:
    """Return the error for a folder that was written by a newer version."""
    return StorageError(
        f"The folder {folder} was written by a newer Ranklens (layout {found_version}; this"
        f" version supports {known_version}), so it is read-only.",
        "Use the newer Ranklens, or start with another folder: ranklens --workspace folder.",
    )


def damaged_file_error(file: str, reason: str) -> StorageError:
    """Return the error for a file whose record or table is damaged."""
    return StorageError(
        f"The stored copy of {file or 'one file'} {reason}.",
        "Add the file again to repair it, or remove it here. Everything else is intact.",
    )


def failed_page_error(title: str, error: Exception) -> RanklensError:
    """Return the error for a page that failed unexpectedly while its collection is open."""
    return RanklensError(
        f"The page {title} cannot be shown: {describe_error(error)}",
        "Your data is unchanged. Try another page, run or measure. The terminal shows the details.",
    )


def collection_error(name: str, folder: Path, error: Exception) -> StorageError:
    """Return the error for a collection that unexpectedly cannot be opened."""
    return StorageError(
        f"“{name}” cannot be shown: {describe_error(error)}",
        f"Open another collection, or remove this one. Its files are in {folder}.",
    )
