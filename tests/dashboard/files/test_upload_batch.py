"""Files that are given together: the order in which they are read, each of them once."""

from __future__ import annotations

import json
from unittest import mock

from dashboard.files.upload_batch import UploadBatch, read_single_file
from dashboard.files.uploaded_file import UploadedFile
from metrics_core import formats
from metrics_core.tables import Qrels, Run

JUDGED = "".join(f"q{q} 0 d{q}{d} {1 - d}\n" for q in range(10) for d in (0, 1))
QRELS = UploadedFile("a.qrels", JUDGED.encode())
RUN = UploadedFile("a.run", b"q1 Q0 d1 1 2.5 a\n")
RANKED = {f"q{q}": {f"d{q}{d}": 9 - d for d in range(1, 6)} for q in range(10)}
UNSURE = UploadedFile("x.json", json.dumps(RANKED).encode())
DAMAGED = UploadedFile("b.run", b"q1 Q0 d1 1 high b\n")
BESIDE = UploadedFile("_SUCCESS", b"")


def taken_of(*files: UploadedFile) -> UploadBatch:
    taken = UploadBatch(files)
    for number, _ in taken.reading_order:
        taken.read_file(number)
    return taken


def test_judgments_are_read_first_and_each_file_once() -> None:
    with mock.patch.object(formats, "read_all_tables", wraps=formats.read_all_tables) as read:
        taken = taken_of(UNSURE, RUN, QRELS)
    asked = [call.kwargs["name"] for call in read.call_args_list]
    assert asked == ["a.qrels", "a.run", "x.json"]
    assert [loaded.file for loaded in taken.all_tables] == ["x.json", "a.run", "a.qrels"]
    assert [type(loaded.table) for loaded in taken.all_tables] == [Run, Run, Qrels]
    assert taken.judgments() == [taken.all_tables[2].table]


def test_a_guess_does_not_tell_what_others_are() -> None:
    taken = taken_of(UNSURE, UploadedFile("y.json", UNSURE.read_all()))
    assert [loaded.evidence for loaded in taken.all_tables] == ["guess", "guess"]
    assert len(taken.judgments()) == 2 and taken.judgments(include_guessed=False) == []


def test_one_failure_does_not_take_the_others() -> None:
    taken = taken_of(DAMAGED, QRELS, BESIDE)
    assert [loaded.file for loaded in taken.all_tables] == ["a.qrels"]
    assert [given.name for given, _ in taken.refused] == ["b.run"]
    with mock.patch.object(formats, "read_all_tables", side_effect=ZeroDivisionError):
        taken = taken_of(RUN)
    ((_, error),) = taken.refused
    assert "could not be read: ZeroDivisionError" in error.message


def test_what_only_stands_beside_others_is_read_where_there_is_nothing_else() -> None:
    assert [number for number, _ in UploadBatch([BESIDE, RUN]).reading_order] == [1]
    assert [number for number, _ in UploadBatch([BESIDE]).reading_order] == [0]


def test_choices_are_those_of_reading() -> None:
    (loaded,) = read_single_file(UploadedFile("x.txt", b"q1 0 d1 1\n"), kind="qrels").all_tables
    assert isinstance(loaded.table, Qrels)
