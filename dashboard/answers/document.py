"""One document of one query: its rank in every run, its grade, its text and its fields."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.explaining.one_query import find_grade, find_grades
from metrics_core.judging.ranking import ranked_documents


@dataclass(frozen=True)
class DocumentCard:
    """Everything known about a document for a query. `grade` is NaN if the document is unjudged.
    `standings` has one row per loaded run: run, rank and score (NaN if not listed), listed (length
    of the run's list), known (bool: whether the rank can be known). A run loaded as judged ranks
    has no scores, and the rank of an unjudged document in it cannot be known. `fields` are the
    columns of the documents other than title and text."""

    doc_id: str
    title: str
    text: str
    grade: float
    standings: pd.DataFrame
    fields: dict[str, str] = field(default_factory=dict)


@cache_answer
def find_document_card(study: Study, query_id: str, doc_id: str) -> DocumentCard | None:
    """Return the card of a document. Returns None if no run, judgment or document file contains the
    document."""
    grades = find_grades(study.qrels, query_id)
    rows = [
        (
            *_find_rank_and_score(study, name, query_id, doc_id),
            study.runs[name].complete or doc_id in grades,
        )
        for name in study.names
    ]
    grade = find_grade(grades, doc_id)
    fields = _document_fields(study, doc_id)
    standings = pd.DataFrame(rows, columns=["run", "rank", "score", "listed", "known"])
    if not fields and pd.isna(grade) and standings["rank"].isna().all():
        return None
    title, text = fields.pop("title", ""), fields.pop("text", "")
    return DocumentCard(doc_id, title.strip(), text.strip(), grade, standings, fields)


def _find_rank_and_score(
    study: Study, name: str, query_id: str, doc_id: str
) -> tuple[str, float, float, int]:
    ranking = ranked_documents(study.runs[name], query_id)
    row = ranking[ranking["doc_id"] == doc_id]
    if row.empty:
        return name, float("nan"), float("nan"), len(ranking)
    return (
        name,
        float(row["rank"].iloc[0]),
        float(row["score"].iloc[0]),
        int(ranking["rank"].iloc[-1]),
    )


def _document_fields(study: Study, doc_id: str) -> dict[str, str]:
    """Return the non-empty fields of a document as text."""
    if study.documents is None:
        return {}
    rows = study.documents.lookup([doc_id])
    if rows.empty:
        return {}
    row = rows.iloc[0]
    return {str(c): str(row[c]) for c in rows.columns if pd.notna(row[c]) and str(row[c]).strip()}
