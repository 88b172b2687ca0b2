"""Disks that are full, fail, may not be written, or are gone. `python -m
tests.reliability.full_disks --count 100` is the long form of the first."""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dashboard.workspace import StorageError, Workspace
from dashboard.workspace.disk import durable
from dashboard.workspace.startup import clean_workspace
from tests.reliability.acts import loaded
from tests.reliability.full_disks import fill, fills, small_files
from tests.reliability.shown import left_over

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits and mounts are POSIX's")

COUNT = int(os.environ.get("RANKLENS_FULL_DISKS", "4"))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """One collection with one file."""
    made = Workspace(tmp_path / "workspace")
    made.get_or_create_collection("Mine", "own")
    made.add_table("own", loaded("a.run", 1))
    return made


def held(workspace: Workspace) -> list[tuple[str, str]]:
    """What is there: files by name and content, of a folder that is opened anew."""
    again = Workspace(workspace.folder)
    found = [(e.file, e.content) for e in again.entries("own") if again.load_table(e)]
    assert again.damaged_records("own") == []
    return found


def test_a_full_disk_is_said_and_leaves_what_was_there(tmp_path: Path) -> None:
    assert fills(COUNT, 9, tmp_path) > 0


def test_a_file_that_becomes_too_long_is_refused_like_a_full_disk(tmp_path: Path) -> None:
    with small_files(tmp_path / "disk") as leave:
        assert fill(tmp_path / "disk", leave, random.Random(9)) > 0


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("call", ["fsync", "write", "open"])
@pytest.mark.parametrize("of", range(1, 5))
def test_any_call_may_fail(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, call: str, number: int, of: int
) -> None:
    before, real, calls = held(workspace), getattr(os, call), []

    def failing(*arguments: Any, **named: Any) -> Any:
        calls.append(arguments)
        if len(calls) == of:
            raise OSError(number, os.strerror(number))
        return real(*arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(os, call, failing)
        try:
            workspace.add_table("own", loaded("b.run", 2))
        except StorageError as error:
            full = number in (errno.ENOSPC, errno.EDQUOT)
            assert ("is full" if full else os.strerror(number)) in error.message
            assert str(workspace.folder) in error.message
            assert held(workspace)[:1] == before
        else:
            assert len(calls) < of or len(held(workspace)) == 2
    assert not list(workspace.folder.rglob("*.part"))
    workspace.add_table("own", loaded("b.run", 2))
    clean_workspace(workspace)
    assert len(held(workspace)) == 2 and left_over(workspace.folder) == []


def _nobody(command: str, folder: Path) -> str:
    """What Python prints that is run as an account that owns nothing, or as this one."""
    become = "import os; os.getuid() or os.setgid(65534) or os.setuid(65534)\n"
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTED + become + command, folder],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
        check=True,
    )
    return done.stdout


_IMPORTED = """
import sys
from pathlib import Path
from dashboard.workspace import Workspace, StorageError
from dashboard.workspace.startup import clean_workspace
from tests.reliability.acts import loaded
loaded("b.run", 2)
workspace = Workspace(Path(sys.argv[1]))
"""
_TRIED = """
clean_workspace(workspace)
adds = lambda: workspace.add_table("own", loaded("b.run", 2))
for refused in (adds, lambda: workspace.get_or_create_collection("More")):
    try:
        refused()
    except StorageError as error:
        print(error.message)
print(len(workspace.entries("own")), workspace.find_write_problem() is not None)
"""


