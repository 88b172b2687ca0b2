"""Paired tests of two runs over the same queries, and corrections for many comparisons (scipy).

scipy.stats is imported where a test is made: it takes longer to import than a small run to score.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_RESAMPLES = 9_999
_SEED = 20_260
_ROUNDING = 1e-12
"""Differences that vary by less than this share of themselves are one and the same."""


def t_test(differences: Floats) -> float:
    """Two-sided p-value of the paired t-test; 1 where every difference is 0, NaN below two."""
    from scipy import stats

    if not np.any(differences):
        return 1.0 if len(differences) > 1 else float("nan")
    if np.ptp(differences) <= _ROUNDING * np.abs(differences).max():
        return float("nan") if len(differences) < 2 else 0.0
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


def wilcoxon(differences: Floats) -> float:
    """Two-sided p-value of Wilcoxon's signed-rank test; 1 where every difference is 0."""
    from scipy import stats

    if not np.any(differences):
        return 1.0
    return float(stats.wilcoxon(differences).pvalue)


def randomization(differences: Floats) -> float:
    """Two-sided p-value of Fisher's randomization test: signs of the differences at random."""
    from scipy import stats

    if not np.any(differences):
        return 1.0
    test = stats.permutation_test(
        (differences,),
        lambda d, axis: np.mean(d, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=_RESAMPLES,
        batch=max(1, 4_000_000 // max(len(differences), 1)),
        rng=np.random.default_rng(_SEED),
    )
    return float(test.pvalue)


PAIRED_TESTS: dict[str, Callable[[Floats], float]] = {
    "t-test": t_test,
    "wilcoxon": wilcoxon,
    "randomization": randomization,
}


def holm(p_values: Floats) -> Floats:
    """p-values corrected for their number (Holm 1979), in the given order; NaN stays NaN."""
    corrected = np.full(len(p_values), np.nan)
    defined = np.flatnonzero(~np.isnan(p_values))
    order = defined[np.argsort(p_values[defined], kind="stable")]
    steps = p_values[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected
