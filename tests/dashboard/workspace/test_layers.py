"""Judgment layers and notes in a workspace: kept, shared, copied, packed, damaged."""

from __future__ import annotations

import io
import json
from pathlib import Path
from threading import Thread

import pytest

from dashboard.workspace import Noted, StorageError, Workspace
from dashboard.workspace.disk.journal import opened, sealed
from dashboard.workspace.disk.records import FolderVersion, encode
from dashboard.workspace.starting import start
from dashboard.workspace.taken_out.carried import layers_csv, read_layers
from dashboard.workspace.taken_out.packing import pack, unpack


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def workspace(folder: Path) -> Workspace:
    made = Workspace(folder)
    made.new("Shop", "shop")
    return made


def journal(folder: Path, name: str = "layer-*") -> Path:
    (found,) = (folder / "collections" / "shop").glob(f"{name}.journal")
    return found


def test_grades_are_there_for_everybody_and_after_a_start(
    workspace: Workspace, folder: Path
) -> None:
    layer = workspace.layers.begin("shop", "anna")
    workspace.layers.give("shop", layer, {("q1", "d1"): 2}, by="anna")
    workspace.layers.give("shop", layer, {("q1", "d2"): 0, ("é", "d\n"): 0.5}, by="bo")
    workspace.layers.give("shop", layer, {("q1", "d1"): 3}, by="bo")
    start(workspace)
    for seen in (workspace, Workspace(folder)):
        (found,) = seen.layers.of("shop")
        assert (found.name, found.judged, found.lost) == ("anna", True, ())
        assert found.grades == {("q1", "d1"): 3, ("q1", "d2"): 0, ("é", "d\n"): 0.5}
        assert found.given["q1", "d1"].by == "bo"
        assert found.given["q1", "d2"].at > found.begun


def test_a_grade_that_is_taken_back_is_gone(workspace: Workspace) -> None:
    layer = workspace.layers.begin("shop", "anna", {("q", "a"): 1, ("q", "b"): 2})
    before = workspace.layers.of("shop")[0]
    workspace.layers.give("shop", layer, {("q", "a"): None, ("q", "never"): None}, by="anna")
    (after,) = workspace.layers.of("shop")
    assert after.grades == {("q", "b"): 2}
    assert before.grades == {("q", "a"): 1, ("q", "b"): 2} and before != after


def test_a_layer_can_be_removed_and_brought_back_until_the_next_start(
    workspace: Workspace, folder: Path
) -> None:
    layer = workspace.layers.begin("shop", "anna", {("q", "a"): 1})
    workspace.layers.remove("shop", layer)
    assert workspace.layers.of("shop") == []
    assert [found.id for found in workspace.layers.of("shop", removed=True)] == [layer]
    workspace.layers.restore("shop", layer)
    assert workspace.layers.of("shop")[0].grades == {("q", "a"): 1}
    workspace.layers.remove("shop", layer)
    start(Workspace(folder))
    assert workspace.layers.of("shop", removed=True) == []
    with pytest.raises(KeyError):
        workspace.layers.give("shop", layer, {("q", "a"): 1}, by="anna")


@pytest.mark.parametrize("bad", [{("", "d"): 1.0}, {("q", ""): 1.0}, {("q", "d"): float("nan")}])
def test_what_is_no_grade_is_not_kept(
    workspace: Workspace, bad: dict[tuple[str, str], float]
) -> None:
    layer = workspace.layers.begin("shop", "anna")
    with pytest.raises(ValueError, match="finite"):
        workspace.layers.give("shop", layer, bad, by="anna")
    assert len(workspace.layers.of("shop")[0]) == 0


def test_no_layer_without_its_collection(workspace: Workspace) -> None:
    with pytest.raises(StorageError, match="no longer there"):
        workspace.layers.begin("gone", "anna")
    with pytest.raises(StorageError, match="no longer there"):
        workspace.notes.tag("gone", "q", "t", by="anna")
    assert workspace.layers.of("gone") == [] and workspace.layers.of("../x") == []


def test_a_damaged_line_costs_only_itself_and_is_said(workspace: Workspace, folder: Path) -> None:
    layer = workspace.layers.begin("shop", "anna")
    for doc in "abc":
        workspace.layers.give("shop", layer, {("q", doc): 1}, by="anna")
    path = journal(folder)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"b"', b'"x"')
    path.write_bytes(b"".join(lines))
    seen = Workspace(folder)
    assert set(seen.layers.of("shop")[0].grades) == {("q", "a"), ("q", "c")}
    (said,) = seen.layers.damaged("shop")
    assert said.file == "anna" and "line, number 3" in said.why
    seen.layers.give("shop", layer, {("q", "b"): 2}, by="anna")
    assert seen.layers.of("shop")[0].lost == (3,) and len(seen.layers.of("shop")[0]) == 3


