"""Columns of paired differences, tested and corrected the way that was chosen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Mask
from metrics_core.comparing.mean_intervals import (
    bca,
    bca_interval,
    bounded_by_shares,
    margin_interval,
    t_interval,
)
from metrics_core.comparing.method import BCA, BOOTSTRAP, MIN_P, NO_CORRECTION, Method
from metrics_core.comparing.resampled import Resampled, agreeing, no_farther, resampled_groups
from metrics_core.comparing.tests import BY_NUMBER, PAIRED_TESTS, holm
from metrics_core.comparing.verdicts import FEWEST_QUERIES, is_found
from metrics_core.measures import MEAN, Combination, Measure
from metrics_core.scoring.intervals import Interval


@dataclass(frozen=True)
class Tested:
    """What a method says of C mean differences; each float64[C], NaN where there is no test.

    `low` and `high` are the interval that agrees with `p_corrected`; `inner_low` and `inner_high`
    are the one by which two one-sided tests find a difference smaller than a margin; `width` is
    how many standard errors from zero a difference must be to be found. `side` is 1 where the test
    finds more on the upper side and -1 on the lower, mostly that of the mean. `sample` is what the
    draws say of the same columns, whatever the method.
    """

    sample: Resampled
    mean: Floats
    p: Floats
    p_corrected: Floats
    low: Floats
    high: Floats
    inner_low: Floats
    inner_high: Floats
    width: Floats
    side: Floats

    @property
    def effect(self) -> Floats:
        """The mean in standard deviations of the differences; 0 where no query differs, NaN where
        all differ alike."""
        effect = self.sample.statistic / np.sqrt(np.maximum(self.sample.queries, 1))
        return np.where(np.isinf(effect), np.nan, effect)

    def effect_interval(self, level: float) -> Interval:
        """The effect with an interval of its own, whatever else is compared, where there is a test:
        by the large-sample error of a standardised mean (Hedges and Olkin, Statistical methods for
        meta-analysis, 1985) and Student's t. Of 10 to 100 queries of real runs it holds the true
        one in 97 of 100 cases."""
        from scipy import special

        n = np.maximum(self.sample.queries, 2)
        effect = np.where(np.isnan(self.sample.p), np.nan, self.effect)
        reach = special.stdtrit(n - 1, (1 + level) / 2) * np.sqrt((1 + effect**2 / 2) / n)
        return Interval(effect, effect - reach, effect + reach)

    def no_farther(self, widest: npt.ArrayLike) -> Tested:
        """The same with no end of an interval farther from zero than a difference can be."""
        return replace(
            self,
            low=no_farther(self.low, widest),
            high=no_farther(self.high, widest),
            inner_low=no_farther(self.inner_low, widest),
            inner_high=no_farther(self.inner_high, widest),
        )

    def within(self, margin: float | None) -> Mask:
        """Which differences are smaller than the margin; none where nobody has said one."""
        if margin is None:
            return np.zeros(len(self.mean), dtype=bool)
        return np.maximum(-self.inner_low, self.inner_high) < margin


_ENDS = ("mean", "low", "high", "inner_low", "inner_high")


@dataclass(frozen=True)
class Against:
    """Scores of float64[Q, C] and those of a baseline, float64[Q, C] or float64[Q, 1], on a
    measure."""

    values: Floats
    baseline: Floats
    measure: Measure

    @property
    def combination(self) -> Combination:
        """How the measure's scores are combined."""
        return self.measure.declaration.combination


def widest_difference(measure: Measure) -> float:
    """How far apart two runs can be on a measure."""
    low, high = measure.declaration.range
    return high - low


def tested_groups(groups: Sequence[Against], method: Method) -> list[Tested]:
    """Test the combined scores of several groups, each of the same queries and corrected by itself,
    over the queries that both define and on the scale on which they are combined."""
    both = [_on_their_scale(group) for group in groups]
    found = _tested([own - other for own, other in both], method)
    return [
        _back(f, own, other, g, method.level)
        for f, (own, other), g in zip(found, both, groups, strict=True)
    ]


