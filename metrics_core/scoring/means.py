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

from metrics_core.measures import MEAN, Combination, parse_measure

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
_SEED = 20_260
_DRAWN = 20_000_000
_FEWEST, _MOST = 2_000, 5_000
_BLOCK = 2_000_000


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
    if combination.linear:
        columns = np.hstack([values, values - baseline])
        both = mean_intervals(columns, levels)
        return [_halves(interval, values.shape[1]) for interval in both]
    own, other = np.broadcast_arrays(combination.onto(values), combination.onto(baseline))
    shared = ~np.isnan(own) & ~np.isnan(other)
    paired = [np.where(shared, scores, np.nan) for scores in (own, other)]
    parts = [np.split(combination.back(a), 3, axis=-1) for a in _drawn(np.hstack([own, *paired]))]
    (mean, mean_own, mean_other), (draws, draws_own, draws_other) = parts
    shape = values.shape[1:]
    scores = _intervals(mean, draws, levels, shape)
    gaps = _intervals(mean_own - mean_other, draws_own - draws_other, levels, shape)
    return list(zip(scores, gaps, strict=True))


def _halves(interval: Interval, n: int) -> tuple[Interval, Interval]:
    return Interval(*(part[:n] for part in interval)), Interval(*(part[n:] for part in interval))


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
    means = _resampled_means(filled[:, enough], defined[:, enough])
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
        edges[:, known] = np.nanquantile(draws[:, known], tails, axis=0)
    return [
        Interval(mean.reshape(shape), low.reshape(shape), high.reshape(shape))
        for low, high in zip(edges[::2], edges[1::2], strict=True)
    ]


def _resampled_means(filled: Floats, defined: npt.NDArray[np.bool_]) -> Floats:
    """Means of every column in each resample; float64[resamples, columns]."""
    n_queries = len(filled)
    resamples = int(np.clip(_DRAWN // n_queries, _FEWEST, _MOST))
    per_block = max(1, _BLOCK // n_queries)
    generator = np.random.default_rng(_SEED)
    whole = bool(defined.all())
    means = np.empty((resamples, filled.shape[1]))
    for start in range(0, resamples, per_block):
        size = min(per_block, resamples - start)
        drawn = generator.integers(0, n_queries, (size, n_queries))
        cell = drawn + np.arange(size)[:, None] * n_queries
        weight = np.bincount(cell.ravel(), minlength=size * n_queries).reshape(size, n_queries)
        sums = weight @ filled
        with np.errstate(invalid="ignore", divide="ignore"):
            means[start : start + size] = sums / (n_queries if whole else weight @ defined)
    return means


def means(scores: pd.DataFrame) -> pd.DataFrame:
    """One score a run from an `evaluate` frame, combined as each measure declares (the mean, the
    sum for NumQ, NumRet, …, the geometric mean for GMAP, …): columns run, measure, value.
    Undefined scores are left out; NaN where none is defined."""
    names = _measures_of(scores)
    rows = []
    for run, part in scores.groupby("run", sort=False):
        for name in names:
            combination = parse_measure(name).declaration.combination
            rows.append((run, name, float(combination.of(part[name].to_numpy()))))
    return pd.DataFrame(rows, columns=["run", "measure", "value"])


def _measures_of(scores: pd.DataFrame) -> list[str]:
    return [c for c in scores.columns if c not in ("run", "query_id")]


def aggregate(scores: pd.DataFrame, *, level: float = LEVEL) -> pd.DataFrame:
    """Summary of an `evaluate` frame: columns run, measure, mean, median, low, high, queries.

    `queries` counts those with a defined score. `mean` and its interval are geometric where a
    measure declares so; a measure that is summed (NumQ, NumRet, …) has its sum in `mean`, and no
    interval.
    """
    names = _measures_of(scores)
    combinations = [parse_measure(name).declaration.combination for name in names]
    rows = []
    for run, part in scores.groupby("run", sort=False):
        columns = [part[name].to_numpy(dtype=np.float64) for name in names]
        scaled = [c.onto(column) for c, column in zip(combinations, columns, strict=True)]
        table = np.array(scaled, dtype=np.float64).reshape(len(names), len(part)).T
        interval = mean_interval(table, level=level)
        for i, (name, column, c) in enumerate(zip(names, columns, combinations, strict=True)):
            defined = column[~np.isnan(column)]
            found = [float(c.back(end[i])) for end in interval]
            mean, low, high = found if c.averaged else (float(c.of(column)), np.nan, np.nan)
            rows.append(
                {
                    "run": run,
                    "measure": name,
                    "mean": mean,
                    "median": float(np.median(defined)) if len(defined) else np.nan,
                    "low": low,
                    "high": high,
                    "queries": len(defined),
                }
            )
    return pd.DataFrame(rows)
