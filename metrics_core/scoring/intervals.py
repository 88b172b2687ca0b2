"""Bootstrap intervals of a run's mean over queries. Intervals of differences are in
`comparing.resampled`.

Queries are drawn with replacement. The same draws are used for every run, measure and cutoff, so
that pages agree (Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006). In each
draw, the mean in the data is subtracted from the mean in the draw, and the result is divided by the
standard error in the draw (bootstrap-t: Efron and Tibshirani, An introduction to the bootstrap,
1993, ch. 12). On 8 to 100 queries of real runs, 94 to 95 of 100 intervals contain the true mean;
percentile intervals contain it in 87 of 100 cases with 8 queries (benchmarks/simulations.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Mask
from metrics_core.measures import MEAN, Combination
from metrics_core.scoring.resampling import choose_n_resamples, sum_each_draw

if TYPE_CHECKING:
    from metrics_core.scoring.studentised import Moments


LEVEL = 0.95
FEWEST_SCORES = 8
"""Minimum number of scores for an interval of their mean."""
UNBOUNDED = (-np.inf, np.inf)
_LEAST_ERROR_OF_A_BOUND = 0.1
"""`CentredColumns.least_error` for one-sided bounds. The default, a quarter of the standard error
of the data, would give bounds that miss the true mean too often."""


class Interval(NamedTuple):
    """A mean and its interval from `low` to `high`: three float64 arrays of the same shape."""

    mean: Floats
    low: Floats
    high: Floats


def mean_interval(values: Floats, *, level: float = LEVEL) -> Interval:
    """Return the mean over the first axis (queries), and the bounds low and high of its interval,
    float64[…] each.

    `values` is float64[query] or float64[query, …]; NaN is undefined and excluded from its column.
    low and high are NaN if there are fewer than `FEWEST_SCORES` scores, or if all scores are equal
    but neither 0 nor 1."""
    shape = values.shape[1:]
    (interval,) = mean_intervals([values.reshape(len(values), int(np.prod(shape)))], level=level)
    return Interval(*(part.reshape(shape) for part in interval))


def mean_intervals(
    groups: Sequence[Floats],
    combination: Combination = MEAN,
    *,
    level: float = LEVEL,
    limits: tuple[npt.ArrayLike, npt.ArrayLike] = UNBOUNDED,
) -> list[Interval]:
    """Return the combined score of each column with its interval, for several groups of queries.
    Each group is float64[query, column]. Intervals are clipped to `limits`, the lowest and highest
    possible score. All groups are computed together, with as few matrix products as possible."""
    # Imported late: plain means do not need it, and every start of a command would wait for it.
    from metrics_core.scoring.studentised import Moments, studentise_draws

    means = [Moments.from_values(combination.to_scale(values)) for values in groups]
    shares = [_are_binary_columns(moments) & combination.linear for moments in means]
    varying = [
        np.flatnonzero(_are_varying_columns(moments) & ~group)
        for moments, group in zip(means, shares, strict=True)
    ]
    varying_columns = [
        moments.select_columns(places)
        for moments, places in zip(means, varying, strict=True)
        if len(places)
    ]
    draws = iter(studentise_draws(varying_columns, choose_n_resamples))
    intervals = []
    for group, share, places in zip(means, shares, varying, strict=True):
        reach = np.full(group.mean.shape, np.nan)
        if len(places):
            distances = next(draws).distances
            beyond = min(len(distances), int(np.floor((1 - level) * (len(distances) + 1) + 1e-9)))
            index = len(distances) - max(beyond, 1)
            reach[places] = group.error[places] * np.partition(distances, index, axis=0)[index]
        low, high = (
            np.clip(combination.from_scale(group.mean + s * reach), *limits) for s in (-1, 1)
        )
        low[share], high[share] = wilson_interval(group.mean[share], group.queries[share], level)
        intervals.append(Interval(combination.from_scale(group.mean), low, high))
    return intervals


def mean_bound(
    values: Floats, combination: Combination = MEAN, *, is_upper: bool = False, level: float = LEVEL
) -> float:
    """Return a one-sided confidence bound of the combined score of `values` float64[query]: the
    upper bound if `is_upper` is true, otherwise the lower one. The true score lies beyond the bound
    with probability 1 - level. The bound is NaN if `mean_interval` has no interval.

    The bound is computed from the signed distances of the resampled means from the mean, because
    absolute distances would hide that scores near the top of a scale are skewed downwards
    (benchmarks/simulations.py)."""
    from metrics_core.scoring.studentised import Moments

    moments = Moments.from_values(combination.to_scale(values)[:, None])
    if combination.linear and _are_binary_columns(moments)[0]:
        return float(
            wilson_interval(moments.mean, moments.queries, 2 * level - 1)[int(is_upper)][0]
        )
    if not _are_varying_columns(moments)[0]:
        return float("nan")
    columns = replace(
        moments.select_columns(np.zeros(1, dtype=np.int64)), least_error=_LEAST_ERROR_OF_A_BOUND
    )
    draws: Floats = sum_each_draw(columns.values_to_sum(), choose_n_resamples(len(values)))
    distances = columns.signed_distances(draws)[:, 0]
    edge = (
        np.quantile(distances, 1 - level, method="lower")
        if is_upper
        else np.quantile(distances, level, method="higher")
    )
    return float(combination.from_scale(moments.mean - edge * moments.error)[0])


def wilson_interval(share: Floats, n: npt.ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Return the lower and upper confidence bounds of shares, float64[…] each.

    Each `share` was observed in `n` cases (Wilson, Probable inference, the law of succession, and
    statistical inference, JASA 1927)."""
    from scipy import special

    step = np.square(special.ndtri((1 + level) / 2)) / np.asarray(n, dtype=np.float64)
    middle = (share + step / 2) / (1 + step)
    reach = np.sqrt(share * (1 - share) * step + np.square(step) / 4) / (1 + step)
    # Without rounding error low is 0 for a share of 0, and high is 1 for a share of 1.
    low, high = np.where(share <= 0, 0.0, middle - reach), np.where(share >= 1, 1.0, middle + reach)
    return np.minimum(low, share), np.maximum(high, share)


def _are_binary_columns(moments: Moments) -> Mask:
    """Return which columns have enough scores for an interval and contain only 0 and 1,
    bool[column]."""
    ends = ((moments.filled == 0) | (moments.filled == 1)).all(axis=1)
    return np.asarray(ends & (moments.queries >= FEWEST_SCORES))


def _are_varying_columns(moments: Moments) -> Mask:
    """Return which columns can be resampled, bool[column]: they have enough scores, and these are
    not all equal."""
    return np.asarray((moments.queries >= FEWEST_SCORES) & (moments.error > 0))
