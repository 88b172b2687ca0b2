"""Test columns of paired differences by a chosen method, with correction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics_core.base.arrays import Floats, Mask, Objects
from metrics_core.comparing.comparison_results import ComparisonResults
from metrics_core.comparing.mean_intervals import (
    adjust_by_share_bounds,
    bca_test,
    margin_interval,
    t_interval,
)
from metrics_core.comparing.method import BCA, BOOTSTRAP, MIN_P, NO_CORRECTION, Method
from metrics_core.comparing.paired_tests import BY_NUMBER, PAIRED_TESTS, holm_adjusted, sign_test
from metrics_core.comparing.resampled import (
    ResampledMeans,
    align_bounds_with_test,
    resample_groups,
)
from metrics_core.comparing.tested_quantities import (
    MEAN_DIFFERENCE,
    SIGN,
    TestedCosts,
    find_tested_differences,
    find_tested_quantities,
    is_mean_tested,
)
from metrics_core.comparing.verdicts import FEWEST_QUERIES, are_significant
from metrics_core.measures import MEAN, Combination, Measure
from metrics_core.scoring.intervals import Interval
from metrics_core.scoring.studentised import Moments, studentise

_ENDS = ("mean", "low", "high", "inner_low", "inner_high")


@dataclass(frozen=True)
class PairedScores:
    """Scores of runs and of their baselines on a measure.

    `values` float64[query, column] are the scores of the runs. `baseline` float64[query, column]
    are the scores of their baselines; float64[query, 1] if all runs have the same baseline. If
    `asks_for_mean` is true, the mean difference is tested even if the measure is a cost."""

    values: Floats
    baseline: Floats
    measure: Measure
    asks_for_mean: bool = False

    @property
    def combination(self) -> Combination:
        """The way in which the measure's scores are combined over queries."""
        return self.measure.declaration.combination


def largest_possible_difference(measure: Measure) -> float:
    """Return the largest possible difference of two scores on a measure; inf if unbounded."""
    low, high = measure.declaration.range
    return high - low


def compare_groups(groups: Sequence[PairedScores], method: Method) -> list[ComparisonResults]:
    """Test the combined scores of several groups of pairs, using the queries with scores of both
    runs. All groups must have the same queries.

    The tests are made on the scale on which scores are combined. Multiple comparisons are corrected
    within each group separately."""
    pairs = [_ScaledPair.from_scores(group) for group in groups]
    results = _compare_groups(
        [pair.differences for pair in pairs], method, [p.tested for p in pairs]
    )
    return [
        pair.to_score_scale(result, method.level)
        for result, pair in zip(results, pairs, strict=True)
    ]


def compare_groups_together(
    groups: Sequence[PairedScores], level: float
) -> list[ComparisonResults]:
    """Test the combined scores of several groups of pairs by resampling, with Holm's correction
    over all columns of all groups.

    The groups may have different queries and measures. `low` and `high` are simultaneous over all
    columns of all groups."""
    pairs = [_ScaledPair.from_scores(group) for group in groups]
    samples = _resample_groups([pair.differences for pair in pairs], [p.tested for p in pairs])
    ends = np.cumsum([len(sample.p) for sample in samples])[:-1]
    corrected = np.split(holm_adjusted(np.concatenate([sample.p for sample in samples])), ends)
    tail = (1 - level) / max(sum(int((~np.isnan(p)).sum()) for p in corrected), 1)
    results = []
    for sample, p, pair in zip(samples, corrected, pairs, strict=True):
        outer = sample.intervals(tail, are_significant(p, level))
        inner = _find_margin_interval(sample, sample.p, level)
        low, high = np.minimum(outer.low, inner.low), np.maximum(outer.high, inner.high)
        interval_ends = low, high, inner.low, inner.high
        width, side = _t_test_quantiles(tail, sample, p), np.sign(sample.mean)
        result = ComparisonResults(sample, sample.mean, sample.p, p, *interval_ends, width, side)
        results.append(pair.to_score_scale(result, level))
    return results


