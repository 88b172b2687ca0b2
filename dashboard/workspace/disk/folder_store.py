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
    NO_CONTENTS,
    SCHEMA,
    Contents,
    put_contents,
    read_contents,
)
from dashboard.workspace.disk.database import Row
from dashboard.workspace.disk.errors import StorageError
from dashboard.workspace.disk.records import (
    Collection,
    DamagedRecord,
    Entry,
    is_id,
    is_number,
    parse_record_text,
    record_text,
)
from dashboard.workspace.disk.table_files import CHANGED, TableFiles, list_names

_LIST, _STATE, _GOOD = "workspace.db", "state.db", "state.good.db"
_LISTED = {"collections": "id TEXT, name TEXT"}
_OLD = "workspace.json"


class FolderStore(TableFiles):
    """Databases and tables of one folder. Of a record's contents only names that are checked to be
    ids become paths."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "tables")
        self.folder = folder
        self.list_path = folder / _LIST
        self._collections = folder / "collections"
        self._cache: dict[str, tuple[durable.State, Contents]] = {}
        self._checked: set[Path] = set()
        self._lock_state = local()
        self._version: tuple[durable.State | None, int | None] = (None, None)

    def version(self) -> int | None:
        """The version of the folder's databases; None where there are none that can be read."""
        checked_at, state = time.time_ns(), durable.file_state(self.list_path)
        if state and self._version[0] == state:
            return self._version[1]
        with suppress(OSError, StorageError), database.open_for_reading(self.list_path) as listing:
            version = database.read_version(listing)
            if state and durable.is_settled(state, checked_at):
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

    def make_folders(self) -> None:
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
            state = durable.file_state(path)
            if state is not None and state[1:2] != (0,):  # it was only begun
                database.check(path, _LISTED)
        except errors.DamagedDatabaseError:
            database.put_aside(path)
        database.create(path, _LISTED, version)
        durable.sync_folder(self.folder)

    @contextmanager
    def hold_lock(self) -> Iterator[None]:
        """Hold the right to name and to remove collections and tables. Raises StorageError where
        somebody else holds it for too long."""
        try:
            with database.open_for_writing(self.list_path) as listing:
                self._lock_state.listing = listing
                yield
        except errors.DamagedDatabaseError as error:
            if error.path == self.list_path:
                self._checked.discard(error.path)
            raise
        finally:
            self._lock_state.listing = None

    @contextmanager
    def start_import(self) -> Iterator[bool]:
        """Hold the same right; whether an earlier layout is to be imported, and was at the end."""
        with self.hold_lock():
            is_due = not database.read_version(self._lock_state.listing)
            yield is_due
            if is_due:
                database.set_version(self._lock_state.listing, database.VERSION)

    def sync(self) -> None:
        """Flush the names of all folders: a killed process may have made some without flushing
        them, and whatever is there counts as kept."""
        for folder in (self.folder.parent, self.folder, self._collections, self._tables):
            durable.sync_folder(folder)
        for identity in self.collection_ids():
            self.sync_collection(identity)

    def sync_collection(self, identity: str) -> None:
        """Flush that no change of a collection is to be undone."""
        durable.sync_folder(self.folder_of(identity))

    # Collections

    def collection_ids(self) -> list[str]:
        """The collections that are there, removed ones too, and those whose database is gone."""
        names = [name for name in list_names(self._collections) if is_id(name)]
        return [] if names and self.is_old() else names

    def has_collection(self, identity: str) -> bool:
        """Whether there is a collection of this id, removed or not. Raises StorageError where the
        system refuses to say."""
        try:
            return is_id(identity) and self.folder_of(identity).is_dir()
        except OSError as error:
            raise errors.unreadable_folder_error(error, self._collections) from error

    def read_collection(self, identity: str) -> Collection:
        """What is known of a collection; where it cannot be read its last name. Raises KeyError
        where there is none."""
        if not self.has_collection(identity):
            raise KeyError(identity)
        with suppress(StorageError):
            for _, text in self.contents(identity).intact["collection"]:
                collection = parse_record_text(text, Collection)
                if collection and collection.id == identity:
                    return collection
        return Collection(identity, self._listed_names().get(identity, f"Unnamed {identity}"), "")

    def entries(self, identity: str) -> list[Entry]:
        """All files of a collection, oldest first, removed and replaced ones too. Raises
        StorageError where its database cannot be read."""
        return [e for e in self._file_records(identity).values() if e]

    def damaged_records(self, identity: str) -> list[DamagedRecord]:
        """The records of a collection that are not as they were written. Raises StorageError where
        its database cannot be read."""
        files, collection_rows = (
            self._file_records(identity),
            self.contents(identity).intact["collection"],
        )
        damaged_numbers = [number for number, entry in files.items() if entry is None]
        if self.has_collection(identity) and not any(
            parse_record_text(text, Collection) for _, text in collection_rows
        ):
            damaged_numbers.append("collection")
        return [DamagedRecord(number, "", CHANGED) for number in damaged_numbers]

    def _file_records(self, identity: str) -> dict[str, Entry | None]:
        """Number -> record of a file, None for one that cannot be read; oldest first."""
        contents = self.contents(identity)
        records = {n: parse_record_text(text, Entry) for n, text in contents.intact["files"]}
        records |= dict.fromkeys(row[0] for row in contents.damaged["files"])
        return {
            f"{n:05}": entry if entry and entry.number == f"{n:05}" else None
            for n, entry in sorted(records.items())
        }

    def contents(self, identity: str) -> Contents:
        """The rows of a collection's database, nothing where there is no collection. Raises
        StorageError where it cannot be read."""
        if not self.has_collection(identity):
            return NO_CONTENTS
        path = self.database_path(identity)
        # Of before: what is changed meanwhile is read again.
        checked_at, state = time.time_ns(), durable.file_state(path) or ()
        cached_state, cached = self._cache.get(identity, ((), NO_CONTENTS))
        if cached_state != state or not state:
            try:
                self._check(path)
                cached = read_contents(
                    path, cached if cached_state[:1] == state[:1] else NO_CONTENTS
                )
            except OSError as error:
                raise errors.unreadable_folder_error(error, path) from error
            self._cache[identity] = (
                state if durable.is_settled(state, checked_at) else state[:1],
                cached,
            )
        return cached

    def _check(self, path: Path) -> None:
        """Raise StorageError where a collection's database is gone or its pages are damaged, which
        is looked at once."""
        if path not in self._checked or not path.is_file():
            database.check(path, SCHEMA)
            self._checked.add(path)

    def put_collection(self, collection: Collection) -> None:
        """Write anew what is known of a collection that is there; for who holds the lock."""
        self._list_name(collection.id, collection.name)
        with self.change_collection(collection.id) as state:
            database.put(state, "collection", [(1, record_text(collection))])

    def put_entry(self, identity: str, entry: Entry) -> None:
        """Write a file's record."""
        with self.change_collection(identity) as state:
            database.put(state, "files", [(int(entry.number), record_text(entry))])

    def drop_entry(self, identity: str, number: str) -> None:
        """Remove a record for good; nothing happens where there is none."""
        if self.has_collection(identity) and is_number(number):
            with self.change_collection(identity) as state:
                database.drop(state, "files", [int(number)])

    @contextmanager
    def change_collection(self, identity: str) -> Iterator[database.Connection]:
        """The database of a collection, to be changed. Raises OSError and StorageError."""
        if not self.has_collection(identity):
            raise errors.no_collection_error()
        path = self.database_path(identity)
        self._check(path)
        with database.open_for_writing(path) as state:
            yield state
        cached_state, cached = self._cache.get(identity, ((), NO_CONTENTS))
        self._cache[identity] = cached_state[:1], cached

    def create_collection(
        self,
        collection: Collection,
        entries: Iterable[Entry],
        contents: Contents = NO_CONTENTS,
        *,
        numbered: bool = True,
    ) -> None:
        """A collection with all of its files, and the layers, notes and tags of `contents`, there
        at once or not at all; for who holds the lock. Files are `column_numbers` anew, from 1, or
        come with those of `contents` that are damaged."""
        folder, all_entries = self.folder_of(collection.id), list(entries)
        draft = folder.with_name(f"{collection.id}{durable.DRAFT}")
        numbers = {
            e.number: f"{n:05}" if numbered else e.number for n, e in enumerate(all_entries, 1)
        }
        records = [
            replace(e, number=numbers[e.number], replaces=numbers.get(e.replaces, ""))
            for e in all_entries
        ]
        self._list_name(collection.id, collection.name)
        shutil.rmtree(draft, ignore_errors=True)
        durable.make_folder(draft)
        try:
            database.create(draft / _STATE, SCHEMA)
            with database.open_for_writing(draft / _STATE) as state:
                database.put(state, "collection", [(1, record_text(collection))])
                database.put(state, "files", [(int(e.number), record_text(e)) for e in records])
                put_contents(state, contents)
                if not numbered:
                    database.put_raw(state, "files", contents.damaged["files"])
            durable.sync_folder(draft)
            if folder.is_dir():  # other files are there, which stay
                (draft / _STATE).replace(folder / _STATE)
                durable.sync_folder(folder)
                draft.rmdir()
            else:
                draft.replace(folder)
            durable.sync_folder(self._collections)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise

    def put_contents(self, identity: str, contents: Contents) -> None:
        """Give layers, notes and tags to a collection that has none."""
        with self.change_collection(identity) as state:
            put_contents(state, contents)

    def drop_collection(self, identity: str) -> None:
        """Remove a collection for good, at once as a whole; its tables stay for others."""
        folder = self.folder_of(identity)
        draft = folder.with_name(f"{identity}{durable.DRAFT}")
        with suppress(errors.DamagedDatabaseError), self.change_collection(identity):
            folder.replace(draft)  # nobody changes it any more
        if folder.is_dir():  # it cannot be read
            folder.replace(draft)
        durable.sync_folder(self._collections)
        shutil.rmtree(draft)
        self._cache.pop(identity, None)
        self._lock_state.listing.execute("DELETE FROM collections WHERE id = ?", (identity,))

    def drop_lost(self, identity: str, state: database.Connection, texts: Iterable[str]) -> int:
        """Remove the damaged rows of these texts; how many."""
        wanted_texts, n_dropped, damaged = set(texts), 0, self.contents(identity).damaged
        for table in ("layers", *GROWING):
            numbers = [
                r[0] for r in damaged[table] if database.format_damaged_row(r) in wanted_texts
            ]
            database.drop(state, table, numbers)
            n_dropped += len(numbers)
        return n_dropped

    def free_number(self, identity: str) -> str:
        """The number of the next file."""
        return f"{max((int(number) for number in self._file_records(identity)), default=0) + 1:05}"

    def folder_of(self, identity: str) -> Path:
        """The folder of a collection. Raises KeyError for an invalid id."""
        if not is_id(identity):
            raise KeyError(identity)
        return self._collections / identity

    def database_path(self, identity: str) -> Path:
        """The database of a collection. Raises KeyError for an invalid id."""
        return self.folder_of(identity) / _STATE

    def _list_name(self, identity: str, name: str) -> None:
        """Write down the name of a collection, for the time when its database cannot be read."""
        listing = self._lock_state.listing
        if (identity, name) not in [row[1:] for row in _intact_rows(listing, "collections")]:
            listing.execute("DELETE FROM collections WHERE id = ?", (identity,))
            database.append(listing, "collections", [(identity, name)])

    def _listed_names(self) -> dict[str, str]:
        with suppress(OSError, StorageError), database.open_for_reading(self.list_path) as listing:
            return {identity: name for _, identity, name in _intact_rows(listing, "collections")}
        return {}

    # What is kept beside a database, for the day on which it cannot be read

    def keep_good(self, identity: str) -> None:
        """Copy a database beside itself if it is whole and changed since. Raises OSError and
        StorageError."""
        path, good_path = self.database_path(identity), self.folder_of(identity) / _GOOD
        if good_path.is_file() and good_path.stat().st_mtime_ns == path.stat().st_mtime_ns:
            return
        database.check(path, SCHEMA)
        if not any(self.contents(identity).damaged.values()):
            database.copy(path, good_path)

    def good_state_time(self, identity: str) -> str:
        """When the good state that is kept of a collection was written, in UTC; "" where none
        is."""
        return durable.write_time(durable.file_state(self.folder_of(identity) / _GOOD))

    def restore_good(self, identity: str) -> None:
        """Put the good state that is kept in the place of a database that cannot be read, which is
        put aside; nothing where it can be read, as after somebody else did so. For who holds the
        lock. Raises OSError and StorageError."""
        path, good_path = self.database_path(identity), self.folder_of(identity) / _GOOD
        with suppress(errors.DamagedDatabaseError):
            database.check(path, SCHEMA)
            return
        database.check(good_path, SCHEMA)
        database.put_aside(path)
        database.copy(good_path, path)
        self._forget(identity)

    def remove_unreadable(self, collection: Collection) -> None:
        """Hide a collection whose database cannot be read, which is put aside: the good state, or
        an empty database, takes its place. For who holds the lock. Raises OSError and
        StorageError."""
        try:
            self.restore_good(collection.id)
        except errors.DamagedDatabaseError:
            database.put_aside(self.database_path(collection.id))
            self._forget(collection.id)
            self.create_collection(collection, [])
        self.put_collection(
            replace(self.read_collection(collection.id), removed=True, changed=collection.changed)
        )

    def remember_name(self, identity: str) -> None:
        """Write down a collection's name beside those of the others, for who holds the lock."""
        self._list_name(identity, self.read_collection(identity).name)

    def set_aside_paths(self) -> list[Path]:
        """The databases that could not be read and were put aside."""
        return sorted(self.folder.glob(f"*{database.ASIDE}*")) + sorted(
            self._collections.glob(f"*/*{database.ASIDE}*")
        )

    def _forget(self, identity: str) -> None:
        self._cache.pop(identity, None)
        self._checked.discard(self.database_path(identity))


def _intact_rows(state: database.Connection, table: str) -> list[Row]:
    return database.read_rows(state, table)[0]
