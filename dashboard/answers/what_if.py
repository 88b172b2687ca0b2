"""What if a document of one query stood elsewhere, were left out, or had another grade?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.overview import overview_measures
from dashboard.study.study import Study, all_scores
from metrics_core.explaining.improving import Change, best_single_change, near_misses
from metrics_core.explaining.ledger import has_ledger
from metrics_core.explaining.one_query import grade_in, grades_of
from metrics_core.explaining.what_if import (
    Edit,
    Grade,
    edited_grades,
    edited_list,
    mean_with,
    what_if,
)
from metrics_core.judging import JudgedRanks
from metrics_core.judging.ranking import by_rank, ranked_documents
from metrics_core.measures import Measure

_MOST_ROWS = 30
"""Rows of the list that can be edited; more is nobody's by hand."""
_ROW = ("doc_id", "rank", "was", "grade", "graded", "part", "short")
_FURTHER = 5
"""Relevant documents below k, and missing ones, that can be brought up."""


@dataclass(frozen=True)
class WhatIf:
    """The list of the run in focus as the edits leave it, and what that does to the scores.

    rows    the first k documents, then relevant ones below k, then relevant ones that are not
            listed: doc_id, rank (NaN: not listed), was (its rank before, NaN: not listed), grade
            (NaN: not judged), graded (whether an edit gave it), part ("top", "below", "missing"),
            short (of a relevant document below k: how far the run's score for it is below that at
            rank k; NaN of others, and of any once the list is edited)
    scores  a row a measure: measure, before, after, baseline_before, baseline_after (of this
            query), mean_before, mean_after, gap_before, gap_after (mean difference to the baseline
            over the `queries` in view; NaN where the query is not in view)
    best    the best single change to the list as it is in the run, and best_was the rank that its
            document has there (NaN: not listed); None where nothing raises the score, or where an
            edit is made
    listed  how many documents the run lists
    below   the rank down to which all rows are shown: k, but no more than can be edited by hand
    lines   each grade that was given, as a line of judgments
    """

    edits: tuple[Edit, ...]
    rows: pd.DataFrame
    scores: pd.DataFrame
    queries: int
    best: Change | None
    best_was: float
    listed: int
    below: int
    lines: list[str]


def what_would_be(
    study: Study, shown: Comparison, query_id: str, edits: tuple[Edit, ...]
) -> WhatIf | None:
    """The query under these edits; None where nobody judged it, where the measure is of more than
    grades, or where one of the two runs came as judged ranks."""
    if study.nameless((shown.focus, shown.baseline)):
        return None
    if query_id not in study.query_ids or not has_ledger(shown.measure):
        return None
    return study.kept(_what_would_be, shown, query_id, edits)


def _what_would_be(
    study: Study, shown: Comparison, query_id: str, edits: tuple[Edit, ...]
) -> WhatIf:
    run = study.runs[shown.focus]
    before = by_rank(ranked_documents(run, query_id))
    best = None
    if not edits:
        best = best_single_change(run, study.qrels, query_id, shown.measure, shown.cutoff)
    return WhatIf(
        edits=edits,
        rows=_rows(study, shown, query_id, before, edits),
        scores=_scores(study, shown, query_id, edits),
        queries=int(study.in_view(shown).sum()),
        best=best,
        best_was=_ranks(before).get(best.edit.doc_id, np.nan) if best else np.nan,
        listed=len(before),
        below=_shown_rows(shown),
        lines=[
            f"{query_id} 0 {doc_id} {grade:g}" for doc_id, grade in edited_grades({}, edits).items()
        ],
    )


def _shown_rows(shown: Comparison) -> int:
    return min(shown.cutoff, _MOST_ROWS)


def _ranks(doc_ids: list[str | None]) -> dict[str, int]:
    return {doc_id: rank for rank, doc_id in enumerate(doc_ids, 1) if doc_id is not None}


def _rows(
    study: Study,
    shown: Comparison,
    query_id: str,
    before: list[str | None],
    edits: tuple[Edit, ...],
) -> pd.DataFrame:
    after = edited_list(before, edits)
    grades = edited_grades(grades_of(study.qrels, query_id), edits)
    was, now = _ranks(before), _ranks(after)
    least = shown.measure.relevant_from
    relevant = [d for d in sorted(grades, key=lambda d: -grades[d]) if grades[d] >= least]
    k = _shown_rows(shown)
    below = sorted((d for d in relevant if now.get(d, 0) > k), key=now.__getitem__)[:_FURTHER]
    short = {} if after != before else _short(study, shown, query_id, k, len(before))
    left_out = [d for d in before[:k] if d is not None and d not in now]
    missing = [*left_out, *(d for d in relevant if d not in now and d not in left_out)]
    graded = {edit.doc_id for edit in edits if isinstance(edit, Grade)}
    rows = [
        {
            "doc_id": d,
            "rank": now.get(d, np.nan),
            "was": was.get(d, np.nan),
            "grade": grade_in(grades, d),
            "graded": d in graded,
            "part": part,
            "short": short.get(d, np.nan),
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


def _short(study: Study, shown: Comparison, query_id: str, k: int, listed: int) -> dict[str, float]:
    run = study.runs[shown.focus]
    near = near_misses(run, study.qrels, query_id, shown.measure, k, deep=listed)
    return dict(zip(near["doc_id"], near["short"], strict=True))


def _scores(
    study: Study, shown: Comparison, query_id: str, edits: tuple[Edit, ...]
) -> pd.DataFrame:
    pair = [shown.focus, shown.baseline]
    edited = [
        what_if(study.runs[name], study.qrels, query_id, edits, move_in=shown.focus)
        for name in pair
    ]
    measures = [m for m in overview_measures(shown) if has_ledger(m)]
    return pd.DataFrame(
        [
            _score(study, shown, query_id, measure, [_first(measure, ranks) for ranks in edited])
            for measure in measures
        ]
    )


def _first(measure: Measure, ranks: JudgedRanks) -> float:
    """The score of one query; NaN where its last judgment was taken away."""
    return float(measure.score(ranks)[0]) if ranks.n_queries else float("nan")


def _score(
    study: Study, shown: Comparison, query_id: str, measure: Measure, after: list[float]
) -> dict[str, object]:
    every = study.every_score(shown, measure)
    pair = [every.position(name) for name in (shown.focus, shown.baseline)]
    rows = every.of(measure)[pair]
    # The query may be out of view, and has its scores all the same.
    place = study.query_ids.index(query_id)
    before = study.kept(all_scores, measure).of(measure)[pair, place]
    combination = measure.declaration.combination
    means = [float(combination.of(row)) for row in rows]
    ids = list(every.query_ids)
    new = [float("nan")] * 2
    if query_id in ids:
        place = ids.index(query_id)
        new = [
            mean_with(row, place, value, combination)
            for row, value in zip(rows, after, strict=True)
        ]
    return {
        "measure": str(measure),
        "before": float(before[0]),
        "after": after[0],
        "baseline_before": float(before[1]),
        "baseline_after": after[1],
        "mean_before": means[0] if query_id in ids else float("nan"),
        "mean_after": new[0],
        "gap_before": means[0] - means[1] if query_id in ids else float("nan"),
        "gap_after": new[0] - new[1],
    }