def test_a_damaged_first_line_costs_the_name(workspace: Workspace, folder: Path) -> None:
    workspace.layers.begin("shop", "anna", {("q", "a"): 1})
    content = journal(folder).read_bytes()
    journal(folder).write_bytes(content.replace(b"anna", b"aNna", 1))
    (found,) = Workspace(folder).layers.of("shop")
    assert found.name.startswith("Unnamed layer") and found.grades == {("q", "a"): 1}


@pytest.mark.parametrize("cut", [1, 2, 20, 60])
def test_a_line_that_was_being_written_is_not_read_and_not_in_the_way(
    workspace: Workspace, folder: Path, cut: int
) -> None:
    layer = workspace.layers.begin("shop", "anna", {("q", "a"): 1})
    workspace.layers.give("shop", layer, {("q", "b"): 1}, by="anna")
    path = journal(folder)
    path.write_bytes(path.read_bytes()[:-cut])
    again = Workspace(folder)
    # One that lacks no more than its end was told to be kept, perhaps.
    kept = {("q", "a")} | ({("q", "b")} if cut == 1 else set())
    assert set(again.layers.of("shop")[0].grades) == kept
    again.layers.give("shop", layer, {("q", "c"): 1}, by="anna")
    (found,) = again.layers.of("shop")
    assert set(found.grades) == kept | {("q", "c")}
    assert found.lost == ()
    assert Workspace(folder).layers.of("shop") == [found]


