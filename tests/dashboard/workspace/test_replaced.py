"""What a file replaced stays until the newer one's table is there and whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dashboard.workspace import AddedFile, Workspace
from dashboard.workspace.disk.records import replaced_entry_numbers
from dashboard.workspace.startup import clean_workspace
from metrics_core import formats
from metrics_core.tables import Run


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "workspace")
    made.get_or_create_collection("Mine", "own")
    return made


def add(workspace: Workspace, doc_id: str, file: str = "a.run") -> AddedFile:
    return workspace.add_table("own", formats.read(f"q1 Q0 {doc_id} 1 1.0 x\n".encode(), name=file))


def table(workspace: Workspace, added: AddedFile) -> Path:
    return workspace.folder / "tables" / f"{added.entry.table}.parquet"


def rot(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


HARMS = [Path.unlink, rot]


def shown(workspace: Workspace) -> list[str]:
    """The documents of the files that can be read."""
    lost = {d.number for d in workspace.damaged_records("own")}
    tables = [workspace.load_table(e) for e in workspace.entries("own") if e.number not in lost]
    return [str(t.table["doc_id"][0]) for t in tables if isinstance(t, Run)]


@pytest.mark.parametrize("harm", HARMS)
def test_a_start_keeps_what_a_damaged_table_replaced(
    workspace: Workspace, harm: Callable[[Path], None]
) -> None:
    older, newer = add(workspace, "d1"), add(workspace, "d2")
    harm(table(workspace, newer))
    again = Workspace(workspace.folder)
    for _ in range(2):
        clean_workspace(again)
        again.check_tables()
        assert [d.number for d in again.damaged_records("own")] == [newer.entry.number]
        assert again.fallback_file_numbers("own") == {older.entry.number}
        assert shown(again) == ["d1"]


@pytest.mark.parametrize("harm", HARMS)
def test_the_newer_one_added_again_stands_for_the_older_one_again(
    workspace: Workspace, harm: Callable[[Path], None]
) -> None:
    older, newer = add(workspace, "d1"), add(workspace, "d2")
    harm(table(workspace, newer))
    clean_workspace(workspace)
    assert add(workspace, "d2").entry == newer.entry
    assert shown(workspace) == ["d2"] and workspace.fallback_file_numbers("own") == set()
    clean_workspace(workspace)
    assert workspace.damaged_records("own") == [] and not table(workspace, older).exists()


def test_of_several_versions_the_newest_whole_one_is_shown(workspace: Workspace) -> None:
    _, second, third = (add(workspace, d) for d in ("d1", "d2", "d3"))
    rot(table(workspace, third))
    clean_workspace(workspace)
    assert shown(workspace) == ["d2"]
    fourth = add(workspace, "d4")
    assert shown(workspace) == ["d4"] and workspace.damaged_records("own") == []
    for damaged in (fourth, second):
        table(workspace, damaged).unlink()
    clean_workspace(workspace)
    assert shown(workspace) == []
    workspace.remove_entry("own", fourth.entry.number)
    assert add(workspace, "d5").status == "replaced"
    assert shown(workspace) == ["d5"]


def test_a_damaged_newer_one_that_is_removed_leaves_the_older_one(workspace: Workspace) -> None:
    _, newer = add(workspace, "d1"), add(workspace, "d2")
    rot(table(workspace, newer))
    clean_workspace(workspace)
    workspace.remove_entry("own", newer.entry.number)
    assert shown(workspace) == ["d1"]
    clean_workspace(workspace)
    assert shown(workspace) == ["d1"] and workspace.damaged_records("own") == []


def test_a_duplicate_knows_which_file_stands_for_which(workspace: Workspace) -> None:
    _, newer = add(workspace, "d1"), add(workspace, "d2")
    content = table(workspace, newer).read_bytes()
    table(workspace, newer).unlink()
    copy = workspace.duplicate_collection("own", "Copy").id
    table(workspace, newer).write_bytes(content)
    assert [e.table for e in workspace.entries(copy)] == [newer.entry.table]


def test_only_of_what_replaces_something_that_is_there_is_asked(workspace: Workspace) -> None:
    for doc_id in ("d1", "d2"):
        add(workspace, doc_id)
    add(workspace, "d3", "b.run")
    clean_workspace(workspace)
    asked: list[str] = []
    assert (
        replaced_entry_numbers(workspace.entries("own"), lambda e: bool(asked.append(e.name)))
        == set()
    )
    assert asked == []
