"""Compute the separate contribution of each document as the score of a list in which only this
document has a grade."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.judged import no_qrels_rows
from metrics_core.measures import Measure

_MOST_CELLS = 4_000_000


def single_document_scores(
    ranks: JudgedRanks, measure: Measure, rank: Ints, length: Ints, grade: Floats
) -> Floats:
    """Return the scores of n lists, float64[n]. Each list has one judged document, and no other
    document is known to be relevant.

    `rank` int64[n] and `grade` float64[n] are the rank and the grade of the document, and `length`
    int64[n] is the length of the list; they are broadcast to a common shape. A list whose document
    has rank 0 (not listed) scores 0. The highest grade of all judgments, which some measures need,
    is taken from `ranks`."""
    rank, length, grade = np.broadcast_arrays(rank, length, grade)
    listed, n = np.flatnonzero(rank > 0), len(rank)
    if not n:
        return np.zeros(0)
    lists = replace(
        ranks,
        query_ids=("",) * n,
        retrieved=length,
        judged_query=np.arange(n),
        judged_relevance=grade,
        query=listed,
        rank=rank[listed],
        relevance=grade[listed],
        qrels_row=no_qrels_rows(len(listed)),
        listed=None,
        subtopics=None,
    )
    return measure.score(lists)


def distinct_ranks(rank: Ints, length: Ints) -> tuple[Ints, Ints, Ints]:
    """Find the distinct pairs of `rank` and `length`, which are int64[n] each. Return the rank and
    the length of each distinct pair, int64[pair] each, and the index of the pair of each input,
    int64[n]."""
    span = int(length.max(initial=0)) + 1
    key = rank * span + length
    if (int(rank.max(initial=0)) + 1) * span > max(_MOST_CELLS, len(key)):
        distinct, index = np.unique(key, return_inverse=True)
    else:
        is_present = np.zeros(int(key.max(initial=-1)) + 1, dtype=np.bool_)
        is_present[key] = True
        distinct = np.flatnonzero(is_present)
        index = (np.cumsum(is_present) - 1)[key]
    return distinct // span, distinct % span, index
