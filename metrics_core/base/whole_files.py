"""Files that are whole or not there, on the disk before anybody is told.

A file is written beside its place, flushed to the disk, moved into its place, and the folder that
now names it is flushed too: after a power cut the old or the new one is there. What was worked out
and can be again is sealed besides: a hash of its name and its bytes stands before them, and what
does not fit it counts as not there.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from metrics_core.base.errors import RanklensError

if sys.platform != "win32":  # there nobody can remove a file that is open
    import fcntl

DRAFT = ".part"

_FILE, _FOLDER = 0o600, 0o700
_SEAL = 32


def write_sealed(path: Path, content: bytes | memoryview) -> None:
    """Put a sealed file into its place, and make its folder. Raises OSError."""
    make_folder(path.parent)
    write(path, b"".join((_make_seal(path.name, content), content)))


def read_sealed(path: Path) -> memoryview | None:
    """What was written sealed under this name; None where nothing is, or it is not as it was."""
    try:
        sealed = memoryview(path.read_bytes())
    except OSError:
        return None
    content = sealed[_SEAL:]
    return content if sealed[:_SEAL] == _make_seal(path.name, content) else None


def _make_seal(name: str, content: bytes | memoryview) -> bytes:
    import hashlib  # takes longer to load than a start takes for most of what it needs

    digest = hashlib.sha256(name.encode() + b"\0")
    digest.update(content)
    return digest.digest()


def write(path: Path, content: bytes | memoryview) -> None:
    """Put a file into its place, also where a folder stands there. Raises OSError; then what was
    there before still is, or the whole new file where only the folder could not be flushed."""
    draft = path.with_name(f"{path.name}.{os.urandom(4).hex()}{DRAFT}")
    try:
        _write_new(draft, content)
        remove_folder(path)
        draft.replace(path)
        sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def replace_file(path: str | Path, content: bytes | str) -> None:
    """Put what a user asked for into a file of theirs, texts as UTF-8. Raises OSError with its
    name, and RanklensError as `encode_text`; then what was there before still is."""
    if isinstance(content, str):
        content = encode_text(content, path)
    with open_replacement(Path(path)) as file:
        file.write(content)


def encode_text(text: str, path: str | Path) -> bytes:
    """A text for this file as UTF-8. Raises RanklensError where it has a part that is none, such as
    the name of a file."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        part = text[max(error.start - 20, 0) : error.end + 20]
        raise RanklensError(
            f"{path} was not written: {part!r} cannot be written as UTF-8.",
            "Rename the file or run that contains these characters.",
        ) from None


@contextmanager
def open_replacement(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of the user's at this path once it is written to its end: it is
    as readable to others as the old one, and a link stays a link. Raises OSError with its name."""
    draft = None
    try:
        if path.exists() and not path.is_file():  # a pipe or a device has nothing to lose
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
        with suppress(OSError):  # one may write into a folder that one cannot read
            sync_folder(target.parent)
    except OSError as error:
        if error.filename not in (None, str(draft)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        if draft is not None:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def _write_new(path: Path, content: bytes | memoryview) -> None:
    handle = open_draft(path)
    try:
        write_all(handle, content)
        os.fsync(handle)
    finally:
        os.close(handle)


def open_new(path: Path) -> int:
    """The handle of a file that was not there and is for this account only. Raises OSError."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _FILE)


def open_draft(path: Path) -> int:
    """The same of a draft, which `is_abandoned` once this process has ended or closed it."""
    while True:
        handle = open_new(path)
        if _acquire_lock(handle) and path.exists():
            return handle
        os.close(handle)  # a start of another process came in between
        path.unlink(missing_ok=True)


def is_abandoned(path: Path) -> bool:
    """Whether no other process writes to this draft any more. Raises OSError."""
    handle = os.open(path, os.O_WRONLY)
    try:
        return _acquire_lock(handle)
    finally:
        os.close(handle)


def _acquire_lock(handle: int) -> bool:
    """Whether this process has the lock of a file now: the system gives it back when the process
    ends, however it ends. Where a disk has no locks, everybody has it."""
    if sys.platform != "win32":
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            return True
    return True


def write_all(handle: int, content: bytes | memoryview) -> None:
    """Write all of these bytes to a file. Raises OSError."""
    remaining = memoryview(content)
    while remaining:
        remaining = remaining[os.write(handle, remaining) :]


def make_folder(path: Path) -> None:
    """Make a folder and those above it, only for this account. Raises OSError."""
    if path.is_dir():
        return
    make_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir(mode=_FOLDER)
    sync_folder(path.parent)


def remove_folder(path: Path) -> None:
    """Remove a folder where a file of ours belongs. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)


def sync_folder(path: Path) -> None:
    """Flush which names a folder holds; systems that cannot do so keep them by themselves."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
