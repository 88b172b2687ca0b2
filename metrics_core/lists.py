"""The same measures for plain Python lists, in whatever convention a notebook used.

    >>> precision_at_k(["a", "b", "c"], {"a", "c"}, 2)
    0.5
    >>> cg_at_k(*graded_list([0.99, 0.94, 0.88]), 2)
    1.93

`expected` is a collection of relevant ids, or a mapping from id to grade. Ids may stand in a list,
a numpy array or a pandas Series. 1 and "1" are one id, as in runs and judgments; a float, a truth
value and what is missing are none. The numbers come from the same kernels as everywhere else.
`duplicates` says what a document counts that stands in `retrieved` more than once: its first place
only ("first"), every place ("each": a share may pass 1), or nothing ("error": a ParameterError).
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
"""How many results count, from the top; None for the whole list."""

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
    """Scores of one list, by the canonical name of each measure; `columns` as in `judged_list`."""
    ranks = judged_list(retrieved, expected, duplicates=duplicates, columns=columns)
    return {str(m): float(m.score(ranks)[0]) for m in parse_measures(measures)}


def mean_scores(
    lists: Iterable[tuple[Retrieved, Expected]],
    measures: GivenMeasure | Iterable[GivenMeasure],
    *,
    duplicates: Duplicates = "first",
    without_relevant: WithoutRelevant = "zero",
) -> dict[str, float]:
    """Mean scores of several lists, each with what was expected, by the canonical name of each
    measure. A list for which a measure is not defined is left out, and with "leave out" one for
    which nothing relevant is expected; NaN if that is every one. Raises ParameterError where there
    is no list."""
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
    """Share of the whole list that is relevant."""
    return _score("SetP", retrieved, expected, duplicates)


def recall(retrieved: Retrieved, expected: Expected, *, duplicates: Duplicates = "first") -> float:
    """Share of the relevant documents that stand anywhere in the list; 0 if there are none."""
    return _score("SetR", retrieved, expected, duplicates)


def precision_at_k(
    retrieved: Retrieved,
    expected: Expected,
    k: int,
    *,
    denominator: ListShare = "k",
    duplicates: Duplicates = "first",
) -> float:
    """Share of the first k that are relevant; divided by k, or by what was "retrieved" where that
    is less."""
    return _score("P", retrieved, expected, duplicates, cutoff=k, denominator=denominator)


def recall_at_k(
    retrieved: Retrieved, expected: Expected, k: int, *, duplicates: Duplicates = "first"
) -> float:
    """Share of the relevant documents that stand among the first k; 0 if there are none."""
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
    """nDCG; the best order is that of all expected. Gain is the grade ("standard") or
    2^grade - 1 ("industry"), divided by log2(rank + 1) ("log2") or log2(max(rank, 2)) ("max2")."""
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
    """DCG, not divided by the best order's; gain and discount as in `ndcg_at_k`. Divided by what
    was "retrieved", k or fewer, it is an average."""
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
    """The sum of the gains of the first k; gain as in `ndcg_at_k`."""
    return _score("CG", retrieved, expected, duplicates, cutoff=k, dcg=_gain_name(method))


def average_precision(
    retrieved: Retrieved,
    expected: Expected,
    k: Depth = None,
    *,
    denominator: FoundShare = "relevant",
    duplicates: Duplicates = "first",
) -> float:
    """Average precision, divided by all relevant documents, by those "retrieved", by k where that
    is less ("min"), or always by "k"; without k that is the length of the list."""
    return _score("AP", retrieved, expected, duplicates, cutoff=k, denominator=denominator)


def reciprocal_rank(
    retrieved: Retrieved, expected: Expected, k: Depth = None, *, duplicates: Duplicates = "first"
) -> float:
    """1 divided by the rank of the first relevant document; 0 if there is none."""
    return _score("RR", retrieved, expected, duplicates, cutoff=k)


def arhr(
    retrieved: Retrieved, expected: Expected, k: Depth = None, *, duplicates: Duplicates = "first"
) -> float:
    """Average reciprocal hit rank: 1 divided by the rank, averaged over all relevant documents."""
    return _score("ARHR", retrieved, expected, duplicates, cutoff=k)


def auc(
    retrieved: Retrieved, expected: Expected, k: Depth = None, *, duplicates: Duplicates = "first"
) -> float:
    """How often a relevant document stands above another, of all such pairs in the list; NaN if
    there are none."""
    return _score("Accuracy", retrieved, expected, duplicates, cutoff=k)


def money_precision_at_k(
    retrieved: Retrieved,
    expected: Expected,
    prices: ByDocument,
    k: int,
    *,
    duplicates: Duplicates = "first",
) -> float:
    """The relevant share of what the first k are worth; NaN where one of them has no price. The
    prices are a mapping from id to price, or a list beside `retrieved`."""
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
    """The share of what all relevant documents are worth that stands among the first k; NaN where
    one of them has no price. The prices are a mapping from id to price, or a list beside
    `retrieved`; then `expected_prices` stand beside `expected` for what is not retrieved."""
    document_prices = prices_by_document(retrieved, expected, prices, expected_prices)
    return _score("MoneyR", retrieved, expected, duplicates, {"price": document_prices}, cutoff=k)


def hit_rate(
    retrieved: Retrieved, expected: Expected, k: Depth = None, *, duplicates: Duplicates = "first"
) -> float:
    """1 if a relevant document stands among the first k (anywhere without k), otherwise 0."""
    cutoff = _ANYWHERE if k is None else k
    return _score("Success", retrieved, expected, duplicates, cutoff=cutoff)


def success_at_k(
    retrieved: Retrieved, expected: Expected, k: int, *, duplicates: Duplicates = "first"
) -> float:
    """1 if a relevant document stands among the first k, otherwise 0."""
    return _score("Success", retrieved, expected, duplicates, cutoff=k)


def r_precision(
    retrieved: Retrieved, expected: Expected, *, duplicates: Duplicates = "first"
) -> float:
    """Precision at as many results as there are relevant documents."""
    return _score("Rprec", retrieved, expected, duplicates)


def set_f(retrieved: Retrieved, expected: Expected, *, duplicates: Duplicates = "first") -> float:
    """Harmonic mean of the precision and the recall of the whole list."""
    return _score("SetF", retrieved, expected, duplicates)