def tested_as_one(groups: Sequence[Against], level: float) -> list[Tested]:
    """Test the combined scores of several groups, which may be of other queries and measures, by
    draws and corrected by Holm's rule for all columns of all groups together; `low` and `high` hold
    for all at once.
    """
    both = [_on_their_scale(group) for group in groups]
    samples = resampled_groups([own - other for own, other in both])
    ends = np.cumsum([len(sample.p) for sample in samples])[:-1]
    corrected = np.split(holm(np.concatenate([sample.p for sample in samples])), ends)
    tail = (1 - level) / max(sum(int((~np.isnan(p)).sum()) for p in corrected), 1)
    found = []
    for sample, p, (own, other), group in zip(samples, corrected, both, groups, strict=True):
        outer = sample.intervals(tail, is_found(p, level))
        inner = _inner(sample, sample.p, level)
        low, high = np.minimum(outer.low, inner.low), np.maximum(outer.high, inner.high)
        ends_of = low, high, inner.low, inner.high
        width, side = _width_at(tail, sample, p), np.sign(sample.mean)
        one = Tested(sample, sample.mean, sample.p, p, *ends_of, width, side)
        found.append(_back(one, own, other, group, level))
    return found


def _on_their_scale(group: Against) -> tuple[Floats, Floats]:
    """Scores and those of the baseline on the scale on which they are combined, of one shape."""
    combination = group.combination
    own, other = np.broadcast_arrays(
        combination.onto(group.values), combination.onto(group.baseline)
    )
    return own, other


def _back(found: Tested, own: Floats, other: Floats, group: Against, level: float) -> Tested:
    combination, widest = group.combination, widest_difference(group.measure)
    if combination.linear:
        enough = found.sample.queries >= FEWEST_QUERIES
        if math.isfinite(widest) and not np.isnan(found.inner_low[~np.isnan(found.p)]).any():
            # Equal scores have no spread, and rule out little of few queries.
            ends = found.inner_low, found.inner_high
            ends_known = (np.where(found.sample.differing > 0, end, np.nan) for end in ends)
            inner = Interval(found.mean, *ends_known)
            bounded = bounded_by_shares(inner, own, other, widest, level)
            low, high = (np.where(enough, end, np.nan) for end in bounded[1:])
            found = replace(found, inner_low=low, inner_high=high)
        return found.no_farther(widest)
    # Ends of such a scale are taken back from where the baseline stands on it.
    start = MEAN.of(np.where(np.isnan(own), np.nan, other))
    mean, low, high, inner_low, inner_high = (
        combination.back(start + getattr(found, end)) - combination.back(start) for end in _ENDS
    )
    return replace(found, mean=mean, low=low, high=high, inner_low=inner_low, inner_high=inner_high)


def tested(differences: Floats, method: Method) -> Tested:
    """Test the means of the columns of float64[Q, C]; NaN where a query has no difference.

    The correction is over all columns of which `verdicts.may_be_tested` allows a test.
    """
    return _tested([differences], method)[0]


def _tested(groups: Sequence[Floats], method: Method) -> list[Tested]:
    samples = resampled_groups(groups)
    if method.test == BOOTSTRAP:
        return [_by_draws(sample, method) for sample in samples]
    return [_by_test(gaps, sample, method) for gaps, sample in zip(groups, samples, strict=True)]


def _by_draws(sample: Resampled, method: Method) -> Tested:
    together, tail = method.corrected_by == MIN_P, 1 - method.level
    p_corrected = sample.together() if together else _corrected(sample.p, method)
    each = sample.left_to_each(tail) if together else tail * _part(p_corrected, method, tail)
    outer = sample.intervals(each, is_found(p_corrected, method.level))
    inner = _inner(sample, sample.p, method.level)
    ends = outer.low, outer.high, inner.low, inner.high
    width = _width(sample, p_corrected, method)
    return Tested(sample, sample.mean, sample.p, p_corrected, *ends, width, np.sign(sample.mean))


