"""Sums over draws: several matrices at a time come out as each by itself, on one core or more."""

from __future__ import annotations

import numpy as np
import pytest

from metrics_core.scoring import resampling
from metrics_core.scoring.intervals import mean_interval, mean_intervals
from metrics_core.scoring.resampling import (
    choose_n_draws,
    iterate_draws,
    split_by_memory,
    sum_draws_of_matrices,
    sum_each_draw,
)

CHANCE = np.random.default_rng(8)


def plainly(columns: np.ndarray) -> np.ndarray:
    return np.concatenate([counts @ columns for counts in iterate_draws(len(columns))])


@pytest.mark.parametrize("on_one_core", [False, True])
def test_matrices_of_as_many_queries_are_multiplied_together(
    on_one_core: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resampling, "PRODUCTS_ON_ONE_CORE", on_one_core)
    monkeypatch.setattr(resampling, "_TOGETHER", 8)
    shapes = [(60, 3), (1, 2), (60, 30), (130, 4), (60, 5), (60, 2)]
    several = [CHANCE.normal(size=shape) for shape in shapes]
    for columns, found in zip(several, sum_draws_of_matrices(several), strict=True):
        np.testing.assert_allclose(found, plainly(columns), atol=1e-12)


def test_the_first_draws_are_those_of_all() -> None:
    columns = CHANCE.normal(size=(50, 20))
    np.testing.assert_allclose(
        sum_each_draw(columns, 700), sum_each_draw(columns)[:700], atol=1e-12
    )


def test_single_precision_stays_what_it_is() -> None:
    (found,) = sum_draws_of_matrices([CHANCE.normal(size=(40, 2)).astype(np.float32)])
    assert found.dtype == np.float32


def test_portions_hold_no_more_than_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "_MOST_CELLS", 3 * choose_n_draws(10))
    shapes = [(10, 1), (10, 2), (10, 1), (10, 9), (10, 3)]
    assert list(split_by_memory(shapes)) == [slice(0, 2), slice(2, 3), slice(3, 4), slice(4, 5)]
    assert list(split_by_memory([])) == []


def test_groups_of_queries_have_the_draws_that_each_has_alone() -> None:
    groups = [CHANCE.random((n, 3)) for n in (12, 30, 12, 1)]
    groups[1][:25, 0] = np.nan
    groups[2][:, 1] = np.nan
    for values, found in zip(groups, mean_intervals(groups), strict=True):
        for together, alone in zip(found, mean_interval(values), strict=True):
            np.testing.assert_allclose(together, alone, atol=1e-12)
