"""Compare two runs by judging queries in random order: the order, the queries that count, and the
verdict.

The difference of the runs may be inspected after each query. A test at 5% after each query would
be wrong in 23 of 100 cases. Here a verdict before the end of the draw needs p < 0.001, so that all
tests together are wrong in at most 6 of 100 cases by the end of the first draw, and in about 7 of
100 after more queries are drawn (benchmarks/drawn_judging.py, 4,000 simulated studies)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Mask
from metrics_core.base.errors import ParameterError
from metrics_core.comparing.power import smallest_detectable_difference

EARLY_LEVEL, END_LEVELS = 0.999, (0.95, 0.98)
"""Confidence levels of a verdict: the level before the end of a draw, and a pair of levels at its
end. The first of the pair applies when the first draw ends, the second at later ends, after more
queries were drawn."""
GUESSED_DEVIATION = 0.25
"""Assumed standard deviation of the differences on queries whose results differ between the
runs."""


@dataclass(frozen=True)
class QueryDraw:
    """Queries drawn at random.

    `sizes` has the number of queries in the first draw, followed by the numbers that were added
    later (*draw more*). The same `seed` and queries result in the same order. `left_out` are the
    ids of drawn queries that the judge skipped and that do not count. `date` is the day of the
    first draw, as text."""

    seed: int
    sizes: tuple[int, ...]
    left_out: tuple[str, ...] = ()
    date: str = "an unknown day"

    def __post_init__(self) -> None:
        """Raise ParameterError if a size is not a positive whole number."""
        if not self.sizes or any(type(size) is not int or size < 1 for size in self.sizes):
            raise ParameterError(
                f"{self.sizes} are not valid sizes of a random sample of queries.",
                "Give one or more whole numbers, each at least 1.",
            )

    @property
    def size(self) -> int:
        """The number of queries to draw. Fewer are drawn if the collection is smaller."""
        return sum(self.sizes)

    def judging_order(self, query_ids: Sequence[str]) -> list[str]:
        """Return the drawn queries that are not left out, in the order in which to judge them. The
        order of `query_ids` has no effect."""
        sorted_ids = sorted(query_ids)
        positions = np.random.default_rng(self.seed).permutation(len(sorted_ids))
        drawn = [sorted_ids[position] for position in positions[: self.size]]
        return [query_id for query_id in drawn if query_id not in self.left_out]

    def level(self, n_counted: int, n_queries: int) -> float:
        """Return the confidence level of a verdict on the first `n_counted` queries of
        `judging_order`.

        `n_queries` is the number of queries in the collection."""
        ends = np.minimum(np.cumsum(self.sizes), n_queries).tolist()
        if n_counted + len(self.left_out) < ends[-1]:
            return EARLY_LEVEL
        return END_LEVELS[min(ends.index(ends[-1]), len(END_LEVELS) - 1)]


def count_leading_finished_queries(is_finished: Mask) -> int:
    """Return the number of queries that count: the queries before the first unfinished one.

    `is_finished` bool[query] is in the order of the draw. A query with the same documents in both
    runs needs no judgments, so it is finished from the start. It does not count while an earlier
    query is unfinished, because counting such queries first would pull the difference towards 0."""
    return len(is_finished) if is_finished.all() else int(np.argmin(is_finished))


def detectable_difference(n_drawn: int, changed_share: float) -> float:
    """Return a rough estimate of the smallest difference that `n_drawn` queries would detect with
    80% power.

    The differences are assumed to have the standard deviation `GUESSED_DEVIATION` on the queries
    whose documents changed (a share of `changed_share`), and to be 0 on all other queries. The
    result is NaN if there are too few queries."""
    from scipy import special

    if n_drawn < 2:
        return math.nan
    width = float(special.stdtrit(n_drawn - 1, (1 + END_LEVELS[0]) / 2))
    error = GUESSED_DEVIATION * math.sqrt(changed_share / n_drawn)
    return smallest_detectable_difference(error, width, n_drawn)
