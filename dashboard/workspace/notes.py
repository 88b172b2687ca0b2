"""Notes and tags on the queries of a collection, with author and time.

Each note and each tag is stored on its own, so that nothing is lost if two people write at the same
time. The newest row for a note or a tag is valid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from secrets import token_hex

from dashboard.workspace.adding import current_time
from dashboard.workspace.disk import database
from dashboard.workspace.disk.contents import Contents
from dashboard.workspace.disk.database import Connection, Row
from dashboard.workspace.disk.folder_store import FolderStore
from dashboard.workspace.disk.journal_lines import Line, read_notes, read_tags


@dataclass(frozen=True)
class Comment:
    """A note on a query with its `id`. `time` is the time in UTC when it was last written."""

    id: str
    text: str
    author: str
    time: str


@dataclass(frozen=True)
class Tag:
    """A tag on a query, with its author and the time in UTC."""

    name: str
    author: str
    time: str


@dataclass(frozen=True)
class QueryNotes:
    """The notes on a query, oldest first, and its tags in the order in which they were set."""

    notes: tuple[Comment, ...] = ()
    marks: tuple[Tag, ...] = ()

    @property
    def tags(self) -> tuple[str, ...]:
        """The names of the tags."""
        return tuple(tag.name for tag in self.marks)


class NoteStore:
    """The notes of the collections in one folder. Changes are on disk when a method returns. If a
    method raises StorageError, nothing is changed."""

    def __init__(
        self,
        folder_store: FolderStore,
        change_collection: Callable[[str], AbstractContextManager[Connection]],
    ) -> None:
        """Create the store. `change_collection` opens the database of an existing collection for
        changes."""
        self._folder_store, self._change_collection = folder_store, change_collection
        self._notes_cache: dict[str, tuple[Contents, dict[str, QueryNotes]]] = {}

    def notes_by_query(self, collection_id: str) -> dict[str, QueryNotes]:
        """Return the notes and tags of the queries that have any, by query_id. Raises StorageError
        if the collection's database cannot be read."""
        contents = self._folder_store.contents(collection_id)
        cached_contents, noted = self._notes_cache.get(collection_id, (None, {}))
        if cached_contents is not contents:
            noted = _collect_notes(contents.intact["notes"], contents.intact["tags"])
            self._notes_cache[collection_id] = contents, noted
        return noted

    def write_note(
        self, collection_id: str, query_id: str, text: str, *, author: str, edited_note_id: str = ""
    ) -> str:
        """Add a note to a query, or change the note with the id `edited_note_id`. An empty string
        removes the note. Returns the id of the note."""
        note_id = edited_note_id or token_hex(4)
        with self._change_collection(collection_id) as state:
            database.append_rows(
                state, "notes", [(query_id, note_id, text, author, current_time())]
            )
        return note_id

    def set_tag(
        self, collection_id: str, query_id: str, tag: str, *, author: str, is_set: bool = True
    ) -> None:
        """Set or remove a tag on a query."""
        with self._change_collection(collection_id) as state:
            database.append_rows(
                state, "tags", [(query_id, tag, int(is_set), author, current_time())]
            )

    def add_note_and_tag(
        self, collection_id: str, query_id: str, text: str, tag: str, *, author: str
    ) -> None:
        """Add a note and a tag to a query. Either both are stored or neither is. An empty note or
        tag is skipped.

        A repeated note or tag is stored only once, because two clicks may be handled at the same
        time."""
        with self._change_collection(collection_id) as state:
            query_notes = self.notes_by_query(collection_id).get(query_id, QueryNotes())
            time = current_time()
            is_repeated = any(
                (last.text, last.author) == (text, author) for last in query_notes.notes[-1:]
            )
            if text and not is_repeated:
                database.append_rows(state, "notes", [(query_id, token_hex(4), text, author, time)])
            if tag and tag not in query_notes.tags:
                database.append_rows(state, "tags", [(query_id, tag, 1, author, time)])

    def import_lines(self, collection_id: str, lines: Sequence[Line]) -> int:
        """Add notes and tags with their authors and times, and return how many of them are new.

        Existing notes and tags are neither duplicated nor overwritten."""
        with self._change_collection(collection_id) as state:
            noted = self.notes_by_query(collection_id)
            comments = {q: list(query_notes.notes) for q, query_notes in noted.items()}
            known_tags = {(q, tag) for q, query_notes in noted.items() for tag in query_notes.tags}
            tags = [row for row in dict.fromkeys(read_tags(lines)) if row[:2] not in known_tags]
            tags = list({row[:2]: row for row in reversed(tags)}.values())[::-1]
            notes: list[Row] = []
            for query_id, note, text, author, time in read_notes(lines):
                query_notes = comments.setdefault(query_id, [])
                if (text, author, time) not in {
                    (note.text, note.author, note.time) for note in query_notes
                }:
                    is_taken = not note or any(other.id == note for other in query_notes)
                    note_id = token_hex(4) if is_taken else note
                    query_notes.append(Comment(note_id, text, author, time))
                    notes.append((query_id, note_id, text, author, time))
            database.append_rows(state, "notes", notes)
            database.append_rows(state, "tags", tags)
            return len(notes) + len(tags)


def _collect_notes(notes: Iterable[Row], tags: Iterable[Row]) -> dict[str, QueryNotes]:
    """Return the current notes and tags by query_id, given the rows of both tables."""
    comments: dict[str, dict[str, Comment]] = {}
    for _, query_id, note, text, author, time in notes:
        query_comments = comments.setdefault(query_id, {})
        query_comments.pop(note, None) if not text else query_comments.update(
            {note: Comment(note, text, author, time)}
        )
    marks: dict[str, dict[str, Tag]] = {}
    for _, query_id, tag, is_set, author, time in tags:
        query_tags = marks.setdefault(query_id, {})
        query_tags.setdefault(tag, Tag(tag, author, time)) if is_set else query_tags.pop(tag, None)
    notes_by_query = {
        q: QueryNotes(tuple(comments.get(q, {}).values()), tuple(marks.get(q, {}).values()))
        for q in dict.fromkeys([*comments, *marks])
    }
    return {q: noted for q, noted in notes_by_query.items() if noted.notes or noted.marks}
