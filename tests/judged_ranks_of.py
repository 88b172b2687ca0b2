"""Runs made into judged ranks, as Spark would leave them."""

from __future__ import annotations

import numpy as np

from metrics_core.judging import join_judgments
from metrics_core.tables import Qrels, RankedRun, Run


def judged_ranks_of(run: Run, qrels: Qrels) -> RankedRun:
    """What is known of the run where only its judged ranks are."""
    ranks, asked = join_judgments(run, qrels), qrels.query_ids
    judged = np.bincount(qrels.query_codes, minlength=len(asked))
    documents = qrels.doc_ids.to_pylist()
    listed = zip(ranks.query.tolist(), ranks.qrels_row.tolist(), ranks.rank.tolist(), strict=True)
    rows = [(asked[q], documents[row], rank) for q, row, rank in listed]
    rows += [(query_id, None, 1) for query_id in run.query_ids]
    lengths = [run.length(query_id) for query_id, *_ in rows]
    known = dict(zip(asked, judged.tolist(), strict=True))
    return RankedRun.from_ranks(
        run.name,
        [row[0] for row in rows],
        [row[1] for row in rows],
        np.array([row[2] for row in rows]),
        np.array(lengths),
        np.array([known.get(query_id, 0) for query_id, *_ in rows]),
    )
