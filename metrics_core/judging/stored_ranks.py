"""Runs that came as judged ranks, joined with judgments: the join was made elsewhere, with these.

Such ranks are made where a run is too large for one machine (`scoring.spark.write_judged_ranks`).
They give what `judge` gives of the run, but for the unjudged documents and for notes on ties.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from metrics_core.base.errors import RanklensError
from metrics_core.judging.judged import Places
from metrics_core.judging.matching import judged_queries_of, judged_rows
from metrics_core.tables import Qrels, RankedRun
from metrics_core.tables.arrays import column_of, values_of

_OTHER_JUDGMENTS = (
    "Grades may change, but not which documents are judged: give the judgments that the ranks were"
    " made with, or make the ranks again with these."
)


def stored_places(run: RankedRun, qrels: Qrels) -> Places:
    """Where the judged documents stand in the run. The judgments are those that the ranks were made
    with, but grades may differ. Raises NoSharedQueriesError, and RanklensError for others."""
    place, table = judged_queries_of(run, qrels.query_ids), run.table
    row_query = place[run.query_codes]
    named = values_of(pc.is_valid(table["doc_id"]))
    listed = np.flatnonzero(named)
    rows, qrels_rows = judged_rows(
        table["doc_id"].take(column_of(listed)), row_query[listed], qrels
    )
    _refuse_other_judgments(run, row_query, len(listed) - len(rows), qrels)
    rows = listed[rows]
    rank = values_of(table["rank"])
    order = np.lexsort((rank[rows], row_query[rows]))
    retrieved = np.zeros(len(qrels.query_ids), dtype=np.int64)
    retrieved[place[place >= 0]] = run.lengths[place >= 0]
    return Places(
        query=row_query[rows][order].astype(np.int64),
        rank=rank[rows][order],
        qrels_row=qrels_rows[order],
        retrieved=retrieved,
    )


def _refuse_other_judgments(
    run: RankedRun, row_query: npt.NDArray[np.int32], unknown: int, qrels: Qrels
) -> None:
    """Refuse ranks that know of other judged documents than these judgments."""
    judged = np.append(np.bincount(qrels.query_codes, minlength=len(qrels.query_ids)), 0)
    differs = np.flatnonzero(judged[row_query] != values_of(run.table["judged"]))
    if len(differs):
        row = run.table.slice(int(differs[0]), 1).to_pylist()[0]
        now = judged[row_query[differs[0]]]
        raise RanklensError(
            f"The judged ranks of {run.name} were made with other judgments: query"
            f" {row['query_id']} had {row['judged']:,} judged documents, now it has {now:,}.",
            _OTHER_JUDGMENTS,
        )
    if unknown:
        raise RanklensError(
            f"The judged ranks of {run.name} were made with other judgments: they name documents"
            f" that are not judged now ({unknown:,} in all).",
            _OTHER_JUDGMENTS,
        )
