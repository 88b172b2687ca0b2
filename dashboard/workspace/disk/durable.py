"""The files of a workspace: those of `whole_files`, also written in pieces or linked, and what
tells that one changed."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

from metrics_core.base.memo import Memo
from metrics_core.base.whole_files import DRAFT as DRAFT
from metrics_core.base.whole_files import is_abandoned as is_abandoned
from metrics_core.base.whole_files import make_folder as make_folder
from metrics_core.base.whole_files import open_draft, remove_folder, write_all
from metrics_core.base.whole_files import open_new as open_new
from metrics_core.base.whole_files import sync_folder as sync_folder
from metrics_core.base.whole_files import write as write

_PIECE = 2**22
"""Bytes that are hashed at a time: between two a thread among others waits for its turn, which of
many small ones takes much longer than the hash."""

_HASHES = Memo(10_000)

_STEP = 50_000_000

State = tuple[int, ...]


class Draft:
    """A file that is written in pieces and then put into its place, which may follow from the hash
    of what was written. It has what Arrow asks of a file."""

    closed = False

    def __init__(self, path: Path) -> None:
        self._path, self._handle = path, open_draft(path)
        self._digest = hashlib.sha256()

    @property
    def digest(self) -> str:
        """The SHA-256 of what was written."""
        return self._digest.hexdigest()

    def write(self, content: bytes) -> int:
        """Write what comes next. Raises OSError. What still comes from a writer that was given up
        goes nowhere: its file may be another's by now."""
        if not self.closed:
            self._digest.update(content)
            write_all(self._handle, content)
        return len(content)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """No more comes."""
        if not self.closed:
            self.closed = True
            os.close(self._handle)

    def move_to(self, path: Path) -> None:
        """Put what was written into its place, on the disk. Raises OSError."""
        os.fsync(self._handle)
        remove_folder(path)
        self._path.replace(path)
        sync_folder(path.parent)


@contextmanager
def create_draft(folder: Path) -> Iterator[Draft]:
    """A draft in this folder, which is gone afterwards unless it was put into its place. Raises
    OSError."""
    new_draft = Draft(folder / f"{token_hex(8)}{DRAFT}")
    try:
        yield new_draft
    finally:
        new_draft.close()
        with suppress(OSError):
            new_draft._path.unlink(missing_ok=True)


Content = bytes | memoryview | Path | Draft
"""Bytes that are kept, or the file that holds them already, or a draft of it."""


def put(path: Path, content: Content) -> None:
    """Put a file into its place, whatever its bytes are in. Raises OSError."""
    if isinstance(content, Draft):
        content.move_to(path)
    elif isinstance(content, Path):
        link(content, path)
    else:
        write(path, memoryview(content))


def link(source: Path, path: Path) -> None:
    """Put a file that is on the disk into another place as well, its bytes a second time only where
    the disk has no links. Raises OSError."""
    draft_path = path.with_name(f"{path.name}.{token_hex(4)}{DRAFT}")
    try:
        os.link(source, draft_path)
    except OSError:
        with create_draft(path.parent) as copy, source.open("rb") as source_file:
            shutil.copyfileobj(source_file, copy, 1 << 20)
            copy.move_to(path)
        return
    try:
        remove_folder(path)
        draft_path.replace(path)
        sync_folder(path.parent)
    finally:
        with suppress(OSError):
            draft_path.unlink(missing_ok=True)


def remove(path: Path) -> None:
    """Remove a file for good; nothing happens where there is none. Raises OSError."""
    remove_folder(path)
    try:
        path.unlink()
    except FileNotFoundError:
        return
    sync_folder(path.parent)


def file_state(file: Path | os.DirEntry[str]) -> State | None:
    """What changes when a file's content does; None where there is no file. The time of change
    cannot be set back, unlike that of modification."""
    try:
        status = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return ()  # something is there; reading it says what is wrong
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def file_identity(path: Path) -> State:
    """What tells a file from another one that takes its place."""
    return (file_state(path) or ())[:1]


def is_settled(state: State, checked_at: int) -> bool:
    """Whether a file that was in this state then, in nanoseconds since 1970, has another one once
    it is written again: file systems count time in steps."""
    return checked_at - max(state[2:], default=checked_at) > _STEP


def file_sha256(path: Path) -> str:
    """The hash of a file's bytes, of which few are held; worked out once as long as the file stays
    the same. Raises OSError."""
    state = file_state(path)
    return _HASHES((path, state), lambda: _hash_file(path)) if state else _hash_file(path)


def _hash_file(path: Path) -> str:
    digest, piece = hashlib.sha256(), memoryview(bytearray(_PIECE))
    with path.open("rb", buffering=0) as file:
        while n_read := file.readinto(piece):
            digest.update(piece[:n_read])
    return digest.hexdigest()


def write_time(state: State | None) -> str:
    """When a file of this state was last written, in UTC as ISO 8601 has it; "" where unknown."""
    if not state:
        return ""
    return datetime.fromtimestamp(state[2] / 1e9, UTC).isoformat(timespec="seconds")
