"""The test of `resample_means` for every pair of many runs, corrected together, in bounded memory.

The p-value of a pair is that of every other comparison of the two. Corrected it is the geometric
mean of two corrections for all pairs: Holm's, and that by how far off the farthest pair is in each
draw, which knows how pairs hang together (step-down max-T: Westfall and Young, Resampling-based
multiple testing, 1993; Romano and Wolf, Exact and approximate stepdown methods, JASA 2005). Of few
queries the first finds too much and the second too little, and a pair of which one query outweighs
the rest seems far off in every third draw: by the second alone it would hide all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.base.parallel import PRODUCTS_ON_ONE_CORE, map_in_order
from metrics_core.comparing.paired_tests import holm_adjusted
from metrics_core.comparing.resampled import align_with_test, resample_means
from metrics_core.comparing.verdicts import are_significant
from metrics_core.scoring.intervals import Interval
from metrics_core.scoring.resampling import count_draws
from metrics_core.scoring.studentised import Moments, find_limits, studentise

_MOST_VALUES = 2_000_000
"""Differences, or their values in all draws, that are held at a time."""


@dataclass(frozen=True)
class PairTests:
    """What the draws say of P pairs: `mean` and `error` of their differences float64[P], `queries`
    int64[P]; `p` of a pair by itself, as in every comparison, and `p_corrected` of all together,
    NaN where a pair may not be tested. `largest` is how far off the farthest pair is in each draw,
    float64[draws]."""

    mean: Floats
    error: Floats
    queries: Ints
    p: Floats
    p_corrected: Floats
    largest: Floats

    def intervals(self, level: float) -> Interval:
        """Intervals of the means that hold for all pairs at once, and exclude zero just where the
        corrected p-value is at most 1 - level; float64[P]."""
        reach = self.error * np.quantile(self.largest, level, method="higher")
        reach[np.isnan(self.p_corrected)] = np.nan
        ends = self.mean - reach, self.mean + reach
        return Interval(
            self.mean, *align_with_test(*ends, self.mean, are_significant(self.p_corrected, level))
        )


def compare_pairs(scaled: Floats, pairs: Ints) -> PairTests:
    """The differences of pairs of runs, tested together. `scaled` is float64[R, Q], NaN where
    undefined, `pairs` int64[2, P]."""
    n_queries, n_pairs = scaled.shape[1], pairs.shape[1]
    n_draws = count_draws(n_queries)
    statistic, mean, error, p, steps = np.full((5, n_pairs), np.nan)
    queries = np.zeros(n_pairs, dtype=np.int64)
    for part in _split_pairs(np.arange(n_pairs), n_queries):
        moments = Moments.from_values(_pair_differences(scaled, pairs[:, part]))
        mean[part], error[part], queries[part] = moments.mean, moments.error, moments.queries
        statistic[part] = studentise(moments.mean, moments.error)
    largest = np.zeros(n_draws)
    # The nearest first: of each pair and all that are nearer, how far off is the farthest?
    nearest = _split_pairs(np.argsort(np.abs(statistic), kind="stable"), max(n_queries, n_draws))
    # Where the library would use all cores for one product, it is not asked for several at once.
    map_blocks = map_in_order if PRODUCTS_ON_ONE_CORE else map
    tested = map_blocks(
        lambda part: resample_means(_pair_differences(scaled, pairs[:, part])), nearest
    )
    for part, test in zip(nearest, tested, strict=True):
        p[part] = steps[part] = test.p
        if len(test.drawn):
            farthest = np.maximum.accumulate(np.column_stack([largest, test.distances]), axis=1)
            drawn_part, largest = part[test.drawn], farthest[:, -1]
            n_reached = np.count_nonzero(
                farthest[:, 1:] >= find_limits(statistic[drawn_part]), axis=0
            )
            steps[drawn_part] = np.maximum((n_reached + 1) / (n_draws + 1), p[drawn_part])
    by_size = np.argsort(-np.abs(statistic), kind="stable")
    steps[by_size] = np.fmax.accumulate(steps[by_size])
    is_single = np.count_nonzero(~np.isnan(p)) == 1
    corrected = p if is_single else np.where(np.isnan(p), np.nan, np.sqrt(holm_adjusted(p) * steps))
    return PairTests(mean, error, queries, p, corrected, largest)


def _pair_differences(scaled: Floats, pairs: Ints) -> Floats:
    """Those of some pairs, float64[Q, p]."""
    return (scaled[pairs[0]] - scaled[pairs[1]]).T


def _split_pairs(places: Ints, values_each: int) -> list[Ints]:
    """Places of pairs, of which so many have `_MOST_VALUES` values."""
    return np.split(places, range(0, len(places), max(1, _MOST_VALUES // max(values_each, 1)))[1:])