def test_a_disk_that_refuses_leaves_the_layer_as_it_was(
    workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer = workspace.layers.begin("shop", "anna", {("q", "a"): 1})
    before = journal(folder).read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("dashboard.workspace.disk.journal.os.fsync", full)
        with pytest.raises(StorageError, match="full"):
            workspace.layers.give("shop", layer, {("q", "b"): 1}, by="anna")
    assert journal(folder).read_bytes() == before
    assert workspace.layers.of("shop")[0].grades == {("q", "a"): 1}


def test_lines_from_anybody_are_only_grades(workspace: Workspace, folder: Path) -> None:
    workspace.layers.begin("shop", "anna")
    odd = [
        {"query_id": "q", "grades": [["d", "2"], ["e", True], [1, 2], ["f"], ["", 1]], "by": "x"},
        {"query_id": "q", "grades": {"d": 1}, "by": "x", "at": "now"},
        {"query_id": 3, "grades": [["d", 1]], "by": "x", "at": "now"},
        {"query_id": "q", "grades": [["d", "2"], ["e", True], [1, 2], ["f"], ["", 1]], "by": "x",
         "at": "now"},
        {"name": 3, "begun": None, "judged": 1},
    ]  # fmt: skip
    with journal(folder).open("ab") as file:
        file.write(b"".join(map(sealed, odd)))
        file.write(b"[" * 100_000 + b"\n")
        file.write(json.dumps([1, 2]).encode() + b"\n")
    (found,) = Workspace(folder).layers.of("shop")
    assert (found.name, found.grades) == ("anna", {}) and found.lost == (7, 8)


def test_a_line_reads_back_only_as_it_was_written() -> None:
    line = sealed({"query_id": "q", "n": 1.5})
    assert opened(line[:-1]) == {"query_id": "q", "n": 1.5}
    for place in range(len(line) - 1):
        flipped = bytearray(line[:-1])
        flipped[place] ^= 1
        assert opened(bytes(flipped)) is None


def test_two_who_judge_at_once_lose_nothing(workspace: Workspace, folder: Path) -> None:
    layer = workspace.layers.begin("shop", "anna")

    def judge(who: str) -> None:
        own = Workspace(folder)
        for number in range(15):
            own.layers.give("shop", layer, {("q", f"{who}{number}"): number}, by=who)

    both = [Thread(target=judge, args=(who,)) for who in "ab"]
    for one in both:
        one.start()
    for one in both:
        one.join()
    (found,) = workspace.layers.of("shop")
    assert found.grades == {("q", f"{who}{n}"): n for who in "ab" for n in range(15)}


def test_who_judges_has_one_layer_however_many_begin_it(workspace: Workspace, folder: Path) -> None:
    def judge(number: int) -> None:
        Workspace(folder).layers.judge("shop", "anna", {("q", f"d{number}"): 1})

    every = [Thread(target=judge, args=(number,)) for number in range(6)]
    for one in every:
        one.start()
    for one in every:
        one.join()
    (found,) = workspace.layers.of("shop")
    assert (found.name, len(found)) == ("anna", 6)
    assert workspace.layers.judge("shop", "anna", {("q", "d1"): None}) == (found.id, False)
    assert workspace.layers.judge("shop", "bo", {("q", "d1"): None}) == ("", False)
    assert workspace.layers.judge("shop", "bo", {("q", "d1"): 0})[1]
    assert [(v.name, len(v)) for v in workspace.layers.of("shop")] == [("anna", 5), ("bo", 1)]


def test_layers_and_notes_go_with_a_copy(workspace: Workspace) -> None:
    layer = workspace.layers.begin("shop", "anna", {("q", "a"): 1})
    workspace.notes.write("shop", "q", "why", by="anna")
    copy = workspace.duplicate("shop", "Copy").id
    out = io.BytesIO()
    pack(workspace, "shop", out)
    taken = unpack(workspace, out.getvalue(), file="shop.zip").id
    workspace.layers.give("shop", layer, {("q", "a"): 2}, by="anna")
    for identity in (copy, taken):
        (found,) = workspace.layers.of(identity)
        assert (found.name, found.grades) == ("anna", {("q", "a"): 1})
        assert [n.text for n in workspace.notes.of(identity)["q"].notes] == ["why"]


def test_a_packed_collection_without_layers_opens_in_the_layout_before(
    workspace: Workspace,
) -> None:
    import zipfile

    def layout() -> int:
        out = io.BytesIO()
        pack(workspace, "shop", out)
        with zipfile.ZipFile(out) as packed:
            return int(json.loads(packed.read("ranklens.json"))["layout"])

    assert layout() == 2
    workspace.layers.begin("shop", "anna")
    assert layout() == 3


def test_a_folder_of_the_layout_before_becomes_ours_with_its_first_layer(
    workspace: Workspace, folder: Path
) -> None:
    (folder / "workspace.json").write_bytes(encode(FolderVersion(2)))
    again = Workspace(folder)
    start(again)
    assert [c.name for c in again.collections()] == ["Shop"]
    assert b'"layout":2' in (folder / "workspace.json").read_bytes()
    again.layers.begin("shop", "anna")
    assert b'"layout":3' in (folder / "workspace.json").read_bytes()


def test_notes_stand_beside_each_other(workspace: Workspace, folder: Path) -> None:
    first = workspace.notes.write("shop", "q", "the <b>stemmer</b>", by="anna")
    workspace.notes.write("shop", "q", "ask Bo", by="bo")
    workspace.notes.tag("shop", "q", "cause: stemming", by="anna")
    workspace.notes.tag("shop", "q", "owner: bo", by="bo")
    workspace.notes.tag("shop", "q", "cause: stemming", by="bo", on=False)
    workspace.notes.tag("shop", "other", "owner: bo", by="bo")
    workspace.notes.tag("shop", "other", "owner: bo", by="bo", on=False)
    workspace.notes.write("shop", "q", "the stemmer", by="bo", note=first)
    (note, second), tags = (
        (found := Workspace(folder).notes.of("shop")["q"]).notes,
        found.tags,
    )
    assert (note.text, note.by, second.text) == ("the stemmer", "bo", "ask Bo")
    assert tags == ("owner: bo",)
    workspace.notes.write("shop", "q", "", by="bo", note=first)
    (mark,) = found.marks
    assert (mark.name, mark.by) == ("owner: bo", "bo") and mark.at >= note.at[:10]
    assert workspace.notes.of("shop") == {"q": Noted((second,), (mark,))}
    assert workspace.notes.damaged("shop") == []


@pytest.mark.parametrize("harm", ["folder", "loop"])
def test_what_is_no_file_costs_its_journal_only(
    workspace: Workspace, folder: Path, harm: str
) -> None:
    workspace.layers.begin("shop", "anna", {("q", "a"): 1})
    workspace.notes.write("shop", "q", "seen", by="anna")
    path = journal(folder)
    path.unlink()
    path.mkdir() if harm == "folder" else path.symlink_to(path.name)
    again = Workspace(folder)
    (lost,) = again.layers.of("shop")
    assert (lost.grades, lost.lost) == ({}, (1,))
    assert [d.why for d in again.layers.damaged("shop")] == ["has a damaged line, number 1"]
    assert [note.text for note in again.notes.of("shop")["q"].notes] == ["seen"]
    copy = again.duplicate("shop", "Copy").id
    assert "q" in again.notes.of(copy) and again.layers.of(copy) == []
    again.layers.judge("shop", "anna", {("q", "b"): 2})
    assert {("q", "b"): 2} in [layer.grades for layer in Workspace(folder).layers.of("shop")]


def test_damaged_lines_are_dropped_and_every_other_stays(
    workspace: Workspace, folder: Path
) -> None:
    layer = workspace.layers.begin("shop", "anna")
    for doc in "abcd":
        workspace.layers.give("shop", layer, {("q", doc): 1}, by="anna")
    path, other = journal(folder), Workspace(folder)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2], lines[3] = lines[2].replace(b'"b"', b'"x"'), b"\xff<b>\n"
    path.write_bytes(b"".join(lines))
    name = other.layers.of("shop")[0].journal
    assert other.layers.of("shop")[0].lost == (3, 4)
    shown = workspace.journals.damaged("shop", name)
    assert shown == [lines[2][:-1], b"\xff<b>"]
    # Somebody judges on, a third line is damaged, another is being written.
    other.layers.give("shop", layer, {("q", "e"): 2}, by="bo")
    begun = b'{"check":"'
    path.write_bytes(path.read_bytes() + b"later\n" + begun)
    whole = lines[0][:-1]
    with workspace.writing() as shelves:
        assert shelves.journals.mend("shop", name, [*shown, whole]) == 2
        assert shelves.journals.mend("shop", name, shown) == 0
        assert shelves.journals.mend("shop", "layer-none", shown) == 0
    left = path.read_bytes()
    assert left.startswith(lines[0] + lines[1] + lines[4]) and left.endswith(b"later\n" + begun)
    for seen in (workspace, other, Workspace(folder)):
        (found,) = seen.layers.of("shop")
        assert set(found.grades) == {("q", doc) for doc in "ade"} and found.lost == (5,)


