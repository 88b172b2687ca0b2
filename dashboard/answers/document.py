"""One document of one query: where every run has it, its grade, its text and all its fields."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from dashboard.study.study import Study
from metrics_core.explaining.one_query import grade_in, grades_of
from metrics_core.judging.ranking import ranked_documents


@dataclass(frozen=True)
class DocumentCard:
    """What is known of a document on a query. `grade` is NaN where nobody judged it, `standings`
    holds a row for each loaded run: run, rank and score (NaN: not listed), listed (how many the run
    lists), known (whether that can be told: a run that came as judged ranks knows the judged ones
    alone, and no score); `fields` are the columns of the documents beside title and text."""

    doc_id: str
    title: str
    text: str
    grade: float
    standings: pd.DataFrame
    fields: dict[str, str] = field(default_factory=dict)


def document(study: Study, query_id: str, doc_id: str) -> DocumentCard | None:
    """The card of a document; None where neither a run, the judgments nor the documents know it."""
    return study.kept(_document, query_id, doc_id)


def _document(study: Study, query_id: str, doc_id: str) -> DocumentCard | None:
    grades = grades_of(study.qrels, query_id)
    rows = [
        (*_standing(study, name, query_id, doc_id), study.runs[name].complete or doc_id in grades)
        for name in study.names
    ]
    grade = grade_in(grades, doc_id)
    told = _told(study, doc_id)
    standings = pd.DataFrame(rows, columns=["run", "rank", "score", "listed", "known"])
    if not told and pd.isna(grade) and standings["rank"].isna().all():
        return None
    title, text = told.pop("title", ""), told.pop("text", "")
    return DocumentCard(doc_id, title.strip(), text.strip(), grade, standings, told)


def _standing(study: Study, name: str, query_id: str, doc_id: str) -> tuple[str, float, float, int]:
    listed = ranked_documents(study.runs[name], query_id)
    own = listed[listed["doc_id"] == doc_id]
    if own.empty:
        return name, float("nan"), float("nan"), len(listed)
    return (
        name,
        float(own["rank"].iloc[0]),
        float(own["score"].iloc[0]),
        int(listed["rank"].iloc[-1]),
    )


def _told(study: Study, doc_id: str) -> dict[str, str]:
    """Every field of the document that is not empty, as text."""
    if study.documents is None:
        return {}
    found = study.documents.lookup([doc_id])
    if found.empty:
        return {}
    row = found.iloc[0]
    return {str(c): str(row[c]) for c in found.columns if pd.notna(row[c]) and str(row[c]).strip()}
