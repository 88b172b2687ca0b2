"""The order in which a run's file has its documents: it is not used, the order follows from the
scores; this only remarks on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core.base.arrays import Floats
from metrics_core.base.notes import Note
from metrics_core.formats.source.lines import counted
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.by_score import contradictions
from metrics_core.tables.columns import coded

_LISTS, _LENGTH = 5, 3
"""So many lists of so many documents tell whether scores rise."""


def rank_notes(
    query_id: pa.ChunkedArray, rank: pa.ChunkedArray, score: pa.DoubleArray
) -> list[Note]:
    """Notes on the columns of a run; ranks are float32, NaN where the text is no number."""
    ranks = values_of(rank)
    whole = ranks == np.floor(ranks)  # NaN equals nothing
    if not whole.all():
        return fraction_notes(int(np.count_nonzero(~whole)))
    query_ids = coded(query_id)
    queries = values_of(query_ids.indices)
    found = contradictions(queries, ranks, values_of(score))
    return contradiction_notes(query_ids.dictionary, found)


def fraction_notes(count: int) -> list[Note]:
    """The note on so many ranks that are no whole numbers."""
    message = f"{counted(count, 'rank')} not a whole number; ordered by score"
    return [Note("rank", message, count)]


def contradiction_notes(query_ids: pa.Array, contradicting: npt.NDArray[Any]) -> list[Note]:
    """The note on the queries at these places, whose ranks contradict their scores, if any."""
    if not len(contradicting):
        return []
    names = query_ids.take(column_of(contradicting[:3])).to_pylist()
    message = (
        f"in {len(contradicting):,} of {len(query_ids):,} queries the rank column contradicts the"
        " scores; ordered by score"
    )
    examples = tuple(f"query {name}" for name in names)
    return [Note("rank", message, len(contradicting), examples)]


def rising_notes(query_id: pa.Array | pa.ChunkedArray, scores: Floats) -> list[Note]:
    """The note on lists that run from the smallest score up, where most of them do."""
    if np.count_nonzero(scores[1:] > scores[:-1]) * 2 < len(scores) - len(scores) // _LENGTH:
        return []
    query_ids = coded(query_id)
    codes = values_of(query_ids.indices)
    order = np.argsort(codes, kind="stable")
    codes, scores = codes[order], scores[order]
    same = codes[1:] == codes[:-1]
    lists = np.bincount(codes) >= _LENGTH
    rises = np.bincount(codes[1:][same & (scores[1:] > scores[:-1])], minlength=len(lists)) > 0
    falls = np.bincount(codes[1:][same & (scores[1:] < scores[:-1])], minlength=len(lists)) > 0
    rising = np.flatnonzero(lists & rises & ~falls)
    n = int(np.count_nonzero(lists))
    if n < _LISTS or len(rising) * 2 <= n:
        return []
    message = (
        f"in {len(rising):,} of {n:,} lists the scores rise from the first row to the last; are"
        " they distances (smallest is best)?"
    )
    names = query_ids.dictionary.take(column_of(rising[:3])).to_pylist()
    return [Note("rising", message, len(rising), tuple(f"query {name}" for name in names), True)]
