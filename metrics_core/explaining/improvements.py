"""Find ways to raise the score of one query: the best single change, and the relevant documents
just below k."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.explaining.one_query import find_grades, find_judged_rows
from metrics_core.explaining.variants import make_variants
from metrics_core.explaining.what_if import Move, Remove, edit_ranks
from metrics_core.judging import JudgedRanks
from metrics_core.judging.ranking import documents_by_rank, ranked_documents
from metrics_core.measures import Measure
from metrics_core.tables import Qrels, Run

_NOTHING = 1e-12
"""Gains that differ by at most this much are treated as equal, because the difference may be due to
rounding."""
_MOST_CELLS = 2**21


@dataclass(frozen=True)
class Change:
    """An edit of a list, the amount it adds to the score, and the resulting score."""

    edit: Move | Remove
    gain: float
    score: float


@dataclass(frozen=True)
class _JudgedDocuments:
    """The judged documents of a query that are listed or relevant.

    rank      int64[document], 0 if not listed
    grade     float64[document]
    row       int64[document], row in the qrels
    relevant  bool[document], whether the document is relevant to the measure"""

    doc_ids: list[str]
    rank: Ints
    grade: Floats
    row: Ints
    relevant: Mask


@dataclass(frozen=True)
class _Changes:
    """Single changes of a list: in each change, one document moves or is removed.

    document  int64[change]  judged document that moves; -1 for an unjudged document
    start     int64[change]  rank before the change; 0 if the document is not listed
    end       int64[change]  rank after the change; 0 if the document is removed"""

    document: Ints
    start: Ints
    end: Ints

    def __getitem__(self, part: slice) -> _Changes:
        return _Changes(self.document[part], self.start[part], self.end[part])

    def ranks_after_changes(self, rank: Ints) -> Ints:
        """Return the ranks of the judged documents after each change, int64[change, document].
        `rank` int64[document] are their ranks before the change."""
        start, end = self.start[:, None], self.end[:, None]
        closed_ranks = rank - ((start > 0) & (rank > start))
        after = closed_ranks + ((end > 0) & (rank > 0) & (closed_ranks >= end))
        changed = np.flatnonzero(self.document >= 0)
        after[changed, self.document[changed]] = self.end[changed]
        return after

    def count_passed_ranks(self, n_listed: int) -> Ints:
        """Return the number of ranks by which the document of each change moves, int64[change].

        An unlisted document starts one rank after the end of the list."""
        start, end = (np.where(rank > 0, rank, n_listed + 1) for rank in (self.start, self.end))
        return np.abs(end - start)


def find_best_change(
    run: Run, qrels: Qrels, query_id: str, measure: Measure, k: int
) -> Change | None:
    """Return the single change that improves the score most.

    The change moves a relevant document, listed or not, to a rank up to k, or removes one of the
    first k documents. If several changes have equal gains, the change in which the document passes
    the fewest ranks is returned. Returns None if no change helps, or if nothing is judged. Raises
    LackingDataError for a measure that depends on more than grades."""
    ranks = edit_ranks(run, qrels, query_id, (), edited_run=run.name)
    listed = documents_by_rank(ranked_documents(run, query_id))
    judged = _read_judged_documents(qrels, query_id, listed, measure)
    changes = _all_single_changes(judged, listed, k)
    if not ranks.n_queries or not len(changes.end):
        return None
    before = float(measure.score(ranks)[0])
    scores = _scores_after_changes(ranks, measure, judged, changes)
    gains = np.nan_to_num(scores - before) * measure.declaration.direction
    if gains.max() <= _NOTHING:
        return None
    equal = np.flatnonzero(gains >= gains.max() - _NOTHING)
    best = equal[np.argmin(changes.count_passed_ranks(len(listed))[equal])]
    document, start, end = (int(a[best]) for a in (changes.document, changes.start, changes.end))
    doc_id = judged.doc_ids[document] if document >= 0 else listed[start - 1]
    assert doc_id is not None
    edit = Move(doc_id, end) if end else Remove(doc_id)
    return Change(edit, float(scores[best] - before), float(scores[best]))


def _read_judged_documents(
    qrels: Qrels, query_id: str, listed_ids: list[str | None], measure: Measure
) -> _JudgedDocuments:
    rows, grades = find_judged_rows(qrels, query_id), find_grades(qrels, query_id)
    rank_by_id = {doc_id: rank for rank, doc_id in enumerate(listed_ids, 1) if doc_id is not None}
    relevant = {d for d, grade in grades.items() if grade >= measure.relevant_from and grade > 0}
    doc_ids = sorted(
        (doc_id for doc_id in rows if doc_id in rank_by_id or doc_id in relevant),
        key=lambda doc_id: rank_by_id.get(doc_id, len(listed_ids) + 1),
    )
    return _JudgedDocuments(
        doc_ids=doc_ids,
        rank=np.array([rank_by_id.get(doc_id, 0) for doc_id in doc_ids], dtype=np.int64),
        grade=np.array([grades[doc_id] for doc_id in doc_ids], dtype=np.float64),
        row=np.array([rows[doc_id] for doc_id in doc_ids], dtype=np.int64),
        relevant=np.array([doc_id in relevant for doc_id in doc_ids], dtype=np.bool_),
    )


def _all_single_changes(
    judged_documents: _JudgedDocuments, listed_ids: list[str | None], k: int
) -> _Changes:
    """Return every move of a relevant document, followed by every removal. Both are sorted by
    rank."""
    movable = np.flatnonzero(judged_documents.relevant)
    document = np.repeat(movable, k)
    start, end = judged_documents.rank[document], np.tile(np.arange(1, k + 1), len(movable))
    # An added document may also come after all others.
    is_possible = (end != start) & (end <= len(listed_ids) + (start == 0))
    removable = np.array(
        [rank for rank, d in enumerate(listed_ids[:k], 1) if d is not None], dtype=np.int64
    )
    of_rank = np.full(len(listed_ids) + 1, -1)
    of_rank[judged_documents.rank] = np.arange(len(judged_documents.rank))
    return _Changes(
        document=np.concatenate([document[is_possible], of_rank[removable]]),
        start=np.concatenate([start[is_possible], removable]),
        end=np.concatenate([end[is_possible], np.zeros(len(removable), dtype=np.int64)]),
    )


def _scores_after_changes(
    ranks: JudgedRanks, measure: Measure, judged_documents: _JudgedDocuments, changes: _Changes
) -> Floats:
    """Return the score after each change, float64[change]. The changes are scored in one batch, or
    in several if there are too many."""
    n, step = len(changes.end), max(1, _MOST_CELLS // max(1, len(judged_documents.rank)))
    retrieved = ranks.retrieved[0] + (changes.start == 0) - (changes.end == 0)
    parts = [slice(first, first + step) for first in range(0, n, step)]
    return np.concatenate(
        [
            measure.score(
                make_variants(
                    ranks,
                    0,
                    rank=changes[part].ranks_after_changes(judged_documents.rank),
                    relevance=np.broadcast_to(
                        judged_documents.grade, (len(retrieved[part]), len(judged_documents.grade))
                    ),
                    qrels_row=judged_documents.row,
                    retrieved=retrieved[part],
                )
            )
            for part in parts
        ]
    )


def find_near_misses(
    run: Run, qrels: Qrels, query_id: str, measure: Measure, k: int, *, deepest_rank: int
) -> pd.DataFrame:
    """Return the relevant documents just below k, down to rank `deepest_rank`, sorted by rank.

    Columns: doc_id, grade, rank, score, short (how far the score is below the score at rank k)."""
    frame = ranked_documents(run, query_id)
    last = frame.loc[frame["rank"] == k, "score"]
    below = frame[(frame["rank"] > k) & (frame["rank"] <= deepest_rank)]
    grade = below["doc_id"].map(find_grades(qrels, query_id)).astype(float)
    below = below.assign(grade=grade)[(grade >= measure.relevant_from) & (grade > 0)]
    short = float(last.iloc[0]) - below["score"] if len(last) else below["score"]
    columns = ["doc_id", "grade", "rank", "score", "short"]
    return below.assign(short=short)[columns].reset_index(drop=True)
