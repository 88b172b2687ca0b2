"""Predict the grades of unjudged documents from similar judged documents.

Two documents are similar if the same run, or both runs, list them at about the same rank. The
similar judged documents of all queries form a pool. Queries can be easier or harder than average:
with a probability given by the intraclass correlation of the judged documents, a document copies
another document of its query and lists (Pólya's urn: Blackwell and MacQueen, Annals of Statistics
1973). The quantile within the pool's distribution is copied, since ranks may differ. The pools
themselves are uncertain, so each draw weights their queries at random (the Bayesian bootstrap:
Rubin, Annals of Statistics 1981)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks

KINDS = 3
"""Number of kinds of documents within the depth: those that only the run lists, those that only the
baseline lists, and those in both lists."""

_FEW, _MOST_CELLS = 20, 4_000_000
"""`_FEW` is the number of judged documents that a pool needs. Adjacent ranks are put into the same
pool until it has this number. `_MOST_CELLS` is the maximum number of pools times grades."""
_LEAST_ALIKE, _MOST_ALIKE = 0.02, 0.9


@dataclass(frozen=True)
class _PlacedDocuments:
    """Documents down to some depth of either list. `kind` int64[document] is 0 if only the run
    lists the document, 1 if only the baseline does, and 2 if both do. `rank` int64[document] is the
    better of the document's two ranks, from 0."""

    query: Ints
    kind: Ints
    rank: Ints

    @classmethod
    def from_ranks(
        cls, query: Ints, run_rank: Ints, baseline_rank: Ints, depth: int
    ) -> _PlacedDocuments:
        """Return the documents with these ranks. A rank of 0 means that the list does not contain
        the document."""
        own_rank, other_rank = (
            np.where(rank > 0, rank, depth + 1) for rank in (run_rank, baseline_rank)
        )
        kind = (own_rank <= depth) + 2 * (other_rank <= depth) - 1
        return cls(query, kind, np.minimum(own_rank, other_rank) - 1)

    def select(self, positions: Ints) -> _PlacedDocuments:
        """Return only the documents at these positions."""
        return _PlacedDocuments(self.query[positions], self.kind[positions], self.rank[positions])

    def group_numbers(self, n_queries: int) -> Ints:
        """Return the number of each document's group, int64[document]. A group has the documents of
        one kind and one query."""
        return self.kind * n_queries + self.query


