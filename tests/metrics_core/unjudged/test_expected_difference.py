"""Where the difference would likely lie: judgments are removed, so that it is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from benchmarks.unjudged_truth import OF_ONE_LIST, Pair, pairs_of, told
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import parse_measure
from metrics_core.tables import Qrels, Run
from metrics_core.unjudged import expected_difference
from metrics_core.unjudged.bounds import bound_difference
from metrics_core.unjudged.expected_difference import EstimatedDifference, estimate_difference
from metrics_core.unjudged.unjudged_ranks import find_unjudged
from tests.collections_of import qrels_of, run_of

QUERIES = [f"q{i}" for i in range(40)]
Keep = Callable[[int, str], bool]


@cache
def made_pairs(number: int) -> list[Pair]:
    """Runs of which one or the other finds more of what is relevant, which is more in some queries
    than in others."""
    generator, made = np.random.default_rng(5), []
    for i in range(number):
        ease = generator.beta(1, 2, len(QUERIES))
        relevant = generator.random((len(QUERIES), 40)) < ease[:, None]
        grade = relevant * generator.integers(1, 3, relevant.shape)
        query, doc = np.repeat(QUERIES, 40), np.tile([f"d{j}" for j in range(40)], len(QUERIES))
        runs = [
            Run.from_columns(f"run{k}", query, doc, (skill * grade + noise).ravel())
            for k, skill in enumerate((0.1 + 0.2 * (i % 5), 0.5))
            for noise in [generator.normal(0, 1, grade.shape)]
        ]
        made += pairs_of(Qrels.from_columns(query, doc, grade.ravel()), runs)
    return made


@pytest.mark.parametrize(
    ("measure", "share"),
    [
        ("nDCG@10", 0.3),
        pytest.param("P@10", 0.3, marks=pytest.mark.thorough),
        pytest.param("P@10", 0.5, marks=pytest.mark.thorough),
    ],
)
def test_the_interval_holds_the_difference_that_judgments_were_removed_from(
    measure: str, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expected_difference, "_MOST", 50)
    found = told(made_pairs(5), parse_measure(measure), share, 60)
    assert found.said.mean() > 0.9
    slope, chance = found.slope
    assert abs(slope - 1) < 0.05 + 3 * chance and chance < 0.05
    covered, _ = found.covered
    assert 0.88 <= covered <= 0.99


def test_nothing_is_likely_where_none_that_one_run_lists_is_judged() -> None:
    found = told(made_pairs(2), parse_measure("P@10"), OF_ONE_LIST, 4)
    assert not found.said.any()


def lists_of(keep: Keep, queries: int = 40, *, run_names: str = "ab") -> tuple[Any, ...]:
    """Lists of which each has three documents of its own and one of both, relevant in every second
    query, of which those that are to be kept are judged."""
    docs = {name: [f"{name}{i}" for i in range(3)] + ["c0"] for name in run_names}
    own, other = (
        run_of({q: {d: -i for i, d in enumerate(docs[n])} for q in QUERIES[:queries]}, n)
        for n in run_names
    )
    every = list(dict.fromkeys(d for listed in docs.values() for d in listed))
    grades = {
        q: {"elsewhere": 1} | {d: i % 2 for d in every if keep(i, d)}
        for i, q in enumerate(QUERIES[:queries])
    }
    measure = parse_measure("P@4")
    lists = join_judgments(own, qrels_of(grades)), join_judgments(other, qrels_of(grades))
    return *lists, measure, find_unjudged(*lists, measure.cutoff)


def reason_of(keep: Keep, queries: int = 40, **how: bool) -> str:
    found = estimate_difference(*lists_of(keep, queries), **how)
    assert (found.interval is None) == bool(found.reason)
    return found.reason


def half(i: int, doc: str) -> bool:
    return (i // 2 + int(doc[-1], 36)) % 2 == 0


ENDS = "so no estimate is possible."


def test_why_nothing_is_likely() -> None:
    assert reason_of(half) == ""
    none = reason_of(lambda i, d: d[0] != "a" and half(i, d))
    assert none == f"Of the documents that only a lists, none is judged, {ENDS}"
    few = reason_of(lambda i, d: half(i, d) and (d[0] != "b" or (i < 12 and d == "b1")))
    assert few == f"Of the documents that only b lists, only six are judged, {ENDS}"
    both = reason_of(lambda i, d: d != "c0" and half(i, d))
    assert both == f"Of the documents that both list, none is judged, {ENDS}"
    relevant = reason_of(lambda i, d: i % 2 == 1)
    assert relevant == f"No listed document is judged non-relevant, {ENDS}"


def test_fifty_judged_documents_tell_what_is_usual() -> None:
    # Those that only a lists are asked about, and tell; all others are judged.
    some = lambda i, d: d[0] != "a" or half(i, d)  # noqa: E731
    assert (
        reason_of(some, 32) == f"Only 48 documents similar to the unjudged ones are judged, {ENDS}"
    )
    assert reason_of(some, 34) == ""


def test_documents_that_were_chosen_for_judgment_tell_nothing() -> None:
    assert reason_of(half, is_selective=True).startswith("Some documents were judged in a layer")
    everything = estimate_difference(*lists_of(lambda i, d: True), is_selective=True)
    assert everything.interval is not None, "nothing is left to be told"


def test_lists_that_were_not_compared_have_a_pool_each() -> None:
    own, other, measure, _ = lists_of(lambda i, d: d[0] != "a" and half(i, d))
    lists: list[JudgedRanks] = [replace(ranks, listed=None) for ranks in (own, other)]
    found = find_unjudged(lists[0], lists[1], measure.cutoff)
    assert not found.is_matched
    assert estimate_difference(*lists, measure, found).interval is not None, "both has judgments"
    own, other, measure, _ = lists_of(lambda i, d: d[0] == "b" and half(i, d))
    lists = [replace(ranks, listed=None) for ranks in (own, other)]
    found = find_unjudged(lists[0], lists[1], measure.cutoff)
    reason = estimate_difference(*lists, measure, found).reason
    assert reason == f"Of the documents that a lists, none is judged, {ENDS}"


def test_nothing_unjudged_leaves_the_difference_as_it_is() -> None:
    own, other, measure, found = lists_of(lambda i, d: True)
    reached = bound_difference(own, other, measure, found)
    likely = estimate_difference(own, other, measure, found).interval
    assert likely is not None and len(found) == 0
    assert likely.low == likely.high == reached.difference == reached.lowest == reached.highest


def test_a_measure_of_more_than_grades_is_not_told() -> None:
    own, other, _, found = lists_of(half)
    asked = estimate_difference(own, other, parse_measure("alpha_nDCG@4"), found)
    assert asked == EstimatedDifference(
        None, "alpha_nDCG@4 does not depend only on grades, so no estimate is possible."
    )


@pytest.mark.parametrize("name", ["P@4", "nDCG@4", "RR", "AP"])
def test_few_draws_say_what_many_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other, _, _ = lists_of(half)
    measure = parse_measure(name)
    found = find_unjudged(own, other, measure.cutoff)

    def width(asked: EstimatedDifference) -> float:
        assert asked.interval is not None
        return float(asked.interval.high - asked.interval.low)

    many = width(estimate_difference(own, other, measure, found))
    monkeypatch.setattr(expected_difference, "_MOST", 50)
    assert width(estimate_difference(own, other, measure, found)) == pytest.approx(many, rel=0.4)
