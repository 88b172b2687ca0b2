"""The same measures for plain Python lists, in whatever convention a notebook used.

    >>> precision_at_k(["a", "b", "c"], {"a", "c"}, 2)
    0.5
    >>> cg_at_k(*graded_list([0.99, 0.94, 0.88]), 2)
    1.93

`expected` is a collection of relevant ids, or a mapping from id to grade. The numbers come from
the same kernels as everywhere else. `duplicates` says what a document counts that stands in
`retrieved` more than once: its first place only ("first"), every place ("each", so that a share may
pass 1), or nothing, because it is refused ("error", a ParameterError).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal

from metrics_core.errors import ParameterError
from metrics_core.judging import JudgedRanks, single_query
from metrics_core.measures import Measure, declarations, parse_measure
from metrics_core.measures.gain import Discount
from metrics_core.measures.precision_recall import FoundShare, ListShare

Retrieved = Sequence[Hashable]
Expected = Collection[Hashable] | Mapping[Hashable, float]
Duplicates = Literal["first", "each", "error"]
Method = Literal["standard", "industry"]

_DECLARED = {d.name: d for d in declarations()}
_GAINS = {"standard": "log2", "industry": "exp-log2"}


def judged_list(
    retrieved: Retrieved, expected: Expected, *, duplicates: Duplicates = "first"
) -> JudgedRanks:
    """One list as JudgedRanks of a single query, for any measure."""
    grades = expected if isinstance(expected, Mapping) else dict.fromkeys(expected, 1.0)
    listed = _listed(retrieved, duplicates)
    places = ((rank, grades[d]) for rank, d in enumerate(listed, 1) if d in grades)
    return single_query(places, grades.values(), len(listed))


def _listed(retrieved: Retrieved, duplicates: Duplicates) -> Retrieved:
    """The list as it counts."""
    if duplicates == "each":
        return retrieved
    if duplicates not in ("first", "error"):
        raise ParameterError(f"duplicates is 'first', 'each' or 'error', not {duplicates!r}.")
    distinct = list(dict.fromkeys(retrieved))
    if duplicates == "error" and len(distinct) < len(retrieved):
        seen: set[Hashable] = set()
        twice = next(d for d in retrieved if d in seen or seen.add(d))  # type: ignore[func-returns-value]
        raise ParameterError(
            f"The list holds {twice!r} a second time.",
            "Leave it out, or say duplicates='first' or 'each'.",
        )
    return distinct


def graded_list(
    grades: Iterable[float],
    *,
    scores: Iterable[float] | None = None,
    relevant: int | None = None,
) -> tuple[list[int], dict[int, float]]:
    """A ranking given by its grades alone, as `retrieved` and `expected` of the functions here:
    `ndcg_at_k(*graded_list([3, 0, 2]), 2)`. The best order is that of the same grades.

    With `scores` the grades are ranked by them, highest first; equal ones keep their order.
    `relevant` is the number of relevant documents there are, where that is more than the list has.
    """
    own = dict(enumerate(grades))
    retrieved = list(own)
    if scores is not None:
        by = list(scores)
        retrieved.sort(key=lambda i: -by[i])
    found = sum(grade >= 1 for grade in own.values())
    if relevant is not None and relevant < found:
        raise ParameterError(f"{found} documents of the list are relevant, more than {relevant}.")
    missing = range(len(own), len(own) + (relevant or found) - found)
    return retrieved, own | dict.fromkeys(missing, 1.0)


def score_list(
    retrieved: Retrieved,
    expected: Expected,
    measures: Iterable[str | Measure],
    *,
    duplicates: Duplicates = "first",
) -> dict[str, float]:
    """Scores of one list, by the canonical name of each measure."""
    ranks = judged_list(retrieved, expected, duplicates=duplicates)
    parsed = [parse_measure(m) for m in measures]
    return {str(m): float(m.score(ranks)[0]) for m in parsed}


def mean_scores(
    lists: Iterable[tuple[Retrieved, Expected]],
    measures: Iterable[str | Measure],
    *,
    duplicates: Duplicates = "first",
) -> dict[str, float]:
    """Mean scores of several lists, each with what was expected, by the canonical name of each
    measure. A list for which a measure is not defined is left out; NaN if that is every one."""
    parsed = [parse_measure(m) for m in measures]
    scored = [score_list(*pair, parsed, duplicates=duplicates) for pair in lists]
    return {str(m): _mean([s[str(m)] for s in scored]) for m in parsed}


def _mean(values: Sequence[float]) -> float:
    defined = [v for v in values if not math.isnan(v)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def _score(
    name: str, retrieved: Retrieved, expected: Expected, duplicates: Duplicates, **values: Any
) -> float:
    ranks = judged_list(retrieved, expected, duplicates=duplicates)
    return float(_DECLARED[name](**values).score(ranks)[0])


def _gain_of(method: str) -> str:
    if method not in _GAINS:
        raise ParameterError(f"method is 'standard' or 'industry', not {method!r}.")
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
    k: int | None = None,
    *,
    method: Method = "standard",
    discount: Discount = "log2",
    duplicates: Duplicates = "first",
) -> float:
    """nDCG; the best order is that of all expected. Gain is the grade ("standard") or
    2^grade - 1 ("industry"), divided by log2(rank + 1) ("log2") or log2(max(rank, 2)) ("max2")."""
    values = {"cutoff": k, "dcg": _gain_of(method), "discount": discount}
    return _score("nDCG", retrieved, expected, duplicates, **values)


def dcg_at_k(
    retrieved: Retrieved,
    expected: Expected,
    k: int | None = None,
    *,
    method: Method = "standard",
    discount: Discount = "log2",
    duplicates: Duplicates = "first",
) -> float:
    """DCG, not divided by the best order's; gain and discount as in `ndcg_at_k`."""
    values = {"cutoff": k, "dcg": _gain_of(method), "discount": discount}
    return _score("DCG", retrieved, expected, duplicates, **values)


