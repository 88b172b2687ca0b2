"""What a damaged row, a damaged database and a lost one cost, and how each is told.
tests/reliability/flips.py damages every stored file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from dashboard.workspace import AddedFile, StorageError, Workspace
from dashboard.workspace.startup import clean_workspace
from metrics_core import formats


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "workspace")
    made.get_or_create_collection("Mine", "own")
    return made


def add(workspace: Workspace, doc_id: str, file: str = "a.run") -> AddedFile:
    return workspace.add_table("own", formats.read(f"q1 Q0 {doc_id} 1 1.0 x\n".encode(), name=file))


def database(workspace: Workspace, identity: str = "own") -> Path:
    return workspace.folder_of(identity) / "state.db"


def change(workspace: Workspace, statement: str, *values: object) -> None:
    """Change rows behind their checksums."""
    with sqlite3.connect(database(workspace)) as state:
        assert state.execute(statement, values).rowcount == 1


def overwrite(path: Path) -> None:
    """Damage a page in the middle of a database."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 8192 * 4096
    content[middle : middle + 4096] = os.urandom(4096)
    path.write_bytes(content)


# Rows


def test_what_was_replaced_twice_stays_hidden_where_a_record_is_damaged(
    workspace: Workspace,
) -> None:
    for doc_id in ("d1", "d2", "d3"):
        add(workspace, doc_id)
    change(workspace, "UPDATE files SET record = record || ' ' WHERE number = 2")
    for _ in range(2):
        assert [e.number for e in workspace.entries("own")] == ["00003"]
        clean_workspace(workspace)


def test_a_damaged_record_is_shown_until_it_is_removed_and_keeps_its_table(
    workspace: Workspace,
) -> None:
    entry = add(workspace, "d1").entry
    change(workspace, "UPDATE files SET record = '{}'")
    clean_workspace(workspace)
    assert [d.number for d in workspace.damaged_records("own")] == [entry.number]
    assert (workspace.folder / "tables" / f"{entry.table}.parquet").exists()
    workspace.remove_entry("own", entry.number)
    assert workspace.damaged_records("own") == []
    clean_workspace(workspace)
    assert not list((workspace.folder / "tables").iterdir())


def test_a_record_under_another_number_is_damaged(workspace: Workspace) -> None:
    one, two = (add(workspace, d, f"{d}.run").entry for d in ("d1", "d2"))
    change(workspace, "UPDATE files SET number = 9 WHERE number = ?", int(two.number))
    assert workspace.entries("own") == [one]
    assert [d.number for d in workspace.damaged_records("own")] == ["00009"]


def test_a_damaged_grade_note_or_tag_costs_only_itself_and_can_be_dropped(
    workspace: Workspace,
) -> None:
    workspace.layers.create_layer("own", "ann")
    for doc in "abc":
        workspace.layers.grade_documents("own", "ann", {("q", doc): 1})
    for text in ("first", "second"):
        workspace.notes.write_note("own", "q", text, author="ann")
    workspace.notes.set_tag("own", "q", "odd", author="ben")
    change(workspace, "UPDATE grades SET grade = 3 WHERE doc_id = 'b'")
    change(workspace, "UPDATE notes SET text = 'sec\nond' WHERE text = 'second'")
    change(workspace, "UPDATE tags SET author = 'Ben'")
    seen = Workspace(workspace.folder)
    (found,) = seen.layers.list_layers("own")
    assert set(found.grades) == {("q", "a"), ("q", "c")}
    assert [text.split()[1:5] for text in found.lost] == [["q", "b", "3", "ann"]]
    assert [note.text for note in seen.notes.notes_by_query("own")["q"].notes] == ["first"]
    assert seen.notes.notes_by_query("own")["q"].tags == ()
    note, tag = seen.contents("own").damaged_row_texts()
    assert "sec ond ann" in note and "odd 1 Ben" in tag
    assert seen.damaged_records("own") == []
    # Somebody judges on meanwhile; what was not shown is not dropped.
    Workspace(workspace.folder).layers.grade_documents("own", "ann", {("q", "d"): 2})
    change(workspace, "UPDATE grades SET grade = 0 WHERE doc_id = 'c'")
    seen = Workspace(workspace.folder)
    assert seen.drop_damaged("own", [*found.lost, note, tag]) == 3
    assert seen.drop_damaged("own", [*found.lost, "no row"]) == 0
    (found,) = seen.layers.list_layers("own")
    assert set(found.grades) == {("q", "a"), ("q", "d")} and len(found.lost) == 1
    assert seen.contents("own").damaged_row_texts() == []


