"""Select the ranks and the judgments of a single query."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from metrics_core.judging import JudgedRanks
from metrics_core.tables import Qrels


def select_query(ranks: JudgedRanks, query_id: str) -> JudgedRanks:
    """Return the judged ranks of this query only. If the query is not judged, the result contains
    no query."""
    queries = np.zeros(len(ranks.query_ids), dtype=np.bool_)
    if query_id in ranks.query_ids:
        queries[ranks.query_ids.index(query_id)] = True
    return ranks.select_queries(queries)


def find_grade(grades: Mapping[str, float], doc_id: str) -> float:
    """Return the grade of a document. `grades` are the grades of its query.

    The result is NaN if the document is unjudged or its grade is negative."""
    grade = grades.get(doc_id, -1.0)
    return grade if grade >= 0 else float("nan")


def find_judged_rows(qrels: Qrels, query_id: str) -> dict[str, int]:
    """Return a dictionary from each document in the judgments of the query to its row in the
    qrels."""
    query_ids = qrels.query_ids
    if query_id not in query_ids:
        return {}
    rows = np.flatnonzero(qrels.query_codes == query_ids.index(query_id))
    return dict(zip(qrels.doc_ids.take(rows).to_pylist(), rows.tolist(), strict=True))


def find_grades(qrels: Qrels, query_id: str) -> dict[str, float]:
    """Return a dictionary from each document in the judgments of the query to its grade."""
    grades = qrels.relevance
    return {doc_id: float(grades[row]) for doc_id, row in find_judged_rows(qrels, query_id).items()}
