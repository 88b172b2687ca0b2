"""Hits: a selection of a run's ranked documents, and the sums from which measures are built.

Every sum over ranks takes one cutoff or an array of cutoffs. Each query is summed separately in
rank order, like in trec_eval, and each cutoff reads the running sum. The result is therefore
bitwise independent of the other cutoffs, and a curve over a thousand cutoffs costs little more than
a single score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from metrics_core.base.arrays import AnyArray, Floats, Ints, Mask
from metrics_core.base.compiled.machine import compiled_functions

Cutoff = int | Ints | None

_MOST_CELLS = 2**21
"""Maximum number of cells in a table of running sums. A single list that is longer gets a larger
table."""


@dataclass(frozen=True)
class Hits:
    """Documents of some queries, sorted by query and rank.

    `query` int64[hit] counts from 0, `rank` int64[hit] from 1. `relevance` is float64[hit]."""

    query: Ints
    rank: Ints
    relevance: Floats
    n_queries: int

    def total(self, weight: Floats, cutoff: Cutoff = None) -> Floats:
        """Return the sum of `weight` float64[hit] within each cutoff: float64[query], or
        float64[query, cutoff] for an array of cutoffs. If no cutoff is given, the sum is over the
        whole list."""
        if cutoff is None:
            return _bincount(self.query, weight, self.n_queries)
        if not isinstance(cutoff, np.ndarray):
            inside = self.rank <= cutoff
            return _bincount(self.query[inside], weight[inside], self.n_queries)
        order = np.argsort(cutoff, kind="stable")
        rising = np.ascontiguousarray(cutoff[order], dtype=np.int64)
        totals = np.empty((self.n_queries, len(rising)))
        weight = np.ascontiguousarray(weight, dtype=np.float64)
        compiled_functions("sums").running_totals(
            self._query_starts, self.rank, weight, rising, totals
        )
        if (order[1:] < order[:-1]).any():
            totals[:, order] = totals.copy()
        return totals

    def count(self, cutoff: Cutoff = None) -> Floats:
        """Return the number of hits within each cutoff: float64[query], or float64[query, cutoff]
        for an array of cutoffs."""
        return self.total(np.ones(len(self.query)), cutoff)

    def count_within(self, limit: Ints) -> Floats:
        """Return the number of hits of each query down to the query's own rank limit,
        float64[query]. `limit` is int64[query]."""
        inside = self.rank <= limit[self.query]
        return np.bincount(self.query[inside], minlength=self.n_queries).astype(np.float64)

    def ordinals(self) -> Ints:
        """Return the number of each hit among the hits of its query, counted from 1, int64[hit]."""
        return self._ordinals

    @cached_property
    def _query_starts(self) -> Ints:
        """Position of each query's first hit, int64[query]."""
        return np.searchsorted(self.query, np.arange(self.n_queries))

    @cached_property
    def _ordinals(self) -> Ints:
        return np.arange(1, len(self.query) + 1) - self._query_starts[self.query]

    def accumulate(self, values: Floats, step: np.ufunc = np.add) -> Floats:
        """Return the running sum (`step` is np.add) or product (np.multiply) of `values` within
        each query. Both `values` and the result are float64[hit].

        The value of a hit includes the hit itself. Each query is computed separately in rank order,
        so that the result is bitwise equal to the result of a loop."""
        reached = np.empty(len(values))
        for hits, cell, shape in self._hit_tables:
            table = np.full(shape, float(step.identity))
            table.reshape(-1)[cell] = values[hits]
            reached[hits] = step.accumulate(table, axis=1).reshape(-1)[cell]
        return reached

    @cached_property
    def _hit_tables(self) -> list[tuple[slice | Ints, Ints, tuple[int, int]]]:
        """Arrange all hits in tables with one row per query and one column per hit. The first
        column of a table is empty.

        Each table is a tuple: the hits, their cells in the table, and the shape of the table.
        Queries with similar numbers of hits share a table, so that a single long list does not make
        all tables wide."""
        length = np.bincount(self.query, minlength=self.n_queries)
        width = int(length.max(initial=0)) + 1
        if self.n_queries * width <= _MOST_CELLS:
            cell = self.query * width + self.ordinals()
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
            cell = row[self.query[hits]] * width + self.ordinals()[hits]
            tables.append((hits, cell, (len(queries), width)))
            n_done += len(queries)
        return tables

    def previous_values(self, values: AnyArray, first: float) -> Floats:
        """Return, for each hit, the value of the previous hit of the same query, float64[hit].

        `values` is [hit]. For the first hit of a query, the result is `first`."""
        shifted = np.full(len(values), float(first))
        same = self.query[1:] == self.query[:-1]
        shifted[1:][same] = values[:-1][same]
        return shifted

    def select(self, mask: Mask) -> Hits:
        """Return the hits for which `mask` bool[hit] is true."""
        return Hits(self.query[mask], self.rank[mask], self.relevance[mask], self.n_queries)

    def contributions(self, weight: Floats, cutoff: int | None = None) -> Hits:
        """Return the hits within the cutoff, with their grades replaced by `weight` float64[hit].
        The weight of a hit is its contribution to `total`."""
        weighed = replace(self, relevance=weight)
        return weighed if cutoff is None else weighed.select(self.rank <= cutoff)

    def divide(self, score: Floats) -> Hits:
        """Divide the `score` of each query, float64[query], among its hits in proportion to their
        grades, which must not be negative. Return the hits with their grades replaced by these
        contributions."""
        return self.contributions(
            self.relevance * ratio(score, self.total(self.relevance))[self.query]
        )

    def last_hit_positions(self, depth: Ints, query: Ints) -> Ints:
        """Return the position of the last hit of each `query` down to rank `depth`. Returns -1 for
        a query without such a hit. All arrays are int64[n]."""
        deepest = max(int(self.rank.max(initial=0)), int(depth.max(initial=0))) + 1
        behind = np.searchsorted(self.query * deepest + self.rank, query * deepest + depth, "right")
        return np.where(behind > np.searchsorted(self.query, query), behind - 1, -1)

    def first_rank(self) -> Floats:
        """Return the rank of each query's first hit, float64[query]. It is infinite if the query
        has no hit."""
        first = np.full(self.n_queries, np.inf)
        lead = np.diff(self.query, prepend=-1) > 0
        first[self.query[lead]] = self.rank[lead]
        return first


def _bincount(cell: Ints, weight: Floats, size: int) -> Floats:
    # numpy returns integers if there is nothing to count.
    return np.bincount(cell, weight, size).astype(np.float64, copy=False)


def prefix_sums(values: Floats) -> Floats:
    """Return the n + 1 cumulative sums of the n `values`, starting with 0, float64[n + 1]."""
    return np.concatenate([[0.0], np.cumsum(values)])


def expand_per_query(values: AnyArray, cutoff: Cutoff) -> AnyArray:
    """Return values of shape [query] in a shape that can be broadcast with sums over `cutoff`.

    The new shape is [query, 1] for an array of cutoffs; otherwise it is unchanged."""
    return values[:, None] if isinstance(cutoff, np.ndarray) else values


def ratio(part: Floats, whole: AnyArray) -> Floats:
    """Return part / whole, float64[…] with the broadcast shape of both.

    The result is 0 if `whole` is 0, as in trec_eval for queries without relevant documents."""
    part, whole = np.broadcast_arrays(part, np.asarray(whole, dtype=np.float64))
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole != 0)
