"""Scores with user-defined gains of levels (`-m ndcg.1=3,2=9`), and the measure rbp, for which
gains can also be defined.

trec_eval sorts the levels by comparing the integer part of differences of gains. Levels whose gains
differ by less than 1 therefore keep the order in which the user wrote them, and trec_eval's ideal
list is then not the best one. A level that the user wrote twice is in the table twice. The ideal
list counts its documents only at the entry that was written first, but in the result list they get
the gain of the entry that comes first after sorting. To print the same numbers, this behaviour is
reproduced here, one query at a time.

If a gain of a query is below 0 or above 1, rbp scales all gains of the query to [0, 1]: (gain −
min) / (max − min). trec_eval does not initialise min and max, so the output of a binary depends on
its compiler. Here both start at 0, which results in the output that NIST's tests expect. Sums are
added in list order, like in trec_eval, to be bitwise equal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.compatible.trec_eval.c_program import atol
from metrics_core.compatible.trec_eval.options import Pairs
from metrics_core.compatible.trec_eval.table import Version
from metrics_core.judging import JudgedRanks


def keep_first_results(ranks: JudgedRanks, max_results: int) -> JudgedRanks:
    """Return the judged ranks with only the first `max_results` documents of each query."""
    max_results = max(max_results, 0)
    if not (ranks.retrieved > max_results).any():
        return ranks
    is_kept = ranks.rank <= max_results
    return replace(
        ranks,
        query=ranks.query[is_kept],
        rank=ranks.rank[is_kept],
        relevance=ranks.relevance[is_kept],
        qrels_row=ranks.qrels_row[is_kept],
        retrieved=np.minimum(ranks.retrieved, max_results),
    )


def relevance_strings(ranks: JudgedRanks, length: int) -> list[str]:
    """Return a relevance string for each query; empty if no document is retrieved.

    It has one character for each of the first `length` documents: the grade up to 9, > for a higher
    grade, - if the document was not pooled, and . if it was pooled but not judged."""
    length = int(np.clip(length, 0, ranks.retrieved.max(initial=0)))
    labels = np.full((ranks.n_queries, length), "-")
    is_within = ranks.rank <= length
    grade = ranks.relevance[is_within]
    digit = np.array(list("0123456789>"))[np.clip(grade, 0, 10).astype(np.int64)]
    labels[ranks.query[is_within], ranks.rank[is_within] - 1] = np.where(grade < 0, ".", digit)
    return [
        "".join(row[:n]) for row, n in zip(labels, np.minimum(ranks.retrieved, length), strict=True)
    ]


Gains = list[tuple[int, float]]

HIGHEST_BESIDE_GAINS = 1_000
"""The highest grade that can be scored with a list of gains.

