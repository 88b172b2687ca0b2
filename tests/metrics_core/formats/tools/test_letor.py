"""Lines of features as judgments, and RankLib's scores of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dashboard.files.uploaded_file import UploadedFile, read_tables
from metrics_core import evaluate
from metrics_core.base.errors import FileFormatError
from metrics_core.formats import read_all_tables
from tests.metrics_core.formats.tools.looking import notes, on_the_command_line, refused, written

LETOR4 = b"""2 qid:10 1:0.007 2:0.5 #docid = GX029-35-5894638 inc = 0.01 prob = 0.1
0 qid:10 1:0.640 2:0.1 #docid = GX030-77-6315042 inc = 1 prob = 0.3
1 qid:11 1:0.2 #docid = GX029-35-5894638 inc = 1 prob = 0.2
"""
MSLR = b"2 qid:1 1:3 2:0\n0 qid:1 1:1 2:0\n1 qid:007 1:2 2:1\n"
RANKLIB = b"1\t0\t-0.5\n1\t1\t0.25\n007\t0\t1.0E-3\n"
INDRI = b"1 Q0 0 2 -0.5 indri\n1 Q0 1 1 0.25 indri\n007 Q0 0 1 0.001 indri\n"


def rows_of(table: Any) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.table.to_pylist()]


def told(content: bytes, **asked: Any) -> list[str]:
    (loaded,) = read_all_tables(content, name="x", **asked)
    return notes(loaded)


def test_the_comment_names_the_document() -> None:
    (loaded,) = read_all_tables(LETOR4, name="test.txt")
    assert loaded.kind == "qrels"
    assert rows_of(loaded.table) == [
        ("10", "GX029-35-5894638", 2),
        ("10", "GX030-77-6315042", 0),
        ("11", "GX029-35-5894638", 1),
    ]
    assert notes(loaded) == ["3 lines with features; features are ignored"]


@pytest.mark.parametrize(
    "comment", ["# docid=d7", "# docno=d7", "#doc_id = d7 x = 1", "# d7", "#d7", "# d7 Rambo"]
)
def test_each_form_of_a_comment(comment: str) -> None:
    (loaded,) = read_all_tables(f"1 qid:q 1:0.5 {comment}\n".encode(), name="x")
    assert rows_of(loaded.table) == [("q", "d7", 1)]
    longer = any("the first word is used as the document's id" in note for note in notes(loaded))
    assert longer == comment.endswith("Rambo")


def test_without_comments_it_is_the_place_and_that_is_loud() -> None:
    (loaded,) = read_all_tables(MSLR, name="x")
    assert rows_of(loaded.table) == [("1", "0", 2), ("1", "1", 0), ("007", "0", 1)]
    loud = [note for note in loaded.notes if note.loud]
    assert (
        len(loud) == 1 and loud[0].count == 3 and "no document ids in the file" in loud[0].message
    )
    assert "no document ids in the file" in told(b"1 qid:1 1:2 # inc = 1\n")[0]


def test_what_stands_between_is_counted() -> None:
    assert "2 blank or comment lines, skipped" in told(b"# qid:1: rambo\n\n1 qid:1 # d\n")


def test_ranklibs_scores_meet_the_same_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"test": MSLR, "scores.txt": RANKLIB, "indri": INDRI}
    qrels, run, lined = written(tmp_path, files)
    (loaded,) = read_all_tables(run)
    assert loaded.kind == "run" and loaded.notes[-1].loud and loaded.notes[-1].count == 3
    ours, theirs = (evaluate(path, qrels, ["nDCG", "AP"]) for path in (run, lined))
    assert ours.drop(columns="run").equals(theirs.drop(columns="run"))
    found, said = on_the_command_line(capsys, qrels, run, "-m", "RR,Judged@2")
    assert found == [["scores", "all", "RR", "0.75"], ["scores", "all", "Judged@2", "1.0"]]
    assert said.count("no document ids in the file") == 2


def test_in_the_browser() -> None:
    names = {"f.txt": LETOR4, "s.txt": RANKLIB}
    read = [loaded for n, b in names.items() for loaded in read_tables(UploadedFile(n, b))]
    assert [(one.kind, one.format) for one in read] == [("qrels", "letor"), ("run", "ranklib")]


@pytest.mark.parametrize(
    ("content", "asked", "words"),
    [
        (
            b"1 qid:1 1:2 # a\n0 qid:1 1:1\n0 qid:1 1:1 # b\n",
            {},
            "line 2: expected a document in every line or in none, found no document in the"
            " comments of 1 of 3",
        ),
        (
            b"1 qid:1 1:2 # a\n0 1:1 # b\n0 qid:1 1:1 # b\n",
            {},
            "line 2: expected grade, qid:, features, found no `qid:` in the second column",
        ),
        (
            b"1 qid:1 1:2 # a\nx qid:1 1:1 # b\n0 qid:1 # c\n",
            {},
            "line 2: expected a whole number as the grade, found `x`",
        ),
        (b"1 qid:1 # a\n0 qid:1 # a\n", {}, "line 2"),
        (b"1 qid:1 1:2 # a\n", {"kind": "run"}, "expected a run, found judgments"),
        (
            b"1\t0\t0.5\n1\t2\t0.5\n",
            {"format": "ranklib"},
            "line 2: expected place 1 of query 1, found place `2`",
        ),
        (b"1\t0\t0.5\n1\t1\n", {"format": "ranklib"}, "line 2: expected query, number and score"),
        (
            b"1\t0\t0.5\n1\t1\tnan\n",
            {"format": "ranklib"},
            "line 2: expected a finite number as the score, found `nan`",
        ),
    ],
)
def test_what_does_not_fit_is_refused_at_its_line(
    content: bytes, asked: dict[str, Any], words: str
) -> None:
    assert refused(content, "x", words, **asked)


@pytest.mark.parametrize("content", [b"q1\td1\t0.5\n", b"q1\t0\t1\nq1\t1\t2\n", b"q1\t0\t0.5\n"])
def test_other_lines_of_three_are_not_ranklibs(content: bytes) -> None:
    try:
        assert read_all_tables(content, name="x")[0].format != "ranklib"
    except FileFormatError as error:
        assert "RankLib" not in str(error)


def indri(*comments: str) -> bytes:
    """What RankLib's -indri writes for these comments of the lines of a query."""
    lines = (f"1 Q0 {text} {rank} {5 - rank}.25 indri\n" for rank, text in enumerate(comments, 1))
    return "".join(lines).encode()


