"""What queries can show: against scipy's noncentral t, the formula, and simulated tests."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import stats

from metrics_core.comparing import testing
from metrics_core.comparing.method import Method
from metrics_core.comparing.power import (
    detectable_loss,
    detection_chance,
    find_query_count_needed,
    single_test_level,
    smallest_detectable_difference,
)


@pytest.mark.parametrize("queries", [20, 50, 104, 2_000])
@pytest.mark.parametrize("width", [1.5, 2.1, 3.2])
def test_the_smallest_difference_has_the_chance_it_is_said_to_have(
    queries: int, width: float
) -> None:
    smallest = smallest_detectable_difference(0.02, width, queries)
    # Over what the deviation may be, by scipy's quantiles of chi squared.
    variances = (queries - 1) / stats.chi2.ppf((np.arange(2_000) + 0.5) / 2_000, queries - 1)
    power = stats.nct.sf(width, queries - 1, smallest / 0.02 / np.sqrt(variances)).mean()
    assert power == pytest.approx(0.8, abs=2e-3)
    formula = 0.02 * (width + stats.t.ppf(0.8, queries - 1))
    assert smallest == pytest.approx(formula, rel=0.08 if queries < 50 else 0.03)


@pytest.mark.parametrize(("queries", "share"), [(30, 1.0), (104, 1.0), (104, 0.3)])
def test_a_loss_in_a_share_of_the_queries_is_found_four_times_out_of_five_or_more(
    queries: int, share: float
) -> None:
    """More often in a share: the skew of the differences helps, which the formula leaves out."""
    generator = np.random.default_rng(7)
    scores = generator.beta(0.8, 0.8, 100_000)
    # Its spread is that of all queries there could be.
    loss = np.mean([detectable_loss(generator.choice(scores, queries), share) for _ in range(60)])
    old, new = generator.choice(scores, (2, 8_000, queries))
    affected = generator.random(old.shape) < share
    differences = np.where(affected, new - loss / share - old, 0.0)
    p = stats.ttest_1samp(differences, 0.0, axis=1).pvalue
    found = (p < 0.05) & (differences.mean(axis=1) < 0)
    assert 0.77 < found.mean() < (0.83 if share == 1 else 0.96)


def test_too_few_or_equal_scores_detect_nothing() -> None:
    many, none = np.linspace(0, 1, 19), math.nan
    assert math.isnan(detectable_loss(np.append(many, none), 0.3))
    assert math.isnan(detectable_loss(np.full(50, 0.5), 0.3))
    with_gap = np.append(np.linspace(0, 1, 40), none)
    assert detectable_loss(with_gap, 0.3) == detectable_loss(with_gap[:-1], 0.3) > 0
    larger = detectable_loss(np.linspace(0, 2, 40), 0.3)
    assert larger == pytest.approx(2 * detectable_loss(with_gap, 0.3), rel=1e-3)


def test_scores_spread_as_in_the_simulation_show_it_four_times_out_of_five() -> None:
    n, generator = 40, np.random.default_rng(4)
    width = float(stats.t.ppf(0.975, n - 1))
    smallest = smallest_detectable_difference(1 / math.sqrt(n), width, n)
    # The deviation is not known but told by a sample of as many.
    told = generator.normal(0.0, 1.0, (20_000, n)).std(axis=1, ddof=1)
    samples = generator.normal(smallest * told[:, None], 1.0, (20_000, n))
    shown = (stats.ttest_1samp(samples, 0.0, axis=1).pvalue <= 0.05).mean()
    assert shown == pytest.approx(0.8, abs=4 * math.sqrt(0.8 * 0.2 / 20_000))


def test_the_engines_width_holds_what_several_runs_cost() -> None:
    values = np.random.default_rng(8).normal(0.0, 1.0, (50, 20))
    alone, together = (testing.compare_columns(v, Method()) for v in (values[:, :1], values))
    error = float(alone.sample.error[0])
    widths = float(together.width[0]), float(alone.width[0])
    assert smallest_detectable_difference(error, widths[0], 50) > smallest_detectable_difference(
        error, widths[1], 50
    )
    assert single_test_level(widths[0], 50) == pytest.approx(1 - 0.05 / 20)
    assert single_test_level(float(stats.t.ppf(0.975, 49)), 50) == pytest.approx(0.95)


@pytest.mark.parametrize(("difference", "deviation"), [(0.02, 0.2), (-0.05, 0.2), (0.003, 0.25)])
@pytest.mark.parametrize("level", [0.95, 0.997])
def test_the_number_of_queries_is_the_fewest_with_that_chance(
    difference: float, deviation: float, level: float
) -> None:
    def power(n: int) -> float:
        width = stats.t.ppf((1 + level) / 2, n - 1)
        return float(stats.nct.sf(width, n - 1, abs(difference) / deviation * math.sqrt(n)))

    needed = int(find_query_count_needed(difference, deviation, level))
    assert power(needed) >= 0.8 - 1e-4 and power(needed - 1) < 0.8 + 1e-4
    normal = ((stats.norm.ppf((1 + level) / 2) + stats.norm.ppf(0.8)) * deviation / difference) ** 2
    assert needed == pytest.approx(normal, rel=0.03, abs=6)


def test_smaller_differences_and_stricter_levels_need_more() -> None:
    sizes = [find_query_count_needed(d, 0.2, 0.95) for d in (0.2, 0.1, 0.05, 0.02, 0.01, 0.001)]
    assert sizes == sorted(sizes) and len(set(sizes)) == len(sizes)
    assert find_query_count_needed(0.05, 0.2, 0.999) > find_query_count_needed(0.05, 0.2, 0.95)
    # Back again: what so many queries show is that difference.
    n = int(find_query_count_needed(0.02, 0.2, 0.95))
    width = float(stats.t.ppf(0.975, n - 1))
    assert smallest_detectable_difference(0.2 / math.sqrt(n), width, n) == pytest.approx(
        0.02, rel=0.002
    )


def test_edges() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert smallest_detectable_difference(0.0, 2.0, 50) == 0
        assert smallest_detectable_difference(0.1, 0.0, 50) == 0
        assert math.isnan(smallest_detectable_difference(math.nan, 2.0, 50))
        assert math.isnan(smallest_detectable_difference(0.1, math.inf, 50))
        assert math.isnan(smallest_detectable_difference(0.1, 2.0, 19)), (
            "too little is known of the deviation"
        )
        for queries in (20, 9_999, 10_000, 10**6):
            for width in (0.5, 2.0, 10.0, 100.0):
                smallest = smallest_detectable_difference(0.1, width, queries)
                chance = detection_chance(smallest, 0.1, width, queries)
                assert 0.79 < chance < (0.95 if queries < 10_000 else 0.801)
        assert find_query_count_needed(0.0, 0.2, 0.95) == math.inf
        assert find_query_count_needed(1e-9, 0.2, 0.95) == math.inf
        assert find_query_count_needed(0.5, 0.1, 0.95) == 10, "fewer give no verdict"
        assert find_query_count_needed(0.5, 0.0, 0.95) == 10
        assert math.isnan(find_query_count_needed(0.5, math.nan, 0.95))
