"""Means over queries, their intervals, and how many queries they rest on.

Intervals are percentile intervals of the bootstrap over queries: queries are drawn again with
replacement, and the same draws serve every run, measure and cutoff, so that what is drawn on two
pages agrees (Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics_core.measures import MEAN, Combination
from metrics_core.scoring.resampling import resampled_means
from metrics_core.scoring.scores import Scores

Floats = npt.NDArray[np.float64]

LEVEL = 0.95


class Interval(NamedTuple):
    """Mean and interval, each float64 of the shape of one row of the values."""

    mean: Floats
    low: Floats
    high: Floats


def mean_interval(values: Floats, *, level: float = LEVEL) -> Interval:
    """Mean over the first axis (queries) with its bootstrap interval.

    `values` is float64[Q] or float64[Q, …]; NaN is undefined and left out of its column. With
    fewer than two queries there is no interval: low and high are NaN.
    """
    return mean_intervals(values, [level])[0]


def mean_intervals(values: Floats, levels: Sequence[float]) -> list[Interval]:
    """As `mean_interval`, at several levels from the same draws."""
    flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
    return _intervals(*_drawn(flat), levels, values.shape[1:])


def compared_intervals(
    values: Floats, baseline: Floats, levels: Sequence[float], combination: Combination = MEAN
) -> list[tuple[Interval, Interval]]:
    """At each level the combined score with its interval, and its difference to the combined score
    of `baseline` over the queries that both define; all from the same draws.

    `values` is float64[Q, C], `baseline` of that shape or float64[Q, 1].
    """
    scores, gaps = _compared(values, baseline, combination)
    shape = values.shape[1:]
    return list(
        zip(_intervals(*scores, levels, shape), _intervals(*gaps, levels, shape), strict=True)
    )


def simultaneous_difference(
    values: Floats, baseline: Floats, combination: Combination = MEAN, *, level: float = LEVEL
) -> Interval:
    """The difference of the combined scores with a band that holds for all columns at once, each
    float64[C]: of all draws, the share `level` stays inside it everywhere. Shapes as in
    `compared_intervals`, from the same draws; NaN where fewer than two queries are defined.

    The band is as wide in each column as its draws vary there (max-|t|: Westfall and Young,
    Resampling-based multiple testing, 1993), and for few queries wider than the draws, which vary
    too little (Hesterberg, What teachers should know about the bootstrap, 2015).
    """
    _, (mean, draws) = _compared(values, baseline, combination)
    known = ~np.isnan(draws).all(axis=0)
    spread = np.full(len(mean), np.nan)
    spread[known] = np.nanstd(draws[:, known], axis=0)
    # A column whose draws are all alike is certain and stays inside whatever the width.
    varied = spread > 0
    away = np.abs(draws[:, varied] - mean[varied]) / spread[varied]
    farthest = np.nanmax(away, axis=1, initial=0.0)
    n = (~np.isnan(values - baseline)).sum(axis=0)
    width = np.quantile(farthest, level) * spread * _expansion(n, level)
    return Interval(mean, mean - width, mean + width)


def _expansion(n: npt.NDArray[np.int64], level: float) -> Floats:
    """By how much the means of n drawn queries vary less than those of n new ones would."""
    from scipy import stats

    n = np.maximum(n, 2)
    tail = (1 + level) / 2
    return np.sqrt(n / (n - 1)) * stats.t.ppf(tail, n - 1) / stats.norm.ppf(tail)


Draws = tuple[Floats, Floats]
"""A combined value of each column, float64[C], and its draws, float64[resamples, C]."""


def _compared(values: Floats, baseline: Floats, combination: Combination) -> tuple[Draws, Draws]:
    """The combined scores, and their differences to those of the baseline over the queries that
    both define."""
    n = values.shape[1]
    if combination.linear:
        mean, draws = _drawn(np.hstack([values, values - baseline]))
        return (mean[:n], draws[:, :n]), (mean[n:], draws[:, n:])
    own, other = np.broadcast_arrays(combination.onto(values), combination.onto(baseline))
    shared = ~np.isnan(own) & ~np.isnan(other)
    paired = [np.where(shared, scores, np.nan) for scores in (own, other)]
    parts = [np.split(combination.back(a), 3, axis=-1) for a in _drawn(np.hstack([own, *paired]))]
    (mean, mean_own, mean_other), (draws, draws_own, draws_other) = parts
    return (mean, draws), (mean_own - mean_other, draws_own - draws_other)


def _drawn(columns: Floats) -> tuple[Floats, Floats]:
    """Mean of each column, float64[C], and its means in each resample, float64[resamples, C], NaN
    where fewer than two queries are defined."""
    defined = ~np.isnan(columns)
    counts = defined.sum(axis=0)
    filled = np.where(defined, columns, 0.0)
    mean = np.full(columns.shape[1], np.nan)
    np.divide(filled.sum(axis=0), counts, out=mean, where=counts > 0)
    enough = counts >= 2
    if not enough.any():
        return mean, np.full((1, len(mean)), np.nan)
    means = resampled_means(filled[:, enough], defined[:, enough])
    draws = np.full((len(means), len(mean)), np.nan)
    draws[:, enough] = means
    return mean, draws


def _intervals(
    mean: Floats, draws: Floats, levels: Sequence[float], shape: tuple[int, ...]
) -> list[Interval]:
    tails = [tail for level in levels for tail in ((1 - level) / 2, (1 + level) / 2)]
    edges = np.full((len(tails), len(mean)), np.nan)
    known = ~np.isnan(draws).all(axis=0)
    if known.any():
        # numpy takes a column at a time where a value may be NaN, all at once where none is.
        quantile = np.nanquantile if np.isnan(draws[:, known]).any() else np.quantile
        edges[:, known] = quantile(draws[:, known], tails, axis=0)
    return [
        Interval(mean.reshape(shape), low.reshape(shape), high.reshape(shape))
        for low, high in zip(edges[::2], edges[1::2], strict=True)
    ]


def means(scores: Scores | pd.DataFrame) -> pd.DataFrame:
    """One score for each run and measure, combined as each measure declares (the mean, the sum for
    NumQ, NumRet, …, the geometric mean for GMAP, …): columns run, measure, value. Undefined scores
    are left out; NaN where none is defined."""
    given = Scores.given(scores)
    names = [str(m) for m in given.measures]
    return pd.DataFrame(
        {
            "run": np.repeat(np.array(given.runs, dtype=object), len(names)),
            "measure": np.tile(np.array(names, dtype=object), len(given.runs)),
            "value": given.combined().ravel(),
        }
    )


def aggregate(scores: Scores | pd.DataFrame, *, level: float = LEVEL) -> pd.DataFrame:
    """Summary of scores: columns run, measure, mean, median, low, high, queries.

    `queries` counts those with a defined score. `mean` and its interval are geometric where a
    measure declares so; a measure that is summed (NumQ, NumRet, …) has its sum in `mean`, and no
    interval.
    """
    given = Scores.given(scores)
    combined = given.combined()
    rows = []
    for i, run in enumerate(given.runs):
        values = given.values[i]
        combinations = [m.declaration.combination for m in given.measures]
        scaled = [c.onto(values[:, j]) for j, c in enumerate(combinations)]
        interval = mean_interval(np.stack(scaled, axis=1), level=level)
        for j, (measure, c) in enumerate(zip(given.measures, combinations, strict=True)):
            defined = values[~np.isnan(values[:, j]), j]
            mean, low, high = (float(c.back(end[j])) for end in interval)
            if not c.averaged:
                mean, low, high = float(combined[i, j]), np.nan, np.nan
            rows.append(
                {
                    "run": run,
                    "measure": str(measure),
                    "mean": mean,
                    "median": float(np.median(defined)) if len(defined) else np.nan,
                    "low": low,
                    "high": high,
                    "queries": len(defined),
                }
            )
    return pd.DataFrame(rows)
