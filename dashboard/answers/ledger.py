"""The scores of one query in detail: the contribution of each document to the difference, the
headroom, and the kind of failure."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa

from dashboard.address.view import Comparison
from dashboard.study.study import Study
from metrics_core.explaining.headroom import Headroom, has_headroom, headroom
from metrics_core.explaining.ledger import DifferenceLedger, difference_ledger, has_ledger
from metrics_core.explaining.one_query import select_query
from metrics_core.explaining.query_kinds import classify_queries

_MOST_STEPS = 12
"""Maximum number of bars in a ledger. The documents that contribute least share one bar."""
_NOTHING = 1e-12


@dataclass(frozen=True)
class QueryLedger:
    """Explanation of a query's two scores by the documents that contribute to them.

    documents every document that contributes to one of the scores: doc_id, grade, rank,
              baseline_rank (NaN if not listed), part (its contribution to the difference)
    steps     one row per bar: the columns of `documents`, and the column documents (number of
              documents that the bar represents). Only documents that contribute to the
              difference are included; contributions with the sign of the difference come first
    by        how the contributions were computed: "terms", "shapley" or "order"; "" if there
              are none
    scores    the score of the baseline and the score of the run in focus
    headroom  the headroom of the run in focus; None if the measure does not depend on the order
              of documents
    kind      the kind of failure, a name of `KINDS`"""

    documents: pd.DataFrame
    steps: pd.DataFrame
    by: str
    scores: tuple[float, float]
    headroom: Headroom | None
    kind: str


_COLUMNS = ("doc_id", "grade", "rank", "baseline_rank", "part")


def query_ledger(study: Study, comparison: Comparison, query_id: str) -> QueryLedger | None:
    """Return the ledger of a query. Returns None if the query is not judged."""
    if query_id not in study.query_ids:
        return None
    focus_ranks, baseline_ranks = (
        select_query(study.judged[name], query_id) for name in comparison.pair
    )
    measure, cutoff = comparison.measure, comparison.cutoff
    if comparison.is_single_run:
        # For a single run the score itself is decomposed: compare with an empty list.
        baseline_ranks = baseline_ranks.without_documents()
    ledger = (
        difference_ledger(focus_ranks, baseline_ranks, measure) if has_ledger(measure) else None
    )
    documents = _ledger_documents(study, ledger)
    if ledger is not None:
        before, after = float(ledger.baseline_score[0]), float(ledger.score[0])
        empty, by = float(ledger.empty[0]), str(ledger.by[0])
    else:
        before, after = (float(measure.score(ranks)[0]) for ranks in (baseline_ranks, focus_ranks))
        empty, by = 0.0, ""
    query_headroom = headroom(focus_ranks, measure, cutoff) if has_headroom(measure) else None
    return QueryLedger(
        documents=documents,
        steps=_ledger_steps(documents, empty, after - before),
        by=by,
        scores=(before, after),
        headroom=query_headroom,
        kind=str(classify_queries(focus_ranks, measure, cutoff, known_headroom=query_headroom)[0]),
    )


def _ledger_documents(study: Study, ledger: DifferenceLedger | None) -> pd.DataFrame:
    if ledger is None:
        return pd.DataFrame(columns=list(_COLUMNS))
    doc_ids = study.qrels.doc_ids.take(pa.array(ledger.qrels_row)).to_pylist()
    columns = (doc_ids, ledger.grade, ledger.rank, ledger.baseline_rank, ledger.part)
    return pd.DataFrame(dict(zip(_COLUMNS, columns, strict=True)))


def _ledger_steps(documents: pd.DataFrame, empty_list_score: float, total: float) -> pd.DataFrame:
    """Return the bars of a ledger. Contributions with the sign of the difference come first, in
    descending order of size. The last bar represents the score of a list without any relevant
    document; it is omitted if this score is 0."""
    parts = documents[documents["part"].abs() > _NOTHING].assign(documents=1)
    if len(parts) > _MOST_STEPS:
        size = parts["part"].abs().rank(ascending=False, method="first")
        rest = parts[size >= _MOST_STEPS]
        words = f"{len(rest)} other documents"
        rest_bar = _make_summary_bar(words, math.fsum(rest["part"]), len(rest))
        parts = pd.concat([parts[size < _MOST_STEPS], rest_bar], ignore_index=True)
    parts = parts.sort_values("part", ascending=total < 0, kind="stable", ignore_index=True)
    if abs(empty_list_score) > _NOTHING:
        without = _make_summary_bar("without any relevant document", empty_list_score, 0)
        parts = pd.concat([parts, without], ignore_index=True)
    return parts


def _make_summary_bar(label: str, contribution: float, n_documents: int) -> pd.DataFrame:
    """Return a bar that represents several documents or none. `label` takes the place of a document
    id."""
    row = {"doc_id": label, "grade": math.nan, "rank": math.nan, "baseline_rank": math.nan}
    return pd.DataFrame([{**row, "part": contribution, "documents": n_documents}])
