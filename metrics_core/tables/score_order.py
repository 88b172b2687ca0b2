"""Sort rows by query and score, and check whether ranks agree with scores."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Int32s, Ints
from metrics_core.base.compiled.machine import compiled_functions, is_worth_loading

_MANY = 1_000_000
"""Number of rows from which it is worth loading the compiled code, which sorts each query
separately."""


def order_by_score(codes: Int32s, scores: Floats) -> Ints | None:
    """Return the row indexes sorted by query and descending score, int64[row].

    Returns None if the rows are already sorted. `codes` is int32[row], `scores` is float64[row].
    Rows with tied scores keep their order."""
    is_new_query = codes[1:] != codes[:-1]
    first_codes = codes[np.r_[True, is_new_query]]
    # Queries are mostly in order, which is faster to check than that each has one block.
    is_blocked = bool((first_codes[1:] > first_codes[:-1]).all()) or len(first_codes) == len(
        np.unique(first_codes)
    )
    if is_blocked and bool((is_new_query | (scores[1:] <= scores[:-1])).all()):
        return None
    if not is_worth_loading("rows", len(codes), _MANY):
        return np.lexsort((-scores, codes))
    return _sort_rows(codes, scores)[0]


def find_contradictions(codes: Int32s, ranks: npt.NDArray[np.float32], scores: Floats) -> Ints:
    """Return the codes of the queries whose ranks contradict the scores, int64[n], ascending.

    In each of these queries one document has both a larger rank and a larger score than another.
    `codes` is int32[row], `ranks` float32[row], `scores` float64[row]. In most files the rows of a
    query are contiguous and sorted by rank, so that comparing neighbours is enough. Rows of other
    files are sorted first."""
    is_same_query = codes[1:] == codes[:-1]
    one_block_a_query = np.count_nonzero(~is_same_query) + 1 == (codes.max(initial=0) + 1)
    is_consistent = (ranks[1:] > ranks[:-1]) | (
        (ranks[1:] == ranks[:-1]) & (scores[1:] <= scores[:-1])
    )
    if not (one_block_a_query and bool((~is_same_query | is_consistent).all())):
        if is_worth_loading("rows", len(codes), _MANY):
            return _find_contradicting_queries(codes, ranks, scores)
        order = np.lexsort((-scores, ranks, codes))
        codes, ranks, scores = codes[order], ranks[order], scores[order]
        is_same_query = codes[1:] == codes[:-1]
    is_against = is_same_query & (scores[1:] > scores[:-1]) & (ranks[1:] > ranks[:-1])
    return np.unique(codes[1:][is_against]).astype(np.int64)


def _find_contradicting_queries(
    codes: Int32s, ranks: npt.NDArray[np.float32], scores: Floats
) -> Ints:
    order, ends = _sort_rows(codes, scores)
    edges = np.r_[0, ends]
    is_contradicting, keys = np.empty(len(ends), np.bool_), np.empty(int(np.diff(edges).max()))
    compiled_functions("rows").find_contradictions(
        order,
        edges,
        np.ascontiguousarray(scores),
        np.ascontiguousarray(ranks),
        keys,
        is_contradicting,
    )
    return np.flatnonzero(is_contradicting)


def _sort_rows(codes: Int32s, scores: Floats) -> tuple[Ints, Ints]:
    """Return the row numbers sorted by query and descending score, int64[row], and the end of each
    query, int64[query]."""
    counts = np.bincount(codes)
    ends, longest = np.cumsum(counts) - counts, int(counts.max())
    order = np.empty(len(codes), np.int64)
    compiled_functions("rows").order_rows(
        *(np.ascontiguousarray(codes), np.ascontiguousarray(scores), ends, order),
        *(np.empty((3, longest), np.int64), np.empty(longest), np.empty(longest)),
    )
    return order, ends
