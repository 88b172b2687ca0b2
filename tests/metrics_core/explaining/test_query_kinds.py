"""Kinds of failure: each border by hand, and exactly one kind for every query."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from metrics_core.explaining import query_kinds as of
from metrics_core.explaining.query_kinds import (
    CHANGES,
    KINDS,
    classify_changes,
    classify_queries,
)
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import parse_measure
from tests.collections_of import collections, qrels_of, run_of

P2 = parse_measure("P@2")


def ranks_of(listed: str, grades: dict[str, int]) -> JudgedRanks:
    lists: dict[str, dict[str, float]] = {"other": {"x": 1.0}}
    if listed:
        lists["q"] = {d: -float(i) for i, d in enumerate(listed)}
    return join_judgments(run_of(lists), qrels_of({"q": grades, "other": {"x": 1}}))


@pytest.mark.parametrize(
    ("listed", "grades", "kind"),
    [
        ("ab", {"a": 0, "b": 0}, of.NOTHING_TO_FIND),
        ("", {"a": 1}, of.NOT_IN_RUN),
        ("", {"a": 0}, of.NOTHING_TO_FIND),
        ("ab", {"a": 1, "b": 1}, of.FINE),
        # One of two that could be: half of the best, below two thirds; b is judged.
        ("ab", {"a": 1, "b": 0, "c": 1}, of.LOW),
        # As many are unjudged as not: the score says little.
        ("ax", {"a": 1, "c": 1}, of.UNJUDGED_TOP),
        # All that could be found is found, judged or not beside it.
        ("ax", {"a": 1}, of.FINE),
        ("xy", {"a": 1}, of.UNJUDGED_TOP),
        ("bc", {"a": 1, "b": 0, "c": 0}, of.NOTHING_RELEVANT),
        ("bca", {"a": 1, "b": 0, "c": 0}, of.BELOW),
        ("bac", {"a": 1, "b": 0, "c": 1, "d": 1}, of.LOW),
    ],
)
def test_each_border(listed: str, grades: dict[str, int], kind: str) -> None:
    assert classify_queries(ranks_of(listed, grades), P2, 10)[0] == kind


def test_a_query_with_an_empty_list_is_not_one_that_the_run_lacks() -> None:
    ranks = ranks_of("", {"a": 1})
    assert classify_queries(ranks, P2, 10)[0] == of.NOT_IN_RUN
    assert classify_queries(replace(ranks, empty_queries=("q",)), P2, 10)[0] == of.NOTHING_RETRIEVED


def test_two_thirds_are_fine() -> None:
    grades = {"a": 1, "b": 1, "c": 1, "x": 0}
    for listed, kind in (("abx", of.FINE), ("axb", of.FINE), ("ax", of.LOW)):
        assert classify_queries(ranks_of(listed, grades), parse_measure("P@3"), 10)[0] == kind


@pytest.mark.parametrize(
    ("run", "baseline", "kind"),
    [
        ("ab", "xy", of.FIXED),
        ("xy", "ab", of.BROKEN),
        ("xy", "yx", of.BOTH_FAIL),
        ("ax", "xy", of.BETTER),
        ("xy", "xa", of.WORSE),
        ("ax", "xb", of.SAME),
        ("ab", "ba", of.SAME),
    ],
)
def test_each_border_of_a_pair(run: str, baseline: str, kind: str) -> None:
    grades = {"a": 1, "b": 1, "x": 0, "y": 0}
    both = [ranks_of(listed, grades) for listed in (run, baseline)]
    assert classify_changes(*both, P2, 10, tie_threshold=0.01)[0] == kind


def test_where_less_is_better_a_lower_score_is_better_and_fine_is_told_by_ndcg() -> None:
    both = [ranks_of(listed, {"a": 1, "x": 0, "y": 0}) for listed in ("xya", "xy")]
    measure = parse_measure("NumNonrelRet")
    assert classify_queries(both[0], measure, 2)[0] == of.BELOW
    grades = {"a": 1, "b": 1, "x": 0, "y": 0}
    fewer, more = (ranks_of(listed, grades) for listed in ("a", "axy"))
    assert classify_changes(fewer, more, measure, 2, tie_threshold=0.01)[0] == of.BETTER


@settings(max_examples=25, deadline=None)
@given(collection=collections())
def test_every_query_is_of_exactly_one_kind(collection: Any) -> None:
    run, grades = collection
    if not set(run) & set(grades):
        return
    ranks = join_judgments(run_of(run), qrels_of(grades))
    turned_lists = {q: {d: -s for d, s in docs.items()} for q, docs in run.items()}
    turned = join_judgments(run_of(turned_lists), qrels_of(grades))
    for name in ("nDCG@2", "AP", "Judged@3", "P(rel=2)@3"):
        measure = parse_measure(name)
        assert set(classify_queries(ranks, measure, 3)) <= set(KINDS)
        pair = classify_changes(ranks, turned, measure, 3, tie_threshold=0.01)
        assert len(pair) == ranks.n_queries and set(pair) <= set(CHANGES)
