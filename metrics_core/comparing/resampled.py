"""Is a mean of paired differences real? Studentised bootstrap draws over queries, for many at once.

Queries are drawn again with replacement, the same draws for every column. In each draw a column's
mean is taken relative to what it is in the data, and to its own standard error in that draw (the
bootstrap-t: Efron and Tibshirani, An introduction to the bootstrap, 1993, ch. 12). How far the
farthest column is off in a draw says how far any may be off by chance: that corrects for their
number and knows how they hang together (step-down max-T: Westfall and Young, Resampling-based
multiple testing, 1993; Romano and Wolf, Exact and approximate stepdown methods, JASA 2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics_core.comparing.max_statistic import Away, Columns, Farthest, away, in_errors, limits_of
from metrics_core.comparing.verdicts import FEWEST_DIFFERING
from metrics_core.scoring.intervals import LEVEL, Interval

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

ALIKE = 1e-12
"""Differences that vary by less than this share of themselves are one and the same."""


@dataclass(frozen=True)
class Resampled:
    """Means of C columns of paired differences, and what the draws say of them.

    `mean`, `error` (its standard error) and `statistic` (their ratio) are float64[C], `queries`
    int64[C] the defined ones. `single` and `corrected` are two-sided p-values, float64[C]: of each
    column by itself, and of all of them together. `largest` is how many standard errors the
    farthest column is off in each draw. A column with fewer than two queries has NaN in
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
    largest: Farthest

    def width(self, level: float = LEVEL) -> float:
        """How many standard errors an interval reaches to either side, so that at this level all
        columns' intervals hold at once."""
        return self.largest.edge(level)

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


def resampled(differences: Floats, *, fewest: int = 2, without: Mask | None = None) -> Resampled:
    """Test the means of the columns of float64[Q, C], NaN where a query has no difference; a column
    of less than `fewest` differences is not tested, nor those of bool[C] `without`."""
    return resampled_groups([differences], fewest=fewest, without=[without])[0]


def resampled_groups(
    groups: Sequence[Floats], *, fewest: int = 2, without: Sequence[Mask | None] = ()
) -> list[Resampled]:
    """`resampled` of several groups of columns, each float64[Q, C] of queries of its own and
    corrected by itself, in as few passes over the draws as can be."""
    left_out = without or [None] * len(groups)
    samples = [_Sample.of(g, fewest, w) for g, w in zip(groups, left_out, strict=True)]
    ranked = [s.tested[np.argsort(-np.abs(s.statistic[s.tested]), kind="stable")] for s in samples]
    some = [(s, r) for s, r in zip(samples, ranked, strict=True) if len(r)]
    drawn = iter(away([s.columns(r) for s, r in some]))
    found = []
    for sample, order in zip(samples, ranked, strict=True):
        single, corrected = np.full((2, len(sample.queries)), np.nan)
        largest = Farthest(np.zeros(1))
        if len(order):
            off, steps, largest = next(drawn).counted(sample.limits[order])
            single[order] = (off + 1) / (len(largest) + 1)
            corrected[order] = np.maximum.accumulate((steps + 1) / (len(largest) + 1))
        found.append(sample.told(slice(None), single, corrected, largest))
    return found


def resampled_each(
    differences: Floats, *, fewest: int = 2, without: Mask | None = None
) -> list[Resampled]:
    """`resampled` of every column of float64[Q, C] by itself, in one pass over the draws."""
    return resampled_each_of([differences], fewest=fewest, without=[without])[0]


def resampled_each_of(
    groups: Sequence[Floats], *, fewest: int = 2, without: Sequence[Mask | None] = ()
) -> list[list[Resampled]]:
    """`resampled_each` of several groups of columns, each float64[Q, C] of queries of its own."""
    left_out = without or [None] * len(groups)
    samples = [_Sample.of(g, fewest, w, alone=True) for g, w in zip(groups, left_out, strict=True)]
    some = [sample for sample in samples if len(sample.tested)]
    drawn = iter(away([sample.columns(sample.tested) for sample in some]))
    return [_told_each(s, next(drawn) if len(s.tested) else None) for s in samples]


def _told_each(sample: _Sample, drawn: Away | None) -> list[Resampled]:
    p = np.full(len(sample.queries), np.nan)
    largest = [Farthest(np.zeros(1))] * len(p)
    if drawn is not None:
        for place, i in enumerate(sample.tested.tolist()):
            off, largest[i] = drawn.single(place, sample.limits[i])
            p[i] = (off + 1) / (len(largest[i]) + 1)
    columns = [slice(i, i + 1) for i in range(len(p))]
    return [sample.told(i, p[i], p[i], largest[i.start]) for i in columns]


@dataclass(frozen=True)
class _Sample:
    """What of C columns does not depend on the draws, and which of them are tested; `centred`
    float64[C, Q] and `defined` bool[C, Q] hold a column in a row."""

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
        without: Mask | None,
        *,
        alone: bool = False,
    ) -> _Sample:
        # A column lies side by side: what runs down the rows of a matrix takes ten times as long.
        rows = np.ascontiguousarray(differences.T)
        defined = ~np.isnan(rows)
        queries = np.count_nonzero(defined, axis=1)
        filled = rows if defined.all() else np.where(defined, rows, 0.0)
        mean = np.full(len(queries), np.nan)
        np.divide(filled.sum(axis=1), queries, out=mean, where=queries > 0)
        centred = filled - np.where(queries > 0, mean, 0.0)[:, None]
        if filled is not rows:
            centred[~defined] = 0.0
        error = standard_errors(np.square(centred).sum(axis=1), queries, mean)
        centred[error == 0] = 0.0
        differing = np.count_nonzero(filled, axis=1)
        varied = _varied(rows.T, differing, error)
        if without is not None:
            varied &= ~without
        tested = np.flatnonzero((queries >= max(fewest, 2)) & varied)
        best = best_statistics(filled[tested].T, queries[tested])
        near = _each_within_reach(best) if alone else within_reach(best)
        # Where no query differs nothing can be hidden.
        tested = tested[(differing[tested] == 0) | near]
        ratio = in_errors(mean, error)
        return cls(centred, defined, mean, error, ratio, queries, differing, tested)

    @property
    def limits(self) -> Floats:
        """What a draw reaches to be as far off as the data."""
        return limits_of(self.statistic)

    def columns(self, places: Ints) -> Columns:
        """Some of the columns, as they are drawn."""
        return Columns(self.centred[places].T, self.defined[places].T)

    def told(
        self, columns: slice, single: Floats, corrected: Floats, largest: Farthest
    ) -> Resampled:
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
    from scipy import special

    if not len(best):
        return np.zeros(0, dtype=bool)
    least = 2 * special.ndtr(-best)
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
    # Nearly all alike but not 0: then more than half equal the median. Where enough lie on either
    # side of 0, enough differ from it, wherever it is.
    apart = np.full(len(differing), FEWEST_DIFFERING)
    fewer = np.minimum((differences > 0).sum(axis=0), (differences < 0).sum(axis=0))
    lopsided = fewer < FEWEST_DIFFERING - 1
    some = np.flatnonzero(lopsided & (differing >= FEWEST_DIFFERING) & (error > 0))
    if len(some):
        columns = differences[:, some]
        known = ~np.isnan(columns)
        apart[some] = (known & (columns != np.nanmedian(columns, axis=0))).sum(axis=0)
    return (error == 0) | ((differing >= FEWEST_DIFFERING) & (apart >= FEWEST_DIFFERING - 1))
