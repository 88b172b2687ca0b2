"""Many queries in random groups: every query in one, and draws of those say what single ones do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics_core.comparing.mean_intervals import bca_test
from metrics_core.comparing.paired_tests import randomization_test
from metrics_core.comparing.resampled import resample_means
from metrics_core.scoring import random_groups
from metrics_core.scoring.intervals import mean_interval
from metrics_core.scoring.random_groups import (
    MOST_SINGLE,
    choose_n_units,
    has_equal_sized_units,
    sum_by_unit,
)
from metrics_core.scoring.resampling import (
    choose_n_draws,
    iterate_draws,
    sum_draws_at,
    sum_each_draw,
)

CHANCE = np.random.default_rng(16)
MANY = 30_001


def test_up_to_so_many_queries_each_is_drawn_by_itself() -> None:
    columns = np.ones((MOST_SINGLE, 2))
    assert choose_n_units(MOST_SINGLE) == MOST_SINGLE and sum_by_unit(columns) is columns
    assert choose_n_units(MOST_SINGLE + 1) == 10_000 == choose_n_units(10**9)
    assert (
        has_equal_sized_units(7)
        and has_equal_sized_units(40_000)
        and not has_equal_sized_units(40_001)
    )
    assert choose_n_draws(10_000) == choose_n_draws(200_000) == 2_000


@settings(max_examples=15, deadline=None)
@given(n=st.integers(11, 60), seed=st.integers(0, 99))
def test_each_query_is_in_one_bag_and_bags_are_as_large(n: int, seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(random_groups, "MOST_SINGLE", 10)
        patch.setattr(random_groups, "GROUPS", 4)
        patch.setattr(random_groups, "_memo", random_groups.Memo(8))
        # Powers of two tell which queries a sum holds.
        sizes, members = sum_by_unit(np.column_stack([np.ones(n), 2.0 ** np.arange(n) % 2**50])).T
        assert sizes.sum() == n and np.ptp(sizes) <= 1
        held = np.random.default_rng(seed).random((n, 3))
        np.testing.assert_allclose(sum_by_unit(held).sum(axis=0), held.sum(axis=0))
        np.testing.assert_array_equal(sum_by_unit(held.astype(np.float32)).dtype, np.float32)
        assert members.sum() == (2.0 ** np.arange(n) % 2**50).sum()


def test_bags_are_random_and_stay_what_they_are() -> None:
    place = np.arange(MANY, dtype=np.float64)[:, None]
    found = sum_by_unit(place)
    np.testing.assert_array_equal(found, sum_by_unit(place.copy()))
    # Neighbours are apart: the sums of places vary as those of any three queries do.
    spread = found.std() / (place.std() * np.sqrt(MANY / 10_000))
    assert 0.95 < spread < 1.05


def test_a_worked_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_groups, "MOST_SINGLE", 4)
    monkeypatch.setattr(random_groups, "GROUPS", 2)
    monkeypatch.setattr(random_groups, "_memo", random_groups.Memo(8))
    monkeypatch.setattr(
        random_groups, "_assign_groups", lambda n_queries: np.array([0, 1, 0, 1, 0])
    )
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    # The groups hold 9 of three queries and 6 of two: drawn twice, and once each.
    by_draw = {(2, 0): 18 / 6, (0, 2): 12 / 4, (1, 1): 15 / 5}
    whole = sum_each_draw(np.column_stack([values, np.ones(5)]))
    found = whole[:, 0] / whole[:, 1]
    counts = np.concatenate(list(iterate_draws(5)))
    assert counts.shape[1] == 2 and {tuple(c) for c in counts.tolist()} == set(by_draw)
    assert found.tolist() == [by_draw[tuple(c)] for c in counts.tolist()]
    undefined = np.array([True, True, False, True, True])
    filled = np.where(undefined, values, 0.0)
    # Without the third query the first group holds 6 of two: every draw has the mean 3.
    holed = sum_each_draw(np.column_stack([filled, undefined.astype(np.float64)]))
    assert (holed[:, 0] == 3 * holed[:, 1]).all()


def test_sums_over_bags_are_those_of_their_queries() -> None:
    columns = CHANCE.normal(size=(MANY, 2))
    counts = np.concatenate(list(iterate_draws(MANY)))
    wanted = counts @ sum_by_unit(columns)
    np.testing.assert_allclose(sum_each_draw(columns), wanted, atol=1e-9)
    places = np.array([3, 1_999, 0])
    np.testing.assert_allclose(sum_draws_at(columns, places), wanted[places], atol=1e-9)


def test_an_interval_is_that_of_single_queries() -> None:
    values = CHANCE.exponential(size=MANY)
    found = mean_interval(values)
    half = 1.96 * values.std(ddof=1) / np.sqrt(MANY)
    assert found.mean == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - half, abs=0.12 * half)
    assert found.high == pytest.approx(values.mean() + half, abs=0.12 * half)
    singles = stats.bootstrap(
        (values,), np.mean, n_resamples=1_000, batch=100, method="percentile", random_state=5
    ).confidence_interval
    assert found.low == pytest.approx(singles.low, abs=0.2 * half)


@pytest.mark.parametrize("lacking", [False, True])
def test_p_values_are_those_of_the_t_test(lacking: bool) -> None:
    gaps = CHANCE.normal(size=(MANY, 3)) * [1.0, 0.2, 3.0]
    gaps += [0.0, 0.0024, 0.03]
    if lacking:
        gaps[CHANCE.random(gaps.shape) < 0.1] = np.nan
    found = resample_means(gaps)
    wanted = stats.ttest_1samp(gaps, 0, nan_policy="omit").pvalue
    assert found.p == pytest.approx(wanted, abs=0.03)
    known = np.sqrt((~np.isnan(gaps)).sum(axis=0))
    assert found.error == pytest.approx(np.nanstd(gaps, axis=0, ddof=1) / known)
    own = gaps[~np.isnan(gaps[:, 1]), 1]
    assert randomization_test(own) == pytest.approx(wanted[1], abs=0.02)
    assert bca_test(own)[0] == pytest.approx(wanted[1], abs=0.03)
