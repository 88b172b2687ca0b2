"""Is a mean of paired differences real? One p-value of each column, from draws of its queries.

Two ways to ask err on different sides. Queries are drawn again with replacement, the same draws
for every column; in each a column's mean is taken relative to what it is in the data, and to its
own standard error in that draw (the bootstrap-t: Efron and Tibshirani, An introduction to the
bootstrap, 1993, ch. 12). Of few queries it finds too little. Random signs find too much where
differences are skewed. Up to `FEW` queries the p-value is the geometric mean of the two, seven
parts of the draws to three of the signs, which is wrong as seldom as it says on the differences of
real runs and of scores near the ends of their scale, and finds nearly what a t-test does
(benchmarks/simulations.py has the trial); beyond, the two are alike, and it is that of the draws.

A draw may lack the few queries that differ from all others, and then has next to no error: its own
is never taken for less than a quarter of the data's (`studentise_slices.Columns`). If all
differences have one sign and nearly one size, the exact sign test decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.comparing.random_signs import random_sign_p_values
from metrics_core.comparing.verdicts import can_be_tested
from metrics_core.scoring.intervals import Interval
from metrics_core.scoring.studentised import Moments, find_limits, studentise, studentise_draws

FEW = 100
"""Up to so many queries random signs are asked as well."""
_OF_DRAWS = 0.7
_MOST_SIGNS = 1_000
"""Beyond so many signs their p-value is as small as numbers can be."""
_ONE_SIZE = 0.02
"""By so much of the largest difference the mean one may be smaller where all have one size."""
_TELLING = 10
"""Fewer draws do not tell a share: there it falls as the tail of Student's t does."""


@dataclass(frozen=True)
class ResampledMeans:
    """Means of C columns of paired differences, and what the draws say of each by itself.

    `mean`, `error` (its standard error) and `statistic` (their ratio) are float64[C], `queries`
    int64[C] the defined ones, of which `differing` differ. `p` is two-sided, float64[C], NaN where
    a column may not be tested (`verdicts.can_be_tested`). `distances` is how many standard errors
    each of the columns `drawn` is off in each draw, float64[draws, len(drawn)]: those tested that
    differ.
    """

    mean: Floats
    error: Floats
    statistic: Floats
    queries: Ints
    differing: Ints
    p: Floats
    distances: Floats
    drawn: Ints

    def intervals(self, tails: npt.ArrayLike, is_significant: Mask) -> Interval:
        """The interval of each mean that misses it with probability `tails`, one or float64[C], and
        that excludes zero just where a difference is `is_significant`, bool[C]; NaN where there is
        no test.

        Where every query differs by the same, nothing tells how far the mean may be off but that so
        many queries in a row are on one side: from the least share of all queries that is then
        likely (Clopper and Pearson 1934) times the difference, to the difference itself.
        """
        each = np.broadcast_to(np.asarray(tails, dtype=np.float64), self.mean.shape)
        reach = np.full(self.mean.shape, np.nan)
        reach[~np.isnan(self.p)] = 0.0
        varied = self.error[self.drawn] > 0
        reached_errors = np.where(varied, self._find_distances(each[self.drawn]), 0.0)
        reach[self.drawn] = self.error[self.drawn] * reached_errors
        low, high = self.mean - reach, self.mean + reach
        alike = (self.error == 0) & (self.mean != 0) & ~np.isnan(self.p)
        nearer = self.mean[alike] * (each[alike] / 2) ** (1 / self.queries[alike])
        low[alike], high[alike] = np.sort([nearer, self.mean[alike]], axis=0)
        return Interval(self.mean, *align_with_test(low, high, self.mean, is_significant))

    def correct_together(self) -> Floats:
        """p-values corrected for all columns together, as they hang together in the draws
        (step-down min-P: Westfall and Young, Resampling-based multiple testing, 1993); float64[C].

        How far off a column is in a draw counts by how many of its own draws are as far off, so
        that one which hardly ever varies hides nothing in the others.
        """
        corrected = np.where(np.isnan(self.p), np.nan, 1.0)
        sorted_places = np.argsort(self.p[self.drawn], kind="stable")
        order = self.drawn[sorted_places]
        successors = np.minimum.accumulate(self._draw_ranks[:, sorted_places[::-1]], axis=1)[
            :, ::-1
        ]
        n = len(successors) + 1
        n_as_rare = np.count_nonzero(successors <= self.p[order] * n * (1 + 1e-9), axis=0)
        steps = np.maximum((n_as_rare + 1) / n, self.p[order])
        corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
        return corrected

    def error_per_column(self, tail: float) -> float:
        """The probability with which the interval of each column may miss, so that all hold at once
        but with probability `tail`."""
        if not len(self.drawn):
            return tail
        rarest = np.sort(self._draw_ranks.min(axis=1))
        most = int(np.floor(tail * (len(rarest) + 1) + 1e-9))
        return float(rarest[most - 1] / (len(rarest) + 1)) if most else 0.0

    @cached_property
    def _sorted_distances(self) -> Floats:
        return np.sort(self.distances, axis=0)

    @cached_property
    def _draw_ranks(self) -> npt.NDArray[np.int32]:
        """In how many draws each column is at least as far off as in this one; int32 as
        `distances`."""
        ranks = np.empty(self.distances.shape, dtype=np.int32)
        for index, (column, ordered) in enumerate(
            zip(self.distances.T, self._sorted_distances.T, strict=True)
        ):
            ranks[:, index] = len(column) - np.searchsorted(ordered, column, side="left")
        return ranks

    def _find_distances(self, tails: Floats) -> Floats:
        """How far off each of the columns `drawn` is in so few draws that (reached + 1) / (draws +
        1) is just more than its tail."""
        most = np.floor(tails * (len(self.distances) + 1) + 1e-9).astype(np.int64)
        position = np.clip(len(self.distances) - most, 0, len(self.distances) - 1)
        ends: Floats = np.take_along_axis(self._sorted_distances, position[None, :], axis=0)[0]
        return np.where(most < 1, np.inf, ends)


