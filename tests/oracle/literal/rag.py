"""Context precision and recall, as RAG tools define them."""

from __future__ import annotations

from tests.oracle.literal.registry import Judged, Ranking, is_relevant, twin


@twin("ContextPrecision")
def context_precision(
    ranking: Ranking, judged: Judged, cutoff: int | None = None, rel: int = 1
) -> float:
    verdicts = [is_relevant(grade, rel) for grade in ranking[:cutoff]]
    precisions = [sum(verdicts[:i]) / i for i in range(1, len(verdicts) + 1)]
    numerator = sum(p * v for p, v in zip(precisions, verdicts, strict=True))
    return numerator / sum(verdicts) if any(verdicts) else 0.0


@twin("ContextRecall")
def context_recall(ranking: Ranking, judged: Judged, cutoff: int, rel: int = 1) -> float:
    needed = sum(is_relevant(grade, rel) for grade in judged)
    return sum(is_relevant(g, rel) for g in ranking[:cutoff]) / needed if needed else 0.0
