"""A plain Python list made into judged ranks, for any measure."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from numbers import Number
from typing import Any, Literal

import numpy as np

from metrics_core.base.errors import ParameterError
from metrics_core.base.wording import shown
from metrics_core.judging.documents import ListedDocuments, listed_alone
from metrics_core.judging.judged import JudgedRanks
from metrics_core.tables.columns import WRITE_TEXTS, id_text
from metrics_core.tables.given_numbers import finite_number

Retrieved = Iterable[Hashable]
Expected = Iterable[Hashable] | Mapping[Hashable, float]
Duplicates = Literal["first", "each", "error"]
ByDocument = Mapping[Hashable, Any] | Iterable[Any]
Columns = Mapping[str, ByDocument]


def judged_list(
    retrieved: Retrieved,
    expected: Expected,
    *,
    duplicates: Duplicates = "first",
    columns: Columns | None = None,
) -> JudgedRanks:
    """One list as JudgedRanks of a single query, for any measure. Ids may stand in a list, a numpy
    array or a pandas Series, of which the values count; see `documents_of`. Raises ParameterError
    where they stand in none of these, one is no id, a grade is no finite number, or a document
    stands twice and `duplicates` is "error".

    Measures of the documents themselves need `columns`: for each column the value of each document
    that has one, such as {"price": {"a": 10, "b": 20}}, or the values beside `retrieved`.
    """
    ids = documents_of(retrieved, "retrieved", ordered=True)
    grades = grades_of(expected)
    listed = _listed(ids, duplicates)
    places = [(rank, d) for rank, d in enumerate(listed, 1) if d in grades]
    graded = [(rank, grades[d]) for rank, d in places]
    if columns is None:
        return single_query(graded, grades.values(), len(listed))
    values_of = {name: by_document(values, ids, name) for name, values in columns.items()}
    judged = sorted(grades, key=lambda d: -grades[d])
    row = {d: i for i, d in enumerate(judged)}
    known = (d for values in values_of.values() for d in values)
    text = {d: f"{i}" for i, d in enumerate(dict.fromkeys([*listed, *judged, *known]))}
    return single_query(
        graded,
        grades.values(),
        len(listed),
        rows=[row[d] for _, d in places],
        documents=listed_alone(
            [text[d] for d in listed],
            [text[d] for d in judged],
            {n: {text[d]: v for d, v in values.items()} for n, values in values_of.items()},
        ),
    )


def single_query(
    places: Iterable[tuple[int, float]],
    grades: Iterable[float],
    listed: int,
    *,
    rows: Iterable[int] | None = None,
    documents: ListedDocuments | None = None,
) -> JudgedRanks:
    """One query's ranks without a run: (rank, grade) of its retrieved judged documents, ascending
    by rank, the grades of all its judged documents, and how many documents are listed. With the
    `documents` themselves, `rows` says which of the judged ones each of the places is."""
    found = list(places)
    known = sorted(grades, reverse=True)
    return JudgedRanks(
        run_name="list",
        query_ids=("list",),
        query=np.zeros(len(found), dtype=np.int64),
        rank=np.array([rank for rank, _ in found], dtype=np.int64),
        relevance=np.array([grade for _, grade in found], dtype=np.float64),
        qrels_row=np.array(list(rows or [0] * len(found)), dtype=np.int64),
        retrieved=np.array([listed], dtype=np.int64),
        judged_query=np.zeros(len(known), dtype=np.int64),
        judged_relevance=np.array(known, dtype=np.float64),
        top_grade=float(max(known, default=0)),
        listed=documents,
    )


def grades_of(expected: Expected) -> Mapping[Hashable, float]:
    """The grade of each expected document; 1 where none is said. Raises ParameterError for a grade
    that is no finite number, and where a document has two."""
    if not isinstance(expected, Mapping):
        return dict.fromkeys(documents_of(expected, "expected"), 1.0)
    found: dict[Hashable, float] = {}
    for doc, grade in zip(documents_of(expected, "expected"), expected.values(), strict=True):
        _put(found, doc, _finite(grade, "grade", doc), "expected")
    return found


def documents_of(values: Iterable[Any], what: str, *, ordered: bool = False) -> list[Hashable]:
    """The documents of a list, an array or a Series. A text is an id as it stands, and a whole
    number is its digits: 1 and "1" are one document, as in runs and judgments. What else Python can
    look up, such as a pair, is an id as it is. Raises ParameterError as `ids_of`, and for a number
    with a fraction, a truth value, bytes, and what is missing."""
    listed = ids_of(values, what, ordered=ordered)
    if all(type(value) is str for value in listed):
        return listed
    return [_document(value, what) for value in listed]


def _document(value: Any, what: str) -> Hashable:
    text = id_text(value)
    if text is not None:
        return text
    odd = not isinstance(value, Hashable) or isinstance(value, (Number, bytes, np.generic))
    # What is not equal to itself is missing: NaN, NaT, pandas' NA.
    if odd or value is None or (value == value) is not True:
        raise ParameterError(
            f"{what} contains {shown(value)}; an id must be text or a whole number.", WRITE_TEXTS
        )
    return value


def _finite(value: Any, what: str, doc: Hashable) -> float:
    number = finite_number(value)
    if number is None:
        raise ParameterError(
            f"The {what} of document {shown(doc)} is {shown(value)}, not a finite number.",
            "Give one finite number, or remove the document.",
        )
    return number


def _put(found: dict[Hashable, Any], doc: Hashable, value: Any, what: str) -> None:
    if found.setdefault(doc, value) != value:
        raise ParameterError(f"{what} has {found[doc]!r} and {value!r} for {doc!r}.")


def ids_of(values: Iterable[Any], what: str, *, ordered: bool = False) -> list[Any]:
    """A list, an array or a Series as a plain list. Raises ParameterError for a text, and for what
    has no order where that is needed."""
    if isinstance(values, (str, bytes)):
        raise ParameterError(f"{what} is a string, not a list: {values!r}.", f"Write [{values!r}].")
    if ordered and isinstance(values, (Set, Mapping)):
        kind = type(values).__name__
        raise ParameterError(f"{what} is a {kind}, which has no order.", "Give a list, best first.")
    plain = getattr(values, "tolist", None)
    return list(plain() if plain is not None else values)


def by_document(values: ByDocument, ids: Iterable[Hashable], what: str) -> dict[Hashable, Any]:
    """The value of each document: `values` as they are, or those beside `ids`; texts, or finite
    numbers, or None. Raises ParameterError for others, where there are more or fewer, or two for
    one document."""
    if isinstance(values, Mapping):
        docs, beside = documents_of(values, what), list(values.values())
    else:
        docs, beside = list(ids), ids_of(values, what, ordered=True)
    if len(beside) != len(docs):
        raise ParameterError(
            f"{what} has {len(beside)} values for {len(docs)} documents.",
            "Give one value per id, or a mapping from id to value.",
        )
    numbers = any(value is not None and not isinstance(value, str) for value in beside)
    found: dict[Hashable, Any] = {}
    for doc, value in zip(docs, beside, strict=True):
        known = value is not None and numbers
        _put(found, doc, _finite(value, f"value in {what}", doc) if known else value, what)
    return found


def all_prices(
    retrieved: Retrieved,
    expected: Expected,
    prices: ByDocument,
    expected_prices: Iterable[float] | None = None,
) -> dict[Hashable, float]:
    """The price of each document, from a mapping or from lists beside `retrieved` and `expected`.
    Raises ParameterError where a list leaves an expected document without one."""
    known = by_document(prices, documents_of(retrieved, "retrieved", ordered=True), "prices")
    if expected_prices is not None:
        wanted = documents_of(expected, "expected", ordered=True)
        more = by_document(expected_prices, wanted, "expected_prices")
        both = [*known.values(), *more.values()]
        return by_document(both, [*known, *more], "prices with expected_prices")
    lacking = [d for d, grade in grades_of(expected).items() if grade >= 1 and d not in known]
    if lacking and not isinstance(prices, Mapping):
        raise ParameterError(
            f"The prices of retrieved do not include the expected document {lacking[0]!r}.",
            "Give expected_prices along with expected, or prices as a mapping from id to price.",
        )
    return known


def _listed(retrieved: list[Hashable], duplicates: Duplicates) -> list[Hashable]:
    """The list as it counts."""
    if duplicates == "each":
        return retrieved
    if duplicates not in ("first", "error"):
        raise ParameterError(f"duplicates must be 'first', 'each' or 'error', not {duplicates!r}.")
    distinct = list(dict.fromkeys(retrieved))
    if duplicates == "error" and len(distinct) < len(retrieved):
        seen: set[Hashable] = set()
        twice = next(d for d in retrieved if d in seen or seen.add(d))  # type: ignore[func-returns-value]
        raise ParameterError(
            f"The list contains {twice!r} twice.",
            "Remove one of them, or pass duplicates='first' or 'each'.",
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
    own = {i: _finite(grade, "grade", i) for i, grade in enumerate(grades)}
    retrieved = list(own)
    if scores is not None:
        by = [_finite(score, "score", i) for i, score in enumerate(scores)]
        retrieved.sort(key=lambda i: -by[i])
    found = sum(grade >= 1 for grade in own.values())
    if relevant is not None and relevant < found:
        raise ParameterError(f"{found} documents of the list are relevant, more than {relevant}.")
    missing = range(len(own), len(own) + (relevant or found) - found)
    return retrieved, own | dict.fromkeys(missing, 1.0)
