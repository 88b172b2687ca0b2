"""SQLite as the workspace uses it: its modes, rights, connections and versions."""

from __future__ import annotations

import gc
import os
import sqlite3
import stat
from pathlib import Path
from threading import Thread

import pytest

from dashboard.workspace import StorageError, Workspace
from dashboard.workspace.disk import database
from dashboard.workspace.startup import clean_workspace
from metrics_core import formats

SCHEMA = {"rows": "name TEXT, value"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "state.db"
    database.create_database(made, SCHEMA)
    return made


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "workspace")
    made.get_or_create_collection("Mine", "own")
    return made


def test_what_is_changed_is_flushed_with_its_folder(path: Path) -> None:
    with database.open_for_writing(path) as state:
        assert state.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert state.execute("PRAGMA synchronous").fetchone() == (3,)  # EXTRA
        database.append_rows(state, "rows", [("a", 1)])
        assert database.journal_path(path).exists()
    assert [p.name for p in path.parent.iterdir()] == ["state.db"]


def test_a_mode_that_is_not_set_is_refused(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("SELECT * FROM rows").fetchall()
        refused = pytest.raises(StorageError, match="Another program")
        with pytest.MonkeyPatch.context() as patched, refused, database.open_for_writing(path):
            patched.setattr(database, "_LONGEST_WAIT", 0.1)


@pytest.mark.skipif(os.name != "posix", reason="rights are POSIX's")
def test_only_this_account_may_read_it_at_any_time(workspace: Workspace) -> None:
    before = os.umask(0)
    try:
        workspace.add_table("own", formats.read(b"q1 Q0 d1 1 1.0 x\n", name="a.run"))
        workspace.get_or_create_collection("Other")
        clean_workspace(workspace)
        with workspace.hold_write_lock(), workspace.change_collection("own") as state:
            database.append_rows(state, "tags", [("q", "t", 1, "ann", "now")])
            every = list(workspace.folder.rglob("*"))
            assert any(p.name == "state.db-journal" for p in every)
            rights = {p: stat.S_IMODE(p.stat().st_mode) for p in every}
    finally:
        os.umask(before)
    assert {p for p, mode in rights.items() if mode != (0o700 if p.is_dir() else 0o600)} == set()


def test_a_row_reads_back_only_as_it_was_written(path: Path) -> None:
    values = [None, 0, -1, 2**53, 0.0, -0.0, 0.1, 1e300, 1.0, "", "é\n\x00x", "1"]
    with database.open_for_writing(path) as state:
        database.append_rows(state, "rows", [("a", value) for value in values])
    with database.open_for_reading(path) as state:
        whole, damaged = database.read_rows(state, "rows")
        assert [row[2] for row in whole] == values and damaged == []
        assert [n for n, *_ in database.read_rows(state, "rows", 9)[0]] == [10, 11, 12]
    with sqlite3.connect(path) as state:
        state.execute("UPDATE rows SET value = 1 WHERE number = 1")
        state.execute("UPDATE rows SET name = x'ff' WHERE number = 2")
        state.execute("UPDATE rows SET name = CAST(x'fffe' AS TEXT) WHERE number = 3")
    with database.open_for_reading(path) as state:
        whole, damaged = database.read_rows(state, "rows")
        assert [n for n, *_ in damaged] == [1, 2, 3] and len(whole) == len(values) - 3
        assert all(database.format_damaged_row(row).isprintable() for row in damaged)


def test_nothing_is_changed_where_something_fails(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), database.open_for_writing(path) as state:
        database.append_rows(state, "rows", [("a", 1)])
        raise ZeroDivisionError
    with pytest.raises(sqlite3.Error, match="type"), database.open_for_writing(path) as state:
        database.append_rows(state, "rows", [("a", object())])
    with database.open_for_reading(path) as state:
        assert database.read_rows(state, "rows") == ([], [])


def test_what_a_newer_version_wrote_is_only_read(path: Path) -> None:
    with sqlite3.connect(path) as state:
        state.execute("PRAGMA user_version = 5")
    with (
        pytest.raises(StorageError, match=r"newer Ranklens \(layout 5"),
        database.open_for_writing(path),
    ):
        pass
    with database.open_for_reading(path) as state:
        assert database.read_version(state) == 5


def test_what_takes_the_place_of_a_database_meanwhile_is_not_written(path: Path) -> None:
    refused: list[str] = []

    def write() -> None:
        try:
            with database.open_for_writing(path):
                pass
        except StorageError as error:
            refused.append(error.message)

    with database.open_for_writing(path):
        other = Thread(target=write)
        other.start()
        other.join(0.3)
        path.rename(path.with_name("aside.db"))
        database.create_database(path, SCHEMA)
    other.join()
    assert len(refused) == 1 and "nothing was changed" in refused[0]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no list of open files")
def test_open_files_do_not_grow(workspace: Workspace) -> None:
    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    def act(number: int) -> None:
        workspace.layers.grade_documents("own", f"w{number % 3}", {("q", f"d{number}"): 1})
        workspace.notes.write_note("own", "q", f"n{number}", author="ann")
        workspace.rename_collection("own", f"Mine {number}")
        assert workspace.layers.list_layers("own") and workspace.notes.notes_by_query("own")
        with pytest.raises(KeyError):
            workspace.layers.remove_layer("own", "gone")

    act(0)
    gc.collect()
    before = open_files()
    for number in range(50):
        act(number)
    clean_workspace(workspace)
    assert open_files() <= before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_and_its_parent_both_write_on(workspace: Workspace) -> None:
    workspace.notes.write_note("own", "q", "before", author="ann")
    child = os.fork()
    for number in range(20):
        workspace.notes.write_note("own", "q", f"{bool(child)} {number}", author="ann")
    if not child:
        os._exit(len(workspace.notes.notes_by_query("own")["q"].notes) < 21)
    assert os.waitpid(child, 0)[1] == 0
    texts = [note.text for note in workspace.notes.notes_by_query("own")["q"].notes]
    assert sorted(texts) == sorted(
        ["before", *(f"{is_parent} {n}" for is_parent in (True, False) for n in range(20))]
    )
