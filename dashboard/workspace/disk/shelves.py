"""The folder's databases and tables: one database for each collection, one for the list of them,
and a file for each table."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock, local

import pyarrow as pa
from filelock import FileLock

from dashboard.workspace.disk import database, durable, errors
from dashboard.workspace.disk.database import Row
from dashboard.workspace.disk.errors import StorageError
from dashboard.workspace.disk.records import (
    Collection,
    Damaged,
    DamagedRecordError,
    Entry,
    Record,
    as_text,
    hidden,
    is_id,
    is_number,
    is_table,
    record_from,
)

SCHEMA = {
    "collection": "record TEXT",
    "files": "record TEXT",
    "layers": "id TEXT, name TEXT, begun TEXT, judged INTEGER, place INTEGER, removed INTEGER",
    "grades": "layer_id TEXT, query_id TEXT, doc_id TEXT, grade, grader TEXT, graded TEXT",
    "notes": "query_id TEXT, note_id TEXT, text TEXT, author TEXT, written TEXT",
    "tags": "query_id TEXT, tag TEXT, is_set INTEGER, author TEXT, written TEXT",
}
"""The tables of a collection's database. `record` is JSON; of `grades`, `notes` and `tags` the last
row about the same thing counts, and the earlier ones say what it was before."""

GROWING = ("grades", "notes", "tags")
"""Tables that rows are only added to."""

_LIST, _STATE, _GOOD, _TABLE = "workspace.db", "state.db", "state.good.db", ".parquet"
_LISTED = {"collections": "id TEXT, name TEXT"}
_OLD = "workspace.json"
_KEPT_RECORDS = 20_000
_MISSING, _CHANGED = "is missing", "is not as it was written"


@dataclass(frozen=True)
class Contents:
    """The rows of a collection's database by table: those that are as they were written, and with
    their checksums those that are not."""

    whole: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    damaged: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    def layers(self) -> list[Row]:
        """The rows of layers; one without a name for grades whose layer's row is lost."""
        here = list(self.whole.get("layers", ()))
        ids = dict.fromkeys(row[1] for row in self.whole.get("grades", ()))
        lost = [layer for layer in ids if layer not in {row[1] for row in here}]
        last = max((row[0] for row in (*here, *self.damaged.get("layers", ()))), default=0)
        rows = [(n, v, f"Unnamed layer {v}", "", 0, 0, 0) for n, v in enumerate(lost, last + 1)]
        return here + rows


