"""The workspace: collections of tables in one folder, for several sessions and several servers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from dashboard.workspace.adding import (
    Added,
    Made,
    content_in,
    free_id,
    free_slot,
    names,
    now,
    packed,
    record_of,
)
from dashboard.workspace.disk import database, errors
from dashboard.workspace.disk.contents import Contents
from dashboard.workspace.disk.database import Connection
from dashboard.workspace.disk.errors import StorageError
from dashboard.workspace.disk.records import BASELINE_RULE, Collection, Damaged, Entry, hidden
from dashboard.workspace.disk.shelves import Shelves
from dashboard.workspace.earlier_layout import import_folder
from dashboard.workspace.layers import Layers
from dashboard.workspace.long_runs.cache import Cache
from dashboard.workspace.long_runs.keeping import on_disk
from dashboard.workspace.long_runs.stored_run import is_long, stored_run
from dashboard.workspace.long_runs.tables import table_of
from dashboard.workspace.notes import Notes
from metrics_core.base.errors import RanklensError
from metrics_core.formats import Loaded
from metrics_core.tables import Table
from metrics_core.tables.run_names import free_name


class Workspace:
    """Collections in one folder. Every change is on the disk when the method returns.

    Methods that change something raise StorageError, and then nothing is changed.
    """

    def __init__(self, folder: Path) -> None:
        """The folder is made when something is first added."""
        self.folder = folder
        self._shelves = Shelves(folder)
        self.cache = Cache(folder / "cache", lambda: self.trouble() is None)
        self._was_there = folder.is_dir()
        self.layers = Layers(self._shelves, self.changing)
        self.notes = Notes(self._shelves, self.changing)
        if self._shelves.is_old():
            with suppress(StorageError), self.writing():
                pass  # which imports it

    def trouble(self) -> StorageError | None:
        """Why the workspace cannot be written as a whole; None where nothing speaks against it."""
        if not self.folder.is_dir():
            return errors.gone(self.folder) if self._was_there else None
        found = self._shelves.version()
        if found is not None and found > database.VERSION:
            return errors.newer(self.folder, found, database.VERSION)
        if self._shelves.lacks_collections():
            return errors.lacking(self.folder, "collections")
        if not os.access(self.folder, os.W_OK):
            return errors.refused(PermissionError(13, ""), self.folder)
        return None

    # Collections

    def collections(self, *, removed: bool = False) -> list[Collection]:
        """The collections that are there, or those that were removed since the start; last changed
        first."""
        here = []
        for identity in self._shelves.ids():
            with suppress(KeyError):  # removed for good by somebody else just now
                here.append(self.collection(identity))
        wanted = [c for c in here if c.removed == removed]
        return sorted(wanted, key=lambda c: (c.changed, c.id), reverse=True)

    def collection(self, identity: str) -> Collection:
        """A collection as it stands, changed when it or one of its files last was, as far as they
        can be read. Raises KeyError where there is none."""
        told = self._shelves.collection(identity)
        with suppress(Exception):  # one collection must not stop the list of all
            latest = max((e.changed for e in self._shelves.entries(identity)), default="")
            return replace(told, changed=max(told.changed, latest))
        return told

    def folder_of(self, identity: str) -> Path:
        """The folder that holds the records of a collection that is there."""
        return self._shelves.folder_of(identity)

    def has(self, identity: str) -> bool:
        """Whether there is a collection of this id, removed or not."""
        return self._shelves.has(identity)

    def new(self, name: str, identity: str = "") -> Collection:
        """An empty collection; one that is there already stays as it is."""
        with self.writing():
            if identity and self.has(identity):
                return self.collection(identity)
            made = Collection(
                identity or free_id(self._shelves.ids()),
                name,
                now(),
                baseline_rule=BASELINE_RULE,
            )
            self._shelves.put_whole(made, [])
            return made

    def rename(self, identity: str, name: str) -> None:
        """Give a collection another name; links keep it by its id."""
        self._change(identity, name=name)

    def remove(self, identity: str) -> None:
        """Hide a collection; the next start removes it for good."""
        self._change(identity, removed=True)

    def restore(self, identity: str) -> None:
        """Undo a removal. Raises KeyError once it is for good."""
        self._change(identity, removed=False)

    def read_with(self, identity: str, file: str, choices: Mapping[str, Any]) -> None:
        """Remember how a file of this collection's folder is to be read."""
        with self.writing():
            told = self._shelves.collection(identity)
            read = {**told.choices, file: dict(choices)}
            self._shelves.put_collection(replace(told, choices=read, changed=now()))

    def judge_by(self, identity: str, judgments: str) -> None:
        """Remember which judgments of this collection are used, by the key of their file."""
        self._change(identity, judgments=judgments)

    def judge_completely(self, identity: str, complete: bool) -> None:
        """Remember whether this collection's judgments hold all that is relevant."""
        self._change(identity, complete=complete)

    def call_runs(self, identity: str, names: Mapping[str, str], slots: Mapping[str, int]) -> None:
        """Remember the names that runs of this collection have here, and their colours and shapes,
        by the names in their files."""
        self._change(identity, run_names=dict(names), run_slots=dict(slots))

    def map_ids(self, identity: str, queries: str, docs: str) -> None:
        """Remember how the ids of this collection are read; "" is as they stand."""
        self._change(identity, map_queries=queries, map_docs=docs)

    def leave_out_own(self, identity: str, exclude_self: bool) -> None:
        """Remember whether the runs of this collection leave each query's own document out."""
        self._change(identity, exclude_self=exclude_self)

    def duplicate(self, identity: str, name: str) -> Collection:
        """A copy of a collection, its tables shared on the disk."""
        with self.writing():
            told, made = self.collection(identity), free_id(self._shelves.ids())
            copy = replace(told, id=made, name=name, changed=now(), removed=False)
            self._shelves.put_whole(copy, self.entries(identity), self.contents(identity))
            return copy

    def contents(self, identity: str) -> Contents:
        """The rows of a collection. Raises StorageError where they cannot be read."""
        return self._shelves.contents(identity)

    def good_since(self, identity: str) -> str:
        """When the state was written that `restore_good` brings back, in UTC; "" for none."""
        return self._shelves.good_since(identity)

    def restore_good(self, identity: str) -> None:
        """Go back to the last good state of a collection whose database cannot be read, which is
        put aside."""
        with self.writing():
            self._shelves.restore_good(identity)

    def put_aside(self) -> list[Path]:
        """The databases that could not be read and were put aside."""
        return self._shelves.put_aside()

    def drop_lost(self, identity: str, texts: Iterable[str]) -> int:
        """Remove damaged rows of layers, notes and tags for good, those of these texts and no
        other; how many."""
        with self.changing(identity) as state:
            return self._shelves.drop_lost(identity, state, texts)

    def _change(self, identity: str, **changes: Any) -> None:
        with self.writing():
            told = replace(self._shelves.collection(identity), changed=now(), **changes)
            try:
                self._shelves.put_collection(told)
            except errors.DamagedDatabaseError:
                if not told.removed:
                    raise
                self._shelves.remove_unreadable(told)

    # Files

    def entries(self, identity: str) -> list[Entry]:
        """The files of a collection, oldest first; also what one replaced that is not whole."""
        every = self._shelves.entries(identity)
        older = self._shelves.hidden(every)
        return [e for e in every if not e.removed and e.number not in older]

    def removed_entries(self, identity: str) -> list[Entry]:
        """The files that were removed since the start."""
        every = self._shelves.entries(identity)
        older = hidden(every)
        return [e for e in every if e.removed and e.number not in older]

    def standing_in(self, identity: str) -> set[str]:
        """The numbers of files that newer ones replaced whose tables are not whole."""
        return hidden(every := self._shelves.entries(identity)) - self._shelves.hidden(every)

    def damaged(self, identity: str) -> list[Damaged]:
        """What of a collection cannot be read: records, and tables as far as they were looked
        at."""
        unsound = [
            Damaged(e.number, e.file, why)
            for e in self.entries(identity)
            if (why := self._shelves.unsound(e.table))
        ]
        return [*self._shelves.damaged(identity), *unsound]

    def load(self, entry: Entry) -> Table:
        """The table of an entry, its bytes checked; the rows of a long run stay on the disk. Raises
        StorageError where they are not those that were kept."""
        if entry.kind == "run" and entry.complete and is_long(entry.rows):
            return stored_run(
                self._shelves,
                self.cache,
                table=entry.table,
                content=entry.content,
                file=entry.file,
                name=entry.name,
                notes=entry.notes,
            )
        content = self.bytes_of(entry)
        try:
            return table_of(content, entry.kind, name=entry.name, notes=entry.notes)
        except (pa.ArrowException, RanklensError, ValueError, KeyError, OSError) as error:
            self._shelves.mark_unsound(entry.table, str(error))
            raise errors.damaged(entry.file, self._shelves.unsound(entry.table)) from error

    def bytes_of(self, entry: Entry) -> bytes:
        """The bytes that an entry's table is kept as. Raises StorageError for other bytes."""
        content = self._shelves.table(entry.table)
        if content is None:
            raise errors.damaged(entry.file, self._shelves.unsound(entry.table))
        return content

    def add(
        self, identity: str, loaded: Loaded, *, slots: Iterable[int] = (), beside: bool = False
    ) -> Added:
        """Keep a table in a collection that is there.

        The same rows are kept once, those of a run once for each file name: two identical runs are
        two. Another table of the same file name and kind stands for the older one, in its colour
        and under its name, unless it is to stand `beside` it. `slots` are colours that are taken by
        runs which are not kept here.
        """
        with self._changing():
            loaded = replace(loaded, table=on_disk(self.cache, loaded.table, loaded.file))
        content = content_in(loaded.table, loaded.kind)
        known = self._known(identity, loaded, content)
        whole = known and not self._shelves.unsound(known.table, look=True)
        made = None if whole else packed(loaded.table)
        with self.writing():
            if not self.has(identity):
                raise errors.no_collection()
            known = self._known(identity, loaded, content)
            if known is not None:
                return self._known_already(identity, known, made)
            made = made or packed(loaded.table)
            older = None if beside else self._older(identity, loaded)
            entry = record_of(
                loaded,
                self._shelves.entries(identity),
                number=self._shelves.free_number(identity),
                content=content,
                table=made[0],
                slots=slots,
                older=older,
            )
            self._shelves.put_table(*made)
            self._shelves.put_entry(identity, entry)
            return Added(entry, "replaced" if older else "new", older)

    def remove_entry(self, identity: str, number: str) -> None:
        """Hide a file; the next start removes it for good. A damaged record goes at once. Nothing
        happens where it is not there."""
        with self.writing():
            here = self._entry_of(identity, number)
            if here is not None:
                self._shelves.put_entry(identity, replace(here, removed=True, changed=now()))
            else:
                self._shelves.drop_entry(identity, number)

    def restore_entry(self, identity: str, number: str) -> None:
        """Undo the removal of a file. Raises KeyError once it is for good."""
        with self.writing():
            here = self._entry_of(identity, number)
            if here is None:
                raise KeyError(number)
            self._shelves.put_entry(identity, replace(here, removed=False, changed=now()))

    def take_back(self, identity: str, number: str) -> None:
        """Undo a replacement: the newer file goes, the older one is there again. Raises KeyError
        once that is removed for good."""
        with self.writing():
            here = self._entry_of(identity, number)
            if here is None or self._entry_of(identity, here.replaces) is None:
                raise KeyError(number)
            self._shelves.drop_entry(identity, number)

    def keep_both(self, identity: str, number: str) -> None:
        """Let a newer file stand beside the one that it replaced, as a run of its own."""
        with self.writing():
            here = self._entry_of(identity, number)
            if here is None:
                raise KeyError(number)
            others = [e for e in self._shelves.entries(identity) if e.number != number]
            self._shelves.put_entry(
                identity,
                replace(
                    here,
                    replaces="",
                    name=free_name(here.name, names(others, here.kind)),
                    slot=free_slot(e.slot for e in others if e.kind == "run"),
                    changed=now(),
                ),
            )

    def check(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Look at the bytes of every table that is kept; `damaged` tells what was found."""
        for identity in self._shelves.ids():
            with suppress(Exception):  # the page that lists the collection says what is wrong
                for entry in self._shelves.entries(identity):
                    if stop():
                        return
                    self._shelves.unsound(entry.table, look=True)

    # One writer at a time

    @contextmanager
    def writing(self) -> Iterator[Shelves]:
        """Hold the right to name and remove collections and tables. Raises StorageError where the
        folder cannot be changed, and for what the disk refuses inside."""
        with self._changing(), self._shelves.locked():
            yield self._shelves

    @contextmanager
    def changing(self, identity: str) -> Iterator[Connection]:
        """The database of a collection, to be changed. Raises StorageError likewise."""
        with self._changing(), self._shelves.changing(identity) as state:
            yield state

    @contextmanager
    def _changing(self) -> Iterator[None]:
        trouble = self.trouble()
        if trouble is not None:
            raise trouble
        try:
            self._shelves.make()
            self._was_there = True
            if self._shelves.version() == 0:
                import_folder(self._shelves)
            yield
        except OSError as error:
            raise errors.refused(error, self.folder) from error

    def _entry_of(self, identity: str, number: str) -> Entry | None:
        return next((e for e in self._shelves.entries(identity) if e.number == number), None)

    def _known(self, identity: str, loaded: Loaded, content: str) -> Entry | None:
        here = (*self.entries(identity), *self.removed_entries(identity))
        same = [e for e in here if e.content == content and e.kind == loaded.kind]
        if loaded.kind == "run":
            same = [e for e in same if e.file == loaded.file]
        return next(iter(same), None)

    def _known_already(self, identity: str, known: Entry, made: Made | None) -> Added:
        """The file is here: mended if its table was damaged, back again if it was removed."""
        back = replace(known, removed=False, table=made[0] if made else known.table)
        if made:
            self._shelves.put_table(*made)
        if back != known:
            back = replace(back, changed=now())
            self._shelves.put_entry(identity, back)
        else:
            self._shelves.sync_collection(identity)
        return Added(back, "new" if known.removed else "known")

    def _older(self, identity: str, loaded: Loaded) -> Entry | None:
        same = (loaded.file, loaded.kind)
        return next((e for e in self.entries(identity) if (e.file, e.kind) == same), None)
