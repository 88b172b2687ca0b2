"""Agreement of runs by hand; RBO against a literal loop."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from metrics_core.explaining.list_comparison import (
    TwoLists,
    compare_runs,
    find_score_spread,
)
from metrics_core.measures import parse_measure
from tests.collections_of import run_of

AP = parse_measure("AP")


def test_what_runs_score_on_each_query() -> None:
    nan = np.nan
    values = np.array(
        [[0.2, 0, 1, nan, 0, nan], [0.4, 0, 0, 0.5, nan, nan], [0.6, 0, 0, 0.5, 0, nan]]
    )
    found = find_score_spread(values, AP)
    assert found.mean[:5] == pytest.approx([0.4, 0, 1 / 3, 0.5, 0])
    assert found.spread[:4] == pytest.approx([np.std([0.2, 0.4, 0.6]), 0, np.std([1, 0, 0]), 0])
    assert found.score_range[:4] == pytest.approx([0.4, 0, 1, 0])
    assert np.isnan([found.mean[5], found.spread[5], found.score_range[5]]).all()
    assert found.failing.tolist() == [False, True, False, False, False, False]


def test_where_less_is_better_a_score_of_0_is_no_failure() -> None:
    zeros = np.zeros((2, 1))
    assert find_score_spread(zeros, AP).failing.tolist() == [True]
    assert find_score_spread(zeros, parse_measure("Unjudged@5")).failing.tolist() == [False]
    assert find_score_spread(zeros[:0], AP).failing.tolist() == [False]


def literal_rbo(one: str, two: str, p: float) -> float:
    """Equation 32 of Webber et al., term by term."""
    short, long = sorted((one, two), key=len)
    s, deep = len(short), len(long)
    overlap = [len(set(short[:d]) & set(long[:d])) for d in range(deep + 1)]
    total = sum(overlap[d] / d * p**d for d in range(1, deep + 1))
    total += sum(overlap[s] * (d - s) / (s * d) * p**d for d in range(s + 1, deep + 1))
    return (1 - p) / p * total + ((overlap[deep] - overlap[s]) / deep + overlap[s] / s) * p**deep


def compare_lists(doc_ids: str, other: str) -> TwoLists:
    """Return two lists of one query, each best first and without duplicates, as TwoLists."""
    other_rank = {doc_id: rank for rank, doc_id in enumerate(other, 1)}
    common = [(rank, other_rank[d]) for rank, d in enumerate(doc_ids, 1) if d in other_rank]
    ranks = np.array(common, dtype=np.int64).reshape(-1, 2)
    return TwoLists(
        query=np.zeros(len(ranks), dtype=np.int64),
        rank=ranks[:, 0],
        other_rank=ranks[:, 1],
        listed=np.array([len(doc_ids)]),
        other_listed=np.array([len(other)]),
    )


def random_lists(random: Random) -> tuple[str, str]:
    names = [chr(i) for i in range(97, 117)]
    one, two = (random.sample(names, random.randint(1, 20)) for _ in range(2))
    return "".join(one), "".join(two)


@pytest.mark.parametrize("seed", range(20))
def test_two_lists_against_loops(seed: int) -> None:
    one, two = random_lists(Random(seed))
    found = compare_lists(one, two)
    for p in (0.5, 0.9):
        assert found.rbo(p)[0] == pytest.approx(literal_rbo(one, two, p), abs=1e-12)
    for k in (1, 3, 10, 100):
        share = len(set(one[:k]) & set(two[:k])) / min(k, max(len(one), len(two)))
        assert found.overlap(k)[0] == pytest.approx(share)


def test_the_same_list_and_the_opposite_one() -> None:
    same, opposite = compare_lists("abc", "abc"), compare_lists("abc", "cba")
    assert same.rbo()[0] == pytest.approx(1) and same.overlap(2)[0] == 1
    assert opposite.overlap(1)[0] == 0
    nothing = compare_lists("abc", "")
    assert nothing.rbo()[0] == 0 and nothing.overlap(3)[0] == 0
    empty = compare_lists("", "")
    assert np.isnan([empty.rbo()[0], empty.overlap(3)[0]]).all()


def test_whole_runs_are_their_queries_one_by_one() -> None:
    random = Random(1)
    lists = {f"q{i}": random_lists(random) for i in range(40)}
    runs = [
        run_of({q: {d: -float(i) for i, d in enumerate(both[side])} for q, both in lists.items()})
        for side in (0, 1)
    ]
    depth, query_ids = 8, ["unheard", *reversed(lists)]
    found = compare_runs(runs[0], runs[1], query_ids, depth=depth)
    for i, query_id in enumerate(query_ids):
        one, two = lists.get(query_id, ("", ""))
        expected = compare_lists(one[:depth], two[:depth])
        for value in (TwoLists.rbo, lambda x: x.overlap(3)):
            assert value(found)[i] == pytest.approx(value(expected)[0], abs=1e-12, nan_ok=True)
