"""The unjudged documents of a pair of runs, and their ranks.

A document in both lists is one document with one grade, so the two runs cannot be treated
independently. Only ranks within the cutoff are read, and documents are matched between the lists
only within these ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.judging import JudgedRanks
from metrics_core.judging.added_judgments import add_judgments, add_listed_grades
from metrics_core.judging.unjudged import UnjudgedPlaces
from metrics_core.scoring.curves import judged_share
from metrics_core.tables import Run
from metrics_core.tables.arrays import as_column
from metrics_core.unjudged.first_documents import (
    NOTHING_LISTED,
    FirstDocumentPair,
    find_positions,
    read_first_document_pair,
)

MOST_MATCHED = 2_000_000
"""Maximum total number of rows of two runs for which documents are matched between the runs. With
more rows, it is unknown which documents both runs list."""

NEAR = 100
"""Deepest rank down to which documents are listed if they are not matched. Deeper documents are
only counted."""


@dataclass(frozen=True)
class UnjudgedRanks:
    """The unjudged documents down to some depth of either list, by query.

    query, run_rank, baseline_rank   int64[document], query of the document and its rank in each
                                     list; the rank is 0 if it is not within the depth
    first_position                   int64[document], position of the document in `first`
    first                            first documents of the run, followed by the baseline's
    n_run_within, n_baseline_within  int64[query], unjudged documents of each list in the depth
    n_run_below, n_baseline_below    int64[query], unjudged documents of each list below it

    If `first` is None, documents were not matched: a document in both lists occurs twice and has no
    id, and only the first `NEAR` ranks are included."""

    query: Ints
    run_rank: Ints
    baseline_rank: Ints
    first: FirstDocumentPair | None
    first_position: Ints
    n_run_within: Ints
    n_baseline_within: Ints
    n_run_below: Ints
    n_baseline_below: Ints

    def __len__(self) -> int:
        return len(self.query)

    @property
    def is_matched(self) -> bool:
        """Whether documents were matched between the lists."""
        return self.first is not None

    @cached_property
    def doc_ids(self) -> pa.ChunkedArray | None:
        """The ids of the documents; None if documents were not matched."""
        if self.first is None:
            return None
        texts = pa.chunked_array([self.first.run.doc_ids, self.first.baseline.doc_ids])
        return texts.take(as_column(self.first_position))

    @property
    def best_rank(self) -> Ints:
        """The better of the two ranks of each document, int64[document]."""
        deep = np.iinfo(np.int64).max
        both = (np.where(rank > 0, rank, deep) for rank in (self.run_rank, self.baseline_rank))
        return np.minimum(*both)

    def select(self, rows: slice | Ints | Mask) -> UnjudgedRanks:
        """Return some of the documents, selected by a mask bool[document] or by positions."""
        return replace(
            self,
            query=self.query[rows],
            run_rank=self.run_rank[rows],
            baseline_rank=self.baseline_rank[rows],
            first_position=self.first_position[rows] if self.is_matched else self.first_position,
        )


def find_unjudged(
    run: JudgedRanks,
    baseline: JudgedRanks,
    cutoff: int | None = None,
    first_documents: Callable[[Run, Run, int], FirstDocumentPair] = read_first_document_pair,
) -> UnjudgedRanks:
    """Return the unjudged documents of two runs with the same judgments, within the first `cutoff`
    ranks, or in the whole lists if `cutoff` is None. `first_documents` is a function that returns
    at least the documents that `read_first_document_pair` returns."""
    listed = sum(int(r.documents(cutoff).sum()) for r in (run, baseline))
    known_runs = [_find_run_of_ranks(ranks) for ranks in (run, baseline)]
    runs = [] if listed > MOST_MATCHED else [loaded for loaded in known_runs if loaded is not None]
    depth = cutoff if len(runs) == 2 else min(cutoff or NEAR, NEAR)
    own_documents, other_documents = (
        UnjudgedPlaces.from_ranks(ranks, 0.0, depth) for ranks in (run, baseline)
    )
    counts_within, counts_below = zip(
        *(_count_unjudged(ranks, cutoff) for ranks in (run, baseline)), strict=True
    )
    counts = (*counts_within, *counts_below)
    if len(runs) < 2:
        query = np.concatenate([own_documents.query, other_documents.query])
        unlisted_ranks = (
            np.zeros(len(documents.query), dtype=np.int64)
            for documents in (other_documents, own_documents)
        )
        run_rank = np.concatenate([own_documents.rank, next(unlisted_ranks)])
        baseline_rank = np.concatenate([next(unlisted_ranks), other_documents.rank])
        return UnjudgedRanks(query, run_rank, baseline_rank, None, query[:0], *counts)
    deepest = max(
        int(documents.rank.max(initial=0)) for documents in (own_documents, other_documents)
    )
    # If every document is judged, none need to be read.
    first = first_documents(runs[0], runs[1], cutoff or deepest) if deepest else NOTHING_LISTED
    return _match_documents(run, own_documents, baseline, other_documents, first, counts)


def _match_documents(
    run: JudgedRanks,
    run_documents: UnjudgedPlaces,
    baseline: JudgedRanks,
    baseline_documents: UnjudgedPlaces,
    first_documents: FirstDocumentPair,
    counts: Sequence[Ints],
) -> UnjudgedRanks:
    """Return the unjudged documents of two lists. A document in both lists occurs only once.

    For each query, the documents of the run come first, by rank, followed by the documents that are
    only in the baseline's list."""
    own_position = find_positions(run, run_documents.query, run_documents.rank, first_documents.run)
    other_position = find_positions(
        baseline, baseline_documents.query, baseline_documents.rank, first_documents.baseline
    )
    # The last entry, index -1, is for documents that the baseline does not list.
    number = np.full(len(first_documents.baseline.rank) + 1, -1, dtype=np.int64)
    number[other_position] = np.arange(len(other_position))
    matches = number[first_documents.baseline_position[own_position]]
    shared = np.flatnonzero(matches >= 0)
    is_alone = np.ones(len(baseline_documents.query), dtype=np.bool_)
    is_alone[matches[shared]] = False
    rank_in_other = np.zeros(len(run_documents.query), dtype=np.int64)
    rank_in_other[shared] = baseline_documents.rank[matches[shared]]
    query = np.concatenate([run_documents.query, baseline_documents.query[is_alone]])
    unlisted_ranks = np.zeros(int(is_alone.sum()), dtype=np.int64)
    # Two sorted lists, concatenated: a stable sort merges them.
    order = np.argsort(query, kind="stable")
    return UnjudgedRanks(
        query[order],
        np.concatenate([run_documents.rank, unlisted_ranks])[order],
        np.concatenate([rank_in_other, baseline_documents.rank[is_alone]])[order],
        first_documents,
        np.concatenate([own_position, other_position[is_alone] + len(first_documents.run.rank)])[
            order
        ],
        *counts,
    )


