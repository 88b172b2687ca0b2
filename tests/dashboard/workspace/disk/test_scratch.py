"""Files on their way in are there while somebody holds them, and no start leaves older ones."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.workspace import Workspace
from dashboard.workspace.disk.scratch import FOLDER, ScratchFolder
from dashboard.workspace.startup import clean_workspace


def parts(folder: Path) -> list[Path]:
    return list((folder / FOLDER).glob("*.part"))


def test_a_file_is_there_as_long_as_it_is_held(tmp_path: Path) -> None:
    scratch = ScratchFolder(tmp_path / "new" / "workspace")
    file, other = scratch.new_file(), scratch.new_file()
    file.write(b"q1 Q0 ")
    file.write(memoryview(b"d1"))
    file.close()
    assert file.path.read_bytes() == b"q1 Q0 d1" and file.size == 8
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    other.remove()
    other.remove()
    assert parts(scratch.folder) == [file.path]
    del file
    assert parts(scratch.folder) == []


def test_a_start_removes_what_ended_processes_left_and_nothing_of_those_that_live(
    tmp_path: Path,
) -> None:
    workspace = Workspace(tmp_path)
    workspace.get_or_create_collection("Mine")
    killed = (
        "import os, sys; from pathlib import Path;"
        "from dashboard.workspace.disk.scratch import ScratchFolder;"
        "f = ScratchFolder(Path(sys.argv[1])).new_file(); f.write(b'x' * 9); f.close(); os._exit(9)"
    )
    command = [sys.executable, "-c", killed, str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == 9
    assert len(parts(tmp_path)) == 1
    alone = tmp_path / FOLDER / "0123-4567.part"
    alone.write_bytes(b"without a lock")
    scratch = ScratchFolder(tmp_path)
    file = scratch.new_file()
    clean_workspace(workspace)
    assert parts(tmp_path) == [file.path]
    assert [p.stem for p in (tmp_path / FOLDER).glob("*.lock")] == [file.path.stem.split("-")[0]]
    file.remove()


def test_a_folder_that_is_gone_is_not_made_anew(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    scratch = ScratchFolder(folder)
    folder.rmdir()
    with pytest.raises(FileNotFoundError):
        scratch.new_file()
    assert not folder.exists()
