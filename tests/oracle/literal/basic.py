"""trec_eval's best-known measures, the sets and the counts."""

from __future__ import annotations

from tests.oracle.literal.registry import Judged, Ranking, is_relevant, twin


@twin("P")
def precision(
    ranking: Ranking, judged: Judged, cutoff: int, rel: int = 1, denominator: str = "k"
) -> float:
    found = sum(is_relevant(g, rel) for g in ranking[:cutoff])
    if denominator == "retrieved":
        return found / len(ranking[:cutoff]) if ranking else 0.0
    return found / cutoff


@twin("R")
def recall(ranking: Ranking, judged: Judged, cutoff: int, rel: int = 1) -> float:
    total = sum(is_relevant(g, rel) for g in judged)
    return sum(is_relevant(g, rel) for g in ranking[:cutoff]) / total if total else 0.0


@twin("AP")
def average_precision(
    ranking: Ranking,
    judged: Judged,
    cutoff: int | None = None,
    rel: int = 1,
    denominator: str = "relevant",
) -> float:
    total = sum(is_relevant(g, rel) for g in judged)
    found, score = 0, 0.0
    for i, grade in enumerate(ranking[:cutoff], 1):
        if is_relevant(grade, rel):
            found += 1
            score += found / i
    if denominator == "retrieved":
        total = found
    if denominator == "min" and cutoff is not None:
        total = min(cutoff, total)
    if denominator == "k":
        total = len(ranking) if cutoff is None else cutoff
    return score / total if total else 0.0


@twin("RR")
def reciprocal_rank(
    ranking: Ranking, judged: Judged, cutoff: int | None = None, rel: int = 1
) -> float:
    for i, grade in enumerate(ranking[:cutoff], 1):
        if is_relevant(grade, rel):
            return 1 / i
    return 0.0


@twin("Success")
def success(ranking: Ranking, judged: Judged, cutoff: int, rel: int = 1) -> float:
    return float(any(is_relevant(g, rel) for g in ranking[:cutoff]))


@twin("Rprec")
def r_precision(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    total = sum(is_relevant(g, rel) for g in judged)
    return precision(ranking, judged, total, rel) if total else 0.0


@twin("SetP")
def set_precision(ranking: Ranking, judged: Judged, rel: int = 1, relative: bool = False) -> float:
    most = len(ranking)
    if relative:
        most = min(most, sum(is_relevant(g, rel) for g in judged))
    return sum(is_relevant(g, rel) for g in ranking) / most if most else 0.0


@twin("SetR")
def set_recall(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    return recall(ranking, judged, len(ranking), rel) if ranking else 0.0


@twin("SetF")
def set_f(ranking: Ranking, judged: Judged, rel: int = 1, beta: float = 1.0) -> float:
    p, r = set_precision(ranking, judged, rel), set_recall(ranking, judged, rel)
    return (1 + beta) * p * r / (r + beta * p) if r + beta * p else 0.0


@twin("F")
def f_measure(
    ranking: Ranking, judged: Judged, cutoff: int, rel: int = 1, beta: float = 1.0
) -> float:
    p, r = precision(ranking, judged, cutoff, rel), recall(ranking, judged, cutoff, rel)
    return (1 + beta) * p * r / (r + beta * p) if r + beta * p else 0.0


@twin("Judged")
def judged_share(ranking: Ranking, judged: Judged, cutoff: int | None = None) -> float:
    top = ranking[:cutoff]
    return sum(g is not None and g >= 0 for g in top) / len(top) if top else 0.0


@twin("NumQ")
def number_of_queries(ranking: Ranking, judged: Judged) -> float:
    return 1.0


@twin("Answered")
def answered(ranking: Ranking, judged: Judged) -> float:
    return float(bool(ranking))


@twin("NumRet")
def number_retrieved(ranking: Ranking, judged: Judged, rel: int | None = None) -> float:
    return float(sum(rel is None or is_relevant(g, rel) for g in ranking))


@twin("NumRel")
def number_relevant(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    return float(sum(is_relevant(g, rel) for g in judged))


@twin("NumRelRet")
def number_relevant_retrieved(ranking: Ranking, judged: Judged, rel: int = 1) -> float:
    return float(sum(is_relevant(g, rel) for g in ranking))
