"""Hits: some of a run's ranked documents, and the array sums that measures are made of.

Every sum over ranks takes one cutoff or an array of them. The work is one histogram of the hits by
query and cutoff and a running sum along the cutoffs, so a curve over a thousand cutoffs costs
little more than a single one, and each query is summed in rank order, as trec_eval sums it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Cutoff = int | Ints | None


@dataclass(frozen=True)
class Hits:
    """m documents of Q queries, sorted by query and rank; `query` counts from 0, `rank` from 1."""

    query: Ints
    rank: Ints
    relevance: Floats
    n_queries: int

    def total(self, weight: Floats, cutoff: Cutoff = None) -> Floats:
        """Sum of `weight` (float64[m]) within each cutoff: float64[Q], or float64[Q, K] for an
        array of K cutoffs; without a cutoff over the whole list."""
        if cutoff is None:
            return _bincount(self.query, weight, self.n_queries)
        if not isinstance(cutoff, np.ndarray):
            inside = self.rank <= cutoff
            return _bincount(self.query[inside], weight[inside], self.n_queries)
        ascending = np.unique(cutoff)
        step = np.searchsorted(ascending, self.rank)
        inside = step < len(ascending)
        cell = self.query[inside] * len(ascending) + step[inside]
        size = self.n_queries * len(ascending)
        sums = _bincount(cell, weight[inside], size).reshape(self.n_queries, len(ascending))
        running = np.cumsum(sums, axis=1)
        return running[:, np.searchsorted(ascending, cutoff)]

    def count(self, cutoff: Cutoff = None) -> Floats:
        """Number of hits within each cutoff; shape as in `total`."""
        return self.total(np.ones(len(self.query)), cutoff)

    def count_within(self, limit: Ints) -> Floats:
        """Number of hits within a limit of each query's own; `limit` is int64[Q]."""
        inside = self.rank <= limit[self.query]
        return np.bincount(self.query[inside], minlength=self.n_queries).astype(np.float64)

    def ordinal(self) -> Ints:
        """Per hit its number among the hits of its query, from 1; int64[m]."""
        return self._ordinals

    @cached_property
    def _ordinals(self) -> Ints:
        starts = np.searchsorted(self.query, np.arange(self.n_queries))
        return np.arange(1, len(self.query) + 1) - starts[self.query]

    def running(self, values: Floats, step: np.ufunc = np.add) -> Floats:
        """Per hit what its query's values make up to and with it: np.add a sum, np.multiply a
        product. One array step for each ordinal, so that every query is reckoned on its own in
        rank order, to the last bit as a loop would; float64[m]."""
        ordinal = self.ordinal()
        # numpy sorts numbers of 16 bits without comparing them, many times as fast.
        narrow = ordinal.astype(np.uint16) if ordinal.max(initial=0) < 2**16 else ordinal
        in_turn = np.argsort(narrow, kind="stable")
        edges = np.append(0, np.cumsum(np.bincount(ordinal)[1:]))
        state = np.full(self.n_queries, float(step.identity))
        reached = np.empty(len(values))
        for start, end in pairwise(edges.tolist()):
            rows = in_turn[start:end]
            query = self.query[rows]
            state[query] = reached[rows] = step(state[query], values[rows])
        return reached

    def previous(self, values: npt.NDArray[Any], first: float) -> Floats:
        """Per hit the value of the hit before it in its query; `first` where there is none."""
        shifted = np.full(len(values), float(first))
        same = self.query[1:] == self.query[:-1]
        shifted[1:][same] = values[:-1][same]
        return shifted

    def only(self, mask: npt.NDArray[np.bool_]) -> Hits:
        """The hits where the mask says so; bool[m]."""
        return Hits(self.query[mask], self.rank[mask], self.relevance[mask], self.n_queries)

    def within(self, depth: Ints, query: Ints) -> Ints:
        """Place of the last hit of each of these queries within each of these depths, -1 where
        there is none; arrays of one length."""
        deepest = max(int(self.rank.max(initial=0)), int(depth.max(initial=0))) + 1
        behind = np.searchsorted(self.query * deepest + self.rank, query * deepest + depth, "right")
        return np.where(behind > np.searchsorted(self.query, query), behind - 1, -1)

    def first_rank(self) -> Floats:
        """Per query the rank of its first hit; infinite where there is none."""
        first = np.full(self.n_queries, np.inf)
        lead = np.diff(self.query, prepend=-1) > 0
        first[self.query[lead]] = self.rank[lead]
        return first


def _bincount(cell: Ints, weight: Floats, size: int) -> Floats:
    # numpy gives integers where there is nothing to count.
    return np.bincount(cell, weight, size).astype(np.float64, copy=False)


def prefix_sums(values: Floats) -> Floats:
    """Sums of the first 0, 1, 2, … values."""
    return np.concatenate([[0.0], np.cumsum(values)])


def per_query(values: npt.NDArray[Any], cutoff: Cutoff) -> npt.NDArray[Any]:
    """Per-query values shaped to stand beside sums over `cutoff`: [Q], or [Q, 1] for an array."""
    return values[:, None] if isinstance(cutoff, np.ndarray) else values


def ratio(part: Floats, whole: npt.NDArray[Any]) -> Floats:
    """part / whole, 0 where the whole is 0: trec_eval's rule for queries without relevance."""
    part, whole = np.broadcast_arrays(part, np.asarray(whole, dtype=np.float64))
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole != 0)
