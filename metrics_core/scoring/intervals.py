"""Intervals of one run's means over queries, from the bootstrap; those of differences are in
`comparing.resampled`.

Queries are drawn again with replacement, and the same draws serve every run, measure and cutoff, so
that what is drawn on two pages agrees (Sakai, Evaluating evaluation metrics based on the bootstrap,
SIGIR 2006). In each draw a mean is taken relative to what it is in the data, in standard errors of
its own (bootstrap-t: Efron and Tibshirani, An introduction to the bootstrap, 1993, ch. 12): of 8 to
100 queries of real runs 94 to 95 of 100 such intervals hold the true mean, where percentiles of the
draws hold it in 87 of 8 queries (benchmarks/simulations.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics_core.measures import MEAN, Combination
from metrics_core.scoring.resampling import resamples_of

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
FEWEST_SCORES = 8
"""Of fewer scores there is no interval of their mean."""
UNBOUNDED = (-np.inf, np.inf)


class Interval(NamedTuple):
    """Mean and interval, each float64 of the shape of one row of the values."""

    mean: Floats
    low: Floats
    high: Floats


def mean_interval(values: Floats, *, level: float = LEVEL) -> Interval:
    """Mean over the first axis (queries) with its bootstrap interval.

    `values` is float64[Q] or float64[Q, …]; NaN is undefined and left out of its column. Of fewer
    than `FEWEST_SCORES`, and where all are equal, there is no interval: low and high are NaN.
    """
    shape = values.shape[1:]
    (found,) = mean_intervals([values.reshape(len(values), int(np.prod(shape)))], level=level)
    return Interval(*(part.reshape(shape) for part in found))


def mean_intervals(
    groups: Sequence[Floats],
    combination: Combination = MEAN,
    *,
    level: float = LEVEL,
    within: tuple[npt.ArrayLike, npt.ArrayLike] = UNBOUNDED,
) -> list[Interval]:
    """The combined score of each column of several groups of queries, float64[Q, C] each, with its
    interval, which ends `within` the scores that there can be; in as few products as can be."""
    # Plain means are scored without it, and every start of a command would wait for it.
    from metrics_core.scoring.studentised import Moments, away

    means = [Moments.of(combination.onto(values)) for values in groups]
    told = [np.flatnonzero((of.queries >= FEWEST_SCORES) & (of.error > 0)) for of in means]
    some = [of.columns(places) for of, places in zip(means, told, strict=True) if len(places)]
    drawn = iter(away(some, resamples_of))
    found = []
    for own, places in zip(means, told, strict=True):
        reach = np.full(own.mean.shape, np.nan)
        if len(places):
            far = next(drawn).near
            beyond = min(len(far), int(np.floor((1 - level) * (len(far) + 1) + 1e-9)))
            place = len(far) - max(beyond, 1)
            reach[places] = own.error[places] * np.partition(far, place, axis=0)[place]
        ends = (np.clip(combination.back(own.mean + s * reach), *within) for s in (-1, 1))
        low, high = (np.where(np.isinf(end), np.nan, end) for end in ends)
        found.append(Interval(combination.back(own.mean), low, high))
    return found
