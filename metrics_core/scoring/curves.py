"""Measures by cutoff, and precision against recall."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics_core.errors import UnknownRunError
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.measures.interpolated import ELEVEN, interpolated
from metrics_core.scoring.intervals import LEVEL, Interval, drawn, less

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

RECALL_LEVELS = np.array(ELEVEN)
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
    diff_high for the paired difference to the baseline (NaN in the baseline's rows), queries.

    `low` and `high` are an interval of their own at each k; `diff_low` and `diff_high` are a band
    that holds for all k of a run at once, so that a lead "from k to k" can be read off it.
    `queries` counts those with both scores defined. Raises UnknownRunError for the baseline.
    """
    by_run = {r.run_name: curve(r, measure, cutoffs) for r in judged}
    if baseline not in by_run:
        raise UnknownRunError(baseline, list(by_run))
    combination = measure.declaration.combination
    against = by_run[baseline]
    # All runs at once: the draws are one matrix product.
    together = drawn(np.hstack(list(by_run.values())), combination).split(len(by_run))
    by_name = dict(zip(by_run, together, strict=True))
    base = by_name[baseline]
    parts = []
    for name, values in by_run.items():
        own = by_name[name]
        (interval,) = own.intervals([level])
        gap = less(own, values, base, against, combination).band(level)
        if name == baseline:
            gap = Interval(*(np.full(len(cutoffs), np.nan) for _ in gap))
        defined = ~np.isnan(values) & ~np.isnan(against)
        parts.append(
            pd.DataFrame(
                {
                    "run": name,
                    "k": np.asarray(cutoffs),
                    "mean": interval.mean,
                    "low": interval.low,
                    "high": interval.high,
                    "difference": gap.mean,
                    "diff_low": gap.low,
                    "diff_high": gap.high,
                    "queries": np.broadcast_to(defined.sum(axis=0), len(cutoffs)),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def precision_at_recall(ranks: JudgedRanks, *, rel: int = 1) -> Floats:
    """Interpolated precision at the eleven recall levels, float64[Q, 11], as IPrec gives it."""
    return interpolated(ranks, RECALL_LEVELS, rel=rel)


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