class PredictedGrades:
    """Predicts the grades of unjudged documents within a depth.

    `order` int64[document] is the order in which `draw_grades` returns the documents. `grades`
    float64[grade] are the ascending grades that occur. `n_judged` and `n_unjudged` int64[3] count
    the judged and the unjudged documents of each kind."""

    def __init__(
        self, run: JudgedRanks, baseline: JudgedRanks, unjudged: UnjudgedRanks, depth: int
    ) -> None:
        """Form the pools of judged documents.

        `run` and `baseline` must have the same judgments, and `unjudged` must be the unjudged
        documents in their lists."""
        n_queries = run.n_queries
        judged_documents, grade = _read_judged_documents(
            run, baseline, depth, are_matched=unjudged.is_matched
        )
        group = judged_documents.group_numbers(n_queries)
        by_group = np.argsort(group, kind="stable")
        judged_documents = judged_documents.select(by_group)
        grade = grade[by_group]
        group = group[by_group]
        unjudged_documents = _PlacedDocuments.from_ranks(
            unjudged.query, unjudged.run_rank, unjudged.baseline_rank, depth
        )
        self.order = np.argsort(unjudged_documents.group_numbers(n_queries), kind="stable")
        unjudged_documents = unjudged_documents.select(self.order)
        self.n_judged = np.bincount(judged_documents.kind, minlength=KINDS)
        self.n_unjudged = np.bincount(unjudged_documents.kind, minlength=KINDS)
        self.grades, code = np.unique(grade, return_inverse=True)
        pools = _assign_pool_numbers(judged_documents, depth, len(self.grades))
        pool = pools[judged_documents.kind, judged_documents.rank]
        self._n_pools, self._n_queries = int(pools.max()) + 1, n_queries
        self._query, self._cell = judged_documents.query, pool * len(self.grades) + code
        self._pool = pools[unjudged_documents.kind, unjudged_documents.rank]
        sizes = np.bincount(group, minlength=KINDS * n_queries)
        unjudged_group = unjudged_documents.group_numbers(n_queries)
        n_in_group = np.bincount(unjudged_group, minlength=KINDS * n_queries)
        self._n_judged_in_group, self._judged_start = (
            sizes[unjudged_group],
            (np.cumsum(sizes) - sizes)[unjudged_group],
        )
        self._group_start = (np.cumsum(n_in_group) - n_in_group)[unjudged_group]
        correlation = _intraclass_correlation(_standardise(pool, grade), group, sizes)
        # With n earlier documents in its group, one of them is copied with probability n / (n +
        # this).
        self._new_weight = (1 - correlation) / correlation

    def draw_grades(self, generator: np.random.Generator) -> Ints:
        """Select a grade for each document at random. Returns the index of the grade in `grades`,
        int64[document]."""
        ends, share = self._distributions(generator)
        positions, n_grades = np.arange(len(self._pool)), len(self.grades)
        before = self._n_judged_in_group + positions - self._group_start
        source_number = (generator.random(len(positions)) * (before + self._new_weight)).astype(
            np.int64
        )
        quantile = generator.random(len(positions))
        judged = source_number < self._n_judged_in_group
        after = (self._judged_start + source_number)[judged]
        cell = self._cell[after]
        # A judged document has one quantile within its grade for all documents that copy it.
        offset = share[cell] * generator.random(len(self._cell))[after]
        quantile[judged] = ends[cell] - cell // n_grades - offset
        drawn_before = ~judged & (source_number < before)
        source = np.where(
            drawn_before, self._group_start + source_number - self._n_judged_in_group, positions
        )
        while not np.array_equal(further := source[source], source):
            source = further
        grade_cell = np.searchsorted(ends, quantile[source] + self._pool, side="right")
        return np.clip(grade_cell - self._pool * n_grades, 0, n_grades - 1)

    def _distributions(self, generator: np.random.Generator) -> tuple[Floats, Floats]:
        """Return the distribution of grades in each pool, after weighting the queries at random.
        Both results are float64[pool × grade].

        The first result is the cumulative share of the grades up to each grade, plus the index of
        the pool, so that it ascends over all pools. The second result is the share of each
        grade."""
        weights = generator.standard_exponential(self._n_queries)
        cells = self._n_pools * len(self.grades)
        mass = np.bincount(self._cell, weights[self._query], cells).reshape(self._n_pools, -1)
        # Nothing is drawn from an empty pool.
        share = mass / np.maximum(mass.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        ends = share.cumsum(axis=1) + np.arange(self._n_pools)[:, None]
        return ends.ravel(), share.ravel()


def _read_judged_documents(
    run: JudgedRanks, baseline: JudgedRanks, depth: int, *, are_matched: bool
) -> tuple[_PlacedDocuments, Floats]:
    """Return the judged documents within the depth, and their grades.

    If documents were not matched between the lists, a document in both lists occurs twice."""
    is_near = [(ranks.relevance >= 0) & (ranks.rank <= depth) for ranks in (run, baseline)]
    (query, rank, row, grade), other = (
        (r.query[n], r.rank[n], r.qrels_row[n], r.relevance[n])
        for r, n in zip((run, baseline), is_near, strict=True)
    )
    ranks = np.zeros((2, len(row) + len(other[2])), dtype=np.int64)
    ranks[0, : len(row)], ranks[1, len(row) :] = rank, other[1]
    query, grade = np.concatenate([query, other[0]]), np.concatenate([grade, other[3]])
    if are_matched:
        all_rows = np.concatenate([row, other[2]])
        documents, first, number = np.unique(all_rows, return_index=True, return_inverse=True)
        document_ranks = np.zeros((2, len(documents)), dtype=np.int64)
        document_ranks[0, number[: len(row)]], document_ranks[1, number[len(row) :]] = (
            rank,
            other[1],
        )
        query, grade, ranks = query[first], grade[first], document_ranks
    return _PlacedDocuments.from_ranks(query, ranks[0], ranks[1], depth), grade


def _assign_pool_numbers(documents: _PlacedDocuments, depth: int, n_grades: int) -> Ints:
    """Return the index of the pool for each kind of document and each rank, int64[3, depth].

    Adjacent ranks share a pool until it has enough judged documents. No pool that is used is empty,
    because an empty pool would imply that nothing is relevant."""
    least_judged = max(_FEW, len(documents.rank) * n_grades // _MOST_CELLS)
    counts = np.bincount(documents.kind * depth + documents.rank, minlength=KINDS * depth)
    pools, number = np.empty((KINDS, depth), dtype=np.int64), -1
    for kind, remaining in zip(pools, counts.reshape(KINDS, depth), strict=True):
        number, inside = number + 1, 0
        below = remaining[::-1].cumsum()[::-1]
        for rank in range(depth):
            if inside >= least_judged and below[rank] >= least_judged:
                number, inside = number + 1, 0
            kind[rank] = number
            inside += remaining[rank]
    return pools


def _standardise(pool: Ints, grade: Floats) -> Floats:
    """Return how far the grade of each judged document is from the mean of its pool, in standard
    deviations, float64[document]."""
    count = np.maximum(np.bincount(pool), 1)
    gap = grade - (np.bincount(pool, grade) / count)[pool]
    spread = np.sqrt(np.bincount(pool, np.square(gap)) / count)[pool]
    return np.divide(gap, spread, out=np.zeros_like(gap), where=spread > 0)


def _intraclass_correlation(gap: Floats, group: Ints, sizes: Ints) -> float:
    """Return the intraclass correlation: the mean product of two documents' gaps, over all pairs of
    documents in the same group. It is clipped to `_LEAST_ALIKE` and `_MOST_ALIKE`.

    `gap` is the result of `_standardise`; `sizes` int64[group] are the numbers of documents."""
    pairs = float((sizes * (sizes - 1)).sum())
    products = float(np.square(np.bincount(group, gap)).sum() - np.square(gap).sum())
    return float(np.clip(products / max(pairs, 1.0), _LEAST_ALIKE, _MOST_ALIKE))
