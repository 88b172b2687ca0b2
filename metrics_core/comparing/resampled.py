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
is never taken for less than a quarter of the data's (`studentised.Columns`). If all differences
have one sign and nearly one size, the exact sign test decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.comparing.random_signs import random_signs
from metrics_core.comparing.verdicts import may_be_tested
from metrics_core.scoring.intervals import Interval
from metrics_core.scoring.studentised import Moments, away, in_errors, limits_of

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
class Resampled:
    """Means of C columns of paired differences, and what the draws say of each by itself.

    `mean`, `error` (its standard error) and `statistic` (their ratio) are float64[C], `queries`
    int64[C] the defined ones, of which `differing` differ. `p` is two-sided, float64[C], NaN where
    a column may not be tested (`verdicts.may_be_tested`). `far` is how many standard errors each of
    the columns `drawn` is off in each draw, float64[draws, len(drawn)]: those tested that differ.
    """

    mean: Floats
    error: Floats
    statistic: Floats
    queries: Ints
    differing: Ints
    p: Floats
    far: Floats
    drawn: Ints

    def intervals(self, tails: npt.ArrayLike, found: Mask) -> Interval:
        """The interval of each mean that misses it with probability `tails`, one or float64[C], and
        that excludes zero just where a difference is `found`, bool[C]; NaN where there is no test.

        Where every query differs by the same, nothing tells how far the mean may be off but that so
        many queries in a row are on one side: from the least share of all queries that is then
        likely (Clopper and Pearson 1934) times the difference, to the difference itself.
        """
        each = np.broadcast_to(np.asarray(tails, dtype=np.float64), self.mean.shape)
        reach = np.full(self.mean.shape, np.nan)
        reach[~np.isnan(self.p)] = 0.0
        varied = self.error[self.drawn] > 0
        beyond = np.where(varied, self._beyond(each[self.drawn]), 0.0)
        reach[self.drawn] = self.error[self.drawn] * beyond
        low, high = self.mean - reach, self.mean + reach
        alike = (self.error == 0) & (self.mean != 0) & ~np.isnan(self.p)
        nearer = self.mean[alike] * (each[alike] / 2) ** (1 / self.queries[alike])
        low[alike], high[alike] = np.sort([nearer, self.mean[alike]], axis=0)
        return Interval(self.mean, *agreeing(low, high, self.mean, found))

    def together(self) -> Floats:
        """p-values corrected for all columns together, as they hang together in the draws
        (step-down min-P: Westfall and Young, Resampling-based multiple testing, 1993); float64[C].

        How far off a column is in a draw counts by how many of its own draws are as far off, so
        that one which hardly ever varies hides nothing in the others.
        """
        corrected = np.where(np.isnan(self.p), np.nan, 1.0)
        place = np.argsort(self.p[self.drawn], kind="stable")
        order = self.drawn[place]
        successors = np.minimum.accumulate(self._ranks[:, place[::-1]], axis=1)[:, ::-1]
        n = len(successors) + 1
        as_rare = np.count_nonzero(successors <= self.p[order] * n * (1 + 1e-9), axis=0)
        steps = np.maximum((as_rare + 1) / n, self.p[order])
        corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
        return corrected

    def left_to_each(self, tail: float) -> float:
        """The probability with which the interval of each column may miss, so that all hold at once
        but with probability `tail`."""
        if not len(self.drawn):
            return tail
        rarest = np.sort(self._ranks.min(axis=1))
        most = int(np.floor(tail * (len(rarest) + 1) + 1e-9))
        return float(rarest[most - 1] / (len(rarest) + 1)) if most else 0.0

    @cached_property
    def _ordered(self) -> Floats:
        return np.sort(self.far, axis=0)

    @cached_property
    def _ranks(self) -> npt.NDArray[np.int32]:
        """In how many draws each column is at least as far off as in this one; int32 as `far`."""
        ranks = np.empty(self.far.shape, dtype=np.int32)
        for place, (column, ordered) in enumerate(zip(self.far.T, self._ordered.T, strict=True)):
            ranks[:, place] = len(column) - np.searchsorted(ordered, column, side="left")
        return ranks

    def _beyond(self, tails: Floats) -> Floats:
        """How far off each of the columns `drawn` is in so few draws that (reached + 1) / (draws +
        1) is just more than its tail."""
        most = np.floor(tails * (len(self.far) + 1) + 1e-9).astype(np.int64)
        place = np.clip(len(self.far) - most, 0, len(self.far) - 1)
        ends: Floats = np.take_along_axis(self._ordered, place[None, :], axis=0)[0]
        return np.where(most < 1, np.inf, ends)


