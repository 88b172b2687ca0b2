"""rbp and rbp_resid of 10.0: what a reader of a given persistence gains, and what stays open.

Where a gain of a query lies below 0 or above 1, rbp scales all its gains to [0, 1]:
(gain − min) / (max − min). trec_eval never sets min and max before it looks for them, so what a
binary prints depends on its compiler. Here both start at 0, which gives the outputs that NIST
expects of its own tests. Sums go down the list one by one, as there, to the last bit.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from metrics_core.compatible.trec_eval.gains import Gains, results_gains
from metrics_core.judging import JudgedRanks

Floats = npt.NDArray[np.float64]


def rank_biased(ranks: JudgedRanks, gains: Gains, p: float) -> Floats:
    """Per query (1 − p) Σ gain · p^(rank − 1); `gains` names those of levels that are not worth
    themselves. An unjudged document gains nothing unless its level is named; float64[Q]."""
    worths = [gain for _, gain in gains]
    least = min([0.0, *worths])
    most = np.maximum(max([0.0, *worths]), _highest(ranks, dict(gains)))
    scaled = (least < 0) | (most > 1)
    low, width = np.where(scaled, least, 0.0), np.where(scaled, most - least, 1.0)
    if gains:
        gain = np.concatenate([np.empty(0), *results_gains(ranks, gains)])
        query, place = _all_ranks(ranks)
        known = _of_known_level(ranks, dict(gains))
    else:
        judged = ranks.relevance >= 0
        gain = ranks.relevance[judged].astype(np.float64)
        query, place = ranks.query[judged], ranks.rank[judged] - 1
        known = np.ones(len(gain), dtype=np.bool_)
    gain = np.where(known, (gain - low[query]) / width[query], 0.0)
    return (1.0 - p) * _summed(gain * _powers(ranks, p)[place], query, ranks)


def rank_biased_residual(ranks: JudgedRanks, p: float) -> Floats:
    """Per query p^n + (1 − p) Σ p^(rank − 1) over its unjudged documents; 0 where none is
    unjudged; float64[Q]."""
    query, place = _all_ranks(ranks)
    unjudged = np.ones(len(query), dtype=np.bool_)
    judged = ranks.relevance >= 0
    starts = np.cumsum(ranks.retrieved) - ranks.retrieved
    unjudged[starts[ranks.query[judged]] + ranks.rank[judged] - 1] = False
    powers = _powers(ranks, p)
    there = np.bincount(query[unjudged], minlength=ranks.n_queries) > 0
    summed = _summed(powers[place[unjudged]], query[unjudged], ranks)
    return np.where(there, powers[ranks.retrieved] + (1.0 - p) * summed, 0.0)


def _highest(ranks: JudgedRanks, named: Collection[int]) -> Floats:
    """Per query its highest judged level without a gain of its own; 0 where there is none."""
    level = np.zeros(ranks.n_queries, dtype=np.int64)
    np.maximum.at(level, ranks.judged_query, ranks.judged_relevance.astype(np.int64))
    for own in sorted(named, reverse=True):
        level[level == own] -= 1
    return np.maximum(level, 0).astype(np.float64)


def _all_ranks(ranks: JudgedRanks) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The query and the place, from 0, of each retrieved document."""
    query = np.repeat(np.arange(ranks.n_queries), ranks.retrieved)
    starts = np.cumsum(ranks.retrieved) - ranks.retrieved
    return query, np.arange(len(query)) - starts[query]


def _of_known_level(ranks: JudgedRanks, named: Collection[int]) -> npt.NDArray[np.bool_]:
    """For each retrieved document whether its level has a gain: it is judged, or it is named."""
    level = np.full(int(ranks.retrieved.sum()), -1, dtype=np.int64)
    starts = np.cumsum(ranks.retrieved) - ranks.retrieved
    grade = np.where(ranks.relevance < 0, -2, ranks.relevance).astype(np.int64)
    level[starts[ranks.query] + ranks.rank - 1] = grade
    return (level >= 0) | np.isin(level, list(named))


def _powers(ranks: JudgedRanks, p: float) -> Floats:
    """p to the 0, 1, … multiplied up one by one, up to the longest list."""
    steps = np.full(int(ranks.retrieved.max(initial=0)) + 1, p)
    steps[0] = 1.0
    powers: Floats = np.cumprod(steps)
    return powers


def _summed(values: Floats, query: npt.NDArray[np.int64], ranks: JudgedRanks) -> Floats:
    """Per query the sum of its values, added in their order."""
    return np.asarray(np.bincount(query, values, ranks.n_queries), dtype=np.float64)
