"""Long files that a note stands for: read from the disk beside the page, whose end does not end the
reading, and gone from the disk once nobody needs them."""

from __future__ import annotations

import gc
import gzip
import io
import zipfile
from collections.abc import Callable
from threading import Event
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from dashboard.files import judged_places, long_runs, long_uploads, uploaded_file
from dashboard.files.uploaded_file import UploadedFile
from dashboard.session import reconnection
from dashboard.session.action_messages import action_messages
from dashboard.session.actions import uploaded_files
from dashboard.session.actions.grading import import_layer
from dashboard.session.actions.uploaded_files import (
    accept_long_files,
    read_uploader_file,
    release_files,
)
from dashboard.session.actions.uploads import (
    dismiss_refusals,
    read_uploads,
    refusals,
    reread_refused_file,
)
from dashboard.session.file_reading import FileReading
from dashboard.session.open_collection import load_library, workspace
from dashboard.session.reconnection import interrupted_uploads
from dashboard.workspace.disk.errors import StorageError
from dashboard.workspace.disk.scratch import FOLDER, ScratchFolder
from dashboard.workspace.exports.packing import write_packed_collection
from dashboard.workspace.long_runs.stored_run import StoredRun
from metrics_core import formats
from metrics_core.base.compiled import machine
from metrics_core.base.errors import FileFormatError
from metrics_core.formats.source.opening import open_source
from metrics_core.judging import join_judgments
from metrics_core.judging.while_reading import rows as rows_module
from metrics_core.tables import Qrels
from tests.metrics_core.judging.while_reading.test_judged import PLAIN, same

RUN = PLAIN.encode()
TWICE = RUN + b"q1 Q0 d1 1 1 r\n"
QRELS = b"q1 0 d1 1\nq1 0 d3 2\nq2 0 d1 2\n"
NOTES = b"query_id,tag,note,by,when,id\nq1,,why,bo,2026,0a\n"


