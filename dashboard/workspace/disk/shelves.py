"""The files of the folder: where each record and table stands, read and written one by one."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock

import pyarrow as pa

from dashboard.workspace.disk import durable, errors
from dashboard.workspace.disk.journal import JOURNAL, Journals, Reaches
from dashboard.workspace.disk.records import (
    Collection,
    Damaged,
    DamagedRecordError,
    Entry,
    FolderVersion,
    Record,
    decode,
    encode,
    hidden,
    is_id,
    is_number,
    is_table,
)
from metrics_core.base.memo import Memo

LAYOUT = 3
"""The version of the folder's layout; 1 was one list of files without collections, 2 had no
journals."""

_ABOUT, _COLLECTION, _RECORD, _TABLE = "workspace.json", "collection", ".json", ".parquet"
_KEPT_RECORDS = 20_000
_MISSING, _CHANGED = "is missing", "is not as it was written"


class Shelves:
    """Records and tables of one folder. Nothing of what stands inside a record becomes a path but
    names that are checked to be ids."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._collections, self._tables = folder / "collections", folder / "tables"
        self._records = Memo(_KEPT_RECORDS)
        self.journals = Journals(self._collections, self._reaches, self._put_reaches)
        self._looked_at: dict[str, tuple[durable.State, str]] = {}
        self._looking = Lock()

    def layout(self) -> int | None:
        """The version of the layout; None where the folder does not say one."""
        found = self._read(self.folder / _ABOUT, FolderVersion)
        return found.layout if isinstance(found, FolderVersion) else None

    def lacks_collections(self) -> bool:
        """Whether the folder of the records is gone, without which tables cannot be told from what
        is left over."""
        return self.layout() is not None and not self._collections.is_dir()

    def make(self) -> None:
        """Make the folder; nothing happens where it is made. Raises OSError."""
        for folder in (self.folder, self._collections, self._tables):
            durable.make_folder(folder)
            if os.name == "posix" and stat.S_IMODE(folder.stat().st_mode) & 0o077:
                folder.chmod(0o700)
        if self.layout() is None:
            self.say_layout()

    def say_layout(self) -> None:
        """Write down which layout this is, also in a folder of an older one."""
        durable.write(self.folder / _ABOUT, encode(FolderVersion(LAYOUT)))

    def sync(self) -> None:
        """Flush which names there are: one who was killed may have made some and not done so, and
        what is there is taken for kept."""
        for folder in (self.folder.parent, self.folder, self._collections, self._tables):
            durable.sync_folder(folder)
        for identity in self.ids():
            self.sync_collection(identity)

    def sync_collection(self, identity: str) -> None:
        """Flush which records a collection has."""
        durable.sync_folder(self.folder_of(identity))

    # Records

    def ids(self) -> list[str]:
        """The collections that are there, removed ones too."""
        return [name for name in _names_in(self._collections) if is_id(name)]

    def collection(self, identity: str) -> Collection:
        """What is known of a collection; its id for a name that cannot be read. Raises KeyError
        where there is none."""
        if not self.folder_of(identity).is_dir():
            raise KeyError(identity)
        found = self._read(self._path(identity, _COLLECTION), Collection)
        if isinstance(found, Collection) and found.id == identity:
            return found
        return Collection(identity, f"Unnamed collection {identity}", "")

    def entries(self, identity: str) -> list[Entry]:
        """All files of a collection, oldest first, removed and replaced ones too."""
        return [e for e in self._files(identity).values() if isinstance(e, Entry)]

    def damaged(self, identity: str) -> list[Damaged]:
        """The records of a collection that are not as they were written."""
        found = [
            Damaged(number, "", read)
            for number, read in self._files(identity).items()
            if isinstance(read, str) and read != _MISSING  # taken away by somebody else just now
        ]
        if identity in self.ids():
            own = self._read(self._path(identity, _COLLECTION), Collection)
            found += [Damaged(_COLLECTION, "", own)] if isinstance(own, str) else []
        return found

    def put_collection(self, told: Collection) -> None:
        """Write anew what is known of a collection that is there."""
        durable.write(self._path(told.id, _COLLECTION), encode(told))

    def _reaches(self, identity: str) -> Reaches:
        found = self._read(self._path(identity, _COLLECTION), Collection)
        return found.journals if isinstance(found, Collection) and found.id == identity else {}

    def _put_reaches(self, identity: str, reaches: Reaches) -> None:
        """Nothing where the record cannot be read: it would take the damaged one's place."""
        found = self._read(self._path(identity, _COLLECTION), Collection)
        if isinstance(found, Collection) and found.id == identity:
            self.put_collection(replace(found, journals=dict(reaches)))

    def put_entry(self, identity: str, entry: Entry) -> None:
        """Write a file's record."""
        durable.write(self._path(identity, entry.number), encode(entry))

    def drop_entry(self, identity: str, number: str) -> None:
        """Remove a record for good; nothing happens where there is none."""
        if is_id(identity) and is_number(number):
            durable.remove(self._path(identity, number))

    def put_whole(
        self, told: Collection, entries: Iterable[Entry], journals: Iterable[tuple[str, bytes]] = ()
    ) -> None:
        """A collection with all of its files, there at once or not at all."""
        place = self.folder_of(told.id)
        draft = place.with_name(f"{told.id}{durable.DRAFT}")
        given = list(entries)
        numbers = {e.number: f"{place:05}" for place, e in enumerate(given, start=1)}
        durable.make_folder(draft)
        try:
            for entry in given:
                older = numbers.get(entry.replaces, "")
                record = replace(entry, number=numbers[entry.number], replaces=older)
                durable.write(draft / f"{record.number}{_RECORD}", encode(record))
            for name, content in journals:
                durable.write(draft / f"{name}{JOURNAL}", content)
            durable.write(draft / f"{_COLLECTION}{_RECORD}", encode(told))
            draft.replace(place)
            durable.sync_folder(self._collections)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise

    def free_number(self, identity: str) -> str:
        """The number of the next file."""
        return f"{max((int(number) for number in self._files(identity)), default=0) + 1:05}"

    def _path(self, identity: str, name: str) -> Path:
        return self.folder_of(identity) / f"{name}{_RECORD}"

    def folder_of(self, identity: str) -> Path:
        """The folder of the records of a collection. Raises KeyError for an invalid id."""
        if not is_id(identity):
            raise KeyError(identity)
        return self._collections / identity

    def _files(self, identity: str) -> dict[str, Entry | str]:
        """Number -> record of a file, or why it cannot be read; oldest first."""
        if not is_id(identity):
            return {}
        states = _states_in(self.folder_of(identity))
        numbers = {n.removesuffix(_RECORD): n for n in states if n.endswith(_RECORD)}
        folder, found = str(self.folder_of(identity)), dict[str, Entry | str]()
        for number in sorted(filter(is_number, numbers), key=int):
            name = numbers[number]
            read = self._parsed(f"{folder}/{name}", states[name], Entry)
            changed = isinstance(read, Entry) and read.number != number
            found[number] = _CHANGED if changed else read
        return found

    def _read(self, path: Path, kind: type[Record]) -> Record | str:
        """A record, or why it cannot be read."""
        state = durable.state_of(path)
        return _MISSING if state is None else self._parsed(str(path), state, kind)

    def _parsed(self, path: str, state: durable.State, kind: type[Record]) -> Record | str:
        """A record, parsed once as long as the file stays the same."""
        return self._records((path, state, kind), lambda: _decoded(Path(path), kind))

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

    def drop_collection(self, identity: str) -> None:
        """Remove a collection for good, at once as a whole; its tables stay for others."""
        place = self.folder_of(identity)
        draft = place.with_name(f"{identity}{durable.DRAFT}")
        place.replace(draft)
        durable.sync_folder(self._collections)
        shutil.rmtree(draft)

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


def _decoded(path: Path, kind: type[Record]) -> Record | str:
    try:
        return decode(path.read_bytes(), kind)
    except DamagedRecordError:
        return _CHANGED
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def _names_in(folder: Path) -> list[str]:
    """The names of a folder, none where there is no such folder. Raises StorageError where the
    system refuses to say."""
    try:
        return sorted(p.name for p in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise errors.unreadable(error, folder) from error


def _states_in(folder: Path) -> dict[str, durable.State]:
    """Name -> state of the files of a folder, in one pass over it. Raises StorageError likewise."""
    states: dict[str, durable.State] = {}
    try:
        with os.scandir(folder) as found:
            for entry in found:
                state = durable.state_of(entry)
                if state is not None:
                    states[entry.name] = state
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise errors.unreadable(error, folder) from error
    return states
