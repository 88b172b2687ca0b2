"""judge(run, qrels) -> JudgedRanks: the join.

A measure never needs the unjudged rows one by one, only where the judged ones stand. So this is
the last step whose work grows with the run; after it there are a few judged rows per query.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from metrics_core.judging.documents import Listed
from metrics_core.judging.judged import JudgedRanks, Places, Tied, assembled
from metrics_core.judging.matching import judged_queries_of, judged_rows
from metrics_core.judging.ranking import Ranking
from metrics_core.judging.stored_ranks import stored_places
from metrics_core.tables import Documents, Qrels, RankedRun, Run

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def judge(run: Run, qrels: Qrels, *, documents: Documents | None = None) -> JudgedRanks:
    """Join a run with judgments. Ranks by score, highest first; equal scores by doc_id, last in
    byte order first, as trec_eval does; `judging.ties` has the range that other orders allow.
    `documents` are for measures of their columns. Of a run that came as judged ranks `listed` and
    `tied` are None. Raises NoSharedQueriesError, and RanklensError as `places` does."""
    return judged_at(run, qrels, places(run, qrels), documents=documents)


def places(run: Run, qrels: Qrels) -> Places:
    """Where the judged documents stand: all that `judge` needs of the run's rows. Raises
    NoSharedQueriesError, and RanklensError where the run came as judged ranks and these are other
    judgments."""
    if isinstance(run, RankedRun):
        return stored_places(run, qrels)
    run, query_ids = run.whole(), qrels.query_ids
    row_query = judged_queries_of(run, query_ids)[run.query_codes]
    rows, qrels_rows = judged_rows(run.doc_ids, row_query, qrels)
    ranking = Ranking(run, row_query, rows)
    order = np.lexsort((ranking.rank, row_query[rows]))
    return Places(
        query=row_query[rows][order].astype(np.int64),
        rank=ranking.rank[order],
        qrels_row=qrels_rows[order],
        retrieved=np.bincount(row_query[row_query >= 0], minlength=len(query_ids)),
        tied=Tied(ranking.tied_from, ranking.tied).at(order),
        notes=ranking.notes,
    )


def judged_at(
    run: Run, qrels: Qrels, found: Places, *, documents: Documents | None = None
) -> JudgedRanks:
    """`judge(run, qrels)` where the judged documents are known to stand at these places: no row of
    the run is looked at. Raises NoSharedQueriesError."""
    query_ids = qrels.query_ids
    place = judged_queries_of(run, query_ids)
    ranks = assembled(
        run.name,
        qrels,
        found,
        unjudged=sorted(set(run.query_ids) - set(query_ids)),
        named=place,
    )
    if not run.complete:
        return ranks
    listed = Listed(run, place, len(query_ids), qrels.doc_ids, qrels.best_first, documents)
    return replace(ranks, listed=listed)
