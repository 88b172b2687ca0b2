"""Find the only document with the highest grade of a query, and its ranks in two runs.

Only judged ranks (the ranks of judged documents) are needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.judging import JudgedRanks


@dataclass(frozen=True)
class TopDocument:
    """The ranks of the document that has a higher grade than all other documents of a query:
    `before` in the baseline and `after` in the run in focus.

    A rank is 0 if the document is not listed. `is_only_relevant` is whether no other document of
    the query is relevant."""

    before: int
    after: int
    is_only_relevant: bool


def find_top_document(
    focus: JudgedRanks, baseline: JudgedRanks, query: int, relevant_from: float
) -> TopDocument | None:
    """Find the relevant document that has a higher grade than every other document of the query,
    and return its ranks; None if there is no such document."""
    first, last = np.searchsorted(focus.judged_query, [query, query + 1])
    grades = focus.judged_relevance[first:last]
    if not len(grades) or grades[0] < max(relevant_from, 0):
        return None
    if len(grades) > 1 and grades[1] == grades[0]:
        return None

    def find_rank(ranks: JudgedRanks) -> int:
        begin, end = np.searchsorted(ranks.query, [query, query + 1])
        positions = np.flatnonzero(ranks.relevance[begin:end] == grades[0])
        return int(ranks.rank[begin + positions[0]]) if len(positions) else 0

    is_only = int((grades >= max(relevant_from, 0)).sum()) == 1
    return TopDocument(find_rank(baseline), find_rank(focus), is_only)
