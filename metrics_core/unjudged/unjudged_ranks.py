"""What of a pair is not judged: which documents of the two lists nobody has graded, and where.

A document that stands in both lists is one document and has one grade, so the two runs cannot be
looked at each by itself. Only the ranks that count are looked at, and only there are the documents
of the lists compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.judging import JudgedRanks
from metrics_core.judging.additions import with_judgments, with_listed
from metrics_core.judging.unjudged import UnjudgedPlaces
from metrics_core.scoring.curves import judged_share
from metrics_core.tables import Run
from metrics_core.tables.arrays import column_of
from metrics_core.unjudged.first_documents import (
    NOTHING_LISTED,
    FirstOfBoth,
    first_of_both,
    places_of,
)

MOST_MATCHED = 2_000_000
"""Rows of two lists that are compared document by document; of more, none are known as shared."""

NEAR = 100
"""So deep the documents stand here that were not compared; of the others the number is known."""


@dataclass(frozen=True)
class UnjudgedRanks:
    """The unjudged documents within a depth of one list or both: u of them, by query.

    `query` int64[u]; `run_rank` and `baseline_rank` int64[u], 0 where the document does not stand
    within the depth of that list; `place` int64[u] where it stands in `first`, the first documents
    of the run and, behind them, of the baseline. Without `first` documents were not compared: one
    in both lists stands here twice, and has no name, and only those of the first `NEAR` ranks stand
    here. `run_within` and `baseline_within` int64[Q] count the unjudged documents of each list
    within the depth, `run_further` and `baseline_further` those below it.
    """

    query: Ints
    run_rank: Ints
    baseline_rank: Ints
    first: FirstOfBoth | None
    place: Ints
    run_within: Ints
    baseline_within: Ints
    run_further: Ints
    baseline_further: Ints

    def __len__(self) -> int:
        return len(self.query)

    @property
    def matched(self) -> bool:
        """Whether documents were compared."""
        return self.first is not None

    @cached_property
    def doc_ids(self) -> pa.ChunkedArray | None:
        """Their names, if they were compared."""
        if self.first is None:
            return None
        texts = pa.chunked_array([self.first.run.doc_ids, self.first.baseline.doc_ids])
        return texts.take(column_of(self.place))

    @property
    def any_within(self) -> bool:
        """Whether there is any within the depth."""
        if self.matched:
            return len(self) > 0
        return bool((self.run_within + self.baseline_within).any())

    @property
    def best_rank(self) -> Ints:
        """The better of the two ranks of each document, int64[u]."""
        deep = np.iinfo(np.int64).max
        both = (np.where(rank > 0, rank, deep) for rank in (self.run_rank, self.baseline_rank))
        return np.minimum(*both)

    def some(self, places: slice | Ints | Mask) -> UnjudgedRanks:
        """Some of the documents, bool[u] or their places."""
        return replace(
            self,
            query=self.query[places],
            run_rank=self.run_rank[places],
            baseline_rank=self.baseline_rank[places],
            place=self.place[places] if self.matched else self.place,
        )


def unjudged_ranks(
    run: JudgedRanks,
    baseline: JudgedRanks,
    cutoff: int | None = None,
    first_documents: Callable[[Run, Run, int], FirstOfBoth] = first_of_both,
) -> UnjudgedRanks:
    """The unjudged documents of two runs judged alike, within the first `cutoff` ranks; without it
    of the whole lists. `first_documents` gives what `first_of_both` does, or more."""
    listed = sum(int(r.documents(cutoff).sum()) for r in (run, baseline))
    known = [_run_of(ranks) for ranks in (run, baseline)]
    runs = [] if listed > MOST_MATCHED else [them for them in known if them is not None]
    depth = cutoff if len(runs) == 2 else min(cutoff or NEAR, NEAR)
    own, other = (UnjudgedPlaces.of(ranks, 0.0, depth) for ranks in (run, baseline))
    within, further = zip(*(_counted(ranks, cutoff) for ranks in (run, baseline)), strict=True)
    counts = (*within, *further)
    if len(runs) < 2:
        query = np.concatenate([own.query, other.query])
        nowhere = (np.zeros(len(free.query), dtype=np.int64) for free in (other, own))
        run_rank = np.concatenate([own.rank, next(nowhere)])
        baseline_rank = np.concatenate([next(nowhere), other.rank])
        return UnjudgedRanks(query, run_rank, baseline_rank, None, query[:0], *counts)
    deepest = max(int(free.rank.max(initial=0)) for free in (own, other))
    # Where every document is judged, none need be read.
    first = first_documents(runs[0], runs[1], cutoff or deepest) if deepest else NOTHING_LISTED
    return _matched(run, own, baseline, other, first, counts)


def _matched(
    run: JudgedRanks,
    own: UnjudgedPlaces,
    baseline: JudgedRanks,
    other: UnjudgedPlaces,
    first: FirstOfBoth,
    counts: Sequence[Ints],
) -> UnjudgedRanks:
    """The unjudged documents of two lists, one of both lists once: by query those of the run by
    rank, then those of the baseline alone."""
    place = places_of(run, own.query, own.rank, first.run)
    other_place = places_of(baseline, other.query, other.rank, first.baseline)
    # The last one stands for what the baseline does not hold: -1 looks there.
    number = np.full(len(first.baseline.rank) + 1, -1, dtype=np.int64)
    number[other_place] = np.arange(len(other_place))
    twin = number[first.same[place]]
    shared = np.flatnonzero(twin >= 0)
    alone = np.ones(len(other.query), dtype=np.bool_)
    alone[twin[shared]] = False
    in_other = np.zeros(len(own.query), dtype=np.int64)
    in_other[shared] = other.rank[twin[shared]]
    query = np.concatenate([own.query, other.query[alone]])
    nowhere = np.zeros(int(alone.sum()), dtype=np.int64)
    # Two lists in order, one after the other: a stable sort merges them.
    order = np.argsort(query, kind="stable")
    return UnjudgedRanks(
        query[order],
        np.concatenate([own.rank, nowhere])[order],
        np.concatenate([in_other, other.rank[alone]])[order],
        first,
        np.concatenate([place, other_place[alone] + len(first.run.rank)])[order],
        *counts,
    )


def _counted(ranks: JudgedRanks, cutoff: int | None) -> tuple[Ints, Ints]:
    """How many unjudged documents each query lists within the cutoff, and below it."""
    judged = ranks.judged()
    every = ranks.documents() - judged.count().astype(np.int64)
    if cutoff is None:
        return every, np.zeros_like(every)
    within = ranks.documents(cutoff) - judged.count(cutoff).astype(np.int64)
    return within, every - within


def _run_of(ranks: JudgedRanks) -> Run | None:
    """The run whose lists they are, if the ranks know what it lists."""
    listed = ranks.listed
    return None if listed is None or listed.lists is not None else listed.run


def with_grades(
    ranks: JudgedRanks, found: UnjudgedRanks, own_rank: Ints, grades: Floats
) -> JudgedRanks:
    """The ranks after these documents were judged, float64[u] grades; `own_rank` is their rank in
    this list, 0 where it does not hold them."""
    listed = own_rank > 0
    there = with_listed(ranks, found.query[listed], own_rank[listed], grades[listed])
    return with_judgments(there, found.query, grades)


def judged_shares(run: JudgedRanks, baseline: JudgedRanks, cutoffs: Sequence[int]) -> pd.DataFrame:
    """How much of both lists is judged: columns k, run, baseline (shares of all documents within
    the first k ranks of all queries; NaN where nothing is listed)."""
    return pd.DataFrame(
        {
            "k": list(cutoffs),
            "run": [judged_share(run, k) for k in cutoffs],
            "baseline": [judged_share(baseline, k) for k in cutoffs],
        }
    )