def align_with_test(
    low: Floats, high: Floats, mean: Floats, is_significant: Mask
) -> tuple[Floats, Floats]:
    """Ends of intervals, at zero where they say otherwise of zero than a test that
    `is_significant` a difference or did not; float64[C] each."""
    least = np.nextafter(0, 1)
    with np.errstate(invalid="ignore"):
        low = np.where(is_significant & (mean > 0), np.maximum(low, least), low)
        high = np.where(is_significant & (mean < 0), np.minimum(high, -least), high)
        low = np.where(~is_significant & (low > 0), 0.0, low)
        high = np.where(~is_significant & (high < 0), 0.0, high)
    return low, high


def limit_ends(ends: Floats, widest: npt.ArrayLike) -> Floats:
    """Ends of intervals, no farther from zero than a difference can be; NaN where they have no
    bound, as of few queries that nearly all differ by the same on a measure without end."""
    clipped = np.clip(ends, -np.asarray(widest), np.asarray(widest))
    return np.where(np.isinf(clipped), np.nan, clipped)


def resample_means(differences: Floats) -> ResampledMeans:
    """Test the means of the columns of float64[Q, C], NaN where a query has no difference."""
    return resample_groups([differences])[0]


def resample_groups(groups: Sequence[Floats]) -> list[ResampledMeans]:
    """`resample_means` of several groups of columns, each float64[Q, C] of queries of its own, in
    as few passes over the draws as can be."""
    samples = [_Sample.from_differences(g) for g in groups]
    drawn_samples = [sample for sample in samples if len(sample.drawn_columns)]
    draws_left = iter(
        studentise_draws(
            [sample.mean_moments.columns(sample.drawn_columns) for sample in drawn_samples]
        )
    )
    results = []
    for sample in samples:
        p, distances = np.where(sample.is_tested, 1.0, np.nan), np.zeros((0, 0))
        if len(sample.drawn_columns):
            draws, limits = next(draws_left), find_limits(sample.statistic[sample.drawn_columns])
            distances = draws.distances
            p[sample.drawn_columns] = sample.p_values(draws.count_reached(limits), distances)
        results.append(sample.add_draws(p, distances))
    return results


@dataclass(frozen=True)
class _Sample:
    """What of C columns does not depend on the draws."""

    mean_moments: Moments
    statistic: Floats
    differing: Ints
    is_tested: Mask

    @classmethod
    def from_differences(cls, differences: Floats) -> _Sample:
        moments = Moments.from_values(differences)
        differing = np.count_nonzero(moments.filled, axis=1)
        tested = can_be_tested(moments.queries, differing)
        return cls(moments, studentise(moments.mean, moments.error), differing, tested)

    @property
    def drawn_columns(self) -> Ints:
        """The columns of which draws say something."""
        return np.flatnonzero(self.is_tested & (self.differing > 0))

    def p_values(self, reached: Ints, distances: Floats) -> Floats:
        """Those of the `drawn_columns` columns, of which each is as far off in so many draws."""
        queries, limits = (
            self.mean_moments.queries[self.drawn_columns],
            np.abs(self.statistic[self.drawn_columns]),
        )
        share = _tail_share(reached, distances, limits, queries)
        has_few, filled = queries <= FEW, self.mean_moments.filled[self.drawn_columns]
        if has_few.any():
            signs = random_sign_p_values(filled[has_few].T)
            share[has_few] = share[has_few] ** _OF_DRAWS * signs ** (1 - _OF_DRAWS)
        # The likeliest outcome of so many signs is all of one kind; nothing is less likely than
        # that, and it is as likely as that where all have one sign and one size.
        differing = self.differing[self.drawn_columns]
        least_p = 2.0 ** (1 - np.minimum(differing, _MOST_SIGNS))
        most = differing * np.abs(filled).max(axis=1)
        one_size = np.abs(filled.sum(axis=1)) >= most * (1 - _ONE_SIZE)
        return np.minimum(np.where(one_size, least_p, np.maximum(share, least_p)), 1.0)

    def add_draws(self, p: Floats, distances: Floats) -> ResampledMeans:
        """The columns with what the draws say."""
        moments = self.mean_moments
        return ResampledMeans(
            moments.mean,
            moments.error,
            self.statistic,
            moments.queries,
            self.differing,
            p,
            distances,
            self.drawn_columns,
        )


def _tail_share(reached: Ints, distances: Floats, limits: Floats, queries: Ints) -> Floats:
    """The share of draws in which columns are as far off as their limits, float64[C] in standard
    errors. Where too few are to tell, it falls as the tail of Student's t does from where ten draws
    are left on."""
    from scipy import special

    n_draws = len(distances)
    share = np.asarray((reached + 1) / (n_draws + 1), dtype=np.float64)
    last = np.partition(distances, n_draws - _TELLING, axis=0)[n_draws - _TELLING]
    rare = np.flatnonzero((reached < _TELLING) & (last <= limits))
    if len(rare):
        free, last = np.maximum(queries[rare] - 1, 1), last[rare]
        falls = special.stdtr(free, -limits[rare]) / special.stdtr(free, -last)
        begun = np.where(last > 0, _TELLING / (n_draws + 1), 1.0)
        share[rare] = np.minimum(share[rare], begun * falls)
    return share
