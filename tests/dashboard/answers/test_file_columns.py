"""The columns of a file: what is proposed, how a choice is read, and what its first row says."""

from __future__ import annotations

import pytest

from dashboard.answers.file_columns import (
    Judgable,
    as_read,
    columns_unknown,
    file_columns,
    first_row,
    is_smallest_best,
    objection,
)
from metrics_core import formats
from metrics_core.formats import FirstRows


def rows_of(text: str) -> FirstRows:
    found = formats.first_rows(text.encode())
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "kind", "likely"),
    [
        ("q1,d3,0.9\nq2,d1,0.4\n", "run", {"query": "1", "doc": "2", "score": "3"}),
        ("q0,d3,0.9\nq2,d1,0.4\n", "run", {"query": "1", "doc": "2", "score": "3"}),
        ("1,296,5.0\n1,306,3.0\n", "qrels", {"query": "1", "doc": "2", "grade": "3"}),
        (
            "who,what,how_much\na,b,0.5\n",
            "run",
            {"query": "who", "doc": "what", "score": "how_much"},
        ),
        (
            "model,user,item,prediction\nals,u1,m1,0.5\n",
            "run",
            {"query": "user", "doc": "item", "score": "prediction", "system": "model"},
        ),
        ("qid,docno,rank\nq1,d1,1\n", "run", {"query": "qid", "doc": "docno", "score": "rank"}),
        ("who,what\na,b\n", "run", {"query": "who", "doc": "what"}),
    ],
)
def test_what_is_proposed(text: str, kind: Judgable, likely: dict[str, str]) -> None:
    assert file_columns(rows_of(text), kind, {}).likely == likely


def test_what_was_chosen_before_is_proposed_again() -> None:
    found = rows_of("a,b,c\nq1,d1,1\n")
    shown = file_columns(found, "run", {"query_id": "b", "doc_id": "a", "score": "-c"})
    assert shown.likely == {"query": "b", "doc": "a", "score": "c"}
    assert is_smallest_best("c", {"score": "-c"}) and not is_smallest_best("c", {"score": "c"})


def test_users_and_items_are_called_so() -> None:
    names = ["Query", "Document", "Score"], ["User", "Item", "Score"]
    plain, of_users = rows_of("a,b,c\n1,2,3.5\n"), rows_of("userId,movieId,rating\n1,2,3.5\n")
    assert [*file_columns(plain, "run", {}).labels.values()] == names[0]
    assert [*file_columns(plain, "run", {}, of_users=True).labels.values()] == names[1]
    assert [*file_columns(of_users, "qrels", {}).labels.values()] == ["User", "Item", "Rating"]


def test_a_system_may_be_none() -> None:
    found = rows_of("model,user,item,prediction\nals,u1,m1,0.5\n")
    shown = file_columns(found, "run", {"run": "-"})
    assert shown.likely["system"] == "-" and shown.described("-") == "none: it is one run"
    assert shown.offered("system") == [*found.names, "-"] and "-" not in shown.offered("score")
    assert first_row(shown, shown.likely) == "First row: user u1, item m1, score 0.5."
    assert not objection(shown.likely, shown.labels)
    plain = file_columns(rows_of("user,item,prediction\nu1,m1,0.5\n"), "run", {"run": "-"})
    assert "system" not in plain.likely


def test_the_smallest_is_the_best_of_ranks_and_distances() -> None:
    assert is_smallest_best("rank", {}) and is_smallest_best("distance", {})
    assert as_read({"query": "q", "score": "far"}, smallest=True)["score"] == "-far"
    assert as_read({"query": "q", "score": "rank"}, smallest=True) == {"query": "q", "rank": "rank"}
    assert as_read({"query": "q", "grade": "g"}, smallest=False) == {"query": "q", "grade": "g"}


def test_what_a_choice_says_and_lacks() -> None:
    shown = file_columns(rows_of("q1,d3,0.9\nq2,d1,0.4\n"), "run", {})
    assert first_row(shown, shown.likely) == "First row: query q1, document d3, score 0.9."
    assert shown.described("1") == "column 1: q1, q2"
    assert not objection(shown.likely, shown.labels)
    twice = {**shown.likely, "doc": "1"}
    assert objection(twice, shown.labels) == "Query and Document are the same column."
    assert objection({**shown.likely, "doc": ""}, shown.labels) == (
        "Choose the column of the document."
    )


def test_whose_columns_are_unknown() -> None:
    assert columns_unknown(rows_of("q1,d3,0.9\nq2,d1,0.4\n"))
    assert not columns_unknown(rows_of("user,item,rating\n1,2,3.5\n"))
