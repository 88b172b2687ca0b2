"""Paired tests against scipy's own, the randomization test against all sign flips, the edges."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from scipy import stats

from metrics_core.comparing.method import TESTS
from metrics_core.comparing.paired_tests import (
    BY_NUMBER,
    PAIRED_TESTS,
    benjamini_hochberg_adjusted,
    bonferroni_adjusted,
    holm_adjusted,
    randomization_test,
    sidak_adjusted,
    sign_test,
    t_test,
    wilcoxon_test,
)

GENERATOR = np.random.default_rng(3)
ONE, OTHER = GENERATOR.random(40), GENERATOR.random(40) * 0.9
DIFFERENCES = ONE - OTHER
WITH_ZEROS = np.where(GENERATOR.random(40) < 0.4, 0.0, np.round(DIFFERENCES, 1))
EDGES = {
    "none": np.array([]),
    "one": np.array([0.4]),
    "one zero": np.array([0.0]),
    "two": np.array([0.3, 0.1]),
    "zeros": np.zeros(12),
    "alike": np.full(5, 0.1),
    "alike but for rounding": np.array([0.3, 0.7, 0.9]) - np.array([0.2, 0.6, 0.8]),
    "one differs": np.r_[np.zeros(30), 0.4],
    "opposite": np.tile([0.1, -0.1], 8),
    "undefined": np.array([np.nan, 0.1, -0.2, 0.3, np.nan]),
    "all undefined": np.full(4, np.nan),
    "tiny": np.array([1e-300, -2e-300, 3e-300, 1e-300]),
}


def test_t_test_as_scipys_for_pairs() -> None:
    assert t_test(DIFFERENCES) == pytest.approx(stats.ttest_rel(ONE, OTHER).pvalue, rel=1e-12)


def test_wilcoxon_as_scipys_for_pairs() -> None:
    assert wilcoxon_test(DIFFERENCES) == pytest.approx(stats.wilcoxon(ONE, OTHER).pvalue, rel=1e-12)


def test_wilcoxon_and_sign_leave_zeros_out() -> None:
    differing = WITH_ZEROS[WITH_ZEROS != 0]
    assert len(WITH_ZEROS) - len(differing) > 8
    assert wilcoxon_test(WITH_ZEROS) == pytest.approx(stats.wilcoxon(differing).pvalue, rel=1e-12)
    above = int((differing > 0).sum())
    expected = stats.binomtest(above, len(differing)).pvalue
    assert sign_test(WITH_ZEROS) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [2, 8, 13])
def test_randomization_of_few_queries_counts_all_signs(n: int) -> None:
    few = np.round(GENERATOR.normal(0.1, 0.2, n), 2)
    means = [np.mean(few * signs) for signs in product([1, -1], repeat=n)]
    extreme = sum(abs(mean) >= abs(few.mean()) - 1e-12 for mean in means)
    assert randomization_test(few) == pytest.approx(extreme / len(means), rel=1e-12)
    theirs = stats.permutation_test(
        (few,), lambda d, axis: d.mean(axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    assert randomization_test(few) == pytest.approx(theirs.pvalue, rel=1e-9)


def test_randomization_of_many_queries_is_scipys_to_chance_and_repeatable() -> None:
    theirs = stats.permutation_test(
        (DIFFERENCES,),
        lambda d, axis: d.mean(axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    )
    assert randomization_test(DIFFERENCES) == pytest.approx(theirs.pvalue, abs=0.015)
    assert randomization_test(DIFFERENCES) == randomization_test(DIFFERENCES.copy())


def test_a_drawn_p_value_is_never_zero() -> None:
    assert randomization_test(np.linspace(1, 2, 200)) == 1 / 10_000
    assert randomization_test(np.linspace(1, 2, 12)) == 2 / 2**12


@pytest.mark.parametrize("name", PAIRED_TESTS)
def test_direction_does_not_matter_and_no_difference_is_no_evidence(name: str) -> None:
    test = PAIRED_TESTS[name]
    assert test(-DIFFERENCES) == pytest.approx(test(DIFFERENCES), abs=0.01)
    assert test(np.zeros(12)) == 1
    assert test(DIFFERENCES + 2) < 0.001


@pytest.mark.parametrize("name", PAIRED_TESTS)
@pytest.mark.parametrize("edge", EDGES)
def test_no_edge_warns_or_gives_an_impossible_p_value(name: str, edge: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p = PAIRED_TESTS[name](EDGES[edge])
    few = edge in ("none", "one", "one zero", "all undefined")
    if name == "t-test" and few:
        assert np.isnan(p), "one query has no spread"
    else:
        assert 0 <= p <= 1


@pytest.mark.parametrize("name", PAIRED_TESTS)
def test_undefined_differences_are_left_out(name: str) -> None:
    gappy = np.insert(DIFFERENCES, [0, 7, 40], np.nan)
    assert PAIRED_TESTS[name](gappy) == PAIRED_TESTS[name](DIFFERENCES)


def test_t_test_of_too_few_or_constant_differences() -> None:
    assert np.isnan(t_test(np.array([0.4])))
    assert t_test(np.full(5, 0.1)) == 0
    assert t_test(EDGES["alike but for rounding"]) == 0


def test_each_test_says_what_it_asks_in_one_sentence() -> None:
    for name, test in PAIRED_TESTS.items():
        assert test.title == TESTS[name]
        assert test.question.startswith(("Tests ", "Computes ")) and test.question.count(".") == 1


def test_holm_by_hand() -> None:
    # ascending: .005·4 = .02, .01·3 = .03, .03·2 = .06, .04·1 = .04 but not below .06
    assert holm_adjusted(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx(
        [0.03, 0.06, 0.06, 0.02]
    )


def test_benjamini_hochberg_and_bonferroni_by_hand() -> None:
    values = np.array([0.01, 0.04, 0.03, 0.005])
    # ascending: .005·4/1 = .02, .01·4/2 = .02, .03·4/3 = .04, .04·4/4 = .04
    assert benjamini_hochberg_adjusted(values) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert bonferroni_adjusted(values) == pytest.approx([0.04, 0.16, 0.12, 0.02])


@pytest.mark.parametrize("name", BY_NUMBER)
def test_corrections_keep_undefined_and_stay_below_one(name: str) -> None:
    correct = BY_NUMBER[name]
    found = correct(np.array([0.5, np.nan, 0.6]))
    alone = correct(np.array([0.5, 0.6]))
    assert found[[0, 2]].tolist() == alone.tolist()
    assert (alone <= 1).all() and np.isnan(found[1])
    assert correct(np.array([])).tolist() == []
    assert np.isnan(correct(np.full(3, np.nan))).all()


def test_sidak_by_hand() -> None:
    # One of two independent tests at .02: 1 - .98 * .98.
    found = sidak_adjusted(np.array([0.02, np.nan, 1.0]), 2)
    assert found == pytest.approx([0.0396, np.nan, 1], nan_ok=True)
