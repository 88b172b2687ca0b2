"""The folder's databases and tables: one database for each collection, one for the list of them,
and a file for each table."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import local

from filelock import FileLock

from dashboard.workspace.disk import database, durable, errors
from dashboard.workspace.disk.contents import (
    GROWING,
    NOTHING,
    SCHEMA,
    Contents,
    put_contents,
    read_contents,
)
from dashboard.workspace.disk.database import Row
from dashboard.workspace.disk.errors import StorageError
from dashboard.workspace.disk.records import (
    Collection,
    Damaged,
    Entry,
    as_text,
    is_id,
    is_number,
    record_in,
)
from dashboard.workspace.disk.table_files import CHANGED, TableFiles, names_in

_LIST, _STATE, _GOOD = "workspace.db", "state.db", "state.good.db"
_LISTED = {"collections": "id TEXT, name TEXT"}
_OLD = "workspace.json"


class Shelves(TableFiles):
    """Databases and tables of one folder. Of a record's contents only names that are checked to be
    ids become paths."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "tables")
        self.folder = folder
        self.list_path = folder / _LIST
        self._collections = folder / "collections"
        self._known: dict[str, tuple[durable.State, Contents]] = {}
        self._checked: set[Path] = set()
        self._held = local()
        self._version: tuple[durable.State | None, int | None] = (None, None)

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
            database.put_aside(path)
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
        """Flush the names of all folders: a killed process may have made some without flushing
        them, and whatever is there counts as kept."""
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
        names = [name for name in names_in(self._collections) if is_id(name)]
        return [] if names and self.is_old() else names

    def has(self, identity: str) -> bool:
        """Whether there is a collection of this id, removed or not. Raises StorageError where the
        system refuses to say."""
        try:
            return is_id(identity) and self.folder_of(identity).is_dir()
        except OSError as error:
            raise errors.unreadable(error, self._collections) from error

    def collection(self, identity: str) -> Collection:
        """What is known of a collection; where it cannot be read its last name. Raises KeyError
        where there is none."""
        if not self.has(identity):
            raise KeyError(identity)
        with suppress(StorageError):
            for _, text in self.contents(identity).whole["collection"]:
                found = record_in(text, Collection)
                if found and found.id == identity:
                    return found
        return Collection(identity, self._names().get(identity, f"Unnamed {identity}"), "")

    def entries(self, identity: str) -> list[Entry]:
        """All files of a collection, oldest first, removed and replaced ones too. Raises
        StorageError where its database cannot be read."""
        return [e for e in self._files(identity).values() if e]

    def damaged(self, identity: str) -> list[Damaged]:
        """The records of a collection that are not as they were written. Raises StorageError where
        its database cannot be read."""
        files, own = self._files(identity), self.contents(identity).whole["collection"]
        lost = [number for number, entry in files.items() if entry is None]
        if self.has(identity) and not any(record_in(text, Collection) for _, text in own):
            lost.append("collection")
        return [Damaged(number, "", CHANGED) for number in lost]

    def _files(self, identity: str) -> dict[str, Entry | None]:
        """Number -> record of a file, None for one that cannot be read; oldest first."""
        contents = self.contents(identity)
        found = {n: record_in(text, Entry) for n, text in contents.whole["files"]}
        found |= dict.fromkeys(row[0] for row in contents.damaged["files"])
        return {
            f"{n:05}": entry if entry and entry.number == f"{n:05}" else None
            for n, entry in sorted(found.items())
        }

    def contents(self, identity: str) -> Contents:
        """The rows of a collection's database, nothing where there is no collection. Raises
        StorageError where it cannot be read."""
        if not self.has(identity):
            return NOTHING
        path = self.database(identity)
        # Of before: what is changed meanwhile is read again.
        at, state = time.time_ns(), durable.state_of(path) or ()
        before, known = self._known.get(identity, ((), NOTHING))
        if before != state or not state:
            try:
                self._check(path)
                known = read_contents(path, known if before[:1] == state[:1] else NOTHING)
            except OSError as error:
                raise errors.unreadable(error, path) from error
            self._known[identity] = state if durable.is_settled(state, at) else state[:1], known
        return known

    def _check(self, path: Path) -> None:
        """Raise StorageError where a collection's database is gone or its pages are damaged, which
        is looked at once."""
        if path not in self._checked or not path.is_file():
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
        if self.has(identity) and is_number(number):
            with self.changing(identity) as state:
                database.drop(state, "files", [int(number)])

    @contextmanager
    def changing(self, identity: str) -> Iterator[database.Connection]:
        """The database of a collection, to be changed. Raises OSError and StorageError."""
        if not self.has(identity):
            raise errors.no_collection()
        path = self.database(identity)
        self._check(path)
        with database.writing(path) as state:
            yield state
        before, known = self._known.get(identity, ((), NOTHING))
        self._known[identity] = before[:1], known

    def put_whole(
        self,
        told: Collection,
        entries: Iterable[Entry],
        contents: Contents = NOTHING,
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
                put_contents(state, contents)
                if not numbered:
                    database.put_raw(state, "files", contents.damaged["files"])
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
            put_contents(state, contents)

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
        """Write down the name of a collection, for the time when its database cannot be read."""
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
        database.put_aside(path)
        database.copy(good, path)
        self._forget(identity)

    def remove_unreadable(self, told: Collection) -> None:
        """Hide a collection whose database cannot be read, which is put aside: the good state, or
        an empty database, takes its place. For who holds the lock. Raises OSError and
        StorageError."""
        try:
            self.restore_good(told.id)
        except errors.DamagedDatabaseError:
            database.put_aside(self.database(told.id))
            self._forget(told.id)
            self.put_whole(told, [])
        self.put_collection(replace(self.collection(told.id), removed=True, changed=told.changed))

    def remember_name(self, identity: str) -> None:
        """Write down a collection's name beside those of the others, for who holds the lock."""
        self._list(identity, self.collection(identity).name)

    def put_aside(self) -> list[Path]:
        """The databases that could not be read and were put aside."""
        return sorted(self.folder.glob(f"*{database.ASIDE}*")) + sorted(
            self._collections.glob(f"*/*{database.ASIDE}*")
        )

    def _forget(self, identity: str) -> None:
        self._known.pop(identity, None)
        self._checked.discard(self.database(identity))


def _whole(state: database.Connection, table: str) -> list[Row]:
    return database.rows_of(state, table)[0]
