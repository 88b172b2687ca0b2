"""What each relevant document's place is worth to a score, and what its change of place changed.

A document is worth what the list loses if this one document counted as not relevant, all else as
it is. So no list is ever scored that cannot exist, and for a measure that sums over documents the
worth is its term of the sum.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.tables import Qrels


def effects_of_moves(
    focus: JudgedRanks, baseline: JudgedRanks, qrels: Qrels, measure: Measure
) -> dict[str, float]:
    """doc_id -> what a relevant document is worth in `focus` less what it is worth in `baseline`;
    of those that changed place. Both hold one query.

    Nothing for a measure of more than grades, which ranks alone do not explain.
    """
    if measure.declaration.needs or not focus.n_queries:
        return {}
    now, before = _places(focus), _places(baseline)
    worth, worth_before = _worth(focus, measure), _worth(baseline, measure)
    moved = [r for r in {**worth_before, **worth} if before.get(r) != now.get(r)]
    doc_ids = qrels.doc_ids.take(pa.array(moved, pa.int64())).to_pylist()
    effects = [worth.get(row, 0.0) - worth_before.get(row, 0.0) for row in moved]
    return dict(zip(doc_ids, effects, strict=True))


def _places(ranks: JudgedRanks) -> dict[int, int]:
    return dict(zip(ranks.qrels_row.tolist(), ranks.rank.tolist(), strict=True))


def _worth(ranks: JudgedRanks, measure: Measure) -> dict[int, float]:
    """The worth of each listed relevant document, by its row in the qrels."""
    score = float(measure.score(ranks)[0])
    worth = {}
    for i in np.flatnonzero(ranks.relevance >= measure.relevant_from).tolist():
        relevance = ranks.relevance.copy()
        relevance[i] = 0.0
        without = replace(ranks, relevance=relevance)
        worth[int(ranks.qrels_row[i])] = score - float(measure.score(without)[0])
    return worth