@pytest.fixture(autouse=True)
def visit(own_visit: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A visit of session s1 that expects files and reads them in many pieces."""
    context = SimpleNamespace(session_id="s1")
    monkeypatch.setattr(uploaded_files, "current_page_run", lambda: context)
    monkeypatch.setattr(rows_module, "BLOCK", 64)
    accept_long_files()
    return own_visit


def arrived(name: str, content: bytes) -> UploadedFile:
    """A file that arrived on the disk, as the page is given it."""
    file = ScratchFolder(workspace().folder).new_file()
    file.write(content)
    file.close()
    here = long_uploads.find_uploads("s1")
    assert here is not None
    note = here.keep_upload(f"id of {name}", file)
    widget: Any = SimpleNamespace(name=name, getvalue=lambda: note)
    return read_uploader_file(widget)


def read(*files: UploadedFile, drawn: int = 0) -> None:
    """As the uploader that was drawn so many times before has them read."""
    with mock.patch.object(UploadedFile, "read_all", side_effect=AssertionError):
        list(read_uploads(files, drawn))


def left() -> int:
    """The files on the disk that arrived and are not removed."""
    gc.collect()
    return len(list((workspace().folder / FOLDER).glob("*.part")))


def test_a_long_run_is_read_from_the_disk_and_removed(visit: dict[str, Any]) -> None:
    read(arrived("a.run", RUN), arrived("a.qrels", QRELS))
    kept = workspace().entries("own")
    assert next((e.file, e.read_as) for e in kept) == ("a.run", "TREC run") and left() == 0
    study = load_library("own").study
    assert study is not None and isinstance(study.runs["a"], StoredRun)
    assert study.runs["a"].table.equals(formats.read_run(RUN, name="a.run").table)


def test_what_no_note_stands_for_is_a_text() -> None:
    text = b"a file that Ranklens holds on the disk: " + b"0" * 64 + b"\n"
    widget: Any = SimpleNamespace(name="a.run", getvalue=lambda: text)
    file = read_uploader_file(widget)
    assert file.content == text
    list(read_uploads([file], 0))
    assert "a.run" in refusals()


def test_a_refused_file_stays_for_another_try() -> None:
    read(arrived("a.run", TWICE))
    assert "d1" in str(refusals()["a.run"].error) and left() == 1
    reread_refused_file("a.run", duplicates="first")
    assert not refusals() and left() == 0
    assert [e.file for e in workspace().entries("own")] == ["a.run"]
    read(arrived("b.run", TWICE), drawn=1)
    assert left() == 1
    dismiss_refusals("b.run")
    assert left() == 0


def test_a_file_that_is_taken_away_while_it_is_read(visit: dict[str, Any]) -> None:
    files = [arrived("a.run", RUN)]
    begun = read_uploads(files, 0)
    next(begun)
    here = long_uploads.find_uploads("s1")
    assert here is not None
    here.forget_upload("id of a.run")  # the reader takes it out of the list
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
    assert left() == 0 and long_uploads.find_uploads("s1") is None


def test_a_refused_file_goes_with_its_visit_and_stays_listed(visit: dict[str, Any]) -> None:
    read(arrived("b.run", TWICE))
    assert refusals()["b.run"].upload is not None
    del visit["_refused_files"]
    assert left() == 0 and refusals()["b.run"].upload is None
    reread_refused_file("b.run", duplicates="first")
    assert "b.run" in refusals()


def test_a_failure_removes_what_was_given() -> None:
    with (
        mock.patch.object(uploaded_file, "is_packed_collection", side_effect=ZeroDivisionError),
        pytest.raises(ZeroDivisionError),
    ):
        read(arrived("a.run", RUN))
    assert left() == 0


def test_zips_are_read_from_the_disk() -> None:
    packed = io.BytesIO()
    write_packed_collection(workspace(), "own", packed)
    members = {"queries.jsonl": b'{"_id": "q1", "text": "a"}\n', "a.run": RUN}
    members["qrels/test.tsv"] = b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    read(arrived("set.zip", made.getvalue()))
    assert {e.kind for e in workspace().entries("own")} == {"queries", "run", "qrels"}
    read(arrived("mine.zip", packed.getvalue()), drawn=1)
    assert [c.name for c in workspace().read_collections()] == ["Mine", "Mine"]
    assert left() == 0 and not refusals()


def test_what_comes_with_others_is_read_whole() -> None:
    list(read_uploads([arrived("notes.csv", NOTES)], 0))
    assert [n.text for n in workspace().notes.notes_by_query("own")["q1"].notes] == ["why"]
    assert left() == 0


def test_a_layer_is_read_from_the_disk() -> None:
    file = arrived("mine.qrels", QRELS)
    import_layer(file, "one")
    release_files([file])
    del file
    assert [len(v.grade_records) for v in workspace().layers.list_layers("own")] == [
        3
    ] and left() == 0


@pytest.mark.parametrize("set_of", [False, True], ids=["run", "set"])
def test_long_files_are_read_one_at_a_time(set_of: bool) -> None:
    with (
        mock.patch.object(formats, "is_set", return_value=set_of),
        mock.patch.object(uploaded_files, "read_tables", return_value=[]) as tables,
        mock.patch.object(uploaded_files, "convert_run", return_value=None),
        long_runs.ONE_AT_A_TIME,
    ):
        begun = uploaded_files.start_reading((0, 0), UploadedFile("a.run", RUN), [])
        watched = begun.iterate_progress_shares()
        assert next(watched) == 0 and not tables.called
        long_runs.ONE_AT_A_TIME.release()
        assert list(watched) is not None and begun.result() == []
        long_runs.ONE_AT_A_TIME.acquire()


def test_why_an_upload_did_not_come_through_is_told(visit: dict[str, Any]) -> None:
    here = long_uploads.find_uploads("s1")
    assert here is not None
    here.record_failure("a.run", StorageError("The disk of here is full.", "Free some space."))
    back = {"at": 1, "drawn": "", "cut": ["a.run", "b.run"], "again": False, "large": []}
    reconnection.handle_reconnection(back)
    assert interrupted_uploads() == ["b.run"]
    (receipt,) = action_messages()
    assert receipt.message == "a.run was not added. The disk of here is full."
    assert receipt.hint == "Free some space." and receipt.alarming


# Reading them while the page goes on


def test_who_waits_sees_how_much_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    looked, read = Event(), Event()

    def reading(told: Callable[[int], None]) -> str:
        told(3)
        looked.wait()
        told(8)
        read.set()
        return "read"

    begun = FileReading(open_source(b"12345678", "a.run"), reading)
    shares = begun.iterate_progress_shares()
    while next(shares) < 3 / 8:
        pass
    assert begun.progress_text == "Reading a.run: 3 bytes of 8 bytes"
    shares.close()  # as a click ends it
    looked.set()
    assert (
        read.wait(5)
        and begun.result() == "read"
        and not begun.has_failed
        and begun.progress_share == 1
    )
    packed = FileReading(open_source(gzip.compress(b"q1"), "a.gz"), lambda told: told(2))
    assert packed.result() is None and packed.progress_share == 0
    assert packed.progress_text == "Reading a.gz: 2 bytes unpacked"
    with monkeypatch.context() as while_it_compiles:
        while_it_compiles.setattr(machine, "_BEING_COMPILED", ["rows"])
        assert packed.progress_text.endswith(
            "unpacked · Compiling once for this machine (about 15 s) …"
        )


def test_what_reading_raises_is_raised_for_who_waits() -> None:
    begun = FileReading(open_source(b"", "a.run"), lambda _: 1 // 0)
    assert list(begun.iterate_progress_shares()) == [] or begun.has_failed
    with pytest.raises(ZeroDivisionError):
        begun.result()


def test_a_long_run_is_judged_with_what_came_beside_it(visit: dict[str, Any]) -> None:
    with (
        mock.patch.object(judged_places, "find_judged_document_ranks", side_effect=AssertionError),
        mock.patch.object(formats, "read_all_tables", wraps=formats.read_all_tables) as read,
    ):
        told = list(read_uploads([UploadedFile("a.run", RUN), UploadedFile("a.qrels", QRELS)], 0))
        study = load_library("own").study
    assert [n for n in told if n == int(n)][:1] == [0] and told == sorted(told)
    assert [call.kwargs["name"] for call in read.call_args_list] == ["a.qrels"]
    assert study is not None and isinstance(study.runs["a"], StoredRun)
    qrels = formats.read(QRELS, name="a.qrels").table
    assert isinstance(qrels, Qrels)
    same(study.judged["a"], join_judgments(formats.read_run(RUN, name="a.run"), qrels))
    kept = workspace()
    assert [e.file for e in kept.entries("own")] == ["a.run", "a.qrels"], "in the order given"
    assert kept.entries("own")[0].read_as == "TREC run" and "_long_uploads" not in visit


def test_a_run_of_the_page_that_ends_does_not_end_the_reading() -> None:
    with (
        mock.patch.object(
            uploaded_files, "convert_run", wraps=uploaded_files.convert_run
        ) as converted,
        mock.patch("dashboard.session.file_reading._LOOK", 0.001),
    ):
        first = read_uploads([UploadedFile("a.run", RUN)], 0)
        assert next(first) == 0
        next(first, None)
        first.close()
        list(read_uploads([UploadedFile("a.run", RUN)], 0))
    assert converted.call_count == 1
    assert [e.file for e in workspace().entries("own")] == ["a.run"]


@pytest.mark.parametrize(
    "content",
    [RUN.replace(b"9.25", b"nan"), RUN + b"q1 Q0 d1 1 1 r\n", RUN[:-9], RUN.replace(b"d2", b"d\0")],
    ids=["no score", "a document twice", "cut off", "a NUL"],
)
def test_a_long_file_is_refused_in_the_same_words(content: bytes) -> None:
    try:
        wanted = ""
        formats.read(content, name="a.run")
    except FileFormatError as error:
        wanted = str(error)
    list(read_uploads([UploadedFile("a.run", content)], 0))
    assert str(refusals()["a.run"].error) == wanted != ""
    assert not workspace().entries("own")


def test_the_same_rows_of_one_name_are_known_whatever_their_format() -> None:
    table = formats.table_bytes(formats.read_run(RUN, name="a.run"), "csv")
    given = [("a.run", RUN), ("a.run", gzip.compress(RUN)), ("a.run", table), ("c.csv", table)]
    for number, (name, content) in enumerate(given):
        list(read_uploads([UploadedFile(name, content)], number))
    assert [e.file for e in workspace().entries("own")] == ["a.run", "c.csv"]
    assert [r.message.split(" is already here")[0] for r in action_messages()] == ["a.run", "a.run"]
