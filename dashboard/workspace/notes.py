"""Notes and tags on the queries of a collection: who wrote what, and when.

Notes stand beside each other and tags are set one by one, so that two who write at once lose
nothing of each other's. The newest row about a note or a tag counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from secrets import token_hex

from dashboard.workspace.adding import now
from dashboard.workspace.disk import database
from dashboard.workspace.disk.contents import Contents
from dashboard.workspace.disk.database import Connection, Row
from dashboard.workspace.disk.lines import Line, notes_in, tags_in
from dashboard.workspace.disk.shelves import Shelves


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
        self,
        shelves: Shelves,
        changing: Callable[[str], AbstractContextManager[Connection]],
    ) -> None:
        """`changing` gives the database of a collection that is there, to be changed."""
        self._shelves, self._changing = shelves, changing
        self._made: dict[str, tuple[Contents, dict[str, Noted]]] = {}

    def of(self, identity: str) -> dict[str, Noted]:
        """query_id -> what is noted of it; only those of which something is. Raises StorageError
        where the collection's database cannot be read."""
        contents = self._shelves.contents(identity)
        known, noted = self._made.get(identity, (None, {}))
        if known is not contents:
            noted = _noted(contents.whole["notes"], contents.whole["tags"])
            self._made[identity] = contents, noted
        return noted

    def write(self, identity: str, query_id: str, text: str, *, by: str, note: str = "") -> str:
        """Add a note to a query, or write the one of this id anew; an empty text takes it back.
        Its id."""
        made = note or token_hex(4)
        with self._changing(identity) as state:
            database.append(state, "notes", [(query_id, made, text, by, now())])
        return made

    def tag(self, identity: str, query_id: str, tag: str, *, by: str, on: bool = True) -> None:
        """Set a tag on a query, or take it off."""
        with self._changing(identity) as state:
            database.append(state, "tags", [(query_id, tag, int(on), by, now())])

    def add(self, identity: str, query_id: str, text: str, tag: str, *, by: str) -> None:
        """Add a note and a tag to a query, both or neither; an empty one is none. What is said at
        once again is kept once: two clicks may be answered at the same time."""
        with self._changing(identity) as state:
            here, at = self.of(identity).get(query_id, Noted()), now()
            said = any((last.text, last.by) == (text, by) for last in here.notes[-1:])
            if text and not said:
                database.append(state, "notes", [(query_id, token_hex(4), text, by, at)])
            if tag and tag not in here.tags:
                database.append(state, "tags", [(query_id, tag, 1, by, at)])

    def take_in(self, identity: str, lines: Sequence[Line]) -> int:
        """Add notes and tags that were written elsewhere, each with its writer and its time; how
        many. What is here already is not doubled, and nothing that is here is written over."""
        with self._changing(identity) as state:
            noted = self.of(identity)
            here = {q: list(own.notes) for q, own in noted.items()}
            known = {(q, tag) for q, own in noted.items() for tag in own.tags}
            tags = [row for row in dict.fromkeys(tags_in(lines)) if row[:2] not in known]
            tags = list({row[:2]: row for row in reversed(tags)}.values())[::-1]
            notes: list[Row] = []
            for query_id, note, text, by, at in notes_in(lines):
                own = here.setdefault(query_id, [])
                if (text, by, at) not in {(note.text, note.by, note.at) for note in own}:
                    taken = not note or any(other.id == note for other in own)
                    made = token_hex(4) if taken else note
                    own.append(Comment(made, text, by, at))
                    notes.append((query_id, made, text, by, at))
            database.append(state, "notes", notes)
            database.append(state, "tags", tags)
            return len(notes) + len(tags)


def _noted(notes: Iterable[Row], tags: Iterable[Row]) -> dict[str, Noted]:
    """What these rows tell."""
    comments: dict[str, dict[str, Comment]] = {}
    for _, query_id, note, text, by, at in notes:
        own = comments.setdefault(query_id, {})
        own.pop(note, None) if not text else own.update({note: Comment(note, text, by, at)})
    marks: dict[str, dict[str, Tag]] = {}
    for _, query_id, tag, is_set, by, at in tags:
        here = marks.setdefault(query_id, {})
        here.setdefault(tag, Tag(tag, by, at)) if is_set else here.pop(tag, None)
    found = {
        q: Noted(tuple(comments.get(q, {}).values()), tuple(marks.get(q, {}).values()))
        for q in dict.fromkeys([*comments, *marks])
    }
    return {q: noted for q, noted in found.items() if noted.notes or noted.marks}
