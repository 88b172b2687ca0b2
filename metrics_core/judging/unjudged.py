"""The documents that a run lists and nobody has judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from metrics_core.base.arrays import Ints, Mask
from metrics_core.judging.additions import with_listed, with_more
from metrics_core.judging.empty_ranks import EmptyRanks
from metrics_core.judging.judged import JudgedRanks

_BLOCK = 500_000
"""Listed documents that are thought through at a time, unless one query has more."""


@dataclass(frozen=True)
class UnjudgedPlaces:
    """The listed documents without a judgment within a depth, sorted by query and rank; `further`
    int64[Q] stand below it, and `grade` is the highest that each could have."""

    query: Ints
    rank: Ints
    further: Ints
    grade: float

    @classmethod
    def of(cls, ranks: JudgedRanks, grade: float, depth: int | None = None) -> UnjudgedPlaces:
        """All ranks of the lists but those of judged documents, within a depth if there is one."""
        judged = ranks.judged()
        every = ranks.documents() - judged.count().astype(np.int64)
        length = ranks.retrieved if depth is None else np.minimum(ranks.retrieved, depth)
        ends = np.cumsum(length)
        starts = ends - length
        free = np.ones(int(ends[-1]) if len(ends) else 0, dtype=np.bool_)
        inside = judged.rank <= length[judged.query]
        free[(starts[judged.query] + judged.rank - 1)[inside]] = False
        empty = np.zeros(ranks.n_queries, dtype=np.int64)
        if ranks.empty is not None:
            empty = ranks.empty.count() if depth is None else ranks.empty.count(depth)
            free &= ~_between(len(free), ranks.empty, starts, ends)
        place = np.flatnonzero(free)
        here = length - empty - np.bincount(judged.query[inside], minlength=ranks.n_queries)
        query = np.repeat(np.arange(ranks.n_queries), here)
        return cls(query, place - starts[query] + 1, every - here, grade)

    def counts(self) -> Ints:
        """Per query how many there are, int64[Q], those below the depth too."""
        return self.within() + self.further

    def within(self) -> Ints:
        """Per query how many there are within the depth, int64[Q]."""
        return np.bincount(self.query, minlength=len(self.further))

    def up_to(self, depth: float) -> UnjudgedPlaces:
        """Those within this depth, the others counted as further."""
        inside = self.rank <= depth
        beyond = np.bincount(self.query[~inside], minlength=len(self.further))
        return replace(
            self,
            query=self.query[inside],
            rank=self.rank[inside],
            further=self.further + beyond,
        )

    def listed_in(self, ranks: JudgedRanks) -> JudgedRanks:
        """The ranks with those within the depth found relevant in the list, not in the
        judgments."""
        return with_listed(ranks, self.query, self.rank, np.full(len(self.query), self.grade))

    def known_in(self, ranks: JudgedRanks) -> JudgedRanks:
        """The ranks with those within the depth relevant, in the list and among the judgments."""
        return with_more(self.listed_in(ranks), self.within(), self.grade)


def _between(n: int, empty: EmptyRanks, starts: Ints, ends: Ints) -> Mask:
    """Which of n ranks, those of each query from its start to its end, are empty; bool[n]."""
    first = np.minimum(starts[empty.query] + empty.first - 1, ends[empty.query])
    last = np.minimum(starts[empty.query] + empty.last, ends[empty.query])
    steps = np.bincount(first, minlength=n + 1) - np.bincount(last, minlength=n + 1)
    return np.cumsum(steps)[:n] > 0


def blocks(ranks: JudgedRanks, depth: int | None) -> Iterator[tuple[slice, JudgedRanks]]:
    """The ranks of some queries at a time, so that what is made of a list's every document never
    stands there for all of them."""
    length = ranks.retrieved if depth is None else np.minimum(ranks.retrieved, depth)
    ends = np.cumsum(length)
    if ranks.n_queries == 0 or ends[-1] <= _BLOCK:
        yield slice(None), ranks
        return
    number = np.maximum(ends - 1, 0) // _BLOCK
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    for start, stop in zip(starts, np.append(starts[1:], ranks.n_queries), strict=True):
        inside = np.zeros(ranks.n_queries, dtype=np.bool_)
        inside[start:stop] = True
        yield slice(start, stop), ranks.among(inside)
