"""What the literal twins share: their form, their registry, and how a ranking becomes grades."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Ranking = Sequence[float | None]
Judged = Sequence[float]
Twin = Callable[..., float]

LITERAL: dict[str, Twin] = {}


def twin(name: str) -> Callable[[Twin], Twin]:
    """Register the literal twin of a measure."""

    def register(function: Twin) -> Twin:
        LITERAL[name] = function
        return function

    return register


def is_relevant(grade: float | None, rel: int) -> bool:
    return grade is not None and grade >= max(rel, 0)


def ranking_of(scores: dict[str, float], grades: dict[str, float]) -> list[float | None]:
    """One query's ranking as grades: by score, highest first, ties by doc_id, last first."""
    return [grades.get(d) for d in documents_of(scores)]


def documents_of(scores: dict[str, float]) -> list[str]:
    """One query's documents by score, highest first, ties by doc_id, last first."""
    return sorted(scores, key=lambda d: (scores[d], d.encode()), reverse=True)
