"""Journals: files that only grow, a line a change, each of which checks itself.

A change is acknowledged once its line is on the disk. What was being written when a process ended
is a line without an end: it is not read, and the next change takes it away. A line that is not as
it was written costs only itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from dashboard.workspace import durable, errors
from dashboard.workspace.records import is_id

Line = dict[str, Any]

JOURNAL = ".journal"
NOTES = "notes"

_LAYER = re.compile(r"layer-[a-z0-9]{1,40}")
_KEPT = 200
_TAIL = 200
_END = b"\n"


@dataclass(frozen=True)
class Read:
    """A journal as it was read: its lines, oldest first, the numbers (from 1) of those that are
    not as they were written, and how many bytes of the file these are. `file` tells it apart from
    another one that stands in its place later, and `tail`, the last of these bytes, from one that
    the system gave the same number."""

    lines: tuple[Line, ...] = ()
    damaged: tuple[int, ...] = ()
    size: int = 0
    file: int = 0
    tail: bytes = b""

    @property
    def version(self) -> str:
        """What changes when a line is added."""
        return f"{self.file}-{self.size}"


_NO_FILE = Read(damaged=(1,))
"""What stands where a journal belongs and is no file, such as a folder: whatever was written there
is lost, and the next change makes a new one."""


def is_name(text: str) -> bool:
    """Whether a text can be the name of a journal; nothing else becomes a path."""
    return text == NOTES or bool(_LAYER.fullmatch(text))


def sealed(told: Line) -> bytes:
    """A line as it is written."""
    text = json.dumps(told, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    check = hashlib.sha256(text.encode()).hexdigest()
    return f'{{"check":"{check}","change":{text}}}\n'.encode()


def opened(content: bytes) -> Line | None:
    """What a line tells, without its end; None where it is not as it was written."""
    try:
        told = json.loads(content)["change"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return told if isinstance(told, dict) and sealed(told) == content + _END else None


def append(path: Path, lines: Iterable[Line]) -> None:
    """Add lines to a journal that is there, for who holds the folder's lock. Raises OSError; then
    none of them is read, unless the system took back what it had already taken."""
    content = b"".join(sealed(line) for line in lines)
    handle = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        end = _end_of_lines(handle)
        try:
            os.lseek(handle, end, os.SEEK_SET)
            left = memoryview(content)
            while left:
                left = left[os.write(handle, left) :]
            os.fsync(handle)
        except BaseException:
            os.ftruncate(handle, end)
            raise
    finally:
        os.close(handle)


def _end_of_lines(handle: int) -> int:
    """Where the next line begins: what has no end, and was never told to be kept, goes."""
    size = end = os.lseek(handle, 0, os.SEEK_END)
    tail = b""
    while end and _END not in tail:
        step = min(end, 1 << 16)
        end -= step
        os.lseek(handle, end, os.SEEK_SET)
        tail = _exactly(handle, step) + tail
    torn = tail.rpartition(_END)[2]
    if not torn:
        return size
    if opened(torn) is not None or opened(torn[:-1]) is not None:
        # Whole but for its end: it may have been told to be kept.
        os.lseek(handle, size, os.SEEK_SET)
        os.write(handle, _END)
        return size + len(_END)
    os.ftruncate(handle, size - len(torn))
    return size - len(torn)


def _exactly(handle: int, size: int) -> bytes:
    parts = []
    while size and (part := os.read(handle, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class Journals:
    """The journals of collections as they stand on the disk: of one that grew, only what is new is
    read."""

    def __init__(self, collections: Path) -> None:
        self._collections = collections
        self._known: dict[Path, Read] = {}
        self._lock = Lock()

    def of(self, identity: str) -> dict[str, Read]:
        """The journals of a collection by name; none where there is no such collection. Raises
        StorageError where the system refuses to say."""
        if not is_id(identity):
            return {}
        try:
            paths = sorted((self._collections / identity).glob(f"*{JOURNAL}"))
            found = {path.stem: self._read(path) for path in paths if is_name(path.stem)}
        except OSError as error:
            raise errors.unreadable(error, self._collections / identity) from error
        return {name: read for name, read in found.items() if read is not None}

    def contents(self, identity: str) -> Iterator[tuple[str, bytes]]:
        """Name and bytes of each journal of a collection, for a copy. Raises StorageError."""
        for name in self.of(identity):
            path = self._path(identity, name)
            try:
                if path.is_file():
                    yield name, path.read_bytes()
            except OSError as error:
                raise errors.unreadable(error, path.parent) from error

    def append(self, identity: str, name: str, lines: Iterable[Line]) -> None:
        """Add lines to a journal, which is made where there is none. Raises OSError, KeyError for
        what can be no journal's name."""
        path, content = self._path(identity, name), list(lines)
        if path.is_file():
            append(path, content)
        else:
            durable.write(path, b"".join(map(sealed, content)))

    def damaged(self, identity: str, name: str) -> list[bytes]:
        """The lines of a journal that are not as they were written, without their ends; none where
        there is no such journal. Raises OSError, KeyError for what can be no journal's name."""
        try:
            content = self._path(identity, name).read_bytes()
        except FileNotFoundError:
            return []
        return [line for line in content.split(_END)[:-1] if opened(line) is None]

    def mend(self, identity: str, name: str, lines: Collection[bytes]) -> int:
        """Take these lines out of a journal for good, as far as they are damaged ones of it, for
        who holds the folder's lock; how many went. The others stay byte for byte. Raises OSError,
        KeyError for what can be no journal's name."""
        gone, path = set(lines) & set(self.damaged(identity, name)), self._path(identity, name)
        if not gone:
            return 0
        every = path.read_bytes().split(_END)
        # What stands behind the last end is a line of somebody who was interrupted.
        left = [line for line in every[:-1] if line not in gone]
        durable.write(path, _END.join([*left, every[-1]]))
        return len(every) - 1 - len(left)

    def copy(self, identity: str, other: str) -> None:
        """Give the journals of a collection to another one that has none. Raises OSError."""
        for name, content in self.contents(identity):
            durable.write(self._path(other, name), content)

    def drop(self, identity: str, name: str) -> None:
        """Remove a journal for good. Raises OSError."""
        durable.remove(self._path(identity, name))

    def _path(self, identity: str, name: str) -> Path:
        if not (is_id(identity) and is_name(name)):
            raise KeyError(name)
        return self._collections / identity / f"{name}{JOURNAL}"

    def _read(self, path: Path) -> Read | None:
        state = durable.state_of(path)
        if state is None:
            return None
        if not path.is_file():
            return _NO_FILE
        with self._lock:
            known = self._known.pop(path, Read())
            if not state or (known.file, known.size) != state[:2]:
                known = _read(path, known)
            self._known[path] = known
            while len(self._known) > _KEPT:
                self._known.pop(next(iter(self._known)))
            return known


def _read(path: Path, known: Read) -> Read:
    with path.open("rb") as file:
        told = os.fstat(file.fileno())
        file.seek(max(known.size - len(known.tail), 0))
        same = known.file == told.st_ino and file.read(len(known.tail)) == known.tail
        if not same or told.st_size < known.size:
            known = Read(file=told.st_ino)
        file.seek(known.size)
        content = file.read()
    whole, _, _ = content.rpartition(_END)
    if not whole:
        return known
    every = [opened(line) for line in whole.split(_END)]
    before = len(known.lines) + len(known.damaged)
    lost = (before + i for i, line in enumerate(every, start=1) if line is None)
    return Read(
        (*known.lines, *(line for line in every if line is not None)),
        (*known.damaged, *lost),
        known.size + len(whole) + len(_END),
        known.file,
        (whole + _END)[-_TAIL:],
    )
