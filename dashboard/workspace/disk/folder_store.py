"""The databases of a workspace folder (one per collection and a list of them) and its tables."""

from __future__ import annotations

import shutil
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
    is_collection_id,
    is_file_number,
    parse_record_text,
    record_text,
)
from dashboard.workspace.disk.table_files import CHANGED, TableFiles, list_names

_LIST, _STATE, _GOOD = "workspace.db", "state.db", "state.good.db"
_LISTED = {"collections": "id TEXT, name TEXT"}
_OLD = "workspace.json"


class FolderStore(TableFiles):
    """The databases and tables of one folder. Paths are made only from valid ids."""

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
        """Return the version of the folder's databases. Returns None if no database can be read."""
        checked_at, state = time.time_ns(), durable.file_state(self.list_path)
        if state and self._version[0] == state:
            return self._version[1]
        with suppress(OSError, StorageError), database.open_for_reading(self.list_path) as listing:
            version = database.read_version(listing)
            if state and durable.is_state_settled(state, checked_at):
                self._version = state, version
            return version
        return None

    def has_earlier_layout(self) -> bool:
        """Return whether the folder has an earlier version's layout, not yet imported."""
        return not self.version() and (
            (self.folder / _OLD).exists() or any(self._collections.glob("*/collection.json"))
        )

    def is_collections_folder_missing(self) -> bool:
        """Return whether the collections' folder is missing. All tables would then look unused."""
        return self.version() is not None and not self._collections.is_dir()

    def make_folders(self) -> None:
        """Create the folders that are missing. Raises OSError and StorageError."""
        for folder in (self.folder, self._collections, self._tables):
            durable.make_private_folder(folder)
        if self.list_path not in self._checked or not self.list_path.exists():
            with FileLock(self.folder / "lock", mode=0o600):
                self._create_list_database(self.list_path)
            self._checked.add(self.list_path)

    def _create_list_database(self, path: Path) -> None:
        version = 0 if self.has_earlier_layout() else database.VERSION
        try:
            state = durable.file_state(path)
            if state is not None and state[1:2] != (0,):  # not just created
                database.check_database(path, _LISTED)
        except errors.DamagedDatabaseError:
            database.move_damaged_aside(path)
        database.create_database(path, _LISTED, version)
        durable.sync_folder(self.folder)

    @contextmanager
    def hold_lock(self) -> Iterator[None]:
        """Hold the lock on the list of collections. Raises StorageError if it stays locked."""
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
        """Yield whether to import an earlier layout. Holds the lock, and records the import."""
        with self.hold_lock():
            is_due = not database.read_version(self._lock_state.listing)
            yield is_due
            if is_due:
                database.set_version(self._lock_state.listing, database.VERSION)

    def flush_folders(self) -> None:
        """Flush the file names in all folders to disk. A killed process may not have done so."""
        for folder in (self.folder.parent, self.folder, self._collections, self._tables):
            durable.sync_folder(folder)
        for identity in self.collection_ids():
            self.flush_collection_folder(identity)

    def flush_collection_folder(self, identity: str) -> None:
        """Flush the file names in a collection's folder to disk, so that no change is undone."""
        durable.sync_folder(self.folder_of(identity))

    # Collections

    def collection_ids(self) -> list[str]:
        """Return the ids of all collections, even if they are removed or have no database."""
        names = [name for name in list_names(self._collections) if is_collection_id(name)]
        return [] if names and self.has_earlier_layout() else names

    def has_collection(self, identity: str) -> bool:
        """Return whether a collection exists, removed or not. Raises StorageError."""
        try:
            return is_collection_id(identity) and self.folder_of(identity).is_dir()
        except OSError as error:
            raise errors.unreadable_folder_error(error, self._collections) from error

    def read_collection(self, identity: str) -> Collection:
        """Return a collection's record. An unreadable record has only its name. Raises KeyError."""
        if not self.has_collection(identity):
            raise KeyError(identity)
        with suppress(StorageError):
            for _, text in self.contents(identity).intact["collection"]:
                collection = parse_record_text(text, Collection)
                if collection and collection.id == identity:
                    return collection
        return Collection(identity, self._listed_names().get(identity, f"Unnamed {identity}"), "")

    def entries(self, identity: str) -> list[Entry]:
        """Return all file records, oldest first, including removed files. Raises StorageError."""
        return [e for e in self._file_records(identity).values() if e]

    def damaged_records(self, identity: str) -> list[DamagedRecord]:
        """Return the damaged records. Raises StorageError if the database cannot be read."""
        files = self._file_records(identity)
        collection_rows = self.contents(identity).intact["collection"]
        damaged_numbers = [number for number, entry in files.items() if entry is None]
        if self.has_collection(identity) and not any(
            parse_record_text(text, Collection) for _, text in collection_rows
        ):
            damaged_numbers.append("collection")
        return [DamagedRecord(number, "", CHANGED) for number in damaged_numbers]

    def _file_records(self, identity: str) -> dict[str, Entry | None]:
        """Return each file's record by its number, oldest first. A damaged record is None."""
        contents = self.contents(identity)
        records = {n: parse_record_text(text, Entry) for n, text in contents.intact["files"]}
        records |= dict.fromkeys(row[0] for row in contents.damaged["files"])
        return {
            f"{n:05}": entry if entry and entry.number == f"{n:05}" else None
            for n, entry in sorted(records.items())
        }

    def contents(self, identity: str) -> Contents:
        """Return a collection's rows (empty if missing). Raises StorageError if unreadable."""
        if not self.has_collection(identity):
            return NO_CONTENTS
        path = self.database_path(identity)
        # The state before reading: later changes are read again.
        checked_at, state = time.time_ns(), durable.file_state(path) or ()
        cached_state, cached = self._cache.get(identity, ((), NO_CONTENTS))
        if cached_state != state or not state:
            try:
                self._check_database(path)
                cached = read_contents(
                    path, cached if cached_state[:1] == state[:1] else NO_CONTENTS
                )
            except OSError as error:
                raise errors.unreadable_folder_error(error, path) from error
            self._cache[identity] = (
                state if durable.is_state_settled(state, checked_at) else state[:1],
                cached,
            )
        return cached

    def _check_database(self, path: Path) -> None:
        """Raise StorageError if a database is missing or damaged. Intact ones are checked once."""
        if path not in self._checked or not path.is_file():
            database.check_database(path, SCHEMA)
            self._checked.add(path)

    def put_collection(self, collection: Collection) -> None:
        """Write the record of an existing collection. The lock must be held."""
        self._store_name_in_list(collection.id, collection.name)
        with self.change_collection(collection.id) as state:
            database.put_rows(state, "collection", [(1, record_text(collection))])

    def put_entry(self, identity: str, entry: Entry) -> None:
        """Write the record of a file."""
        with self.change_collection(identity) as state:
            database.put_rows(state, "files", [(int(entry.number), record_text(entry))])

    def drop_entry(self, identity: str, number: str) -> None:
        """Delete the record of a file, if it exists."""
        if self.has_collection(identity) and is_file_number(number):
            with self.change_collection(identity) as state:
                database.delete_rows(state, "files", [int(number)])

    @contextmanager
    def change_collection(self, identity: str) -> Iterator[database.Connection]:
        """Open the database of a collection for changes. Raises OSError and StorageError."""
        if not self.has_collection(identity):
            raise errors.missing_collection_error()
        path = self.database_path(identity)
        self._check_database(path)
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
        renumber: bool = True,
    ) -> None:
        """Create a collection with its files and `contents`, completely or not at all. The lock
        must be held. If `renumber` is true, files are numbered from 1. Otherwise, they keep
        their numbers, and the damaged records in `contents` are kept, too."""
        folder, all_entries = self.folder_of(collection.id), list(entries)
        draft = folder.with_name(f"{collection.id}{durable.DRAFT}")
        numbers = {
            e.number: f"{n:05}" if renumber else e.number for n, e in enumerate(all_entries, 1)
        }
        records = [
            replace(e, number=numbers[e.number], replaces=numbers.get(e.replaces, ""))
            for e in all_entries
        ]
        self._store_name_in_list(collection.id, collection.name)
        shutil.rmtree(draft, ignore_errors=True)
        durable.make_folder(draft)
        try:
            database.create_database(draft / _STATE, SCHEMA)
            with database.open_for_writing(draft / _STATE) as state:
                database.put_rows(state, "collection", [(1, record_text(collection))])
                database.put_rows(
                    state, "files", [(int(e.number), record_text(e)) for e in records]
                )
                put_contents(state, contents)
                if not renumber:
                    database.write_rows_with_checksums(state, "files", contents.damaged["files"])
            durable.sync_folder(draft)
            if folder.is_dir():  # other files in it stay
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
        """Write layers, grades, notes and tags to a collection that has none of these yet."""
        with self.change_collection(identity) as state:
            put_contents(state, contents)

    def drop_collection(self, identity: str) -> None:
        """Delete a collection in one step, but keep its tables, because others may use them."""
        folder = self.folder_of(identity)
        draft = folder.with_name(f"{identity}{durable.DRAFT}")
        with suppress(errors.DamagedDatabaseError), self.change_collection(identity):
            folder.replace(draft)  # it cannot be changed any more
        if folder.is_dir():  # it cannot be read
            folder.replace(draft)
        durable.sync_folder(self._collections)
        shutil.rmtree(draft)
        self._cache.pop(identity, None)
        self._lock_state.listing.execute("DELETE FROM collections WHERE id = ?", (identity,))

    def drop_damaged(self, identity: str, disk: database.Connection, texts: Iterable[str]) -> int:
        """Delete the damaged rows with these texts, and return how many were deleted."""
        wanted_texts, n_dropped, damaged = set(texts), 0, self.contents(identity).damaged
        for table in ("layers", *GROWING):
            numbers = [
                r[0] for r in damaged[table] if database.format_damaged_row(r) in wanted_texts
            ]
            database.delete_rows(disk, table, numbers)
            n_dropped += len(numbers)
        return n_dropped

    def next_file_number(self, identity: str) -> str:
        """Return the number for the next file that is added."""
        return f"{max((int(number) for number in self._file_records(identity)), default=0) + 1:05}"

    def folder_of(self, identity: str) -> Path:
        """Return the folder of a collection. Raises KeyError if the id is invalid."""
        if not is_collection_id(identity):
            raise KeyError(identity)
        return self._collections / identity

    def database_path(self, identity: str) -> Path:
        """Return the path of a collection's database. Raises KeyError if the id is invalid."""
        return self.folder_of(identity) / _STATE

    def _store_name_in_list(self, identity: str, name: str) -> None:
        """Store a collection's name in the list, in case its database becomes unreadable."""
        listing = self._lock_state.listing
        if (identity, name) not in [row[1:] for row in _intact_rows(listing, "collections")]:
            listing.execute("DELETE FROM collections WHERE id = ?", (identity,))
            database.append_rows(listing, "collections", [(identity, name)])

    def _listed_names(self) -> dict[str, str]:
        with suppress(OSError, StorageError), database.open_for_reading(self.list_path) as listing:
            return {identity: name for _, identity, name in _intact_rows(listing, "collections")}
        return {}

    # Good states: copies of databases, in case one cannot be read

    def save_last_good_state(self, identity: str) -> None:
        """Save a changed, intact database as the last good state. Raises OSError, StorageError."""
        path, good_path = self.database_path(identity), self.folder_of(identity) / _GOOD
        if good_path.is_file() and good_path.stat().st_mtime_ns == path.stat().st_mtime_ns:
            return
        database.check_database(path, SCHEMA)
        if not any(self.contents(identity).damaged.values()):
            database.copy_database(path, good_path)

    def last_good_state_time(self, identity: str) -> str:
        """Return the time in UTC of the last good state. It is empty if there is none."""
        return durable.last_write_time(durable.file_state(self.folder_of(identity) / _GOOD))

    def restore_last_good_state(self, identity: str) -> None:
        """Move an unreadable database aside, and replace it by the last good state. A readable
        database is unchanged. The lock must be held. Raises OSError and StorageError."""
        path, good_path = self.database_path(identity), self.folder_of(identity) / _GOOD
        with suppress(errors.DamagedDatabaseError):
            database.check_database(path, SCHEMA)
            return
        database.check_database(good_path, SCHEMA)
        database.move_damaged_aside(path)
        database.copy_database(good_path, path)
        self._forget_cached_state(identity)

    def remove_unreadable_collection(self, collection: Collection) -> None:
        """Mark a collection with an unreadable database as removed. Restore its last good state, or
        create an empty database. The lock must be held. Raises OSError and StorageError."""
        try:
            self.restore_last_good_state(collection.id)
        except errors.DamagedDatabaseError:
            database.move_damaged_aside(self.database_path(collection.id))
            self._forget_cached_state(collection.id)
            self.create_collection(collection, [])
        self.put_collection(
            replace(self.read_collection(collection.id), removed=True, changed=collection.changed)
        )

    def store_collection_name(self, identity: str) -> None:
        """Store a collection's present name in the list. The lock must be held."""
        self._store_name_in_list(identity, self.read_collection(identity).name)

    def paths_moved_aside(self) -> list[Path]:
        """Return the paths of damaged databases that were moved aside."""
        return sorted(self.folder.glob(f"*{database.ASIDE}*")) + sorted(
            self._collections.glob(f"*/*{database.ASIDE}*")
        )

    def _forget_cached_state(self, identity: str) -> None:
        self._cache.pop(identity, None)
        self._checked.discard(self.database_path(identity))


def _intact_rows(connection: database.Connection, table: str) -> list[Row]:
    return database.read_rows(connection, table)[0]
