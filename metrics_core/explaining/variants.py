"""One query of a run many times over, each time a little different: scored as one batch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks


def query_rows(ranks: JudgedRanks, position: int) -> slice:
    """The rows of the judged listed documents of the query at that position."""
    start, end = np.searchsorted(ranks.query, [position, position + 1])
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
    """V variants of the query at that position, as V queries of one value.

    rank       int64[V, m]    of each of m judged documents; 0 where a variant does not list it
    relevance  float64[V, m]  their grades in the list
    qrels_row  int64[m]       their rows in the qrels
    retrieved  int64[V]       how many documents each variant lists

    The judgments, and with them what a score is divided by, are those of the query in all of them.
    """
    n = len(rank)
    variant, document = np.nonzero(rank)
    # Documents in the order of one variant's ranks are nearly in that of the others, which a
    # stable sort of one key turns into speed.
    sort_key = variant * (int(rank.max(initial=0)) + 1) + rank[variant, document]
    order = np.argsort(sort_key, kind="stable")
    variant, document = variant[order], document[order]
    first, end = np.searchsorted(ranks.judged_query, [position, position + 1])
    grades = ranks.judged_relevance[first:end]
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
