"""Journals: files that only grow, a line a change, each of which checks itself.

A change is acknowledged once its line is on the disk. What was being written when a process ended
is a piece of a line: it is not read, and the next change takes it away. A line that is not as it
was written costs only itself, and lines that are gone are told: see `chain`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock

from dashboard.workspace.disk import durable, errors
from dashboard.workspace.disk.chain import END, Line, Read, behind, linked, opened, pieces, sealed
from dashboard.workspace.disk.records import Extent, is_id

__all__ = ["JOURNAL", "NOTES", "Journals", "Line", "Read", "is_name", "opened", "sealed"]

JOURNAL = ".journal"
NOTES = "notes"

_LAYER = re.compile(r"layer-[a-z0-9]{1,40}")
_KEPT = 200
_TAIL = 200

Reaches = Mapping[str, Extent]
"""Name of a journal -> how far it is known to have gone."""

_NO_FILE = Read(damaged=(1,))
"""What stands where a journal belongs and is no file, such as a folder: whatever was written there
is lost, and the next change makes a new one."""


def is_name(text: str) -> bool:
    """Whether a text can be the name of a journal; nothing else becomes a path."""
    return text == NOTES or bool(_LAYER.fullmatch(text))


def append(path: Path, content: bytes) -> None:
    """Add lines to a journal that is there, for who holds the folder's lock. Raises OSError; then
    none of them is read, unless the system took back what it had already taken."""
    handle = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        end = _end_of_lines(handle)
        try:
            _write_at(handle, end, content)
            os.fsync(handle)
        except BaseException:
            os.ftruncate(handle, end)
            raise
    finally:
        os.close(handle)


def _write_at(handle: int, place: int, content: bytes) -> None:
    os.lseek(handle, place, os.SEEK_SET)
    left = memoryview(content)
    while left:
        left = left[os.write(handle, left) :]


def _end_of_lines(handle: int) -> int:
    """Where the next line begins: what has no end, and was never told to be kept, goes; lines that
    are whole but for their end are given one."""
    size = end = os.lseek(handle, 0, os.SEEK_END)
    tail = b""
    while end and END not in tail:
        step = min(end, 1 << 16)
        end -= step
        os.lseek(handle, end, os.SEEK_SET)
        tail = _exactly(handle, step) + tail
    torn = tail.rpartition(END)[2]
    if not torn:
        return size
    start = size - len(torn)
    whole = b"".join(line + END for line, _ in behind(torn))
    _write_at(handle, start, whole)
    os.ftruncate(handle, start + len(whole))
    return start + len(whole)


def _exactly(handle: int, size: int) -> bytes:
    parts = []
    while size and (part := os.read(handle, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class Journals:
    """The journals of collections as they stand on the disk: of one that grew, only what is new is
    read. How far each went is written down beside them, always after its lines: what is known of it
    may fall behind, and never says more than was there."""

    def __init__(
        self,
        collections: Path,
        reaches: Callable[[str], Reaches],
        put_reaches: Callable[[str, Reaches], None],
    ) -> None:
        """`reaches` tells what is known of a collection's journals, `put_reaches` writes it down
        where there is a place for it. Both may raise OSError."""
        self._collections = collections
        self._reaches, self._put_reaches = reaches, put_reaches
        self._known: dict[Path, Read] = {}
        self._lock = Lock()

    def of(self, identity: str) -> dict[str, Read]:
        """The journals of a collection by name; none where there is no such collection. Raises
        StorageError where the system refuses to say."""
        return self._here_and_missing(identity)[0]

    def missing(self, identity: str) -> dict[str, str]:
        """The journals that were there and are not: what each was called, by name."""
        return self._here_and_missing(identity)[1]

    def _here_and_missing(self, identity: str) -> tuple[dict[str, Read], dict[str, str]]:
        if not is_id(identity):
            return {}, {}
        while True:
            # Known first: what is added meanwhile is no less than that.
            known = self._reaches(identity)
            here = {n: r.beside(known.get(n)) for n, r in self._read_all(identity).items()}
            missing = {n: reach.called for n, reach in known.items() if n not in here}
            lacks = missing or any(read.short for read in here.values())
            if not lacks or self._reaches(identity) == known:
                return here, missing

    def _read_all(self, identity: str) -> dict[str, Read]:
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
        path, known = self._path(identity, name), self._reaches(identity).get(name)
        read = (self._read(path) or Read()).beside(known)
        # Behind lines that are gone the next one names the last of them, and so tells of them.
        content = linked(lines, known.last if known and read.short else read.last)
        if path.is_file():
            append(path, content)
        else:
            durable.write(path, content)
        self._remember(identity, [name])

    def damaged(self, identity: str, name: str) -> list[bytes]:
        """The lines of a journal that are not as they were written, without their ends; none where
        there is no such journal. Raises OSError, KeyError for what can be no journal's name."""
        try:
            content = self._path(identity, name).read_bytes()
        except FileNotFoundError:
            return []
        return [line for line, told in pieces(content) if told is None]

    def mend(self, identity: str, name: str, lines: Collection[bytes]) -> int:
        """Take these lines out of a journal for good, as far as they are damaged ones of it, for
        who holds the folder's lock; how many went. The others stay byte for byte. Raises OSError,
        KeyError for what can be no journal's name."""
        gone, path = set(lines) & set(self.damaged(identity, name)), self._path(identity, name)
        if not gone:
            return 0
        content, here = path.read_bytes(), self.of(identity)[name]
        reach = self._reaches(identity).get(name)
        every = list(pieces(content))
        left = [(line, told) for line, told in every if line not in gone]
        # Known first: who ends this in between leaves nothing that is told to be gone.
        parted = Read().followed_by(left).gaps
        self._accept(identity, name, {after for _, after in parted} - {a for _, a in here.gaps})
        # What stands behind the last end is a line of somebody who was interrupted.
        tail = content.rpartition(END)[2]
        durable.write(path, END.join([*(line for line, _ in left), tail]))
        self._remember(identity, [name])
        if here.short and reach:  # what is gone at the end is told still
            now = self._reaches(identity)
            further = replace(now[name], lines=now[name].lines + here.short, last=reach.last)
            self._put_reaches(identity, {**now, name: further})
        return len(every) - len(left)

    def accept(self, identity: str, name: str) -> None:
        """Take it that lines of a journal are gone, or all of it, for who holds the folder's lock:
        they are not told any more. Raises OSError, KeyError for what can be no journal's name."""
        if self._path(identity, name).is_file():
            self._accept(identity, name, {after for _, after in self.of(identity)[name].gaps})
            self._remember(identity, [name])
        else:
            self._forget(identity, name)

    def _accept(self, identity: str, name: str, gone: Collection[str]) -> None:
        """Tell no more of these lines; until the next ones nothing is known of the end."""
        known = self._reaches(identity)
        reach = known.get(name, Extent(0, ""))
        more = (*reach.gone, *sorted(set(gone) - set(reach.gone)))
        reach = replace(reach, lines=0, last="", gone=more)
        self._put_reaches(identity, {**known, name: reach})

    def copy(self, identity: str, other: str) -> None:
        """Give the journals of a collection to another one that has none. Raises OSError."""
        for name, content in self.contents(identity):
            durable.write(self._path(other, name), content)
        self._put_reaches(other, self._reaches(identity))

    def drop(self, identity: str, name: str) -> None:
        """Remove a journal for good. Raises OSError."""
        self._forget(identity, name)
        durable.remove(self._path(identity, name))

    def remember(self, identity: str) -> None:
        """Write down how far each journal of a collection goes, where nothing of it is gone, for
        who holds the folder's lock."""
        self._remember(identity, [n for n, read in self.of(identity).items() if not read.short])

    def _remember(self, identity: str, names: Iterable[str]) -> None:
        with suppress(OSError):  # what is known falls behind
            known = self._reaches(identity)
            found = {name: self._read(self._path(identity, name)) for name in names}
            now = {
                name: _reach(read, known.get(name, Extent(0, "")))
                for name, read in found.items()
                if read is not None and read is not _NO_FILE
            }
            if {**known, **now} != known:
                self._put_reaches(identity, {**known, **now})

    def _forget(self, identity: str, name: str) -> None:
        known = self._reaches(identity)
        if name in known:
            self._put_reaches(identity, {n: reach for n, reach in known.items() if n != name})

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
            known, tail = self._known.pop(path, Read()), b""
            if not state or (known.file, known.size) != state[:2]:
                known, tail = _read(path, known)
            self._known[path] = known
            while len(self._known) > _KEPT:
                self._known.pop(next(iter(self._known)))
        whole = behind(tail)
        return replace(known.followed_by(whole), size=known.size + len(tail)) if whole else known


def _reach(read: Read, known: Extent) -> Extent:
    called = read.lines[0].get("name") if read.lines else None
    named = called if isinstance(called, str) else known.called
    return replace(known, lines=len(read), last=read.last, called=named)


def _read(path: Path, known: Read) -> tuple[Read, bytes]:
    """What a journal tells, of which something is `known`, and what stands behind its last end."""
    with path.open("rb") as file:
        told = os.fstat(file.fileno())
        file.seek(max(known.size - len(known.tail), 0))
        same = known.file == told.st_ino and file.read(len(known.tail)) == known.tail
        if not same or told.st_size < known.size:
            known = Read(file=told.st_ino)
        file.seek(known.size)
        content = file.read()
    whole, end, tail = content.rpartition(END)
    if not end:
        return known, tail
    grown = known.followed_by(pieces(whole + END))
    size = known.size + len(whole) + len(END)
    return replace(grown, size=size, tail=(known.tail + whole + END)[-_TAIL:]), tail
