"""The Query page: one query, and the causes of its scores."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.grading import grade_adverbs
from dashboard.answers.ledger import QueryLedger, query_ledger
from dashboard.answers.queries import QueryListRequest, query_ids_of_list
from dashboard.study.numbers import NumberedIds
from dashboard.study.study import Study
from metrics_core.explaining.diagnosis import Diagnosis, diagnose, diagnose_unjudged_query
from metrics_core.findings.explanations import explain
from metrics_core.findings.list_changes import explain_list_changes
from metrics_core.findings.sentence import Sentence, muted_span


@dataclass(frozen=True)
class QueryPosition:
    """The position of a query in the list from which its page was opened. `position` counts from 0
    and is None if the query is not in the list. `listed` is the number of queries in the list. The
    other fields are the neighbours of the query in the list."""

    query_id: str
    previous: str | None
    following: str | None
    position: int | None
    listed: int


@dataclass(frozen=True)
class QueryPage:
    """The content of the Query page. `documents` has title and text, indexed by doc_id; `lists` has
    the lists for the download: run, rank, doc_id, score, grade, title. The fields from `previous`
    on are described in `QueryPosition`."""

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


def find_query_position(
    study: Study, comparison: Comparison, query_id: str, request: QueryListRequest
) -> QueryPosition:
    """Return the position of a query in the list that `request` describes. If `query_id` is empty,
    return the position of the first query in the list."""
    query_ids = study.cached_answer(query_ids_of_list, comparison, request)
    query_id = query_id or next(iter(query_ids), study.query_ids[0])
    position = query_ids.index(query_id) if query_id in query_ids else None
    following = query_ids[position + 1 :][:1] if position is not None else []
    return QueryPosition(
        query_id,
        previous=query_ids[position - 1] if position else None,
        following=following[0] if following else None,
        position=position,
        listed=len(query_ids),
    )


def query_page(
    study: Study, comparison: Comparison, query_id: str, request: QueryListRequest, n_rows: int = 0
) -> QueryPage:
    """Return the content of the Query page. If `query_id` is empty, the page shows the first query
    of the list. `request` describes the list from which the page was opened. The first `n_rows`
    rows of each run are shown, or the first k rows if the cutoff k is larger."""
    query_place = find_query_position(study, comparison, query_id, request)
    page = study.cached_answer(
        _query_page, comparison, query_place.query_id, max(n_rows, comparison.cutoff)
    )
    return replace(
        page,
        previous=query_place.previous,
        following=query_place.following,
        position=query_place.position,
        listed=query_place.listed,
    )


def _query_page(study: Study, comparison: Comparison, query_id: str, n_rows: int) -> QueryPage:
    """Return the Query page without the query's position in a list."""
    is_given, adverbs = study.is_given(comparison.measure), grade_adverbs(study)
    comparison = study.with_computed_measure(comparison)
    diagnosis = _diagnosis(study, comparison, query_id)
    ledger = None if study.is_unjudged else query_ledger(study, comparison, query_id)
    ledger_ids = ledger.steps["doc_id"] if ledger else pd.Series(dtype=object)
    documents = _page_documents(study, diagnosis, ledger_ids, n_rows)
    page = QueryPage(
        diagnosis=diagnosis,
        text=study.texts[query_id],
        metadata=query_metadata(study, query_id),
        explanation=explain_list_changes(diagnosis)
        if study.is_unjudged
        else muted_span(f"On {comparison.name}: " * is_given) + explain(diagnosis, adverbs),
        documents=documents,
        lists=_make_download_table(diagnosis, documents, n_rows),
        ledger=ledger,
    )
    numbers = study.document_numbers
    return page if numbers is None else _replace_ids_by_numbers(page, numbers)


def _replace_ids_by_numbers(page: QueryPage, numbers: NumberedIds) -> QueryPage:
    """Return the page with numbers in place of document ids. The documents at the top of the lists
    are numbered first."""
    original, ledger = page.diagnosis, page.ledger

    def replace_ids(frame: pd.DataFrame) -> pd.DataFrame:
        ids = [numbers[doc_id] if isinstance(doc_id, str) else doc_id for doc_id in frame["doc_id"]]
        return frame.assign(doc_id=pd.Series(ids, index=frame.index, dtype=object))

    def replace_ids_of_bars(steps: pd.DataFrame) -> pd.DataFrame:
        # A bar for several documents has words instead of an id.
        single = steps["documents"] == 1
        return pd.concat([replace_ids(steps[single]), steps[~single]]).sort_index()

    lists = replace_ids(page.lists)
    diagnosis = replace(
        original,
        rankings={run: replace_ids(rows) for run, rows in original.rankings.items()},
        grades={numbers[doc_id]: grade for doc_id, grade in original.grades.items()},
        effects={numbers[doc_id]: effect for doc_id, effect in original.effects.items()},
        missed=replace_ids(original.missed),
    )
    if ledger is not None:
        ledger = replace(
            ledger, documents=replace_ids(ledger.documents), steps=replace_ids_of_bars(ledger.steps)
        )
    return replace(page, diagnosis=diagnosis, lists=lists, ledger=ledger)


def _diagnosis(study: Study, comparison: Comparison, query_id: str) -> Diagnosis:
    runs, pair = [study.runs[name] for name in comparison.runs], comparison
    if study.is_unjudged:
        return diagnose_unjudged_query(runs, query_id, pair.baseline, pair.focus, pair.cutoff)
    diagnosis = diagnose(
        runs,
        [study.judged[name] for name in comparison.runs],
        study.qrels,
        query_id,
        comparison.measure,
        baseline=comparison.baseline,
        focus=comparison.focus,
        cutoff=comparison.cutoff,
    )
    if not study.settings.complete:
        return diagnosis
    rankings = {run: rows.fillna({"grade": 0.0}) for run, rows in diagnosis.rankings.items()}
    return replace(diagnosis, rankings=rankings)


def _page_documents(
    study: Study, diagnosis: Diagnosis, further_ids: pd.Series, n_rows: int
) -> pd.DataFrame:
    tops = [frame["doc_id"].head(n_rows) for frame in diagnosis.rankings.values()]
    return document_texts(study, pd.concat([*tops, diagnosis.missed["doc_id"], further_ids]))


def document_texts(study: Study, doc_ids: pd.Series) -> pd.DataFrame:
    """Return the title and text of these documents, indexed by doc_id. Unknown documents are
    missing."""
    if study.documents is None:
        return pd.DataFrame(columns=["title", "text"])
    return study.documents.lookup(doc_ids)


def query_metadata(study: Study, query_id: str) -> dict[str, str]:
    if study.queries is None:
        return {}
    rows = study.queries.frame[study.queries.frame["query_id"] == query_id]
    if rows.empty:
        return {}
    row = rows.iloc[0]
    return {c: str(row[c]) for c in study.queries.columns if pd.notna(row[c]) and row[c] != ""}


def _make_download_table(
    diagnosis: Diagnosis, documents: pd.DataFrame, n_rows: int
) -> pd.DataFrame:
    """Return the lists of all runs in one frame, one list after another. Each list ends at the rank
    `n_rows`."""
    tops = {name: frame[frame["rank"] <= n_rows] for name, frame in diagnosis.rankings.items()}
    parts = [frame.assign(run=name) for name, frame in tops.items()]
    lists = pd.concat(parts, ignore_index=True)[["run", "rank", "doc_id", "score", "grade"]]
    titles = documents["title"].to_dict()
    return lists.assign(title=lists["doc_id"].map(titles))
