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


def results_gains(ranks: JudgedRanks, gains: Gains) -> list[Floats]:
    """Per query the gain of each retrieved document, best rank first."""
    level = np.where(ranks.relevance < 0, _NOT_JUDGED, ranks.relevance)
    gain: Floats = np.maximum(level, 0.0).astype(np.float64)
    for named, worth in reversed(gains):
        gain[level == named] = worth
    outside = dict(reversed(gains)).get(_NOT_POOLED, 0.0)
    ends = np.searchsorted(ranks.query, np.arange(ranks.n_queries + 1))
    lists = [np.full(n, outside) for n in ranks.retrieved.tolist()]
    for query, start in enumerate(ends[:-1]):
        own = slice(start, ends[query + 1])
        lists[query][ranks.rank[own] - 1] = gain[own]
    return lists


def ideal_gains(ranks: JudgedRanks, gains: Gains) -> list[Floats]:
    """Per query the gains of all judged documents in trec_eval's order of levels."""
    judged = ranks.judged_relevance >= 0
    query, level = ranks.judged_query[judged], ranks.judged_relevance[judged].astype(np.int64)
    ends = np.searchsorted(query, np.arange(ranks.n_queries + 1))
    lists = []
    for place, start in enumerate(ends[:-1]):
        counts = np.bincount(level[start : ends[place + 1]])
        lists.append(_ideal(in_order([*gains, *_plain(len(counts) - 1, gains)]), counts))
    return lists


def _ideal(ascending: Gains, counts: npt.NDArray[np.int64]) -> Floats:
    """The gains of the levels from the last on; counts says how many documents are at each. It
    ends at the last level, or at one with documents, that is worth nothing."""
    parts: list[Floats] = []
    if ascending and ascending[-1][1] > 0:
        for level, worth in reversed(ascending):
            there = int(counts[level]) if 0 <= level < len(counts) else 0
            if there and worth <= 0:
                break
            parts.append(np.full(there, worth))
    return np.concatenate(parts) if parts else np.empty(0)


def dcg(lists: list[Floats]) -> Floats:
    """Per list the sum of gain / log2(rank + 1); float64[Q]."""
    return np.array([float((g / np.log2(np.arange(len(g)) + 2.0)).sum()) for g in lists])


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
