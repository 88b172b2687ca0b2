"""Find the only document with the highest grade of a query, and its ranks in two runs.

Only judged ranks (the ranks of judged documents) are needed."""

from __future__ import annotations

from dataclasses import dataclass

from metrics_core.explaining.variants import query_rows
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
    grades = focus.judged_relevance[query_rows(focus.judged_query, query)]
    if not len(grades) or grades[0] < max(relevant_from, 0):
        return None
    if len(grades) > 1 and grades[1] == grades[0]:
        return None

    def find_rank(ranks: JudgedRanks) -> int:
        rows = query_rows(ranks.query, query)
        return int(next(iter(ranks.rank[rows][ranks.relevance[rows] == grades[0]]), 0))

    is_only = int((grades >= max(relevant_from, 0)).sum()) == 1
    return TopDocument(find_rank(baseline), find_rank(focus), is_only)
