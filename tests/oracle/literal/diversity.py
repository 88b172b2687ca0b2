"""Subtopics, document by document. A ranking is a list of doc_ids here, and `judged` gives each
judged document's grade by subtopic."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tests.oracle.literal.registry import LITERAL

Subtopics = dict[str, dict[str, int]]
Discount = Callable[[int], float]


def twin(name: str) -> Callable[[Any], Any]:
    """Register the literal twin of a measure of subtopics."""

    def register(function: Any) -> Any:
        LITERAL[name] = function
        return function

    return register


def covers(judged: Subtopics, rel: int) -> dict[str, set[str]]:
    return {d: {s for s, g in grades.items() if g >= rel} for d, grades in judged.items()}


def subtopics(judged: Subtopics, rel: int) -> set[str]:
    return set().union(*covers(judged, rel).values())


def gain(
    ranking: list[str], judged: Subtopics, rel: int, alpha: float, discount: Discount
) -> float:
    known, seen, total = covers(judged, rel), dict.fromkeys(subtopics(judged, rel), 0), 0.0
    for i, doc in enumerate(ranking, 1):
        for subtopic in known.get(doc, ()):
            total += (1 - alpha) ** seen[subtopic] * discount(i)
            seen[subtopic] += 1
    return total


def best_order(judged: Subtopics, rel: int, alpha: float) -> list[str]:
    known, worth = covers(judged, rel), dict.fromkeys(subtopics(judged, rel), 1.0)
    left, order = sorted(judged), []
    while left:
        best = max(left, key=lambda d: (sum(worth[s] for s in sorted(known[d])), d.encode()))
        left.remove(best)
        order.append(best)
        for subtopic in known[best]:
            worth[subtopic] *= 1 - alpha
    return order


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def log_discount(i: int) -> float:
    return 1 / math.log2(i + 1)


def reciprocal(i: int) -> float:
    return 1 / i


def to_everything(
    ranking: list[str], judged: Subtopics, rel: int, alpha: float, discount: Discount, cutoff: int
) -> float:
    n = len(subtopics(judged, rel))
    whole = n * sum((1 - alpha) ** (i - 1) * discount(i) for i in range(1, cutoff + 1))
    return share(gain(ranking[:cutoff], judged, rel, alpha, discount), whole)


def to_best(
    ranking: list[str],
    judged: Subtopics,
    rel: int,
    alpha: float,
    discount: Discount,
    cutoff: int | None = None,
) -> float:
    best = best_order(judged, rel, alpha)
    return share(
        gain(ranking[:cutoff], judged, rel, alpha, discount),
        gain(best[:cutoff], judged, rel, alpha, discount),
    )


@twin("alpha_DCG")
def alpha_dcg(
    ranking: list[str], judged: Subtopics, cutoff: int, rel: int = 1, alpha: float = 0.5
) -> float:
    return to_everything(ranking, judged, rel, alpha, log_discount, cutoff)


@twin("alpha_nDCG")
def alpha_ndcg(
    ranking: list[str],
    judged: Subtopics,
    cutoff: int | None = None,
    rel: int = 1,
    alpha: float = 0.5,
) -> float:
    return to_best(ranking, judged, rel, alpha, log_discount, cutoff)


@twin("ERR_IA")
def err_ia(ranking: list[str], judged: Subtopics, cutoff: int, rel: int = 1) -> float:
    return to_everything(ranking, judged, rel, 0.5, reciprocal, cutoff)


@twin("nERR_IA")
def nerr_ia(
    ranking: list[str], judged: Subtopics, cutoff: int | None = None, rel: int = 1
) -> float:
    return to_best(ranking, judged, rel, 0.5, reciprocal, cutoff)


@twin("NRBP")
def nrbp(
    ranking: list[str], judged: Subtopics, rel: int = 1, alpha: float = 0.5, beta: float = 0.5
) -> float:
    total = gain(ranking, judged, rel, alpha, lambda i: beta ** (i - 1))
    return share((1 - (1 - alpha) * beta) * total, len(subtopics(judged, rel)))


@twin("nNRBP")
def nnrbp(
    ranking: list[str], judged: Subtopics, rel: int = 1, alpha: float = 0.5, beta: float = 0.5
) -> float:
    return to_best(ranking, judged, rel, alpha, lambda i: beta ** (i - 1))


@twin("AP_IA")
def ap_ia(ranking: list[str], judged: Subtopics, rel: int = 1) -> float:
    names, known, total = subtopics(judged, rel), covers(judged, rel), 0.0
    for name in names:
        relevant = {d for d, own in known.items() if name in own}
        found = 0
        for i, doc in enumerate(ranking, 1):
            if doc in relevant:
                found += 1
                total += found / i / len(relevant)
    return share(total, len(names))


@twin("P_IA")
def p_ia(ranking: list[str], judged: Subtopics, cutoff: int, rel: int = 1) -> float:
    known = covers(judged, rel)
    found = sum(len(known.get(doc, ())) for doc in ranking[:cutoff])
    return share(found / cutoff, len(subtopics(judged, rel)))


@twin("StRecall")
def subtopic_recall(
    ranking: list[str], judged: Subtopics, cutoff: int | None = None, rel: int = 1
) -> float:
    known, names = covers(judged, rel), subtopics(judged, rel)
    return share(len(set().union(*(known.get(d, set()) for d in ranking[:cutoff]))), len(names))