class Shelves:
    """Databases and tables of one folder. Nothing of what stands inside a record becomes a path but
    names that are checked to be ids."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.list_path = folder / _LIST
        self._collections, self._tables = folder / "collections", folder / "tables"
        self._known: dict[str, tuple[durable.State, Contents]] = {}
        self._checked: set[Path] = set()
        self._held = local()
        self._version: tuple[durable.State | None, int | None] = (None, None)
        self._looked_at: dict[str, tuple[durable.State, str]] = {}
        self._looking = Lock()

    def version(self) -> int | None:
        """The version of the folder's databases; None where there are none that can be read."""
        at, state = time.time_ns(), durable.state_of(self.list_path)
        if state and self._version[0] == state:
            return self._version[1]
        with suppress(OSError, StorageError), database.reading(self.list_path) as listing:
            version = database.version_of(listing)
            if state and durable.is_settled(state, at):
                self._version = state, version
            return version
        return None

    def is_old(self) -> bool:
        """Whether the folder is of an earlier layout and was not imported yet."""
        return not self.version() and (
            (self.folder / _OLD).exists() or any(self._collections.glob("*/collection.json"))
        )

    def lacks_collections(self) -> bool:
        """Whether the folder of the collections is gone, without which tables cannot be told from
        what is left over."""
        return self.version() is not None and not self._collections.is_dir()

    def make(self) -> None:
        """Make the folder; nothing happens where it is made. Raises OSError and StorageError."""
        for folder in (self.folder, self._collections, self._tables):
            durable.make_folder(folder)
            if os.name == "posix" and stat.S_IMODE(folder.stat().st_mode) & 0o077:
                folder.chmod(0o700)
        if self.list_path not in self._checked or not self.list_path.exists():
            with FileLock(self.folder / "lock", mode=0o600):
                self._make_list(self.list_path)
            self._checked.add(self.list_path)

    def _make_list(self, path: Path) -> None:
        version = 0 if self.is_old() else database.VERSION
        try:
            state = durable.state_of(path)
            if state is not None and state[1:2] != (0,):  # it was only begun
                database.check(path, _LISTED)
        except errors.DamagedDatabaseError:
            _put_aside(path)
        database.create(path, _LISTED, version)
        durable.sync_folder(self.folder)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the right to name and to remove collections and tables. Raises StorageError where
        somebody else holds it for too long."""
        try:
            with database.writing(self.list_path) as listing:
                self._held.listing = listing
                yield
        except errors.DamagedDatabaseError as error:
            if error.path == self.list_path:
                self._checked.discard(error.path)
            raise
        finally:
            self._held.listing = None

    @contextmanager
    def importing(self) -> Iterator[bool]:
        """Hold the same right; whether an earlier layout is to be imported, and was at the end."""
        with self.locked():
            is_due = not database.version_of(self._held.listing)
            yield is_due
            if is_due:
                database.set_version(self._held.listing, database.VERSION)

    def sync(self) -> None:
        """Flush which names there are: one who was killed may have made some and not done so, and
        what is there is taken for kept."""
        for folder in (self.folder.parent, self.folder, self._collections, self._tables):
            durable.sync_folder(folder)
        for identity in self.ids():
            self.sync_collection(identity)

    def sync_collection(self, identity: str) -> None:
        """Flush that no change of a collection is to be undone."""
        durable.sync_folder(self.folder_of(identity))

    # Collections

    def ids(self) -> list[str]:
        """The collections that are there, removed ones too, and those whose database is gone."""
        names = [name for name in _names_in(self._collections) if is_id(name)]
        return [] if names and self.is_old() else names

    def collection(self, identity: str) -> Collection:
        """What is known of a collection; where it cannot be read its last name. Raises KeyError
        where there is none."""
        with suppress(StorageError):
            for _, text in self.contents(identity).whole["collection"]:
                found = _record(text, Collection)
                if isinstance(found, Collection) and found.id == identity:
                    return found
        return Collection(identity, self._names().get(identity, f"Unnamed {identity}"), "")

    def entries(self, identity: str) -> list[Entry]:
        """All files of a collection, oldest first, removed and replaced ones too. Raises
        StorageError where its database cannot be read."""
        return [e for e in self._files(identity).values() if isinstance(e, Entry)]

    def damaged(self, identity: str) -> list[Damaged]:
        """The records of a collection that are not as they were written. Raises StorageError where
        its database cannot be read."""
        if identity not in self.ids():
            return []
        own = self.contents(identity).whole["collection"]
        whole = any(isinstance(_record(text, Collection), Collection) for _, text in own)
        return [
            *(Damaged(n, "", why) for n, why in self._files(identity).items() if why == _CHANGED),
            *([] if whole else [Damaged("collection", "", _CHANGED)]),
        ]

    def _files(self, identity: str) -> dict[str, Entry | str]:
        """Number -> record of a file, or why it cannot be read; oldest first."""
        try:
            contents = self.contents(identity)
        except KeyError:
            return {}
        found = {f"{n:05}": _record(text, Entry) for n, text in contents.whole["files"]}
        found |= {f"{n:05}": _CHANGED for n, *_ in contents.damaged["files"]}
        return {
            number: _CHANGED if isinstance(e, Entry) and e.number != number else e
            for number, e in sorted(found.items(), key=lambda item: int(item[0]))
        }

    def contents(self, identity: str) -> Contents:
        """The rows of a collection's database. Raises KeyError where there is none, StorageError
        where it cannot be read."""
        path = self.database(identity)
        # Of before: what is changed meanwhile is read again.
        at, state = time.time_ns(), durable.state_of(path) or ()
        before, known = self._known.get(identity, ((), Contents()))
        if before != state or not state:
            try:
                self._check(path)
                known = _contents(path, known if before[:1] == state[:1] else Contents())
            except OSError as error:
                raise errors.unreadable(error, path) from error
            self._known[identity] = state if durable.is_settled(state, at) else state[:1], known
        return known

    def _check(self, path: Path) -> None:
        """Raise KeyError where there is no collection, and StorageError where its database is
        gone or its pages are damaged, which is looked at once."""
        if path not in self._checked or not path.is_file():
            if not path.parent.is_dir():
                raise KeyError(path.parent.name)
            database.check(path, SCHEMA)
            self._checked.add(path)

    def put_collection(self, told: Collection) -> None:
        """Write anew what is known of a collection that is there; for who holds the lock."""
        self._list(told.id, told.name)
        with self.changing(told.id) as state:
            database.put(state, "collection", [(1, as_text(told))])

    def put_entry(self, identity: str, entry: Entry) -> None:
        """Write a file's record."""
        with self.changing(identity) as state:
            database.put(state, "files", [(int(entry.number), as_text(entry))])

    def drop_entry(self, identity: str, number: str) -> None:
        """Remove a record for good; nothing happens where there is none."""
        if identity in self.ids() and is_number(number):
            with self.changing(identity) as state:
                database.drop(state, "files", [int(number)])

    @contextmanager
    def changing(self, identity: str) -> Iterator[database.Connection]:
        """The database of a collection, to be changed. Raises OSError and StorageError."""
        path = self.database(identity)
        try:
            self._check(path)
        except KeyError:
            raise errors.no_collection() from None
        with database.writing(path) as state:
            yield state
        before, known = self._known.get(identity, ((), Contents()))
        self._known[identity] = before[:1], known

    def put_whole(
        self,
        told: Collection,
        entries: Iterable[Entry],
        contents: Contents = Contents(),
        *,
        numbered: bool = True,
    ) -> None:
        """A collection with all of its files, and the layers, notes and tags of `contents`, there
        at once or not at all; for who holds the lock. Files are `numbered` anew, from 1, or come
        with those of `contents` that are damaged."""
        place, given = self.folder_of(told.id), list(entries)
        draft = place.with_name(f"{told.id}{durable.DRAFT}")
        numbers = {e.number: f"{n:05}" if numbered else e.number for n, e in enumerate(given, 1)}
        records = [
            replace(e, number=numbers[e.number], replaces=numbers.get(e.replaces, ""))
            for e in given
        ]
        self._list(told.id, told.name)
        shutil.rmtree(draft, ignore_errors=True)
        durable.make_folder(draft)
        try:
            database.create(draft / _STATE, SCHEMA)
            with database.writing(draft / _STATE) as state:
                database.put(state, "collection", [(1, as_text(told))])
                database.put(state, "files", [(int(e.number), as_text(e)) for e in records])
                _put_contents(state, contents)
                if not numbered:
                    database.put_raw(state, "files", contents.damaged.get("files", ()))
            durable.sync_folder(draft)
            if place.is_dir():  # other files are there, which stay
                (draft / _STATE).replace(place / _STATE)
                durable.sync_folder(place)
                draft.rmdir()
            else:
                draft.replace(place)
            durable.sync_folder(self._collections)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise

    def put_contents(self, identity: str, contents: Contents) -> None:
        """Give layers, notes and tags to a collection that has none."""
        with self.changing(identity) as state:
            _put_contents(state, contents)

    def drop_collection(self, identity: str) -> None:
        """Remove a collection for good, at once as a whole; its tables stay for others."""
        place = self.folder_of(identity)
        draft = place.with_name(f"{identity}{durable.DRAFT}")
        with suppress(errors.DamagedDatabaseError), self.changing(identity):
            place.replace(draft)  # nobody changes it any more
        if place.is_dir():  # it cannot be read
            place.replace(draft)
        durable.sync_folder(self._collections)
        shutil.rmtree(draft)
        self._known.pop(identity, None)
        self._held.listing.execute("DELETE FROM collections WHERE id = ?", (identity,))

    def drop_lost(self, identity: str, state: database.Connection, texts: Iterable[str]) -> int:
        """Remove the damaged rows of these texts; how many."""
        wanted, gone, damaged = set(texts), 0, self.contents(identity).damaged
        for table in ("layers", *GROWING):
            numbers = [r[0] for r in damaged[table] if database.damaged_text(r) in wanted]
            database.drop(state, table, numbers)
            gone += len(numbers)
        return gone

    def free_number(self, identity: str) -> str:
        """The number of the next file."""
        return f"{max((int(number) for number in self._files(identity)), default=0) + 1:05}"

    def folder_of(self, identity: str) -> Path:
        """The folder of a collection. Raises KeyError for an invalid id."""
        if not is_id(identity):
            raise KeyError(identity)
        return self._collections / identity

    def database(self, identity: str) -> Path:
        """The database of a collection. Raises KeyError for an invalid id."""
        return self.folder_of(identity) / _STATE

    def _list(self, identity: str, name: str) -> None:
        """Write down the name of a collection, which is told where its database cannot be read."""
        listing = self._held.listing
        if (identity, name) not in [row[1:] for row in _whole(listing, "collections")]:
            listing.execute("DELETE FROM collections WHERE id = ?", (identity,))
            database.append(listing, "collections", [(identity, name)])

    def _names(self) -> dict[str, str]:
        with suppress(OSError, StorageError), database.reading(self.list_path) as listing:
            return {identity: name for _, identity, name in _whole(listing, "collections")}
        return {}

    # What is kept beside a database, for the day on which it cannot be read

    def keep_good(self, identity: str) -> None:
        """Copy a database beside itself if it is whole and changed since. Raises OSError and
        StorageError."""
        path, good = self.database(identity), self.folder_of(identity) / _GOOD
        if good.is_file() and good.stat().st_mtime_ns == path.stat().st_mtime_ns:
            return
        database.check(path, SCHEMA)
        if not any(self.contents(identity).damaged.values()):
            database.copy(path, good)

    def good_since(self, identity: str) -> str:
        """When the good state that is kept of a collection was written, in UTC; "" where none
        is."""
        return durable.written(durable.state_of(self.folder_of(identity) / _GOOD))

    def restore_good(self, identity: str) -> None:
        """Put the good state that is kept in the place of a database that cannot be read, which is
        put aside; nothing where it can be read, as after somebody else did so. For who holds the
        lock. Raises OSError and StorageError."""
        path, good = self.database(identity), self.folder_of(identity) / _GOOD
        with suppress(errors.DamagedDatabaseError):
            database.check(path, SCHEMA)
            return
        database.check(good, SCHEMA)
        _put_aside(path)
        database.copy(good, path)
        self._forget(identity)

    def replace_unreadable(self, told: Collection) -> None:
        """The good state, or an empty database, in the place of one that cannot be read, which is
        put aside; for who holds the lock. Raises OSError and StorageError."""
        try:
            self.restore_good(told.id)
        except errors.DamagedDatabaseError:
            _put_aside(self.database(told.id))
            self._forget(told.id)
            self.put_whole(told, [])

    def remember_name(self, identity: str) -> None:
        """Write down a collection's name beside those of the others, for who holds the lock."""
        self._list(identity, self.collection(identity).name)

    def put_aside(self) -> list[Path]:
        """The databases that could not be read and were put aside."""
        return sorted(self.folder.glob(f"*{_ASIDE}*")) + sorted(
            self._collections.glob(f"*/*{_ASIDE}*")
        )

    def _forget(self, identity: str) -> None:
        self._known.pop(identity, None)
        self._checked.discard(self.database(identity))

    # Tables

    def put_table(self, name: str, content: durable.Content | pa.Buffer) -> None:
        """Keep a table of this hash, unless it is there and whole: its bytes, a file that holds
        them, or a draft of them."""
        if not self.unsound(name, look=True):
            durable.sync_folder(self._tables)
        else:
            durable.put(self.table_path(name), content)
            self._tell(name, durable.state_of(self.table_path(name)), "")  # it has just been hashed

    def table(self, name: str) -> bytes | None:
        """The bytes of a table; None where they are not those that were kept."""
        content, why = self._content(name, whole=True)
        return None if why else content

    def unsound(self, name: str, *, look: bool = False) -> str:
        """Why a table cannot be read, "" where nothing is known against it; `look` at its bytes if
        that was not done since the file changed."""
        state = durable.state_of(self.table_path(name))
        if state is None:
            return _MISSING
        with self._looking:
            then, why = self._looked_at.get(name, (None, ""))
        if then == state:
            return why
        return self._content(name)[1] if look else ""

    def mark_unsound(self, name: str, why: str) -> None:
        """Remember that a table cannot be read although its bytes are as they were kept."""
        self._tell(name, durable.state_of(self.table_path(name)), f"cannot be read ({why})")

    def hidden(self, entries: Sequence[Entry], *, look: bool = False) -> set[str]:
        """The numbers of those for which newer ones stand whose tables are whole, as far as they
        were looked at, which is done now where `look` says so."""
        return hidden(entries, lambda newer: not self.unsound(newer.table, look=look))

    def tables(self) -> list[str]:
        """The names of the tables that are there."""
        names = [n.removesuffix(_TABLE) for n in _names_in(self._tables) if n.endswith(_TABLE)]
        return [n for n in names if is_table(n)]

    def drop_table(self, name: str) -> None:
        """Remove a table for good."""
        durable.remove(self.table_path(name))
        with self._looking:
            self._looked_at.pop(name, None)

    def table_path(self, name: str) -> Path:
        """Where a table stands."""
        return self._tables / f"{name}{_TABLE}"

    def _content(self, name: str, *, whole: bool = False) -> tuple[bytes, str]:
        """The bytes of a table, held only if all are asked for, for it may be larger than what is
        free; and why they are not those that were kept, which is remembered."""
        path = self.table_path(name)
        # The state of before: who mends it meanwhile is not wronged.
        state, content = durable.state_of(path), b""
        try:
            content = path.read_bytes() if whole else b""
            digest = hashlib.sha256(content).hexdigest() if whole else durable.sha256_of(path)
            why = "" if digest == name else _CHANGED
        except FileNotFoundError:
            why = _MISSING
        except OSError as error:
            why = f"cannot be read ({error.strerror})"
        self._tell(name, state, why)
        return content, why

    def _tell(self, name: str, state: durable.State | None, why: str) -> None:
        if state is not None:
            with self._looking:
                self._looked_at[name] = (state, why)


