"""Agreement with an ideal ranking, and of pairs of documents."""

from __future__ import annotations

import math

from tests.oracle.literal.registry import Judged, Ranking, is_relevant, twin


def rank_biased_overlap(one: list[str], other: list[str], p: float, depth: int) -> float:
    """As Webber et al. define it, cut at a depth."""
    shared = [len({*one[:i]} & {*other[:i]}) / i for i in range(1, depth + 1)]
    weights = [p**i for i in range(depth)]
    return sum(s * w for s, w in zip(shared, weights, strict=True)) / sum(weights)


@twin("Compat")
def compatibility(
    ranking: Ranking, judged: Judged, p: float = 0.95, normalize: bool = True
) -> float:
    listed = [f"{i}" for i in range(len(ranking))]
    known = [(g, i) for i, g in enumerate(ranking) if g is not None and g > 0]
    left = list(judged)
    for grade, _ in known:
        left.remove(grade)
    lacking = [(g, len(ranking) + i) for i, g in enumerate(left) if g > 0]
    ideal = [f"{i}" for _, i in sorted([*known, *lacking], key=lambda d: (-d[0], d[1]))]
    depth = max(len(listed), len(ideal))
    if not ideal or not depth:
        return 0.0
    score = rank_biased_overlap(listed, ideal, p, depth)
    return score / rank_biased_overlap(ideal, ideal, p, depth) if normalize else score


@twin("Accuracy")
def accuracy(ranking: Ranking, judged: Judged, cutoff: int | None = None, rel: int = 1) -> float:
    top = [is_relevant(g, rel) for g in ranking[:cutoff]]
    pairs = [(i, j) for i, one in enumerate(top) for j, other in enumerate(top) if one > other]
    return sum(i < j for i, j in pairs) / len(pairs) if pairs else math.nan
