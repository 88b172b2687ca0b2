"""A disk as it may be after a power cut, made from a record of what a process did to it.

What is assumed, and no more: a file's bytes are on the disk once the file was flushed, a folder's
names once the folder was. Until then each change of a name (create, move, remove) may be there or
not, whatever became of those before and after it; a move is never half in that neither name is
there, but both may be. Of what was written into a file and not flushed each piece may be there, or
not, or in part, or zeros in its place, and what it made longer may be cut; bytes that were flushed
and not written since stay, as SQLite assumes as well. A whole folder is gone if its name in the
folder above was not flushed. Real disks and file systems lose less.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Event:
    """What was done: the word and paths that recorder.c writes."""

    word: str
    path: Path
    second: str
    where: int
    content: bytes


def events(log: bytes) -> Iterator[Event]:
    """What a log of recorder.c tells, in the order in which it was done."""
    at = 0
    while at < len(log):
        line, _, _ = log[at:].partition(b"\n")
        at += len(line) + 1
        word, path, second, where, count = line.decode().split("\t")
        yield Event(word, Path(path), second, int(where), log[at : at + int(count)])
        at += int(count)


@dataclass
class File:
    """Bytes: those on the disk, those that programs see, and what was written in between."""

    flushed: bytes = b""
    seen: bytearray = field(default_factory=bytearray)
    changes: list[Event] = field(default_factory=list)


@dataclass
class Folder:
    """Names: those on the disk, those that programs see, and the changes in between."""

    flushed: dict[str, File | Folder] = field(default_factory=dict)
    seen: dict[str, File | Folder] = field(default_factory=dict)
    changes: list[tuple[str, str, File | Folder]] = field(default_factory=list)
    """What a name was, what it is now, and of which file; "" for none."""


class Disk:
    """One folder and what is below it, from the time when it was empty."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.top = Folder()

    def happens(self, event: Event) -> None:
        """One event more. Fails for one that this picture of a disk does not know."""
        word, path = event.word, event.path
        assert word != "unknown", f"not modelled: {event.path} {event.second}"
        if word == "sync":
            self._flush(self._at(path))
        elif word in ("write", "truncate"):
            file = self._at(path)
            assert isinstance(file, File)
            file.changes.append(event)
            _change(file.seen, event, event.content)
        else:
            self._name(word, path, event.second)

    def _name(self, word: str, path: Path, second: str) -> None:
        folder = self._folder(path.parent)
        before, after = ("", path.name) if word in ("create", "mkdir") else (path.name, "")
        if word == "rename":
            assert Path(second).parent == path.parent, "a move between folders is not modelled"
            after = Path(second).name
        made = {"create": File, "mkdir": Folder}
        node = made[word]() if word in made else folder.seen.pop(before)
        if after:
            folder.seen[after] = node
        folder.changes.append((before, after, node))

    def _flush(self, node: File | Folder) -> None:
        if isinstance(node, File):
            node.flushed, node.changes = bytes(node.seen), []
        else:
            node.flushed, node.changes = dict(node.seen), []

    def _at(self, path: Path) -> File | Folder:
        node: File | Folder = self.top
        for name in path.relative_to(self.root).parts:
            assert isinstance(node, Folder)
            node = node.seen[name]
        return node

    def _folder(self, path: Path) -> Folder:
        node = self._at(path)
        assert isinstance(node, Folder)
        return node

    def after_a_cut(self, chance: random.Random, into: Path) -> None:
        """Write into a folder what a power cut now leaves: one of the many possibilities."""
        kept = chance.choice([0.0, 0.2, 0.5, 0.8, 1.0])
        _write(_survivors(self.top, chance, kept), into, chance, kept)

    def without_a_cut(self) -> dict[str, bytes]:
        """What programs see: path below the root -> bytes."""
        return dict(_seen(self.top, Path()))


def _seen(folder: Folder, path: Path) -> Iterable[tuple[str, bytes]]:
    for name, node in folder.seen.items():
        if isinstance(node, File):
            yield str(path / name), bytes(node.seen)
        else:
            yield from _seen(node, path / name)


def _survivors(folder: Folder, chance: random.Random, kept: float) -> dict[str, File | Folder]:
    names = dict(folder.flushed)
    for before, after, node in folder.changes:
        if chance.random() >= kept:
            continue
        if after:
            names[after] = node
        if before and not (after and chance.random() < 0.2):
            names.pop(before, None)
    return names


def _write(names: dict[str, File | Folder], into: Path, chance: random.Random, kept: float) -> None:
    into.mkdir(mode=0o700)
    for name, node in names.items():
        if isinstance(node, File):
            (into / name).write_bytes(_content(node, chance, kept))
        else:
            _write(_survivors(node, chance, kept), into / name, chance, kept)


def _change(content: bytearray, event: Event, written: bytes) -> None:
    """Do to bytes what was done to a file."""
    content += bytes(max(0, event.where - len(content)))
    if event.word == "truncate":
        del content[event.where :]
    elif written:
        content[event.where : event.where + len(written)] = written


def _content(file: File, chance: random.Random, kept: float) -> bytes:
    if chance.random() < kept:
        return bytes(file.seen)
    found = bytearray(file.flushed)
    for event in file.changes:
        new = event.content
        cut = chance.randrange(len(new) + 1)
        parts = [b"", bytes(len(new)), new[:cut], bytes(cut) + new[cut:], new, new]
        parts.append(new[:cut] + bytes(len(new) - cut))
        if event.word == "write" or chance.random() < 0.5:
            _change(found, event, chance.choice(parts))
    if chance.random() < 0.3 and len(found) > len(file.flushed):
        del found[chance.randrange(len(file.flushed), len(found)) :]
    return bytes(found)