_ASIDE = ".damaged-"


def _put_aside(path: Path) -> None:
    """Move a database out of its place, with what an interrupted change left: that would be applied
    to whatever takes the place. Raises OSError."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    aside = path.with_name(f"{path.stem}{_ASIDE}{stamp}{path.suffix}")
    for name, to in ((database.journal_of(path), database.journal_of(aside)), (path, aside)):
        if os.path.lexists(name):
            name.replace(to)
    durable.sync_folder(path.parent)


def _put_contents(state: database.Connection, contents: Contents) -> None:
    for table in ("layers", *GROWING):
        database.put(state, table, contents.whole.get(table, ()))
        database.put_raw(state, table, contents.damaged.get(table, ()))


def _contents(path: Path, known: Contents) -> Contents:
    """The rows of a database; of tables that grew since they were `known` only the new ones are
    read."""
    whole, damaged = dict[str, Sequence[Row]](), dict[str, Sequence[Row]]()
    with database.reading(path) as state:
        for table in SCHEMA:
            before: Sequence[Row] = known.whole.get(table, ())
            lost: Sequence[Row] = known.damaged.get(table, ())
            if table not in GROWING or not _has_grown(state, table, before, lost):
                before, lost = (), ()
            after = max((row[0] for row in (*before[-1:], *lost[-1:])), default=-1)
            new, new_lost = database.rows_of(state, table, after)
            whole[table], damaged[table] = (*before, *new), (*lost, *new_lost)
    return Contents(whole, damaged)


def _has_grown(
    state: database.Connection, table: str, before: Sequence[Row], lost: Sequence[Row]
) -> bool:
    """Whether a table still has all rows that it had, as far as their number and the last one
    say."""
    if not before:
        return False
    last = before[-1]
    count = f"SELECT count(*) FROM {table} WHERE number <= ?"
    most = max(last[0], *(row[0] for row in lost[-1:]), 0)
    if state.execute(count, (most,)).fetchone()[0] != len(before) + len(lost):
        return False
    check = state.execute(f"SELECT checksum FROM {table} WHERE number = ?", last[:1]).fetchone()
    return check == (database.checksum(last),)


def _whole(state: database.Connection, table: str) -> list[Row]:
    return database.rows_of(state, table)[0]


@lru_cache(_KEPT_RECORDS)
def _record(text: str, kind: type[Record]) -> Record | str:
    """The record of a row, or why it cannot be read."""
    try:
        return record_from(json.loads(text), kind)
    except (DamagedRecordError, ValueError):
        return _CHANGED


def _names_in(folder: Path) -> list[str]:
    """The names of a folder, none where there is no such folder. Raises StorageError where the
    system refuses to say."""
    try:
        return sorted(p.name for p in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise errors.unreadable(error, folder) from error
