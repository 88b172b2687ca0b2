"""What single precision leaves open is worked out again, and no more."""

from __future__ import annotations

import numpy as np
import pytest

from metrics_core.scoring.rounding import RoundingBand, mean_rounding_error, rounding_error


def test_rounding_grows_with_the_root_of_the_queries() -> None:
    assert rounding_error(10) == rounding_error(10_000) == 1e-4
    assert rounding_error(1_000_000) == pytest.approx(1e-3)
    assert mean_rounding_error(np.array([0.0, 2.0]), 4).tolist() == pytest.approx([1e-4, 6e-4])


def test_numbers_close_to_a_limit_are_undecided() -> None:
    undecided = RoundingBand.from_limits(np.array([1.0, 2.0]), 0.25)
    near = np.array([[1.25, 2.5], [0.5, 1.75]])
    assert undecided.contains(near).tolist() == [[True, False], [False, True]]


def test_a_limit_of_zero_is_always_reached_and_one_without_bound_hardly_ever() -> None:
    undecided = RoundingBand.from_mean_limits(np.array([np.inf, 3.0, 0.0]), 100)
    near = np.array([[1.0, 3.0, 0.0], [400.0, 4.0, 1e-5], [np.inf, 2.9, np.inf]])
    again = [[False, True, False], [True, False, False], [True, False, False]]
    assert undecided.contains(near).tolist() == again
