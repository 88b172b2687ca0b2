"""A single query: its ranks and its judgments."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from metrics_core.judging import JudgedRanks
from metrics_core.tables import Qrels


def select_query(ranks: JudgedRanks, query_id: str) -> JudgedRanks:
    """Return the ranks of this query only. If the query is not judged, the result has no
    queries."""
    queries = np.zeros(len(ranks.query_ids), dtype=np.bool_)
    if query_id in ranks.query_ids:
        queries[ranks.query_ids.index(query_id)] = True
    return ranks.select_queries(queries)


def find_grade(grades: Mapping[str, float], doc_id: str) -> float:
    """Return a document's grade from the grades of its query; NaN if it is unjudged or negative."""
    grade = grades.get(doc_id, -1.0)
    return grade if grade >= 0 else float("nan")


def find_judged_rows(qrels: Qrels, query_id: str) -> dict[str, int]:
    """Return doc_id -> row in the qrels, for every document in the query's judgments."""
    query_ids = qrels.query_ids
    if query_id not in query_ids:
        return {}
    rows = np.flatnonzero(qrels.query_codes == query_ids.index(query_id))
    return dict(zip(qrels.doc_ids.take(rows).to_pylist(), rows.tolist(), strict=True))


def find_grades(qrels: Qrels, query_id: str) -> dict[str, float]:
    """Return doc_id -> grade of every document in the query's judgments."""
    grades = qrels.relevance
    return {doc_id: float(grades[row]) for doc_id, row in find_judged_rows(qrels, query_id).items()}