def _count_unjudged(ranks: JudgedRanks, cutoff: int | None) -> tuple[Ints, Ints]:
    """Return the number of unjudged documents of each query within the cutoff, and the number below
    it, int64[query] each."""
    judged = ranks.judged()
    n_unjudged = ranks.documents() - judged.count().astype(np.int64)
    if cutoff is None:
        return n_unjudged, np.zeros_like(n_unjudged)
    n_within = ranks.documents(cutoff) - judged.count(cutoff).astype(np.int64)
    return n_within, n_unjudged - n_within


def _find_run_of_ranks(ranks: JudgedRanks) -> Run | None:
    """Return the run to which these ranks belong. Returns None if the run's lists are unknown."""
    listed = ranks.listed
    return None if listed is None or listed.lists is not None else listed.run


def add_grades(
    ranks: JudgedRanks, unjudged: UnjudgedRanks, rank_in_list: Ints, grades: Floats
) -> JudgedRanks:
    """Return the ranks of one list as they would be if the `unjudged` documents were judged with
    `grades`, float64[document]. `rank_in_list` int64[document] is the rank of each document in this
    list; 0 if the document is not in the list."""
    listed = rank_in_list > 0
    with_documents = add_listed_grades(
        ranks, unjudged.query[listed], rank_in_list[listed], grades[listed]
    )
    return add_judgments(with_documents, unjudged.query, grades)


def judged_shares(run: JudgedRanks, baseline: JudgedRanks, cutoffs: Sequence[int]) -> pd.DataFrame:
    """Return the share of judged documents among the first k ranks of all queries, for each of the
    two runs. Columns: k, run, baseline.

    There is one row per cutoff. The share is NaN for a run without results."""
    return pd.DataFrame(
        {
            "k": list(cutoffs),
            "run": [judged_share(run, k) for k in cutoffs],
            "baseline": [judged_share(baseline, k) for k in cutoffs],
        }
    )