For each gain, trec_eval loops over all levels up to the highest level of a query. With millions of
levels it does not finish."""

_BEYOND_INT = 2**31

_NOT_POOLED, _NOT_JUDGED = -1, -2
"""trec_eval's levels for a document outside the pool, and for a pooled document that was not
judged."""


class LevelGain(NamedTuple):
    """A row of trec_eval's table of gains.

    `counts` is true if the ideal list includes the documents of the level at this row. If the user
    wrote a level twice, its documents are included only at the first of its rows."""

    level: int
    gain: float
    counts: bool = True


def retrieved_gains(ranks: JudgedRanks, gains: Gains) -> list[Floats]:
    """Return for each query the gains of its retrieved documents, best rank first,
    float64[rank]."""
    level, starts = _retrieved_levels(ranks), _query_start_positions(ranks)
    lists = []
    for query, table in enumerate(_gain_tables(ranks, gains)):
        gain_by_level = {entry.level: entry.gain for entry in reversed(table)}
        distinct_levels, inverse = np.unique(
            level[starts[query] : starts[query] + ranks.retrieved[query]], return_inverse=True
        )
        lists.append(
            np.array(
                [gain_by_level.get(value, 0.0) for value in distinct_levels.tolist()], dtype=float
            )[inverse]
        )
    return lists


def ideal_gains(ranks: JudgedRanks, gains: Gains) -> list[Floats]:
    """Return for each query the gains of all judged documents in trec_eval's order of levels,
    float64[document]."""
    ends = np.searchsorted(ranks.judged_query, np.arange(ranks.n_queries + 1))
    return [
        _ideal_gains(table, Counter(ranks.judged_relevance[ends[query] : ends[query + 1]].tolist()))
        for query, table in enumerate(_gain_tables(ranks, gains))
    ]


def _ideal_gains(table: Sequence[LevelGain], documents: Counter[float]) -> Floats:
    """Return the gains of the ideal list: the gain of each level, once for each of its documents,
    from the last level of the table to the first.

    The list stops at a level that has documents but a gain of 0 or less. If the last level has a
    gain of 0 or less, the list is empty."""
    parts: list[Floats] = []
    if table and table[-1].gain > 0:
        for level, gain, counts in reversed(table):
            n_documents = documents[level] if counts and level >= 0 else 0
            if n_documents and not gain > 0:
                break
            parts.append(np.full(n_documents, gain))
    return np.concatenate(parts) if parts else np.empty(0)


def dcg(gain_lists: list[Floats]) -> Floats:
    """Return the sum of gain / log2(rank + 1) of each list, float64[query]."""
    return np.array([float((g / np.log2(np.arange(len(g)) + 2.0)).sum()) for g in gain_lists])


def _gain_tables(ranks: JudgedRanks, gains: Gains) -> list[list[LevelGain]]:
    """Return trec_eval's table of gains for each query.

    It has the levels with user-defined gains, and all other levels up to the highest level of the
    query. The gain of these other levels is the level itself."""
    highest = np.full(ranks.n_queries, -1, dtype=np.int64)
    np.maximum.at(highest, ranks.judged_query, ranks.judged_relevance.astype(np.int64))
    first_positions = {level: position for position, (level, _) in reversed(list(enumerate(gains)))}
    entries = [
        LevelGain(*gains[position], first_positions[gains[position][0]] == position)
        for position in range(len(gains))
    ]
    tables = {
        top: sort_by_gain(
            entries
            + [
                LevelGain(grade, float(grade))
                for grade in range(top + 1)
                if grade not in first_positions
            ]
        )
        for top in np.unique(highest).tolist()
    }
    return [tables[top] for top in highest.tolist()]


def sort_by_gain(entries: list[LevelGain]) -> list[LevelGain]:
    """Sort levels by gain, ascending, in the order that results from glibc's merge sort with
    trec_eval's comparison."""
    if len(entries) < 2:
        return entries
    half = len(entries) // 2
    low, high = sort_by_gain(entries[:half]), sort_by_gain(entries[half:])
    merged: list[LevelGain] = []
    index = 0
    for entry in low:
        # The difference as a C int must be above 0; if it overflows or is undefined, it is below.
        while index < len(high) and 1 <= entry.gain - high[index].gain < _BEYOND_INT:
            merged.append(high[index])
            index += 1
        merged.append(entry)
    return merged + high[index:]


_LEAST_COST = 1.0
"""The minimum cost of a rank in the measure G. It is used if the gain of the ideal list at this
rank is smaller or missing."""


def scores_by_query(name: str, ranks: JudgedRanks, gains: Gains) -> Floats:
    """Return the scores of ndcg_rel, Rndcg or G, float64[query]. Each score is computed from the
    result list and the ideal list of a query."""
    measure = _MEASURES[name]
    results, ideals = retrieved_gains(ranks, gains), ideal_gains(ranks, gains)
    return np.array([measure(r, i) for r, i in zip(results, ideals, strict=True)])


