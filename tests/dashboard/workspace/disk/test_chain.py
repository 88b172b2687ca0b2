"""Lines of journals that check each other, and journals that lost some of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from dashboard.workspace import StorageError, Workspace
from dashboard.workspace.disk.chain import Read, behind, linked, pieces, sealed
from dashboard.workspace.starting import start
from dashboard.workspace.taken_out.packing import pack, unpack

_GRADES = 5


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def workspace(folder: Path) -> Workspace:
    """Two journals of six and five lines."""
    made = Workspace(folder)
    made.new("Shop", "shop")
    layer = made.layers.begin("shop", "anna")
    for number in range(_GRADES):
        made.layers.give("shop", layer, {("q", f"d{number}"): number}, by="anna")
        made.notes.write("shop", "q", f"n{number}", by="anna")
    return made


def journal(folder: Path, name: str = "layer-*") -> Path:
    (found,) = (folder / "collections" / "shop").glob(f"{name}.journal")
    return found


def rewrite(path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


def given(workspace: Workspace) -> set[int]:
    return {int(g) for layer in workspace.layers.of("shop") for g in layer.grades.values()}


def missing(workspace: Workspace) -> list[tuple[str, str]]:
    return [(d.file, d.why) for d in workspace.layers.missing("shop")]


def damaged(workspace: Workspace) -> list[str]:
    return [d.why for d in workspace.layers.damaged("shop")]


@pytest.mark.parametrize("byte", [b"", b"\x0b", b"J", b" ", b"\x00", b"}"])
def test_a_last_line_without_its_end_counts(
    workspace: Workspace, folder: Path, byte: bytes
) -> None:
    for name in ("layer-*", "notes"):
        path = journal(folder, name)
        path.write_bytes(path.read_bytes()[:-1] + byte)
    again = Workspace(folder)
    assert given(again) == set(range(_GRADES))
    assert [n.text for n in again.notes.of("shop")["q"].notes] == [f"n{i}" for i in range(_GRADES)]
    again.layers.judge("shop", "anna", {("q", "later"): 9})
    for seen in (again, Workspace(folder)):
        assert given(seen) == {*range(_GRADES), 9}
        assert damaged(seen) == missing(seen) == []


@pytest.mark.parametrize("byte", [b"", b"J"])
def test_two_lines_whose_end_in_between_is_harmed_both_count(
    workspace: Workspace, folder: Path, byte: bytes
) -> None:
    rewrite(journal(folder), lambda lines: [*lines[:2], lines[2][:-1] + byte, *lines[3:]])
    again = Workspace(folder)
    assert given(again) == set(range(_GRADES)) and damaged(again) == missing(again) == []
    content = journal(folder).read_bytes()
    journal(folder).write_bytes(content.replace(b'"d1"', b'"D1"'))
    again = Workspace(folder)
    assert damaged(again) == ["has a damaged line, number 3"]
    assert given(again) == {0, 2, 3, 4}
    name = again.layers.of("shop")[0].journal
    with again.writing() as shelves:
        assert shelves.journals.mend("shop", name, again.journals.damaged("shop", name)) == 1
    assert damaged(again) == missing(again) == [] and given(again) == {0, 2, 3, 4}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: lines[:-1], "lacks its last line"),
        (lambda lines: lines[:-2], "lacks its last 2 lines"),
        (lambda lines: [*lines[:-1], lines[-1][:-9]], "lacks its last line"),
        (lambda lines: [], "lacks its last 6 lines"),
        (lambda lines: [*lines[:2], *lines[3:]], "lacks what stood before line 3"),
        (lambda lines: lines[2:], "lacks what stood before line 1"),
        (lambda lines: [sealed({"other": n}) for n in range(9)], "lacks its last line"),
        (None, "is missing"),
    ],
)
def test_lines_that_are_gone_are_told_whatever_comes_later(
    workspace: Workspace,
    folder: Path,
    change: Callable[[list[bytes]], list[bytes]] | None,
    told: str,
) -> None:
    name = workspace.layers.of("shop")[0].journal
    if change is None:
        journal(folder).unlink()
    else:
        rewrite(journal(folder), change)
    again = Workspace(folder)
    for _ in range(2):
        assert [why for _, why in missing(again)] == [told] and damaged(again) == []
        start(again)
    again.layers.judge("shop", "anna", {("q", "later"): 9})
    assert len(missing(again)) == 1 and 9 in given(again)
    out = io.BytesIO()
    pack(again, "shop", out)
    copies = (again.duplicate("shop", "Copy"), unpack(again, out.getvalue(), file="shop.zip"))
    assert all(len(again.layers.missing(copy.id)) == 1 for copy in copies)
    with again.writing() as shelves:
        shelves.journals.accept("shop", name)
    for seen in (again, Workspace(folder)):
        start(seen)
        assert missing(seen) == [] and 9 in given(seen)


def test_the_notes_tell_what_is_gone(workspace: Workspace, folder: Path) -> None:
    assert workspace.notes.missing("shop") == []
    journal(folder, "notes").unlink()
    assert [d.why for d in workspace.notes.missing("shop")] == ["is missing"]
    workspace.notes.write("shop", "q", "later", by="anna")
    assert [d.why for d in workspace.notes.missing("shop")] == ["lacks what stood before line 1"]


def test_a_damaged_line_is_not_told_as_gone_nor_once_it_is_dropped(
    workspace: Workspace, folder: Path
) -> None:
    rewrite(
        journal(folder), lambda lines: [b"x\n" if n in (2, 5) else v for n, v in enumerate(lines)]
    )
    again = Workspace(folder)
    assert again.layers.of("shop")[0].lost == (3, 6) and missing(again) == []
    name = again.layers.of("shop")[0].journal
    with again.writing() as shelves:
        assert shelves.journals.mend("shop", name, [b"x"]) == 2
    for seen in (again, Workspace(folder)):
        assert missing(seen) == damaged(seen) == []
    # What was gone before is told still.
    rewrite(journal(folder), lambda lines: [lines[0], b"y\n", *lines[2:-1]])
    again = Workspace(folder)
    assert [why for _, why in missing(again)] == ["lacks its last line"]
    with again.writing() as shelves:
        assert shelves.journals.mend("shop", name, [b"y"]) == 1
    assert [why for _, why in missing(again)] == ["lacks its last line"]
    assert damaged(again) == []


def test_who_is_ended_before_it_is_written_down_how_far_a_journal_goes_alarms_nobody(
    workspace: Workspace, folder: Path
) -> None:
    layer = workspace.layers.of("shop")[0].id
    with mock.patch("dashboard.workspace.disk.shelves.encode", side_effect=OSError(28, "")):
        workspace.layers.give("shop", layer, {("q", "later"): 9}, by="anna")
        begun = workspace.layers.begin("shop", "bo", {("q", "d"): 8})
        workspace.layers.give("shop", begun, {("q", "e"): 7}, by="bo")
    again = Workspace(folder)
    assert missing(again) == [] and given(again) == {*range(_GRADES), 7, 8, 9}
    again.layers.remove("shop", begun)
    with (
        mock.patch("dashboard.workspace.disk.durable.remove", side_effect=OSError(5, "")),
        mock.patch("dashboard.workspace.disk.journal.durable.remove", side_effect=OSError(5, "")),
    ):
        start(again)
    assert missing(Workspace(folder)) == []
    start(again)
    assert missing(Workspace(folder)) == []


def test_journals_of_earlier_versions_are_read_and_go_on(
    workspace: Workspace, folder: Path
) -> None:
    head = {"name": "anna", "begun": "2025", "judged": True}
    told = [{"query_id": "q", "grades": [[f"d{n}", n]], "by": "x", "at": "y"} for n in range(4)]
    older = folder / "collections" / "shop" / "layer-old.journal"
    older.write_bytes(b"".join(map(sealed, [head, *told])))
    again = Workspace(folder)
    assert missing(again) == damaged(again) == []
    again.layers.give("shop", "old", {("q", "later"): 9}, by="anna")
    with older.open("ab") as file:  # the earlier version goes on
        file.write(sealed(told[0]))
    again.layers.give("shop", "old", {("q", "last"): 8}, by="anna")
    start(Workspace(folder))
    assert missing(again) == damaged(again) == [] and given(again) == {*range(_GRADES), 8, 9}
    older.unlink()
    assert missing(again) == [("anna", "is missing")]


def test_a_damaged_record_of_the_collection_is_not_written_over(
    workspace: Workspace, folder: Path
) -> None:
    record = folder / "collections" / "shop" / "collection.json"
    record.write_bytes(record.read_bytes()[:-5])
    again = Workspace(folder)
    start(again)
    again.layers.judge("shop", "anna", {("q", "later"): 9})
    assert [d.number for d in again.damaged("shop")] == ["collection"]
    assert missing(again) == [] and 9 in given(again)


def test_a_disk_that_refuses_a_line_does_not_go_further(workspace: Workspace, folder: Path) -> None:
    layer = workspace.layers.of("shop")[0].id
    with (
        mock.patch("dashboard.workspace.disk.journal.os.fsync", side_effect=OSError(28, "")),
        pytest.raises(StorageError, match="full"),
    ):
        workspace.layers.give("shop", layer, {("q", "later"): 9}, by="anna")
    assert missing(Workspace(folder)) == [] and given(Workspace(folder)) == set(range(_GRADES))


def test_lines_name_the_one_before() -> None:
    content = linked([{"a": 1}, {"b": '{"check":"'}], "")
    read = Read().followed_by(pieces(content))
    assert read.lines == ({"a": 1}, {"b": '{"check":"'}) and read.gaps == ()
    further = linked([{"c": 3}], read.last)
    assert read.followed_by(pieces(further)).gaps == ()
    assert Read().followed_by(pieces(further)).gaps == ((1, read.last),)
    assert behind(further[:-1]) == behind(further[:-1] + b"J") == list(pieces(further))
    assert behind(further[:-2]) == behind(b"") == behind(b"x") == []
