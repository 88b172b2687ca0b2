"""What is flushed, and when; tests/reliability cuts the power."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from dashboard.workspace import Workspace
from dashboard.workspace.disk import durable
from dashboard.workspace.startup import clean_workspace
from metrics_core import formats
from metrics_core.base import whole_files

A_RUN = formats.read(b"q1 Q0 d1 1 1.0 x\n", name="a.run")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "workspace")
    made.get_or_create_collection("Mine", "own")
    made.get_or_create_collection("Other", "other")
    made.add_table("own", A_RUN)
    return made


@pytest.fixture
def flushed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the folders that are flushed from now on."""
    names: list[str] = []
    for module in (durable, whole_files):
        monkeypatch.setattr(module, "sync_folder", lambda path: names.append(path.name))
    return names


def test_a_start_flushes_what_one_who_was_killed_may_not_have(
    workspace: Workspace, flushed: list[str]
) -> None:
    clean_workspace(workspace)
    above = workspace.folder.parent.name
    assert {above, "workspace", "collections", "tables", "own", "other"} <= set(flushed)


def test_what_is_known_already_is_flushed_before_that_is_said(
    workspace: Workspace, flushed: list[str]
) -> None:
    assert workspace.add_table("own", A_RUN).status == "known"
    assert "own" in flushed


def test_a_table_that_is_there_is_flushed_before_a_record_names_it(
    workspace: Workspace, flushed: list[str]
) -> None:
    assert workspace.add_table("other", A_RUN).status == "new"
    assert flushed == ["tables"]  # and SQLite flushes the record behind it


def test_a_draft_that_cannot_be_moved_is_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def refused(*paths: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="Input"):
        patched.setattr(Path, "replace", refused)
        durable.write_file(tmp_path / "a", b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_folder_in_the_place_of_a_file_makes_room(tmp_path: Path) -> None:
    for act in (lambda path: durable.write_file(path, b"new"), durable.remove_file):
        (tmp_path / "a" / "b").mkdir(parents=True)
        act(tmp_path / "a")
        assert not (tmp_path / "a").is_dir()
        durable.remove_file(tmp_path / "a")


@pytest.mark.parametrize("size", [0, 1, durable._PIECE, durable._PIECE + 1])
def test_the_hash_of_a_file_is_that_of_all_its_bytes(size: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\r\n" * (size // 2) + b"x" * (size % 2))
    assert durable.file_sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()
