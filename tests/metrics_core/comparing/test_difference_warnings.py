"""What makes a mean doubtful: by hand, and against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.comparing.difference_warnings import (
    DifferenceWarnings,
    count_decisive_queries,
    find_warnings,
    is_test_unavailable,
)


def test_three_queries_carry_half() -> None:
    values = np.r_[0.5, 0.3, 0.2, np.full(50, 0.02)]
    found = find_warnings(values)
    assert found.carriers == 3 and found.depends_on_few_queries
    assert find_warnings(-values) == DifferenceWarnings(53, 53, 3)
    assert not find_warnings(np.full(50, 0.02)).depends_on_few_queries
    assert find_warnings(np.full(50, 0.02)).carriers == 25


def test_three_of_few_queries_are_not_few() -> None:
    assert count_decisive_queries(np.linspace(0.1, 0.2, 6)) == 3
    assert not find_warnings(np.linspace(0.1, 0.2, 6)).depends_on_few_queries


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8))
def test_no_fewer_queries_carry_half(values: list[int]) -> None:
    total = sum(values)
    fewest = next(
        n
        for n in range(len(values) + 1)
        if any(sum(some) * np.sign(total) >= abs(total) / 2 for some in combinations(values, n))
    )
    assert count_decisive_queries(np.array(values) / 10) == fewest


def test_few_differ() -> None:
    found = find_warnings(np.r_[np.zeros(95), np.full(5, 0.1)])
    assert (found.queries, found.differing) == (100, 5)
    assert found.has_few_differing_queries
    assert not find_warnings(np.r_[np.zeros(90), np.full(10, 0.1)]).has_few_differing_queries
    assert not find_warnings(np.zeros(50)).has_few_differing_queries


def test_edges() -> None:
    nothing = find_warnings(np.array([]))
    assert nothing == DifferenceWarnings(0, 0, 0)
    assert find_warnings(np.full(3, np.nan)) == nothing
    for values in (np.zeros(12), np.full(12, 0.1), np.array([0.4]), np.tile([0.1, -0.1], 6)):
        found = find_warnings(values)
        assert not (found.depends_on_few_queries or found.has_few_differing_queries)
    assert count_decisive_queries(np.array([0.3, -0.1, -0.2])) == 0, (
        "but for rounding nothing to carry"
    )
    assert find_warnings(np.array([np.nan, 0.1, 0.3])).queries == 2


def test_tests_of_another_hypothesis_are_greyed_with_many_queries() -> None:
    assert is_test_unavailable("wilcoxon", 1_001) and is_test_unavailable("sign", 1_001)
    assert not is_test_unavailable("wilcoxon", 1_000)
    for name in ("t-test", "randomization", "bootstrap", "bca"):
        assert not is_test_unavailable(name, 10**6)
