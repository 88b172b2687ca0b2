"""A plain Python list made into judged ranks, for any measure."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal

from metrics_core.errors import ParameterError
from metrics_core.judging import JudgedRanks, single_query
from metrics_core.judging.documents import listed_alone

Retrieved = Sequence[Hashable]
Expected = Collection[Hashable] | Mapping[Hashable, float]
Duplicates = Literal["first", "each", "error"]
Columns = Mapping[str, Mapping[Hashable, Any]]


def judged_list(
    retrieved: Retrieved,
    expected: Expected,
    *,
    duplicates: Duplicates = "first",
    columns: Columns | None = None,
) -> JudgedRanks:
    """One list as JudgedRanks of a single query, for any measure.

    Measures of the documents themselves need `columns`: for each column the value of each document
    that has one, such as {"price": {"a": 10, "b": 20}}.
    """
    grades = expected if isinstance(expected, Mapping) else dict.fromkeys(expected, 1.0)
    listed = _listed(retrieved, duplicates)
    places = [(rank, d) for rank, d in enumerate(listed, 1) if d in grades]
    graded = [(rank, grades[d]) for rank, d in places]
    if columns is None:
        return single_query(graded, grades.values(), len(listed))
    judged = sorted(grades, key=lambda d: -grades[d])
    row = {d: i for i, d in enumerate(judged)}
    known = (d for values in columns.values() for d in values)
    text = {d: f"{i}" for i, d in enumerate(dict.fromkeys([*listed, *judged, *known]))}
    return single_query(
        graded,
        grades.values(),
        len(listed),
        rows=[row[d] for _, d in places],
        documents=listed_alone(
            [text[d] for d in listed],
            [text[d] for d in judged],
            {n: {text[d]: v for d, v in values.items()} for n, values in columns.items()},
        ),
    )


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
