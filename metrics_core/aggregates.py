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

from metrics_core.measures import parse_measure

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
    defined = ~np.isnan(flat)
    counts = defined.sum(axis=0)
    filled = np.where(defined, flat, 0.0)
    mean = np.full(flat.shape[1], np.nan)
    np.divide(filled.sum(axis=0), counts, out=mean, where=counts > 0)
    enough = counts >= 2
    tails = [tail for level in levels for tail in ((1 - level) / 2, (1 + level) / 2)]
    edges = np.full((len(tails), flat.shape[1]), np.nan)
    if enough.any():
        means = _resampled_means(filled[:, enough], defined[:, enough])
        edges[:, enough] = np.nanquantile(means, tails, axis=0)
    shape = values.shape[1:]
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
    """Means of an `evaluate` frame, sums for measures that are summed (NumQ, NumRet, …): columns
    run, measure, value. Undefined scores are left out; NaN where none is defined."""
    names = [c for c in scores.columns if c not in ("run", "query_id")]
    summed = {n for n in names if parse_measure(n).declaration.aggregation == "sum"}
    rows = []
    for run, part in scores.groupby("run", sort=False):
        for name in names:
            column = part[name].to_numpy(dtype=np.float64)
            defined = column[~np.isnan(column)]
            value = np.nan if not len(defined) else defined.sum()
            rows.append(
                (run, name, float(value if name in summed else value / max(len(defined), 1)))
            )
    return pd.DataFrame(rows, columns=["run", "measure", "value"])


def aggregate(scores: pd.DataFrame, *, level: float = LEVEL) -> pd.DataFrame:
    """Summary of an `evaluate` frame: columns run, measure, mean, median, low, high, queries.

    `queries` counts those with a defined score. A measure that is summed (NumQ, NumRet, …) has its
    sum in `mean`, and no interval.
    """
    names = [c for c in scores.columns if c not in ("run", "query_id")]
    rows = []
    for run, part in scores.groupby("run", sort=False):
        values = part[names].to_numpy(dtype=np.float64)
        interval = mean_interval(values, level=level)
        for i, name in enumerate(names):
            column = values[:, i]
            defined = column[~np.isnan(column)]
            median = float(np.median(defined)) if len(defined) else np.nan
            summed = parse_measure(name).declaration.aggregation == "sum"
            rows.append(
                {
                    "run": run,
                    "measure": name,
                    "mean": float(defined.sum()) if summed else float(interval.mean[i]),
                    "median": median,
                    "low": np.nan if summed else float(interval.low[i]),
                    "high": np.nan if summed else float(interval.high[i]),
                    "queries": len(defined),
                }
            )
    return pd.DataFrame(rows)
