"""Reorder tied documents: worst grades first, or best grades first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics_core.base.errors import RanklensError
from metrics_core.judging.added_judgments import order_by_query
from metrics_core.judging.judged import JudgedRanks
from metrics_core.tables.ranked_run import judged_ranks_clause

UNJUDGED = -0.5
"""The grade by which an unjudged document is sorted among tied documents. It is below the grade of
a judged non-relevant document, and above that of a document that was only pooled."""


def tie_extremes(ranks: JudgedRanks) -> tuple[JudgedRanks, JudgedRanks]:
    """Return the ranks in two orders of tied documents: worst grades first, and best grades first.
    Documents of the same grade keep their order. `listed` and `subtopics` of the results are None.
    The results are cached with these ranks. Raises RanklensError if it is not known which
    scores are tied."""
    return ranks.cached(
        "tie extremes", None, lambda: (_order_by_grade(ranks, 1), _order_by_grade(ranks, -1))
    )


def _order_by_grade(ranks: JudgedRanks, sign: int) -> JudgedRanks:
    """Return the ranks with tied documents sorted by grade: ascending if `sign` is 1, descending if
    it is -1."""
    tied = ranks.tied
    if tied is None:
        raise RanklensError(
            f"{judged_ranks_clause([ranks.run_name])}, so it is not known which of its scores are"
            " tied.",
            "Load the run itself.",
        )
    among_equals = np.flatnonzero(tied.number > 1)
    query, first = ranks.query[among_equals], tied.first[among_equals]
    grade = ranks.relevance[among_equals]
    order = np.lexsort((ranks.rank[among_equals], sign * grade, first, query))
    first, grade = first[order], grade[order]
    is_new = (np.diff(query[order], prepend=-1) != 0) | (np.diff(first, prepend=-1) != 0)
    starts, group = np.flatnonzero(is_new), np.cumsum(is_new) - 1
    members = np.diff(starts, append=len(order))
    order = among_equals[order]
    behind_unjudged = grade > UNJUDGED if sign > 0 else grade < UNJUDGED
    unjudged = np.where(behind_unjudged, tied.number[order] - members[group], 0)
    rank = ranks.rank.copy()
    rank[order] = first + np.arange(len(order)) - starts[group] + unjudged
    by_rank = order_by_query(ranks.query, rank)
    return replace(
        ranks,
        rank=rank[by_rank],
        relevance=ranks.relevance[by_rank],
        qrels_row=ranks.qrels_row[by_rank],
        subtopics=None,
        listed=None,
        tied=tied.select(by_rank),
    )
