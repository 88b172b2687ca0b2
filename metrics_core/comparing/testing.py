"""Columns of paired differences, tested and corrected the way that was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from metrics_core.comparing.doubts import withheld
from metrics_core.comparing.mean_intervals import agreeing, bca, bca_interval, t_interval
from metrics_core.comparing.method import BCA, BOOTSTRAP, MAX_T, NO_CORRECTION, Method
from metrics_core.comparing.resampled import Resampled, resampled_each, resampled_groups
from metrics_core.comparing.tests import PAIRED_TESTS, corrected
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.measures import MEAN, Combination

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Tested:
    """What a method says of C mean differences; each float64[C], NaN where there is no test.

    `low` and `high` are the interval that agrees with `p_corrected`; `inner_low` and `inner_high`
    are the one by which two one-sided tests find a difference smaller than a margin; `width` is
    how many standard errors from zero a difference must be to be found. `side` is 1 where the test
    finds more on the upper side and -1 on the lower, mostly that of the mean; `skewed` bool[C] says
    which were too skewed for a test. `sample` is
    what the draws say of the same columns, whatever the method.
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
    skewed: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    @property
    def effect(self) -> Floats:
        """The mean in standard deviations of the differences; 0 where no query differs, NaN where
        all differ alike."""
        effect = self.sample.statistic / np.sqrt(np.maximum(self.sample.queries, 1))
        return np.where(np.isinf(effect), np.nan, effect)

    def within(self, margin: float | None) -> npt.NDArray[np.bool_]:
        """Which differences are smaller than the margin; none where nobody has said one."""
        if margin is None:
            return np.zeros(len(self.mean), dtype=bool)
        return np.maximum(-self.inner_low, self.inner_high) < margin


_ENDS = ("mean", "low", "high", "inner_low", "inner_high")


@dataclass(frozen=True)
class Against:
    """Combined scores of float64[Q, C] and those of a baseline, float64[Q, C] or float64[Q, 1]."""

    values: Floats
    baseline: Floats
    combination: Combination


def tested_scores(
    values: Floats, baseline: Floats, combination: Combination, method: Method
) -> Tested:
    """Test the combined scores of float64[Q, C] against those of a baseline, float64[Q, C] or
    float64[Q, 1], over the queries that both define, on the scale on which they are combined."""
    return tested_groups([Against(values, baseline, combination)], method)[0]


def tested_groups(groups: Sequence[Against], method: Method) -> list[Tested]:
    """`tested_scores` of several groups of the same queries, each corrected by itself, in one pass
    over the draws."""
    both = [
        np.broadcast_arrays(g.combination.onto(g.values), g.combination.onto(g.baseline))
        for g in groups
    ]
    found = _tested([own - other for own, other in both], method)
    return [
        _back(f, own, other, g.combination)
        for f, (own, other), g in zip(found, both, groups, strict=True)
    ]


def _back(found: Tested, own: Floats, other: Floats, combination: Combination) -> Tested:
    if combination.linear:
        return found
    # Ends of such a scale are taken back from where the baseline stands on it.
    start = MEAN.of(np.where(np.isnan(own), np.nan, other))
    mean, low, high, inner_low, inner_high = (
        combination.back(start + getattr(found, end)) - combination.back(start) for end in _ENDS
    )
    return replace(found, mean=mean, low=low, high=high, inner_low=inner_low, inner_high=inner_high)


def tested(differences: Floats, method: Method) -> Tested:
    """Test the means of the columns of float64[Q, C]; NaN where a query has no difference.

    Columns with fewer than `FEWEST_QUERIES` differences are not tested, nor those too skewed for a
    test of the mean (`doubts.withheld`); they are no part of the correction of the others.
    """
    return _tested([differences], method)[0]


def _tested(groups: Sequence[Floats], method: Method) -> list[Tested]:
    skewed = [withheld(differences) for differences in groups]
    if not _asks_the_mean(method):
        skewed = [np.zeros_like(columns) for columns in skewed]
    samples = resampled_groups(groups, fewest=FEWEST_QUERIES, without=skewed)
    return [
        replace(_by_method(differences, sample, without, method), skewed=without)
        for differences, sample, without in zip(groups, samples, skewed, strict=True)
    ]


