"""Measures as functions of plain Python lists. Parameters select among various conventions.

    >>> precision_at_k(["a", "b", "c"], {"a", "c"}, 2)
    0.5
    >>> cg_at_k(*graded_list([0.99, 0.94, 0.88]), 2)
    1.93

`expected` is a collection of relevant ids, or a mapping from id to grade. Ids may be in a
list, a numpy array or a pandas Series. 1 and "1" are the same id, like in runs and judgments;
floats, booleans and missing values are rejected. The scores come from the same kernels as
everywhere else.

`duplicates` decides how a repeated document in `retrieved` counts: only at its first position
("first"), or at every position ("each"; a share may then exceed 1). "error" raises an error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

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
from metrics_core.list_scores import (
    gain_name,
    mean_scores,
    require_expected,
    score_list,
    score_one_list,
)
from metrics_core.measures.gain import Averaged, Discount
from metrics_core.measures.precision_recall import FoundShare, ListShare

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


@require_expected
def precision(
    retrieved: Retrieved, expected: Expected, *, duplicates: Duplicates = "first"
) -> float:
    """Return the precision of the whole list: the share of the results that are relevant.

    `precision = relevant results / results`. `retrieved` is the ranked list, best first; `expected`
    are the relevant ids, or grades by id. `duplicates` is explained in `lists`.

    >>> precision(["a", "b", "c", "d"], {"a", "z"})
    0.25
    """
    return score_one_list("SetP", retrieved, expected, duplicates)


@require_expected
def recall(retrieved: Retrieved, expected: Expected, *, duplicates: Duplicates = "first") -> float:
    """Return the recall of the whole list: the share of the relevant documents that are in it.

    `recall = relevant results / relevant documents, 0 if there are none`. `retrieved` is the ranked
    list, best first; `expected` are the relevant ids, or grades by id. `duplicates` is explained in
    `lists`.

    >>> recall(["a", "b", "c"], {"a", "z"})
    0.5
    """
    return score_one_list("SetR", retrieved, expected, duplicates)


@require_expected
def precision_at_k(
    retrieved: Retrieved,
    expected: Expected,
    k: int,
    *,
    denominator: ListShare = "k",
    duplicates: Duplicates = "first",
) -> float:
    """Return precision at k: the share of the first k results that are relevant.

    `P@k = relevant results among the first k / k`. `retrieved` is the ranked list, best first;
    `expected` are the relevant ids, or grades by id. If `denominator` is "retrieved" and the list
    is shorter than k, the divisor is its length. `duplicates` is explained in `lists`.

    >>> precision_at_k(["a", "b", "c"], {"a", "c"}, 2)
    0.5
    >>> precision_at_k(["a"], {"a"}, 2, denominator="retrieved")
    1.0"""
    return score_one_list("P", retrieved, expected, duplicates, cutoff=k, denominator=denominator)


@require_expected
def recall_at_k(
    retrieved: Retrieved, expected: Expected, k: int, *, duplicates: Duplicates = "first"
) -> float:
    """Return recall at k: the share of the relevant documents that are among the first k.

    `R@k = relevant results among the first k / relevant documents, 0 if there are none`.
    `retrieved` is the ranked list, best first; `expected` are the relevant ids, or grades by id.
    `duplicates` is explained in `lists`.

    >>> recall_at_k(["a", "b", "c"], {"a", "c"}, 2)
    0.5
    """
    return score_one_list("R", retrieved, expected, duplicates, cutoff=k)


@require_expected
def ndcg_at_k(
    retrieved: Retrieved,
    expected: Expected,
    k: Depth = None,
    *,
    method: Method = "standard",
    discount: Discount = "log2",
    duplicates: Duplicates = "first",
) -> float:
    """Return nDCG, the normalised discounted cumulative gain.

    `nDCG@k = DCG@k / DCG@k of the expected documents in their best order`. `retrieved` is the
    ranked list, best first; `expected` are the relevant ids, or grades by id. Only the first `k`
    results count; if `k` is None, all count. `method` is the gain: the grade ("standard") or
    2^grade - 1 ("industry"). `discount` divides it by log2(rank + 1) ("log2") or log2(max(rank, 2))
    ("max2"). `duplicates` is explained in `lists`.

    >>> round(ndcg_at_k(["b", "a"], {"a": 3, "b": 1}, 2), 4)
    0.7967"""
    values: dict[str, Any] = {"cutoff": k, "dcg": gain_name(method), "discount": discount}
    return score_one_list("nDCG", retrieved, expected, duplicates, **values)


@require_expected
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
    """Return DCG, the discounted cumulative gain, not divided by the ideal.

    `DCG@k = sum over ranks i up to k of gain(i) / log2(i + 1)`. `retrieved` is the ranked list,
    best first; `expected` are the relevant ids, or grades by id. Only the first `k` results count;
    if `k` is None, all count. `method` and `discount` are the same as for `ndcg_at_k`. With
    `denominator` "retrieved" the sum is divided by the number of results that count. `duplicates`
    is explained in `lists`.

    >>> round(dcg_at_k(["b", "a"], {"a": 3, "b": 1}, 2), 4)
    2.8928"""
    values: dict[str, Any] = {"cutoff": k, "dcg": gain_name(method), "discount": discount}
    return score_one_list("DCG", retrieved, expected, duplicates, denominator=denominator, **values)


@require_expected
def cg_at_k(
    retrieved: Retrieved,
    expected: Expected,
    k: Depth = None,
    *,
    method: Method = "standard",
    duplicates: Duplicates = "first",
) -> float:
    """Return the cumulative gain: the sum of the gains of the first k.

    `CG@k = sum over ranks i up to k of gain(i)`. `retrieved` is the ranked list, best first;
    `expected` are the relevant ids, or grades by id. Only the first `k` results count; if `k` is
    None, all count. `method` is the same as for `ndcg_at_k`. `duplicates` is explained in `lists`.

    >>> cg_at_k(["b", "x", "a"], {"a": 3, "b": 1}, 2)
    1.0"""
    return score_one_list("CG", retrieved, expected, duplicates, cutoff=k, dcg=gain_name(method))


@require_expected
def average_precision(
    retrieved: Retrieved,
    expected: Expected,
    k: Depth = None,
    *,
    denominator: FoundShare = "relevant",
    duplicates: Duplicates = "first",
) -> float:
    """Return average precision; its mean over queries is MAP.

    `AP = sum of P@i over the ranks i of relevant results / relevant documents`. `retrieved` is the
    ranked list, best first; `expected` are the relevant ids, or grades by id. Only the first `k`
    results count; if `k` is None, all count. `denominator` says by which number the sum is
    divided: all relevant documents ("relevant"), the relevant documents in the list ("retrieved"),
    the smaller of k and all relevant documents ("min"), or always k ("k"; the length of the list
    if `k` is None). `duplicates` is explained in `lists`.

    >>> average_precision(["a", "b", "c"], {"a", "c"}) == (1 / 1 + 2 / 3) / 2
    True"""
    return score_one_list("AP", retrieved, expected, duplicates, cutoff=k, denominator=denominator)


@require_expected
def reciprocal_rank(
    retrieved: Retrieved, expected: Expected, k: Depth = None, *, duplicates: Duplicates = "first"
) -> float:
    """Return the reciprocal rank; its mean over queries is MRR.

    `RR = 1 / rank of the first relevant result, 0 if there is none`. `retrieved` is the ranked
    list, best first; `expected` are the relevant ids, or grades by id. Only the first `k` results
    count; if `k` is None, all count. `duplicates` is explained in `lists`.

    >>> reciprocal_rank(["x", "a", "b"], {"a", "b"})
    0.5"""
    return score_one_list("RR", retrieved, expected, duplicates, cutoff=k)


@require_expected
def arhr(
    retrieved: Retrieved, expected: Expected, k: Depth = None, *, duplicates: Duplicates = "first"
) -> float:
    """Return the average reciprocal hit rank, which counts every relevant result, not only the
    first.

    `ARHR = sum of 1 / rank over relevant results / relevant documents`. `retrieved` is the ranked
    list, best first; `expected` are the relevant ids, or grades by id. Only the first `k` results
    count; if `k` is None, all count. `duplicates` is explained in `lists`.

    >>> arhr(["a", "b", "x"], {"a", "b"})
    0.75"""
    return score_one_list("ARHR", retrieved, expected, duplicates, cutoff=k)


@require_expected
def auc(
    retrieved: Retrieved, expected: Expected, k: Depth = None, *, duplicates: Duplicates = "first"
) -> float:
    """Return the share of correctly ordered pairs among all pairs of a relevant and a
    non-relevant document in the list.

    `AUC = pairs with the relevant document ranked above the other / pairs, NaN if no pairs`.
    `retrieved` is the ranked list, best first; `expected` are the relevant ids, or grades by id.
    Only the first `k` results count; if `k` is None, all count. `duplicates` is explained in
    `lists`.

    >>> auc(["a", "x", "b"], {"a", "b"})
    0.5"""
    return score_one_list("Accuracy", retrieved, expected, duplicates, cutoff=k)


@require_expected
def money_precision_at_k(
    retrieved: Retrieved,
    expected: Expected,
    prices: ByDocument,
    k: int,
    *,
    duplicates: Duplicates = "first",
) -> float:
    """Return the share of the total price of the first k that comes from relevant documents.

    `price of the relevant results among the first k / price of the first k`. `retrieved` is the
    ranked list, best first; `expected` are the relevant ids, or grades by id. `prices` is a mapping
    from id to price, or a list aligned with `retrieved`; the result is NaN if one of the first k
    has no price. `duplicates` is explained in `lists`.

    >>> money_precision_at_k(["a", "b"], {"a"}, {"a": 30, "b": 10}, 2)
    0.75
    """
    columns = {"price": prices}
    return score_one_list("MoneyP", retrieved, expected, duplicates, columns, cutoff=k)


@require_expected
def money_recall_at_k(
    retrieved: Retrieved,
    expected: Expected,
    prices: ByDocument,
    k: int,
    *,
    expected_prices: Iterable[float] | None = None,
    duplicates: Duplicates = "first",
) -> float:
    """Return the share of the total price of all relevant documents that is among the first k.

    `price of the relevant results among the first k / price of all relevant documents`. `retrieved`
    is the ranked list, best first; `expected` are the relevant ids, or grades by id. `prices` is a
    mapping from id to price, or a list aligned with `retrieved`. In the latter case, the prices of
    documents that are not retrieved are in `expected_prices`, which is aligned with `expected`. The
    result is NaN if a relevant document has no price. `duplicates` is explained in `lists`.

    >>> money_recall_at_k(["a", "b"], {"a", "c"}, {"a": 30, "b": 10, "c": 30}, 2)
    0.5"""
    document_prices = prices_by_document(retrieved, expected, prices, expected_prices)
    return score_one_list(
        "MoneyR", retrieved, expected, duplicates, {"price": document_prices}, cutoff=k
    )


@require_expected
def hit_rate(
    retrieved: Retrieved, expected: Expected, k: Depth = None, *, duplicates: Duplicates = "first"
) -> float:
    """Return 1 if a relevant document is among the first k, otherwise 0; the mean over queries is
    the hit rate.

    `hit = 1 if R@k > 0, otherwise 0`. `retrieved` is the ranked list, best first; `expected` are
    the relevant ids, or grades by id. Only the first `k` results count; if `k` is None, all count.
    `duplicates` is explained in `lists`.

    >>> hit_rate(["x", "a"], {"a"}), hit_rate(["x", "a"], {"a"}, 1)
    (1.0, 0.0)"""
    cutoff = _ANYWHERE if k is None else k
    return score_one_list("Success", retrieved, expected, duplicates, cutoff=cutoff)


@require_expected
def success_at_k(
    retrieved: Retrieved, expected: Expected, k: int, *, duplicates: Duplicates = "first"
) -> float:
    """Return 1 if a relevant document is among the first k, otherwise 0. This is `hit_rate` with a
    required k.

    `success@k = 1 if R@k > 0, otherwise 0`. `retrieved` is the ranked list, best first; `expected`
    are the relevant ids, or grades by id. `duplicates` is explained in `lists`.

    >>> success_at_k(["x", "a"], {"a"}, 2)
    1.0"""
    return score_one_list("Success", retrieved, expected, duplicates, cutoff=k)


@require_expected
def r_precision(
    retrieved: Retrieved, expected: Expected, *, duplicates: Duplicates = "first"
) -> float:
    """Return R-precision: the precision of the first n results; n is the number of relevant
    documents.

    `R-precision = P@n, n = relevant documents`. `retrieved` is the ranked list, best first;
    `expected` are the relevant ids, or grades by id. `duplicates` is explained in `lists`.

    >>> r_precision(["a", "x", "b"], {"a", "b"})
    0.5"""
    return score_one_list("Rprec", retrieved, expected, duplicates)


@require_expected
def set_f(retrieved: Retrieved, expected: Expected, *, duplicates: Duplicates = "first") -> float:
    """Return F1: the harmonic mean of the precision and the recall of the whole list.

    `F = 2 * precision * recall / (precision + recall), 0 if both are 0`. `retrieved` is the ranked
    list, best first; `expected` are the relevant ids, or grades by id. `duplicates` is explained in
    `lists`.

    >>> set_f(["a", "b"], {"a", "c"})
    0.5
    """
    return score_one_list("SetF", retrieved, expected, duplicates)
