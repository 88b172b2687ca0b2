"""Smaller than matters: against two one-sided t-tests of scipy, and the interval that agrees."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from metrics_core.comparing.equivalence import equivalence_p, suggested_margin, within
from metrics_core.comparing.pairs import SAME
from metrics_core.errors import ParameterError


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("margin", [0.02, 0.05, 0.3])
def test_as_two_one_sided_t_tests(seed: int, margin: float) -> None:
    generator = np.random.default_rng(seed)
    values = generator.normal(0.03, 0.15, 60) * generator.choice([-1, 1])
    above = stats.ttest_1samp(values, -margin, alternative="greater").pvalue
    below = stats.ttest_1samp(values, margin, alternative="less").pvalue
    error = values.std(ddof=1) / np.sqrt(60)
    p = equivalence_p(values.mean(), error, 60, margin)
    assert float(p) == pytest.approx(max(above, below), rel=1e-9)
    low, high = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    assert bool(within(values.mean(), error, 60, margin)) == (-margin < low and high < margin)


def test_edges_and_several_at_once() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = within([0.0, 0.02, 0.01, 0.0, 0.0], [0.0, 0.0, 0.0, 0.001, np.nan], 40, 0.01)
        assert found.tolist() == [True, False, False, True, False]
        assert not within(0.0, 0.0, 1, 0.01), "one query shows nothing"
        assert np.isnan(equivalence_p(0.0, 0.0, 0, 0.01))
    for margin in (0.0, -0.1, float("nan"), float("inf")):
        with pytest.raises(ParameterError, match="is none"):
            within(0.0, 0.1, 40, margin)


def test_a_difference_at_the_margin_is_found_within_in_one_of_twenty_samples() -> None:
    samples = np.random.default_rng(6).normal(0.5, 1.0, (20_000, 100))
    error = samples.std(axis=1, ddof=1) / 10
    rate = within(samples.mean(axis=1), error, 100, 0.5).mean()
    assert rate == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 20_000))


@pytest.mark.parametrize(
    ("measure", "margin"), [("nDCG@10", SAME), ("AP", 0.01), ("DCG@10", None), ("NumRet", None)]
)
def test_a_margin_to_begin_with_comes_from_the_scale(measure: str, margin: float | None) -> None:
    assert suggested_margin(measure) == margin
