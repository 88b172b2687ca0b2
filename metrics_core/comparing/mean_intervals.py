"""Further intervals of mean differences: Student's t interval, the bias-corrected and accelerated
bootstrap interval (BCa), and the interval that is compared with a margin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Mask
from metrics_core.comparing.paired_tests import are_differences_equal
from metrics_core.comparing.resampled import ResampledMeans, align_bounds_with_test
from metrics_core.scoring.intervals import LEVEL, Interval
from metrics_core.scoring.resampling import sum_each_draw

_CALIBRATED = 0.55
"""Share of the nominal error at which `margin_interval` is computed (calibration: Loh, Calibrating
confidence coefficients, JASA 1987).

With this share, a bound with a nominal error of 5% is wrong in at most 5 of 100 cases on
differences of real runs; a larger share would exceed this (docs/ci.md). At the full nominal error,
such a bound is wrong in up to 8 of 100 cases, because a sample in which few queries change may
contain too few of the queries with a large loss."""


class Ends(NamedTuple):
    """Lower and upper bound of an interval. Both are NaN if there are fewer than two
    differences."""

    low: float
    high: float


def t_interval(differences: Floats, level: float = LEVEL) -> Ends:
    """Return the t interval of the mean of `differences`, float64[query] without NaN. It agrees
    with the paired t-test."""
    from scipy import special

    n = len(differences)
    if n < 2:
        return Ends(np.nan, np.nan)
    mean = float(differences.mean())
    if are_differences_equal(differences):
        return Ends(mean, mean)
    reach = special.stdtrit(n - 1, (1 + level) / 2) * differences.std(ddof=1) / np.sqrt(n)
    return Ends(mean - float(reach), mean + float(reach))


def bca_test(differences: Floats, level: float = LEVEL) -> tuple[float, Ends]:
    """Test whether the mean of `differences`, float64[query] without NaN, is 0.

    Returns the two-sided p-value, and the bias-corrected and accelerated bootstrap interval of the
    mean (Efron, Better bootstrap confidence intervals, JASA 1987). The interval excludes zero if
    and only if the p-value is at most 1 - level. The resamples are the same for all means."""
    from scipy import special

    if len(differences) < 2:
        return float("nan"), Ends(np.nan, np.nan)
    mean = float(differences.mean())
    if are_differences_equal(differences):
        return (0.0 if mean else 1.0), Ends(mean, mean)
    n = len(differences)
    totals: Floats = sum_each_draw(np.column_stack([differences, np.ones(n)]))
    draws: Floats = np.divide(totals[:, 0], totals[:, 1])
    bias = float(special.ndtri(_share_below(draws, mean)))
    centred = differences - mean
    acceleration = (centred**3).sum() / (6 * np.square(centred).sum() ** 1.5)
    tails = special.ndtri([(1 - level) / 2, (1 + level) / 2]) + bias
    shares = special.ndtr(bias + tails / np.maximum(1 - acceleration * tails, 1e-9))
    low, high = map(float, np.quantile(draws, shares))
    # Invert the interval: find the tail at which it ends at zero.
    least = 1 / (len(draws) + 1)
    off = float(special.ndtri(np.clip(_share_below(draws, 0.0), least, 1 - least))) - bias
    tail = float(special.ndtr(off / max(1 + acceleration * off, 1e-9) - bias))
    p = min(1.0, max(least, 2 * min(tail, 1 - tail)))
    is_significant = np.array(p <= 1 - level + 1e-12)
    return p, Ends(
        *map(
            float,
            align_bounds_with_test(np.array(low), np.array(high), np.array(mean), is_significant),
        )
    )


def _share_below(draws: Floats, value: float) -> float:
    """Return the share of draws below a value. Draws equal to the value count half."""
    slack = 1e-12 * float(np.abs(draws).max())
    return float(((draws < value - slack).mean() + (draws <= value + slack).mean()) / 2)


def margin_interval(sample: ResampledMeans, tail: float, is_significant: Mask) -> Interval:
    """Return, for each mean, the interval that is compared with a margin. Mean, low and high are
    float64[column], NaN without a test.

    Each bound is wrong in at most `tail` / 2 of all cases. The interval excludes zero if and only
    if `is_significant` bool[column] is true.

    The distance of a bound from the mean is the number of standard errors that a t-test requires.
    For each bound, the standard error is computed as if this bound were the true mean (like Wilson,
    1927, for a share, and Farrington and Manning, Statistics in Medicine 1990, for a margin). The
    reason is that, when few queries differ, a larger mean difference also means a larger variance.
    If the losses in a sample are small by chance, the observed standard error is therefore too
    small, and an interval based on it would rule out a real loss too often."""
    from scipy import special

    low, high = (end.copy() for end in sample.intervals(tail, is_significant)[1:])
    is_varied = (sample.error > 0) & ~np.isnan(sample.p)
    n, mean = sample.queries[is_varied].astype(np.float64), sample.mean[is_varied]
    share = sample.differing[is_varied] / n
    squares = n * (n - 1) * np.square(sample.error[is_varied])
    # The sum of squares of the queries that differ, about their own mean.
    squares = np.maximum(squares - n * np.square(mean) * (1 / share - 1), 0.0)
    step = np.square(special.stdtrit(n - 1, 1 - _CALIBRATED * tail / 2)) / n
    spread = step * share * squares / (n * share - 1)
    # The solutions e of (mean - e)^2 = spread + step * (1 / share - 1) * e^2. At a very high level
    # few queries that differ rule out no e.
    remainder = 1 - step * (1 / share - 1)
    is_bounded = remainder > 0
    reach = np.sqrt(np.maximum(np.square(mean) * (1 - remainder) + remainder * spread, 0.0))
    ends = ((mean - reach, -np.inf), (mean + reach, np.inf))
    divisor = np.where(is_bounded, remainder, 1.0)
    low[is_varied], high[is_varied] = (np.where(is_bounded, e / divisor, inf) for e, inf in ends)
    return Interval(sample.mean, *align_bounds_with_test(low, high, sample.mean, is_significant))


def adjust_by_share_bounds(
    test_interval: Interval,
    run_scores: Floats,
    baseline_scores: Floats,
    largest_difference: float,
    level: float,
) -> Interval:
    """Adjust the interval that is compared with a margin, using upper bounds on shares of queries.

    `run_scores` (of the run) and `baseline_scores` (of the baseline) are float64[query, column],
    NaN if undefined. `largest_difference` is the range of the scale. The upper bound of a share of
    queries (`share_upper_bound`) is wrong with probability 1 - `level`.

    The lower bound of the interval is adjusted twice. First, the mean cannot lose more than if each
    query in the bounded share of losing queries lost the whole range. If the interval reaches
    beyond this loss, it is shortened. Second, each query that drops to 0 may lose an average score.
    If the interval does not reach the loss from the bounded share of such queries, it is extended,
    because a sample with only one or two of them underestimates the variance. The upper bound is
    adjusted in the same way, for gains."""
    gaps = run_scores - baseline_scores
    is_defined = ~np.isnan(gaps)
    n = is_defined.sum(axis=0)

    def bound_share_of_queries(selected: Mask) -> Floats:
        return share_upper_bound((selected & is_defined).sum(axis=0), n, level)

    def failure_loss(selected: Mask, scores: Floats) -> Floats:
        total = np.where(is_defined, scores, 0.0).sum(axis=0)
        any_fails = (selected & is_defined).any(axis=0)
        return np.where(
            any_fails, bound_share_of_queries(selected) * total / np.maximum(n, 1), -np.inf
        )

    low = np.fmax(test_interval.low, -largest_difference * bound_share_of_queries(gaps < 0))
    high = np.fmin(test_interval.high, largest_difference * bound_share_of_queries(gaps > 0))
    low = np.minimum(low, -failure_loss((run_scores == 0) & (baseline_scores > 0), baseline_scores))
    high = np.maximum(high, failure_loss((baseline_scores == 0) & (run_scores > 0), run_scores))
    return Interval(
        test_interval.mean,
        np.minimum(low, test_interval.mean),
        np.maximum(high, test_interval.mean),
    )


def share_upper_bound(count: npt.ArrayLike, total: npt.ArrayLike, level: float) -> Floats:
    """Return the upper confidence bound of a share of queries, given that `count` of the
    `total` queries in a sample had a property.

    The result is float64[…] with the broadcast shape of `count` and `total`. The true share exceeds
    the bound with probability at most 1 - level (Clopper and Pearson, The use of confidence or
    fiducial limits, Biometrika 1934)."""
    from scipy import special

    count, total = np.asarray(count, dtype=np.float64), np.asarray(total, dtype=np.float64)
    bound = special.betaincinv(count + 1, np.maximum(total - count, 1e-9), level)
    return np.where(count >= total, 1.0, bound)