@pytest.fixture
def shared(workspace: Workspace) -> Workspace:
    """The same where every account may read it, and none write."""
    for path in [workspace.folder, *workspace.folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    for above in workspace.folder.parents:
        if above.owner() == workspace.folder.owner() and len(above.parts) > 2:
            above.chmod(above.stat().st_mode | 0o011)
    return workspace


def test_a_folder_that_is_only_read_says_so(shared: Workspace) -> None:
    told = _nobody(_TRIED, shared.folder).splitlines()
    assert told == [f"This account may not write to the folder {shared.folder}."] * 2 + ["1 True"]


def test_a_folder_that_may_not_be_read_says_so(shared: Workspace) -> None:
    hidden = shared.folder / "collections"
    hidden.chmod(0)
    asked = """
for ask in (workspace.read_collections, lambda: workspace.entries("own")):
    try:
        print(ask())
    except StorageError as error:
        print(error.message)
clean_workspace(workspace)
"""
    told = _nobody(asked, shared.folder).splitlines()
    hidden.chmod(0o700)
    assert told[0] == f"The folder {hidden} cannot be read: Permission denied."
    assert "cannot be read" in told[1]
    assert len(held(shared)) == 1


def test_the_folder_is_deleted_meanwhile(workspace: Workspace) -> None:
    entry = workspace.entries("own")[0]
    shutil.rmtree(workspace.folder)
    assert workspace.read_collections() == [] and workspace.entries("own") == []
    assert workspace.damaged_records("own") == []
    workspace.check_tables()
    clean_workspace(workspace)
    for refused in _changes(workspace):
        with pytest.raises(StorageError, match="no longer exists"):
            refused()
    with pytest.raises(StorageError, match="is missing"):
        workspace.load_table(entry)
    assert not workspace.folder.exists()


def _changes(workspace: Workspace) -> list[Callable[[], object]]:
    return [
        lambda: workspace.get_or_create_collection("More"),
        lambda: workspace.add_table("own", loaded("b.run", 2)),
        lambda: workspace.rename_collection("own", "x"),
        lambda: workspace.remove_collection("own"),
    ]


@pytest.mark.parametrize("instead", ["nothing", "a file"])
def test_records_that_are_gone_do_not_take_their_tables_along(
    workspace: Workspace, tmp_path: Path, instead: str
) -> None:
    records = workspace.folder / "collections"
    records.rename(tmp_path / "elsewhere")
    if instead == "a file":
        records.write_text("x")
    for started in (workspace, Workspace(workspace.folder)):
        clean_workspace(started)
        assert started.read_collections() == [] and started.entries("own") == []
        for refused in _changes(started):
            with pytest.raises(StorageError, match="lacks the subfolder collections"):
                refused()
    assert not records.is_dir()
    records.unlink(missing_ok=True)
    (tmp_path / "elsewhere").rename(records)
    clean_workspace(workspace)
    assert len(held(workspace)) == 1


@pytest.mark.parametrize("instead", ["nothing", "a file"])
def test_tables_that_are_gone_are_told_and_mended(workspace: Workspace, instead: str) -> None:
    tables = workspace.folder / "tables"
    shutil.rmtree(tables)
    if instead == "a file":
        tables.write_text("x")
    again = Workspace(workspace.folder)
    clean_workspace(again)
    assert [d.why for d in again.damaged_records("own")] == ["is missing"]
    with pytest.raises(StorageError, match=r"a\.run is missing"):
        again.load_table(again.entries("own")[0])
    if instead == "a file":
        with pytest.raises(StorageError, match="Not a directory"):
            again.add_table("own", loaded("a.run", 1))
        tables.unlink()
    assert again.add_table("own", loaded("a.run", 1)).status == "known"
    assert again.damaged_records("own") == [] and len(held(again)) == 1


def test_a_collection_that_is_gone_says_so(workspace: Workspace) -> None:
    shutil.rmtree(workspace.folder / "collections" / "own")
    with pytest.raises(StorageError, match="no longer exists"):
        workspace.add_table("own", loaded("b.run", 2))
    with pytest.raises(KeyError):
        workspace.rename_collection("own", "x")
    assert not (workspace.folder / "collections" / "own").exists()


def test_only_drafts_of_ours_are_swept_out(workspace: Workspace) -> None:
    ours = [
        workspace.folder / "collections" / f"own2{durable.DRAFT}" / "state.db",
        workspace.folder / "collections" / "own" / f"state.good.db.ab{durable.DRAFT}",
        workspace.folder / "tables" / f"x.parquet.ab{durable.DRAFT}",
    ]
    theirs = [workspace.folder / "film.part", workspace.folder / "a" / "film.mp4.part"]
    for path in [*ours, *theirs]:
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    clean_workspace(workspace)
    assert [p.exists() for p in ours] == [False] * 3 and all(p.exists() for p in theirs)
