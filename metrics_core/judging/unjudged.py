"""Find the unjudged documents in the lists of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from metrics_core.base.arrays import Ints, Mask
from metrics_core.judging.added_judgments import add_counted_judgments, add_listed_grades
from metrics_core.judging.empty_ranks import EmptyRanks
from metrics_core.judging.judged import JudgedRanks
from metrics_core.tables.arrays import block_starts

_BLOCK = 500_000
"""Maximum number of listed documents processed at once. A query with more documents is processed by
itself."""


@dataclass(frozen=True)
class UnjudgedPlaces:
    """The unjudged documents in the lists down to some depth, sorted by query and rank. `query` and
    `rank` are int64[document]. `n_below` int64[query] counts the unjudged documents below the
    depth. `grade` is the highest grade that each document could have."""

    query: Ints
    rank: Ints
    n_below: Ints
    grade: float

    @classmethod
    def from_ranks(
        cls, ranks: JudgedRanks, grade: float, depth: int | None = None
    ) -> UnjudgedPlaces:
        """Return the unjudged documents in the lists of `ranks`. If `depth` is given, documents
        below it are only counted."""
        judged = ranks.judged()
        n_unjudged = ranks.documents() - judged.count().astype(np.int64)
        length = ranks.retrieved if depth is None else np.minimum(ranks.retrieved, depth)
        ends = np.cumsum(length)
        starts = ends - length
        is_free = np.ones(int(ends[-1]) if len(ends) else 0, dtype=np.bool_)
        inside = judged.rank <= length[judged.query]
        is_free[(starts[judged.query] + judged.rank - 1)[inside]] = False
        empty = np.zeros(ranks.n_queries, dtype=np.int64)
        if ranks.empty is not None:
            empty = ranks.empty.count() if depth is None else ranks.empty.count(depth)
            is_free &= ~_mark_empty_ranks(len(is_free), ranks.empty, starts, ends)
        positions = np.flatnonzero(is_free)
        n_within = length - empty - np.bincount(judged.query[inside], minlength=ranks.n_queries)
        query = np.repeat(np.arange(ranks.n_queries), n_within)
        return cls(query, positions - starts[query] + 1, n_unjudged - n_within, grade)

    def count_unjudged(self) -> Ints:
        """Return the number of unjudged documents of each query, int64[query]. Documents below the
        depth are included."""
        return self.count_within_depth() + self.n_below

    def count_within_depth(self) -> Ints:
        """Return the number of unjudged documents within the depth, int64[query]."""
        return np.bincount(self.query, minlength=len(self.n_below))

    def limit_to_depth(self, depth: float) -> UnjudgedPlaces:
        """Return the documents down to `depth`. Documents below it are counted in `n_below`."""
        inside = self.rank <= depth
        n_beyond = np.bincount(self.query[~inside], minlength=len(self.n_below))
        return replace(
            self,
            query=self.query[inside],
            rank=self.rank[inside],
            n_below=self.n_below + n_beyond,
        )

    def add_to_lists(self, ranks: JudgedRanks) -> JudgedRanks:
        """Return the ranks as they would be if these unjudged documents had the grade `grade` in
        the lists. The documents are not added to the judgments."""
        return add_listed_grades(ranks, self.query, self.rank, np.full(len(self.query), self.grade))

    def add_as_judged(self, ranks: JudgedRanks) -> JudgedRanks:
        """Return the ranks as they would be if the documents were judged with the grade `grade`.
        They are added both to the lists and to the judgments."""
        return add_counted_judgments(
            self.add_to_lists(ranks), self.count_within_depth(), self.grade
        )


def _mark_empty_ranks(n: int, empty: EmptyRanks, starts: Ints, ends: Ints) -> Mask:
    """Return which of n ranks are empty, bool[n]. The ranks of each query extend from its start to
    its end."""
    first = np.minimum(starts[empty.query] + empty.first - 1, ends[empty.query])
    last = np.minimum(starts[empty.query] + empty.last, ends[empty.query])
    steps = np.bincount(first, minlength=n + 1) - np.bincount(last, minlength=n + 1)
    return np.cumsum(steps)[:n] > 0


def split_into_blocks(ranks: JudgedRanks, depth: int | None) -> Iterator[tuple[slice, JudgedRanks]]:
    """Yield (slice of queries, their ranks) for each block of queries.

    Blocks limit memory: an array over every listed document is needed only for one block at a
    time."""
    length = ranks.retrieved if depth is None else np.minimum(ranks.retrieved, depth)
    ends = np.cumsum(length)
    if ranks.n_queries == 0 or ends[-1] <= _BLOCK:
        yield slice(None), ranks
        return
    number = np.maximum(ends - 1, 0) // _BLOCK
    starts = block_starts(number)
    for start, stop in zip(starts, np.append(starts[1:], ranks.n_queries), strict=True):
        inside = np.zeros(ranks.n_queries, dtype=np.bool_)
        inside[start:stop] = True
        yield slice(start, stop), ranks.select_queries(inside)
