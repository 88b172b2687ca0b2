"""Is a mean of paired differences real? Studentised bootstrap draws over queries, for many at once.

Queries are drawn again with replacement, the same draws for every column. In each draw a column's
mean is taken relative to what it is in the data, and to its own standard error in that draw (the
bootstrap-t: Efron and Tibshirani, An introduction to the bootstrap, 1993, ch. 12). How far the
farthest column is off in a draw says how far any may be off by chance: that corrects for their
number and knows how they hang together (step-down max-T: Westfall and Young, Resampling-based
multiple testing, 1993; Romano and Wolf, Exact and approximate stepdown methods, JASA 2005).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics_core.comparing.verdicts import FEWEST_DIFFERING
from metrics_core.scoring.intervals import LEVEL, Interval
from metrics_core.scoring.resampling import weights

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ALIKE = 1e-12
"""Differences that vary by less than this share of themselves are one and the same."""


@dataclass(frozen=True)
class Resampled:
    """Means of C columns of paired differences, and what the draws say of them.

    `mean`, `error` (its standard error) and `statistic` (their ratio) are float64[C], `queries`
    int64[C] the defined ones. `single` and `corrected` are two-sided p-values, float64[C]: of each
    column by itself, and of all of them together. `largest` float64[draws] is how many standard
    errors the farthest column is off in each draw. A column with fewer than two queries has NaN in
    all but its mean; one in which fewer than `FEWEST_DIFFERING` queries differ, or too few carry
    the difference, is not tested, and no part of what is said of the others together. `differing`
    int64[C] counts them.
    """

    mean: Floats
    error: Floats
    statistic: Floats
    queries: Ints
    differing: Ints
    single: Floats
    corrected: Floats
    largest: Floats

    def width(self, level: float = LEVEL) -> float:
        """How many standard errors an interval reaches to either side, so that at this level all
        columns' intervals hold at once."""
        return _edge(self.largest, level)

    def intervals(self, level: float = LEVEL) -> Interval:
        """Intervals of the means that hold for all columns at once; float64[C].

        One excludes zero just where its corrected p-value is at most 1 - level: where the step-down
        finds a difference that the common width alone would not, the interval ends at zero.
        """
        tested = ~np.isnan(self.corrected)
        # Where all are alike there is no doubt, also if the width has no bound.
        still = self.error == 0
        reach = np.where(still, 0.0, np.where(still, 1.0, self.error) * self.width(level))
        reach[~tested] = np.nan
        low, high = self.mean - reach, self.mean + reach
        found = self.corrected <= 1 - level + 1e-12
        least = np.nextafter(0, 1)
        low = np.where(found & (self.mean > 0), np.maximum(low, least), low)
        high = np.where(found & (self.mean < 0), np.minimum(high, -least), high)
        # A draw that ties with the data may by rounding fall to either side of it.
        low = np.where(tested & ~found & (low > 0), 0.0, low)
        high = np.where(tested & ~found & (high < 0), 0.0, high)
        return Interval(self.mean, low, high)


def resampled(
    differences: Floats, *, fewest: int = 2, without: npt.NDArray[np.bool_] | None = None
) -> Resampled:
    """Test the means of the columns of float64[Q, C], NaN where a query has no difference; a column
    of less than `fewest` differences is not tested, nor those of bool[C] `without`."""
    sample = _Sample.of(differences, fewest, without)
    single, corrected = np.full((2, len(sample.queries)), np.nan)
    largest = np.zeros(1)
    if len(sample.tested):
        ranked = sample.tested[np.argsort(-np.abs(sample.statistic[sample.tested]), kind="stable")]
        off, steps, largest = _drawn(sample, ranked)
        single[ranked] = (off + 1) / (len(largest) + 1)
        corrected[ranked] = np.maximum.accumulate((steps + 1) / (len(largest) + 1))
    return sample.told(slice(None), single, corrected, largest)


