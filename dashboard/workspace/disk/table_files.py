"""The table files of a folder. The name of each file is the hash of its bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import pyarrow as pa

from dashboard.workspace.disk import durable, errors
from dashboard.workspace.disk.records import Entry, is_table_name, replaced_entry_numbers

_TABLE = ".parquet"
MISSING, CHANGED = "is missing", "is corrupted"


class TableFiles:
    """The tables of a folder, and the results of the last checks of their bytes."""

    def __init__(self, folder: Path) -> None:
        self._tables = folder
        self._check_results: dict[str, tuple[durable.State, str]] = {}
        self._looking = Lock()

    def put_table(self, name: str, content: durable.Content | pa.Buffer) -> None:
        """Store a table under `name`, which is the hash of its bytes. If an intact table with this
        name exists, nothing is written.

        `content` is the table's bytes, the path of a file that contains them, or a draft."""
        if not self.find_table_problem(name, check_now=True):
            durable.sync_folder(self._tables)
        else:
            durable.put_file(self.table_path(name), content)
            self._remember_check_result(
                name, durable.file_state(self.table_path(name)), ""
            )  # its bytes have just been hashed

    def read_table(self, name: str) -> bytes | None:
        """Return the bytes of a table. Returns None if the table is missing or damaged."""
        content, problem = self._read_content(name, keep_bytes=True)
        return None if problem else content

    def find_table_problem(self, name: str, *, check_now: bool = False) -> str:
        """Return the reason why a table cannot be read. The result is empty if no problem is known.
        If `check_now` is true, the bytes of the table are checked, unless they were checked after
        the file last changed."""
        state = durable.file_state(self.table_path(name))
        if state is None:
            return MISSING
        with self._looking:
            checked_state, problem = self._check_results.get(name, (None, ""))
        if checked_state == state:
            return problem
        return self._read_content(name)[1] if check_now else ""

    def mark_unreadable(self, name: str, problem: str) -> None:
        """Store that a table cannot be read although its bytes are intact."""
        self._remember_check_result(
            name, durable.file_state(self.table_path(name)), f"cannot be read ({problem})"
        )

    def replaced_entry_numbers(
        self, entries: Sequence[Entry], *, check_now: bool = False
    ) -> set[str]:
        """Return the numbers of the entries that were replaced by newer entries whose tables have
        no known problem. If `check_now` is true, these tables are checked first."""
        return replaced_entry_numbers(
            entries, lambda newer: not self.find_table_problem(newer.table, check_now=check_now)
        )

    def table_names(self) -> list[str]:
        """Return the names of all stored tables."""
        names = [n.removesuffix(_TABLE) for n in list_names(self._tables) if n.endswith(_TABLE)]
        return [n for n in names if is_table_name(n)]

    def drop_table(self, name: str) -> None:
        """Delete a table."""
        durable.remove_file(self.table_path(name))
        with self._looking:
            self._check_results.pop(name, None)

    def table_path(self, name: str) -> Path:
        """The path of a table."""
        return self._tables / f"{name}{_TABLE}"

    def _read_content(self, name: str, *, keep_bytes: bool = False) -> tuple[bytes, str]:
        """Return the bytes of a table, and a description of the problem if they are damaged. The
        description is empty if the bytes are intact; it is stored as the result of the last check.

        If `keep_bytes` is false, the bytes are only hashed in pieces and not returned, because a
        table may be larger than the free memory."""
        path = self.table_path(name)
        # The state before reading: a repair meanwhile is not marked as damaged.
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
        self._remember_check_result(name, state, problem)
        return content, problem

    def _remember_check_result(self, name: str, state: durable.State | None, problem: str) -> None:
        if state is not None:
            with self._looking:
                self._check_results[name] = (state, problem)


def list_names(folder: Path) -> list[str]:
    """Return the names in a folder, sorted. The result is empty if the folder does not exist.
    Raises StorageError if the operating system refuses to list it."""
    try:
        return sorted(p.name for p in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise errors.unreadable_folder_error(error, folder) from error
