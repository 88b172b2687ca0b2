"""Notes about the order of documents in the file of a run.

This order is not used for ranking: documents are ranked by score."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from metrics_core.base.arrays import AnyArray, Floats
from metrics_core.base.notes import Note
from metrics_core.base.wording import format_with_noun
from metrics_core.tables.arrays import as_array, example_queries
from metrics_core.tables.columns import encode_ids
from metrics_core.tables.score_order import find_contradictions

_LISTS, _LENGTH = 5, 3
"""Minimum number of lists, and minimum length of a list, for the check whether scores rise from row
to row."""


def rank_notes(
    query_id: pa.ChunkedArray, rank: pa.ChunkedArray, score: pa.DoubleArray
) -> list[Note]:
    """Return notes on the ranks in a run's file. `rank` is float32[row], NaN if not a number."""
    ranks = as_array(rank)
    is_whole = ranks == np.floor(ranks)  # NaN equals nothing
    if not is_whole.all():
        return fraction_notes(int(np.count_nonzero(~is_whole)))
    query_ids = encode_ids(query_id)
    queries = as_array(query_ids.indices)
    query_codes = find_contradictions(queries, ranks, as_array(score))
    return contradiction_notes(query_ids.dictionary, query_codes)


def fraction_notes(count: int) -> list[Note]:
    """Return a list with one note, which says that `count` ranks are not whole numbers."""
    message = (
        f"{format_with_noun(count, 'rank')} with a value that is not a whole number; documents are"
        " ordered by score"
    )
    return [Note("rank", message, count)]


def contradiction_notes(query_ids: pa.Array, query_codes: AnyArray) -> list[Note]:
    """Return a list with one note about the queries whose ranks contradict their scores. The list
    is empty if there are no such queries.

    `query_codes` int[n] are the indexes of these queries in `query_ids`."""
    if not len(query_codes):
        return []
    message = (
        f"in {len(query_codes):,} of {len(query_ids):,} queries the rank column contradicts the"
        " scores; documents are ordered by score"
    )
    return [Note("rank", message, len(query_codes), example_queries(query_ids, query_codes))]


def rising_score_notes(query_id: pa.Array | pa.ChunkedArray, scores: Floats) -> list[Note]:
    """Return a note if the scores rise from row to row in most lists, otherwise no note. `scores`
    is float64[row]."""
    if np.count_nonzero(scores[1:] > scores[:-1]) * 2 < len(scores) - len(scores) // _LENGTH:
        return []
    query_ids = encode_ids(query_id)
    codes = as_array(query_ids.indices)
    order = np.argsort(codes, kind="stable")
    codes, scores = codes[order], scores[order]
    is_same_list = codes[1:] == codes[:-1]
    long_lists = np.flatnonzero(np.bincount(codes) >= _LENGTH)
    rising = codes[1:][is_same_list & (scores[1:] > scores[:-1])]
    falling = codes[1:][is_same_list & (scores[1:] < scores[:-1])]
    rising_lists = np.setdiff1d(np.intersect1d(long_lists, rising), falling)
    list_count = len(long_lists)
    if list_count < _LISTS or len(rising_lists) * 2 <= list_count:
        return []
    message = (
        f"in {len(rising_lists):,} of {list_count:,} lists the scores rise from the first row to"
        " the last; are they distances (smallest is best)?"
    )
    examples = example_queries(query_ids.dictionary, rising_lists)
    return [Note("rising", message, len(rising_lists), examples, True)]