@dataclass(frozen=True)
class _ScaledPair:
    """Scores and baseline scores of the `group`, with the tested quantity of each column.

    The scores are float64[query, column] each, on the scale on which they are combined."""

    run_scores: Floats
    baseline_scores: Floats
    group: PairedScores
    tested: Objects

    @classmethod
    def from_scores(cls, group: PairedScores) -> _ScaledPair:
        combination = group.combination
        run_scores, baseline_scores = np.broadcast_arrays(
            combination.to_scale(group.values), combination.to_scale(group.baseline)
        )
        tested = find_tested_quantities(group.measure, run_scores, baseline_scores)
        if group.asks_for_mean:
            tested = np.full(len(tested), MEAN_DIFFERENCE, dtype=object)
        return cls(run_scores, baseline_scores, group, tested)

    @property
    def differences(self) -> Floats:
        """The differences whose mean is tested, float64[query, column]."""
        return find_tested_differences(self.run_scores, self.baseline_scores, self.tested)

    def to_score_scale(self, result: ComparisonResults, level: float) -> ComparisonResults:
        """Convert results from the tested scale to the scale of combined scores."""
        if not (is_mean_tested(self.group.measure) or self.group.asks_for_mean):
            return self._to_costs(result)
        combination = self.group.combination
        widest = largest_possible_difference(self.group.measure)
        if combination.linear:
            if math.isfinite(widest) and not np.isnan(result.inner_low[~np.isnan(result.p)]).any():
                result = self._widen_inner_bounds(result, widest, level)
            return result.clip_bounds(widest)
        # Bounds on such a scale are converted back relative to the baseline.
        start = MEAN.combine(np.where(np.isnan(self.run_scores), np.nan, self.baseline_scores))
        mean, low, high, inner_low, inner_high = (
            combination.from_scale(start + getattr(result, end)) - combination.from_scale(start)
            for end in _ENDS
        )
        return replace(
            result, mean=mean, low=low, high=high, inner_low=inner_low, inner_high=inner_high
        )

    def _widen_inner_bounds(
        self, result: ComparisonResults, largest_difference: float, level: float
    ) -> ComparisonResults:
        enough = result.sample.queries >= FEWEST_QUERIES
        # Equal scores have no spread, and few of them rule out little.
        ends = result.inner_low, result.inner_high
        ends_known = (np.where(result.sample.differing > 0, end, np.nan) for end in ends)
        inner = Interval(result.mean, *ends_known)
        bounded = adjust_by_share_bounds(
            inner, self.run_scores, self.baseline_scores, largest_difference, level
        )
        low, high = (np.where(enough, end, np.nan) for end in bounded[1:])
        return replace(result, inner_low=low, inner_high=high)

    def _to_costs(self, result: ComparisonResults) -> ComparisonResults:
        """Return the results for a cost: the test of its ratio or sign, and the mean difference
        without a test."""
        costs = TestedCosts.from_logarithms(self.tested, *(getattr(result, end) for end in _ENDS))
        moments = Moments.from_values(self.run_scores - self.baseline_scores)
        sample = replace(
            result.sample,
            mean=moments.mean,
            error=moments.error,
            statistic=studentise(moments.mean, moments.error),
        )
        none = np.full(len(moments.mean), np.nan)
        bounds = dict.fromkeys((*_ENDS[1:], "width"), none)
        if self.group.measure.declaration.direction == 0:
            sample, bounds = replace(sample, p=none), bounds | {"p": none, "p_corrected": none}
        return replace(result, sample=sample, mean=moments.mean, costs=costs, **bounds)


def compare_columns(
    differences: Floats, method: Method, tested: Objects | None = None
) -> ComparisonResults:
    """Test the mean of each column of `differences`, float64[query, column]. Undefined differences
    are NaN.

    `tested` object[column] names the quantity in each column (`find_tested_differences`); by
    default all are mean differences. The correction is over all columns that may be tested
    (`verdicts.are_testable`)."""
    all_means = np.full(differences.shape[1], MEAN_DIFFERENCE, dtype=object)
    words = all_means if tested is None else tested
    return _compare_groups([differences], method, [words])[0]


def _compare_groups(
    groups: Sequence[Floats], method: Method, tested: Sequence[Objects]
) -> list[ComparisonResults]:
    samples = _resample_groups(groups, tested)
    if method.test == BOOTSTRAP:
        return [_compare_by_draws(sample, method) for sample in samples]
    return [
        _compare_by_test(gaps, sample, method, words == SIGN)
        for gaps, sample, words in zip(groups, samples, tested, strict=True)
    ]


def _resample_groups(groups: Sequence[Floats], tested: Sequence[Objects]) -> list[ResampledMeans]:
    """Return the resampled means of each group. If the tested quantity of a column is the sign, its
    p-value is computed by the sign test."""
    samples = resample_groups(groups)
    for position, words in enumerate(tested):
        p = samples[position].p.copy()
        for column in np.flatnonzero((words == SIGN) & ~np.isnan(p)):
            p[column] = sign_test(groups[position][:, column])
        samples[position] = replace(samples[position], p=p)
    return samples


def _compare_by_draws(sample: ResampledMeans, method: Method) -> ComparisonResults:
    is_joint, tail = method.effective_correction == MIN_P, 1 - method.level
    p_corrected = sample.min_p_corrected() if is_joint else _correct_p_values(sample.p, method)
    each = (
        sample.column_error_probability(tail)
        if is_joint
        else tail * _error_share_per_interval(p_corrected, method, tail)
    )
    outer = sample.intervals(each, are_significant(p_corrected, method.level))
    inner = _find_margin_interval(sample, sample.p, method.level)
    ends = outer.low, outer.high, inner.low, inner.high
    width = _critical_t_values(sample, p_corrected, method)
    return ComparisonResults(
        sample, sample.mean, sample.p, p_corrected, *ends, width, np.sign(sample.mean)
    )


