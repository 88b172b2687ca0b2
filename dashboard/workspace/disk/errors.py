"""Errors of the disk as sentences, with the folder and how to fix them."""

from __future__ import annotations

import errno
from pathlib import Path

from metrics_core.base.errors import RanklensError
from metrics_core.base.plugins import describe_error

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


class StorageError(RanklensError):
    """The workspace could not store, change or return something; its existing content is intact."""


def write_refused_error(error: OSError, folder: Path) -> StorageError:
    """The message for a system error on writing `folder`."""
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
    """Error that the folder no longer exists."""
    return StorageError(
        f"The folder {folder} no longer exists.",
        "Connect its disk or restore the folder. If it was deleted on purpose, restart"
        " Ranklens to create a new one.",
    )


def unreadable_folder_error(error: OSError, folder: Path) -> StorageError:
    """Error that the system refuses to list a folder."""
    return StorageError(
        f"The folder {folder} cannot be read: {error.strerror or type(error).__name__}.",
        "Check that its disk is connected and intact, and that this account may read it.",
    )


def no_collection_error() -> StorageError:
    """Error that the collection to be changed does not exist."""
    return StorageError(
        "This collection no longer exists.",
        "It was deleted for good, in another window or at a restart. Open or create another one.",
    )


def missing_subfolder_error(folder: Path, name: str) -> StorageError:
    """Error that the subfolder that lists all files is missing, while the folder exists."""
    return StorageError(
        f"The folder {folder} lacks the subfolder {name}, which lists the folder’s contents.",
        "Restore the subfolder, from a backup if necessary. To start over, move the"
        " whole folder away and restart Ranklens.",
    )


def locked_error(path: Path) -> StorageError:
    """Error that another program has held the lock of a database for too long."""
    return StorageError(
        f"Another program is writing to {path}, so nothing was changed.",
        "Try again when it has finished, or stop it.",
    )


class DamagedDatabaseError(StorageError):
    """SQLite reports that a database is damaged."""

    path: Path


def damaged_database_error(path: Path, reason: str) -> DamagedDatabaseError:
    """The message for a database that cannot be read."""
    error = DamagedDatabaseError(
        f"The database {path} is damaged: {reason}.",
        "Restore its last good state on the page Collections, or a backup.",
    )
    error.path = path
    return error


def newer_version_error(folder: Path, found_version: object, known_version: int) -> StorageError:
    """Error that the folder was written by a newer version."""
    return StorageError(
        f"The folder {folder} was written by a newer Ranklens (layout {found_version}; this"
        f" version knows {known_version}), so it is read-only.",
        "Use the newer Ranklens, or start with another folder: ranklens --workspace folder.",
    )


def damaged_file_error(file: str, reason: str) -> StorageError:
    """The message for a file whose record or table is damaged."""
    return StorageError(
        f"The stored copy of {file or 'one file'} {reason}.",
        "Add the file again to repair it, or remove it here. Everything else is intact.",
    )


def page_failed_error(name: str, folder: Path, error: Exception) -> StorageError:
    """Error that a collection caused an unexpected error on a page."""
    return StorageError(
        f"“{name}” cannot be shown: {describe_error(error)}",
        f"Open another collection, or remove this one. It is kept in {folder}.",
    )
