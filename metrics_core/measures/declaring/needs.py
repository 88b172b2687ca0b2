"""What a measure needs beyond grades, and what ranks lack of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from metrics_core.base.errors import LackingDataError
from metrics_core.judging import JudgedRanks

Need = Literal["subtopics", "documents"]


def lacking(
    name: str, needs: Collection[Need], column: str | None, ranks: JudgedRanks
) -> LackingDataError | None:
    """What these ranks lack for the measure of that name, which reads that column of the documents
    if any."""
    if "subtopics" in needs and ranks.subtopics is None:
        return LackingDataError(
            f"{name} needs judgments by subtopic.",
            "Load judgments whose second column is the subtopic: query_id subtopic doc_id"
            " relevance.",
        )
    if "documents" not in needs:
        return None
    if ranks.listed is None:
        return LackingDataError(
            f"{name} needs the listed documents.",
            "Judge a run for it; judged ranks do not name the documents that nobody judged.",
        )
    lacks = ranks.listed.lacks(column)
    return lacks and LackingDataError(f"{name}: {lacks.message}", lacks.hint)
