"""Create many variants of one query's list, which are scored as one batch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks


def query_rows(query: Ints, position: int) -> slice:
    """Return the slice of the rows of one query, given the sorted position of each row's query."""
    start, end = np.searchsorted(query, [position, position + 1])
    return slice(int(start), int(end))


def make_variants(
    ranks: JudgedRanks,
    position: int,
    *,
    rank: Ints,
    relevance: Floats,
    qrels_row: Ints,
    retrieved: Ints,
) -> JudgedRanks:
    """Return variants of the query at this position, as queries of one JudgedRanks.

        rank       int64[variant, document]    rank of each judged document; 0 if not listed
        relevance  float64[variant, document]  grades of the documents in the list
        qrels_row  int64[document]             rows of the documents in the qrels
        retrieved  int64[variant]              number of documents in each variant's list

    Every variant has the same judgments as the query itself, and thus the same divisor of a
    score."""
    n = len(rank)
    variant, document = np.nonzero(rank)
    # Documents have almost the same order in all variants, so a stable sort of one key is fast.
    sort_key = variant * (int(rank.max(initial=0)) + 1) + rank[variant, document]
    order = np.argsort(sort_key, kind="stable")
    variant, document = variant[order], document[order]
    grades = ranks.judged_relevance[query_rows(ranks.judged_query, position)]
    return replace(
        ranks,
        query_ids=tuple(str(i) for i in range(n)),
        query=variant,
        rank=rank[variant, document],
        relevance=relevance[variant, document],
        qrels_row=qrels_row[document],
        retrieved=retrieved,
        judged_query=np.repeat(np.arange(n), len(grades)),
        judged_relevance=np.tile(grades, n),
        unjudged_queries=(),
        empty_queries=(),
        notes=(),
        subtopics=None,
        listed=None,
        tied=None,
    )
