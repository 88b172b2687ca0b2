"""SQLite files of the workspace.

A connection is opened for each use and then closed, so that no connection is shared between threads
or inherited by a fork. Changes use a rollback journal, and are flushed together with the folder
(`journal_mode=DELETE`, `synchronous=EXTRA`). A write-ahead log would need memory that only
processes on one machine can share, and its files would have to be copied together with the
database. SQLite has no checksums, so each row ends with one; a damaged row then affects only
itself."""

from __future__ import annotations

import errno
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import quote

from dashboard.workspace.disk import durable, errors
from metrics_core.base.whole_files import remove_folder

VERSION = 4
"""Version of the databases, stored as `PRAGMA user_version`. Up to version 3, a folder had JSON
records and journals."""

Connection = sqlite3.Connection
Row = tuple[Any, ...]
"""The values of a row. The first value is the row number. The checksum is not included."""
Schema = Mapping[str, str]
"""The columns of each table. The first column, which is the row number, is not included."""

_LONGEST_WAIT = 20.0
_MODES = {"journal_mode": ("DELETE", "delete"), "synchronous": ("EXTRA", 3)}
_ERRNO = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_CANTOPEN: errno.ENOENT,
}


def create_database(path: Path, schema: Schema, version: int = VERSION) -> None:
    """Create a database that only this account can access, unless it exists already. Raises the
    errors of `open_for_reading`."""
    with suppress(FileExistsError):
        os.close(durable.create_private_file(path))  # SQLite would make it readable to others
    with open_for_writing(path) as database:
        if database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return
        for statement in _split_statements(schema).values():
            database.execute(statement)
        set_version(database, version)


def _split_statements(schema: Schema) -> dict[str, str]:
    return {
        table: f"CREATE TABLE {table} (number INTEGER PRIMARY KEY, {columns}, checksum INTEGER)"
        for table, columns in schema.items()
    }


def read_version(database: sqlite3.Connection) -> int:
    """Return the version that is stored in a database."""
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def set_version(database: sqlite3.Connection, version: int) -> None:
    """Store the version in a database."""
    database.execute(f"PRAGMA user_version = {version:d}")


@contextmanager
def open_for_reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a connection that sees one unchanging state of a database.

    Raises OSError if the operating system refuses access, and StorageError if the database is
    damaged or locked for too long."""
    with _connect(path) as database:
        database.execute("BEGIN")
        yield database


@contextmanager
def open_for_writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a connection that may change a database. Only one such connection can be open at a time.
    When the connection is closed, either all of its changes are on disk or none is.

    Raises the errors of `open_for_reading`, and StorageError if the database was written by a newer
    version."""
    file = durable.file_identity(path)
    with _connect(path) as database:
        for mode, (value, effect) in _MODES.items():
            database.execute(f"PRAGMA {mode} = {value}")
            if database.execute(f"PRAGMA {mode}").fetchone()[0] != effect:
                raise OSError(errno.ENOTSUP, f"SQLite did not set {mode}")
        database.execute("BEGIN IMMEDIATE")
        if durable.file_identity(path) != file:  # removed or moved aside while waiting for the lock
            raise (
                errors.missing_collection_error()
                if not path.exists()
                else errors.locked_database_error(path)
            )
        version = read_version(database)
        if version > VERSION:
            raise errors.newer_version_error(path.parent, version, VERSION)
        try:
            yield database
            database.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                database.execute("ROLLBACK")
            raise


@contextmanager
def _connect(path: Path) -> Iterator[sqlite3.Connection]:
    database = None
    try:
        database = sqlite3.connect(
            f"file:{quote(str(path))}?mode=rw",
            uri=True,
            timeout=_LONGEST_WAIT,
            isolation_level=None,
        )
        # Damaged text must be readable to be compared with its checksum.
        database.text_factory = lambda content: content.decode("utf-8", "surrogateescape")
        yield database
    except sqlite3.Error as error:
        if not hasattr(error, "sqlite_errorcode"):
            raise  # a programmer's mistake
        raise _translate_error(error, path) from error
    except UnicodeDecodeError as error:  # in a column's name or SQLite's own message
        raise errors.damaged_database_error(path, str(error)) from error
    finally:
        if database is not None:
            database.close()


def _translate_error(error: sqlite3.Error, path: Path) -> OSError | errors.StorageError:
    code = error.sqlite_errorcode & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return errors.locked_database_error(path)
    if code in (sqlite3.SQLITE_IOERR, *_ERRNO):
        return OSError(_ERRNO.get(code, errno.EIO), str(error), str(path))
    return errors.damaged_database_error(path, str(error))


