"""What makes a mean doubtful: by hand, and against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.comparing.test_warnings import Doubts, asks_something_else, carried_by, doubts


def test_three_queries_carry_half() -> None:
    values = np.r_[0.5, 0.3, 0.2, np.full(50, 0.02)]
    found = doubts(values)
    assert found.carriers == 3 and found.carried_by_few
    assert doubts(-values) == Doubts(53, 53, 3)
    assert not doubts(np.full(50, 0.02)).carried_by_few
    assert doubts(np.full(50, 0.02)).carriers == 25


def test_three_of_few_queries_are_not_few() -> None:
    assert carried_by(np.linspace(0.1, 0.2, 6)) == 3
    assert not doubts(np.linspace(0.1, 0.2, 6)).carried_by_few


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8))
def test_no_fewer_queries_carry_half(values: list[int]) -> None:
    total = sum(values)
    fewest = next(
        n
        for n in range(len(values) + 1)
        if any(sum(some) * np.sign(total) >= abs(total) / 2 for some in combinations(values, n))
    )
    assert carried_by(np.array(values) / 10) == fewest


def test_few_differ() -> None:
    found = doubts(np.r_[np.zeros(95), np.full(5, 0.1)])
    assert (found.queries, found.differing, found.ties) == (100, 5, pytest.approx(0.95))
    assert found.few_differ
    assert not doubts(np.r_[np.zeros(90), np.full(10, 0.1)]).few_differ
    assert not doubts(np.zeros(50)).few_differ


def test_edges() -> None:
    nothing = doubts(np.array([]))
    assert nothing == Doubts(0, 0, 0) and np.isnan(nothing.ties)
    assert doubts(np.full(3, np.nan)) == nothing
    for values in (np.zeros(12), np.full(12, 0.1), np.array([0.4]), np.tile([0.1, -0.1], 6)):
        found = doubts(values)
        assert not (found.carried_by_few or found.few_differ)
    assert carried_by(np.array([0.3, -0.1, -0.2])) == 0, "but for rounding nothing to carry"
    assert doubts(np.array([np.nan, 0.1, 0.3])).queries == 2


def test_tests_of_another_hypothesis_are_greyed_with_many_queries() -> None:
    assert asks_something_else("wilcoxon", 1_001) and asks_something_else("sign", 1_001)
    assert not asks_something_else("wilcoxon", 1_000)
    for name in ("t-test", "randomization", "bootstrap", "bca"):
        assert not asks_something_else(name, 10**6)
