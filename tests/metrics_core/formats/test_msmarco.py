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
    run = read_run(b"# made by x\nq1 d2 2\n\nq1 d1 1\nq1 d3 3\nq2 d1 1\n", name="x")
    assert sorted(zip(run.doc_ids.to_pylist(), run.table["score"].to_pylist(), strict=True)) == [
        ("d1", -1),
        ("d1", -1),
        ("d2", -2),
        ("d3", -3),
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
    with pytest.raises(
        FileFormatError, match=r"line 1: .*(?s:.)*score=3 \(grade=3 for judgments\)"
    ):
        read_qrels(text.encode(), name="qrels.txt")
    columns = {"query": "1", "doc": "2", "grade": "3"}
    assert len(read_qrels(text.encode(), name="qrels.txt", columns=columns)) == text.count("\n")


def test_a_run_of_one_document_a_query_needs_its_ending() -> None:
    assert len(read(b"q1\td1\t1\nq2\td1\t1\n", name="dev.run").table) == 2


@pytest.mark.parametrize("ending", ["txt", "tsv", "run"])
@pytest.mark.parametrize("kind", [None, "run"])
@pytest.mark.parametrize(
    "numbers",
    [
        "12 7, 9 3",  # scores
        "12 7 7, 9 3",
        "3 2 1, 2 1",  # ranks from the last, or points
        "2 1, 1",
    ],
)
def test_whole_numbers_that_fall_are_asked_about(ending: str, kind: Any, numbers: str) -> None:
    text = lines_of(numbers)
    hint = r"columns query=1,doc=2,score=3.*\. If the numbers are ranks.*format=msmarco"
    with pytest.raises(FileFormatError, match=hint):
        read(text.encode(), name=f"x.{ending}", kind=kind)
    columns = {"query": "1", "doc": "2", "score": "3"}
    for content in (text, text.replace(" ", "\t")):
        run = read_run(content.encode(), name=f"x.{ending}", columns=columns)
        assert run.table["score"].to_pylist() == [
            float(n) for n in numbers.replace(",", "").split()
        ]
    assert read_run(text.encode(), name="x", format="msmarco").table["score"][0].as_py() < 0


@pytest.mark.parametrize(
    "numbers", ["1 2, 2 1", "2 4 6, 3 9 27", "1 1 2, 1 2", "5 9, 7 8", "1, 1", "12, 7", "1 2 4"]
)
def test_other_whole_numbers_are_asked_about_unless_the_ending_says_ranks(numbers: str) -> None:
    text = lines_of(numbers).encode()
    for kind in (None, "qrels"):
        with pytest.raises(FileFormatError, match=r"score=3.*grade=3.*format=msmarco"):
            read(text, name="x.txt", kind=kind)  # type: ignore[arg-type]
    assert read(text, name="x.run").format == "msmarco"


@pytest.mark.parametrize("numbers", ["3 1 2, 1 2", "1 2, 1 2"])
def test_ranks_in_any_order(numbers: str) -> None:
    assert read(lines_of(numbers).encode(), name="x.txt").format == "msmarco"


@pytest.mark.parametrize("numbers", ["1 2 4, 1 3", "2 4, 1", "5 9, 7 8"])
def test_ranks_with_gaps_are_those_of_what_is_said_to_be_a_run(numbers: str) -> None:
    content = lines_of(numbers).encode()
    assert read(content, name="x.txt", kind="run").format == "msmarco"
    assert read(content, name="bm25.txt").format == "msmarco"


def lines_of(numbers: str) -> str:
    """Lines of query, document and number; commas part the queries."""
    queries = enumerate(numbers.split(", "), 1)
    rows = ((q, d, n) for q, own in queries for d, n in enumerate(own.split(), 1))
    return "".join(f"q{q} d{d} {n}\n" for q, d, n in rows)


COLBERT = "1\t10\t1\t25.1\n1\t11\t2\t24.5\n1\t12\t3\t24.5\n2\t10\t1\t22.1\n"


@pytest.mark.parametrize("kind", [None, "run"])
@pytest.mark.parametrize("name", ["ranking.tsv", "x.tsv", "qrels"])
def test_a_ranking_of_colbert(kind: Any, name: str) -> None:
    loaded = read(COLBERT.encode(), name=name, kind=kind)
    assert (loaded.format, loaded.kind, loaded.notes) == ("colbert", "run", ())
    rows = [tuple(row.values()) for row in loaded.table.table.to_pylist()]
    assert rows[1:] == [("1", "11", 24.5), ("1", "12", 24.5), ("2", "10", 22.1)]


def test_a_ranking_of_colbert_says_what_is_odd_in_which_line() -> None:
    text = COLBERT + "".join(f"3\t{n}\t{n}\t{-n}.5\n" for n in range(1, 300))
    with pytest.raises(FileFormatError, match="line 304: expected a score in column 4"):
        read(f"{text}4\t1\t1\tnan\n".encode(), name="x")
    loaded = read(f"{text}4\t1\t1\t5\n4\t2\t2\t6\n".encode(), name="x")
    assert "contradicts the scores" in loaded.notes[0].message


@pytest.mark.parametrize(
    "text",
    [
        "1\t0\t1\t2\n1\t0\t2\t1\n",  # documents 1, 2, … that are judged
        "1\t1\t1\t2\n1\t1\t2\t1\n",
        "1\t5\t1\t1\n1\t6\t2\t2\n",
        "1\t5\t1\t1\n2\t6\t1\t2\n",
        "1\t5\t2\t2\n1\t6\t3\t1\n",
    ],
)
def test_judgments_of_four_columns_are_no_ranking(text: str) -> None:
    assert read(text.encode(), name="x").kind == "qrels"


def test_whole_scores_may_be_grades_of_subtopics() -> None:
    text = COLBERT.replace(".1", "").replace(".5", "").encode()
    with pytest.raises(FileFormatError, match="If the lists are ranked results, use kind=run"):
        read(text, name="x")
    assert [read(text, name="x", kind=kind).kind for kind in ("run", "qrels")] == ["run", "qrels"]
