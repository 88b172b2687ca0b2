"""The same measures for plain Python lists, in various conventions.

    >>> precision_at_k(["a", "b", "c"], {"a", "c"}, 2)
    0.5
    >>> cg_at_k(*graded_list([0.99, 0.94, 0.88]), 2)
    1.93

`expected` is a collection of relevant ids, or a mapping from id to grade. Ids may be in a list, a
numpy array or a pandas Series. 1 and "1" are the same id, like in runs and judgments; floats,
booleans and missing values are rejected. The scores come from the same kernels as everywhere else.

`duplicates` decides how a document counts that occurs more than once in `retrieved`: only at its
first position ("first"), at every position ("each": a share may exceed 1), or not at all ("error":
raises ParameterError).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Literal

from metrics_core.base.errors import ParameterError
from metrics_core.judging.one_list import (
    ByDocument,
    Columns,
    Duplicates,
    Expected,
    Retrieved,
    graded_list,
    judged_list,
    prices_by_document,
)
from metrics_core.measures import Declaration, GivenMeasure, declarations, parse_measures
from metrics_core.measures.gain import Averaged, Discount
from metrics_core.measures.precision_recall import FoundShare, ListShare
from metrics_core.scoring.scores import WithoutRelevant, score_run

__all__ = [
    "Columns",
    "Duplicates",
    "Expected",
    "Method",
    "Retrieved",
    "arhr",
    "auc",
    "average_precision",
    "cg_at_k",
    "dcg_at_k",
    "graded_list",
    "hit_rate",
    "judged_list",
    "mean_scores",
    "money_precision_at_k",
    "money_recall_at_k",
    "ndcg_at_k",
    "precision",
    "precision_at_k",
    "r_precision",
    "recall",
    "recall_at_k",
    "reciprocal_rank",
    "score_list",
    "set_f",
    "success_at_k",
]

Method = Literal["standard", "industry"]
Depth = int | None
"""Number of results that count, from the top; None for the whole list."""

_ANYWHERE = 2**31
_GAINS = {"standard": "log2", "industry": "exp-log2"}


def score_list(
    retrieved: Retrieved,
    expected: Expected,
    measures: GivenMeasure | Iterable[GivenMeasure],
    *,
    duplicates: Duplicates = "first",
    columns: Columns | None = None,
) -> dict[str, float]:
    """Return the scores of one list by canonical measure name; `columns` is the same as for
    `judged_list`."""
    ranks = judged_list(retrieved, expected, duplicates=duplicates, columns=columns)
    return {str(m): float(m.score(ranks)[0]) for m in parse_measures(measures)}


def mean_scores(
    lists: Iterable[tuple[Retrieved, Expected]],
    measures: GivenMeasure | Iterable[GivenMeasure],
    *,
    duplicates: Duplicates = "first",
    without_relevant: WithoutRelevant = "zero",
) -> dict[str, float]:
    """Return the mean scores of several (retrieved, expected) pairs by canonical measure name.

    Lists with an undefined score are excluded. With `without_relevant` "leave out", lists without a
    relevant expected document are excluded too. A mean is NaN if all lists are excluded. Raises
    ParameterError if there are no lists.
    """
    parsed = parse_measures(measures)
    scored = []
    for retrieved, expected in lists:
        ranks = judged_list(retrieved, expected, duplicates=duplicates)
        list_scores = {
            str(m): score_run(ranks, m, without_relevant=without_relevant) for m in parsed
        }
        scored.append({name: float(values[0]) for name, values in list_scores.items()})
    if not scored:
        raise ParameterError(
            "There are no lists to score.",
            "Give pairs of retrieved and expected ids: [(['a', 'b'], {'a'})].",
        )
    return {str(m): _mean([s[str(m)] for s in scored]) for m in parsed}


def _mean(values: Sequence[float]) -> float:
    defined = [v for v in values if not math.isnan(v)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def _score(
    name: str,
    retrieved: Retrieved,
    expected: Expected,
    duplicates: Duplicates,
    columns: Columns | None = None,
    **values: Any,
) -> float:
    ranks = judged_list(retrieved, expected, duplicates=duplicates, columns=columns)
    return float(_find_declaration(name)(**values).score(ranks)[0])


@cache
def _find_declaration(name: str) -> Declaration:
    return next(d for d in declarations() if d.name == name)


def _gain_name(method: str) -> str:
    if method not in _GAINS:
        raise ParameterError(f"method must be 'standard' or 'industry', not {method!r}.")
    return _GAINS[method]


def precision(
    retrieved: Retrieved, expected: Expected, *, duplicates: Duplicates = "first"
) -> float:
    """Return the share of the whole list that is relevant."""
    return _score("SetP", retrieved, expected, duplicates)


def recall(retrieved: Retrieved, expected: Expected, *, duplicates: Duplicates = "first") -> float:
    """Return the share of the relevant documents that are anywhere in the list; 0 if there are
    none."""
    return _score("SetR", retrieved, expected, duplicates)


def precision_at_k(
    retrieved: Retrieved,
    expected: Expected,
    k: int,
    *,
    denominator: ListShare = "k",
    duplicates: Duplicates = "first",
) -> float:
    """Return the share of the first k that are relevant. If `denominator` is "retrieved" and the
    list is shorter than k, the number of relevant documents is divided by the length of the list
    instead."""
    return _score("P", retrieved, expected, duplicates, cutoff=k, denominator=denominator)


def recall_at_k(
    retrieved: Retrieved, expected: Expected, k: int, *, duplicates: Duplicates = "first"
) -> float:
    """Return the share of the relevant documents that are among the first k; 0 if there are
    none."""
    return _score("R", retrieved, expected, duplicates, cutoff=k)


def ndcg_at_k(
    retrieved: Retrieved,
    expected: Expected,
    k: Depth = None,
    *,
    method: Method = "standard",
    discount: Discount = "log2",
    duplicates: Duplicates = "first",
) -> float:
    """Return nDCG; the ideal order is the best order of all expected documents. The gain is the
    grade ("standard") or 2^grade - 1 ("industry"), divided by log2(rank + 1) ("log2") or
    log2(max(rank, 2)) ("max2")."""
    values: dict[str, Any] = {"cutoff": k, "dcg": _gain_name(method), "discount": discount}
    return _score("nDCG", retrieved, expected, duplicates, **values)


def dcg_at_k(
    retrieved: Retrieved,
    expected: Expected,
    k: Depth = None,
    *,
    method: Method = "standard",
    discount: Discount = "log2",
    denominator: Averaged = "none",
    duplicates: Duplicates = "first",
) -> float:
    """Return DCG, not divided by the ideal; gain and discount are the same as for `ndcg_at_k`. If
    `denominator` is "retrieved", DCG is divided by the number of results that count, which is at
    most k."""
    values: dict[str, Any] = {"cutoff": k, "dcg": _gain_name(method), "discount": discount}
    return _score("DCG", retrieved, expected, duplicates, denominator=denominator, **values)


def cg_at_k(
    retrieved: Retrieved,
    expected: Expected,
    k: Depth = None,
    *,
    method: Method = "standard",
    duplicates: Duplicates = "first",
) -> float:
    """Return the sum of the gains of the first k; the gain is the same as for `ndcg_at_k`."""
    return _score("CG", retrieved, expected, duplicates, cutoff=k, dcg=_gain_name(method))


def average_precision(
    retrieved: Retrieved,
    expected: Expected,
    k: Depth = None,
    *,
    denominator: FoundShare = "relevant",
    duplicates: Duplicates = "first",
) -> float:
    """Return average precision. `denominator` is the divisor of the sum of precisions: "relevant"
    (all relevant documents), "retrieved" (the relevant documents retrieved), "min" (the smaller of
    k and all relevant documents) or "k" (the length of the list if k is None)."""
    return _score("AP", retrieved, expected, duplicates, cutoff=k, denominator=denominator)


def reciprocal_rank(
    retrieved: Retrieved, expected: Expected, k: Depth = None, *, duplicates: Duplicates = "first"
) -> float:
    """Return 1 divided by the rank of the first relevant document; 0 if there is none."""
    return _score("RR", retrieved, expected, duplicates, cutoff=k)


def arhr(
    retrieved: Retrieved, expected: Expected, k: Depth = None, *, duplicates: Duplicates = "first"
) -> float:
    """Return the average reciprocal hit rank: 1 divided by the rank, averaged over all relevant
    documents."""
    return _score("ARHR", retrieved, expected, duplicates, cutoff=k)


def auc(
    retrieved: Retrieved, expected: Expected, k: Depth = None, *, duplicates: Duplicates = "first"
) -> float:
    """Return the share of pairs of a relevant document and another listed document in which the
    relevant one is ranked higher; NaN if there is no such pair."""
    return _score("Accuracy", retrieved, expected, duplicates, cutoff=k)


def money_precision_at_k(
    retrieved: Retrieved,
    expected: Expected,
    prices: ByDocument,
    k: int,
    *,
    duplicates: Duplicates = "first",
) -> float:
    """Return the share of the total price of the first k that comes from relevant documents; NaN if
    a result has no price. `prices` is a mapping from id to price, or a list aligned with
    `retrieved`."""
    columns = {"price": prices}
    return _score("MoneyP", retrieved, expected, duplicates, columns, cutoff=k)


def money_recall_at_k(
    retrieved: Retrieved,
    expected: Expected,
    prices: ByDocument,
    k: int,
    *,
    expected_prices: Iterable[float] | None = None,
    duplicates: Duplicates = "first",
) -> float:
    """Return the share of the total price of all relevant documents that is among the first k; NaN
    if one of them has no price. `prices` is a mapping from id to price, or a list aligned with
    `retrieved`. If it is a list, `expected_prices` has the prices of documents that are not
    retrieved, and is aligned with `expected`."""
    document_prices = prices_by_document(retrieved, expected, prices, expected_prices)
    return _score("MoneyR", retrieved, expected, duplicates, {"price": document_prices}, cutoff=k)


def hit_rate(
    retrieved: Retrieved, expected: Expected, k: Depth = None, *, duplicates: Duplicates = "first"
) -> float:
    """Return 1 if a relevant document is among the first k (anywhere without k), otherwise 0."""
    cutoff = _ANYWHERE if k is None else k
    return _score("Success", retrieved, expected, duplicates, cutoff=cutoff)


def success_at_k(
    retrieved: Retrieved, expected: Expected, k: int, *, duplicates: Duplicates = "first"
) -> float:
    """Return 1 if a relevant document is among the first k, otherwise 0."""
    return _score("Success", retrieved, expected, duplicates, cutoff=k)


def r_precision(
    retrieved: Retrieved, expected: Expected, *, duplicates: Duplicates = "first"
) -> float:
    """Return the precision of the first R results; R is the number of relevant documents."""
    return _score("Rprec", retrieved, expected, duplicates)


def set_f(retrieved: Retrieved, expected: Expected, *, duplicates: Duplicates = "first") -> float:
    """Return the harmonic mean of the precision and the recall of the whole list."""
    return _score("SetF", retrieved, expected, duplicates)
