"""Intervals of one mean: as scipy's, and in agreement with their p-value."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics_core.comparing.mean_intervals import (
    bca_test,
    margin_interval,
    t_interval,
)
from metrics_core.comparing.paired_tests import t_test
from metrics_core.comparing.resampled import resample_means


@pytest.mark.parametrize("n", [12, 40, 300])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_bca_is_scipys_but_for_chance(n: int, level: float) -> None:
    values = np.random.default_rng(n).exponential(1.0, n) - 0.7
    theirs = np.array(
        [
            stats.bootstrap(
                (values,),
                np.mean,
                method="BCa",
                confidence_level=level,
                n_resamples=9_999,
                rng=seed,
            ).confidence_interval
            for seed in range(12)
        ]
    )
    off = (np.array(bca_test(values, level)[1]) - theirs.mean(axis=0)) / theirs.std(axis=0, ddof=1)
    assert (np.abs(off) < 4).all()
    shift = theirs.mean() - values.mean()
    assert shift > 0.05 * values.std() / np.sqrt(n), "skewed, so that the correction shows"


def test_t_interval_is_scipys() -> None:
    values = np.random.default_rng(1).normal(0.1, 1.0, 25)
    theirs = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    assert t_interval(values, 0.9) == pytest.approx((theirs.low, theirs.high), rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 30),
    st.floats(-1, 1),
    st.sampled_from([0, 1, 3]),
    st.integers(0, 2**31),
    st.sampled_from([0.8, 0.95, 0.99]),
)
def test_an_interval_excludes_zero_just_where_its_p_value_says_so(
    n: int, shift: float, digits: int, seed: int, level: float
) -> None:
    values = np.round(np.random.default_rng(seed).normal(shift, 1.0, n), digits)
    p, (low, high) = bca_test(values, level)
    assert 0 <= p <= 1 and low <= high
    assert (low > 0 or high < 0) == (p <= 1 - level + 1e-12)
    low, high = t_interval(values, level)
    assert (low > 0 or high < 0) == (t_test(values) < 1 - level)


@pytest.mark.parametrize("interval", [lambda values: bca_test(values)[1], t_interval])
def test_edges(interval) -> None:  # type: ignore[no-untyped-def]
    assert np.isnan(interval(np.array([]))).all()
    assert np.isnan(interval(np.array([0.5]))).all()
    assert interval(np.zeros(12)) == (0, 0)
    assert interval(np.full(12, 0.1)) == pytest.approx((0.1, 0.1))
    one = interval(np.r_[np.zeros(30), 0.4])
    assert not np.isnan(one).any() and one.low <= 0


def test_a_bca_p_value_is_near_the_t_tests_and_never_zero() -> None:
    values = np.random.default_rng(9).normal(0.25, 1.0, 60)
    assert bca_test(values)[0] == pytest.approx(t_test(values), abs=0.03)
    assert bca_test(values + 5)[0] > 0
    assert bca_test(np.zeros(12))[0] == 1


def sparse(n: int, differ: int) -> npt.NDArray[np.float64]:
    """So few of n queries differ, and by so little on average that no end is held to zero."""
    own = np.random.default_rng(n).normal(0.0, 0.2, differ)
    return np.concatenate([own - own.mean() - 0.01, np.zeros(n - differ)])


@pytest.mark.parametrize(("n", "differ"), [(10, 6), (30, 6), (104, 12), (250, 25), (5_000, 9)])
def test_each_end_of_a_margins_interval_is_as_far_off_as_its_own_error_allows(
    n: int, differ: int
) -> None:
    """Literally: those that differ are moved until the mean is the end, and vary as before."""
    gaps, share = sparse(n, differ), differ / n
    found = margin_interval(resample_means(gaps[:, None]), 0.1, np.array([False]))
    for end, side in ((found.low[0], 1), (found.high[0], -1)):
        moved = gaps[:differ] - gaps[:differ].mean() + end / share
        variance = share * (moved.var(ddof=1) + moved.mean() ** 2) - end**2
        off = side * (gaps.mean() - end) / np.sqrt(variance / n)
        assert off == pytest.approx(stats.t.ppf(0.9725, n - 1), rel=1e-9)


def test_where_every_query_differs_a_margins_interval_is_that_of_t() -> None:
    gaps = sparse(40, 40)
    found = margin_interval(resample_means(gaps[:, None]), 0.1, np.array([False]))
    assert (found.low[0], found.high[0]) == pytest.approx(t_interval(gaps, 0.945), rel=1e-9)


def test_a_margins_interval_without_a_test_or_without_a_difference() -> None:
    gaps = np.column_stack([np.zeros(30), np.full(30, -0.2), sparse(30, 5), np.full(30, np.nan)])
    sample = resample_means(gaps)
    found = margin_interval(sample, 0.1, sample.p <= 0.1)
    assert (found.low[0], found.high[0]) == (0, 0)
    assert found.low[1] == pytest.approx(-0.2) and -0.2 < found.high[1] < 0
    assert np.isnan(found.low[2:]).all() and np.isnan(found.high[2:]).all()