def _discounted_sums(gains: Floats) -> Floats:
    """Return cumulative sums of gain / log2(rank + 1), float64[rank]."""
    return np.cumsum(gains / np.log2(np.arange(len(gains)) + 2.0))


def _extend_sums(sums: Floats, length: int) -> Floats:
    """Return cumulative sums, cut or extended to `length` ranks. Every added rank has the same sum
    as the last rank."""
    last = sums[-1:] if len(sums) else np.zeros(1)
    return np.concatenate([sums, np.repeat(last, max(length - len(sums), 0))])[:length]


def _ndcg_rel(results: Floats, ideal: Floats) -> float:
    size = max(len(results), len(ideal), 1)
    dcg = _extend_sums(_discounted_sums(results), size)
    best = _extend_sums(_discounted_sums(ideal), size)
    gaining = np.flatnonzero(results > 0)
    total = (dcg[gaining] / best[gaining]).sum()
    total += (len(ideal) - len(gaining)) * dcg[-1] / best[-1]
    # A gain with an empty ideal list makes trec_eval print inf.
    return float(total / np.float64(len(ideal))) if total > 0 else 0.0


def _r_ndcg(results: Floats, ideal: Floats) -> float:
    """Return nDCG averaged over the ranks after which the gain of the ideal list changes.

    If the result list is at least two ranks longer than the ideal list, nDCG of the whole list is
    included in the average."""
    if not len(ideal):
        return float("nan")
    changes = np.flatnonzero(ideal != np.append(ideal[1:], 0.0))
    size = max(len(results), len(ideal))
    dcg = _extend_sums(_discounted_sums(results), size)
    best = _extend_sums(_discounted_sums(ideal), size)
    shares = (dcg / best)[changes]
    if len(results) > len(ideal) + 1:
        shares = np.append(shares, dcg[-1] / best[-1])
    return float(shares.mean())


def _g_measure(results: Floats, ideal: Floats) -> float:
    if not len(ideal):
        return 0.0
    cost = np.full(len(results), _LEAST_COST)
    n_shared = min(len(results), len(ideal))
    cost[:n_shared] = np.maximum(ideal[:n_shared], _LEAST_COST)
    discount = np.log2(2 + np.cumsum(cost) - np.cumsum(results))
    gaining = results != 0
    return float((results[gaining] / discount[gaining]).sum() / ideal.sum())


_MEASURES: dict[str, Callable[[Floats, Floats], float]] = {
    "ndcg_rel": _ndcg_rel,
    "Rndcg": _r_ndcg,
    "G": _g_measure,
}


def parse_gains(pairs: Pairs, version: Version) -> Gains:
    """Return the (level, gain) pairs in the order in which the user wrote them."""
    if version == "10.0":
        pairs = tuple(p for p in pairs if re.fullmatch(r"[+-]?[0-9]+", p[0]))
    return [(atol(name), gain) for name, gain in pairs]


def parse_persistence(pairs: Pairs) -> float:
    """Return the parameter p of rbp: the last value in `pairs`, or 0.9 if there is none."""
    return next((value for name, value in reversed(pairs) if name == "p"), 0.9)


def rank_biased_precision(ranks: JudgedRanks, gains: Gains, p: float) -> Floats:
    """Return (1 − p) Σ gain · p^(rank − 1) for each query, float64[query].

    `gains` has the user-defined gains of levels; the gain of any other level is the level itself.
    An unjudged document has no gain unless a gain is defined for its level."""
    worths = [gain for _, gain in gains]
    min_gain = min([0.0, *worths])
    max_gain = np.maximum(max([0.0, *worths]), _highest_level(ranks, dict(gains)))
    scaled = (min_gain < 0) | (max_gain > 1)
    low, width = np.where(scaled, min_gain, 0.0), np.where(scaled, max_gain - min_gain, 1.0)
    if gains:
        gain = np.concatenate([np.empty(0), *retrieved_gains(ranks, gains)])
        query, position = _all_retrieved_ranks(ranks)
        level = _retrieved_levels(ranks)
        has_gain = (level >= 0) | np.isin(level, list(dict(gains)))
    else:
        judged = ranks.relevance >= 0
        gain = ranks.relevance[judged].astype(np.float64)
        query, position = ranks.query[judged], ranks.rank[judged] - 1
        has_gain = np.ones(len(gain), dtype=np.bool_)
    gain = np.where(has_gain, (gain - low[query]) / width[query], 0.0)
    return (1.0 - p) * _sum_by_query(gain * _powers_of_p(ranks, p)[position], query, ranks)


