"""Paired tests against scipy's own, the randomization test against all sign flips."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from metrics_core.comparing.tests import PAIRED_TESTS, holm, randomization, t_test, wilcoxon

GENERATOR = np.random.default_rng(3)
ONE, OTHER = GENERATOR.random(40), GENERATOR.random(40) * 0.9
DIFFERENCES = ONE - OTHER


def test_t_test_as_scipys_for_pairs() -> None:
    assert t_test(DIFFERENCES) == pytest.approx(stats.ttest_rel(ONE, OTHER).pvalue, rel=1e-12)


def test_wilcoxon_as_scipys_for_pairs() -> None:
    assert wilcoxon(DIFFERENCES) == pytest.approx(stats.wilcoxon(ONE, OTHER).pvalue, rel=1e-12)


def test_randomization_of_few_queries_counts_all_signs() -> None:
    few = np.array([0.3, 0.1, -0.05, 0.2, 0.0, 0.15, -0.1, 0.25])
    means = [np.mean(few * signs) for signs in product([1, -1], repeat=len(few))]
    extreme = sum(abs(mean) >= abs(few.mean()) - 1e-12 for mean in means)
    assert randomization(few) == pytest.approx(extreme / len(means), rel=1e-12)


def test_randomization_of_many_queries_is_near_the_t_test_and_repeatable() -> None:
    assert randomization(DIFFERENCES) == pytest.approx(t_test(DIFFERENCES), abs=0.02)
    assert randomization(DIFFERENCES) == randomization(DIFFERENCES.copy())


@pytest.mark.parametrize("name", PAIRED_TESTS)
def test_direction_does_not_matter_and_no_difference_is_no_evidence(name: str) -> None:
    test = PAIRED_TESTS[name]
    assert test(-DIFFERENCES) == pytest.approx(test(DIFFERENCES), abs=0.01)
    assert test(np.zeros(12)) == 1
    assert test(DIFFERENCES + 2) < 0.001


def test_t_test_of_too_few_or_constant_differences() -> None:
    assert np.isnan(t_test(np.array([0.4])))
    assert np.isnan(t_test(np.array([0.0])))
    assert np.isnan(t_test(np.array([])))
    assert t_test(np.full(5, 0.1)) == 0
    assert (
        t_test(np.array([0.3, 0.7, 0.9]) - np.array([0.2, 0.6, 0.8])) == 0
    )  # 0.1 but for rounding


def test_holm_by_hand() -> None:
    # ascending: .005·4 = .02, .01·3 = .03, .03·2 = .06, .04·1 = .04 but not below .06
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_keeps_undefined_and_stays_below_one() -> None:
    corrected = holm(np.array([0.5, np.nan, 0.6]))
    assert corrected[[0, 2]].tolist() == [1, 1]
    assert np.isnan(corrected[1])
    assert holm(np.array([])).tolist() == []
