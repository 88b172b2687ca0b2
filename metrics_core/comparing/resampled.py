"""Test whether the mean of paired differences is zero: one p-value per column, by resampling
queries.

Two methods err in opposite directions. The bootstrap-t (Efron and Tibshirani, An introduction to
the bootstrap, 1993, ch. 12) draws queries with replacement, the same draws for every column. In
each draw, the column's mean in the data is subtracted from its mean in the draw, and the result is
divided by the standard error in the draw. With few queries the bootstrap detects too few
differences. Random signs detect too many if the differences are skewed. Up to `FEW` queries, the
p-value is the geometric mean of the two p-values, with weight 0.7 for the bootstrap and 0.3 for the
signs. On differences of real runs and of scores near the ends of their scale, this combined test
keeps its level and has nearly the power of a t-test (benchmarks/simulations.py). With more queries
both agree, and the bootstrap alone is used.

A draw may miss the few queries that differ from all other queries, and then its standard error is
almost 0. At least a quarter of the standard error in the data is therefore used
(`scoring.studentised.LEAST_ERROR`). If all differences have the same sign and almost the same size,
the exact sign test is used instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Int32s, Ints, Mask
from metrics_core.comparing.random_signs import random_sign_p_values
from metrics_core.comparing.verdicts import are_testable
from metrics_core.scoring.intervals import Interval
from metrics_core.scoring.studentised import Moments, find_draw_limits, studentise, studentise_draws

FEW = 100
"""Maximum number of queries for which random signs are used in addition to the bootstrap."""
_OF_DRAWS = 0.7
_MOST_SIGNS = 1_000
"""Maximum number of signs for which the p-value of the sign test is computed; with more signs it
would underflow."""
_EQUAL_SIZE_TOLERANCE = 0.02
"""Differences are treated as equally large if the size of their mean is within this share of the
largest size."""
_MIN_DRAWS_BEYOND = 10
"""If fewer draws than this are beyond a limit, the share of such draws is extrapolated by the tail
of Student's t."""


