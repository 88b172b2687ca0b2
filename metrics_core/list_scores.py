"""Score plain Python lists on any measure. `lists` has a function for each common measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache, wraps
from numbers import Number
from typing import Any, TypeVar, cast

from metrics_core.base.errors import ParameterError
from metrics_core.base.wording import shorten_value
from metrics_core.judging.one_list import Columns, Duplicates, Expected, Retrieved, judged_list
from metrics_core.measures import (
    ByMeasure,
    Declaration,
    GivenMeasure,
    declarations,
    parse_measures_by_name,
)
from metrics_core.scoring.scores import WithoutRelevant, score_run

_GAINS = {"standard": "log2", "industry": "exp-log2"}
Function = TypeVar("Function", bound=Callable[..., Any])


def require_expected(function: Function) -> Function:
    """Wrap a function so that it raises an error if `expected` is missing. The error recommends
    `graded_list` for a list of grades."""

    @wraps(function)
    def checked_function(*values: Any, **options: Any) -> Any:
        expected = options.get("expected", values[1] if len(values) > 1 else None)
        if expected is None or isinstance(expected, Number):
            raise ParameterError(
                f"{function.__name__} needs the retrieved and the expected ids.",
                f"For a list of grades, write {function.__name__}(*graded_list([0, 0, 1]), …).",
            )
        return function(*values, **options)

    return cast(Function, checked_function)


@require_expected
def score_list(
    retrieved: Retrieved,
    expected: Expected,
    measures: GivenMeasure | Iterable[GivenMeasure],
    *,
    duplicates: Duplicates = "first",
    columns: Columns | None = None,
) -> dict[str, float]:
    """Return the scores of one list, as a dictionary from each measure's name, as it was written,
    to the score.

    `retrieved` is the ranked list, best first; `expected` are the relevant ids, or grades by id.
    `measures` are names such as "nDCG@10". `columns` is the same as for `judged_list`. `duplicates`
    is explained in `lists`.

    >>> score_list(["a", "b", "c"], {"a", "c"}, ["P@2", "MRR"])
    {'P@2': 0.5, 'MRR': 1.0}"""
    ranks = judged_list(retrieved, expected, duplicates=duplicates, columns=columns)
    named = parse_measures_by_name(measures)
    return ByMeasure({name: float(m.score(ranks)[0]) for name, m in named.items()})


def mean_scores(
    lists: Iterable[tuple[Retrieved, Expected]],
    measures: GivenMeasure | Iterable[GivenMeasure],
    *,
    duplicates: Duplicates = "first",
    without_relevant: WithoutRelevant = "zero",
) -> dict[str, float]:
    """Return the mean scores of several (retrieved, expected) pairs, as a dictionary. The keys are
    the measures' names as they were written; a mean can also be looked up by any other name of
    its measure.

    `lists` are pairs of a ranked list and the relevant ids, or grades by id. `measures` are names
    such as "nDCG@10". `duplicates` is explained in `lists`. Lists with an undefined score are
    excluded. With `without_relevant` "leave out", lists without a relevant expected document are
    excluded too. A mean is NaN if all lists are excluded. Raises ParameterError if there is no
    list.

    >>> mean_scores([(["a", "b"], {"b"}), (["c"], {"c"})], "MAP")
    {'MAP': 0.75}"""
    named = parse_measures_by_name(measures)
    scored = []
    for pair in lists:
        ranks = judged_list(*_read_pair(pair), duplicates=duplicates)
        scored.append(
            {
                name: float(score_run(ranks, m, without_relevant=without_relevant)[0])
                for name, m in named.items()
            }
        )
    if not scored:
        raise ParameterError(
            "There are no lists to score.",
            "Give pairs of retrieved and expected ids: [(['a', 'b'], {'a'})].",
        )
    return ByMeasure({name: _mean_of_scores([s[name] for s in scored]) for name in named})


def _read_pair(pair: Any) -> tuple[Retrieved, Expected]:
    """Return the pair of retrieved and expected ids. Raises ParameterError if `pair` is not a
    pair."""
    with suppress(TypeError, ValueError):
        retrieved, expected = pair
        if not isinstance(expected, Number):
            return retrieved, expected
    raise ParameterError(
        f"{shorten_value(pair)} is not a pair of retrieved and expected ids.",
        "For lists of grades, write mean_scores([graded_list(grades) for grades in lists], …).",
    )


def _mean_of_scores(values: Sequence[float]) -> float:
    defined = [v for v in values if not math.isnan(v)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def score_one_list(
    name: str,
    retrieved: Retrieved,
    expected: Expected,
    duplicates: Duplicates,
    columns: Columns | None = None,
    **values: Any,
) -> float:
    """Return the score of one list on the measure `name`. Additional keyword arguments are
    parameter values of the measure."""
    ranks = judged_list(retrieved, expected, duplicates=duplicates, columns=columns)
    return float(_find_declaration(name)(**values).score(ranks)[0])


@cache
def _find_declaration(name: str) -> Declaration:
    return next(d for d in declarations() if d.name == name)


def gain_name(method: str) -> str:
    """Return the gain function that `method` names. Raises ParameterError for an unknown method."""
    if method not in _GAINS:
        raise ParameterError(f"method must be 'standard' or 'industry', not {method!r}.")
    return _GAINS[method]
