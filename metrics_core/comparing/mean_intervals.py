"""Intervals of mean differences beside those of the draws: by t, bias corrected (BCa), and the one
that is held to a margin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Mask
from metrics_core.comparing.paired_tests import are_equal
from metrics_core.comparing.resampled import ResampledMeans, align_with_test
from metrics_core.scoring.intervals import LEVEL, Interval
from metrics_core.scoring.resampling import draw_sums

_CALIBRATED = 0.55
"""The part of the error that is meant at which `margin_interval` is taken (calibration: Loh,
Calibrating confidence coefficients, JASA 1987): the largest by which, on differences of real runs,
an end for 5 % is missed in at most 5 of 100 cases (docs/ci.md). At the whole it is in up to 8: of
few queries that change, too few are seen that lose much."""


class Ends(NamedTuple):
    """The two ends of an interval; NaN where there are fewer than two differences."""

    low: float
    high: float


def t_interval(differences: Floats, level: float = LEVEL) -> Ends:
    """The interval of the mean that the paired t-test goes with; float64[Q] without NaN."""
    from scipy import special

    n = len(differences)
    if n < 2:
        return Ends(np.nan, np.nan)
    mean = float(differences.mean())
    if are_equal(differences):
        return Ends(mean, mean)
    reach = special.stdtrit(n - 1, (1 + level) / 2) * differences.std(ddof=1) / np.sqrt(n)
    return Ends(mean - float(reach), mean + float(reach))


def bca_interval(differences: Floats, level: float = LEVEL) -> Ends:
    """The bias-corrected and accelerated interval of the mean (Efron, Better bootstrap confidence
    intervals, JASA 1987), from the draws that serve every mean; float64[Q] without NaN."""
    return bca_test(differences, level)[1]


def bca_test(differences: Floats, level: float = LEVEL) -> tuple[float, Ends]:
    """The two-sided p-value that goes with the BCa interval, and that interval, which excludes zero
    just where the p-value is at most 1 - level."""
    from scipy import special

    if len(differences) < 2:
        return float("nan"), Ends(np.nan, np.nan)
    mean = float(differences.mean())
    if are_equal(differences):
        return (0.0 if mean else 1.0), Ends(mean, mean)
    n = len(differences)
    totals: Floats = draw_sums(np.column_stack([differences, np.ones(n)]))
    draws: Floats = np.divide(totals[:, 0], totals[:, 1])
    bias = float(special.ndtri(_share_below(draws, mean)))
    centred = differences - mean
    acceleration = (centred**3).sum() / (6 * np.square(centred).sum() ** 1.5)
    tails = special.ndtri([(1 - level) / 2, (1 + level) / 2]) + bias
    shares = special.ndtr(bias + tails / np.maximum(1 - acceleration * tails, 1e-9))
    low, high = map(float, np.quantile(draws, shares))
    # The interval that ends at zero, sought backwards.
    least = 1 / (len(draws) + 1)
    off = float(special.ndtri(np.clip(_share_below(draws, 0.0), least, 1 - least))) - bias
    tail = float(special.ndtr(off / max(1 + acceleration * off, 1e-9) - bias))
    p = min(1.0, max(least, 2 * min(tail, 1 - tail)))
    is_significant = np.array(p <= 1 - level + 1e-12)
    return p, Ends(
        *map(float, align_with_test(np.array(low), np.array(high), np.array(mean), is_significant))
    )


def _share_below(draws: Floats, value: float) -> float:
    """The share of draws below a value; those that equal it count half."""
    slack = 1e-12 * float(np.abs(draws).max())
    return float(((draws < value - slack).mean() + (draws <= value + slack).mean()) / 2)


def margin_interval(sample: ResampledMeans, tail: float, is_significant: Mask) -> Interval:
    """The interval of each mean that a margin is held to, float64[C]: each end is missed in at most
    `tail` / 2 of all cases; it excludes zero just where a difference is `is_significant`, bool[C];
    NaN where there is no test.

    Each end is as many standard errors from the mean as a t-test asks, not of those that the data
    have but of those that they would have if the end were the true mean (as Wilson, 1927, does of a
    share, and of a margin Farrington and Manning, Statistics in Medicine 1990). A difference is on
    the queries that differ, so where few do, a larger one makes all vary more: a few that happened
    to lose little show small errors as well, and by these a loss was ruled out too often.
    """
    from scipy import special

    low, high = (end.copy() for end in sample.intervals(tail, is_significant)[1:])
    is_varied = (sample.error > 0) & ~np.isnan(sample.p)
    n, mean = sample.queries[is_varied].astype(np.float64), sample.mean[is_varied]
    share = sample.differing[is_varied] / n
    squares = n * (n - 1) * np.square(sample.error[is_varied])
    # Those of the queries that differ, about their own mean.
    squares = np.maximum(squares - n * np.square(mean) * (1 / share - 1), 0.0)
    step = np.square(special.stdtrit(n - 1, 1 - _CALIBRATED * tail / 2)) / n
    spread = step * share * squares / (n * share - 1)
    # The ends e of (mean - e)^2 = spread + step * (1 / share - 1) * e^2; `remainder` is more than
    # 0 of the six queries that differ without which there is no test.
    remainder = 1 - step * (1 / share - 1)
    reach = np.sqrt(np.square(mean) * (1 - remainder) + remainder * spread)
    low[is_varied], high[is_varied] = (mean - reach) / remainder, (mean + reach) / remainder
    return Interval(sample.mean, *align_with_test(low, high, sample.mean, is_significant))


def bound_by_shares(
    inner: Interval, own_scores: Floats, other_scores: Floats, widest: float, level: float
) -> Interval:
    """The interval that a margin is held to, with what shares of queries alone say, of scores on a
    scale so wide and those of a baseline; float64[Q, C] each, NaN undefined.

    By the upper bound of a share (`share_upper_bound`), each missed with probability 1 - `level`:
    the mean moves no farther than if every query that loses did so by the whole scale, and, if
    queries fall to 0, perhaps as far as if so many had lost a score of the mean size. Rare total
    failures show too little in the spread of a sample that holds one or two.
    """
    gaps = own_scores - other_scores
    is_defined = ~np.isnan(gaps)
    n = is_defined.sum(axis=0)

    def bound_share(which: Mask) -> Floats:
        return share_upper_bound((which & is_defined).sum(axis=0), n, level)

    def failure_loss(which: Mask, scores: Floats) -> Floats:
        total = np.where(is_defined, scores, 0.0).sum(axis=0)
        any_fails = (which & is_defined).any(axis=0)
        return np.where(any_fails, bound_share(which) * total / np.maximum(n, 1), 0.0)

    low = np.fmax(inner.low, -widest * bound_share(gaps < 0))
    high = np.fmin(inner.high, widest * bound_share(gaps > 0))
    low = np.minimum(low, -failure_loss((own_scores == 0) & (other_scores > 0), other_scores))
    high = np.maximum(high, failure_loss((other_scores == 0) & (own_scores > 0), own_scores))
    return Interval(inner.mean, np.minimum(low, inner.mean), np.maximum(high, inner.mean))


def share_upper_bound(number: npt.ArrayLike, n: npt.ArrayLike, level: float) -> Floats:
    """The upper bound of a share of which `number` of `n` were seen, missed with probability
    1 - level (Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 1934)."""
    from scipy import special

    number, n = np.asarray(number, dtype=np.float64), np.asarray(n, dtype=np.float64)
    bound = special.betaincinv(number + 1, np.maximum(n - number, 1e-9), level)
    return np.where(number >= n, 1.0, bound)