def _find_margin_interval(sample: ResampledMeans, p: Floats, level: float) -> Interval:
    """Return the interval that is compared with a margin.

    Two one-sided tests at this level are equivalent to an interval with level 1 - 2 * (1 - level)
    (Schuirmann, A comparison of the two one-sided tests procedure, 1987). No correction is needed,
    because an equivalence is only claimed if every column shows it."""
    return margin_interval(sample, 2 * (1 - level), are_significant(p, 2 * level - 1))


def _compare_by_test(
    differences: Floats, sample: ResampledMeans, method: Method, is_sign_tested: Mask
) -> ComparisonResults:
    columns = [column[~np.isnan(column)] for column in differences.T]
    p = np.where(is_sign_tested, sample.p, np.nan)
    for i in np.flatnonzero(~np.isnan(sample.p) & ~is_sign_tested):
        is_bca = method.test == BCA
        p[i] = bca_test(columns[i])[0] if is_bca else PAIRED_TESTS[method.test](columns[i])
    p_corrected = _correct_p_values(p, method)
    low, high = _find_intervals(columns, p_corrected, method)
    inner = Interval(sample.mean, *np.full((2, len(columns)), np.nan))
    width = _critical_t_values(sample, p_corrected, method)
    side = np.sign(sample.mean)
    if _is_test_of_mean(method):
        inner = _find_margin_interval(sample, p, method.level)
    else:
        side = np.array([PAIRED_TESTS[method.test].side(c) for c in columns])
    ends = low, high, inner.low, inner.high
    return ComparisonResults(sample, sample.mean, p, p_corrected, *ends, width, side)


def _correct_p_values(p: Floats, method: Method) -> Floats:
    return (
        BY_NUMBER[method.effective_correction](p) if method.effective_correction in BY_NUMBER else p
    )


def _find_intervals(
    columns: list[Floats], p_corrected: Floats, method: Method
) -> tuple[Floats, Floats]:
    """Return the lower and upper bounds of the intervals of the means, float64[column] each, at the
    method's level.

    The intervals are simultaneous if the method corrects p-values. They are NaN if the test does
    not concern the mean."""
    tail = 1 - method.level
    low, high = np.full((2, len(columns)), np.nan)
    if not _is_test_of_mean(method):
        return low, high
    level = 1 - tail * _error_share_per_interval(p_corrected, method, tail)
    for i in np.flatnonzero(~np.isnan(p_corrected)):
        is_bca = method.test == BCA
        low[i], high[i] = (
            bca_test(columns[i], level)[1] if is_bca else t_interval(columns[i], level)
        )
    # A step-down correction, and a test that counts signs, may be significant although this
    # interval contains zero.
    means = np.array([column.mean() if len(column) else np.nan for column in columns])
    return align_bounds_with_test(low, high, means, are_significant(p_corrected, 1 - tail))


def _critical_t_values(sample: ResampledMeans, p_corrected: Floats, method: Method) -> Floats:
    """Return the critical t value of each column at its corrected level, float64[column].

    It is the number of standard errors from zero at which the mean difference becomes
    significant."""
    if not _is_test_of_mean(method):
        return np.full(len(p_corrected), np.nan)
    tail = (1 - method.level) * _error_share_per_interval(p_corrected, method, 1 - method.level)
    return _t_test_quantiles(tail, sample, p_corrected)


def _t_test_quantiles(tail: float, sample: ResampledMeans, p: Floats) -> Floats:
    """Return the number of standard errors from zero at which a t-test with error probability
    `tail` becomes significant, float64[column]. It is NaN for columns without a test, for which `p`
    float64[column] is NaN."""
    from scipy import special

    is_tested = ~np.isnan(p)
    free = np.where(is_tested, np.maximum(sample.queries - 1, 1), np.nan)
    return -np.asarray(special.stdtrit(free, tail / 2))


def _is_test_of_mean(method: Method) -> bool:
    return method.test not in PAIRED_TESTS or PAIRED_TESTS[method.test].tests_mean


def _error_share_per_interval(p_corrected: Floats, method: Method, tail: float) -> float:
    """Return the share of the error probability that is allotted to each of several intervals.

    For Benjamini-Hochberg, the share follows Benjamini and Yekutieli, False discovery rate-adjusted
    multiple confidence intervals, JASA 2005."""
    family = int((~np.isnan(p_corrected)).sum())
    if method.effective_correction == NO_CORRECTION or not family:
        return 1.0
    n_found = (
        int((p_corrected <= tail).sum())
        if method.effective_correction == "benjamini-hochberg"
        else 1
    )
    return max(n_found, 1) / family