def rank_biased_residual(ranks: JudgedRanks, p: float) -> Floats:
    """Return p^n + (1 − p) Σ p^(rank − 1) for each query, float64[query]; n is the length of the
    list, and the sum is over its unjudged documents. The result is 0 if no document is unjudged."""
    query, position = _all_retrieved_ranks(ranks)
    unjudged = np.ones(len(query), dtype=np.bool_)
    judged = ranks.relevance >= 0
    unjudged[_row_positions(ranks)[judged]] = False
    powers = _powers_of_p(ranks, p)
    has_unjudged = np.bincount(query[unjudged], minlength=ranks.n_queries) > 0
    summed = _sum_by_query(powers[position[unjudged]], query[unjudged], ranks)
    return np.where(has_unjudged, powers[ranks.retrieved] + (1.0 - p) * summed, 0.0)


def _highest_level(ranks: JudgedRanks, named_levels: Collection[int]) -> Floats:
    """Return, for each query, the highest level that has no user-defined gain and is not above the
    highest grade in the query's judgments, float64[query]; 0 if there is none."""
    level = np.zeros(ranks.n_queries, dtype=np.int64)
    np.maximum.at(level, ranks.judged_query, ranks.judged_relevance.astype(np.int64))
    for named_level in sorted(named_levels, reverse=True):
        level[level == named_level] -= 1
    return np.maximum(level, 0).astype(np.float64)


def _all_retrieved_ranks(ranks: JudgedRanks) -> tuple[Ints, Ints]:
    """Return the query and the rank of each retrieved document, int64[document] each. Ranks count
    from 0."""
    query = np.repeat(np.arange(ranks.n_queries), ranks.retrieved)
    return query, np.arange(len(query)) - _query_start_positions(ranks)[query]


def _query_start_positions(ranks: JudgedRanks) -> Ints:
    """Return the position of each query's first document in an array of all retrieved documents,
    int64[query]."""
    starts: Ints = np.cumsum(ranks.retrieved) - ranks.retrieved
    return starts


def _row_positions(ranks: JudgedRanks) -> Ints:
    """Return the position of each document of `ranks` among all retrieved documents, int64[hit]."""
    return _query_start_positions(ranks)[ranks.query] + ranks.rank - 1


def _retrieved_levels(ranks: JudgedRanks) -> Ints:
    """Return trec_eval's level of each retrieved document, int64[document]."""
    level = np.full(int(ranks.retrieved.sum()), _NOT_POOLED, dtype=np.int64)
    level[_row_positions(ranks)] = np.where(ranks.relevance < 0, _NOT_JUDGED, ranks.relevance)
    return level


def _powers_of_p(ranks: JudgedRanks, p: float) -> Floats:
    """Return p^0, p^1, … p^n, float64[n + 1], computed by repeated multiplication; n is the length
    of the longest list."""
    steps = np.full(int(ranks.retrieved.max(initial=0)) + 1, p)
    steps[0] = 1.0
    powers: Floats = np.cumprod(steps)
    return powers


def _sum_by_query(values: Floats, query: Ints, ranks: JudgedRanks) -> Floats:
    """Return the sum of the values of each query, added in their order, float64[query]."""
    return np.asarray(np.bincount(query, values, ranks.n_queries), dtype=np.float64)
