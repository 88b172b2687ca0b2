"""Cumulated gain: undivided, discounted, and divided by the best order's."""

from __future__ import annotations

import math

from tests.oracle.literal.registry import Judged, Ranking, twin

Gains = tuple[tuple[float, float], ...]


def gain_of(grade: float | None, dcg: str, gains: Gains | None) -> float:
    if grade is None or grade < 0:
        return 0.0
    worth = dict(gains or ()).get(grade, grade)
    return worth if dcg == "log2" else 2**worth - 1


def discounted(worths: list[float], cutoff: int | None, discount: str) -> float:
    return sum(
        worth / math.log2(i + 1 if discount == "log2" else max(i, 2))
        for i, worth in enumerate(worths[:cutoff], 1)
    )


@twin("DCG")
def dcg_of(
    ranking: Ranking,
    judged: Judged,
    cutoff: int | None = None,
    dcg: str = "log2",
    gains: Gains | None = None,
    discount: str = "log2",
    denominator: str = "none",
) -> float:
    total = discounted([gain_of(g, dcg, gains) for g in ranking], cutoff, discount)
    if denominator == "retrieved":
        return total / len(ranking[:cutoff]) if ranking else 0.0
    return total


@twin("IDCG")
def ideal_dcg(
    ranking: Ranking,
    judged: Judged,
    cutoff: int | None = None,
    dcg: str = "log2",
    gains: Gains | None = None,
    discount: str = "log2",
) -> float:
    worths = sorted((gain_of(g, dcg, gains) for g in judged), reverse=True)
    return discounted([worth for worth in worths if worth > 0], cutoff, discount)


@twin("nDCG")
def ndcg(
    ranking: Ranking,
    judged: Judged,
    cutoff: int | None = None,
    dcg: str = "log2",
    gains: Gains | None = None,
    discount: str = "log2",
) -> float:
    best = ideal_dcg(ranking, judged, cutoff, dcg, gains, discount)
    return dcg_of(ranking, judged, cutoff, dcg, gains, discount) / best if best else 0.0


@twin("CG")
def cumulative_gain(
    ranking: Ranking,
    judged: Judged,
    cutoff: int | None = None,
    dcg: str = "log2",
    gains: Gains | None = None,
) -> float:
    return float(sum(gain_of(g, dcg, gains) for g in ranking[:cutoff]))