def _by_method(
    differences: Floats, sample: Resampled, skewed: npt.NDArray[np.bool_], method: Method
) -> Tested:
    if method.test != BOOTSTRAP:
        return _by_test(np.where(skewed, np.nan, differences), sample, method)
    if method.corrected_by == MAX_T:
        return _by_draws(sample, method)
    alone = resampled_each(differences, fewest=FEWEST_QUERIES, without=skewed)
    return _side_by_side(sample, [_by_draws(one, method) for one in alone])


def _by_draws(sample: Resampled, method: Method) -> Tested:
    outer, inner = sample.intervals(method.level), sample.intervals(_inner(method))
    p = sample.single, sample.corrected
    width = np.where(np.isnan(sample.corrected), np.nan, sample.width(method.level))
    return Tested(sample, sample.mean, *p, *outer[1:], *inner[1:], width, np.sign(sample.mean))


def _inner(method: Method) -> float:
    """The level of the interval that two one-sided tests at this level amount to (Schuirmann, A
    comparison of the two one-sided tests procedure, 1987)."""
    return 1 - 2 * (1 - method.level)


def _side_by_side(sample: Resampled, parts: list[Tested]) -> Tested:
    names = ("mean", "p", "p_corrected", *_ENDS[1:], "width", "side")
    joined = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    return Tested(sample, *joined)


def _by_test(differences: Floats, sample: Resampled, method: Method) -> Tested:
    columns = [column[~np.isnan(column)] for column in differences.T]
    p = np.full(len(columns), np.nan)
    for i, column in enumerate(columns):
        if len(column) >= FEWEST_QUERIES:
            p[i] = _p_value(column, method)
    by_number = method.corrected_by != NO_CORRECTION
    p_corrected = corrected(p, method.test, method.corrected_by) if by_number else p
    tail = 1 - method.level
    outer, inner = (_intervals(columns, p_corrected, method, t) for t in (tail, 2 * tail))
    width = _width(sample, p_corrected, method)
    side = np.sign(sample.mean)
    if not _asks_the_mean(method):
        side = np.array([PAIRED_TESTS[method.test].side(c) for c in columns])
    return Tested(sample, sample.mean, p, p_corrected, *outer, *inner, width, side)


def _p_value(differences: Floats, method: Method) -> float:
    return bca(differences)[0] if method.test == BCA else PAIRED_TESTS[method.test](differences)


def _intervals(
    columns: list[Floats], p_corrected: Floats, method: Method, tail: float
) -> tuple[Floats, Floats]:
    """Intervals of the means that miss it with probability `tail`, for all columns together where
    they are corrected; none where a test does not ask about the mean."""
    low, high = np.full((2, len(columns)), np.nan)
    if not _asks_the_mean(method):
        return low, high
    known = ~np.isnan(p_corrected)
    level = 1 - tail * _part(p_corrected[known], method, tail)
    for i in np.flatnonzero(known):
        ends = (bca_interval if method.test == BCA else t_interval)(columns[i], level)
        # A step-down, and a test that counts signs, may find what this interval alone would not.
        low[i], high[i] = agreeing(ends, float(columns[i].mean()), found=p_corrected[i] <= tail)
    return low, high


def _width(sample: Resampled, p_corrected: Floats, method: Method) -> Floats:
    """That of a t-test at the level that is left to each column."""
    from scipy import special

    known = ~np.isnan(p_corrected) & _asks_the_mean(method)
    tail = (1 - method.level) * _part(p_corrected[known], method, 1 - method.level)
    free = np.where(known, np.maximum(sample.queries - 1, 1), np.nan)
    return -np.asarray(special.stdtrit(free, tail / 2))


def _asks_the_mean(method: Method) -> bool:
    return method.test not in PAIRED_TESTS or PAIRED_TESTS[method.test].of_the_mean


def _part(p_corrected: Floats, method: Method, tail: float) -> float:
    """The part of the error that each of several intervals may have (of those found by Benjamini
    and Hochberg: Benjamini and Yekutieli, False discovery rate-adjusted multiple confidence
    intervals, JASA 2005)."""
    if method.corrected_by == NO_CORRECTION or not len(p_corrected):
        return 1.0
    found = int((p_corrected <= tail).sum()) if method.corrected_by == "benjamini-hochberg" else 1
    return max(found, 1) / len(p_corrected)
