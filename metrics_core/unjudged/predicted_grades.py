"""The grades that unjudged documents would likely have: those of judged documents like them.

Alike are documents that the same of the two runs lists, one alone or both, at about the same rank:
the judged ones of all queries are a pool. Queries are easier or harder than their pools: with the
intraclass correlation of the judged ones as the chance, a document takes after another one of its
query and lists (Pólya's urn: Blackwell and MacQueen, Annals of Statistics 1973). What it takes over
is the place within the pool's distribution, since ranks may differ. The pools are uncertain
themselves: their queries are weighted anew in each draw (the Bayesian bootstrap: Rubin, Annals of
Statistics 1981).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks

KINDS = 3
"""Documents within the depth of the run alone, of the baseline alone, of both."""

_FEW, _MOST_CELLS = 20, 4_000_000
"""Neighbouring ranks share a pool until so many documents are judged there; pools and grades."""
_LEAST_ALIKE, _MOST_ALIKE = 0.02, 0.9


@dataclass(frozen=True)
class _Listed:
    """Documents within a depth of one list or both: `kind` is one of `KINDS`, `rank` the better
    one, from 0; int64[n] each."""

    query: Ints
    kind: Ints
    rank: Ints

    @classmethod
    def of(cls, query: Ints, run_rank: Ints, baseline_rank: Ints, depth: int) -> _Listed:
        """Documents at these ranks, 0 where a list does not hold them."""
        own, other = (np.where(rank > 0, rank, depth + 1) for rank in (run_rank, baseline_rank))
        kind = (own <= depth) + 2 * (other <= depth) - 1
        return cls(query, kind, np.minimum(own, other) - 1)

    def at(self, places: Ints) -> _Listed:
        """Those at these places."""
        return _Listed(self.query[places], self.kind[places], self.rank[places])

    def group(self, n_queries: int) -> Ints:
        """A number for each kind and query."""
        return self.kind * n_queries + self.query


class UsualGrades:
    """Grades for the documents of `found` within a depth, which are put in an `order` of their own:
    draws are for them in that order. `grades` are the rising ones that occur; `judged` and `asked`
    int64[3] count the judged documents and those of `found` by kind."""

    def __init__(
        self, run: JudgedRanks, baseline: JudgedRanks, found: UnjudgedRanks, depth: int
    ) -> None:
        """The two lists that `found` is of, judged alike."""
        n_queries = run.n_queries
        known, grade = _judged(run, baseline, depth, matched=found.matched)
        group = known.group(n_queries)
        by_group = np.argsort(group, kind="stable")
        known, grade, group = known.at(by_group), grade[by_group], group[by_group]
        asked = _Listed.of(found.query, found.run_rank, found.baseline_rank, depth)
        self.order = np.argsort(asked.group(n_queries), kind="stable")
        asked = asked.at(self.order)
        self.judged = np.bincount(known.kind, minlength=KINDS)
        self.asked = np.bincount(asked.kind, minlength=KINDS)
        self.grades, code = np.unique(grade, return_inverse=True)
        pools = _pools(known, depth, len(self.grades))
        pool = pools[known.kind, known.rank]
        self._n_pools, self._n_queries = int(pools.max()) + 1, n_queries
        self._query, self._cell = known.query, pool * len(self.grades) + code
        self._pool = pools[asked.kind, asked.rank]
        sizes = np.bincount(group, minlength=KINDS * n_queries)
        own = asked.group(n_queries)
        new = np.bincount(own, minlength=KINDS * n_queries)
        self._known, self._known_from = sizes[own], (np.cumsum(sizes) - sizes)[own]
        self._from = (np.cumsum(new) - new)[own]
        alike = _alike(_standardised(pool, grade), group, sizes)
        # With n documents of its group before it, one of them is taken n times in n + this.
        self._apart = (1 - alike) / alike

    def drawn(self, generator: np.random.Generator) -> Ints:
        """A draw: the place in `grades` of each document, int64[u]."""
        ends, share = self._distributions(generator)
        place, n_grades = np.arange(len(self._pool)), len(self.grades)
        before = self._known + place - self._from
        taken = (generator.random(len(place)) * (before + self._apart)).astype(np.int64)
        within = generator.random(len(place))
        judged = taken < self._known
        after = (self._known_from + taken)[judged]
        cell = self._cell[after]
        # A judged document stands at one place within its grade for all that take after it.
        inside = share[cell] * generator.random(len(self._cell))[after]
        within[judged] = ends[cell] - cell // n_grades - inside
        drawn_before = ~judged & (taken < before)
        source = np.where(drawn_before, self._from + taken - self._known, place)
        while not np.array_equal(further := source[source], source):
            source = further
        at = np.searchsorted(ends, within[source] + self._pool, side="right")
        return np.clip(at - self._pool * n_grades, 0, n_grades - 1)

    def _distributions(self, generator: np.random.Generator) -> tuple[Floats, Floats]:
        """Of each pool and grade where the grade ends in the pool's distribution, which reaches
        from the number of the pool to the next, and its share; with queries of other weights each
        time."""
        weights = generator.standard_exponential(self._n_queries)
        cells = self._n_pools * len(self.grades)
        mass = np.bincount(self._cell, weights[self._query], cells).reshape(self._n_pools, -1)
        # Nothing is drawn from a pool that holds nothing.
        share = mass / np.maximum(mass.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        ends = share.cumsum(axis=1) + np.arange(self._n_pools)[:, None]
        return ends.ravel(), share.ravel()


def _judged(
    run: JudgedRanks, baseline: JudgedRanks, depth: int, *, matched: bool
) -> tuple[_Listed, Floats]:
    """The judged documents within the depth, and their grades; where documents are not matched,
    one that both lists hold stands there twice."""
    near = [(ranks.relevance >= 0) & (ranks.rank <= depth) for ranks in (run, baseline)]
    (query, rank, row, grade), other = (
        (r.query[n], r.rank[n], r.qrels_row[n], r.relevance[n])
        for r, n in zip((run, baseline), near, strict=True)
    )
    ranks = np.zeros((2, len(row) + len(other[2])), dtype=np.int64)
    ranks[0, : len(row)], ranks[1, len(row) :] = rank, other[1]
    query, grade = np.concatenate([query, other[0]]), np.concatenate([grade, other[3]])
    if matched:
        every = np.concatenate([row, other[2]])
        documents, first, number = np.unique(every, return_index=True, return_inverse=True)
        held = np.zeros((2, len(documents)), dtype=np.int64)
        held[0, number[: len(row)]], held[1, number[len(row) :]] = rank, other[1]
        query, grade, ranks = query[first], grade[first], held
    return _Listed.of(query, ranks[0], ranks[1], depth), grade


def _pools(known: _Listed, depth: int, n_grades: int) -> Ints:
    """The number of the pool of each kind and rank, int64[3, depth]: none is empty that is asked,
    for an empty one would say that nothing is relevant."""
    few = max(_FEW, len(known.rank) * n_grades // _MOST_CELLS)
    counts = np.bincount(known.kind * depth + known.rank, minlength=KINDS * depth)
    pools, number = np.empty((KINDS, depth), dtype=np.int64), -1
    for kind, left in zip(pools, counts.reshape(KINDS, depth), strict=True):
        number, inside = number + 1, 0
        below = left[::-1].cumsum()[::-1]
        for rank in range(depth):
            if inside >= few and below[rank] >= few:
                number, inside = number + 1, 0
            kind[rank] = number
            inside += left[rank]
    return pools


def _standardised(pool: Ints, grade: Floats) -> Floats:
    """How far each judged document lies from the mean of its pool, in standard deviations."""
    count = np.maximum(np.bincount(pool), 1)
    gap = grade - (np.bincount(pool, grade) / count)[pool]
    spread = np.sqrt(np.bincount(pool, np.square(gap)) / count)[pool]
    return np.divide(gap, spread, out=np.zeros_like(gap), where=spread > 0)


def _alike(gap: Floats, group: Ints, sizes: Ints) -> float:
    """The intraclass correlation: the mean product over all pairs of a group."""
    pairs = float((sizes * (sizes - 1)).sum())
    products = float(np.square(np.bincount(group, gap)).sum() - np.square(gap).sum())
    return float(np.clip(products / max(pairs, 1.0), _LEAST_ALIKE, _MOST_ALIKE))
