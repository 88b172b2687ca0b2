"""Judged ranks as they would be with additional judgments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging.judged import JudgedRanks, no_qrels_rows


def add_listed_grades(ranks: JudgedRanks, query: Ints, rank: Ints, grade: Floats) -> JudgedRanks:
    """Return the ranks with grades added for n unjudged documents in the lists. `query` and `rank`
    are int64[n], `grade` is float64[n]. The documents are not added to the judgments, so the number
    of relevant documents per query is unchanged. Every `qrels_row` becomes -1."""
    judged = ranks.judged()
    query = np.concatenate([judged.query, query])
    rank = np.concatenate([judged.rank, rank])
    relevance = np.concatenate([judged.relevance, grade])
    order = order_by_query(query, rank)
    return replace(
        ranks,
        query=query[order],
        rank=rank[order],
        relevance=relevance[order],
        qrels_row=no_qrels_rows(len(order)),
        listed=None,
        tied=None,
    )


def add_judgments(ranks: JudgedRanks, query: Ints, grade: Floats) -> JudgedRanks:
    """Return the ranks with n additional judgments. The lists are unchanged.

    `query` int64[n] and `grade` float64[n] describe the added judgments."""
    query = np.concatenate([ranks.judged_query, query])
    relevance = np.concatenate([ranks.judged_relevance, grade])
    best_first = order_by_query(query, -relevance)
    return replace(ranks, judged_query=query[best_first], judged_relevance=relevance[best_first])


def add_counted_judgments(ranks: JudgedRanks, counts: Ints, grade: float) -> JudgedRanks:
    """Return the ranks with more judgments and unchanged lists. `counts` int64[query] is the number
    of judgments added to each query. All added judgments have the same `grade`."""
    query, relevance = ranks.judged_query, ranks.judged_relevance
    starts = np.cumsum(counts) - counts
    # They come after those of the same grade, so each position follows from counts.
    positions = (
        np.arange(len(query)) + starts[query] + np.where(relevance < grade, counts[query], 0)
    )
    merged = np.full(len(query) + int(counts.sum()), grade)
    merged[positions] = relevance
    judged_counts = np.bincount(query, minlength=ranks.n_queries)
    return replace(
        ranks,
        judged_query=np.repeat(np.arange(ranks.n_queries), judged_counts + counts),
        judged_relevance=merged,
    )


def order_by_query(query: Ints, keys: Ints | Floats) -> Ints:
    """Return the indexes, int64[n], that sort by `query` and, within a query, by `keys`.

    `query` is int64[n], `keys` int64[n] or float64[n]. The sort is stable. It is fast if the input
    is mostly sorted, for example after values were appended to sorted arrays."""
    least = keys.min(initial=0)
    span = keys.max(initial=0) - least + 1
    if not span * (int(query.max(initial=0)) + 1) < 2**62:
        return np.lexsort((keys, query))
    steps = (keys - least).astype(np.int64)
    if keys.dtype.kind == "f" and not np.array_equal(steps + least, keys):
        return np.lexsort((keys, query))
    # One number for both: a stable sort merges the stretches that are already sorted.
    return np.argsort(query * np.int64(span) + steps, kind="stable")
