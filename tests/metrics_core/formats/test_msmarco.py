"""Runs of three columns, as MS MARCO has them."""

from __future__ import annotations

from typing import Any

import pytest

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import read, read_qrels, read_run

RUN = "".join(f"q{q}\td{q * 7 + i}\t{i}\n" for q in range(30) for i in range(1, 11))


@pytest.mark.parametrize("separator", ["\t", " "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("kind", [None, "run"])
def test_the_rank_gives_the_order(separator: str, end: str, kind: Any) -> None:
    text = RUN.replace("\t", separator).replace("\n", end)
    loaded = read(text.encode(), name="msmarco.tsv", kind=kind)
    assert (loaded.format, loaded.kind, len(loaded.table)) == ("msmarco", "run", 300)
    run = read_run(text.encode(), name="msmarco.tsv")
    assert run.table["score"].to_pylist()[:3] == [-1, -2, -3]
    assert run.doc_ids.to_pylist()[:3] == ["d1", "d2", "d3"]
    assert [n.kind for n in run.notes] == ["rank"]


def test_rows_in_any_order_and_a_comment() -> None:
    run = read_run(b"# made by x\nq1 d2 2\n\nq1 d1 1\nq2 d1 1\n", name="x")
    assert sorted(zip(run.doc_ids.to_pylist(), run.table["score"].to_pylist(), strict=True)) == [
        ("d1", -1),
        ("d1", -1),
        ("d2", -2),
    ]
    assert [n.kind for n in run.notes] == ["comment", "blank", "rank"]


def test_problems_have_their_line() -> None:
    with pytest.raises(FileFormatError) as caught:
        read((RUN + "q9\tx\tfirst\n").encode(), name="x.tsv")
    assert caught.value.problems[0].line == 301
    with pytest.raises(FileFormatError) as caught:
        read((RUN + "q9\tx\n" + RUN.replace("q", "p")).encode(), name="x.tsv")
    assert (caught.value.problems[0].line, caught.value.problems[0].found) == (301, "2")
    with pytest.raises(FileFormatError, match="a second time"):
        read((RUN + "q1\td8\t11\n").encode(), name="x.tsv")


@pytest.mark.parametrize(
    "text", ["q1 d1 1\nq1 d2 1\nq2 d3 1\n", "q1 d1 0\nq1 d2 1\n", "q1 d1 1\nq2 d1 1\n"]
)
def test_judgments_of_three_columns_are_no_run(text: str) -> None:
    with pytest.raises(FileFormatError):
        read(text.encode(), name="qrels.txt")
    with pytest.raises(FileFormatError, match="expected 4 columns, found 3"):
        read_qrels(text.encode(), name="qrels.txt")


def test_a_run_of_one_document_a_query_needs_its_ending() -> None:
    assert len(read(b"q1\td1\t1\nq2\td1\t1\n", name="dev.run").table) == 2
