"""Compute measures by cutoff, and precision by recall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats, Ints
from metrics_core.base.errors import ParameterError
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.measures.interpolated import ELEVEN, interpolate_precision
from metrics_core.tables.columns import to_id_text

RECALL_LEVELS = np.array(ELEVEN)
"""The eleven recall levels of interpolated precision, float64[11]."""


def score_curve(ranks: JudgedRanks, measure: Measure, cutoffs: Sequence[int] | Ints) -> Floats:
    """Return the score of each query at all `cutoffs` (a sequence or int64[cutoff]), float64[query,
    cutoff]."""
    return measure.curve(ranks, np.asarray(cutoffs, dtype=np.int64))


def cutoffs_up_to(depth: int, *, extra_cutoffs: Sequence[int] = ()) -> list[int]:
    """Return cutoffs from 1 to `depth`: all numbers up to 10, then numbers that are evenly spaced
    on a log scale. The cutoffs in `extra_cutoffs` are added."""
    spaced = np.unique(np.round(np.geomspace(1, max(depth, 1), 60)).astype(int)).tolist()
    cutoffs = {*range(1, 11), *spaced, *extra_cutoffs, depth}
    return sorted(k for k in cutoffs if 1 <= k <= depth)


def longest_list_length(judged: Sequence[JudgedRanks]) -> int:
    """Return the length of the longest list of these runs, at most 1,000."""
    return min(1000, max((int(r.retrieved.max(initial=0)) for r in judged), default=0))


def precision_at_recall(ranks: JudgedRanks, *, rel: int = 1) -> Floats:
    """Return interpolated precision (IPrec) at the eleven recall levels, float64[query, 11]."""
    return interpolate_precision(ranks, RECALL_LEVELS, rel=rel)


def precision_recall(judged: Sequence[JudgedRanks], *, rel: int = 1) -> pd.DataFrame:
    """Return mean interpolated precision by recall level. Columns: run, recall, precision."""
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
    """Return the share of judged documents among the first `cutoff` ranks of all queries; NaN if
    the run has no results."""
    return judged_share_of_runs([ranks], cutoff)


def judged_share_of_runs(runs: Sequence[JudgedRanks], cutoff: int) -> float:
    """Return the share of judged documents among the first `cutoff` ranks of all queries in all
    runs; NaN if no run has results."""
    listed = sum(int(ranks.documents(cutoff).sum()) for ranks in runs)
    judged = sum(float(ranks.judged().count(cutoff).sum()) for ranks in runs)
    return judged / listed if listed else float("nan")


def check_cutoffs(cutoffs: Iterable[int]) -> list[int]:
    """Return the cutoffs. Raises ParameterError if a cutoff is invalid or there are no cutoffs."""
    values = list(cutoffs) if isinstance(cutoffs, Iterable) else [None]
    invalid = [k for k in values if to_id_text(k) is None or isinstance(k, str) or k < 1]
    if invalid or not values:
        message = (
            f"{w.shorten_value(invalid[0])} is not a cutoff." if invalid else "No cutoff is given."
        )
        raise ParameterError(message, "Give several whole numbers, each at least 1.")
    return [int(k) for k in values]
