"""Reasons to doubt a test of a mean difference, found in the differences themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.comparing.paired_tests import PAIRED_TESTS
from metrics_core.scoring.studentised import ALIKE

MAX_QUERIES_OF_OTHER_TESTS = 1_000
"""Maximum number of queries for which the Wilcoxon and sign tests are available.

These tests do not test the mean. With more queries, they would find even a negligible difference
significant."""

_FEW, _TENTH = 3, 0.1


@dataclass(frozen=True)
class DifferenceWarnings:
    """Facts about the score differences of two runs.

    queries      queries on which both runs have a score
    differing    queries on which the two scores differ
    carriers     smallest number of queries that make up half of the mean difference"""

    queries: int
    differing: int
    carriers: int

    @property
    def depends_on_few_queries(self) -> bool:
        """Whether at most three queries, and at most a tenth of the differing queries, make up half
        of the mean difference."""
        return 0 < self.carriers <= min(_FEW, _TENTH * self.differing)

    @property
    def has_few_differing_queries(self) -> bool:
        """Whether the runs differ on less than a tenth of the queries."""
        return 0 < self.differing < _TENTH * self.queries


def find_warnings(differences: Floats) -> DifferenceWarnings:
    """Return the facts about `differences`, float64[query], that may weaken a test. Undefined
    differences (NaN) are excluded."""
    defined = differences[~np.isnan(differences)]
    return DifferenceWarnings(
        len(defined), int((defined != 0).sum()), count_decisive_queries(defined)
    )


def count_decisive_queries(differences: Floats) -> int:
    """Return the smallest number of queries that make up half of the sum of `differences`,
    float64[query] without NaN.

    Only differences with the sign of the sum are counted, largest first. The result is 0 if the sum
    is 0."""
    total = float(differences.sum())
    size = float(np.abs(differences).sum())
    if abs(total) <= ALIKE * size:
        return 0
    largest = np.sort(differences * np.sign(total))[::-1]
    reached = np.cumsum(largest) >= abs(total) / 2 - ALIKE * size
    return int(np.argmax(reached)) + 1


def is_test_unavailable(test: str, n_queries: int) -> bool:
    """Return whether the test with this name is unavailable for this number of queries."""
    paired_test = PAIRED_TESTS.get(test)
    is_other = paired_test is not None and not paired_test.tests_mean
    return is_other and n_queries > MAX_QUERIES_OF_OTHER_TESTS
