"""The fewest queries that turn a mean, against every set of queries."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.comparing.fragility import find_fragility, share_of_mean_difference

TENTHS = st.integers(-10, 10).map(lambda n: n / 8)


def every_set(values: list[float]) -> int | None:
    """The size of the smallest set whose removal gives the mean the other sign."""
    known = [v for v in values if not math.isnan(v)]
    sign = math.copysign(1, math.fsum(known)) if math.fsum(known) else 0
    for size in range(len(known)):
        for gone in combinations(range(len(known)), size):
            rest = [v for i, v in enumerate(known) if i not in gone]
            if sign * math.fsum(rest) / len(rest) < 0:
                return size
    return None


@settings(max_examples=60, deadline=None)
@given(st.lists(TENTHS | st.just(math.nan), min_size=1, max_size=11))
def test_the_fewest_queries_are_those_of_every_set(values: list[float]) -> None:
    found = find_fragility(np.array(values))
    assert found.turning == every_set(values)
    removed = np.cumsum([0.0, *np.array(values)[found.order]])
    kept_sign = (found.total - removed) * found.total > 0
    assert found.holding == (np.flatnonzero(~kept_sign)[0] - 1 if found.total else 0)
    if found.turning is not None:
        rest = set(range(len(values))) - set(found.order[: found.turning].tolist())
        left = math.fsum(values[i] for i in rest if not math.isnan(values[i]))
        assert left * found.total < 0


def test_fifteen_queries_are_those_of_every_set() -> None:
    values = (np.random.default_rng(3).normal(0.25, 1, 15)).round(3).tolist()
    assert find_fragility(np.array(values)).turning == every_set(values) != 0


def test_they_are_named_largest_first() -> None:
    found = find_fragility(np.array([-0.2, 0.5, np.nan, 0.1, -0.1, 0.3]))
    assert (found.turning, found.queries) == (2, 5)
    assert found.order[: found.turning].tolist() == [1, 5]


@pytest.mark.parametrize("values", [[0.1, 0.2, 0.0], [0.0, 0.0], [0.1, -0.1], [0.1, 0.2, -0.3], []])
def test_what_nothing_speaks_against_cannot_be_turned(values: list[float]) -> None:
    # 0.1 + 0.2 - 0.3 is 5.6e-17 in floating point: no sign to turn.
    assert find_fragility(np.array(values)).turning is None


def test_what_some_queries_carry() -> None:
    values = np.array([0.4, 0.2, -0.1, np.nan])
    assert share_of_mean_difference(values, np.array([True, False, False, True])) == pytest.approx(
        0.8
    )
    assert share_of_mean_difference(values, np.array([True, True, False, False])) == pytest.approx(
        1.2
    )
    assert math.isnan(
        share_of_mean_difference(np.array([0.1, 0.2, -0.3]), np.array([True, False, False]))
    )
