"""Long files are read beside the page: its end does not end them, and what they say is the same."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from threading import Event
from typing import Any
from unittest import mock

import pytest

from dashboard.files import judged_places
from dashboard.files.uploaded_file import UploadedFile
from dashboard.session.actions import long_uploads
from dashboard.session.actions.uploads import read_uploads, refusals
from dashboard.session.open_collection import library_of, workspace
from dashboard.session.reading import Reading
from dashboard.session.receipts import receipts
from dashboard.workspace.long_runs.stored_run import StoredRun
from metrics_core import formats
from metrics_core.base.errors import FileFormatError
from metrics_core.formats.source.opening import open_source
from metrics_core.judging import judge
from metrics_core.judging.while_reading import rows as rows_module
from metrics_core.tables import Qrels
from tests.metrics_core.judging.while_reading.test_judged import PLAIN, same

RUN = PLAIN.encode()
QRELS = b"q1 0 d1 1\nq1 0 d3 2\nq2 0 d1 2\n"


@pytest.fixture(autouse=True)
def visit(own_visit: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A visit in which files are read in many pieces."""
    monkeypatch.setattr(rows_module, "BLOCK", 64)
    return own_visit


def test_who_waits_sees_how_much_was_read() -> None:
    looked, read = Event(), Event()

    def reading(told: Callable[[int], None]) -> str:
        told(3)
        looked.wait()
        told(8)
        read.set()
        return "read"

    begun = Reading(open_source(b"12345678", "a.run"), reading)
    shares = begun.watched()
    while next(shares) < 3 / 8:
        pass
    assert begun.told == "Reading a.run: 3 bytes of 8 bytes"
    shares.close()  # as a click ends it
    looked.set()
    assert read.wait(5) and begun.result() == "read" and not begun.failed and begun.share == 1
    packed = Reading(open_source(gzip.compress(b"q1"), "a.gz"), lambda told: told(2))
    assert packed.result() is None and packed.share == 0
    assert packed.told == "Reading a.gz: 2 bytes unpacked"


def test_what_reading_raises_is_raised_for_who_waits() -> None:
    begun = Reading(open_source(b"", "a.run"), lambda _: 1 // 0)
    assert list(begun.watched()) == [] or begun.failed
    with pytest.raises(ZeroDivisionError):
        begun.result()


def test_a_long_run_is_judged_with_what_came_beside_it(visit: dict[str, Any]) -> None:
    with (
        mock.patch.object(judged_places, "places", side_effect=AssertionError),
        mock.patch.object(formats, "read", wraps=formats.read) as read,
    ):
        told = list(read_uploads([UploadedFile("a.run", RUN), UploadedFile("a.qrels", QRELS)], 0))
        study = library_of("own").study
    assert [n for n in told if n == int(n)][:1] == [0] and told == sorted(told)
    assert [call.kwargs["name"] for call in read.call_args_list] == ["a.qrels"]
    assert study is not None and isinstance(study.runs["a"], StoredRun)
    qrels = formats.read(QRELS, name="a.qrels").table
    assert isinstance(qrels, Qrels)
    same(study.judged["a"], judge(formats.read_run(RUN, name="a.run"), qrels))
    kept = workspace()
    assert [e.file for e in kept.entries("own")] == ["a.run", "a.qrels"], "in the order given"
    assert kept.entries("own")[0].read_as == "TREC run" and "_long_uploads" not in visit


def test_a_run_of_the_page_that_ends_does_not_end_the_reading() -> None:
    with (
        mock.patch.object(long_uploads, "converted", wraps=long_uploads.converted) as converted,
        mock.patch("dashboard.session.reading._LOOK", 0.001),
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


def test_the_same_rows_from_another_format_are_known() -> None:
    rows = formats.read_run(RUN, name="a.run")
    for number, name in enumerate(("a.run", "b.run.gz", "c.csv")):
        content = gzip.compress(RUN) if "gz" in name else RUN
        if name == "c.csv":
            content = formats.table_bytes(rows, "csv")
        list(read_uploads([UploadedFile(name, content)], number))
    assert len(workspace().entries("own")) == 1
    assert [r.message.split(" is here")[0] for r in receipts()] == ["b.run.gz", "c.csv"]
