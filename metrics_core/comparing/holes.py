"""The holes in the judgments of a pair: which documents of the two lists nobody has judged.

A document that stands in both lists is one document and has one grade, so the two runs cannot be
looked at each by itself. Only the ranks that count are looked at, and only there are the documents
of the lists compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core import frames as pd
from metrics_core.judging import JudgedRanks
from metrics_core.judging.additions import with_judgments, with_listed
from metrics_core.judging.ranking import top_ranks
from metrics_core.judging.unjudged import Unjudged
from metrics_core.scoring.curves import judged_share
from metrics_core.tables import Run
from metrics_core.tables.columns import ID

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

MOST_MATCHED = 2_000_000
"""Rows of two lists that are compared document by document; of more, none are known as shared."""

NEAR = 100
"""So deep the documents stand here that were not compared; of the others the number is known."""


@dataclass(frozen=True)
class Holes:
    """The unjudged documents within a depth of one list or both: u of them, by query.

    `query` int64[u]; `run_rank` and `baseline_rank` int64[u], 0 where the document does not stand
    within the depth of that list; `doc_ids` their names. `matched` says whether documents were
    compared: if not, one in both lists stands here twice, and has no name, and only those of the
    first `NEAR` ranks stand here. `run_within` and `baseline_within` int64[Q] count the unjudged
    documents of each list within the depth, `run_further` and `baseline_further` those below it.
    """

    query: Ints
    run_rank: Ints
    baseline_rank: Ints
    doc_ids: pa.Array | None
    matched: bool
    run_within: Ints
    baseline_within: Ints
    run_further: Ints
    baseline_further: Ints

    def __len__(self) -> int:
        return len(self.query)

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

    def some(self, places: slice | Ints | Mask) -> Holes:
        """Some of the documents, bool[u] or their places, without names."""
        return replace(
            self,
            query=self.query[places],
            run_rank=self.run_rank[places],
            baseline_rank=self.baseline_rank[places],
            doc_ids=None,
        )

    def named(self, places: Ints) -> Holes:
        """Some of the documents by their places, with their names."""
        names = None if self.doc_ids is None else self.doc_ids.take(pa.array(places))
        return replace(self.some(places), doc_ids=names)


@dataclass(frozen=True)
class Top:
    """The first documents of every list of a run, by query and rank: `code` int64[n], the run's own
    of the query, `rank` int64[n], from 1, and their names."""

    code: Ints
    rank: Ints
    doc_ids: pa.Array


def top_of(run: Run, depth: int) -> Top:
    """The first `depth` documents of every list."""
    leading = run.leading(depth)
    rows, rank = top_ranks(leading, depth)
    code = leading.query_codes[rows].astype(np.int64)
    place = code * (depth + 1) + rank
    if not (place[1:] >= place[:-1]).all():
        ordered = np.argsort(place, kind="stable")
        rows, code, rank = rows[ordered], code[ordered], rank[ordered]
    names = leading.doc_ids
    if len(rows) < len(names) or not (rows[1:] > rows[:-1]).all():
        names = names.take(pa.array(rows))
    texts = names.combine_chunks().cast(ID) if len(names.chunks) != 1 else names.chunk(0)
    return Top(code, rank, texts)


def holes(
    run: JudgedRanks,
    baseline: JudgedRanks,
    cutoff: int | None = None,
    top: Callable[[Run, int], Top] = top_of,
) -> Holes:
    """The unjudged documents of two runs judged alike, within the first `cutoff` ranks; without it
    of the whole lists. `top` gives what `top_of` does, or more."""
    listed = sum(int(np.minimum(r.retrieved, cutoff or np.inf).sum()) for r in (run, baseline))
    many = listed > MOST_MATCHED or _nameless(run) or _nameless(baseline)
    depth = min(cutoff or NEAR, NEAR) if many else cutoff
    own, other = (Unjudged.of(ranks, 0.0, depth) for ranks in (run, baseline))
    within, further = zip(*(_counted(ranks, cutoff) for ranks in (run, baseline)), strict=True)
    counts = (*within, *further)
    if many:
        query = np.concatenate([own.query, other.query])
        nowhere = np.zeros(len(query), dtype=np.int64)
        run_rank, baseline_rank = nowhere.copy(), nowhere
        run_rank[: len(own.query)] = own.rank
        baseline_rank[len(own.query) :] = other.rank
        return Holes(query, run_rank, baseline_rank, None, False, *counts)
    names = [_doc_ids(free, r, cutoff, top) for free, r in ((own, run), (other, baseline))]
    texts = pa.concat_arrays(names).dictionary_encode()
    codes = texts.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    known = len(texts.dictionary)
    pair = np.concatenate([own.query, other.query]) * max(known, 1) + codes
    distinct, place = np.unique(pair, return_inverse=True)
    run_rank, baseline_rank = np.zeros((2, len(distinct)), dtype=np.int64)
    run_rank[place[: len(own.query)]] = own.rank
    baseline_rank[place[len(own.query) :]] = other.rank
    query = distinct // max(known, 1)
    doc_ids = texts.dictionary.take(pa.array(distinct % max(known, 1)))
    return Holes(query, run_rank, baseline_rank, doc_ids, True, *counts)


def _counted(ranks: JudgedRanks, cutoff: int | None) -> tuple[Ints, Ints]:
    """How many unjudged documents each query lists within the cutoff, and below it."""
    judged = ranks.judged()
    every = ranks.retrieved - judged.count().astype(np.int64)
    if cutoff is None:
        return every, np.zeros_like(every)
    within = np.minimum(ranks.retrieved, cutoff) - judged.count(cutoff).astype(np.int64)
    return within, every - within


def _nameless(ranks: JudgedRanks) -> bool:
    """Whether the ranks do not know what the run lists."""
    listed = ranks.listed
    return listed is None or listed.run is None or listed.lists is not None


def _doc_ids(
    free: Unjudged, ranks: JudgedRanks, cutoff: int | None, top: Callable[[Run, int], Top]
) -> pa.Array:
    """The names of unjudged documents."""
    listed = ranks.listed
    assert listed is not None
    assert listed.run is not None
    if not len(free.query):
        return pa.array([], ID)
    first = top(listed.run, cutoff or int(free.rank.max()))
    query = listed.query[first.code].astype(np.int64)
    depth = int(max(first.rank.max(initial=0), free.rank.max())) + 1
    place = query * depth + first.rank
    wanted = free.query * depth + free.rank
    if (place[1:] >= place[:-1]).all():
        return first.doc_ids.take(pa.array(np.searchsorted(place, wanted)))
    # Queries that are not in view have a negative place.
    by_place = np.argsort(place, kind="stable")
    return first.doc_ids.take(pa.array(by_place[np.searchsorted(place[by_place], wanted)]))


def with_grades(ranks: JudgedRanks, found: Holes, own_rank: Ints, grades: Floats) -> JudgedRanks:
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
