"""Recommenders' measures."""

from __future__ import annotations

from tests.oracle.literal.registry import Judged, Ranking, is_relevant, twin


@twin("ARHR")
def average_reciprocal_hit_rank(
    ranking: Ranking, judged: Judged, cutoff: int | None = None, rel: int = 1
) -> float:
    total = sum(is_relevant(g, rel) for g in judged)
    found = sum(1 / i for i, g in enumerate(ranking[:cutoff], 1) if is_relevant(g, rel))
    return found / total if total else 0.0
