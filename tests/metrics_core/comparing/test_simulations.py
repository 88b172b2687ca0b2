"""Verdicts are wrong as seldom as they say: made matrices, from which nothing or something tells
runs apart, fixed seeds.

`python -m benchmarks.simulations` prints the same rates of more trials on those of real runs.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import simulations
from benchmarks.simulations import Rate, made_matrices
from metrics_core.comparing.resampled import resample_means

MADE = made_matrices(6)

pytestmark = pytest.mark.slow


def at_most(rate: Rate, wanted: float) -> bool:
    """But for three standard errors."""
    return rate.found <= wanted + 3 * (wanted * (1 - wanted) / rate.trials) ** 0.5


def test_columns_drawn_at_once_are_as_each_alone() -> None:
    alone = np.random.default_rng(1).normal(0.3, 1.0, (10, 60))
    single = [resample_means(alone[:, [i]]).p[0] for i in range(60)]
    assert simulations.p_values(alone) == pytest.approx(single)


@pytest.mark.parametrize(
    ("draw", "queries", "runs"),
    [
        (simulations.permuted, 25, 5),
        (simulations.centred, 10, 5),
        (simulations.centred, 15, 1),
        (simulations.centred, 25, 5),
        (simulations.near_the_ends, 20, 5),
        (simulations.scaled, 50, 1),
    ],
)
def test_equal_runs_are_told_apart_no_more_often_than_stated(
    draw: simulations.Draw, queries: int, runs: int
) -> None:
    wanted = 0.09 if draw is simulations.near_the_ends else 0.05
    assert at_most(simulations.false_verdicts(MADE, draw, queries, runs, 300), wanted)


def test_hardly_fewer_real_differences_are_found_than_by_t_tests() -> None:
    for queries, runs in ((15, 5), (25, 5), (50, 1)):
        found, by_t = simulations.true_verdicts(MADE, queries, runs, 100)
        assert by_t.found - 0.03 <= found.found > 0.1, (queries, runs)


def test_intervals_hold_the_true_difference_as_often_as_stated() -> None:
    for queries in (10, 25, 50):
        rate = simulations.uncovered_differences(MADE, queries, 400)
        assert at_most(Rate("", "", 1 - rate.found, rate.trials), 0.05), rate


def test_intervals_of_means_hold_them_nearly_as_often_as_stated() -> None:
    for queries in (8, 15, 25):
        rate = simulations.uncovered_means(MADE, queries, 400)
        assert at_most(Rate("", "", 1 - rate.found, rate.trials), 0.07), rate


def test_a_difference_as_large_as_the_margin_is_seldom_called_smaller() -> None:
    for queries in (20, 50):
        assert at_most(simulations.equivalence_errors(MADE, queries, 300), 0.05)


def test_what_is_said_to_show_four_times_out_of_five_does() -> None:
    for queries in (20, 50):
        assert 0.71 <= simulations.powers(MADE, queries, 20, 30).found <= 0.85


def test_equal_versions_are_seldom_called_worse_at_any_time() -> None:
    assert at_most(simulations.histories(MADE, simulations.centred, 25, 10, 100), 0.06)


@pytest.mark.parametrize("name", ["floor to lognormal", "timeouts to none"])
@pytest.mark.parametrize("by_sign", [False, True])
def test_equal_costs_are_told_apart_no_more_often_than_stated(name: str, by_sign: bool) -> None:
    assert at_most(simulations.false_cost_verdicts(name, 20, 4, 300, by_sign=by_sign), 0.06)
