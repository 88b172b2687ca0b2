"""Discounted gain where the user says what each level is worth (`-m ndcg.1=3,2=9`).

trec_eval puts the levels in order by comparing whole parts of differences of gains: levels whose
gains differ by less than 1 keep the order in which they were named, and its ideal list then is not
the best one. A level named twice stands there twice: its documents count once, where it was named
first, and each gains what the entry says that comes first in that order. To print the same figures
this is worked out in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics_core.judging import JudgedRanks

Floats = npt.NDArray[np.float64]
Gains = list[tuple[int, float]]

HIGHEST_BESIDE_GAINS = 1_000
"""The highest grade beside a list of gains. trec_eval goes through all levels up to a query's
highest for each of them, and with millions of them does not end."""

_BEYOND_INT = 2**31

_NOT_POOLED, _NOT_JUDGED = -1, -2
"""trec_eval's levels for a document outside the pool, and for one in it that was not judged."""


class LevelGain(NamedTuple):
    """A line of trec_eval's table of gains. `counts` says whether it has the documents of its
    level: a level that is named twice has them at the first."""

    level: int
    gain: float
    counts: bool = True


def results_gains(ranks: JudgedRanks, gains: Gains) -> list[Floats]:
    """Per query the gain of each retrieved document, best rank first."""
    level = np.where(ranks.relevance < 0, _NOT_JUDGED, ranks.relevance)
    ends = np.searchsorted(ranks.query, np.arange(ranks.n_queries + 1))
    lists = []
    for query, table in enumerate(_tables(ranks, gains)):
        own = slice(ends[query], ends[query + 1])
        worth = {entry.level: entry.gain for entry in reversed(table)}
        gain = np.full(ranks.retrieved[query], worth.get(_NOT_POOLED, 0.0))
        gain[ranks.rank[own] - 1] = [worth.get(at, 0.0) for at in level[own].tolist()]
        lists.append(gain)
    return lists


def ideal_gains(ranks: JudgedRanks, gains: Gains) -> list[Floats]:
    """Per query the gains of all judged documents in trec_eval's order of levels."""
    ends = np.searchsorted(ranks.judged_query, np.arange(ranks.n_queries + 1))
    return [
        _ideal(table, Counter(ranks.judged_relevance[ends[query] : ends[query + 1]].tolist()))
        for query, table in enumerate(_tables(ranks, gains))
    ]


def _ideal(table: Sequence[LevelGain], documents: Counter[float]) -> Floats:
    """The gains of the levels from the last on, each with its documents. It ends at the last level,
    or at one with documents, that is worth nothing."""
    parts: list[Floats] = []
    if table and table[-1].gain > 0:
        for level, gain, counts in reversed(table):
            there = documents[level] if counts and level >= 0 else 0
            if there and not gain > 0:
                break
            parts.append(np.full(there, gain))
    return np.concatenate(parts) if parts else np.empty(0)


def dcg(lists: list[Floats]) -> Floats:
    """Per list the sum of gain / log2(rank + 1); float64[Q]."""
    return np.array([float((g / np.log2(np.arange(len(g)) + 2.0)).sum()) for g in lists])


def _tables(ranks: JudgedRanks, gains: Gains) -> list[list[LevelGain]]:
    """Per query trec_eval's table: the levels that are given a gain, and the others up to the
    query's highest, each worth itself."""
    highest = np.full(ranks.n_queries, -1, dtype=np.int64)
    np.maximum.at(highest, ranks.judged_query, ranks.judged_relevance.astype(np.int64))
    named = {level: place for place, (level, _) in reversed(list(enumerate(gains)))}
    given = [
        LevelGain(*gains[place], named[gains[place][0]] == place) for place in range(len(gains))
    ]
    made = {
        top: in_order(
            given + [LevelGain(at, float(at)) for at in range(top + 1) if at not in named]
        )
        for top in np.unique(highest).tolist()
    }
    return [made[top] for top in highest.tolist()]


def in_order(entries: list[LevelGain]) -> list[LevelGain]:
    """By gain, ascending, as glibc's merge sort puts them under trec_eval's comparison."""
    if len(entries) < 2:
        return entries
    half = len(entries) // 2
    low, high = in_order(entries[:half]), in_order(entries[half:])
    merged: list[LevelGain] = []
    taken = 0
    for entry in low:
        # The difference as a C int above 0; where it is beyond one, or undefined, it is below.
        while taken < len(high) and 1 <= entry.gain - high[taken].gain < _BEYOND_INT:
            merged.append(high[taken])
            taken += 1
        merged.append(entry)
    return merged + high[taken:]
