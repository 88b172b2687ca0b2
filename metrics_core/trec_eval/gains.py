"""Discounted gain where the user says what each level is worth (`-m ndcg.1=3,2=9`).

trec_eval puts the levels in order by comparing whole parts of differences of gains: levels whose
gains differ by less than 1 keep the order in which they were named, and its ideal list then is not
the best one. To print the same figures this order is worked out in the same way.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metrics_core.judging import JudgedRanks

Floats = npt.NDArray[np.float64]
Gains = list[tuple[int, float]]

_NOT_POOLED, _NOT_JUDGED = -1, -2
"""trec_eval's levels for a document outside the pool, and for one in it that was not judged."""


def results_dcg(ranks: JudgedRanks, gains: Gains) -> Floats:
    """Gain of each retrieved document over log2(rank + 1), summed per query; float64[Q]."""
    level = np.where(ranks.relevance < 0, _NOT_JUDGED, ranks.relevance)
    gain: Floats = np.maximum(level, 0.0).astype(np.float64)
    for named, worth in reversed(gains):
        gain[level == named] = worth
    discount = np.log2(ranks.rank + 1.0)
    outside = dict(reversed(gains)).get(_NOT_POOLED, 0.0)
    weight = (gain - outside) / discount
    total = np.bincount(ranks.query, weight, ranks.n_queries).astype(np.float64)
    if outside:
        total = total + outside * _discounts(ranks.retrieved)[ranks.retrieved]
    return total


def ideal_dcg(ranks: JudgedRanks, gains: Gains) -> Floats:
    """The same for all judged documents in trec_eval's order of levels; float64[Q]."""
    ideal = np.zeros(ranks.n_queries)
    discounts = _discounts(np.array([len(ranks.judged_query)]))
    judged = ranks.judged_relevance >= 0
    query, level = ranks.judged_query[judged], ranks.judged_relevance[judged].astype(np.int64)
    highest = np.full(ranks.n_queries, -1)
    np.maximum.at(highest, query, level)
    for top in np.unique(highest[highest >= 0]):
        those = np.flatnonzero(highest == top)
        place = np.full(ranks.n_queries, -1)
        place[those] = np.arange(len(those))
        inside = place[query] >= 0
        cells = place[query[inside]] * (top + 1) + level[inside]
        counts = np.bincount(cells, minlength=len(those) * (top + 1)).reshape(len(those), top + 1)
        ideal[those] = _best(in_order([*gains, *_plain(int(top), gains)]), counts, discounts)
    return ideal


def _best(ascending: Gains, counts: npt.NDArray[np.int64], discounts: Floats) -> Floats:
    """DCG of the levels from the last on, where counts int64[Q, levels] says how many documents
    are at each. It ends at the last level, or at one with documents, that is worth nothing."""
    total = np.zeros(len(counts))
    filled = np.zeros(len(counts), dtype=np.int64)
    going = np.full(len(counts), ascending[-1][1] > 0)
    for level, worth in reversed(ascending):
        if not 0 <= level < counts.shape[1]:
            continue
        going &= (counts[:, level] == 0) | (worth > 0)
        end = filled + counts[:, level]
        total += np.where(going, worth * (discounts[end] - discounts[filled]), 0.0)
        filled = end
    return total


def _plain(top: int, gains: Gains) -> Gains:
    """The levels up to the query's highest that are given no gain; each is worth itself."""
    named = {level for level, _ in gains}
    return [(level, float(level)) for level in range(top + 1) if level not in named]


def in_order(gains: Gains) -> Gains:
    """By gain, ascending, as glibc's merge sort puts them under trec_eval's comparison."""
    if len(gains) < 2:
        return gains
    half = len(gains) // 2
    low, high = in_order(gains[:half]), in_order(gains[half:])
    merged: Gains = []
    while low and high:
        merged.append(low.pop(0) if int(low[0][1] - high[0][1]) <= 0 else high.pop(0))
    return merged + low + high


def _discounts(longest: npt.NDArray[np.int64]) -> Floats:
    """Sums of 1 / log2(rank + 1) over the first 0, 1, 2, … ranks."""
    ranks = np.arange(1, int(longest.max(initial=0)) + 1)
    return np.concatenate([[0.0], np.cumsum(1 / np.log2(ranks + 1.0))])
