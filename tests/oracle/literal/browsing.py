"""How far a reader goes: rank by rank."""

from __future__ import annotations

from tests.oracle.literal.registry import Judged, Ranking, is_relevant, twin


@twin("RBP")
def rank_biased_precision(
    ranking: Ranking,
    judged: Judged,
    cutoff: int | None = None,
    p: float = 0.8,
    rel: int | None = None,
) -> float:
    score = 0.0
    for i, grade in enumerate(ranking[:cutoff]):
        gain = max(grade or 0, 0) if rel is None else float(is_relevant(grade, rel))
        score += gain * p**i
    return (1 - p) * score


@twin("ERR")
def expected_reciprocal_rank(
    ranking: Ranking, judged: Judged, cutoff: int | None = None, max_rel: int = 4
) -> float:
    score, going_on = 0.0, 1.0
    for i, grade in enumerate(ranking[:cutoff], 1):
        chance = (2 ** min(max(grade or 0, 0), max_rel) - 1) / 2**max_rel
        score += going_on * chance / i
        going_on *= 1 - chance
    return score
