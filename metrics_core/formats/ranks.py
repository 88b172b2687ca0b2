"""Does a run's rank column say the same as its scores? It is ignored; this only remarks on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core.formats.lines import counted
from metrics_core.notes import Note
from metrics_core.tables.columns import coded


def rank_notes(
    query_id: pa.ChunkedArray, rank: pa.ChunkedArray, score: pa.DoubleArray
) -> list[Note]:
    """Notes on the columns of a run; ranks are float32, NaN where the text is no number."""
    ranks = rank.to_numpy()
    whole = ranks == np.floor(ranks)  # NaN equals nothing
    if not whole.all():
        count = int(np.count_nonzero(~whole))
        message = f"{counted(count, 'rank')} not a whole number; the order follows from the scores"
        return [Note("rank", message, count)]
    query_ids = coded(query_id)
    queries = query_ids.indices.to_numpy(zero_copy_only=False)
    contradicting = _contradicting(queries, ranks, score.to_numpy())
    if not len(contradicting):
        return []
    names = query_ids.dictionary.take(pa.array(contradicting[:3])).to_pylist()
    message = (
        f"in {len(contradicting):,} of {len(query_ids.dictionary):,} queries the rank column"
        " contradicts the scores; the order follows from the scores"
    )
    examples = tuple(f"query {name}" for name in names)
    return [Note("rank", message, len(contradicting), examples)]


def _contradicting(
    queries: npt.NDArray[Any], ranks: npt.NDArray[Any], scores: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """Codes of the queries in which a document has both the larger rank and the larger score.

    Most files list each query once, by rank: then neighbours tell. Others are sorted first.
    """
    same = queries[1:] == queries[:-1]
    one_block_a_query = np.count_nonzero(~same) + 1 == (queries.max(initial=0) + 1)
    if not (one_block_a_query and bool((~same | (ranks[1:] >= ranks[:-1])).all())):
        order = np.lexsort((-scores, ranks, queries))
        queries, ranks, scores = queries[order], ranks[order], scores[order]
        same = queries[1:] == queries[:-1]
    against = same & (scores[1:] > scores[:-1]) & (ranks[1:] > ranks[:-1])
    return np.unique(queries[1:][against])
