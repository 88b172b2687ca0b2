"""One query: grades, lists, standings and what a top k misses."""

from __future__ import annotations

import numpy as np
import pytest

from metrics_core.explaining.diagnosis import SQUARES, Diagnosis, diagnose
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from tests.collections_of import qrels_of, run_of

#   rank   1          2          3          4
#   bm25   a grade 2  b grade 1  x unjudged c grade 0
#   new    c grade 0  x unjudged b grade 1  n negative
GRADES = {"q": {"a": 2, "b": 1, "c": 0, "m": 1, "n": -1}, "p": {"a": 1}}
BM25 = {"q": {"a": 4, "b": 3, "x": 2, "c": 1}, "p": {"a": 1}, "u": {"a": 1, "x": 0}}
NEW = {"q": {"c": 4, "x": 3, "b": 2, "n": 1}, "u": {"x": 1}}


def of(query_id: str, *, cutoff: int = 2, measure: str = "P@2") -> Diagnosis:
    qrels = qrels_of(GRADES)
    runs = [run_of(BM25, "bm25"), run_of(NEW, "new")]
    return diagnose(
        runs,
        [join_judgments(run, qrels) for run in runs],
        qrels,
        query_id,
        parse_measure(measure),
        baseline="bm25",
        focus="new",
        cutoff=cutoff,
    )


Q = of("q")


def test_grades_and_their_counts() -> None:
    assert Q.grades == {"a": 2, "b": 1, "c": 0, "m": 1, "n": -1}
    assert (Q.n_relevant, Q.n_judged, Q.is_judged) == (3, 4, True)


def test_lists_are_whole_and_hold_grades() -> None:
    new = Q.rankings["new"]
    assert new["doc_id"].tolist() == ["c", "x", "b", "n"]
    assert new["rank"].tolist() == [1, 2, 3, 4]
    assert new["grade"].isna().tolist() == [False, True, False, True]
    assert Q.ranks("new") == {"c": 1, "x": 2, "b": 3, "n": 4}


def test_standings_are_best_first() -> None:
    rows = Q.standings.set_index("run")
    assert Q.standings["run"].tolist() == ["bm25", "new"]
    assert rows.loc["bm25", ["score", "first_relevant", "relevant_in_top", "listed"]].tolist() == [
        1,
        1,
        2,
        4,
    ]
    assert rows.loc["new", ["score", "difference", "first_relevant"]].tolist() == [0, -1, 3]
    assert np.isnan(rows.loc["bm25", "difference"])
    assert Q.score("new") == 0


def test_standings_say_what_the_unjudged_documents_could_do() -> None:
    rows = Q.standings.set_index("run")
    # Rank 2 of new is unjudged, both of bm25's first two are judged.
    assert rows.loc["new", ["lowest", "highest"]].tolist() == [0, 0.5]
    assert rows.loc["bm25", ["lowest", "highest"]].tolist() == [1, 1]
    assert Q.residual_is_exact and not of("q", measure="Bpref").residual_is_exact


def test_squares_tell_grade_unjudged_and_the_end() -> None:
    squares = Q.grades_by_rank("new")
    assert len(squares) == SQUARES and squares[0][1] == 0 and squares[2] == ("b", 1)
    assert np.isnan([squares[1][1], squares[3][1]]).all()
    assert set(squares[4:]) == {("", None)}


def test_side_by_side_has_the_other_rank() -> None:
    rows = Q.align_rankings("bm25", "new", 2)
    assert [row["doc_id"] for row in rows] == ["a", "b"]
    assert np.isnan(rows[0]["other_rank"]) and rows[1]["other_rank"] == 3


def test_side_by_side_says_what_the_measure_takes_as_relevant() -> None:
    # One grade decides for squares, counts and rows alike: a is graded 2, b is graded 1.
    assert [row["relevant"] for row in of("q").align_rankings("bm25", "new", 2)] == [True, True]
    strict = of("q", measure="P(rel=2)@2")
    assert [row["relevant"] for row in strict.align_rankings("bm25", "new", 2)] == [True, False]
    assert strict.n_relevant == 1


def test_missed_are_relevant_and_lacking_in_a_top() -> None:
    assert Q.missed["doc_id"].tolist() == ["a", "b", "m"]  # best grade first, then best rank
    assert Q.missed["grade"].tolist() == [2, 1, 1]
    assert Q.missed["rank: bm25"].tolist()[:2] == [1, 2]
    assert Q.missed[["rank: bm25", "rank: new"]].isna().sum().sum() == 3
    deep = of("q", cutoff=4).missed
    assert deep["doc_id"].tolist() == ["a", "m"]


def test_condensed_difference_leaves_the_unjudged_out() -> None:
    # P@2 without x: bm25 a, b is 1; new c, b is 1/2
    assert Q.condensed_difference == pytest.approx(-0.5)


def test_a_missing_list_scores_zero() -> None:
    p = of("p")
    rows = p.standings.set_index("run")
    assert rows.loc["new", ["score", "listed"]].tolist() == [0, 0]
    assert set(p.grades_by_rank("new")) == {("", None)}
    assert p.missed["doc_id"].tolist() == ["a"]


def test_a_query_without_judgments_has_lists_and_no_score() -> None:
    u = of("u")
    assert not u.is_judged
    assert u.standings["score"].isna().all()
    assert u.missed.empty
    assert u.rankings["new"]["doc_id"].tolist() == ["x"]


def test_a_run_may_be_compared_with_itself() -> None:
    qrels, run = qrels_of(GRADES), run_of(BM25, "bm25")
    own = diagnose(
        [run],
        [join_judgments(run, qrels)],
        qrels,
        "q",
        parse_measure("AP"),
        baseline="bm25",
        focus="bm25",
        cutoff=10,
    )
    assert own.condensed_difference == 0
    assert own.missed["doc_id"].tolist() == ["m"]
