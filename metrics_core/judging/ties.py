"""The orders that equal scores allow: with the worst grades first, and with the best first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics_core.errors import RanklensError
from metrics_core.judging.judged import JudgedRanks

UNJUDGED = -0.5
"""What a document that nobody judged is worth among equals: less than a judged one without
relevance, and more than one that was only pooled."""


def tie_extremes(ranks: JudgedRanks) -> tuple[JudgedRanks, JudgedRanks]:
    """The ranks with the worst grades first among equal scores, and with the best first; documents
    of one grade stay in their order. `listed` and `subtopics` are None. Raises RanklensError where
    nobody knows which scores are equal."""
    return _by_grade(ranks, 1), _by_grade(ranks, -1)


def _by_grade(ranks: JudgedRanks, sign: int) -> JudgedRanks:
    """With the documents of each score by grade, rising for 1 and falling for -1."""
    tied = ranks.tied
    if tied is None:
        raise RanklensError(
            f"{ranks.run_name} came as judged ranks: which of its scores are equal is not known.",
            "Give the run itself.",
        )
    order = np.lexsort((ranks.rank, sign * ranks.relevance, tied.first, ranks.query))
    query, tied = ranks.query[order], tied.at(order)
    new = (np.diff(query, prepend=-1) != 0) | (np.diff(tied.first, prepend=-1) != 0)
    starts, group = np.flatnonzero(new), np.cumsum(new) - 1
    members = np.diff(starts, append=len(order))
    grade = ranks.relevance[order]
    behind_unjudged = grade > UNJUDGED if sign > 0 else grade < UNJUDGED
    unjudged = np.where(behind_unjudged, tied.number - members[group], 0)
    rank = tied.first + np.arange(len(order)) - starts[group] + unjudged
    by_rank = np.lexsort((rank, query))
    order = order[by_rank]
    return replace(
        ranks,
        rank=rank[by_rank],
        relevance=ranks.relevance[order],
        qrels_row=ranks.qrels_row[order],
        subtopics=None,
        listed=None,
        tied=tied.at(by_rank),
    )
