"""Measures by cutoff, and precision against recall."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics_core.aggregates import LEVEL, mean_interval
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

RECALL_LEVELS = np.arange(11) / 10
"""The eleven recall levels at which precision is read off."""


def curve(ranks: JudgedRanks, measure: Measure, cutoffs: Sequence[int] | Ints) -> Floats:
    """Per-query scores at all cutoffs at once, float64[Q, K]."""
    return measure.curve(ranks, np.asarray(cutoffs, dtype=np.int64))


def cutoffs_up_to(depth: int, *, also: Sequence[int] = ()) -> list[int]:
    """Cutoffs from 1 to `depth`, every one up to 10 and then evenly on a log scale."""
    spaced = np.unique(np.round(np.geomspace(1, max(depth, 1), 60)).astype(int)).tolist()
    wanted = {*range(1, 11), *spaced, *also, depth}
    return sorted(k for k in wanted if 1 <= k <= depth)


def depth_of(judged: Sequence[JudgedRanks], *, most: int = 1000) -> int:
    """How deep the deepest of these runs goes, `most` at the most."""
    return min(most, max((int(r.retrieved.max(initial=0)) for r in judged), default=0))


def mean_curves(
    judged: Sequence[JudgedRanks],
    measure: Measure,
    cutoffs: Sequence[int],
    baseline: str,
    *,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Means by cutoff with intervals: columns run, k, mean, low, high, and difference, diff_low,
    diff_high for the paired difference to the baseline (NaN in the baseline's rows)."""
    by_run = {r.run_name: curve(r, measure, cutoffs) for r in judged}
    parts = []
    for name, values in by_run.items():
        interval = mean_interval(values, level=level)
        nothing = np.full(len(cutoffs), np.nan)
        gap = (nothing, nothing, nothing)
        if name != baseline and baseline in by_run:
            gap = mean_interval(values - by_run[baseline], level=level)
        parts.append(
            pd.DataFrame(
                {
                    "run": name,
                    "k": np.asarray(cutoffs),
                    "mean": interval.mean,
                    "low": interval.low,
                    "high": interval.high,
                    "difference": gap[0],
                    "diff_low": gap[1],
                    "diff_high": gap[2],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def precision_at_recall(ranks: JudgedRanks, *, rel: int = 1) -> Floats:
    """Interpolated precision at the eleven recall levels, float64[Q, 11].

    The greatest precision at or beyond the c-th relevant document, c = round(level · R), halves
    rounded up; 0 where fewer are retrieved (trec_eval 10.0, m_iprec_at_recall.c).
    """
    hits = ranks.relevant(rel)
    n_relevant = ranks.n_relevant(rel)
    precision = pd.Series((hits.ordinal() / hits.rank)[::-1])
    beyond = precision.groupby(hits.query[::-1]).cummax().to_numpy()[::-1]
    starts = np.searchsorted(hits.query, np.arange(ranks.n_queries))
    found = np.bincount(hits.query, minlength=ranks.n_queries)
    needed = np.floor(RECALL_LEVELS[None, :] * n_relevant[:, None] + 0.5).astype(np.int64)
    reached = (np.maximum(needed, 1) <= found[:, None]) & (n_relevant[:, None] > 0)
    place = np.minimum(starts[:, None] + np.maximum(needed, 1) - 1, max(len(beyond) - 1, 0))
    values = beyond[place] if len(beyond) else np.zeros(place.shape)
    return np.where(reached, values, 0.0)


def precision_recall(judged: Sequence[JudgedRanks], *, rel: int = 1) -> pd.DataFrame:
    """Mean interpolated precision by recall level: columns run, recall, precision."""
    parts = [
        pd.DataFrame(
            {
                "run": r.run_name,
                "recall": RECALL_LEVELS,
                "precision": precision_at_recall(r, rel=rel).mean(axis=0),
            }
        )
        for r in judged
    ]
    return pd.concat(parts, ignore_index=True)


def judged_share(ranks: JudgedRanks, cutoff: int) -> float:
    """Share of all documents in the first `cutoff` ranks of all queries that are judged; NaN
    where the run lists nothing."""
    listed = np.minimum(ranks.retrieved, cutoff).sum()
    return float(ranks.judged().count(cutoff).sum() / listed) if listed else float("nan")
