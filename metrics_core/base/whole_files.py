"""Write files atomically and durably: after a crash or power cut, either the old or the new file
exists in full.

A file is first written as a draft beside its destination, flushed to disk and moved to the
destination; then the folder is flushed too. Files of results that can be computed again are also
sealed: a hash of name and content precedes the content, and a file that does not match its hash is
treated as missing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from metrics_core.base.errors import RanklensError

if sys.platform != "win32":  # on Windows an open file cannot be removed
    import fcntl

DRAFT = ".part"

_FILE, _FOLDER = 0o600, 0o700
_SEAL = 32


def write_checksummed_file(path: Path, content: bytes | memoryview) -> None:
    """Write a sealed file and create its folder. A sealed file begins with a hash of its name and
    content. Raises OSError."""
    make_folder(path.parent)
    write_file(path, b"".join((_make_checksum(path.name, content), content)))


def read_checksummed_file(path: Path) -> memoryview | None:
    """Return the content of a file written by `write_checksummed_file`; None if the file is missing
    or was changed."""
    try:
        sealed = memoryview(path.read_bytes())
    except OSError:
        return None
    content = sealed[_SEAL:]
    return content if sealed[:_SEAL] == _make_checksum(path.name, content) else None


def _make_checksum(name: str, content: bytes | memoryview) -> bytes:
    import hashlib  # slow to load

    digest = hashlib.sha256(name.encode() + b"\0")
    digest.update(content)
    return digest.digest()


def write_file(path: Path, content: bytes | memoryview) -> None:
    """Write a file, replacing a file or folder of the same name.

    Raises OSError. The old file is then unchanged, with one exception: if only flushing the folder
    failed, the new file is already complete."""
    draft = path.with_name(f"{path.name}.{os.urandom(4).hex()}{DRAFT}")
    try:
        _write_draft(draft, content)
        remove_folder(path)
        draft.replace(path)
        sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def replace_file(path: str | Path, content: bytes | str) -> None:
    """Write text or bytes to a file of the user. Text is encoded as UTF-8.

    Raises OSError with the file name, and RanklensError in the same cases as `encode_text`. After
    an error, an existing file is unchanged."""
    if isinstance(content, str):
        content = encode_text(content, path)
    with open_replacement(Path(path)) as file:
        file.write(content)


def encode_text(text: str, path: str | Path) -> bytes:
    """Encode a string as UTF-8.

    Raises RanklensError if the string contains lone surrogates, which may come from file names."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        part = text[max(error.start - 20, 0) : error.end + 20]
        raise RanklensError(
            f"{path} was not written: {part!r} cannot be encoded as UTF-8.",
            "Rename the file or run that contains these characters.",
        ) from None


@contextmanager
def open_replacement(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces the user's file at this path when the block ends without an error.

    The new file keeps the permissions of the old one, and a link remains a link. Raises OSError
    with the file name.
    """
    draft = None
    try:
        if path.exists() and not path.is_file():  # a pipe or a device
            with path.open("wb") as file:
                yield file
            return
        target = path.resolve()
        draft = target.with_name(f".{os.urandom(8).hex()}{DRAFT}")
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
        with suppress(OSError):  # a folder may be writable but not readable
            sync_folder(target.parent)
    except OSError as error:
        if error.filename not in (None, str(draft)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        if draft is not None:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def _write_draft(path: Path, content: bytes | memoryview) -> None:
    handle = open_draft(path)
    try:
        write_all(handle, content)
        os.fsync(handle)
    finally:
        os.close(handle)


def create_private_file(path: Path) -> int:
    """Create a file that only this account can read, and return its handle.

    Raises OSError if the file exists or cannot be created."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _FILE)


def open_draft(path: Path) -> int:
    """Create a draft of a file, locked by this process, and return its handle. Raises OSError.

    Once this process has closed the draft or ended, `is_abandoned` returns true for the draft."""
    while True:
        handle = create_private_file(path)
        if _acquire_lock(handle) and path.exists():
            return handle
        os.close(handle)  # a starting process removed it as abandoned in between
        path.unlink(missing_ok=True)


def is_abandoned(path: Path) -> bool:
    """Return whether the process that was writing this draft has closed it or ended. Raises
    OSError."""
    handle = os.open(path, os.O_WRONLY)
    try:
        return _acquire_lock(handle)
    finally:
        os.close(handle)


def _acquire_lock(handle: int) -> bool:
    """Try to lock a file and return whether this succeeded. If the disk does not support locks, the
    result is always true.

    The system releases the lock when the process ends, for any reason."""
    if sys.platform != "win32":
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            return True
    return True


def write_all(handle: int, content: bytes | memoryview) -> None:
    """Write all bytes to a file handle. Raises OSError."""
    remaining = memoryview(content)
    while remaining:
        remaining = remaining[os.write(handle, remaining) :]


def make_folder(path: Path) -> None:
    """Create a folder that only this account can read, with its parent folders. Raises OSError."""
    if path.is_dir():
        return
    make_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir(mode=_FOLDER)
    sync_folder(path.parent)


def remove_folder(path: Path) -> None:
    """Remove the folder at `path`, so that one of our files can be written there. If `path` is a
    file or a link, nothing is removed. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)


def sync_folder(path: Path) -> None:
    """Flush the directory entries of a folder to disk; does nothing on systems that do this
    themselves."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
