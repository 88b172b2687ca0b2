"""Hits: some of a run's ranked documents, and the array sums that measures are made of.

Every sum over ranks takes one cutoff or an array of them. Each query is summed on its own in rank
order, as trec_eval sums it, and a cutoff reads off how far the sum has come: its bits depend on
nothing else that is asked for, and a curve over a thousand cutoffs costs little more than one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.compiled.machine import compiled

Cutoff = int | Ints | None

_MOST_CELLS = 2**21
"""A table for running sums holds no more than this many, but for one list that is longer."""


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
        order = np.argsort(cutoff, kind="stable")
        rising = np.ascontiguousarray(cutoff[order], dtype=np.int64)
        totals = np.empty((self.n_queries, len(rising)))
        weight = np.ascontiguousarray(weight, dtype=np.float64)
        compiled("sums").running_totals(self._starts, self.rank, weight, rising, totals)
        if (order[1:] < order[:-1]).any():
            totals[:, order] = totals.copy()
        return totals

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
    def _starts(self) -> Ints:
        """Per query the place of its first hit."""
        return np.searchsorted(self.query, np.arange(self.n_queries))

    @cached_property
    def _ordinals(self) -> Ints:
        return np.arange(1, len(self.query) + 1) - self._starts[self.query]

    def running(self, values: Floats, step: np.ufunc = np.add) -> Floats:
        """Per hit what its query's values make up to and with it: np.add a sum, np.multiply a
        product; every query is reckoned on its own in rank order, to the last bit as a loop would;
        float64[m]."""
        reached = np.empty(len(values))
        for hits, cell, shape in self._tables:
            table = np.full(shape, float(step.identity))
            table.reshape(-1)[cell] = values[hits]
            reached[hits] = step.accumulate(table, axis=1).reshape(-1)[cell]
        return reached

    @cached_property
    def _tables(self) -> list[tuple[slice | Ints, Ints, tuple[int, int]]]:
        """All hits laid out in tables, a row for each query and a column for each of its hits
        behind an empty one: which hits, their cells, and the table's shape. Queries with about as
        many hits share a table, so that one long list does not widen all the others."""
        length = np.bincount(self.query, minlength=self.n_queries)
        width = int(length.max(initial=0)) + 1
        if self.n_queries * width <= _MOST_CELLS:
            cell = self.query * width + self.ordinal()
            return [(slice(None), cell, (self.n_queries, width))]
        tables: list[tuple[slice | Ints, Ints, tuple[int, int]]] = []
        by_length = np.argsort(length, kind="stable")
        row = np.empty(self.n_queries, dtype=np.int64)
        n_done = 0
        while n_done < self.n_queries:
            remaining = by_length[n_done:]
            cells = np.arange(1, len(remaining) + 1) * (length[remaining] + 1)
            queries = remaining[: max(1, int(np.searchsorted(cells, _MOST_CELLS, "right")))]
            row.fill(-1)
            row[queries] = np.arange(len(queries))
            width = int(length[queries[-1]]) + 1
            hits = np.flatnonzero(row[self.query] >= 0)
            cell = row[self.query[hits]] * width + self.ordinal()[hits]
            tables.append((hits, cell, (len(queries), width)))
            n_done += len(queries)
        return tables

    def previous(self, values: npt.NDArray[Any], first: float) -> Floats:
        """Per hit the value of the hit before it in its query; `first` where there is none."""
        shifted = np.full(len(values), float(first))
        same = self.query[1:] == self.query[:-1]
        shifted[1:][same] = values[:-1][same]
        return shifted

    def only(self, mask: Mask) -> Hits:
        """The hits where the mask says so; bool[m]."""
        return Hits(self.query[mask], self.rank[mask], self.relevance[mask], self.n_queries)

    def parts(self, weight: Floats, cutoff: int | None = None) -> Hits:
        """The hits within the cutoff with `weight` (float64[m]) in place of the grade: what each
        adds to the sum that `total` gives."""
        weighed = replace(self, relevance=weight)
        return weighed if cutoff is None else weighed.only(self.rank <= cutoff)

    def sharing(self, score: Floats) -> Hits:
        """The hits with parts of their query's score (float64[Q]) in place of the grades, which are
        weights of 0 or more: each has the share that its weight has."""
        return self.parts(self.relevance * ratio(score, self.total(self.relevance))[self.query])

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


def expand_per_query(values: npt.NDArray[Any], cutoff: Cutoff) -> npt.NDArray[Any]:
    """Per-query values shaped to stand beside sums over `cutoff`: [Q], or [Q, 1] for an array."""
    return values[:, None] if isinstance(cutoff, np.ndarray) else values


def ratio(part: Floats, whole: npt.NDArray[Any]) -> Floats:
    """part / whole, 0 where the whole is 0: trec_eval's rule for queries without relevance."""
    part, whole = np.broadcast_arrays(part, np.asarray(whole, dtype=np.float64))
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole != 0)
