"""Create judged ranks from a plain Python list, which can be scored with any measure."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from numbers import Number
from typing import Any, Literal

import numpy as np

from metrics_core.base.errors import ParameterError
from metrics_core.base.wording import shorten_value
from metrics_core.judging.documents import ListedDocuments, plain_list_documents
from metrics_core.judging.judged import JudgedRanks
from metrics_core.tables.columns import WRITE_TEXTS, to_id_text
from metrics_core.tables.finite_numbers import to_finite_number

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
    """Return one list as JudgedRanks with a single query. Any measure can score them.

    Ids may be in a list, a numpy array or a pandas Series (its values, not its index); see
    `read_document_ids`. `columns` is needed for measures of document columns. It maps each column
    to its values by document, such as {"price": {"a": 10, "b": 20}}, or to a list aligned with
    `retrieved`. Raises ParameterError for other containers, an invalid id, a grade that is not a
    finite number, and, if `duplicates` is "error", a duplicate document."""
    ids = read_document_ids(retrieved, "retrieved", must_be_ordered=True)
    grades = expected_grades(expected)
    listed = _remove_duplicates(ids, duplicates)
    places = [(rank, d) for rank, d in enumerate(listed, 1) if d in grades]
    graded = [(rank, grades[d]) for rank, d in places]
    if columns is None:
        return build_single_query(graded, grades.values(), len(listed))
    values_of = {name: values_by_document(values, ids, name) for name, values in columns.items()}
    judged = sorted(grades, key=lambda d: -grades[d])
    row = {d: i for i, d in enumerate(judged)}
    column_ids = (d for values in values_of.values() for d in values)
    text = {d: f"{i}" for i, d in enumerate(dict.fromkeys([*listed, *judged, *column_ids]))}
    return build_single_query(
        graded,
        grades.values(),
        len(listed),
        rows=[row[d] for _, d in places],
        documents=plain_list_documents(
            [text[d] for d in listed],
            [text[d] for d in judged],
            {n: {text[d]: v for d, v in values.items()} for n, values in values_of.items()},
        ),
    )


def build_single_query(
    ranks_and_grades: Iterable[tuple[int, float]],
    grades: Iterable[float],
    n_listed: int,
    *,
    rows: Iterable[int] | None = None,
    documents: ListedDocuments | None = None,
) -> JudgedRanks:
    """Return the ranks of one query without a run. `ranks_and_grades` are pairs of the rank and the
    grade of each retrieved judged document, in ascending order of rank. `grades` has the grades of
    all judged documents, and `n_listed` is the number of listed documents. If `documents` is given,
    `rows` has, for each pair, the index of its document among the judged documents."""
    graded_hits = list(ranks_and_grades)
    best_grades = sorted(grades, reverse=True)
    return JudgedRanks(
        run_name="list",
        query_ids=("list",),
        query=np.zeros(len(graded_hits), dtype=np.int64),
        rank=np.array([rank for rank, _ in graded_hits], dtype=np.int64),
        relevance=np.array([grade for _, grade in graded_hits], dtype=np.float64),
        qrels_row=np.array(list(rows or [0] * len(graded_hits)), dtype=np.int64),
        retrieved=np.array([n_listed], dtype=np.int64),
        judged_query=np.zeros(len(best_grades), dtype=np.int64),
        judged_relevance=np.array(best_grades, dtype=np.float64),
        top_grade=float(max(best_grades, default=0)),
        listed=documents,
    )


def expected_grades(expected: Expected) -> Mapping[Hashable, float]:
    """Return a dictionary from each expected document to its grade. If `expected` has no grades,
    every grade is 1.

    Raises ParameterError for a grade that is not a finite number, and for a document with two
    grades."""
    if not isinstance(expected, Mapping):
        return dict.fromkeys(read_document_ids(expected, "expected"), 1.0)
    grades: dict[Hashable, float] = {}
    for doc, grade in zip(read_document_ids(expected, "expected"), expected.values(), strict=True):
        _set_unique_value(grades, doc, _require_finite(grade, "grade", doc), "expected")
    return grades


def read_document_ids(
    values: Iterable[Any], argument_name: str, *, must_be_ordered: bool = False
) -> list[Hashable]:
    """Return the document ids in a list, an array or a Series.

    A string is used as the id. A whole number is converted to a string of its digits: 1 and "1" are
    the same document, as in runs and judgments. Other hashable values, such as a pair, are
    unchanged. Raises ParameterError in the same cases as `to_plain_list`, and for fractions,
    booleans, bytes and missing values."""
    listed = to_plain_list(values, argument_name, must_be_ordered=must_be_ordered)
    if all(type(value) is str for value in listed):
        return listed
    return [_read_document_id(value, argument_name) for value in listed]


def _read_document_id(value: Any, argument_name: str) -> Hashable:
    text = to_id_text(value)
    if text is not None:
        return text
    odd = not isinstance(value, Hashable) or isinstance(value, (Number, bytes, np.generic))
    # Values not equal to themselves are missing: NaN, NaT, pandas' NA.
    if odd or value is None or (value == value) is not True:
        raise ParameterError(
            f"{argument_name} contains {shorten_value(value)}; an id must be text or a whole"
            " number.",
            WRITE_TEXTS,
        )
    return value


def _require_finite(value: Any, argument_name: str, doc: Hashable) -> float:
    number = to_finite_number(value)
    if number is None:
        raise ParameterError(
            f"The {argument_name} of document {shorten_value(doc)} is {shorten_value(value)}, not a"
            " finite number.",
            "Give one finite number, or remove the document.",
        )
    return number


def _set_unique_value(
    values: dict[Hashable, Any], doc: Hashable, value: Any, argument_name: str
) -> None:
    if values.setdefault(doc, value) != value:
        raise ParameterError(
            f"{argument_name} has two values for {doc!r}: {values[doc]!r} and {value!r}."
        )


def to_plain_list(
    values: Iterable[Any], argument_name: str, *, must_be_ordered: bool = False
) -> list[Any]:
    """Convert a list, an array or a Series to a plain list.

    Raises ParameterError for a string and, if `must_be_ordered` is true, for a collection without
    an order."""
    if isinstance(values, (str, bytes)):
        raise ParameterError(
            f"{argument_name} is a string, not a list: {values!r}.", f"Write [{values!r}]."
        )
    if must_be_ordered and isinstance(values, (Set, Mapping)):
        kind = type(values).__name__
        raise ParameterError(
            f"{argument_name} is a {kind}, which has no order.", "Give a list, with the best first."
        )
    to_list = getattr(values, "tolist", None)
    return list(to_list() if to_list is not None else values)


def values_by_document(
    values: ByDocument, ids: Iterable[Hashable], argument_name: str
) -> dict[Hashable, Any]:
    """Return the values as a dictionary from document to value. `values` is such a mapping, or a
    list aligned with `ids`. Values are strings, finite numbers, or None. Raises ParameterError for
    any other value, for lists of different lengths, and for a document with two different
    values."""
    if isinstance(values, Mapping):
        docs, column_values = read_document_ids(values, argument_name), list(values.values())
    else:
        docs, column_values = list(ids), to_plain_list(values, argument_name, must_be_ordered=True)
    if len(column_values) != len(docs):
        raise ParameterError(
            f"{argument_name} has {len(column_values)} values for {len(docs)} documents.",
            "Give one value per id, or a mapping from id to value.",
        )
    is_numeric = any(value is not None and not isinstance(value, str) for value in column_values)
    values_by_id: dict[Hashable, Any] = {}
    for doc, value in zip(docs, column_values, strict=True):
        is_number = value is not None and is_numeric
        _set_unique_value(
            values_by_id,
            doc,
            _require_finite(value, f"value in {argument_name}", doc) if is_number else value,
            argument_name,
        )
    return values_by_id


def prices_by_document(
    retrieved: Retrieved,
    expected: Expected,
    prices: ByDocument,
    expected_prices: Iterable[float] | None = None,
) -> dict[Hashable, float]:
    """Return the price of each document. `prices` and `expected_prices` are mappings, or lists
    aligned with `retrieved` and `expected`. Raises ParameterError if `prices` is a list,
    `expected_prices` is None, and a relevant document of `expected` has no price."""
    listed_prices = values_by_document(
        prices, read_document_ids(retrieved, "retrieved", must_be_ordered=True), "prices"
    )
    if expected_prices is not None:
        expected_ids = read_document_ids(expected, "expected", must_be_ordered=True)
        more_prices = values_by_document(expected_prices, expected_ids, "expected_prices")
        prices_together = [*listed_prices.values(), *more_prices.values()]
        return values_by_document(
            prices_together, [*listed_prices, *more_prices], "prices and expected_prices"
        )
    without_price = [
        d for d, grade in expected_grades(expected).items() if grade >= 1 and d not in listed_prices
    ]
    if without_price and not isinstance(prices, Mapping):
        raise ParameterError(
            f"`prices` has no price for the expected document {without_price[0]!r}.",
            "Give expected_prices along with expected, or prices as a mapping from id to price.",
        )
    return listed_prices


def _remove_duplicates(retrieved: list[Hashable], duplicates: Duplicates) -> list[Hashable]:
    """Return the list with duplicate documents treated as `duplicates` specifies."""
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
    """Convert a ranking that consists only of grades to the arguments `retrieved` and `expected` of
    measure functions: `ndcg_at_k(*graded_list([3, 0, 2]), 2)`. The ideal ranking has the same
    grades in the best order.

    If `scores` are given, the documents are ranked by score, highest first; ties keep their order.
    `relevant` is the total number of relevant documents, including those that are not in the list.
    Raises ParameterError if the list contains more relevant documents than this."""
    grade_by_id = {i: _require_finite(grade, "grade", i) for i, grade in enumerate(grades)}
    retrieved = list(grade_by_id)
    if scores is not None:
        sort_scores = [_require_finite(score, "score", i) for i, score in enumerate(scores)]
        retrieved.sort(key=lambda i: -sort_scores[i])
    n_relevant = sum(grade >= 1 for grade in grade_by_id.values())
    if relevant is not None and relevant < n_relevant:
        raise ParameterError(
            f"The list has {n_relevant} relevant documents, but relevant={relevant} allows no more"
            f" than {relevant}."
        )
    missing = range(len(grade_by_id), len(grade_by_id) + (relevant or n_relevant) - n_relevant)
    return retrieved, grade_by_id | dict.fromkeys(missing, 1.0)
