"""One query: why did this one fail?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.grading import named_grades
from dashboard.answers.ledger import QueryLedger, query_ledger
from dashboard.answers.queries import QueryListRequest, listed_ids
from dashboard.study.numbers import Numbers
from dashboard.study.study import Study
from metrics_core.explaining.diagnosis import Diagnosis, diagnose
from metrics_core.findings.explanations import explain
from metrics_core.findings.sentence import Sentence


@dataclass(frozen=True)
class QueryPage:
    """What the Query page shows; `position` counts from 0 in the list the reader came from."""

    diagnosis: Diagnosis
    text: str
    metadata: dict[str, str]
    explanation: Sentence
    documents: pd.DataFrame
    lists: pd.DataFrame
    ledger: QueryLedger | None
    previous: str | None = None
    following: str | None = None
    position: int | None = None
    listed: int = 0


def query(
    study: Study, shown: Comparison, query_id: str, asked: QueryListRequest, rows: int = 0
) -> QueryPage:
    """The Query page; of the first query in the list where none is named. `asked` is the list the
    reader came from; `rows` of each run's list are shown, where that is more than k."""
    listed = study.kept(listed_ids, shown, asked)
    query_id = query_id or next(iter(listed), study.query_ids[0])
    place = listed.index(query_id) if query_id in listed else None
    return replace(
        study.kept(_alone, shown, query_id, max(rows, shown.cutoff)),
        previous=listed[place - 1] if place else None,
        following=listed[place + 1] if place is not None and place + 1 < len(listed) else None,
        position=place,
        listed=len(listed),
    )


def _alone(study: Study, shown: Comparison, query_id: str, rows: int) -> QueryPage:
    """The page without its place in a list."""
    found = _diagnosis(study, shown, query_id)
    ledger = query_ledger(study, shown, query_id)
    told = ledger.steps["doc_id"] if ledger else pd.Series(dtype=object)
    documents = _documents_of(study, found, told, rows)
    page = QueryPage(
        diagnosis=found,
        text=study.texts[query_id],
        metadata=_metadata(study, query_id),
        explanation=explain(found, named_grades(study)),
        documents=documents,
        lists=_lists(found, documents, rows),
        ledger=ledger,
    )
    numbers = study.document_numbers
    return page if numbers is None else _numbered(page, numbers)


def _numbered(page: QueryPage, numbers: Numbers) -> QueryPage:
    """The page with documents by number, those on top of the lists first."""
    found, ledger = page.diagnosis, page.ledger

    def numbered(frame: pd.DataFrame) -> pd.DataFrame:
        ids = [numbers[each] if isinstance(each, str) else each for each in frame["doc_id"]]
        return frame.assign(doc_id=pd.Series(ids, index=frame.index, dtype=object))

    def bars(steps: pd.DataFrame) -> pd.DataFrame:
        # A bar of no single document has words in place of an id.
        single = steps["documents"] == 1
        return pd.concat([numbered(steps[single]), steps[~single]]).sort_index()

    lists = numbered(page.lists)
    diagnosis = replace(
        found,
        rankings={run: numbered(rows) for run, rows in found.rankings.items()},
        grades={numbers[doc_id]: grade for doc_id, grade in found.grades.items()},
        effects={numbers[doc_id]: effect for doc_id, effect in found.effects.items()},
        missed=numbered(found.missed),
    )
    if ledger is not None:
        ledger = replace(ledger, whole=numbered(ledger.whole), steps=bars(ledger.steps))
    return replace(page, diagnosis=diagnosis, lists=lists, ledger=ledger)


def _diagnosis(study: Study, shown: Comparison, query_id: str) -> Diagnosis:
    found = diagnose(
        [study.runs[name] for name in shown.runs],
        [study.judged[name] for name in shown.runs],
        study.qrels,
        query_id,
        shown.measure,
        baseline=shown.baseline,
        focus=shown.focus,
        cutoff=shown.cutoff,
    )
    if not study.settings.complete:
        return found
    told = {run: rows.fillna({"grade": 0.0}) for run, rows in found.rankings.items()}
    return replace(found, rankings=told)


def _documents_of(study: Study, found: Diagnosis, further: pd.Series, rows: int) -> pd.DataFrame:
    tops = [frame["doc_id"].head(rows) for frame in found.rankings.values()]
    return documents_of(study, pd.concat([*tops, found.missed["doc_id"], further]))


def documents_of(study: Study, doc_ids: pd.Series) -> pd.DataFrame:
    """Titles and texts of these documents, as far as they are known, indexed by doc_id."""
    if study.documents is None:
        return pd.DataFrame(columns=["title", "text"])
    return study.documents.lookup(doc_ids)


def _metadata(study: Study, query_id: str) -> dict[str, str]:
    if study.queries is None:
        return {}
    rows = study.queries.frame[study.queries.frame["query_id"] == query_id]
    if rows.empty:
        return {}
    row = rows.iloc[0]
    return {c: str(row[c]) for c in study.queries.columns if pd.notna(row[c]) and row[c] != ""}


def _lists(found: Diagnosis, documents: pd.DataFrame, rows: int) -> pd.DataFrame:
    """Every shown list so far, one below the other, as it is downloaded."""
    tops = {name: frame[frame["rank"] <= rows] for name, frame in found.rankings.items()}
    parts = [frame.assign(run=name) for name, frame in tops.items()]
    lists = pd.concat(parts, ignore_index=True)[["run", "rank", "doc_id", "score", "grade"]]
    titles = documents["title"].to_dict()
    return lists.assign(title=lists["doc_id"].map(titles))
