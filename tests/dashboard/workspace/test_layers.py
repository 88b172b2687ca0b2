"""Judgment layers and notes in a workspace: kept, shared, copied, packed, damaged."""

from __future__ import annotations

import io
import json
from pathlib import Path
from threading import Thread

import pytest

from dashboard.workspace import QueryNotes, StorageError, Workspace
from dashboard.workspace.exports.notes_and_layers import layers_csv, read_layers
from dashboard.workspace.exports.packing import import_packed_collection, write_packed_collection
from dashboard.workspace.startup import clean_workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def workspace(folder: Path) -> Workspace:
    made = Workspace(folder)
    made.get_or_create_collection("Shop", "shop")
    return made


def test_grades_are_there_for_everybody_and_after_a_start(
    workspace: Workspace, folder: Path
) -> None:
    workspace.layers.create_layer("shop", "anna")
    workspace.layers.grade_documents("shop", "anna", {("q1", "d1"): 2})
    workspace.layers.grade_documents("shop", "anna", {("q1", "d2"): 0, ("é", "d\n"): 0.5})
    workspace.layers.grade_documents("shop", "anna", {("q1", "d1"): 3})
    clean_workspace(workspace)
    for seen in (workspace, Workspace(folder)):
        (found,) = seen.layers.list_layers("shop")
        assert (found.name, found.judged, found.lost) == ("anna", True, ())
        assert found.grades == {("q1", "d1"): 3, ("q1", "d2"): 0, ("é", "d\n"): 0.5}
        assert found.grade_records["q1", "d1"].grader == "anna"
        assert found.grade_records["q1", "d2"].time > found.begun


def test_a_grade_that_is_taken_back_is_gone(workspace: Workspace) -> None:
    workspace.layers.create_layer("shop", "anna", {("q", "a"): 1, ("q", "b"): 2})
    before = workspace.layers.list_layers("shop")[0]
    workspace.layers.grade_documents("shop", "anna", {("q", "a"): None, ("q", "never"): None})
    (after,) = workspace.layers.list_layers("shop")
    assert after.grades == {("q", "b"): 2}
    assert before.grades == {("q", "a"): 1, ("q", "b"): 2} and before != after


def test_a_layer_can_be_removed_and_brought_back_until_the_next_start(
    workspace: Workspace, folder: Path
) -> None:
    layer = workspace.layers.create_layer("shop", "anna", {("q", "a"): 1})
    workspace.layers.remove_layer("shop", layer)
    assert workspace.layers.list_layers("shop") == []
    workspace.layers.restore_layer("shop", layer)
    assert workspace.layers.list_layers("shop")[0].grades == {("q", "a"): 1}
    workspace.layers.remove_layer("shop", layer)
    clean_workspace(Workspace(folder))
    with pytest.raises(KeyError):
        workspace.layers.restore_layer("shop", layer)


@pytest.mark.parametrize("bad", [{("", "d"): 1.0}, {("q", ""): 1.0}, {("q", "d"): float("nan")}])
def test_what_is_no_grade_is_not_kept(
    workspace: Workspace, bad: dict[tuple[str, str], float]
) -> None:
    workspace.layers.create_layer("shop", "anna")
    with pytest.raises(ValueError, match="finite"):
        workspace.layers.grade_documents("shop", "anna", bad)
    assert len(workspace.layers.list_layers("shop")[0]) == 0


def test_no_layer_without_its_collection(workspace: Workspace) -> None:
    with pytest.raises(StorageError, match="no longer exists"):
        workspace.layers.create_layer("gone", "anna")
    with pytest.raises(StorageError, match="no longer exists"):
        workspace.notes.set_tag("gone", "q", "t", author="anna")
    assert workspace.layers.list_layers("gone") == [] and workspace.layers.list_layers("../x") == []


def test_two_who_judge_at_once_lose_nothing(workspace: Workspace, folder: Path) -> None:
    workspace.layers.create_layer("shop", "anna")

    def judge(who: str) -> None:
        own = Workspace(folder)
        for number in range(15):
            own.layers.grade_documents("shop", "anna", {("q", f"{who}{number}"): number})

    both = [Thread(target=judge, args=(who,)) for who in "ab"]
    for one in both:
        one.start()
    for one in both:
        one.join()
    (found,) = workspace.layers.list_layers("shop")
    assert found.grades == {("q", f"{who}{n}"): n for who in "ab" for n in range(15)}


def test_who_judges_has_one_layer_however_many_begin_it(workspace: Workspace, folder: Path) -> None:
    def judge(number: int) -> None:
        Workspace(folder).layers.grade_documents("shop", "anna", {("q", f"d{number}"): 1})

    every = [Thread(target=judge, args=(number,)) for number in range(6)]
    for one in every:
        one.start()
    for one in every:
        one.join()
    (found,) = workspace.layers.list_layers("shop")
    assert (found.name, len(found)) == ("anna", 6)
    assert workspace.layers.grade_documents("shop", "anna", {("q", "d1"): None}) == (
        found.id,
        False,
    )
    assert workspace.layers.grade_documents("shop", "bo", {("q", "d1"): None}) == ("", False)
    assert workspace.layers.grade_documents("shop", "bo", {("q", "d1"): 0})[1]
    assert [(v.name, len(v)) for v in workspace.layers.list_layers("shop")] == [
        ("anna", 5),
        ("bo", 1),
    ]


