"""Notes and tags on the queries of a collection, in one journal: who wrote what, and when.

Notes stand beside each other and tags are set one by one, so that two who write at once lose
nothing of each other's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from secrets import token_hex

from dashboard.workspace.adding import now
from dashboard.workspace.disk import errors
from dashboard.workspace.disk.journal import NOTES, Line, Read
from dashboard.workspace.disk.records import Damaged
from dashboard.workspace.disk.shelves import LAYOUT, Shelves


@dataclass(frozen=True)
class Comment:
    """A note on a query; `id` tells it apart, `at` is when it was last written, in UTC."""

    id: str
    text: str
    by: str
    at: str


@dataclass(frozen=True)
class Tag:
    """A tag on a query: who set it, and when, in UTC."""

    name: str
    by: str
    at: str


@dataclass(frozen=True)
class Noted:
    """What is noted of a query: notes, oldest first, and tags in the order of setting."""

    notes: tuple[Comment, ...] = ()
    marks: tuple[Tag, ...] = ()

    @property
    def tags(self) -> tuple[str, ...]:
        """The names of its tags."""
        return tuple(tag.name for tag in self.marks)


class Notes:
    """The notes of the collections of one folder; what is changed is on the disk when the method
    returns. Methods that change something raise StorageError, and then nothing is changed."""

    def __init__(
        self, shelves: Shelves, writing: Callable[[], AbstractContextManager[Shelves]]
    ) -> None:
        self._shelves, self._writing = shelves, writing
        self._made: dict[str, tuple[str, dict[str, Noted]]] = {}

    def of(self, identity: str) -> dict[str, Noted]:
        """query_id -> what is noted of it; only those of which something is."""
        read = self._shelves.journals.of(identity).get(NOTES, Read())
        version, noted = self._made.get(identity, ("", {}))
        if version != read.version:
            noted = _noted(read)
            self._made[identity] = (read.version, noted)
        return noted

    def damaged(self, identity: str) -> list[Damaged]:
        """The lines of a collection's notes that are not as they were written."""
        lost = self._shelves.journals.of(identity).get(NOTES, Read()).damaged
        return [Damaged(f"{NOTES} {n}", "", f"has a damaged line, number {n}") for n in lost]

    def missing(self, identity: str) -> list[Damaged]:
        """What is gone of a collection's notes: lines, or all."""
        journals = self._shelves.journals
        gone = ["is missing"] if NOTES in journals.missing(identity) else []
        why = [*gone, *journals.of(identity).get(NOTES, Read()).missing]
        return [Damaged(NOTES, "", told) for told in why]

    def write(self, identity: str, query_id: str, text: str, *, by: str, note: str = "") -> str:
        """Add a note to a query, or write the one of this id anew; an empty text takes it back.
        Its id."""
        made = note or token_hex(4)
        self._append(identity, [{"query_id": query_id, "by": by, "note": made, "text": text}])
        return made

    def tag(self, identity: str, query_id: str, tag: str, *, by: str, on: bool = True) -> None:
        """Set a tag on a query, or take it off."""
        self._append(identity, [{"query_id": query_id, "by": by, "tag": tag, "on": on}])

    def add(self, identity: str, query_id: str, text: str, tag: str, *, by: str) -> None:
        """Add a note and a tag to a query, both or neither; an empty one is none. What is said at
        once again is kept once: two clicks may be answered at the same time."""
        told = {"query_id": query_id, "by": by}
        with self._writing() as shelves:
            here = self.of(identity).get(query_id, Noted())
            said = any((last.text, last.by) == (text, by) for last in here.notes[-1:])
            note = [{**told, "note": token_hex(4), "text": text}] if text and not said else []
            mark = [{**told, "tag": tag, "on": True}] if tag and tag not in here.tags else []
            if note or mark:
                self._put(shelves, identity, _dated([*note, *mark]))

    def take_in(self, identity: str, lines: Sequence[Line]) -> int:
        """Add notes and tags that were written elsewhere, each with its writer and its time; how
        many. What is here already is not doubled, and nothing that is here is written over."""
        with self._writing() as shelves:
            here = {q: list(own.notes) for q, own in self.of(identity).items()}
            tags = {(q, tag) for q, own in self.of(identity).items() for tag in own.tags}
            new: list[Line] = []
            for line in lines:
                query_id, own = line["query_id"], here.setdefault(line["query_id"], [])
                if "tag" in line:
                    known = (query_id, line["tag"]) in tags
                    tags.add((query_id, line["tag"]))
                    new += [] if known else [line]
                elif (line["text"], line["by"], line["at"]) not in {
                    (note.text, note.by, note.at) for note in own
                }:
                    taken = not line["note"] or any(note.id == line["note"] for note in own)
                    made = token_hex(4) if taken else line["note"]
                    own.append(Comment(made, line["text"], line["by"], line["at"]))
                    new.append({**line, "note": made})
            if new:
                self._put(shelves, identity, new)
            return len(new)

    def _append(self, identity: str, lines: Sequence[Line]) -> None:
        with self._writing() as shelves:
            self._put(shelves, identity, _dated(lines))

    @staticmethod
    def _put(shelves: Shelves, identity: str, lines: Sequence[Line]) -> None:
        if identity not in shelves.ids():
            raise errors.no_collection()
        if (shelves.layout() or LAYOUT) < LAYOUT:
            shelves.say_layout()
        shelves.journals.append(identity, NOTES, lines)


def _dated(lines: Sequence[Line]) -> list[Line]:
    at = now()
    return [{**line, "at": at} for line in lines]


def _noted(read: Read) -> dict[str, Noted]:
    """What these lines tell, which may come from anybody."""
    notes: dict[str, dict[str, Comment]] = {}
    tags: dict[str, dict[str, Tag]] = {}
    for line in read.lines:
        query_id, by, at = (line.get(name) for name in ("query_id", "by", "at"))
        if not (isinstance(query_id, str) and isinstance(by, str) and isinstance(at, str)):
            continue
        note, text, tag = (line.get(name) for name in ("note", "text", "tag"))
        if isinstance(note, str) and isinstance(text, str):
            own = notes.setdefault(query_id, {})
            own.pop(note, None) if not text else own.update({note: Comment(note, text, by, at)})
        elif isinstance(tag, str) and tag:
            here = tags.setdefault(query_id, {})
            if line.get("on") is not True:
                here.pop(tag, None)
            else:
                here.setdefault(tag, Tag(tag, by, at))
    every = dict.fromkeys([*notes, *tags])
    found = {
        q: Noted(tuple(notes.get(q, {}).values()), tuple(tags.get(q, {}).values())) for q in every
    }
    return {q: noted for q, noted in found.items() if noted.notes or noted.marks}
