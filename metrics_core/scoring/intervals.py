"""Intervals of means over queries, from the bootstrap.

Intervals are percentile intervals of the bootstrap over queries: queries are drawn again with
replacement, and the same draws serve every run, measure and cutoff, so that what is drawn on two
pages agrees (Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics_core.measures import MEAN, Combination
from metrics_core.scoring.resampling import resampled_means

Floats = npt.NDArray[np.float64]

LEVEL = 0.95


class Interval(NamedTuple):
    """Mean and interval, each float64 of the shape of one row of the values."""

    mean: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Drawn:
    """A combined score, or the difference of two, of each of C columns: `mean` float64[C], and its
    value in each resample, `draws` float64[resamples, C], NaN where fewer than two queries are
    defined. `queries` int64[C] counts the defined ones."""

    mean: Floats
    draws: Floats
    queries: npt.NDArray[np.int64]

    def split(self, parts: int) -> list[Drawn]:
        """The columns in so many parts of the same number."""
        arrays = (self.mean, self.draws, self.queries)
        split = (np.split(a, parts, axis=-1) for a in arrays)
        return [Drawn(*part) for part in zip(*split, strict=True)]

    def intervals(self, levels: Sequence[float]) -> list[Interval]:
        """The percentile interval of each column at each level."""
        tails = [tail for level in levels for tail in ((1 - level) / 2, (1 + level) / 2)]
        edges = np.full((len(tails), len(self.mean)), np.nan)
        known = ~np.isnan(self.draws).all(axis=0)
        if known.any():
            draws = self.draws if known.all() else self.draws[:, known]
            # numpy takes a column at a time where a value may be NaN, all at once where none is.
            quantile = np.nanquantile if np.isnan(draws).any() else np.quantile
            edges[:, known] = quantile(draws, tails, axis=0)
        ends = zip(edges[::2], edges[1::2], strict=True)
        return [Interval(self.mean, low, high) for low, high in ends]

    def band(self, level: float = LEVEL) -> Interval:
        """A band that holds for all columns at once: of all draws, the share `level` stays inside
        it everywhere.

        It is as wide in each column as the draws vary there (max-|t|: Westfall and Young,
        Resampling-based multiple testing, 1993), and for few queries wider than the draws, which
        vary too little (Hesterberg, What teachers should know about the bootstrap, 2015).
        """
        known = ~np.isnan(self.draws).all(axis=0)
        spread = np.full(len(self.mean), np.nan)
        spread[known] = np.nanstd(self.draws[:, known], axis=0)
        # A column whose draws are all alike is certain and stays inside whatever the width.
        varied = spread > 0
        away = np.abs(self.draws[:, varied] - self.mean[varied]) / spread[varied]
        farthest = np.nanmax(away, axis=1, initial=0.0)
        width = np.quantile(farthest, level) * spread * _expansion(self.queries, level)
        return Interval(self.mean, self.mean - width, self.mean + width)


def _expansion(queries: npt.NDArray[np.int64], level: float) -> Floats:
    """By how much the means of n drawn queries vary less than those of n new ones would."""
    from scipy import stats

    n = np.maximum(queries, 2)
    tail = (1 + level) / 2
    return np.sqrt(n / (n - 1)) * stats.t.ppf(tail, n - 1) / stats.norm.ppf(tail)


def mean_interval(values: Floats, *, level: float = LEVEL) -> Interval:
    """Mean over the first axis (queries) with its bootstrap interval.

    `values` is float64[Q] or float64[Q, …]; NaN is undefined and left out of its column. With
    fewer than two queries there is no interval: low and high are NaN.
    """
    shape = values.shape[1:]
    (found,) = drawn(values.reshape(len(values), int(np.prod(shape)))).intervals([level])
    return Interval(*(part.reshape(shape) for part in found))


def drawn(values: Floats, combination: Combination = MEAN) -> Drawn:
    """The combined score of each column of float64[Q, C] over its defined queries."""
    scaled = combination.onto(values)
    defined = ~np.isnan(scaled)
    counts = defined.sum(axis=0)
    filled = np.where(defined, scaled, 0.0)
    mean = np.full(scaled.shape[1], np.nan)
    np.divide(filled.sum(axis=0), counts, out=mean, where=counts > 0)
    enough = counts >= 2
    if not enough.any():
        return Drawn(combination.back(mean), np.full((1, len(mean)), np.nan), counts)
    means = resampled_means(filled[:, enough], defined[:, enough])
    draws = np.full((len(means), len(mean)), np.nan)
    draws[:, enough] = means
    return Drawn(combination.back(mean), combination.back(draws), counts)


def drawn_difference(values: Floats, baseline: Floats, combination: Combination = MEAN) -> Drawn:
    """The difference of the combined scores over the queries that both define, from the draws that
    `drawn` makes. `values` is float64[Q, C], `baseline` of that shape or float64[Q, 1]."""
    if combination.linear:
        return drawn(values - baseline, combination)
    own, other = np.broadcast_arrays(values, baseline)
    shared = ~np.isnan(own) & ~np.isnan(other)
    both = [drawn(np.where(shared, scores, np.nan), combination) for scores in (own, other)]
    return _less(*both)


def compared(
    values: Floats, baseline: Floats, combination: Combination = MEAN
) -> tuple[Drawn, Drawn]:
    """`drawn` and `drawn_difference` of the same values."""
    own = drawn(values, combination)
    return own, less(own, values, drawn(baseline, combination), baseline, combination)


def less(
    own: Drawn, values: Floats, other: Drawn, baseline: Floats, combination: Combination = MEAN
) -> Drawn:
    """`drawn_difference` of values that were drawn already; where every query is defined, the
    difference of the draws is the draw of the differences."""
    whole = not (np.isnan(values).any() or np.isnan(baseline).any())
    if whole:
        return _less(own, other)
    return drawn_difference(values, baseline, combination)


def _less(own: Drawn, other: Drawn) -> Drawn:
    return Drawn(own.mean - other.mean, own.draws - other.draws, own.queries)
