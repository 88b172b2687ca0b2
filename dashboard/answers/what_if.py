"""What if: one query after a document is moved, removed or given another grade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.overview_measures import overview_measures
from dashboard.study.study import Study, all_scores
from metrics_core.explaining.improvements import Change, find_best_change, find_near_misses
from metrics_core.explaining.ledger import has_ledger
from metrics_core.explaining.one_query import find_grade, find_grades
from metrics_core.explaining.what_if import (
    Edit,
    Grade,
    edit_grades,
    edit_list,
    edit_ranks,
    replace_score_in_mean,
)
from metrics_core.judging import JudgedRanks
from metrics_core.judging.ranking import documents_by_rank, ranked_documents
from metrics_core.measures import Measure

_MOST_ROWS = 30
"""Maximum number of rows of the list that the user can edit."""
_ROW = ("doc_id", "rank", "was", "grade", "graded", "part", "short")
_FURTHER = 5
"""Maximum number of relevant documents that are offered from the ranks below k. The same limit
applies to relevant documents that are not in the list."""


@dataclass(frozen=True)
class WhatIf:
    """The list of the run in focus after the edits, and the effect of the edits on the scores.

    rows        the first k documents, then relevant documents below k, then documents that are not
                in the list. Columns: doc_id, rank (NaN if not listed), was (rank before the edits,
                NaN if not listed), grade (NaN if not judged), graded (whether an edit set the
                grade), part ("top", "below", "missing"), short (for a relevant document below k,
                the difference between its score in the run and the score at rank k; NaN for other
                documents, and for all documents once the list is edited)
    scores      one row per measure: measure, before, after, baseline_before, baseline_after (of
                this query), mean_before, mean_after, gap_before, gap_after (mean difference from
                the baseline over the `queries` in view; NaN if the query is not in view)
    best        the single change that raises the score of the unedited list most; None if no
                change raises the score, or if there are edits
    best_was    the rank of the document in `best` before the change, NaN if not listed
    list_length the number of documents in the run's list
    below       the rank down to which all rows are shown: k, but at most the number of rows that
                the user can edit
    lines       the grades that the edits set, each as a line of a judgment file"""

    edits: tuple[Edit, ...]
    rows: pd.DataFrame
    scores: pd.DataFrame
    queries: int
    best: Change | None
    best_was: float
    list_length: int
    below: int
    lines: list[str]


def apply_edits(
    study: Study, comparison: Comparison, query_id: str, edits: tuple[Edit, ...]
) -> WhatIf | None:
    """Return the query with these edits. Returns None if the query is not judged, if the measure
    depends on more than grades, or if one of the two runs was loaded as judged ranks (the ranks of
    judged documents)."""
    if study.runs_without_doc_ids(comparison.pair):
        return None
    if query_id not in study.query_ids or not has_ledger(comparison.measure):
        return None
    return study.cached_answer(_apply_edits, comparison, query_id, edits)


def _apply_edits(
    study: Study, comparison: Comparison, query_id: str, edits: tuple[Edit, ...]
) -> WhatIf:
    run = study.runs[comparison.focus]
    before = documents_by_rank(ranked_documents(run, query_id))
    best = None
    if not edits:
        best = find_best_change(run, study.qrels, query_id, comparison.measure, comparison.cutoff)
    return WhatIf(
        edits=edits,
        rows=_edited_rows(study, comparison, query_id, before, edits),
        scores=_measure_scores(study, comparison, query_id, edits),
        queries=study.n_in_view(comparison),
        best=best,
        best_was=_rank_by_id(before).get(best.edit.doc_id, np.nan) if best else np.nan,
        list_length=len(before),
        below=_max_rows(comparison),
        lines=[
            f"{query_id} 0 {doc_id} {grade:g}" for doc_id, grade in edit_grades({}, edits).items()
        ],
    )


def _max_rows(comparison: Comparison) -> int:
    return min(comparison.cutoff, _MOST_ROWS)


def _rank_by_id(doc_ids: list[str | None]) -> dict[str, int]:
    return {doc_id: rank for rank, doc_id in enumerate(doc_ids, 1) if doc_id is not None}


def _edited_rows(
    study: Study,
    comparison: Comparison,
    query_id: str,
    list_before: list[str | None],
    edits: tuple[Edit, ...],
) -> pd.DataFrame:
    after = edit_list(list_before, edits)
    grades = edit_grades(find_grades(study.qrels, query_id), edits)
    ranks_before, ranks_after = _rank_by_id(list_before), _rank_by_id(after)
    least = comparison.measure.relevant_from
    relevant = [d for d in sorted(grades, key=lambda d: -grades[d]) if grades[d] >= least]
    k = _max_rows(comparison)
    below = sorted((d for d in relevant if ranks_after.get(d, 0) > k), key=ranks_after.__getitem__)[
        :_FURTHER
    ]
    shortfalls = (
        {}
        if after != list_before
        else _find_score_shortfalls(study, comparison, query_id, k, len(list_before))
    )
    left_out = [d for d in list_before[:k] if d is not None and d not in ranks_after]
    missing = [*left_out, *(d for d in relevant if d not in ranks_after and d not in left_out)]
    graded = {edit.doc_id for edit in edits if isinstance(edit, Grade)}
    rows = [
        {
            "doc_id": d,
            "rank": ranks_after.get(d, np.nan),
            "was": ranks_before.get(d, np.nan),
            "grade": find_grade(grades, d),
            "graded": d in graded,
            "part": part,
            "short": shortfalls.get(d, np.nan),
        }
        for part, documents in (
            ("top", after[:k]),
            ("below", below),
            ("missing", missing[: _FURTHER + len(left_out)]),
        )
        for d in documents
        if d is not None
    ]
    return pd.DataFrame(rows, columns=list(_ROW))


def _find_score_shortfalls(
    study: Study, comparison: Comparison, query_id: str, k: int, list_length: int
) -> dict[str, float]:
    run = study.runs[comparison.focus]
    near = find_near_misses(
        run, study.qrels, query_id, comparison.measure, k, deepest_rank=list_length
    )
    return dict(zip(near["doc_id"], near["short"], strict=True))


def _measure_scores(
    study: Study, comparison: Comparison, query_id: str, edits: tuple[Edit, ...]
) -> pd.DataFrame:
    pair = comparison.pair
    edited = [
        edit_ranks(study.runs[name], study.qrels, query_id, edits, edited_run=comparison.focus)
        for name in pair
    ]
    measures = [m for m in overview_measures(study, comparison) if has_ledger(m)]
    return pd.DataFrame(
        [
            _measure_score(
                study,
                comparison,
                query_id,
                measure,
                [_score_of_only_query(measure, ranks) for ranks in edited],
            )
            for measure in measures
        ]
    )


def _score_of_only_query(measure: Measure, ranks: JudgedRanks) -> float:
    """Return the score of one query. It is NaN if the edits left the query without judgments."""
    return float(measure.score(ranks)[0]) if ranks.n_queries else float("nan")


def _measure_score(
    study: Study, comparison: Comparison, query_id: str, measure: Measure, ranks_after: list[float]
) -> dict[str, object]:
    scores = study.scores_of_all_runs(comparison, measure)
    pair = [scores.position(name) for name in comparison.pair]
    rows = scores.values_of(measure)[pair]
    # A query that is not in view still has scores.
    position = study.query_ids.index(query_id)
    before = study.cached_answer(all_scores, measure).values_of(measure)[pair, position]
    combination = measure.declaration.combination
    means = [float(combination.combine(row)) for row in rows]
    ids = list(scores.query_ids)
    means_after = [float("nan")] * 2
    if query_id in ids:
        position = ids.index(query_id)
        means_after = [
            replace_score_in_mean(row, position, value, combination)
            for row, value in zip(rows, ranks_after, strict=True)
        ]
    return {
        "measure": str(measure),
        "before": float(before[0]),
        "after": ranks_after[0],
        "baseline_before": float(before[1]),
        "baseline_after": ranks_after[1],
        "mean_before": means[0] if query_id in ids else float("nan"),
        "mean_after": means_after[0],
        "gap_before": means[0] - means[1] if query_id in ids else float("nan"),
        "gap_after": means_after[0] - means_after[1],
    }
