"""What makes a test of a mean difference doubtful, read off the differences themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics_core.comparing.resampled import ALIKE
from metrics_core.comparing.tests import PAIRED_TESTS

Floats = npt.NDArray[np.float64]

MOST_OF_ANOTHER_HYPOTHESIS = 1_000
"""With more queries Wilcoxon's and the sign test are greyed: they do not ask about the mean, and of
so many queries they find whatever differs at all."""

_FEW, _TENTH = 3, 0.1
_COCHRAN = 25
_STRONG, _MANY = 1.0, 50


@dataclass(frozen=True)
class Doubts:
    """Facts about the differences of two runs, over the `queries` on which both have a score.

    differing    queries on which they differ at all
    carriers     the fewest queries that carry half of the mean difference
    skewness     the third moment of the differences in standard deviations; 0 where all are alike
    """

    queries: int
    differing: int
    carriers: int
    skewness: float

    @property
    def ties(self) -> float:
        """The share of queries without a difference; NaN without queries."""
        return 1 - self.differing / self.queries if self.queries else float("nan")

    @property
    def queries_for_skewness(self) -> float:
        """How many queries a mean of so skewed differences needs so that an interval of 95 % is
        wrong in no more than 6 % of the cases: 25 times the squared skewness (Cochran, Sampling
        techniques, 3rd ed. 1977, section 2.15)."""
        return _COCHRAN * self.skewness**2

    @property
    def skewed(self) -> bool:
        """Whether there are fewer queries than so skewed differences need."""
        return self.queries <= self.queries_for_skewness

    @property
    def strongly_skewed(self) -> bool:
        """Whether a verdict had better be withheld: so skewed that Cochran's rule is broken and the
        skewness beyond 1, on fewer than 50 queries.

        Of 10 and 20 lognormal differences whose mean is zero, 11 % are found to differ at the level
        of 95 %, and 9 % and 5 % once these are left out; of normal ones 8 % and 4 % of the samples
        are left out for nothing. From 50 queries on 7 % are found, so there it is said and no more.
        What nobody can see is a rare large difference that no query of the sample has
        (benchmarks/simulations.py).
        """
        strong = self.skewed and abs(self.skewness) > _STRONG
        return strong and self.queries < _MANY

    @property
    def carried_by_few(self) -> bool:
        """Whether at most three queries, and at most a tenth of those that differ, carry half."""
        return 0 < self.carriers <= min(_FEW, _TENTH * self.differing)

    @property
    def few_differ(self) -> bool:
        """Whether the runs differ on less than a tenth of the queries."""
        return 0 < self.differing < _TENTH * self.queries


def doubts(differences: Floats) -> Doubts:
    """The facts about float64[Q]; undefined differences (NaN) are left out."""
    known = differences[~np.isnan(differences)]
    return Doubts(len(known), int((known != 0).sum()), carried_by(known), skewness(known))


def withheld(differences: Floats) -> npt.NDArray[np.bool_]:
    """Which columns of float64[Q, C] are too skewed for so few queries to be tested; bool[C]."""
    found = np.zeros(differences.shape[1], dtype=bool)
    if len(differences) and (~np.isnan(differences)).sum(axis=0).min(initial=_MANY) < _MANY:
        found[:] = [doubts(column).strongly_skewed for column in differences.T]
    return found


def carried_by(differences: Floats) -> int:
    """The fewest queries whose differences, in the direction of the mean, make up half of the sum
    of all; 0 where that is 0. float64[Q] without NaN."""
    total = float(differences.sum())
    size = float(np.abs(differences).sum())
    if abs(total) <= ALIKE * size:
        return 0
    largest = np.sort(differences * np.sign(total))[::-1]
    reached = np.cumsum(largest) >= abs(total) / 2 - ALIKE * size
    return int(np.argmax(reached)) + 1


def skewness(differences: Floats) -> float:
    """The third central moment in standard deviations; 0 where all are alike or there are none."""
    if not len(differences):
        return 0.0
    centred = differences - differences.mean()
    spread = float(np.sqrt(np.square(centred).mean()))
    if spread <= ALIKE * float(np.abs(differences).max()):
        return 0.0
    return float(((centred / spread) ** 3).mean())


def asks_something_else(test: str, queries: int) -> bool:
    """Whether a test by this name is to be greyed with so many queries."""
    declared = PAIRED_TESTS.get(test)
    other = declared is not None and not declared.of_the_mean
    return other and queries > MOST_OF_ANOTHER_HYPOTHESIS