def cg_at_k(
    retrieved: Retrieved,
    expected: Expected,
    k: int | None = None,
    *,
    method: Method = "standard",
    duplicates: Duplicates = "first",
) -> float:
    """The sum of the gains of the first k; gain as in `ndcg_at_k`."""
    return _score("CG", retrieved, expected, duplicates, cutoff=k, dcg=_gain_of(method))


def average_precision(
    retrieved: Retrieved,
    expected: Expected,
    k: int | None = None,
    *,
    denominator: FoundShare = "relevant",
    duplicates: Duplicates = "first",
) -> float:
    """Average precision, divided by all relevant documents, by those "retrieved", or by k where
    that is less ("min")."""
    return _score("AP", retrieved, expected, duplicates, cutoff=k, denominator=denominator)


def reciprocal_rank(
    retrieved: Retrieved,
    expected: Expected,
    k: int | None = None,
    *,
    duplicates: Duplicates = "first",
) -> float:
    """1 divided by the rank of the first relevant document; 0 if there is none."""
    return _score("RR", retrieved, expected, duplicates, cutoff=k)


def arhr(
    retrieved: Retrieved,
    expected: Expected,
    k: int | None = None,
    *,
    duplicates: Duplicates = "first",
) -> float:
    """Average reciprocal hit rank: 1 divided by the rank, averaged over all relevant documents."""
    return _score("ARHR", retrieved, expected, duplicates, cutoff=k)


def auc(
    retrieved: Retrieved,
    expected: Expected,
    k: int | None = None,
    *,
    duplicates: Duplicates = "first",
) -> float:
    """How often a relevant document stands above another, of all such pairs in the list; NaN if
    there are none."""
    return _score("AUC", retrieved, expected, duplicates, cutoff=k)


def hit_rate(
    retrieved: Retrieved,
    expected: Expected,
    k: int | None = None,
    *,
    duplicates: Duplicates = "first",
) -> float:
    """1 if a relevant document stands among the first k (anywhere without k), otherwise 0."""
    cutoff = max(len(retrieved), 1) if k is None else k
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