def test_a_damaged_layer_costs_its_name_and_can_be_removed(workspace: Workspace) -> None:
    layer = workspace.layers.create_layer("own", "anna", {("q", "a"): 1})
    workspace.layers.create_layer("own", "ben", {("q", "a"): 2})
    change(workspace, "UPDATE layers SET name = 'Anna' WHERE name = 'anna'")
    again = Workspace(workspace.folder)
    unnamed, _ = again.layers.list_layers("own")
    assert (unnamed.id, unnamed.name) == (layer, f"Unnamed layer {layer}")
    assert unnamed.grades == {("q", "a"): 1}
    (lost,) = again.contents("own").damaged_row_texts()
    assert "Anna" in lost and again.drop_damaged("own", [lost]) == 1
    again.layers.grade_documents("own", "ben", {("q", "b"): 2})
    assert [len(v) for v in again.layers.list_layers("own")] == [1, 2]
    copy = again.duplicate_collection("own", "Copy").id
    assert [len(v) for v in again.layers.list_layers(copy)] == [1, 2]
    again.layers.remove_layer("own", layer)
    assert [v.name for v in again.layers.list_layers("own")] == ["ben"]
    clean_workspace(again)
    assert again.contents("own").damaged_row_texts() == []
    with pytest.raises(KeyError):
        again.layers.restore_layer("own", layer)


def test_a_grade_whose_layer_is_damaged_is_told(workspace: Workspace) -> None:
    workspace.layers.create_layer("own", "anna", {("q", "a"): 1})
    change(workspace, "UPDATE grades SET layer_id = 'none'")
    assert [(len(v), v.lost) for v in Workspace(workspace.folder).layers.list_layers("own")] == [
        (0, ())
    ]
    assert [
        "none q a" in text
        for text in Workspace(workspace.folder).contents("own").damaged_row_texts()
    ] == [True]


def test_a_collection_whose_row_is_damaged_keeps_its_name_and_is_named_again(
    workspace: Workspace,
) -> None:
    entry = add(workspace, "d1").entry
    change(workspace, "UPDATE collection SET record = '{}'")
    again = Workspace(workspace.folder)
    assert [c.name for c in again.read_collections()] == ["Mine"] and again.entries("own") == [
        entry
    ]
    assert [d.number for d in again.damaged_records("own")] == ["collection"]
    again.rename_collection("own", "Ours")
    assert again.damaged_records("own") == [] and again.collection("own").name == "Ours"


# Databases


def lose(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


HARMS = [overwrite, lose, empty, replace_by_folder]


@pytest.fixture
def two(workspace: Workspace) -> Workspace:
    """Two collections, of which a good state is kept; then the first one changed."""
    workspace.get_or_create_collection("Other", "other")
    for identity in ("own", "other"):
        workspace.layers.create_layer(identity, "ann", {("q", f"d{i}"): 1 for i in range(300)})
    add(workspace, "d1")
    clean_workspace(workspace)
    workspace.notes.write_note("own", "q", "since the start", author="ann")
    return workspace


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_database_is_told_and_goes_back_to_its_last_good_state(
    two: Workspace, harm: Callable[[Path], None]
) -> None:
    harm(path := database(two))
    left = path.read_bytes() if path.is_file() else b""
    again = Workspace(two.folder)
    clean_workspace(again)  # which removes nothing then
    assert {c.name for c in again.read_collections()} == {"Mine", "Other"}
    for asked in (
        again.entries,
        again.layers.list_layers,
        again.notes.notes_by_query,
        again.damaged_records,
        again.contents,
    ):
        with pytest.raises(StorageError, match="is damaged"):
            asked("own")
    with pytest.raises(StorageError, match="is damaged"):
        again.notes.write_note("own", "q", "lost?", author="ann")
    with pytest.raises(StorageError, match="is damaged"):
        again.rename_collection("own", "Ours")
    assert len(again.layers.list_layers("other")[0]) == 300 and again.last_good_state_time("own")
    assert (path.read_bytes() if path.is_file() else b"") == left
    again.restore_last_good_state("own")
    again.restore_last_good_state("own")  # a second click
    for seen in (again, two, Workspace(two.folder)):
        assert (
            len(seen.layers.list_layers("own")[0]) == 300 and seen.notes.notes_by_query("own") == {}
        )
        assert [e.file for e in seen.entries("own")] == ["a.run"] and seen.damaged_records(
            "own"
        ) == []
        assert [p.is_dir() or p.read_bytes() == left for p in seen.paths_moved_aside()] == (
            [] if harm is lose else [True]
        )
    again.notes.write_note("own", "q", "after it", author="ann")
    clean_workspace(again)
    assert [n.text for n in Workspace(two.folder).notes.notes_by_query("own")["q"].notes] == [
        "after it"
    ]


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("good", [True, False])
def test_a_damaged_database_can_be_removed_with_its_collection(
    two: Workspace, harm: Callable[[Path], None], *, good: bool
) -> None:
    harm(database(two))
    if not good:
        (two.folder_of("own") / "state.good.db").unlink()
    again = Workspace(two.folder)
    assert bool(again.last_good_state_time("own")) is good
    again.remove_collection("own")
    assert [c.name for c in again.read_collections()] == ["Other"]
    again.restore_collection("own")
    assert {c.name for c in again.read_collections()} == {"Mine", "Other"}
    assert len(again.entries("own")) == good and len(again.paths_moved_aside()) == (
        harm is not lose
    )
    again.remove_collection("own")
    clean_workspace(again)
    assert [c.name for c in again.read_collections()] == [
        "Other"
    ] and again.paths_moved_aside() == []


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_list_is_put_aside_and_made_again(
    two: Workspace, harm: Callable[[Path], None]
) -> None:
    harm(path := two.folder / "workspace.db")
    again = Workspace(two.folder)
    assert {c.name for c in again.read_collections()} == {
        "Mine",
        "Other",
    } and again.find_write_problem() is None
    again.rename_collection("own", "Ours")
    assert {c.name for c in again.read_collections()} == {"Ours", "Other"}
    assert len(again.paths_moved_aside()) == (harm in (overwrite, replace_by_folder))
    assert path.is_file()
    # It tells the names again where a collection cannot.
    clean_workspace(again)
    overwrite(database(again, "other"))
    assert {c.name for c in Workspace(two.folder).read_collections()} == {"Ours", "Other"}


def test_a_list_that_another_one_locks_is_not_taken_for_a_damaged_one(
    two: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.workspace.disk.database._LONGEST_WAIT", 0.05)
    with sqlite3.connect(two.folder / "workspace.db", isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageError, match="Another program is writing"):
            Workspace(two.folder).rename_collection("own", "Ours")
        other.execute("ROLLBACK")
    assert two.paths_moved_aside() == []
    two.rename_collection("own", "Ours")


def test_what_an_interrupted_change_left_is_not_applied_to_what_takes_its_place(
    two: Workspace,
) -> None:
    path = database(two)
    journal = path.with_name("state.db-journal")
    with sqlite3.connect(path, isolation_level=None) as state:
        state.execute("PRAGMA cache_size = 1")
        state.execute("BEGIN")
        state.execute("UPDATE grades SET graded = graded || 'x'")
        kept = journal.read_bytes()
        state.execute("ROLLBACK")
    path.unlink()
    journal.write_bytes(kept)
    again = Workspace(two.folder)
    again.restore_last_good_state("own")
    assert len(Workspace(two.folder).layers.list_layers("own")[0]) == 300 and not journal.exists()


# What nobody should give


def test_a_replacement_is_not_taken_back_once_the_older_file_is_gone(workspace: Workspace) -> None:
    add(workspace, "d1")
    newer = add(workspace, "d2").entry
    clean_workspace(Workspace(workspace.folder))  # a second server does so
    with pytest.raises(KeyError):
        workspace.undo_replacement("own", newer.number)
    assert [e.content for e in workspace.entries("own")] == [newer.content]


@pytest.mark.parametrize("identity", ["..", "../own", "", "a/b", "own\0"])
def test_an_id_that_is_none_is_refused_by_what_writes(
    workspace: Workspace, identity: str, tmp_path: Path
) -> None:
    loaded = formats.read(b"q1 Q0 d1 1 1.0 x\n", name="a.run")
    with pytest.raises(StorageError, match="no longer exists"):
        workspace.add_table(identity, loaded)
    if identity:
        with pytest.raises(KeyError):
            workspace.get_or_create_collection("More", identity)
    with pytest.raises(KeyError):
        workspace.rename_collection(identity, "More")
    assert [p.name for p in tmp_path.iterdir()] == ["workspace"]
    assert [c.name for c in workspace.read_collections()] == ["Mine"]


def test_readings_that_are_chosen_at_once_are_all_kept(workspace: Workspace) -> None:
    def choose(number: int) -> None:
        Workspace(workspace.folder).change_record(
            "own",
            lambda record: replace(
                record, choices={**record.choices, f"{number}.run": {"duplicates": "best"}}
            ),
        )

    threads = [Thread(target=choose, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(workspace.collection("own").choices) == 12


def test_half_a_character_that_a_program_gives_is_not_kept(workspace: Workspace) -> None:
    for refused in (
        lambda: workspace.rename_collection("own", "Half \ud800"),
        lambda: workspace.get_or_create_collection("Half \ud800"),
        lambda: workspace.notes.write_note("own", "q", "Half \ud800", author="Ann"),
    ):
        with pytest.raises(ValueError, match="surrogate"):
            refused()
    assert [c.name for c in workspace.read_collections()] == ["Mine"]
    assert workspace.notes.notes_by_query("own") == {} and workspace.damaged_records("own") == []
