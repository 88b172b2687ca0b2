"""Ranks without a document, in runs whose file gives ranks with gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Ints, Mask
from metrics_core.judging.hits import Cutoff


@dataclass(frozen=True)
class EmptyRanks:
    """Ranges of consecutive ranks without a document, sorted by query and rank.

    `query`, the first rank `first` and the last rank `last` (inclusive) are int64[range] each."""

    query: Ints
    first: Ints
    last: Ints
    n_queries: int

    @classmethod
    def from_documents(cls, query: Ints, rank: Ints, n_queries: int) -> EmptyRanks | None:
        """Return the ranks that contain none of these documents; None if no rank is empty.

        `query` and `rank` of the documents are int64[document] each, in any order."""
        order = np.lexsort((rank, query))
        query, rank = query[order], rank[order]
        is_first = np.diff(query, prepend=-1) != 0
        first = np.where(is_first, 1, np.roll(rank, 1) + 1)
        has_gap = first < rank
        return (
            cls(query[has_gap], first[has_gap], rank[has_gap] - 1, n_queries)
            if has_gap.any()
            else None
        )

    def count(self, cutoff: Cutoff = None) -> Ints:
        """Return how many ranks of each query within the cutoff have no document: int64[query], or
        int64[query, cutoff] for an array of cutoffs."""
        if isinstance(cutoff, np.ndarray):
            return np.stack([self.count(int(k)) for k in cutoff], axis=1)
        last = self.last if cutoff is None else np.minimum(self.last, cutoff)
        length = np.maximum(last - self.first + 1, 0)
        return np.bincount(self.query, length, self.n_queries).astype(np.int64)

    def select_queries(self, queries: Mask) -> EmptyRanks:
        """Return the ranges of empty ranks of some queries only: those for which `queries`,
        bool[query], is true."""
        in_queries, new_position = queries[self.query], np.cumsum(queries) - 1
        query = new_position[self.query[in_queries]]
        return EmptyRanks(query, self.first[in_queries], self.last[in_queries], int(queries.sum()))
