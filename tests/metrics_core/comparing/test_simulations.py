"""Verdicts are wrong as often as they say: runs drawn so that the truth is known, fixed seeds.

`python -m benchmarks.simulations` prints the same rates of more trials.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.simulations import (
    MEASURES,
    QUERIES,
    TIES,
    Rate,
    by_themselves,
    equivalence_errors,
    false_verdicts,
    powers,
    skewed_verdicts,
    uncovered,
)
from metrics_core.comparing.resampled import resampled

ALONE = np.random.default_rng(1).normal(0.3, 1.0, (10, 60))

pytestmark = pytest.mark.slow


def pooled(rates: list[Rate]) -> Rate:
    trials = sum(rate.trials for rate in rates)
    found = sum(rate.found * rate.trials for rate in rates) / trials
    return Rate("all", rates[0].stated, found, trials)


def test_columns_drawn_at_once_are_as_each_alone() -> None:
    alone = [resampled(ALONE[:, [i]], fewest=10).single[0] for i in range(60)]
    assert by_themselves(ALONE) == pytest.approx(alone, nan_ok=True)


@pytest.mark.parametrize(
    ("queries", "runs", "trials"),
    [
        pytest.param(
            *(queries, runs, trials),
            marks=pytest.mark.thorough if runs > 1 and queries in (10, 200) else (),
        )
        for runs, trials in [(1, 300), (5, 80), (19, 40)]
        for queries in QUERIES
    ],
)
def test_equal_runs_are_told_apart_no_more_often_than_stated(
    queries: int, runs: int, trials: int
) -> None:
    rates = [rate for ties in TIES for rate in false_verdicts(queries, runs, ties, trials)]
    assert not [rate for rate in rates if not rate.held]
    for measure in MEASURES:
        of_one = pooled([rate for rate in rates if rate.setting.endswith(measure)])
        assert of_one.held, measure


@pytest.mark.parametrize("queries", QUERIES)
def test_intervals_hold_the_true_difference_as_often_as_stated(queries: int) -> None:
    # Of skewed differences a little less often: the bound is the one that the docs name.
    for rate in uncovered(queries, 400):
        allowed = rate.stated + (0.02 if rate.setting.endswith("skewed") else 0.0)
        assert rate.found <= allowed + rate.chance, rate


@pytest.mark.parametrize("queries", [20, 50, 200])
def test_a_difference_as_large_as_the_margin_is_seldom_called_smaller(queries: int) -> None:
    assert equivalence_errors(queries, 200).held


@pytest.mark.parametrize("queries", QUERIES)
def test_a_difference_is_found_as_often_as_the_formula_says(queries: int) -> None:
    rate = powers(queries, 500)
    # The draws of ten queries ask for more than a t-test: there the formula promises too much.
    less = 0.08 if queries == 10 else 0.0
    assert rate.stated - rate.chance - less <= rate.found <= rate.stated + rate.chance


@pytest.mark.parametrize(("kind", "most"), [("lognormal", 0.15), ("one in twenty", 0.75)])
@pytest.mark.parametrize("queries", QUERIES)
def test_skewed_differences_are_wrong_more_often_within_a_known_bound(
    queries: int, kind: str, most: float
) -> None:
    found, firm, withheld, said = skewed_verdicts(queries, kind, 400)
    assert found.found <= most + 3 * math.sqrt(most * (1 - most) / 400)
    assert firm.found <= found.found
    assert said.found > 0.4
    assert (withheld.found > 0.3) == (queries < 50)


def test_strong_skew_of_few_queries_is_named_and_seldom_seen_in_a_normal_spread() -> None:
    found, firm, withheld, _ = skewed_verdicts(20, "lognormal", 1_000)
    assert firm.held and not found.held and withheld.found > 0.7
    for queries, most in ((10, 0.12), (20, 0.06), (50, 0.0)):
        _, _, wrongly, _ = skewed_verdicts(queries, "normal", 400)
        assert wrongly.found <= most