@dataclass(frozen=True)
class ResampledMeans:
    """Means of columns of paired differences, with an uncorrected test of each mean.

    mean, error  float64[column], the mean and its standard error
    statistic    float64[column], mean / error
    queries      int64[column], number of defined differences
    differing    int64[column], number of differences that are not 0
    p            float64[column], two-sided p-value; NaN if not tested (`verdicts.are_testable`)
    drawn        int64[drawn column], the columns that were resampled. A tested column is resampled
                 if the runs differ on at least one query
    distances    float64[draw, drawn column], distance of the column's mean in a draw from its mean
                 in the data, in standard errors"""

    mean: Floats
    error: Floats
    statistic: Floats
    queries: Ints
    differing: Ints
    p: Floats
    distances: Floats
    drawn: Ints

    def intervals(self, tails: npt.ArrayLike, is_significant: Mask) -> Interval:
        """Return the interval of each mean, see `bounds`. The interval excludes zero if and only if
        `is_significant` bool[column] is true."""
        ends = self.bounds(tails)
        return Interval(self.mean, *align_bounds_with_test(*ends, self.mean, is_significant))

    def bounds(self, tails: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return the lower and upper bounds of the means, float64[column] each; NaN if the column
        was not tested.

        The probability that they do not contain the true mean is `tails`, a number or
        float64[column].

        If every query differs by the same amount d, the only evidence is that all differences have
        the same sign. One bound is then d. The other bound is d times the smallest share of queries
        with this sign that is compatible with the sample (Clopper and Pearson 1934)."""
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
        return low, high

    def min_p_corrected(self) -> Floats:
        """Return p-values that are corrected jointly over all columns, float64[column] (step-down
        min-P: Westfall and Young, Resampling-based multiple testing, 1993).

        The distance of a column in a draw is ranked among the distances of this column in all
        draws. Therefore a column that hardly varies does not mask the other columns."""
        corrected = np.where(np.isnan(self.p), np.nan, 1.0)
        sorted_places = np.argsort(self.p[self.drawn], kind="stable")
        order = self.drawn[sorted_places]
        successors = np.minimum.accumulate(self._distance_ranks[:, sorted_places[::-1]], axis=1)[
            :, ::-1
        ]
        n = len(successors) + 1
        n_as_rare = np.count_nonzero(successors <= self.p[order] * n * (1 + 1e-9), axis=0)
        steps = np.maximum((n_as_rare + 1) / n, self.p[order])
        corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
        return corrected

    def column_error_probability(self, tail: float) -> float:
        """Return the error probability that each single interval may have, so that all intervals
        are right simultaneously with probability 1 - `tail`."""
        if not len(self.drawn):
            return tail
        rarest = np.sort(self._distance_ranks.min(axis=1))
        most = int(np.floor(tail * (len(rarest) + 1) + 1e-9))
        return float(rarest[most - 1] / (len(rarest) + 1)) if most else 0.0

    @cached_property
    def _sorted_distances(self) -> Floats:
        return np.sort(self.distances, axis=0)

    @cached_property
    def _distance_ranks(self) -> Int32s:
        """For each draw and column, the number of draws in which the column's mean is at least as
        far from its mean in the data as in this draw.

        The array is int32 and has the shape of `distances`."""
        ranks = np.empty(self.distances.shape, dtype=np.int32)
        for index, (column, ordered) in enumerate(
            zip(self.distances.T, self._sorted_distances.T, strict=True)
        ):
            ranks[:, index] = len(column) - np.searchsorted(ordered, column, side="left")
        return ranks

    def _find_distances(self, tails: Floats) -> Floats:
        """Return, for each resampled column, the distance of the bounds of its interval from its
        mean, in standard errors, float64[drawn column].

        At this distance, the test just fails to reject: if n draws are at least this far from the
        mean, their share (n + 1) / (draws + 1) is just above the column's error probability in
        `tails`. The distance is infinite if there are too few draws for `tails`."""
        most = np.floor(tails * (len(self.distances) + 1) + 1e-9).astype(np.int64)
        position = np.clip(len(self.distances) - most, 0, len(self.distances) - 1)
        ends: Floats = np.take_along_axis(self._sorted_distances, position[None, :], axis=0)[0]
        return np.where(most < 1, np.inf, ends)


def align_bounds_with_test(
    low: Floats, high: Floats, mean: Floats, is_significant: Mask
) -> tuple[Floats, Floats]:
    """Return the bounds of intervals, moved to zero if they contradict the test.

    `is_significant` bool[column] is the result of the test; low, high and mean are
    float64[column]."""
    least = np.nextafter(0, 1)
    with np.errstate(invalid="ignore"):
        low = np.where(is_significant & (mean > 0), np.maximum(low, least), low)
        high = np.where(is_significant & (mean < 0), np.minimum(high, -least), high)
        low = np.where(~is_significant & (low > 0), 0.0, low)
        high = np.where(~is_significant & (high < 0), 0.0, high)
    return low, high


def reset_moved_bounds(bounds: Floats) -> Floats:
    """Return `bounds` float64[…] with 0 for each bound that `align_bounds_with_test` has moved just
    beyond zero. A band then excludes zero only if a chart can show it."""
    return np.where(np.abs(bounds) <= np.nextafter(0, 1), 0.0, bounds)


def clip_bounds(bounds: Floats, largest_difference: npt.ArrayLike) -> Floats:
    """Clip interval bounds float64[…] to the largest possible difference.

    A bound that is still infinite becomes NaN. On an unbounded scale, this happens if there are few
    queries and almost all of them differ by the same amount."""
    clipped = np.clip(bounds, -np.asarray(largest_difference), np.asarray(largest_difference))
    return np.where(np.isinf(clipped), np.nan, clipped)


def resample_means(differences: Floats) -> ResampledMeans:
    """Test the mean of each column of `differences`, float64[query, column]. Undefined differences
    are NaN."""
    return resample_groups([differences])[0]


def resample_groups(groups: Sequence[Floats]) -> list[ResampledMeans]:
    """Return the result of `resample_means` for each of several groups of columns, in as few passes
    over the draws as possible.

    Each group is float64[query, column] and may have different queries."""
    samples = [_Sample.from_differences(g) for g in groups]
    drawn_samples = [sample for sample in samples if len(sample.resampled_columns)]
    draws_left = iter(
        studentise_draws(
            [
                sample.mean_moments.select_columns(sample.resampled_columns)
                for sample in drawn_samples
            ]
        )
    )
    results = []
    for sample in samples:
        p, distances = np.where(sample.is_tested, 1.0, np.nan), np.zeros((0, 0))
        if len(sample.resampled_columns):
            draws = next(draws_left)
            limits = find_draw_limits(sample.statistic[sample.resampled_columns])
            distances = draws.distances
            p[sample.resampled_columns] = sample.p_values(
                draws.count_extreme_draws(limits), distances
            )
        results.append(sample.build_results(p, distances))
    return results


@dataclass(frozen=True)
class _Sample:
    """Statistics of the columns that do not depend on the draws."""

    mean_moments: Moments
    statistic: Floats
    differing: Ints
    is_tested: Mask

    @classmethod
    def from_differences(cls, differences: Floats) -> _Sample:
        moments = Moments.from_values(differences)
        differing = np.count_nonzero(moments.filled, axis=1)
        tested = are_testable(moments.queries, differing)
        return cls(moments, studentise(moments.mean, moments.error), differing, tested)

    @property
    def resampled_columns(self) -> Ints:
        """The columns that are resampled, int64[drawn column]."""
        return np.flatnonzero(self.is_tested & (self.differing > 0))

    def p_values(self, n_extreme_draws: Ints, distances: Floats) -> Floats:
        """Return the p-values of `resampled_columns`, float64[drawn column], from the `distances`
        of the draws, [draw, drawn column]. `n_extreme_draws` int64[drawn column] is the number of
        draws whose distance is at least as large as the distance in the data."""
        queries = self.mean_moments.queries[self.resampled_columns]
        limits = np.abs(self.statistic[self.resampled_columns])
        share = _share_of_extreme_draws(n_extreme_draws, distances, limits, queries)
        has_few, filled = queries <= FEW, self.mean_moments.filled[self.resampled_columns]
        if has_few.any():
            signs = random_sign_p_values(filled[has_few].T)
            share[has_few] = share[has_few] ** _OF_DRAWS * signs ** (1 - _OF_DRAWS)
        # No p-value may be below that of all signs being equal, the least likely outcome. If all
        # differences have the same sign and size, it is exactly that.
        differing = self.differing[self.resampled_columns]
        least_p = 2.0 ** (1 - np.minimum(differing, _MOST_SIGNS))
        most = differing * np.abs(filled).max(axis=1)
        one_size = np.abs(filled.sum(axis=1)) >= most * (1 - _EQUAL_SIZE_TOLERANCE)
        return np.minimum(np.where(one_size, least_p, np.maximum(share, least_p)), 1.0)

    def build_results(self, p: Floats, distances: Floats) -> ResampledMeans:
        """Return the results of the columns: their statistics, the p-values `p`, and the
        `distances` of the draws."""
        moments = self.mean_moments
        return ResampledMeans(
            moments.mean,
            moments.error,
            self.statistic,
            moments.queries,
            self.differing,
            p,
            distances,
            self.resampled_columns,
        )


def _share_of_extreme_draws(
    n_extreme_draws: Ints, distances: Floats, limits: Floats, queries: Ints
) -> Floats:
    """Return, for each resampled column, the share of draws whose mean is at least `limits`
    standard errors from the column's mean, float64[drawn column]. `n_extreme_draws` counts these
    draws, and `queries` the queries of each column.

    If fewer than ten draws reach a column's limit, the share is extrapolated from the tenth-largest
    distance by the tail of Student's t."""
    from scipy import special

    n_draws = len(distances)
    share = np.asarray((n_extreme_draws + 1) / (n_draws + 1), dtype=np.float64)
    last = np.partition(distances, n_draws - _MIN_DRAWS_BEYOND, axis=0)[n_draws - _MIN_DRAWS_BEYOND]
    rare = np.flatnonzero((n_extreme_draws < _MIN_DRAWS_BEYOND) & (last <= limits))
    if len(rare):
        free, last = np.maximum(queries[rare] - 1, 1), last[rare]
        falls = special.stdtr(free, -limits[rare]) / special.stdtr(free, -last)
        begun = np.where(last > 0, _MIN_DRAWS_BEYOND / (n_draws + 1), 1.0)
        share[rare] = np.minimum(share[rare], begun * falls)
    return share
