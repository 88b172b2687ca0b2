"""The workspace: collections of tables in one folder, for several sessions and servers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from dashboard.workspace.adding import (
    AddedFile,
    PackedTable,
    current_time,
    find_free_slot,
    hash_content,
    make_free_id,
    make_record,
    names_of_kind,
    pack_table,
)
from dashboard.workspace.disk import database, errors
from dashboard.workspace.disk.contents import Contents
from dashboard.workspace.disk.database import Connection
from dashboard.workspace.disk.errors import StorageError
from dashboard.workspace.disk.folder_store import FolderStore
from dashboard.workspace.disk.records import (
    BASELINE_RULE,
    Collection,
    DamagedRecord,
    Entry,
    replaced_entry_numbers,
)
from dashboard.workspace.earlier_layout import import_folder
from dashboard.workspace.layers import LayerStore
from dashboard.workspace.long_runs.cache import Cache
from dashboard.workspace.long_runs.run_writer import move_to_disk
from dashboard.workspace.long_runs.stored_run import open_stored_run, stays_on_disk
from dashboard.workspace.long_runs.tables import read_table
from dashboard.workspace.notes import NoteStore
from metrics_core.base.errors import RanklensError
from metrics_core.formats import Loaded
from metrics_core.tables import Table
from metrics_core.tables.run_names import find_free_name


class Workspace:
    """The collections in one folder. A change is on disk when its method returns. If a method
    raises StorageError, nothing is changed."""

    def __init__(self, folder: Path) -> None:
        """Open the workspace. The folder is created when something is first added."""
        self.folder = folder
        self._store = FolderStore(folder)
        self.cache = Cache(folder / "cache", lambda: self.find_write_problem() is None)
        self._was_there = folder.is_dir()
        self.layers = LayerStore(self._store, self.change_collection)
        self.notes = NoteStore(self._store, self.change_collection)
        if self._store.has_earlier_layout():
            with suppress(StorageError), self.hold_write_lock():
                pass  # taking the lock imports it

    def find_write_problem(self) -> StorageError | None:
        """Return why the workspace cannot be written. Returns None if no problem is known."""
        if not self.folder.is_dir():
            return errors.missing_folder_error(self.folder) if self._was_there else None
        if (version := self._store.version() or 0) > database.VERSION:
            return errors.newer_version_error(self.folder, version, database.VERSION)
        if self._store.is_collections_folder_missing():
            return errors.missing_subfolder_error(self.folder)
        if not os.access(self.folder, os.W_OK):
            return errors.refused_write_error(PermissionError(13, ""), self.folder)
        return None

    def read_collections(self, *, only_removed: bool = False) -> list[Collection]:
        """Return the collections, latest change first; only removed ones if `only_removed`."""
        all_collections = []
        for identity in self._store.collection_ids():
            with suppress(KeyError):  # deleted meanwhile by another process
                all_collections.append(self.collection(identity))
        all_collections.sort(key=lambda c: (c.changed, c.id), reverse=True)
        return [c for c in all_collections if c.removed == only_removed]

    def collection(self, identity: str) -> Collection:
        """The record of a collection, with the time of its last change. Raises KeyError."""
        record = self._store.read_collection(identity)
        with suppress(Exception):  # one collection must not stop the list of all
            changes = [record.changed, *(e.changed for e in self._store.entries(identity))]
            return replace(record, changed=max(changes))
        return record

    def folder_of(self, identity: str) -> Path:
        """Return the folder with the records of an existing collection."""
        return self._store.folder_of(identity)

    def has_collection(self, identity: str) -> bool:
        """Return whether there is a collection with this id, even if it is removed."""
        return self._store.has_collection(identity)

    def get_or_create_collection(self, name: str, identity: str = "") -> Collection:
        """Create an empty collection, or return the existing collection with this id."""
        with self.hold_write_lock():
            if identity and self.has_collection(identity):
                return self.collection(identity)
            new_record = Collection(
                identity or make_free_id(self._store.collection_ids()),
                name,
                current_time(),
                baseline_rule=BASELINE_RULE,
            )
            self._store.create_collection(new_record, [])
            return new_record

    def rename_collection(self, identity: str, name: str) -> None:
        """Rename a collection. Its id does not change, so links to it still work."""
        self.change_record(identity, lambda record: replace(record, name=name))

    def remove_collection(self, identity: str) -> None:
        """Mark a collection as removed. It is deleted at the next start."""
        self.change_record(identity, lambda record: replace(record, removed=True))

    def restore_collection(self, identity: str) -> None:
        """Restore a removed collection. Raises KeyError if the collection no longer exists."""
        self.change_record(identity, lambda record: replace(record, removed=False))

    def change_record(self, identity: str, change: Callable[[Collection], Collection]) -> None:
        """Replace the record of a collection by `change(record)`. Raises KeyError."""
        with self.hold_write_lock():
            record = replace(change(self._store.read_collection(identity)), changed=current_time())
            try:
                self._store.put_collection(record)
            except errors.DamagedDatabaseError:
                if not record.removed:
                    raise
                self._store.remove_unreadable_collection(record)

    def duplicate_collection(self, identity: str, name: str) -> Collection:
        """Copy a collection. The original and the copy use the same table files on disk."""
        with self.hold_write_lock():
            record, new_id = self.collection(identity), make_free_id(self._store.collection_ids())
            copy = replace(record, id=new_id, name=name, changed=current_time(), removed=False)
            self._store.create_collection(copy, self.entries(identity), self.contents(identity))
            return copy

    def contents(self, identity: str) -> Contents:
        """The rows of a collection. Raises StorageError if they cannot be read."""
        return self._store.contents(identity)

    def last_good_state_time(self, identity: str) -> str:
        """Return the time (UTC) at which the last good state was saved, or "" if there is none."""
        return self._store.last_good_state_time(identity)

    def restore_last_good_state(self, identity: str) -> None:
        """Move an unreadable database aside, and restore the collection's last good state."""
        with self.hold_write_lock():
            self._store.restore_last_good_state(identity)

    def paths_moved_aside(self) -> list[Path]:
        """Return the paths of damaged databases that were moved aside."""
        return self._store.paths_moved_aside()

    def drop_damaged(self, identity: str, texts: Iterable[str]) -> int:
        """Delete the damaged rows (layers, notes, tags) with these texts; return their number."""
        with self.change_collection(identity) as state:
            return self._store.drop_damaged(identity, state, texts)

    def entries(self, identity: str) -> list[Entry]:
        """Return file records, oldest first, including files whose replacement is damaged."""
        all_entries = self._store.entries(identity)
        older = self._store.replaced_entry_numbers(all_entries)
        return [e for e in all_entries if not e.removed and e.number not in older]

    def removed_entries(self, identity: str) -> list[Entry]:
        """Return the records of the files that were removed since Ranklens was started."""
        all_entries = self._store.entries(identity)
        older = replaced_entry_numbers(all_entries)
        return [e for e in all_entries if e.removed and e.number not in older]

    def fallback_file_numbers(self, identity: str) -> set[str]:
        """Return the numbers of older files that are shown because the newer ones are damaged."""
        all_entries = self._store.entries(identity)
        return replaced_entry_numbers(all_entries) - self._store.replaced_entry_numbers(all_entries)

    def damaged_records(self, identity: str) -> list[DamagedRecord]:
        """Return the damaged records, and the tables that were damaged when last checked."""
        unsound = [
            DamagedRecord(e.number, e.file, problem)
            for e in self.entries(identity)
            if (problem := self._store.find_table_problem(e.table))
        ]
        return [*self._store.damaged_records(identity), *unsound]

    def load_table(self, entry: Entry) -> Table:
        """Load an entry's table. A long run stays on disk. Raises StorageError if it is damaged."""
        if entry.kind == "run" and entry.complete and stays_on_disk(entry.rows):
            return open_stored_run(
                self._store,
                self.cache,
                table_name=entry.table,
                content_hash=entry.content,
                file=entry.file,
                name=entry.name,
                notes=entry.notes,
            )
        content = self.read_bytes(entry)
        try:
            return read_table(content, entry.kind, name=entry.name, notes=entry.notes)
        except (pa.ArrowException, RanklensError, ValueError, KeyError, OSError) as error:
            self._store.mark_unreadable(entry.table, str(error))
            problem = self._store.find_table_problem(entry.table)
            raise errors.damaged_file_error(entry.file, problem) from error

    def read_bytes(self, entry: Entry) -> bytes:
        """Return the stored bytes of an entry's table. Raises StorageError if they are damaged."""
        content = self._store.read_table(entry.table)
        if content is None:
            raise errors.damaged_file_error(entry.file, self._store.find_table_problem(entry.table))
        return content

    def add_table(
        self, identity: str, loaded: Loaded, *, slots: Iterable[int] = (), keep_both: bool = False
    ) -> AddedFile:
        """Add a table to an existing collection. Rows that are already stored are not stored again,
        except for a run under another file name. Unless `keep_both` is true, the table replaces an
        earlier one of the same file name and kind, and takes over its colour and name. `slots` are
        colours that are in use elsewhere."""
        with self._guard_changes():
            loaded = replace(loaded, table=move_to_disk(self.cache, loaded.table, loaded.file))
        content = hash_content(loaded.table, loaded.kind)
        existing = self._find_same_rows(identity, loaded, content)
        is_intact = existing and not self._store.find_table_problem(existing.table, check_now=True)
        packed_table = None if is_intact else pack_table(loaded.table)
        with self.hold_write_lock():
            if not self.has_collection(identity):
                raise errors.missing_collection_error()
            existing = self._find_same_rows(identity, loaded, content)
            if existing is not None:
                return self._restore_existing(identity, existing, packed_table)
            packed_table = packed_table or pack_table(loaded.table)
            older = None if keep_both else self._find_replaced_entry(identity, loaded)
            entry = make_record(
                loaded,
                self._store.entries(identity),
                number=self._store.next_file_number(identity),
                content_hash=content,
                table_name=packed_table[0],
                slots=slots,
                replaced_entry=older,
            )
            self._store.put_table(*packed_table)
            self._store.put_entry(identity, entry)
            return AddedFile(entry, "replaced" if older else "new", older)

    def remove_entry(self, identity: str, number: str) -> None:
        """Mark a file for deletion at the next start. A damaged record is deleted at once."""
        with self.hold_write_lock():
            entry = self._entries_by_number(identity).get(number)
            if entry is None:
                self._store.drop_entry(identity, number)
            else:
                self._change_entry(identity, entry, removed=True)

    def restore_entry(self, identity: str, number: str) -> None:
        """Restore a removed file. Raises KeyError if the file is already deleted for good."""
        with self.hold_write_lock():
            entry = self._entries_by_number(identity)[number]
            self._change_entry(identity, entry, removed=False)

    def undo_replacement(self, identity: str, number: str) -> None:
        """Delete a file and show the file it replaced. Raises KeyError if that file is gone."""
        with self.hold_write_lock():
            entries = self._entries_by_number(identity)
            if entries[number].replaces not in entries:
                raise KeyError(number)
            self._store.drop_entry(identity, number)

    def keep_both_files(self, identity: str, number: str) -> None:
        """Keep both a newer file and the file that it replaced, as two separate runs."""
        with self.hold_write_lock():
            others = self._entries_by_number(identity)
            entry = others.pop(number)
            self._change_entry(
                identity,
                entry,
                replaces="",
                name=find_free_name(entry.name, names_of_kind(others.values(), entry.kind)),
                slot=find_free_slot(e.slot for e in others.values() if e.kind == "run"),
            )

    def check_tables(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Check all tables until `stop` returns true, so that `damaged_records` is up to date."""
        for identity in self._store.collection_ids():
            with suppress(Exception):  # the page that lists the collection reports the error
                for entry in self._store.entries(identity):
                    if stop():
                        return
                    self._store.find_table_problem(entry.table, check_now=True)

    # One writer at a time

    @contextmanager
    def hold_write_lock(self) -> Iterator[FolderStore]:
        """Hold the lock for changes. Raises StorageError if the workspace cannot be changed."""
        with self._guard_changes(), self._store.hold_lock():
            yield self._store

    @contextmanager
    def change_collection(self, identity: str) -> Iterator[Connection]:
        """Open a collection's database for changes. Raises StorageError if this fails."""
        with self._guard_changes(), self._store.change_collection(identity) as state:
            yield state

    @contextmanager
    def _guard_changes(self) -> Iterator[None]:
        trouble = self.find_write_problem()
        if trouble is not None:
            raise trouble
        try:
            self._store.make_folders()
            self._was_there = True
            if self._store.version() == 0:
                import_folder(self._store)
            yield
        except OSError as error:
            raise errors.refused_write_error(error, self.folder) from error

    def _entries_by_number(self, identity: str) -> dict[str, Entry]:
        return {entry.number: entry for entry in self._store.entries(identity)}

    def _change_entry(self, identity: str, entry: Entry, **changes: Any) -> Entry:
        changed = replace(entry, **changes, changed=current_time())
        self._store.put_entry(identity, changed)
        return changed

    def _find_same_rows(self, identity: str, loaded: Loaded, content: str) -> Entry | None:
        all_entries = (*self.entries(identity), *self.removed_entries(identity))
        matching = [e for e in all_entries if e.content == content and e.kind == loaded.kind]
        if loaded.kind == "run":
            matching = [e for e in matching if e.file == loaded.file]
        return next(iter(matching), None)

    def _restore_existing(
        self, identity: str, existing: Entry, packed_table: PackedTable | None
    ) -> AddedFile:
        restored = replace(
            existing, removed=False, table=packed_table[0] if packed_table else existing.table
        )
        if packed_table:
            self._store.put_table(*packed_table)
        if restored != existing:
            restored = self._change_entry(identity, restored)
        else:
            self._store.flush_collection_folder(identity)
        return AddedFile(restored, "new" if existing.removed else "known")

    def _find_replaced_entry(self, identity: str, loaded: Loaded) -> Entry | None:
        file_and_kind = (loaded.file, loaded.kind)
        return next((e for e in self.entries(identity) if (e.file, e.kind) == file_and_kind), None)