def test_a_file_that_took_the_place_and_the_number_of_another_is_read_anew(
    workspace: Workspace, folder: Path
) -> None:
    layer = workspace.layers.begin("shop", "anna", {("q", "a"): 1})
    assert len(workspace.layers.of("shop")[0]) == 1
    first = sealed({"name": "anna", "begun": "", "judged": True})
    told = {"query_id": "q", "by": "bo", "at": "2", "grades": [["b", 1], ["c", 2], ["d", 3]]}
    # The same number and more bytes: only what stands there tells that it is another file.
    journal(folder).write_bytes(first + sealed(told) * 3)
    (found,) = workspace.layers.of("shop")
    assert found.id == layer and set(found.grades) == {("q", doc) for doc in "bcd"}
    assert found.lost == ()


def test_a_clock_that_is_set_back_lets_the_later_layer_count(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, year in (("first", "2026"), ("second", "2025"), ("third", "2024")):
        monkeypatch.setattr("dashboard.workspace.layers.now", lambda year=year: year)
        workspace.layers.begin("shop", name, {("q", "a"): 1})
    here = workspace.layers.of("shop")
    assert [(v.name, v.begun) for v in here] == [
        ("first", "2026"),
        ("second", "2025"),
        ("third", "2024"),
    ]
    # Where they are taken in elsewhere, too.
    workspace.new("Other", "other")
    taken = ""
    for lines in read_layers(layers_csv(here, ["q"])):
        taken = workspace.layers.take_in("other", lines, behind=taken)
    assert [v.name for v in workspace.layers.of("other")] == ["first", "second", "third"]
    workspace.layers.remove("shop", here[2].id)
    workspace.layers.begin("shop", "fourth")
    assert [v.name for v in workspace.layers.of("shop")] == ["first", "second", "fourth"]


def test_layers_of_elsewhere_and_of_earlier_versions_stand_by_when_they_were_begun(
    workspace: Workspace, folder: Path
) -> None:
    for name, begun in (("late", "2003"), ("early", "2001")):
        head = sealed({"name": name, "begun": begun, "judged": True})
        (folder / "collections" / "shop" / f"layer-{name}.journal").write_bytes(head)
    workspace.layers.begin("shop", "now")
    for name, begun in (("between", "2002"), ("soon", "9999")):
        workspace.layers.take_in("shop", [{"name": name, "begun": begun, "judged": False}])
    workspace.layers.begin("shop", "last")
    order = ["early", "between", "late", "now", "soon", "last"]
    assert [v.name for v in workspace.layers.of("shop")] == order
