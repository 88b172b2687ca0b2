"""Measures of the listed documents: each from the lists of all queries and a row per document."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tests.oracle.literal.registry import is_relevant


@dataclass(frozen=True)
class Case:
    """One query among others: the lists and grades of all, and the documents' columns."""

    query_id: str
    lists: Mapping[str, Sequence[str]]
    grades: Mapping[str, Mapping[str, float]]
    documents: Mapping[str, Mapping[str, Any]]

    def top(self, cutoff: int) -> Sequence[str]:
        return self.lists.get(self.query_id, [])[:cutoff]

    def relevant(self, rel: int) -> set[str]:
        own = self.grades[self.query_id]
        return {doc for doc, grade in own.items() if is_relevant(grade, rel)}

    def value(self, doc: str, column: str) -> Any:
        return self.documents.get(doc, {}).get(column)


CATALOGUE: dict[str, Callable[..., float]] = {}


def twin(name: str) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Register the literal twin of a measure that needs documents."""

    def register(function: Callable[..., float]) -> Callable[..., float]:
        CATALOGUE[name] = function
        return function

    return register


def worth(case: Case, docs: Sequence[str] | set[str], column: str) -> float:
    prices = [case.value(doc, column) for doc in docs]
    return math.nan if None in prices else sum(prices)


@twin("MoneyP")
def money_precision(case: Case, cutoff: int, rel: int = 1, column: str = "price") -> float:
    top = case.top(cutoff)
    if not case.lists.get(case.query_id):
        return 0.0
    offered = worth(case, top, column)
    earned = worth(case, [doc for doc in top if doc in case.relevant(rel)], column)
    return earned / offered if offered else math.nan


@twin("MoneyR")
def money_recall(case: Case, cutoff: int, rel: int = 1, column: str = "price") -> float:
    relevant = case.relevant(rel)
    if not relevant:
        return 0.0
    wanted = worth(case, relevant, column)
    earned = worth(case, [doc for doc in case.top(cutoff) if doc in relevant], column)
    return earned / wanted if wanted else math.nan


@twin("Coverage")
def coverage(case: Case, cutoff: int) -> float:
    score = 0.0
    for doc in case.top(cutoff):
        if doc in case.documents:
            judged = [q for q in case.grades if q in case.lists]
            score += 1 / sum(doc in case.lists[q][:cutoff] for q in judged)
    return score / len(case.documents)


@twin("Novelty")
def novelty(case: Case, cutoff: int, column: str = "popularity", users: float = 1.0) -> float:
    shares = [case.value(doc, column) for doc in case.top(cutoff)]
    if not shares or None in shares or 0 in shares:
        return math.nan
    return sum(-math.log2(share / users) for share in shares) / len(shares)


@twin("ILD")
def intra_list_diversity(case: Case, cutoff: int, column: str = "category") -> float:
    values = [case.value(doc, column) for doc in case.top(cutoff)]
    pairs = list(combinations(values, 2))
    if not pairs or None in values:
        return math.nan
    return sum(a != b for a, b in pairs) / len(pairs)
