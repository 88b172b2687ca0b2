"""Measures by cutoff, and precision against recall."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.measures.interpolated import ELEVEN, interpolate_precision

RECALL_LEVELS = np.array(ELEVEN)
"""The eleven recall levels at which precision is read off."""


def score_curve(ranks: JudgedRanks, measure: Measure, cutoffs: Sequence[int] | Ints) -> Floats:
    """Per-query scores at all cutoffs at once, float64[Q, K]."""
    return measure.curve(ranks, np.asarray(cutoffs, dtype=np.int64))


def cutoffs_up_to(depth: int, *, also: Sequence[int] = ()) -> list[int]:
    """Cutoffs from 1 to `depth`, every one up to 10 and then evenly on a log scale."""
    spaced = np.unique(np.round(np.geomspace(1, max(depth, 1), 60)).astype(int)).tolist()
    cutoffs = {*range(1, 11), *spaced, *also, depth}
    return sorted(k for k in cutoffs if 1 <= k <= depth)


def deepest_list(judged: Sequence[JudgedRanks], *, most: int = 1000) -> int:
    """How deep the deepest of these runs goes, `most` at the most."""
    return min(most, max((int(r.retrieved.max(initial=0)) for r in judged), default=0))


def precision_at_recall(ranks: JudgedRanks, *, rel: int = 1) -> Floats:
    """Interpolated precision at the eleven recall levels, float64[Q, 11], as IPrec gives it."""
    return interpolate_precision(ranks, RECALL_LEVELS, rel=rel)


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
    listed = ranks.documents(cutoff).sum()
    return float(ranks.judged().count(cutoff).sum() / listed) if listed else float("nan")