def agreeing(low: Floats, high: Floats, mean: Floats, found: Mask) -> tuple[Floats, Floats]:
    """Ends of intervals, at zero where they say otherwise of zero than a test that `found` a
    difference or did not; float64[C] each."""
    least = np.nextafter(0, 1)
    with np.errstate(invalid="ignore"):
        low = np.where(found & (mean > 0), np.maximum(low, least), low)
        high = np.where(found & (mean < 0), np.minimum(high, -least), high)
        low = np.where(~found & (low > 0), 0.0, low)
        high = np.where(~found & (high < 0), 0.0, high)
    return low, high


def no_farther(ends: Floats, widest: npt.ArrayLike) -> Floats:
    """Ends of intervals, no farther from zero than a difference can be; NaN where they have no
    bound, as of few queries that nearly all differ by the same on a measure without end."""
    clipped = np.clip(ends, -np.asarray(widest), np.asarray(widest))
    return np.where(np.isinf(clipped), np.nan, clipped)


def resampled(differences: Floats) -> Resampled:
    """Test the means of the columns of float64[Q, C], NaN where a query has no difference."""
    return resampled_groups([differences])[0]


def resampled_groups(groups: Sequence[Floats]) -> list[Resampled]:
    """`resampled` of several groups of columns, each float64[Q, C] of queries of its own, in as few
    passes over the draws as can be."""
    samples = [_Sample.of(g) for g in groups]
    some = [sample for sample in samples if len(sample.drawn)]
    drawn = iter(away([sample.of_means.columns(sample.drawn) for sample in some]))
    found = []
    for sample in samples:
        p, far = np.where(sample.tested, 1.0, np.nan), np.zeros((0, 0))
        if len(sample.drawn):
            draws, limits = next(drawn), limits_of(sample.statistic[sample.drawn])
            far = draws.near
            p[sample.drawn] = sample.p_values(draws.reached(limits), far)
        found.append(sample.told(p, far))
    return found


@dataclass(frozen=True)
class _Sample:
    """What of C columns does not depend on the draws."""

    of_means: Moments
    statistic: Floats
    differing: Ints
    tested: Mask

    @classmethod
    def of(cls, differences: Floats) -> _Sample:
        moments = Moments.of(differences)
        differing = np.count_nonzero(moments.filled, axis=1)
        tested = may_be_tested(moments.queries, differing)
        return cls(moments, in_errors(moments.mean, moments.error), differing, tested)

    @property
    def drawn(self) -> Ints:
        """The columns of which draws say something."""
        return np.flatnonzero(self.tested & (self.differing > 0))

    def p_values(self, reached: Ints, far: Floats) -> Floats:
        """Those of the `drawn` columns, of which each is as far off in so many draws."""
        queries, limits = self.of_means.queries[self.drawn], np.abs(self.statistic[self.drawn])
        share = _share(reached, far, limits, queries)
        few, filled = queries <= FEW, self.of_means.filled[self.drawn]
        if few.any():
            signs = random_signs(filled[few].T)
            share[few] = share[few] ** _OF_DRAWS * signs ** (1 - _OF_DRAWS)
        # The likeliest outcome of so many signs is all of one kind; nothing is less likely than
        # that, and it is as likely as that where all have one sign and one size.
        differing = self.differing[self.drawn]
        alone = 2.0 ** (1 - np.minimum(differing, _MOST_SIGNS))
        most = differing * np.abs(filled).max(axis=1)
        one_size = np.abs(filled.sum(axis=1)) >= most * (1 - _ONE_SIZE)
        return np.minimum(np.where(one_size, alone, np.maximum(share, alone)), 1.0)

    def told(self, p: Floats, far: Floats) -> Resampled:
        """The columns with what the draws say."""
        of = self.of_means
        return Resampled(
            of.mean, of.error, self.statistic, of.queries, self.differing, p, far, self.drawn
        )


def _share(reached: Ints, far: Floats, limits: Floats, queries: Ints) -> Floats:
    """The share of draws in which columns are as far off as their limits, float64[C] in standard
    errors. Where too few are to tell, it falls as the tail of Student's t does from where ten draws
    are left on."""
    from scipy import special

    n_draws = len(far)
    share = np.asarray((reached + 1) / (n_draws + 1), dtype=np.float64)
    last = np.partition(far, n_draws - _TELLING, axis=0)[n_draws - _TELLING]
    rare = np.flatnonzero((reached < _TELLING) & (last <= limits))
    if len(rare):
        free, last = np.maximum(queries[rare] - 1, 1), last[rare]
        falls = special.stdtr(free, -limits[rare]) / special.stdtr(free, -last)
        begun = np.where(last > 0, _TELLING / (n_draws + 1), 1.0)
        share[rare] = np.minimum(share[rare], begun * falls)
    return share
