"""Paired tests of two runs on the same queries, and corrections for the number of p-values.

The tests are alternatives to `resample_means`, for comparison with published results. `PairedTest`
declares the hypothesis of each test, and whether its p-values can be small enough for a correction.
scipy.stats is imported inside the functions, because importing it takes longer than scoring a small
run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.comparing.random_signs import random_sign_p_values

_ROUNDING = 1e-12
"""Differences that vary by less than this share of their size are treated as equal."""


def are_differences_equal(differences: Floats) -> bool:
    """Return whether all `differences`, float64[query], have the same value except for rounding.
    False if there are fewer than two."""
    if len(differences) < 2:
        return False
    return bool(np.ptp(differences) <= _ROUNDING * np.abs(differences).max())


def t_test(differences: Floats) -> float:
    """Return the two-sided p-value of the paired t-test of `differences`, float64[query] without
    NaN. It is 1 if every difference is 0, and NaN for fewer than two differences."""
    from scipy import stats

    if len(differences) < 2:
        return float("nan")
    if are_differences_equal(differences):
        return 0.0 if differences.any() else 1.0
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


def wilcoxon_test(differences: Floats) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test of `differences`, float64[query]
    without NaN. Differences of 0 are excluded; the p-value is 1 if all are 0."""
    from scipy import stats

    differing = differences[differences != 0]
    return float(stats.wilcoxon(differing).pvalue) if len(differing) else 1.0


def sign_test(differences: Floats) -> float:
    """Return the two-sided p-value of the sign test of `differences`, float64[query] without NaN.
    Differences of 0 are excluded; the p-value is 1 if all are 0."""
    from scipy import stats

    above, below = int((differences > 0).sum()), int((differences < 0).sum())
    return float(stats.binomtest(above, above + below).pvalue) if above + below else 1.0


def randomization_test(differences: Floats) -> float:
    """Return the two-sided p-value of Fisher's randomization test of `differences`, float64[query]
    without NaN (`random_sign_p_values`)."""
    return float(random_sign_p_values(differences[:, None])[0])


def _sign_of_sum(differences: Floats) -> float:
    return float(np.sign(differences.sum()))


def _sign_of_rank_sum(differences: Floats) -> float:
    from scipy import stats

    return float(np.sign((stats.rankdata(np.abs(differences)) * np.sign(differences)).sum()))


def _sign_of_sign_sum(differences: Floats) -> float:
    return float(np.sign(np.sign(differences).sum()))


@dataclass(frozen=True)
class PairedTest:
    """A paired test: its title, its hypothesis in a sentence, and a function that takes differences
    float64[query] and returns the two-sided p-value.

    `tests_mean` is true if both the hypothesis and the verdict are about the mean. `countable` is
    true if the test can be combined with a correction, which requires that its p-values can be
    arbitrarily small. `side` is a function that returns 1 if the test favours positive differences
    float64[query], and -1 if it favours negative ones."""

    title: str
    question: str
    p_value: Callable[[Floats], float]
    tests_mean: bool = True
    countable: bool = True
    side: Callable[[Floats], float] = _sign_of_sum

    def __call__(self, differences: Floats) -> float:
        """Return the p-value of `differences`, float64[query]. Undefined differences (NaN) are
        excluded."""
        return self.p_value(differences[~np.isnan(differences)])


PAIRED_TESTS: dict[str, PairedTest] = {
    "t-test": PairedTest(
        "paired t-test",
        "Tests whether the mean difference could be zero, assuming normally distributed"
        " differences.",
        t_test,
    ),
    "randomization": PairedTest(
        "randomisation test",
        "Computes how often a mean difference at least this far from zero occurs if the two"
        " runs are swapped at random on each query.",
        randomization_test,
        countable=False,
    ),
    "wilcoxon": PairedTest(
        "Wilcoxon signed-rank test",
        "Tests whether the differences are symmetric around zero, based on their signs and ranks;"
        " queries without a difference are excluded.",
        wilcoxon_test,
        tests_mean=False,
        side=_sign_of_rank_sum,
    ),
    "sign": PairedTest(
        "sign test",
        "Tests whether as many queries are won as lost, regardless of the size of the differences;"
        " queries without a difference are excluded.",
        sign_test,
        tests_mean=False,
        side=_sign_of_sign_sum,
    ),
}
"""Paired tests by name."""


def holm_adjusted(p_values: Floats) -> Floats:
    """Return p-values float64[n] corrected by Holm's method (1979), in the same order. NaN stays
    NaN."""
    corrected = np.full(len(p_values), np.nan)
    defined = np.flatnonzero(~np.isnan(p_values))
    order = defined[np.argsort(p_values[defined], kind="stable")]
    steps = p_values[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def benjamini_hochberg_adjusted(p_values: Floats) -> Floats:
    """Return p-values float64[n] adjusted for the false discovery rate (Benjamini and Hochberg
    1995), in the same order. NaN stays NaN."""
    from scipy import stats

    corrected = np.full(len(p_values), np.nan)
    defined = ~np.isnan(p_values)
    if defined.any():
        corrected[defined] = stats.false_discovery_control(p_values[defined])
    return corrected


def bonferroni_adjusted(p_values: Floats) -> Floats:
    """Return p-values float64[n], each multiplied by the number of defined p-values and limited to
    1 (Bonferroni). NaN stays NaN."""
    return np.minimum(p_values * int((~np.isnan(p_values)).sum()), 1.0)


def sidak_adjusted(p_values: Floats, n_tests: int) -> Floats:
    """Return p-values float64[n] corrected for `n_tests` independent tests (Šidák 1967); NaN stays
    NaN."""
    with np.errstate(divide="ignore"):
        return -np.expm1(n_tests * np.log1p(-np.minimum(p_values, 1.0)))


BY_NUMBER: dict[str, Callable[[Floats], Floats]] = {
    "holm": holm_adjusted,
    "benjamini-hochberg": benjamini_hochberg_adjusted,
    "bonferroni": bonferroni_adjusted,
}
"""Corrections that depend only on the p-values and their number, by name."""
