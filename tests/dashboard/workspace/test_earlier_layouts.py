"""What earlier versions wrote is imported whole: a zip, a report with its data, a folder.
earlier_layouts/ holds one of each, written by the last version before SQLite."""

from __future__ import annotations

import multiprocessing
import os
import shutil
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from dashboard.workspace import GradeRecord, StorageError, Workspace
from dashboard.workspace.disk import database
from dashboard.workspace.exports import report_data
from dashboard.workspace.exports.packing import import_packed_collection, is_packed_collection
from dashboard.workspace.startup import clean_workspace
from metrics_core.tables import Qrels, Run

_SAVED = Path(__file__).with_name("earlier_layouts")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A folder of the layout before SQLite."""
    return Path(shutil.copytree(_SAVED / "folder", tmp_path / "workspace"))


def content_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


BEFORE = content_of(_SAVED / "folder")


def is_untouched(folder: Path) -> bool:
    """Whether every file of the earlier version is byte for byte what it was."""
    now = content_of(folder)
    return {name: now.get(name) for name in BEFORE} == BEFORE


def holds_all(workspace: Workspace, identity: str) -> None:
    """Files, names, colours, layer, notes and tags as they were."""
    told = workspace.collection(identity)
    assert (told.name, told.run_names, told.run_slots) == ("Shop", {"bm25": "Lexical"}, {"bm25": 4})
    assert not told.settings.old_baseline
    qrels, bm25, dense = workspace.entries(identity)
    assert [(e.file, e.name, e.slot, e.rows) for e in (bm25, dense)] == [
        ("bm25.run", "bm25", 0, 3),
        ("dense.run", "dense", 1, 2),
    ]
    judged, first, second = (workspace.load_table(e) for e in (qrels, bm25, dense))
    assert isinstance(judged, Qrels) and len(judged) == 3 and qrels.file == "qrels.txt"
    assert isinstance(first, Run) and isinstance(second, Run)
    assert first.table["score"].to_pylist() == [2.5, 1.5, 3.5]
    assert second.table["score"].to_pylist() == [2.5, 0.5]
    (layer,) = workspace.layers.list_layers(identity)
    assert (layer.name, layer.judged, layer.begun) == (
        "ann", True, "2026-11-27T02:00:24.136285+00:00",
    )  # fmt: skip
    assert layer.grade_records == {
        ("q2", "d9"): GradeRecord(1.0, "ann", "2026-11-27T02:00:24.136323+00:00"),
        ("q1", "d2"): GradeRecord(2, "ben", "2026-11-27T02:00:24.171272+00:00"),
    }
    noted = workspace.notes.notes_by_query(identity)
    (note,) = noted["q1"].notes
    assert (note.id, note.text, note.author) == ("f73cc3c9", "first note", "ann")
    assert noted["q1"].tags == ("cause: stemming",)
    assert noted["q2"].notes == () and [(t.name, t.author) for t in noted["q2"].marks] == [
        ("odd", "ben")
    ]
    assert (
        workspace.damaged_records(identity) == []
        and workspace.contents(identity).damaged_row_texts() == []
    )
    assert workspace.layers.list_layers(identity)[0].lost == ()


def test_a_zip_and_a_report_are_imported(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "workspace")
    packed, page = _SAVED / "collection.zip", _SAVED / "report.html"
    assert is_packed_collection(packed) and report_data.is_page_with_data(page)
    for content in (packed, report_data.extract_packed_collection(page)):
        made = import_packed_collection(workspace, content, file="saved")
        clean_workspace(workspace)
        for seen in (workspace, Workspace(workspace.folder)):
            holds_all(seen, made.id)


def test_a_folder_is_imported_once_and_stays_as_it_was(old: Path) -> None:
    for _ in range(2):
        workspace = Workspace(old)
        assert {c.id: c.name for c in workspace.read_collections()} == {
            "shop": "Shop",
            "empty": "Empty",
        }
        holds_all(workspace, "shop")
        assert workspace.entries("empty") == [] and is_untouched(old)
        clean_workspace(workspace)
        holds_all(Workspace(old), "shop")
        assert is_untouched(old)
    # What is changed from then on is not imported again.
    for entry in workspace.entries("shop"):
        workspace.remove_entry("shop", entry.number)
    workspace.rename_collection("empty", "Full")
    workspace.layers.remove_layer("shop", workspace.layers.list_layers("shop")[0].id)
    for _ in range(2):
        clean_workspace(Workspace(old))
        again = Workspace(old)
        assert again.entries("shop") == [] and again.layers.list_layers("shop") == []
        assert again.collection("empty").name == "Full" and is_untouched(old)


def test_a_replacement_of_before_is_taken_back(old: Path) -> None:
    workspace = Workspace(old)
    newer = workspace.entries("shop")[-1]
    workspace.undo_replacement("shop", newer.number)
    (older,) = [e for e in workspace.entries("shop") if e.file == "dense.run"]
    assert older.number == newer.replaces and isinstance(workspace.load_table(older), Run)


@pytest.mark.parametrize("gone", ["workspace.json", "collections/shop/collection.json"])
def test_what_of_an_old_folder_is_gone_costs_no_more_than_it_held(old: Path, gone: str) -> None:
    (old / gone).unlink()
    workspace = Workspace(old)
    assert [e.file for e in workspace.entries("shop")][1:] == ["bm25.run", "dense.run"]
    assert len(workspace.layers.list_layers("shop")[0]) == 2
    named = "Shop" if gone == "workspace.json" else "Unnamed collection shop"
    assert workspace.collection("shop").name == named


def test_what_of_an_old_folder_is_damaged_stays_there_and_is_told(old: Path) -> None:
    journal = next(old.glob("collections/shop/layer-*"))
    lines = journal.read_bytes().splitlines(keepends=True)
    # The last one lacks its end: it was being written.
    journal.write_bytes(b"".join([*lines[:2], b'{"x": "\xff"}\n', *lines[3:-1], lines[-1][:-9]]))
    record = old / "collections" / "shop" / "00002.json"
    record.write_bytes(record.read_bytes().replace(b"bm25", b"BM25"))
    before = content_of(old)
    workspace = Workspace(old)
    clean_workspace(workspace)
    (layer,) = Workspace(old).layers.list_layers("shop")
    assert layer.grades == {("q2", "d9"): 1.0} and len(layer.lost) == 1
    assert "xff" in layer.lost[0] and workspace.drop_damaged("shop", layer.lost) == 1
    assert [e.file for e in workspace.entries("shop")] == ["qrels.txt", "dense.run"]
    assert [d.number for d in workspace.damaged_records("shop")] == ["00002"]
    workspace.remove_entry("shop", "00002")
    clean_workspace(workspace)
    assert workspace.damaged_records("shop") == []
    now = content_of(old)
    assert {name: now[name] for name in before} == before


def test_an_import_that_is_killed_goes_on(old: Path) -> None:
    """At the first, second, … change of a name, flush or statement of an import."""
    context, kills = multiprocessing.get_context("fork"), 0
    while True:
        folder = Path(shutil.copytree(old, old.with_name(f"killed-{kills}")))
        child = context.Process(target=_imports_until, args=(folder, kills))
        child.start()
        child.join()
        workspace = Workspace(folder)
        holds_all(workspace, "shop")
        clean_workspace(workspace)
        holds_all(Workspace(folder), "shop")
        assert {c.name for c in workspace.read_collections()} == {"Shop", "Empty"}
        assert is_untouched(folder) and not list(folder.rglob("*.part"))
        shutil.rmtree(folder)
        if child.exitcode == 0:
            break
        kills += 1
    assert kills > 20


def _imports_until(folder: Path, left: int) -> None:
    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object, **named: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                os._exit(9)
            return real(*given, **named)

        return call

    for module, names in ((os, ("replace", "fsync", "mkdir", "open")), (database, ("put_rows",))):
        for name in names:
            setattr(module, name, counted(getattr(module, name)))
    Path.replace = counted(Path.replace)  # type: ignore[method-assign,assignment]
    Workspace(folder)
    os._exit(0)


def test_two_who_open_an_old_folder_at_once_import_it_once(old: Path) -> None:
    context = multiprocessing.get_context("fork")
    for number in range(4):
        folder = Path(shutil.copytree(old, old.with_name(f"both-{number}")))
        together = context.Barrier(2)
        both = [
            context.Process(target=_opens_and_notes, args=(folder, together, f"n{i}"))
            for i in range(2)
        ]
        for one in both:
            one.start()
        for one in both:
            one.join()
        assert [one.exitcode for one in both] == [0, 0]
        workspace = Workspace(folder)
        texts = [n.text for n in workspace.notes.notes_by_query("shop")["later"].notes]
        assert sorted(texts) == ["n0", "n1"] and len(workspace.read_collections()) == 2
        assert len(workspace.entries("shop")) == 3 and is_untouched(folder)


def _opens_and_notes(folder: Path, together: Barrier, text: str) -> None:
    together.wait()
    Workspace(folder).notes.write_note("shop", "later", text, author="ann")


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="everything may be written")
def test_an_old_folder_that_may_not_be_written_says_so(old: Path) -> None:
    old.chmod(0o500)
    workspace = Workspace(old)
    assert workspace.read_collections() == []
    with pytest.raises(StorageError, match="may not be written"):
        workspace.get_or_create_collection("More")
    old.chmod(0o700)