@pytest.mark.parametrize("mark", ["", "#", "# "])
@pytest.mark.parametrize(
    "form", ["docid = {}", "docid = {} inc = 1 prob = 0.2", "docno={} x", "{}"]
)
@pytest.mark.parametrize("kind", [None, "run"])
def test_comments_in_a_trec_run_name_the_documents(mark: str, form: str, kind: Any) -> None:
    content = indri(*(mark + form.format(doc) for doc in ("GX-1", "d7")))
    (loaded,) = read_all_tables(content, name="x", kind=kind)
    assert (loaded.kind, loaded.notes) == ("run", ())
    assert rows_of(loaded.table) == [("1", "GX-1", 4.25), ("1", "d7", 3.25)]


def test_the_run_of_comments_meets_its_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    docs = ("GX030-77-6315042 inc = 1 prob = 0.3", "GX029-35-5894638 inc = 0.01 prob = 0.1")
    ranked = indri(*(f"docid = {doc}" for doc in docs)).replace(b"1 Q0", b"10 Q0")
    qrels, run = written(tmp_path, {"test.txt": LETOR4, "indri.txt": ranked})
    found, _ = on_the_command_line(capsys, qrels, run, "-m", "RR")
    assert found == [["indri", "all", "RR", "0.25"]]


@pytest.mark.parametrize(
    ("comments", "words"),
    [
        (("doc-7 the best", "d1 x"), "line 1: expected a document's id, found `doc-7 the best`"),
        (
            ("docid = a", "docid = b", "inc = 1"),
            "line 3: expected a document's id, found `inc = 1`",
        ),
        (("", "#a", "#b"), "line 1: expected a document's id, found ``"),
        (("docid = a", "docid = a"), "line 2"),
    ],
)
def test_comments_that_name_no_document_are_refused(comments: tuple[str, ...], words: str) -> None:
    assert refused(indri(*comments), "x", words)


def test_a_score_that_is_none_among_comments() -> None:
    content = indri("docid = a", "docid = b", "docid = c").replace(b"3.25", b"nan")
    assert refused(content, "x", "line 2: expected a finite number as the score, found `nan`")


@pytest.mark.parametrize("line", ["1 Q0 a 1 4 my indri", "1 Q0 #a 1 4.25 x", "1 Q0 a 1 2 indri"])
def test_other_lines_of_trec_are_no_comments(line: str) -> None:
    assert read_all_tables(f"{line}\n".encode(), name="x")[0].format == "trec"