def resampled_each(
    differences: Floats, *, fewest: int = 2, without: npt.NDArray[np.bool_] | None = None
) -> list[Resampled]:
    """`resampled` of every column of float64[Q, C] by itself, in one pass over the draws."""
    sample = _Sample.of(differences, fewest, without, alone=True)
    away = np.zeros((1, len(sample.queries)))
    p = np.full(len(sample.queries), np.nan)
    if len(sample.tested):
        drawn = np.concatenate(list(_away(sample, sample.tested)))
        away = np.zeros((len(drawn), len(p)))
        away[:, sample.tested] = drawn
        reached = (drawn >= sample.limits[sample.tested]).sum(axis=0)
        p[sample.tested] = (reached + 1) / (len(drawn) + 1)
    columns = [slice(i, i + 1) for i in range(len(p))]
    return [sample.told(i, p[i], p[i], away[:, i.start]) for i in columns]


@dataclass(frozen=True)
class _Sample:
    """What of C columns does not depend on the draws, and which of them are tested."""

    centred: Floats
    defined: npt.NDArray[np.bool_]
    mean: Floats
    error: Floats
    statistic: Floats
    queries: Ints
    differing: Ints
    tested: Ints

    @classmethod
    def of(
        cls,
        differences: Floats,
        fewest: int,
        without: npt.NDArray[np.bool_] | None,
        *,
        alone: bool = False,
    ) -> _Sample:
        defined = ~np.isnan(differences)
        queries = defined.sum(axis=0)
        filled = np.where(defined, differences, 0.0)
        mean = np.full(len(queries), np.nan)
        np.divide(filled.sum(axis=0), queries, out=mean, where=queries > 0)
        centred = np.where(defined, differences - mean, 0.0)
        error = standard_errors(np.square(centred).sum(axis=0), queries, mean)
        centred[:, error == 0] = 0.0
        differing = (defined & (filled != 0)).sum(axis=0)
        varied = _varied(differences, differing, error)
        if without is not None:
            varied &= ~without
        tested = np.flatnonzero((queries >= max(fewest, 2)) & varied)
        best = best_statistics(filled[:, tested], queries[tested])
        near = _each_within_reach(best) if alone else within_reach(best)
        # Where no query differs nothing can be hidden.
        tested = tested[(differing[tested] == 0) | near]
        ratio = in_errors(mean, error)
        return cls(centred, defined, mean, error, ratio, queries, differing, tested)

    @property
    def limits(self) -> Floats:
        """What a draw reaches to be as far off as the data; draws that tie with it do."""
        return np.abs(self.statistic) * (1 - 1e-9)

    def told(self, columns: slice, single: Floats, corrected: Floats, largest: Floats) -> Resampled:
        """These columns with what the draws say."""
        return Resampled(
            self.mean[columns],
            self.error[columns],
            self.statistic[columns],
            self.queries[columns],
            self.differing[columns],
            single,
            corrected,
            largest,
        )


def _drawn(sample: _Sample, ranked: Ints) -> tuple[Ints, Ints, Floats]:
    """For columns in falling order of their statistic: in how many draws each is as far off as in
    the data, in how many one of it and its successors is, and how far off the farthest is in each.
    """
    limits = sample.limits[ranked]
    off, steps = np.zeros((2, len(ranked)), dtype=np.int64)
    largest = []
    for away in _away(sample, ranked):
        off += (away >= limits).sum(axis=0)
        farthest = np.maximum.accumulate(away[:, ::-1], axis=1)[:, ::-1]
        steps += (farthest >= limits).sum(axis=0)
        largest.append(farthest[:, 0])
    return off, steps, np.concatenate(largest)


def _away(sample: _Sample, columns: Ints) -> Iterator[Floats]:
    """How many standard errors of its own each column is off, some draws at a time; float64[draws,
    columns]."""
    centred, defined = sample.centred[:, columns], sample.defined[:, columns]
    whole = bool(defined.all())
    # One pass over the weights for both.
    both = np.hstack([centred, np.square(centred)])
    for weight in weights(len(centred), both.shape[1]):
        n = np.full((1, 1), float(len(centred))) if whole else weight @ defined
        sums, squares = np.split(weight @ both, 2, axis=1)
        yield np.abs(_studentised(sums, squares, n))


