"""What is loaded says of a file that may be a run or judgments: where judgments are there already
that it shares its queries with, and most of its documents have none, it lists what was found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import values_of
from metrics_core.tables.columns import ID, coded

_FEWEST_QUERIES = 0.9
"""The share of its queries that are judged, at least."""
_MOST_PAIRS = 0.5
"""The share of its documents that are judged, at most: of other judgments it may be more."""
_FEWEST_SCORES = 0.5
"""Different scores within the lists, as a share of the documents, at least: grades repeat."""


def why_a_run(read: Run, judgments: Sequence[Qrels]) -> str:
    """Why a file that was read as a run is one, by one of the loaded judgments; "" where none says
    it clearly."""
    for qrels in judgments:
        queries = read.query_ids
        judged = len(set(queries) & set(qrels.query_ids))
        known = int(np.sum(values_of(pc.is_in(_pairs(read.table), value_set=_pairs(qrels.table)))))
        if (
            judged >= _FEWEST_QUERIES * len(queries)
            and 0 < known <= _MOST_PAIRS * len(read)
            and _different_scores(read) >= _FEWEST_SCORES * len(read)
        ):
            return (
                f"judgments are loaded already, and {w.count(judged)} of its"
                f" {w.count(len(queries))} {w.plural(len(queries), 'query', 'queries')} and"
                f" {w.count(known)} of its {w.count(len(read))} documents are judged there"
            )
    return ""


def _pairs(rows: pa.Table) -> pa.Array:
    """Query and document of each row as one text."""
    query_id, doc_id = (rows[name].cast(ID).combine_chunks() for name in ("query_id", "doc_id"))
    return pc.binary_join_element_wise(query_id, doc_id, "\n")


def _different_scores(read: Run) -> int:
    codes = values_of(coded(read.table["query_id"]).indices)
    rows = np.stack([codes.astype(np.float64), read.scores], axis=1)
    return len(np.unique(rows, axis=0))
