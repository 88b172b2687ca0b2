"""Paired tests of two runs over the same queries, and corrections of p-values by their number.

They stand beside the draws of `resampled`, for those who compare with what others report. What each
one asks, and whether its p-values are fine enough to be multiplied, is declared here.
scipy.stats is imported where a test is made: it takes longer to import than a small run to score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics_core.base.errors import ParameterError
from metrics_core.scoring.random_groups import in_groups

Floats = npt.NDArray[np.float64]

_DRAWS = 9_999
_SEED = 20_260
_ENUMERATED = 15
"""Up to so many queries every choice of signs is counted: 32,768 of them."""
_BLOCK = 4_000_000
_ROUNDING = 1e-12
"""Differences that vary by less than this share of themselves are one and the same."""


def alike(differences: Floats) -> bool:
    """Whether two or more differences are one and the same but for rounding."""
    if len(differences) < 2:
        return False
    return bool(np.ptp(differences) <= _ROUNDING * np.abs(differences).max())


def t_test(differences: Floats) -> float:
    """Two-sided p-value of the paired t-test; 1 where every difference is 0, NaN below two."""
    from scipy import stats

    if len(differences) < 2:
        return float("nan")
    if alike(differences):
        return 0.0 if differences.any() else 1.0
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


def wilcoxon(differences: Floats) -> float:
    """Two-sided p-value of Wilcoxon's signed-rank test; differences of 0 are left out, and it is 1
    where all are."""
    from scipy import stats

    differing = differences[differences != 0]
    return float(stats.wilcoxon(differing).pvalue) if len(differing) else 1.0


def sign_test(differences: Floats) -> float:
    """Two-sided p-value of the sign test; differences of 0 are left out, and it is 1 where all
    are."""
    from scipy import stats

    above, below = int((differences > 0).sum()), int((differences < 0).sum())
    return float(stats.binomtest(above, above + below).pvalue) if above + below else 1.0


def randomization(differences: Floats) -> float:
    """Two-sided p-value of Fisher's randomization test: signs of the differences at random.

    All choices of signs are counted up to 15 queries; of more 9,999 are drawn, the same each time,
    and the data count as one of them. Of more than 20,000 queries the signs of random groups of
    them change (`scoring.random_groups`): some of all choices, closed under each other, so that the
    test keeps its level (Hemerik and Goeman, Exact testing with random permutations, TEST 2018).
    """
    differences = in_groups(differences[:, None])[:, 0]
    n = len(differences)
    size = float(np.abs(differences).sum())
    if not size:
        return 1.0
    # A choice that ties with the data may by rounding fall to either side of it.
    limit = abs(float(differences.sum())) - _ROUNDING * size
    if n <= _ENUMERATED:
        chosen = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        return float((_flipped(differences, chosen) >= limit).mean())
    generator = np.random.default_rng(_SEED)
    step = max(1, _BLOCK // n)
    as_far = 0
    for start in range(0, _DRAWS, step):
        rows = min(step, _DRAWS - start)
        bits = np.frombuffer(generator.bytes(rows * -(-n // 8)), dtype=np.uint8)
        flips = np.unpackbits(bits.reshape(rows, -1), axis=1, count=n)
        as_far += int((_flipped(differences, flips) >= limit).sum())
    return (as_far + 1) / (_DRAWS + 1)


def _flipped(differences: Floats, chosen: npt.NDArray[np.integer]) -> Floats:
    """How far off the sum is with the sign of the chosen differences changed."""
    return np.abs(differences.sum() - 2 * (chosen.astype(np.float64) @ differences))


def _of_the_mean(differences: Floats) -> float:
    return float(np.sign(differences.sum()))


def _of_the_ranks(differences: Floats) -> float:
    from scipy import stats

    return float(np.sign((stats.rankdata(np.abs(differences)) * np.sign(differences)).sum()))


def _of_the_signs(differences: Floats) -> float:
    return float(np.sign(np.sign(differences).sum()))


@dataclass(frozen=True)
class PairedTest:
    """A test: its name in a sentence, what it asks, and its two-sided p-value of float64[Q].

    `of_the_mean` says that it asks whether the mean differs from 0, as the verdict does;
    `countable` that its p-values can be as small as they need be, so that they may be corrected by
    their number; `without_zeros` that it leaves out queries on which the runs do not differ. `side`
    is 1 where it finds more of the differences float64[Q] above 0, -1 where below.
    """

    title: str
    question: str
    p_value: Callable[[Floats], float]
    of_the_mean: bool = True
    countable: bool = True
    without_zeros: bool = False
    side: Callable[[Floats], float] = _of_the_mean

    def __call__(self, differences: Floats) -> float:
        """The p-value; undefined differences (NaN) are left out."""
        return self.p_value(differences[~np.isnan(differences)])

    def left_out(self, differences: Floats) -> int:
        """How many defined differences it does not look at, because they are 0."""
        return int((differences == 0).sum()) if self.without_zeros else 0


PAIRED_TESTS: dict[str, PairedTest] = {
    "t-test": PairedTest(
        "t-test of the mean",
        "It asks whether the mean difference could be zero, if differences are spread like a bell.",
        t_test,
    ),
    "randomization": PairedTest(
        "random signs",
        "It asks how often a mean this far from zero comes up when the two runs are swapped at"
        " random on each query.",
        randomization,
        countable=False,
    ),
    "wilcoxon": PairedTest(
        "Wilcoxon's signed ranks",
        "It asks whether differences lie evenly about zero, by their order of size; queries without"
        " a difference are left out.",
        wilcoxon,
        of_the_mean=False,
        without_zeros=True,
        side=_of_the_ranks,
    ),
    "sign": PairedTest(
        "sign test",
        "It asks whether as many queries are won as lost, however large the differences; queries"
        " without a difference are left out.",
        sign_test,
        of_the_mean=False,
        without_zeros=True,
        side=_of_the_signs,
    ),
}
"""Tests by name."""


def holm(p_values: Floats) -> Floats:
    """p-values corrected for their number (Holm 1979), in the given order; NaN stays NaN."""
    corrected = np.full(len(p_values), np.nan)
    defined = np.flatnonzero(~np.isnan(p_values))
    order = defined[np.argsort(p_values[defined], kind="stable")]
    steps = p_values[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def benjamini_hochberg(p_values: Floats) -> Floats:
    """p-values corrected so that few of those found are false (Benjamini and Hochberg 1995), in the
    given order; NaN stays NaN."""
    from scipy import stats

    corrected = np.full(len(p_values), np.nan)
    defined = ~np.isnan(p_values)
    if defined.any():
        corrected[defined] = stats.false_discovery_control(p_values[defined])
    return corrected


def bonferroni(p_values: Floats) -> Floats:
    """p-values times their number; NaN stays NaN."""
    return np.minimum(p_values * int((~np.isnan(p_values)).sum()), 1.0)


BY_NUMBER: dict[str, Callable[[Floats], Floats]] = {
    "holm": holm,
    "benjamini-hochberg": benjamini_hochberg,
    "bonferroni": bonferroni,
}
"""Corrections of p-values by their number, by name."""


def corrected(p_values: Floats, test: str, correction: str) -> Floats:
    """The p-values of a test, corrected by their number. Raises ParameterError where the test or
    the correction is unknown, and where its p-values are counts of draws."""
    if correction not in BY_NUMBER:
        raise ParameterError(
            f"There is no correction {correction!r} by number.",
            f"There are: {', '.join(BY_NUMBER)}.",
        )
    declared = PAIRED_TESTS.get(test)
    if declared is None or not declared.countable:
        fine = ", ".join(name for name, other in PAIRED_TESTS.items() if other.countable)
        raise ParameterError(
            f"The p-values of {test} cannot be corrected by {correction}: they are counts of draws,"
            " and the smallest that so many draws can give may be too large once it is multiplied.",
            f"max-t corrects the draws of the bootstrap themselves; {correction} takes {fine}.",
        )
    return BY_NUMBER[correction](p_values)