def test_layers_and_notes_go_with_a_copy(workspace: Workspace) -> None:
    workspace.layers.create_layer("shop", "anna", {("q", "a"): 1})
    workspace.notes.write_note("shop", "q", "why", author="anna")
    copy = workspace.duplicate_collection("shop", "Copy").id
    out = io.BytesIO()
    write_packed_collection(workspace, "shop", out)
    taken = import_packed_collection(workspace, out.getvalue(), file="shop.zip").id
    workspace.layers.grade_documents("shop", "anna", {("q", "a"): 2})
    for identity in (copy, taken):
        (found,) = workspace.layers.list_layers(identity)
        assert (found.name, found.grades) == ("anna", {("q", "a"): 1})
        assert [n.text for n in workspace.notes.notes_by_query(identity)["q"].notes] == ["why"]


def test_a_packed_collection_without_layers_opens_in_the_layout_before(
    workspace: Workspace,
) -> None:
    import zipfile

    def layout() -> int:
        out = io.BytesIO()
        write_packed_collection(workspace, "shop", out)
        with zipfile.ZipFile(out) as packed:
            return int(json.loads(packed.read("ranklens.json"))["layout"])

    assert layout() == 2
    workspace.layers.create_layer("shop", "anna")
    assert layout() == 3


def test_notes_stand_beside_each_other(workspace: Workspace, folder: Path) -> None:
    first = workspace.notes.write_note("shop", "q", "the <b>stemmer</b>", author="anna")
    workspace.notes.write_note("shop", "q", "ask Bo", author="bo")
    workspace.notes.set_tag("shop", "q", "cause: stemming", author="anna")
    workspace.notes.set_tag("shop", "q", "owner: bo", author="bo")
    workspace.notes.set_tag("shop", "q", "cause: stemming", author="bo", is_set=False)
    workspace.notes.set_tag("shop", "other", "owner: bo", author="bo")
    workspace.notes.set_tag("shop", "other", "owner: bo", author="bo", is_set=False)
    workspace.notes.write_note("shop", "q", "the stemmer", author="bo", edited_note_id=first)
    (note, second), tags = (
        (found := Workspace(folder).notes.notes_by_query("shop")["q"]).notes,
        found.tags,
    )
    assert (note.text, note.author, second.text) == ("the stemmer", "bo", "ask Bo")
    assert tags == ("owner: bo",)
    workspace.notes.write_note("shop", "q", "", author="bo", edited_note_id=first)
    (mark,) = found.marks
    assert (mark.name, mark.author) == ("owner: bo", "bo") and mark.time >= note.time[:10]
    assert workspace.notes.notes_by_query("shop") == {"q": QueryNotes((second,), (mark,))}
    assert workspace.contents("shop").damaged_row_texts() == []


def test_a_clock_that_is_set_back_lets_the_later_layer_count(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, year in (("first", "2026"), ("second", "2025"), ("third", "2024")):
        monkeypatch.setattr("dashboard.workspace.layers.current_time", lambda year=year: year)
        workspace.layers.create_layer("shop", name, {("q", "a"): 1})
    here = workspace.layers.list_layers("shop")
    assert [(v.name, v.begun) for v in here] == [
        ("first", "2026"),
        ("second", "2025"),
        ("third", "2024"),
    ]
    # Where they are taken in elsewhere, too.
    workspace.get_or_create_collection("Other", "other")
    taken = ""
    for lines in read_layers(layers_csv(here, ["q"])):
        taken = workspace.layers.import_layer("other", lines, earlier_layer=taken)
    assert [v.name for v in workspace.layers.list_layers("other")] == ["first", "second", "third"]
    workspace.layers.remove_layer("shop", here[2].id)
    workspace.layers.create_layer("shop", "fourth")
    assert [v.name for v in workspace.layers.list_layers("shop")] == ["first", "second", "fourth"]


def test_layers_of_elsewhere_stand_by_when_they_were_begun(workspace: Workspace) -> None:
    for name, begun in (("late", "2003"), ("early", "2001")):
        workspace.layers.import_layer("shop", [{"name": name, "begun": begun, "judged": True}])
    workspace.layers.create_layer("shop", "now")
    for name, begun in (("between", "2002"), ("soon", "9999")):
        workspace.layers.import_layer("shop", [{"name": name, "begun": begun, "judged": False}])
    workspace.layers.create_layer("shop", "last")
    order = ["early", "between", "late", "now", "soon", "last"]
    assert [v.name for v in workspace.layers.list_layers("shop")] == order


def test_a_layer_that_went_back_is_another_version(workspace: Workspace) -> None:
    """What was worked out of its grades is kept by version."""
    workspace.layers.create_layer("shop", "anna", {("q", "a"): 1})
    clean_workspace(workspace)
    workspace.layers.grade_documents("shop", "anna", {("q", "b"): 1})
    before = workspace.layers.list_layers("shop")[0].version
    workspace.folder_of("shop").joinpath("state.db").write_bytes(b"damaged")
    workspace.restore_last_good_state("shop")
    workspace.layers.grade_documents("shop", "anna", {("q", "c"): 1})
    assert workspace.layers.list_layers("shop")[0].version != before
    assert Workspace(workspace.folder).layers.list_layers("shop") == workspace.layers.list_layers(
        "shop"
    )


def test_what_others_grade_at_the_same_moment_is_seen(workspace: Workspace, folder: Path) -> None:
    """File systems count time in steps, within which a database may change again."""
    other = Workspace(folder)
    workspace.layers.create_layer("shop", "anna")
    for number in range(40):
        (workspace, other)[number % 2].layers.grade_documents(
            "shop", "anna", {("q", f"d{number}"): 1}
        )
        assert [len(seen.layers.list_layers("shop")[0]) for seen in (workspace, other)] == [
            number + 1
        ] * 2
