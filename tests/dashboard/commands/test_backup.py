"""`ranklens backup`: a zip that is a workspace folder again."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest

from dashboard.start import main
from dashboard.workspace import Workspace
from dashboard.workspace.startup import clean_workspace, hold_removal_lock
from metrics_core import formats
from tests.reliability.shown import left_over


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "workspace")
    made.get_or_create_collection("Mine <b>", "own")
    made.get_or_create_collection("Other", "other")
    for file in ("a.run", "b.run"):
        made.add_table("own", formats.read(f"q1 Q0 {file} 1 1.0 x\n".encode(), name=file))
    made.layers.create_layer("own", "ann", {("q1", "d1"): 2})
    made.notes.write_note("other", "q1", "why", author="ann")
    (made.folder / "cache").mkdir()
    for name in ("cache/x", "token", "tables/x.part", "workspace.db-journal.part"):
        (made.folder / name).write_text("not kept")
    return made


def unpacked(out: Path, into: Path) -> Workspace:
    with zipfile.ZipFile(out) as packed:
        assert packed.testzip() is None
        packed.extractall(into)
    return Workspace(into)


def test_unpacked_it_is_the_same_workspace(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "backup.zip"
    out.write_text("the one before")
    assert main(["backup", str(workspace.folder), "-o", str(out)]) == 0
    told = capsys.readouterr()
    assert told.out.startswith(f"{out}: ") and told.err == ""
    again = unpacked(out, tmp_path / "again")
    for _ in range(2):
        assert {c.name for c in again.read_collections()} == {"Mine <b>", "Other"}
        assert again.entries("own") == workspace.entries("own")
        assert all(again.load_table(entry) for entry in again.entries("own"))
        assert again.layers.list_layers("own") == workspace.layers.list_layers("own")
        assert again.notes.notes_by_query("other") == workspace.notes.notes_by_query("other")
        clean_workspace(again)
    assert left_over(again.folder) == []
    assert not list(tmp_path.glob(".*"))


@pytest.mark.skipif(os.name != "posix", reason="rights are POSIX's")
def test_only_this_account_can_read_it(workspace: Workspace, tmp_path: Path) -> None:
    out, into = tmp_path / "backup.zip", tmp_path / "again"
    assert main(["backup", str(workspace.folder), "-o", str(out)]) == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    if shutil.which("unzip") is None:
        pytest.skip("no unzip, which sets rights")
    subprocess.run(["unzip", "-q", out, "-d", into], check=True)
    rights = {p: stat.S_IMODE(p.stat().st_mode) for p in into.rglob("*")}
    assert {p for p, mode in rights.items() if mode != (0o700 if p.is_dir() else 0o600)} == set()


def test_a_damaged_database_comes_along_as_it_is(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clean_workspace(workspace)
    (workspace.folder_of("own") / "state.db").write_bytes(b"damaged")
    out = tmp_path / "backup.zip"
    assert main(["backup", str(workspace.folder), "-o", str(out)]) == 0
    assert "Damaged, copied unchanged: Mine <b>" in capsys.readouterr().out
    again = unpacked(out, tmp_path / "again")
    assert again.notes.notes_by_query("other")["q1"].notes[0].text == "why"
    again.restore_last_good_state("own")
    assert [bool(again.load_table(entry)) for entry in again.entries("own")] == [True, True]
    assert (again.paths_moved_aside()[0]).read_bytes() == b"damaged"


@pytest.mark.parametrize("folder", ["gone", "empty"])
def test_where_there_is_no_workspace_nothing_is_written(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    out = tmp_path / "backup.zip"
    assert main(["backup", str(tmp_path / folder), "-o", str(out)]) == 2
    assert "There is no workspace in" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["empty"]
    assert list((tmp_path / "empty").iterdir()) == []


def test_while_a_start_removes_it_waits_and_says_so(
    workspace: Workspace,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dashboard.workspace.exports.backup._LONGEST_WAIT", 0.1)
    with hold_removal_lock(workspace.folder, wait=1):
        assert main(["backup", str(workspace.folder), "-o", str(tmp_path / "x.zip")]) == 2
    assert "Try again when it has finished" in capsys.readouterr().err
