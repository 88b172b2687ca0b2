"""The orders of tied documents, against every one of them."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metrics_core.comparing.ties import difference_range, find_tie_range, find_tied_queries
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from tests.collections_of import qrels_of, run_of

DOCS = ["a", "b", "c", "d", "e", "f"]
MEASURES = ["nDCG@3", "AP", "P@2", "RR", "R@4", "RBP(p=0.8)@3", "Success@1", "nDCG@3", "Rprec"]


def every_order(scores: dict[str, float]) -> list[list[str]]:
    """All rankings in which no document stands above one of a higher score."""
    levels = [[d for d in scores if scores[d] == s] for s in sorted(set(scores.values()))[::-1]]
    return [
        [d for level in chosen for d in level]
        for chosen in product(*(list(permutations(level)) for level in levels))
    ]


def drawn() -> st.SearchStrategy[Any]:
    scores = st.dictionaries(st.sampled_from(DOCS), st.integers(1, 2).map(float), min_size=2)
    grades = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 2), min_size=1)
    return st.tuples(scores, scores, grades)


@settings(max_examples=40, deadline=None)
@given(drawn(), st.sampled_from(MEASURES))
def test_the_range_is_that_of_every_order(case: Any, name: str) -> None:
    first, second, grades = case
    measure, qrels = parse_measure(name), qrels_of({"q": grades})
    reached, found = [], []
    for scores in (first, second):
        run = run_of({"q": scores})
        ranks = join_judgments(run, qrels)
        found.append(find_tie_range(run, ranks, measure))
        lists = [{d: -float(i) for i, d in enumerate(order)} for order in every_order(scores)]
        reached.append([measure.score(join_judgments(run_of({"q": o}), qrels))[0] for o in lists])
    for values, span in zip(reached, found, strict=True):
        assert span.exact
        assert span.low[0] == pytest.approx(min(values), abs=1e-12)
        assert span.high[0] == pytest.approx(max(values), abs=1e-12)
    low, high = difference_range(*found, measure)
    gaps = [a - b for a in reached[0] for b in reached[1]]
    assert (low, high) == (pytest.approx(min(gaps), abs=1e-9), pytest.approx(max(gaps), abs=1e-9))


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q3"]),
        st.dictionaries(st.sampled_from(DOCS), st.integers(1, 4).map(float), min_size=1),
        min_size=1,
    ),
    st.sampled_from([1, 2, 3, None]),
)
def test_tied_queries_are_those_of_a_loop(scores: dict[str, Any], cutoff: int | None) -> None:
    run = run_of(scores)
    judged = ["q2", "q1", "q9"]
    assume(set(scores) & set(judged))
    ranks = join_judgments(run, qrels_of({q: {"a": 1} for q in judged}))
    expected = []
    for query in judged:
        best = sorted(scores.get(query, {}).values(), reverse=True)
        expected.append(
            any(
                best[i] == best[i + 1] for i in range(len(best) - 1) if cutoff is None or i < cutoff
            )
        )
    assert find_tied_queries(run, ranks, cutoff).tolist() == expected


def test_a_tie_that_does_not_move_the_score_moves_nothing() -> None:
    scores = {"q1": {"a": 2.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    run, qrels = run_of(scores), qrels_of({"q1": {"a": 1, "b": 1}, "q2": {"b": 1}})
    found = find_tie_range(run, join_judgments(run, qrels), parse_measure("nDCG@3"))
    assert found.tied.tolist() == [True, False] and found.low.tolist() == found.high.tolist()
    one = find_tie_range(run, join_judgments(run, qrels), parse_measure("P@1")).select_queries(
        np.array([True, False])
    )
    assert (one.low.tolist(), one.high.tolist()) == ([1.0], [1.0])


def test_of_a_measure_that_may_fall_only_two_orders_are_known() -> None:
    scores = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    run, qrels = run_of(scores), qrels_of({"q": {"a": 1, "b": 0}})
    assert not find_tie_range(run, join_judgments(run, qrels), parse_measure("Bpref")).exact
