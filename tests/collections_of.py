"""Small random collections for property tests, and plain dictionaries as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from metrics_core.tables import Documents, Qrels, Run

Scores = Mapping[str, Mapping[str, float]]
Grades = Mapping[str, Mapping[str, int]]


def run_of(scores: Scores, name: str = "run") -> Run:
    """A run from query_id -> doc_id -> score."""
    rows = [(q, d, s) for q, docs in scores.items() for d, s in docs.items()]
    return Run.from_columns(name, *(list(c) for c in zip(*rows, strict=True)))


class Graded(int):
    """A document's grade that knows the grades by subtopic of which it is the highest."""

    subtopics: dict[str, int]


def graded(subtopics: dict[str, int]) -> Graded:
    """The highest of these grades."""
    grade = Graded(max(subtopics.values()))
    grade.subtopics = subtopics
    return grade


def rows_of(grades: Grades) -> list[tuple[str, str, int, str | None]]:
    """Rows of query_id, doc_id, grade, subtopic; None where there are no subtopics."""
    rows: list[tuple[str, str, int, str | None]] = []
    for query_id, docs in grades.items():
        for doc_id, grade in docs.items():
            if isinstance(grade, Graded):
                rows += [(query_id, doc_id, g, name) for name, g in grade.subtopics.items()]
            else:
                rows.append((query_id, doc_id, grade, None))
    return rows


def qrels_of(grades: Grades) -> Qrels:
    """Qrels from query_id -> doc_id -> grade."""
    return qrels_from(rows_of(grades))


def qrels_from(rows: list[tuple[str, str, int, str | None]]) -> Qrels:
    """Qrels from the rows of `rows_of`."""
    *columns, subtopic = (list(c) for c in zip(*rows, strict=True))
    return Qrels.from_columns(*columns, None if subtopic[0] is None else subtopic)


# Few scores make ties; all of them are exact in single precision, so that pytrec_eval (float32)
# and Ranklens (float64) see the same ties.
_SCORES = st.sampled_from([-3.0, -1.5, 0.0, 0.5, 1.0, 2.0, 7.25])
_DOCS = [f"d{i}" for i in range(24)]
_QUERIES = ["q1", "q2", "q03", "q4"]


def documents_of(rows: Mapping[str, Mapping[str, Any]]) -> Documents:
    """Documents from doc_id -> column -> value; None where a document has none."""
    columns = dict.fromkeys(name for row in rows.values() for name in row)
    values = {name: [row.get(name) for row in rows.values()] for name in columns}
    return Documents.from_columns({"doc_id": list(rows), **values})


# A document for each that may be listed, and one that never is; sums of prices are exact.
PRODUCTS: dict[str, dict[str, Any]] = {
    doc: {"price": (i % 5 + 1) / 4, "popularity": 2.0 ** -(i % 4), "category": "abc"[i % 3]}
    for i, doc in enumerate([*_DOCS, "never"])
}
DOCUMENTS = documents_of(PRODUCTS)


@st.composite
def products(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    """Rows of documents in which some documents, prices, popularities and categories are missing
    or 0."""
    some = draw(st.lists(st.sampled_from(_DOCS), min_size=12, unique=True))
    return {
        doc: {
            "price": draw(st.sampled_from([0.0, 1.0, 2.5, 10.0, 10.0, 4.0, None])),
            "popularity": draw(st.sampled_from([1.0, 0.5, 0.25, 0.1, 0.75, 0.01, 0.0, None])),
            "category": draw(st.sampled_from(["a", "b", "c", "d", "e", "f", None])),
        }
        for doc in some
    } or {"never": {"price": 1.0, "popularity": 1.0, "category": "a"}}


@st.composite
def _graded(draw: st.DrawFn, highest: int) -> Graded:
    names = draw(st.lists(st.sampled_from(["1", "2", "10"]), min_size=1, max_size=3, unique=True))
    others = st.integers(min(highest, 0), highest)
    return graded({name: draw(others) if i else highest for i, name in enumerate(names)})


@st.composite
def collections(
    draw: st.DrawFn, *, negative: bool = True, missing: bool = True, subtopics: bool = False
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """A run and qrels as dictionaries. Every judged query has a grade of at least 0, because
    pytrec_eval crashes on others; with `missing` some judged queries are not in the run, and some
    queries of the run are not judged; with `subtopics` every grade is a `Graded`."""
    lowest = -2 if negative else 0
    judged = draw(st.lists(st.sampled_from(_QUERIES), min_size=1, max_size=4, unique=True))
    qrels = {}
    for query_id in judged:
        docs = draw(st.lists(st.sampled_from(_DOCS), min_size=1, max_size=12, unique=True))
        grades = draw(st.lists(st.integers(lowest, 4), min_size=len(docs), max_size=len(docs)))
        grades[0] = max(grades[0], 0)
        qrels[query_id] = dict(zip(docs, grades, strict=True))
        if subtopics:
            qrels[query_id] = {d: draw(_graded(g)) for d, g in qrels[query_id].items()}
    if missing:
        extra = draw(st.lists(st.sampled_from([*_QUERIES, "q9"]), max_size=5, unique=True))
        listed = list(dict.fromkeys([judged[0], *extra]))
    else:
        listed = judged
    run = {}
    for query_id in listed:
        docs = draw(st.lists(st.sampled_from(_DOCS), min_size=1, max_size=20, unique=True))
        scores = draw(st.lists(_SCORES, min_size=len(docs), max_size=len(docs)))
        run[query_id] = dict(zip(docs, scores, strict=True))
    return run, qrels
