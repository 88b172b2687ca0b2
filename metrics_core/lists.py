"""The same measures for one plain Python list.

    >>> precision_at_k(["a", "b", "c"], {"a", "c"}, 2)
    0.5

`expected` is a collection of relevant ids, or a mapping from id to grade. The numbers come from
the same kernels as everywhere else. A duplicate in `retrieved` counts at its first place only.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

from metrics_core.judging import JudgedRanks, single_query
from metrics_core.measures import Measure, parse_measure

Expected = Collection[Hashable] | Mapping[Hashable, float]


def judged_list(retrieved: Sequence[Hashable], expected: Expected) -> JudgedRanks:
    """One list as JudgedRanks of a single query, for any measure."""
    grades = expected if isinstance(expected, Mapping) else dict.fromkeys(expected, 1.0)
    distinct = list(dict.fromkeys(retrieved))
    places = ((rank, grades[d]) for rank, d in enumerate(distinct, 1) if d in grades)
    return single_query(places, grades.values(), len(distinct))


def score_list(
    retrieved: Sequence[Hashable], expected: Expected, measures: Iterable[str | Measure]
) -> dict[str, float]:
    """Scores of one list, by the canonical name of each measure."""
    ranks = judged_list(retrieved, expected)
    parsed = [parse_measure(m) for m in measures]
    return {str(m): float(m.score(ranks)[0]) for m in parsed}


def _at(name: str, retrieved: Sequence[Hashable], expected: Expected, k: int | None) -> float:
    measure = parse_measure(name if k is None else f"{name}@{k}")
    return float(measure.score(judged_list(retrieved, expected))[0])


def precision_at_k(retrieved: Sequence[Hashable], expected: Expected, k: int) -> float:
    """Share of the first k that are relevant; divided by k always."""
    return _at("P", retrieved, expected, k)


def recall_at_k(retrieved: Sequence[Hashable], expected: Expected, k: int) -> float:
    """Share of the relevant documents that stand among the first k; 0 if there are none."""
    return _at("R", retrieved, expected, k)


def ndcg_at_k(retrieved: Sequence[Hashable], expected: Expected, k: int | None = None) -> float:
    """nDCG with linear gain and log2(rank + 1); the best order is that of all expected."""
    return _at("nDCG", retrieved, expected, k)


def average_precision(
    retrieved: Sequence[Hashable], expected: Expected, k: int | None = None
) -> float:
    """Average precision, divided by all relevant documents."""
    return _at("AP", retrieved, expected, k)


def reciprocal_rank(
    retrieved: Sequence[Hashable], expected: Expected, k: int | None = None
) -> float:
    """1 divided by the rank of the first relevant document; 0 if there is none."""
    return _at("RR", retrieved, expected, k)


def success_at_k(retrieved: Sequence[Hashable], expected: Expected, k: int) -> float:
    """1 if a relevant document stands among the first k, otherwise 0."""
    return _at("Success", retrieved, expected, k)


def r_precision(retrieved: Sequence[Hashable], expected: Expected) -> float:
    """Precision at as many results as there are relevant documents."""
    return _at("Rprec", retrieved, expected, None)


def set_f(retrieved: Sequence[Hashable], expected: Expected) -> float:
    """Harmonic mean of the precision and the recall of the whole list."""
    return _at("SetF", retrieved, expected, None)
