"""Records that are not as they were written, and what a change then still knows.
tests/reliability/flips.py damages every stored file."""

from __future__ import annotations

import shutil
from pathlib import Path
from threading import Thread

import pytest

from dashboard.workspace import Added, StorageError, Workspace
from dashboard.workspace.disk.chain import sealed
from dashboard.workspace.starting import start
from metrics_core import formats


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "workspace")
    made.new("Mine", "own")
    return made


def add(workspace: Workspace, doc_id: str, file: str = "a.run") -> Added:
    return workspace.add("own", formats.read(f"q1 Q0 {doc_id} 1 1.0 x\n".encode(), name=file))


def record(workspace: Workspace, number: str) -> Path:
    return workspace.folder / "collections" / "own" / f"{number}.json"


def test_what_was_replaced_twice_stays_hidden_where_a_record_is_damaged(
    workspace: Workspace,
) -> None:
    for doc_id in ("d1", "d2", "d3"):
        add(workspace, doc_id)
    path = record(workspace, "00002")
    path.write_bytes(path.read_bytes()[:-5])
    for _ in range(2):
        assert [e.number for e in workspace.entries("own")] == ["00003"]
        start(workspace)


def test_a_damaged_record_is_shown_until_it_is_removed_and_keeps_its_table(
    workspace: Workspace,
) -> None:
    entry = add(workspace, "d1").entry
    record(workspace, entry.number).write_bytes(b"{}")
    start(workspace)
    assert [d.number for d in workspace.damaged("own")] == [entry.number]
    assert (workspace.folder / "tables" / f"{entry.table}.parquet").exists()
    workspace.remove_entry("own", entry.number)
    assert workspace.damaged("own") == []
    start(workspace)
    assert not list((workspace.folder / "tables").iterdir())


def test_a_record_under_another_number_is_damaged(workspace: Workspace) -> None:
    one, two = (add(workspace, d, f"{d}.run").entry for d in ("d1", "d2"))
    shutil.copy(record(workspace, one.number), record(workspace, two.number))
    assert workspace.entries("own") == [one]
    assert [d.number for d in workspace.damaged("own")] == [two.number]


def test_a_replacement_is_not_taken_back_once_the_older_file_is_gone(workspace: Workspace) -> None:
    add(workspace, "d1")
    newer = add(workspace, "d2").entry
    start(Workspace(workspace.folder))  # a second server does so
    with pytest.raises(KeyError):
        workspace.take_back("own", newer.number)
    assert [e.content for e in workspace.entries("own")] == [newer.content]


@pytest.mark.parametrize("identity", ["..", "../own", "", "a/b", "own\0"])
def test_an_id_that_is_none_is_refused_by_what_writes(
    workspace: Workspace, identity: str, tmp_path: Path
) -> None:
    loaded = formats.read(b"q1 Q0 d1 1 1.0 x\n", name="a.run")
    with pytest.raises(StorageError, match="no longer there"):
        workspace.add(identity, loaded)
    if identity:
        with pytest.raises(KeyError):
            workspace.new("More", identity)
    with pytest.raises(KeyError):
        workspace.rename(identity, "More")
    assert [p.name for p in tmp_path.iterdir()] == ["workspace"]
    assert [c.name for c in workspace.collections()] == ["Mine"]


def test_readings_that_are_chosen_at_once_are_all_kept(workspace: Workspace) -> None:
    def choose(number: int) -> None:
        Workspace(workspace.folder).read_with("own", f"{number}.run", {"duplicates": "best"})

    threads = [Thread(target=choose, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(workspace.collection("own").choices) == 12


def test_what_no_reader_lets_pass_is_damaged_where_it_was_imported_before(
    workspace: Workspace,
) -> None:
    """Earlier versions imported such values; they ended each page and each start."""
    layer = workspace.layers.begin("own", "Ann", {("q1", "d1"): 1.0})
    workspace.notes.write("own", "q1", "a note", by="Ann")
    told = {"query_id": "q1", "by": "x", "at": "x"}
    for name, line in (
        (f"layer-{layer}", told | {"grades": [["d2", 10**400]]}),
        ("notes", told | {"note": "1", "text": "\ud800"}),
    ):
        with (workspace.folder_of("own") / f"{name}.journal").open("ab") as journal:
            journal.write(sealed(line))
    start(workspace)
    (found,) = workspace.layers.of("own")
    assert found.grades == {("q1", "d1"): 1.0} and len(workspace.layers.damaged("own")) == 1
    assert [n.text for n in workspace.notes.of("own")["q1"].notes] == ["a note"]
    workspace.rename("own", "Half \ud800")
    assert [(c.id, c.name) for c in workspace.collections()] == [("own", "Unnamed collection own")]
