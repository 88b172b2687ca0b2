"""Functions for the files of a workspace, in addition to `whole_files`: files that are written in
pieces, links to files, and the detection of changes."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

from metrics_core.base.memo import Memo
from metrics_core.base.whole_files import DRAFT as DRAFT
from metrics_core.base.whole_files import create_private_file as create_private_file
from metrics_core.base.whole_files import is_abandoned as is_abandoned
from metrics_core.base.whole_files import make_folder as make_folder
from metrics_core.base.whole_files import open_draft, remove_folder, write_all
from metrics_core.base.whole_files import sync_folder as sync_folder
from metrics_core.base.whole_files import write_file as write_file

FOR_OTHERS = 0o077
_PIECE = 2**22
"""Number of bytes that are hashed at a time. Between two pieces, a thread has to wait for its turn;
with small pieces, the waiting takes much longer than the hashing."""

_HASHES = Memo(10_000)

_STEP = 50_000_000

State = tuple[int, ...]


class Draft:
    """A file that is written in pieces and then moved to its path. The path may contain the hash of
    the content, because the path need not be known before the move. The class has the methods of a
    file object that Arrow calls."""

    closed = False

    def __init__(self, path: Path) -> None:
        self._path, self._handle = path, open_draft(path)
        self._digest = hashlib.sha256()

    @property
    def digest(self) -> str:
        """The SHA-256 of the bytes that were written."""
        return self._digest.hexdigest()

    def write(self, content: bytes) -> int:
        """Write the next bytes. Raises OSError.

        If the file is closed already, the bytes are dropped. They come from a writer that is no
        longer used, and the file handle may belong to another file by now."""
        if not self.closed:
            self._digest.update(content)
            write_all(self._handle, content)
        return len(content)

    def flush(self) -> None:
        """Do nothing: writes are not buffered."""

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self.closed = True
            os.close(self._handle)

    def move_to(self, path: Path) -> None:
        """Flush the content to disk and move the file to a path. Raises OSError."""
        os.fsync(self._handle)
        remove_folder(path)
        self._path.replace(path)
        sync_folder(path.parent)


@contextmanager
def create_draft(folder: Path) -> Iterator[Draft]:
    """Create a draft in this folder. At the end of the `with` block, the draft is removed unless it
    was moved to its path. Raises OSError."""
    new_draft = Draft(folder / f"{token_hex(8)}{DRAFT}")
    try:
        yield new_draft
    finally:
        new_draft.close()
        with suppress(OSError):
            new_draft._path.unlink(missing_ok=True)


def make_private_folder(folder: Path) -> None:
    """Create a folder if it is missing, so that other accounts have no access. Raises OSError."""
    make_folder(folder)
    if os.name == "posix" and stat.S_IMODE(folder.stat().st_mode) & FOR_OTHERS:
        folder.chmod(0o700)


Content = bytes | memoryview | Path | Draft
"""The content of a file: bytes, the path of a file with the same content, or a draft."""


def put_file(path: Path, content: Content) -> None:
    """Write content to a path. Raises OSError."""
    if isinstance(content, Draft):
        content.move_to(path)
    elif isinstance(content, Path):
        link_file(content, path)
    else:
        write_file(path, memoryview(content))


def link_file(source: Path, path: Path) -> None:
    """Link a file to another path. If the disk does not support links, the file is copied. Raises
    OSError."""
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


def remove_file(path: Path) -> None:
    """Delete a file if it exists. Raises OSError."""
    remove_folder(path)
    try:
        path.unlink()
    except FileNotFoundError:
        return
    sync_folder(path.parent)


def file_state(file: Path | os.DirEntry[str]) -> State | None:
    """Return a value that changes when the content of a file changes. Returns None if there is no
    file. The value includes the ctime, because programs can set back the mtime, but not the
    ctime."""
    try:
        status = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return ()  # something exists; reading it reports the error
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def file_identity(path: Path) -> State:
    """Return a value that changes if the file at this path is replaced by another file."""
    return (file_state(path) or ())[:1]


def is_state_settled(state: State, checked_at: int) -> bool:
    """Return whether every later write is certain to change the state of a file that was in this
    `state` at the time `checked_at` (nanoseconds since 1970). It is not certain for a recently
    written file. The clocks of file systems advance in steps, so a write that follows soon after
    another may leave the state unchanged."""
    return checked_at - max(state[2:], default=checked_at) > _STEP


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes. The file is read in pieces, and the hash is cached as
    long as the file is unchanged. Raises OSError."""
    state = file_state(path)
    return _HASHES((path, state), lambda: _hash_file(path)) if state else _hash_file(path)


def _hash_file(path: Path) -> str:
    digest, piece = hashlib.sha256(), memoryview(bytearray(_PIECE))
    with path.open("rb", buffering=0) as file:
        while n_read := file.readinto(piece):
            digest.update(piece[:n_read])
    return digest.hexdigest()


def last_write_time(state: State | None) -> str:
    """Return the time when a file in this state was last written, in UTC as ISO 8601. The result is
    empty if the time is unknown."""
    if not state:
        return ""
    return datetime.fromtimestamp(state[2] / 1e9, UTC).isoformat(timespec="seconds")
