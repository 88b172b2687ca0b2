"""Judging a document that is listed is the same as adding it to the ranks."""

from __future__ import annotations

import numpy as np

from metrics_core.judging import join_judgments
from metrics_core.judging.added_judgments import (
    add_counted_judgments,
    add_judgments,
    add_listed_grades,
)
from metrics_core.measures import parse_measure
from tests.collections_of import qrels_of, run_of

RUN = run_of({"q": {"a": 4.0, "b": 3.0, "c": 2.0}, "p": {"a": 1.0}})


def test_what_is_judged_later_is_as_if_it_had_been() -> None:
    ranks = join_judgments(RUN, qrels_of({"q": {"a": 1, "n": -1, "x": 2}, "p": {"a": 1}}))
    after = join_judgments(RUN, qrels_of({"q": {"a": 1, "n": -1, "x": 2, "b": 3}, "p": {"a": 1}}))
    query, rank, grade = np.array([0]), np.array([2]), np.array([3.0])
    added = add_judgments(add_listed_grades(ranks, query, rank, grade), query, grade)
    for name in ("nDCG@3", "AP", "R@2", "P@2", "Judged@3", "Bpref"):
        measure = parse_measure(name)
        assert np.array_equal(measure.score(added), measure.score(after)), name


def test_each_by_itself() -> None:
    ranks = join_judgments(RUN, qrels_of({"q": {"c": 1}, "p": {"a": 1}}))
    listed = add_listed_grades(ranks, np.array([0]), np.array([1]), np.array([1.0]))
    assert listed.rank.tolist() == [1, 3, 1] and listed.n_relevant(1).tolist() == [1, 1]
    known = add_judgments(ranks, np.array([1, 0]), np.array([2.0, 1.0]))
    assert known.n_relevant(1).tolist() == [2, 2] and known.rank.tolist() == [3, 1]
    assert known.judged_relevance.tolist() == [1, 1, 2, 1]


def test_many_of_one_grade_are_as_if_each_were_added() -> None:
    ranks = join_judgments(
        RUN, qrels_of({"q": {"a": 3, "n": -1, "x": 1}, "p": {"a": 1}, "e": {"y": 0}})
    )
    counts = np.array([2, 0, 3])
    for grade in (0.0, 1.0, 2.5, 4.0):
        query = np.repeat(np.arange(3), counts)
        each = add_judgments(ranks, query, np.full(5, grade))
        more = add_counted_judgments(ranks, counts, grade)
        assert np.array_equal(more.judged_query, each.judged_query)
        assert np.array_equal(more.judged_relevance, each.judged_relevance)
