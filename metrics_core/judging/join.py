"""judge(run, qrels) -> JudgedRanks: the join.

A measure never needs the unjudged rows one by one, only where the judged ones stand. So this is
the last step whose work grows with the run; after it there are a few judged rows per query.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.errors import NoSharedQueriesError
from metrics_core.judging.documents import Listed
from metrics_core.judging.judged import JudgedRanks, Places, assembled, best_first
from metrics_core.judging.ranking import Ranking, Ties
from metrics_core.tables import Documents, Qrels, Run
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.ids import cleaned_id

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def judge(
    run: Run, qrels: Qrels, *, ties: Ties = "doc_id", documents: Documents | None = None
) -> JudgedRanks:
    """Join a run with judgments. Ranks by score, highest first; equal scores by doc_id, last in
    byte order first, as trec_eval does. `ties="best"` or "worst" puts the best or the worst grades
    first instead: the range that the ties allow; then `listed` is None. `documents` are for
    measures of their columns. Raises NoSharedQueriesError."""
    ranks = judged_at(run, qrels, places(run, qrels, ties=ties), documents=documents)
    return ranks if ties == "doc_id" else replace(ranks, listed=None)


def places(run: Run, qrels: Qrels, *, ties: Ties = "doc_id") -> Places:
    """Where the judged documents stand: all that `judge` needs of the run's rows. Raises
    NoSharedQueriesError."""
    run, query_ids = run.whole(), qrels.query_ids
    row_query = _judged_query_of_run(run, query_ids)[run.query_codes]
    rows, qrels_rows = judged_rows(run.doc_ids, row_query, qrels)
    grades = qrels.relevance.astype(np.float64)
    ranking = Ranking(run, row_query, rows, grades[qrels_rows], ties)
    order = np.lexsort((ranking.rank, row_query[rows]))
    return Places(
        query=row_query[rows][order].astype(np.int64),
        rank=ranking.rank[order],
        qrels_row=qrels_rows[order],
        retrieved=np.bincount(row_query[row_query >= 0], minlength=len(query_ids)),
        notes=ranking.notes,
    )


def judged_at(
    run: Run, qrels: Qrels, found: Places, *, documents: Documents | None = None
) -> JudgedRanks:
    """`judge(run, qrels)` where the judged documents are known to stand at these places: no row of
    the run is looked at. Raises NoSharedQueriesError."""
    query_ids = qrels.query_ids
    place = _judged_query_of_run(run, query_ids)
    ranks = assembled(
        run.name,
        qrels,
        found,
        unjudged=sorted(set(run.query_ids) - set(query_ids)),
        named=place,
    )
    listed = Listed(run, place, len(query_ids), qrels.doc_ids, best_first(qrels), documents)
    return replace(ranks, listed=listed)


def _judged_query_of_run(run: Run, query_ids: list[str]) -> npt.NDArray[np.int32]:
    """Per query of the run its position among the judged queries, -1 where it is not judged."""
    own = run.query_ids
    position = {query_id: i for i, query_id in enumerate(query_ids)}
    judged = np.array([position.get(query_id, -1) for query_id in own], dtype=np.int32)
    if not (judged >= 0).any():
        raise _nothing_shared(own, query_ids)
    return judged


def _nothing_shared(own: list[str], judged: list[str]) -> NoSharedQueriesError:
    shown = f"the run has {', '.join(own[:3])}; the judgments have {', '.join(judged[:3])}"
    hint = "Load the judgments that belong to these queries."
    if {q.lstrip("0") for q in own} & {q.lstrip("0") for q in judged}:
        hint = "They differ by leading zeros (001 against 1); write them alike in both files."
    elif {cleaned_id(q) for q in own} & {cleaned_id(q) for q in judged}:
        hint = (
            "They would match after removing blanks around them and invisible characters, and"
            " joining accents; read both files with clean-ids, or write them alike."
        )
    elif {cleaned_id(q).casefold() for q in own} & {cleaned_id(q).casefold() for q in judged}:
        hint = "They differ by case; write them alike in both files."
    return NoSharedQueriesError(f"Run and judgments share no query: {shown}.", hint)


def judged_rows(
    doc_ids: pa.ChunkedArray, row_query: npt.NDArray[np.int32], qrels: Qrels
) -> tuple[Ints, Ints]:
    """Of rows of documents, each with the position of its query among the judged ones (-1: not
    judged), those whose document is judged for that query, and the qrels row of each."""
    documents = qrels.doc_ids.unique()
    judged_doc = values_of(pc.index_in(qrels.doc_ids, value_set=documents)).astype(np.int64)
    found = pc.index_in(doc_ids, value_set=documents)
    known = values_of(pc.is_valid(found))
    candidates = np.flatnonzero(known & (row_query >= 0))
    doc = values_of(found.take(column_of(candidates))).astype(np.int64)
    # One integer a pair: exact, since both codes are positions.
    pair = row_query[candidates] * np.int64(len(documents)) + doc
    judged_pair = qrels.query_codes * np.int64(len(documents)) + judged_doc
    by_pair = np.argsort(judged_pair)
    place = np.searchsorted(judged_pair[by_pair], pair)
    qrels_rows = by_pair[np.minimum(place, len(by_pair) - 1)]
    matches = judged_pair[qrels_rows] == pair
    return candidates[matches], qrels_rows[matches]