def _studentised(sums: Floats, squares: Floats, n: Floats) -> Floats:
    """How many standard errors of its own the mean of each draw is off; float64[draws, C]."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums / n
        spread = np.maximum(squares / n - np.square(mean), 0.0)
        error = np.sqrt(spread / (n - 1))
    return in_errors(mean, np.where(n > 1, error, 0.0))


def standard_errors(squares: Floats, queries: Ints, mean: Floats) -> Floats:
    """Standard errors of means from the sums of squares about them; 0 where all are alike."""
    error = np.full(len(queries), np.nan)
    enough = queries >= 2
    n = queries[enough]
    error[enough] = np.sqrt(squares[enough] / (n - 1) / n)
    alike = error * np.sqrt(np.maximum(queries, 1)) <= ALIKE * np.abs(mean)
    error[alike] = 0.0
    return error


def best_statistics(differences: Floats, queries: Ints) -> Floats:
    """How far from zero the mean of each column of float64[Q, C] would be, in standard errors, if
    all of its differences were for one run; 0 where no query differs. Undefined ones are 0."""
    n = np.maximum(queries, 2)
    size = np.abs(differences).sum(axis=0) / n
    spread = np.maximum(np.square(differences).sum(axis=0) / n - np.square(size), 0.0)
    alike = spread <= np.square(ALIKE * size)
    error = np.sqrt(np.where(alike, 1.0, spread) / (n - 1))
    return np.where(alike, np.where(size > 0, np.inf, 0.0), size / error)


def within_reach(best: Floats) -> npt.NDArray[np.bool_]:
    """Which columns could be found different among so many, by their `best_statistics` (after
    Tarone, A modified Bonferroni method for discrete data, 1990); bool[C].

    Where one query outweighs the rest, every third draw lacks it, and such draws, which seem far
    off, would hide what is clear in all other columns. The best case is a matter of the sizes of
    the differences only, not of which run they favour, so that chance keeps its share.
    """
    from scipy import stats

    if not len(best):
        return np.zeros(0, dtype=bool)
    least = 2 * stats.norm.sf(best)
    # As few are counted as leave all of them within reach when they share what is allowed.
    allowed = (1 - LEVEL) / np.arange(1, len(least) + 1)
    within = np.searchsorted(np.sort(least), allowed, side="right")
    first = int(np.argmax(within <= np.arange(1, len(least) + 1)))
    return np.asarray(least <= allowed[first])


def _each_within_reach(best: Floats) -> npt.NDArray[np.bool_]:
    """`within_reach` of every column by itself."""
    return np.array([within_reach(best[[i]])[0] for i in range(len(best))], dtype=np.bool_)


def _varied(differences: Floats, differing: Ints, error: Floats) -> npt.NDArray[np.bool_]:
    """Whether enough queries differ, from nothing and from each other, or all are alike."""
    # Nearly all alike but not 0: then more than half equal the median.
    apart = np.full(len(differing), FEWEST_DIFFERING)
    some = np.flatnonzero((differing >= FEWEST_DIFFERING) & (error > 0))
    if len(some):
        columns = differences[:, some]
        known = ~np.isnan(columns)
        apart[some] = (known & (columns != np.nanmedian(columns, axis=0))).sum(axis=0)
    return (error == 0) | ((differing >= FEWEST_DIFFERING) & (apart >= FEWEST_DIFFERING - 1))


def in_errors(mean: Floats, error: Floats) -> Floats:
    """mean / error; where nothing varies 0 for no difference, else without bound."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = mean / error
    still = error == 0
    return np.where(still, np.where(mean == 0, 0.0, np.copysign(np.inf, mean)), ratio)


def _edge(values: Floats, level: float) -> float:
    """The value that is reached in so few draws that (reached + 1) / (draws + 1) is just more than
    1 - level: what lies beyond it has a p-value of at most 1 - level."""
    most = int(np.floor((1 - level) * (len(values) + 1) + 1e-9))
    if most < 1:
        return float("inf")
    return float(np.partition(values, len(values) - most)[len(values) - most])