def check_database(path: Path, schema: Schema) -> None:
    """Check a database. Raises StorageError if it does not exist or if its pages are inconsistent.

    The definitions of the tables are compared, too, because a flipped bit in a definition could
    hide the rows of a table."""
    if not path.is_file():
        raise errors.damaged_database_error(path, "there is no such file")
    with open_for_reading(path) as database:
        result = database.execute("PRAGMA quick_check(1)").fetchone()[0]
        tables = dict(database.execute("SELECT name, sql FROM sqlite_master"))
        expected = _split_statements(schema)
        if read_version(database) > VERSION:
            tables |= {name: sql for name, sql in expected.items() if name in tables}
    if result != "ok":
        raise errors.damaged_database_error(path, str(result))
    if not expected.items() <= tables.items():
        raise errors.damaged_database_error(path, "it does not have the expected tables")


def copy_database(path: Path, target: Path) -> None:
    """Copy one state of a database, including its modification time, to another path. Raises the
    errors of `open_for_reading`."""
    state = path.stat()
    draft = target.with_name(f"{target.name}.{token_hex(4)}{durable.DRAFT}")
    try:
        os.close(durable.create_private_file(draft))
        with _connect(path) as source, _connect(draft) as copied:
            copied.execute("PRAGMA journal_mode = MEMORY")  # a draft needs no undo
            source.backup(copied)
        os.utime(draft, ns=(state.st_atime_ns, state.st_mtime_ns))
        remove_folder(target)
        draft.replace(target)
        durable.sync_folder(target.parent)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def journal_path(path: Path) -> Path:
    """Return the path of SQLite's journal, which SQLite uses to undo an interrupted change."""
    return path.with_name(f"{path.name}-journal")


ASIDE = ".damaged-"


def move_damaged_aside(path: Path) -> None:
    """Move a damaged database aside together with its journal, because SQLite would otherwise apply
    the journal to the replacement.

    Raises OSError."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    aside = path.with_name(f"{path.stem}{ASIDE}{stamp}{path.suffix}")
    for name, new_path in ((journal_path(path), journal_path(aside)), (path, aside)):
        if os.path.lexists(name):
            name.replace(new_path)
    durable.sync_folder(path.parent)


# Rows


def row_checksum(row: Sequence[Any]) -> int:
    """Return the checksum of a row's values."""
    return zlib.crc32("\x1f".join(map(str, row)).encode("utf-8", "surrogateescape"))


def read_rows(
    database: sqlite3.Connection, table: str, after_number: int = -1
) -> tuple[list[Row], list[Row]]:
    """Return the rows whose numbers are above `after_number`, in order: the intact rows, and the
    damaged rows with their checksums."""
    intact: list[Row] = []
    damaged: list[Row] = []
    for *values, check in database.execute(
        f"SELECT * FROM {table} WHERE number > ? ORDER BY number", (after_number,)
    ):
        if check == row_checksum(values):
            intact.append(tuple(values))
        else:
            damaged.append((*values, check))
    return intact, damaged


def last_number(database: sqlite3.Connection, table: str) -> int:
    """Return the greatest row number of a table."""
    row = database.execute(f"SELECT coalesce(max(number), 0) FROM {table}").fetchone()
    return int(row[0])


def append_rows(database: sqlite3.Connection, table: str, values: Iterable[Sequence[Any]]) -> None:
    """Append rows with these values to a table."""
    begin = last_number(database, table) + 1
    put_rows(database, table, ((number, *row) for number, row in enumerate(values, start=begin)))


def put_rows(database: sqlite3.Connection, table: str, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows. A row replaces an existing row with the same number."""
    write_rows_with_checksums(database, table, ((*row, row_checksum(row)) for row in rows))


def write_rows_with_checksums(
    database: sqlite3.Connection, table: str, rows: Iterable[Sequence[Any]]
) -> None:
    """Write rows that already contain their checksums."""
    all_rows = list(rows)
    if all_rows:
        marks = ",".join("?" * len(all_rows[0]))
        database.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", all_rows)


def delete_rows(database: sqlite3.Connection, table: str, numbers: Iterable[int]) -> None:
    """Delete the rows with these numbers."""
    database.executemany(f"DELETE FROM {table} WHERE number = ?", [(n,) for n in numbers])


def format_damaged_row(row: Row) -> str:
    """Return the readable text of a damaged row in one line."""
    texts = [str(value) for value in row[1:-1] if value not in (None, "")]
    return " ".join(texts).encode(errors="backslashreplace").decode().replace("\n", " ")
