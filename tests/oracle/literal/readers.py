"""Models of readers as cwl has them: a chance of going on from each of 1,000 ranks.

`highest` stands for the highest grade of all judgments, which one query does not know.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.literal.registry import Judged, Ranking, twin

DEPTH = 1000
RANKS = np.arange(1, DEPTH + 1, dtype=float)
Floats = Any


def gains(ranking: Ranking, min_rel: int, max_rel: int | None, highest: float | None) -> Floats:
    top = highest if max_rel is None else max_rel
    assert top is not None
    if top <= min_rel:
        return np.zeros(DEPTH)
    listed = [(min(max(g or 0, min_rel), top) - min_rel) / (top - min_rel) for g in ranking]
    return np.array([*listed, *[0.0] * DEPTH][:DEPTH])


def expected(gain: Floats, goes_on: Floats) -> float:
    """Gain a result looked at; `goes_on` is the chance of going on from each rank to the next."""
    chance = np.cumprod([1.0, *goes_on[:-1]])
    return float((chance * gain).sum() / chance.sum())


@twin("SDCG")
def scaled_dcg(
    ranking: Ranking,
    judged: Judged,
    cutoff: int,
    dcg: str = "log2",
    min_rel: int = 0,
    max_rel: int | None = None,
    highest: float | None = None,
) -> float:
    gain = gains(ranking, min_rel, max_rel, highest)
    onward = np.log2(RANKS + 1) / np.log2(RANKS + 2)
    return expected(gain, np.where(cutoff > RANKS, onward, 0))


@twin("BPM")
def bejeweled_player_model(
    ranking: Ranking,
    judged: Judged,
    cutoff: int,
    T: float = 1.0,  # noqa: N803
    min_rel: int = 0,
    max_rel: int | None = None,
    highest: float | None = None,
) -> float:
    gain = gains(ranking, min_rel, max_rel, highest)
    gained = 0.0
    for i, g in enumerate(gain.tolist(), 1):
        gained += g
        if gained >= T or i == cutoff:
            return gained / i
    return gained / DEPTH


@twin("INSQ")
def insq(
    ranking: Ranking,
    judged: Judged,
    T: float = 1.0,  # noqa: N803
    min_rel: int = 0,
    max_rel: int | None = None,
    highest: float | None = None,
) -> float:
    gain = gains(ranking, min_rel, max_rel, highest)
    return expected(gain, ((RANKS + 2 * T - 1) / (RANKS + 2 * T)) ** 2)


@twin("INST")
def inst(
    ranking: Ranking,
    judged: Judged,
    T: float = 1.0,  # noqa: N803
    min_rel: int = 0,
    max_rel: int | None = None,
    highest: float | None = None,
) -> float:
    gain = gains(ranking, min_rel, max_rel, highest)
    x = 2 * T - np.cumsum(gain)
    return expected(gain, ((RANKS + x - 1) / (RANKS + x)) ** 2)


@twin("NERR8")
def nerr8(
    ranking: Ranking,
    judged: Judged,
    cutoff: int,
    min_rel: int = 0,
    max_rel: int | None = None,
    highest: float | None = None,
) -> float:
    gain = gains(ranking, min_rel, max_rel, highest)
    return expected(gain, np.where(cutoff > RANKS, 1 - gain, 0))


@twin("NERR9")
def nerr9(
    ranking: Ranking,
    judged: Judged,
    cutoff: int,
    min_rel: int = 0,
    max_rel: int | None = None,
    highest: float | None = None,
) -> float:
    gain = gains(ranking, min_rel, max_rel, highest)
    return expected(gain, np.where(cutoff > RANKS, RANKS / (RANKS + 1) * (1 - gain), 0))


@twin("NERR10")
def nerr10(
    ranking: Ranking,
    judged: Judged,
    p: float = 0.9,
    min_rel: int = 0,
    max_rel: int | None = None,
    highest: float | None = None,
) -> float:
    gain = gains(ranking, min_rel, max_rel, highest)
    return expected(gain, p * (1 - gain))


@twin("NERR11")
def nerr11(
    ranking: Ranking,
    judged: Judged,
    T: float = 1.0,  # noqa: N803
    min_rel: int = 0,
    max_rel: int | None = None,
    highest: float | None = None,
) -> float:
    gain = gains(ranking, min_rel, max_rel, highest)
    return expected(gain, ((RANKS + 2 * T - 1) / (RANKS + 2 * T)) ** 2 * (1 - gain))
