"""Compute what the ranks of a query would be if documents were moved, removed or given other
grades.

The list and the grades of one query are edited on a copy and returned as JudgedRanks, which can be
scored with every measure that depends only on grades. The user's data is not changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.base.errors import ParameterError
from metrics_core.base.wording import shorten_value
from metrics_core.explaining.one_query import find_judged_rows
from metrics_core.judging import JudgedRanks
from metrics_core.judging.ranking import documents_by_rank, ranked_documents
from metrics_core.measures import Combination
from metrics_core.tables import Qrels, Run
from metrics_core.tables.finite_numbers import to_finite_number


@dataclass(frozen=True)
class Move:
    """Move a document to this rank, counted from 1. An unlisted document is added to the list.

    A rank beyond the end of the list is treated as the end."""

    doc_id: str
    rank: int


@dataclass(frozen=True)
class Remove:
    """Remove a document from the list; documents below it move up."""

    doc_id: str


@dataclass(frozen=True)
class Grade:
    """Assign this grade to a document. If the grade is None, the judgment is removed."""

    doc_id: str
    grade: float | None


Edit = Move | Remove | Grade


def edit_list(doc_ids: Iterable[str | None], edits: Sequence[Edit]) -> list[str | None]:
    """Return the list after applying the moves and removals in order.

    The list is sorted best first; None is a rank without a document. Removing an unlisted document
    has no effect. Raises ParameterError for a rank below 1."""
    listed = list(doc_ids)
    for edit in edits:
        if isinstance(edit, Grade):
            continue
        if isinstance(edit, Move) and edit.rank < 1:
            raise ParameterError(f"Ranks start at 1; {edit.doc_id} cannot be moved to {edit.rank}.")
        if edit.doc_id in listed:
            listed.remove(edit.doc_id)
        if isinstance(edit, Move):
            listed.insert(edit.rank - 1, edit.doc_id)
    return listed


def edit_grades(grades: Mapping[str, float], edits: Sequence[Edit]) -> dict[str, float]:
    """Return the grades by doc_id after applying the edits in order. Raises ParameterError for a
    grade that is not a finite number."""
    edited = dict(grades)
    for edit in edits:
        if not isinstance(edit, Grade):
            continue
        grade = to_finite_number(edit.grade)
        if edit.grade is None:
            edited.pop(edit.doc_id, None)
        elif grade is None:
            raise ParameterError(
                f"The grade of {edit.doc_id} is {shorten_value(edit.grade)}, not a finite number."
            )
        else:
            edited[edit.doc_id] = float(grade)
    return edited


def edit_ranks(
    run: Run, qrels: Qrels, query_id: str, edits: Sequence[Edit], *, edited_run: str
) -> JudgedRanks:
    """Return the judged ranks of the query after the edits, for any measure that depends only on
    grades.

    If the edits leave no judgment, the result contains no query. A Grade applies to every run, a
    Move or Remove only to the run named `edited_run`. Documents that are not in the qrels get rows
    after the rows of the qrels, in the order of their edits. The highest grade of all judgments is
    computed after the edits."""
    edits = [edit for edit in edits if isinstance(edit, Grade) or run.name == edited_run]
    rows = find_judged_rows(qrels, query_id)
    grades = qrels.relevance.astype(np.float64)
    edited = edit_grades({doc_id: grades[row] for doc_id, row in rows.items()}, edits)
    graded_ids = dict.fromkeys(edit.doc_id for edit in edits if isinstance(edit, Grade))
    for i, doc_id in enumerate(doc_id for doc_id in graded_ids if doc_id not in rows):
        rows[doc_id] = len(qrels) + i
    listed = edit_list(documents_by_rank(ranked_documents(run, query_id)), edits)
    others = np.ones(len(qrels), dtype=np.bool_)
    others[[row for row in rows.values() if row < len(qrels)]] = False
    top_grade = max([*edited.values(), float(grades[others].max(initial=0)), 0.0])
    is_in_run = query_id in run.query_ids
    return _judge_list(run.name, query_id, listed, edited, rows, top_grade, is_in_run)


def _judge_list(
    run_name: str,
    query_id: str,
    listed_ids: Sequence[str | None],
    grades: Mapping[str, float],
    rows: Mapping[str, int],
    top_grade: float,
    is_in_run: bool,
) -> JudgedRanks:
    """Return a list and the grades of its query as JudgedRanks. `is_in_run` is whether the run
    contains the query."""
    judged = [(rank, d) for rank, d in enumerate(listed_ids, 1) if d is not None and d in grades]
    n = 1 if grades else 0
    return JudgedRanks(
        run_name=run_name,
        query_ids=(query_id,) * n,
        query=np.zeros(len(judged), dtype=np.int64),
        rank=np.array([rank for rank, _ in judged], dtype=np.int64),
        relevance=np.array([grades[d] for _, d in judged], dtype=np.float64),
        qrels_row=np.array([rows[d] for _, d in judged], dtype=np.int64),
        retrieved=np.full(n, len(listed_ids), dtype=np.int64),
        judged_query=np.zeros(len(grades), dtype=np.int64),
        judged_relevance=np.array(sorted(grades.values(), reverse=True), dtype=np.float64),
        top_grade=top_grade,
        empty_queries=(query_id,) * n if is_in_run and not listed_ids else (),
    )


def replace_score_in_mean(
    scores: Floats, position: int, new_score: float, combination: Combination
) -> float:
    """Return what the combined score over all queries would be if the score of the query at this
    position were `new_score`.

    `scores` is float64[query]; NaN is excluded."""
    new_scores = np.array(scores, dtype=np.float64)
    new_scores[position] = new_score
    return float(combination.combine(new_scores))
