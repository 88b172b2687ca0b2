"""Ranks without a document: those that a file of ranks leaves out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Ints, Mask
from metrics_core.judging.hits import Cutoff


@dataclass(frozen=True)
class EmptyRanks:
    """The stretches of empty ranks above documents, g of Q queries, by query and rank: `query`,
    `first` and `last`, both within the stretch, int64[g] each."""

    query: Ints
    first: Ints
    last: Ints
    n_queries: int

    @classmethod
    def from_documents(cls, query: Ints, rank: Ints, n_queries: int) -> EmptyRanks | None:
        """What these documents leave out, by their queries and ranks in any order; None where that
        is nothing."""
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
        """How many each query has within the cutoff: int64[Q], int64[Q, K] for K cutoffs."""
        if isinstance(cutoff, np.ndarray):
            return np.stack([self.count(int(k)) for k in cutoff], axis=1)
        last = self.last if cutoff is None else np.minimum(self.last, cutoff)
        length = np.maximum(last - self.first + 1, 0)
        return np.bincount(self.query, length, self.n_queries).astype(np.int64)

    def among(self, queries: Mask) -> EmptyRanks:
        """The same for some of the queries; `queries` is bool[Q]."""
        in_queries, new_position = queries[self.query], np.cumsum(queries) - 1
        query = new_position[self.query[in_queries]]
        return EmptyRanks(query, self.first[in_queries], self.last[in_queries], int(queries.sum()))
