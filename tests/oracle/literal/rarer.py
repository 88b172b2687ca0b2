"""trec_eval's rarer measures, as loops over one list in the manner of its sources."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from tests.oracle.literal.basic import average_precision, set_precision
from tests.oracle.literal.registry import Judged, Ranking, is_relevant, twin

Gains = Iterable[tuple[float, float]] | None


def relevant_in(judged: Judged, rel: int) -> int:
    return sum(is_relevant(g, rel) for g in judged)


@twin("Bpref")
def bpref(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    relevant = relevant_in(judged, rel)
    other = sum(0 <= g < rel for g in judged)
    above, score = 0, 0.0
    for grade in ranking:
        if grade is None or grade < 0:
            continue
        if grade < rel:
            above += 1
        elif above == 0:
            score += 1
        else:
            score += 1 - min(above, relevant) / min(other, relevant)
    return score / relevant if relevant else 0.0


@twin("infAP")
def inferred_ap(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    epsilon = 0.00001
    found = other = waiting = 0
    score = 0.0
    for j, grade in enumerate(ranking):
        if grade is None:
            continue
        if grade < 0:
            waiting += 1
        elif grade < rel:
            other += 1
        else:
            if j == 0:
                score += 1
            else:
                pooled = (found + other + waiting) / j
                share = (found + epsilon) / (found + other + 2 * epsilon)
                score += 1 / (j + 1) + j / (j + 1) * pooled * share
            found += 1
    relevant = relevant_in(judged, rel)
    return score / relevant if relevant else 0.0


@twin("IPrec")
def interpolated_precision(
    ranking: Ranking, judged: Judged, recall: float, rel: int = 1, rounding: str = "nearest"
) -> float:
    share = recall * relevant_in(judged, rel)
    whole, part = int(share), share - int(share)
    needed = int(share + 0.9) if rounding == "up" else whole + (part >= 0.5)
    best, found = 0.0, 0
    for i, grade in enumerate(ranking, 1):
        found += is_relevant(grade, rel)
        if found >= needed:
            best = max(best, found / i)
    return best


@twin("IPrecAvg")
def interpolated_average(
    ranking: Ranking,
    judged: Judged,
    rel: int = 1,
    rounding: str = "nearest",
    points: Sequence[float] = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1),
) -> float:
    values = [interpolated_precision(ranking, judged, r, rel, rounding) for r in points]
    return sum(values) / len(values)


@twin("RelP")
def relative_precision(ranking: Ranking, judged: Judged, cutoff: int, rel: int = 1) -> float:
    most = min(cutoff, relevant_in(judged, rel))
    return sum(is_relevant(g, rel) for g in ranking[:cutoff]) / most if most else 0.0


@twin("RprecMult")
def r_precision_multiple(ranking: Ranking, judged: Judged, factor: float, rel: int = 1) -> float:
    depth = int(factor * relevant_in(judged, rel) + 0.9)
    return sum(is_relevant(g, rel) for g in ranking[:depth]) / depth if depth else 0.0


@twin("GMAP")
def geometric_ap(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    return average_precision(ranking, judged, rel=rel)


@twin("GMBpref")
def geometric_bpref(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    return bpref(ranking, judged, rel)


@twin("Yaap")
def yet_another_ap(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    relevant = relevant_in(judged, rel)
    total = average_precision(ranking, judged, rel=rel) * relevant
    return math.log((1 + total) / (1 + relevant - total))


@twin("Unjudged")
def unjudged(ranking: Ranking, judged: Judged, cutoff: int) -> float:
    return sum(g is None or g < 0 for g in ranking[:cutoff]) / cutoff


@twin("RBPResidual")
def rbp_residual(ranking: Ranking, judged: Judged, p: float = 0.9) -> float:
    weights = [p**i for i, g in enumerate(ranking) if g is None or g < 0]
    return p ** len(ranking) + (1 - p) * sum(weights) if weights else 0.0


@twin("SetRelP")
def set_relative_precision(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    return set_precision(ranking, judged, rel, relative=True)


@twin("SetAP")
def set_ap(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    found = sum(is_relevant(g, rel) for g in ranking)
    relevant = relevant_in(judged, rel)
    return found**2 / (len(ranking) * relevant) if ranking and relevant else 0.0


@twin("Utility")
def utility(
    ranking: Ranking,
    judged: Judged,
    p1: float = 1,
    p2: float = -1,
    p3: float = 0,
    p4: float = 0,
    documents: int = 0,
    rel: int = 1,
) -> float:
    if not ranking:
        return 0.0
    a = sum(is_relevant(g, rel) for g in ranking)
    b = len(ranking) - a
    c = relevant_in(judged, rel) - a
    return p1 * a + p2 * b + p3 * c + p4 * (documents - a - b - c)


@twin("NumNonrelRet")
def number_nonrelevant_retrieved(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    return float(sum(g is not None and 0 <= g < rel for g in ranking))


@twin("binG")
def binary_g(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    other, score = 0, 0.0
    for grade in ranking:
        if is_relevant(grade, rel):
            score += 1 / math.log2(2 + other)
        else:
            other += 1
    relevant = relevant_in(judged, rel)
    return score / relevant if relevant else 0.0


def gain_of(grade: float | None, gains: Gains) -> float:
    if grade is None or grade < 0:
        return 0.0
    return dict(gains or ()).get(grade, grade)


def best_gains(judged: Judged, gains: Gains, length: int) -> list[float]:
    """The gains of the best list, padded with nothing."""
    worth = sorted((gain_of(g, gains) for g in judged), reverse=True)
    positive = [g for g in worth if g > 0]
    return positive + [0.0] * (length - len(positive))


def dcg(gained: Sequence[float]) -> float:
    return sum(g / math.log2(i + 1) for i, g in enumerate(gained, 1))


@twin("G")
def normalized_g(ranking: Ranking, judged: Judged, gains: Gains = None) -> float:
    best = best_gains(judged, gains, len(ranking))
    cost = gained = score = 0.0
    for grade, ideal in zip(ranking, best, strict=False):
        gain = gain_of(grade, gains)
        gained += gain
        cost += max(ideal, 1.0)
        if gain:
            score += gain / math.log2(2 + cost - gained)
    return score / sum(best) if sum(best) else 0.0


@twin("nDCGRel")
def ndcg_at_relevant(ranking: Ranking, judged: Judged, gains: Gains = None) -> float:
    gained = [gain_of(g, gains) for g in ranking]
    best = best_gains(judged, gains, len(ranking))
    wanted = sum(g > 0 for g in best)
    if not wanted:
        return 0.0
    at = [dcg(gained[:i]) / dcg(best[:i]) for i, g in enumerate(gained, 1) if g > 0]
    total = sum(at) + (wanted - len(at)) * dcg(gained) / dcg(best)
    return max(total / wanted, 0.0)


@twin("Rndcg")
def ndcg_at_levels(ranking: Ranking, judged: Judged, rel: int = 1, gains: Gains = None) -> float:
    gained = [gain_of(g, gains) for g in ranking]
    best = best_gains(judged, gains, 0)
    if not best or not relevant_in(judged, rel):
        return 0.0
    drops = [i for i in range(1, len(best) + 1) if best[i - 1] != [*best, 0][i]]
    values = [dcg(gained[:i]) / dcg(best[:i]) for i in drops]
    if len(ranking) > len(best) + 1:
        values.append(dcg(gained) / dcg(best))
    return sum(values) / len(values)