def _inner(sample: Resampled, p: Floats, level: float) -> Interval:
    """The interval that a margin is held to: two one-sided tests at this level amount to one of
    1 - 2 * (1 - level) (Schuirmann, A comparison of the two one-sided tests procedure, 1987). Each
    by itself: what is said only where every one shows it needs no correction."""
    return margin_interval(sample, 2 * (1 - level), is_found(p, 2 * level - 1))


def _by_test(differences: Floats, sample: Resampled, method: Method) -> Tested:
    columns = [column[~np.isnan(column)] for column in differences.T]
    p = np.full(len(columns), np.nan)
    for i in np.flatnonzero(~np.isnan(sample.p)):
        p[i] = _p_value(columns[i], method)
    p_corrected = _corrected(p, method)
    low, high = _intervals(columns, p_corrected, method)
    inner = Interval(sample.mean, *np.full((2, len(columns)), np.nan))
    width = _width(sample, p_corrected, method)
    side = np.sign(sample.mean)
    if _asks_the_mean(method):
        inner = _inner(sample, p, method.level)
    else:
        side = np.array([PAIRED_TESTS[method.test].side(c) for c in columns])
    ends = low, high, inner.low, inner.high
    return Tested(sample, sample.mean, p, p_corrected, *ends, width, side)


def _corrected(p: Floats, method: Method) -> Floats:
    return BY_NUMBER[method.corrected_by](p) if method.corrected_by in BY_NUMBER else p


def _p_value(differences: Floats, method: Method) -> float:
    return bca(differences)[0] if method.test == BCA else PAIRED_TESTS[method.test](differences)


def _intervals(columns: list[Floats], p_corrected: Floats, method: Method) -> tuple[Floats, Floats]:
    """Intervals of the means at the method's level, for all columns together where they are
    corrected; none where a test does not ask about the mean."""
    tail = 1 - method.level
    low, high = np.full((2, len(columns)), np.nan)
    if not _asks_the_mean(method):
        return low, high
    level = 1 - tail * _part(p_corrected, method, tail)
    for i in np.flatnonzero(~np.isnan(p_corrected)):
        low[i], high[i] = (bca_interval if method.test == BCA else t_interval)(columns[i], level)
    # A step-down, and a test that counts signs, may find what this interval alone would not.
    means = np.array([column.mean() if len(column) else np.nan for column in columns])
    return agreeing(low, high, means, is_found(p_corrected, 1 - tail))


def _width(sample: Resampled, p_corrected: Floats, method: Method) -> Floats:
    """That of a t-test at the level that is left to each column."""
    if not _asks_the_mean(method):
        return np.full(len(p_corrected), np.nan)
    tail = (1 - method.level) * _part(p_corrected, method, 1 - method.level)
    return _width_at(tail, sample, p_corrected)


def _width_at(tail: float, sample: Resampled, p: Floats) -> Floats:
    """That of a t-test that may err with probability `tail`, where there is a test."""
    from scipy import special

    known = ~np.isnan(p)
    free = np.where(known, np.maximum(sample.queries - 1, 1), np.nan)
    return -np.asarray(special.stdtrit(free, tail / 2))


def _asks_the_mean(method: Method) -> bool:
    return method.test not in PAIRED_TESTS or PAIRED_TESTS[method.test].of_the_mean


def _part(p_corrected: Floats, method: Method, tail: float) -> float:
    """The part of the error that each of several intervals may have (of those found by Benjamini
    and Hochberg: Benjamini and Yekutieli, False discovery rate-adjusted multiple confidence
    intervals, JASA 2005)."""
    family = int((~np.isnan(p_corrected)).sum())
    if method.corrected_by == NO_CORRECTION or not family:
        return 1.0
    found = int((p_corrected <= tail).sum()) if method.corrected_by == "benjamini-hochberg" else 1
    return max(found, 1) / family
