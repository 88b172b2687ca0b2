"""Models of readers as cwl has them: a chance of going on from each of 1,000 ranks.

`highest` stands for the highest grade of all judgments, which one query does not know.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tests.oracle.literal.registry import Judged, Ranking, twin

DEPTH = 1000


def gains(
    ranking: Ranking, min_rel: int, max_rel: int | None, highest: float | None
) -> list[float]:
    top = highest if max_rel is None else max_rel
    assert top is not None
    if top <= min_rel:
        return [0.0] * DEPTH
    listed = [(min(max(g or 0, min_rel), top) - min_rel) / (top - min_rel) for g in ranking]
    return [*listed, *[0.0] * DEPTH][:DEPTH]


def expected(gain: Sequence[float], goes_on: Callable[[int], float]) -> float:
    """Gain a result looked at; `goes_on(i)` is the chance of going on from rank i to the next."""
    chance, gained, looked_at = 1.0, 0.0, 0.0
    for i in range(1, DEPTH + 1):
        gained += chance * gain[i - 1]
        looked_at += chance
        chance *= goes_on(i)
    return gained / looked_at


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
    return expected(gain, lambda i: math.log2(i + 1) / math.log2(i + 2) if i < cutoff else 0)


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
    for i, g in enumerate(gain, 1):
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
    return expected(gain, lambda i: ((i + 2 * T - 1) / (i + 2 * T)) ** 2)


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
    left = [2 * T - sum(gain[:i]) for i in range(len(ranking) + 1)]

    def goes_on(i: int) -> float:
        x = left[min(i, len(ranking))]
        return float(((i + x - 1) / (i + x)) ** 2)

    return expected(gain, goes_on)


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
    return expected(gain, lambda i: 1 - gain[i - 1] if i < cutoff else 0)


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
    return expected(gain, lambda i: i / (i + 1) * (1 - gain[i - 1]) if i < cutoff else 0)


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
    return expected(gain, lambda i: p * (1 - gain[i - 1]))


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
    return expected(gain, lambda i: ((i + 2 * T - 1) / (i + 2 * T)) ** 2 * (1 - gain[i - 1]))
