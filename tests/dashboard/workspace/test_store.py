"""The folder that remembers files: what goes in comes out, once, in its collection."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.workspace import AddedFile, Collection, Settings, StorageError, Workspace
from dashboard.workspace.disk.records import (
    DamagedRecordError,
    encode_record,
    parse_record,
)
from dashboard.workspace.startup import clean_workspace
from metrics_core import formats
from metrics_core.formats import Loaded
from metrics_core.tables import Documents, Qrels, Queries, Run

FILES = {
    "a.run": b"001 Q0 d1 1 2.5 x\n1e5 Q0 <b>d2</b> 1 -1.0 x\n",
    "j.qrels": b"001 0 d1 2\n001 0 d1 2\n",
    "diversity.qrels": b"1 1 d1 2\n1 2 d1 0\n1 2 d2 1\n",
    "queries.csv": b"query_id,text,category\n001,caf\xc3\xa9,A\n1e5,,\n",
    "docs.jsonl": b'{"doc_id": "d1", "title": "T", "text": "x", "price": "3"}\n',
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "workspace")
    made.get_or_create_collection("Mine", "own")
    return made


def again(workspace: Workspace) -> Workspace:
    """The same folder after a start."""
    started = Workspace(workspace.folder)
    clean_workspace(started)
    return started


def read(name: str, content: bytes | None = None) -> Loaded:
    return formats.read(FILES[name] if content is None else content, name=name)


def a_run(doc_id: str, name: str = "a.run") -> Loaded:
    return read(name, f"q1 Q0 {doc_id} 1 1.0 x\n".encode())


@pytest.mark.parametrize("name", FILES)
def test_a_table_comes_back_as_it_was(workspace: Workspace, name: str) -> None:
    given = read(name)
    added = workspace.add_table("own", given)
    assert added.status == "new" and added.entry.file == name
    later = again(workspace)
    back = later.load_table(later.entries("own")[0])
    assert back.notes == given.table.notes
    if isinstance(back, Queries):
        assert isinstance(given.table, Queries)
        assert back.frame.to_dict("records") == given.table.frame.to_dict("records")
    else:
        assert not isinstance(given.table, Queries)
        assert back.table.to_pydict() == given.table.table.to_pydict()
    if isinstance(back, Qrels):
        assert isinstance(given.table, Qrels)
        assert back.input_table.to_pydict() == given.table.input_table.to_pydict()


def test_documents_keep_their_other_columns(workspace: Workspace) -> None:
    workspace.add_table("own", read("docs.jsonl"))
    table = workspace.load_table(workspace.entries("own")[0])
    assert isinstance(table, Documents)
    assert table.lookup(["d1"]).loc["d1", "price"] == "3"


def test_the_same_rows_are_kept_once_in_a_collection(workspace: Workspace) -> None:
    first = workspace.add_table("own", read("a.run")).entry
    second = workspace.add_table("own", read("a.run", FILES["a.run"]))
    assert second == AddedFile(first, "known")
    workspace.add_table("own", read("j.qrels"))
    named_otherwise = formats.read(FILES["j.qrels"], name="copy.qrels")
    assert workspace.add_table("own", named_otherwise).status == "known"
    assert len(workspace.entries("own")) == 2
    workspace.get_or_create_collection("Other", "other")
    assert workspace.add_table("other", read("a.run")).status == "new"
    assert len(list((workspace.folder / "tables").iterdir())) == 2


def test_two_identical_runs_under_two_names_are_two(workspace: Workspace) -> None:
    workspace.add_table("own", read("a.run"))
    for _ in range(2):
        added = workspace.add_table("own", formats.read(FILES["a.run"], name="copy.run"))
    assert added.status == "known"
    assert [(e.name, e.slot) for e in workspace.entries("own")] == [("a", 0), ("copy", 1)]
    assert [e.name for e in again(workspace).entries("own")] == ["a", "copy"]
    assert len(list((workspace.folder / "tables").iterdir())) == 1


def test_two_runs_of_one_name_are_told_apart(workspace: Workspace) -> None:
    workspace.add_table("own", a_run("d1"))
    workspace.add_table("own", a_run("d2"), keep_both=True)
    entries = workspace.entries("own")
    assert [(e.name, e.slot) for e in entries] == [("a", 0), ("a (2)", 1)]
    loaded = [workspace.load_table(e) for e in entries]
    assert [t.name for t in loaded if isinstance(t, Run)] == ["a", "a (2)"]


def test_a_newer_file_stands_for_the_older_one_until_that_is_taken_back(
    workspace: Workspace,
) -> None:
    older = workspace.add_table("own", a_run("d1")).entry
    workspace.add_table("own", a_run("d3", "b.run"))
    added = workspace.add_table("own", a_run("d2"))
    assert added.status == "replaced" and added.older_file == older
    assert (added.entry.name, added.entry.slot) == (older.name, older.slot)
    assert [e.file for e in workspace.entries("own")] == ["b.run", "a.run"]
    workspace.undo_replacement("own", added.entry.number)
    assert next(e.content for e in workspace.entries("own")) == older.content

    added = workspace.add_table("own", a_run("d2"))
    workspace.keep_both_files("own", added.entry.number)
    assert [e.name for e in workspace.entries("own")] == ["a", "b", "a (2)"]
    assert len({e.slot for e in workspace.entries("own")}) == 3


def test_what_replaced_another_takes_it_along_when_it_is_removed(workspace: Workspace) -> None:
    workspace.add_table("own", a_run("d1"))
    newer = workspace.add_table("own", a_run("d2")).entry
    workspace.remove_entry("own", newer.number)
    assert workspace.entries("own") == []
    workspace.restore_entry("own", newer.number)
    assert [e.content for e in workspace.entries("own")] == [newer.content]
    assert [e.content for e in again(workspace).entries("own")] == [newer.content]
    assert len(list((workspace.folder / "tables").iterdir())) == 1


def test_a_removed_file_comes_back_until_the_next_start(workspace: Workspace) -> None:
    entry = workspace.add_table("own", read("a.run")).entry
    workspace.remove_entry("own", entry.number)
    assert workspace.entries("own") == []
    assert [e.number for e in workspace.removed_entries("own")] == [entry.number]
    workspace.restore_entry("own", entry.number)
    assert [e.content for e in workspace.entries("own")] == [entry.content]
    assert [e.added_at for e in workspace.entries("own")] == [entry.added_at] == [entry.changed]
    workspace.remove_entry("own", entry.number)
    assert workspace.add_table("own", read("a.run")).status == "new"
    assert workspace.entries("own")[0].slot == entry.slot
    workspace.remove_entry("own", entry.number)
    workspace.remove_entry("own", "../collection")
    later = again(workspace)
    assert later.removed_entries("own") == []
    with pytest.raises(KeyError):
        later.restore_entry("own", entry.number)
    assert list((workspace.folder / "tables").iterdir()) == []


def test_collections_are_made_renamed_copied_removed(workspace: Workspace) -> None:
    workspace.add_table("own", read("a.run"))
    made = workspace.get_or_create_collection("Second")
    workspace.add_table(made.id, read("j.qrels"))
    assert [c.name for c in workspace.read_collections()] == ["Second", "Mine"]
    workspace.rename_collection("own", "Ours <b>")
    assert [c.name for c in workspace.read_collections()] == ["Ours <b>", "Second"]
    copy = workspace.duplicate_collection("own", "Copy")
    assert [e.content for e in workspace.entries(copy.id)] == [
        e.content for e in workspace.entries("own")
    ]
    workspace.remove_collection("own")
    assert "own" not in [c.id for c in workspace.read_collections()]
    assert [c.id for c in workspace.read_collections(only_removed=True)] == ["own"]
    workspace.restore_collection("own")
    assert workspace.load_table(workspace.entries("own")[0])
    workspace.remove_collection("own")
    later = again(workspace)
    assert not later.has_collection("own") and later.load_table(later.entries(copy.id)[0])
    with pytest.raises(KeyError):
        later.restore_collection("own")


def test_how_a_folders_file_is_read_is_remembered(workspace: Workspace) -> None:
    choices = {"x.run": {"duplicates": "best"}}
    workspace.change_record("own", lambda record: replace(record, choices=choices))
    assert again(workspace).collection("own").choices == choices


@pytest.mark.parametrize("name", ["../../x.run", "/etc/x.run", "a\\..\\b.run", "x\n.run"])
def test_a_name_is_never_a_path(workspace: Workspace, name: str) -> None:
    workspace.add_table("own", formats.read(FILES["a.run"], name=name))
    made = workspace.get_or_create_collection(name)
    folder = workspace.folder.resolve()
    outside = [p for p in folder.parent.rglob("*") if not p.resolve().is_relative_to(folder)]
    assert outside == []
    assert workspace.entries("own")[0].file == name and workspace.collection(made.id).name == name


@pytest.mark.parametrize("identity", ["..", "../own", "", "a/b", "own\0", "x" * 300])
def test_an_id_is_never_a_path(workspace: Workspace, identity: str) -> None:
    assert workspace.entries(identity) == [] and workspace.damaged_records(identity) == []
    with pytest.raises(KeyError):
        workspace.collection(identity)


def test_a_run_has_a_colour_that_no_other_has(workspace: Workspace) -> None:
    workspace.add_table("own", a_run("d1", "a.run"), slots=[0, 1])
    workspace.add_table("own", a_run("d2", "b.run"), slots=[0, 1])
    assert [e.slot for e in workspace.entries("own")] == [2, 3]


@pytest.mark.skipif(os.name != "posix", reason="rights are POSIX's")
def test_only_this_account_can_read_it(workspace: Workspace) -> None:
    workspace.add_table("own", read("a.run"))
    for path in [workspace.folder, *workspace.folder.rglob("*")]:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_a_folder_that_is_gone_says_so(workspace: Workspace) -> None:
    workspace.add_table("own", read("a.run"))
    workspace.folder.rename(workspace.folder.with_name("moved"))
    assert "no longer exists" in str(workspace.find_write_problem())
    with pytest.raises(StorageError, match="no longer exists"):
        workspace.add_table("own", read("j.qrels"))
    assert not workspace.folder.exists()
    workspace.folder.with_name("moved").rename(workspace.folder)
    assert workspace.find_write_problem() is None and len(workspace.entries("own")) == 1


def test_a_newer_layout_is_only_read(workspace: Workspace) -> None:
    workspace.add_table("own", read("a.run"))
    with sqlite3.connect(workspace.folder / "workspace.db") as listing:
        listing.execute("PRAGMA user_version = 5")
    later = again(workspace)
    assert "newer Ranklens" in str(later.find_write_problem())
    assert later.load_table(later.entries("own")[0])
    with pytest.raises(StorageError, match="newer Ranklens"):
        later.add_table("own", read("j.qrels"))


def test_what_is_said_of_a_collection_outlasts_a_start(workspace: Workspace) -> None:
    workspace.change_record(
        "own",
        lambda record: replace(record, complete=True, run_names={"a": "Ä b"}, run_slots={"a": 3}),
    )
    said = again(workspace).collection("own").settings
    assert said == Settings(True, (("a", "Ä b"),), (("a", 3),))


def test_a_collection_of_before_finds_its_baseline_as_it_did(workspace: Workspace) -> None:
    assert not workspace.collection("own").settings.old_baseline
    told = json.loads(encode_record(workspace.collection("own")))["record"]
    del told["baseline_rule"], told["run_names"], told["run_slots"], told["complete"]
    assert parse_record(told, Collection).settings == Settings(old_baseline=True)


@pytest.mark.parametrize(
    "foreign",
    [{"run_names": {"a": 1}}, {"run_slots": {"a": -1}}, {"run_slots": {"a": "1"}}, {"complete": 1}],
)
def test_settings_that_nobody_wrote_here_are_not_taken(
    workspace: Workspace, foreign: dict[str, object]
) -> None:
    told = json.loads(encode_record(workspace.collection("own")))["record"] | foreign
    with pytest.raises(DamagedRecordError):
        parse_record(told, Collection)
