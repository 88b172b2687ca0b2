"""The files of a folder's tables, each under the hash of its bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import pyarrow as pa

from dashboard.workspace.disk import durable, errors
from dashboard.workspace.disk.records import Entry, hidden_numbers, is_table

_TABLE = ".parquet"
MISSING, CHANGED = "is missing", "is corrupted"


class TableFiles:
    """Tables, and what was found when their bytes were last looked at."""

    def __init__(self, folder: Path) -> None:
        self._tables = folder
        self._check_results: dict[str, tuple[durable.State, str]] = {}
        self._looking = Lock()

    def put_table(self, name: str, content: durable.Content | pa.Buffer) -> None:
        """Keep a table of this hash, unless it is there and whole: its bytes, a file that holds
        them, or a draft of them."""
        if not self.table_problem(name, look=True):
            durable.sync_folder(self._tables)
        else:
            durable.put(self.table_path(name), content)
            self._remember(
                name, durable.file_state(self.table_path(name)), ""
            )  # it has just been hashed

    def read_table(self, name: str) -> bytes | None:
        """The bytes of a table; None where they are not those that were kept."""
        content, problem = self._read_content(name, keep_bytes=True)
        return None if problem else content

    def table_problem(self, name: str, *, look: bool = False) -> str:
        """Why a table cannot be read, "" where nothing is known against it; `look` at its bytes if
        that was not done since the file changed."""
        state = durable.file_state(self.table_path(name))
        if state is None:
            return MISSING
        with self._looking:
            checked_state, problem = self._check_results.get(name, (None, ""))
        if checked_state == state:
            return problem
        return self._read_content(name)[1] if look else ""

    def mark_unreadable(self, name: str, problem: str) -> None:
        """Remember that a table cannot be read although its bytes are as they were kept."""
        self._remember(
            name, durable.file_state(self.table_path(name)), f"cannot be read ({problem})"
        )

    def hidden_numbers(self, entries: Sequence[Entry], *, look: bool = False) -> set[str]:
        """Return the numbers of entries replaced by newer ones whose tables are whole, as far as
        these were looked at; with `look` they are looked at now."""
        return hidden_numbers(entries, lambda newer: not self.table_problem(newer.table, look=look))

    def table_names(self) -> list[str]:
        """The names of the tables that are there."""
        names = [n.removesuffix(_TABLE) for n in list_names(self._tables) if n.endswith(_TABLE)]
        return [n for n in names if is_table(n)]

    def drop_table(self, name: str) -> None:
        """Remove a table for good."""
        durable.remove(self.table_path(name))
        with self._looking:
            self._check_results.pop(name, None)

    def table_path(self, name: str) -> Path:
        """Where a table stands."""
        return self._tables / f"{name}{_TABLE}"

    def _read_content(self, name: str, *, keep_bytes: bool = False) -> tuple[bytes, str]:
        """The bytes of a table, held only if all are asked for, for it may be larger than what is
        free; and why they are not those that were kept, which is remembered."""
        path = self.table_path(name)
        # The state of before: who mends it meanwhile is not wronged.
        state, content = durable.file_state(path), b""
        try:
            content = path.read_bytes() if keep_bytes else b""
            digest = (
                hashlib.sha256(content).hexdigest() if keep_bytes else durable.file_sha256(path)
            )
            problem = "" if digest == name else CHANGED
        except FileNotFoundError:
            problem = MISSING
        except OSError as error:
            problem = f"cannot be read ({error.strerror})"
        self._remember(name, state, problem)
        return content, problem

    def _remember(self, name: str, state: durable.State | None, problem: str) -> None:
        if state is not None:
            with self._looking:
                self._check_results[name] = (state, problem)


def list_names(folder: Path) -> list[str]:
    """The names of a folder, none where there is no such folder. Raises StorageError where the
    system refuses to say."""
    try:
        return sorted(p.name for p in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise errors.unreadable_folder_error(error, folder) from error
