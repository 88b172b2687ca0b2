"""Long files that a note stands for: read from the disk, and gone from it once nobody needs it."""

from __future__ import annotations

import gc
import io
import zipfile
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from dashboard.files import arrived as visits
from dashboard.files import converting, uploaded_file
from dashboard.files.uploaded_file import UploadedFile
from dashboard.session import returning
from dashboard.session.actions import given, long_uploads
from dashboard.session.actions.given import expect_files, release, uploaded
from dashboard.session.actions.grading import take_in_layer
from dashboard.session.actions.uploads import dismiss, read_again, read_uploads, refusals
from dashboard.session.open_collection import library_of, workspace
from dashboard.session.receipts import receipts
from dashboard.session.returning import cut_off
from dashboard.workspace.disk.errors import StorageError
from dashboard.workspace.disk.scratch import FOLDER, Scratch
from dashboard.workspace.long_runs.stored_run import StoredRun
from dashboard.workspace.taken_out.packing import pack
from metrics_core import formats
from tests.metrics_core.judging.while_reading.test_judged import PLAIN

RUN = PLAIN.encode()
TWICE = RUN + b"q1 Q0 d1 1 1 r\n"
QRELS = b"q1 0 d1 1\nq1 0 d3 2\nq2 0 d1 2\n"
NOTES = b"query_id,tag,note,by,when,id\nq1,,why,bo,2026,0a\n"


@pytest.fixture(autouse=True)
def visit(own_visit: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A visit of session s1 that expects files."""
    context = SimpleNamespace(session_id="s1")
    monkeypatch.setattr(given, "page_run", lambda: context)
    expect_files()
    return own_visit


def arrived(name: str, content: bytes) -> UploadedFile:
    """A file that arrived on the disk, as the page is given it."""
    file = Scratch(workspace().folder).new()
    file.write(content)
    file.close()
    here = visits.visit_of("s1")
    assert here is not None
    note = here.keep(f"id of {name}", file)
    widget: Any = SimpleNamespace(name=name, getvalue=lambda: note)
    return uploaded(widget)


def read(*files: UploadedFile, drawn: int = 0) -> None:
    """As the uploader that was drawn so many times before has them read."""
    with mock.patch.object(UploadedFile, "whole", side_effect=AssertionError):
        list(read_uploads(files, drawn))


def left() -> int:
    """The files on the disk that arrived and are not removed."""
    gc.collect()
    return len(list((workspace().folder / FOLDER).glob("*.part")))


def test_a_long_run_is_read_from_the_disk_and_removed(visit: dict[str, Any]) -> None:
    read(arrived("a.run", RUN), arrived("a.qrels", QRELS))
    kept = workspace().entries("own")
    assert next((e.file, e.read_as) for e in kept) == ("a.run", "TREC run") and left() == 0
    study = library_of("own").study
    assert study is not None and isinstance(study.runs["a"], StoredRun)
    assert study.runs["a"].table.equals(formats.read_run(RUN, name="a.run").table)


def test_what_no_note_stands_for_is_a_text() -> None:
    text = b"a file that Ranklens holds on the disk: " + b"0" * 64 + b"\n"
    widget: Any = SimpleNamespace(name="a.run", getvalue=lambda: text)
    file = uploaded(widget)
    assert file.content == text
    list(read_uploads([file], 0))
    assert "a.run" in refusals()


def test_a_refused_file_stays_for_another_try() -> None:
    read(arrived("a.run", TWICE))
    assert "d1" in str(refusals()["a.run"].error) and left() == 1
    read_again("a.run", duplicates="first")
    assert not refusals() and left() == 0
    assert [e.file for e in workspace().entries("own")] == ["a.run"]
    read(arrived("b.run", TWICE), drawn=1)
    assert left() == 1
    dismiss("b.run")
    assert left() == 0


def test_a_file_that_is_taken_away_while_it_is_read(visit: dict[str, Any]) -> None:
    files = [arrived("a.run", RUN)]
    begun = read_uploads(files, 0)
    next(begun)
    here = visits.visit_of("s1")
    assert here is not None
    here.forget("id of a.run")  # the reader takes it out of the list
    list(begun)
    assert [e.file for e in workspace().entries("own")] == ["a.run"]
    begun.close()
    files.clear()
    assert left() == 0


def test_files_are_gone_with_their_session(visit: dict[str, Any]) -> None:
    file: UploadedFile | None = arrived("a.run", RUN)
    assert file is not None and file.origin.read_bytes() == RUN and left() == 1  # type: ignore[union-attr]
    del file
    assert left() == 1, "not read yet"
    visit.clear()
    assert left() == 0 and visits.visit_of("s1") is None


def test_a_failure_removes_what_was_given() -> None:
    with (
        mock.patch.object(uploaded_file, "is_packed", side_effect=ZeroDivisionError),
        pytest.raises(ZeroDivisionError),
    ):
        read(arrived("a.run", RUN))
    assert left() == 0


def test_zips_are_read_from_the_disk() -> None:
    packed = io.BytesIO()
    pack(workspace(), "own", packed)
    members = {"queries.jsonl": b'{"_id": "q1", "text": "a"}\n', "a.run": RUN}
    members["qrels/test.tsv"] = b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    read(arrived("set.zip", made.getvalue()))
    assert {e.kind for e in workspace().entries("own")} == {"queries", "run", "qrels"}
    read(arrived("mine.zip", packed.getvalue()), drawn=1)
    assert [c.name for c in workspace().collections()] == ["Mine", "Mine"]
    assert left() == 0 and not refusals()


def test_what_comes_with_others_is_read_whole() -> None:
    list(read_uploads([arrived("notes.csv", NOTES)], 0))
    assert [n.text for n in workspace().notes.of("own")["q1"].notes] == ["why"]
    assert left() == 0


def test_a_layer_is_read_from_the_disk() -> None:
    file = arrived("mine.qrels", QRELS)
    take_in_layer(file, "one")
    release([file])
    del file
    assert [len(v.given) for v in workspace().layers.of("own")] == [3] and left() == 0


@pytest.mark.parametrize("set_of", [False, True], ids=["run", "set"])
def test_long_files_are_read_one_at_a_time(set_of: bool) -> None:
    with (
        mock.patch.object(formats, "is_set", return_value=set_of),
        mock.patch.object(long_uploads, "tables_of", return_value=[]) as tables,
        mock.patch.object(long_uploads, "converted", return_value=None),
        converting.ONE_AT_A_TIME,
    ):
        begun = long_uploads.reading_of((0, 0), UploadedFile("a.run", RUN), [])
        watched = begun.watched()
        assert next(watched) == 0 and not tables.called
        converting.ONE_AT_A_TIME.release()
        assert list(watched) is not None and begun.result() == []
        converting.ONE_AT_A_TIME.acquire()


def test_why_an_upload_did_not_come_through_is_told(visit: dict[str, Any]) -> None:
    here = visits.visit_of("s1")
    assert here is not None
    here.lose("a.run", StorageError("The disk of here is full.", "Free some space."))
    back = {"at": 1, "drawn": "", "cut": ["a.run", "b.run"], "again": False, "large": []}
    returning.came_back(back)
    assert cut_off() == ["b.run"]
    (receipt,) = receipts()
    assert receipt.message == "a.run was not taken in. The disk of here is full."
    assert receipt.hint == "Free some space." and receipt.alarming
