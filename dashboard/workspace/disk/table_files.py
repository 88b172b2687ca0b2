"""The files of a folder's tables, each under the hash of its bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import pyarrow as pa

from dashboard.workspace.disk import durable, errors
from dashboard.workspace.disk.records import Entry, hidden, is_table

_TABLE = ".parquet"
MISSING, CHANGED = "is missing", "is corrupted"


class TableFiles:
    """Tables, and what was found when their bytes were last looked at."""

    def __init__(self, folder: Path) -> None:
        self._tables = folder
        self._looked_at: dict[str, tuple[durable.State, str]] = {}
        self._looking = Lock()

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
            return MISSING
        with self._looking:
            then, why = self._looked_at.get(name, (None, ""))
        if then == state:
            return why
        return self._content(name)[1] if look else ""

    def mark_unsound(self, name: str, why: str) -> None:
        """Remember that a table cannot be read although its bytes are as they were kept."""
        self._tell(name, durable.state_of(self.table_path(name)), f"cannot be read ({why})")

    def hidden(self, entries: Sequence[Entry], *, look: bool = False) -> set[str]:
        """Return the numbers of entries replaced by newer ones whose tables are whole, as far as
        these were looked at; with `look` they are looked at now."""
        return hidden(entries, lambda newer: not self.unsound(newer.table, look=look))

    def tables(self) -> list[str]:
        """The names of the tables that are there."""
        names = [n.removesuffix(_TABLE) for n in names_in(self._tables) if n.endswith(_TABLE)]
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
            why = "" if digest == name else CHANGED
        except FileNotFoundError:
            why = MISSING
        except OSError as error:
            why = f"cannot be read ({error.strerror})"
        self._tell(name, state, why)
        return content, why

    def _tell(self, name: str, state: durable.State | None, why: str) -> None:
        if state is not None:
            with self._looking:
                self._looked_at[name] = (state, why)


def names_in(folder: Path) -> list[str]:
    """The names of a folder, none where there is no such folder. Raises StorageError where the
    system refuses to say."""
    try:
        return sorted(p.name for p in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise errors.unreadable(error, folder) from error
