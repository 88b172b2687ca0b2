"""What the scores of a pair become once some of the unjudged documents have grades.

For a measure whose documents count each by itself ("additive", "first" and "normalised" in
`reach`) a document brings what a list would score that holds it alone, which its rank and its grade
say; a share is divided by what follows from how many documents of each grade are judged. So no list
is judged anew. For any other measure the lists are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import AnyInts, Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import ratio
from metrics_core.measures import Measure
from metrics_core.measures.declaring.registry import Share
from metrics_core.measures.normalisers import dividend_measure, make_divisor
from metrics_core.scoring.single_documents import distinct_ranks, single_scores
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks, add_grades

Both = tuple[Floats, Floats]

_MOST_GRADES, _MOST_CELLS = 200, 4_000_000
"""So many grades, and queries times grades, are counted; of more, the lists are judged anew."""


def extremes_kind(measure: Measure) -> str:
    """How the extremes of a measure's differences are found: "additive", "first", "normalised" or
    "apart"."""
    # A table of gains may turn grades round, and a condensed list is another list once judged.
    if measure.value("gains") or measure.value("judged_only"):
        return "apart"
    kind = measure.declaration.reach
    return "normalised" if isinstance(kind, Share) else kind


def additive_part(measure: Measure) -> Measure:
    """The measure that each document adds to: the one that a normalised measure divides, else the
    measure itself."""
    return dividend_measure(measure) if extremes_kind(measure) == "normalised" else measure


@dataclass(frozen=True)
class ListGains:
    """One list of a pair: its `score` by a measure, float64[Q], and what each of u documents brings
    to it by itself with V grades: `gains` float64[V, p] for the places that occur. The list holds
    h of the documents, those `document_rows` int64[h], ascending, of which each has `rank_index`
    int64[h]; the others bring nothing."""

    score: Floats
    gains: Floats
    document_rows: Ints
    rank_index: Ints
    n_documents: int

    @classmethod
    def from_documents(
        cls, ranks: JudgedRanks, measure: Measure, query: Ints, rank: Ints, grades: Floats
    ) -> ListGains:
        """A list that holds documents of these queries at these ranks, 0 where it does not."""
        document_rows = np.flatnonzero(rank > 0)
        distinct_rank, length, rank_index = distinct_ranks(
            rank[document_rows], ranks.retrieved[query[document_rows]]
        )
        every = np.tile(distinct_rank, len(grades)), np.tile(length, len(grades))
        gains = single_scores(ranks, measure, *every, np.repeat(grades, len(distinct_rank)))
        gains = gains.reshape(len(grades), len(distinct_rank))
        return cls(measure.score(ranks), gains, document_rows, rank_index, len(rank))

    def highest_gains(self) -> Floats:
        """What each document brings with the highest of the grades; float64[u]."""
        highest = np.zeros(self.n_documents)
        highest[self.document_rows] = self.gains[-1][self.rank_index]
        return highest


class _SummedScores:
    """What documents make of one list's score, ready to be asked for many gradings of them."""

    def __init__(self, side: ListGains, query: Ints, *, best: bool) -> None:
        """`query` int64[u] is that of each document; what counts is the `best`, or their sum."""
        self._score, self._best, self._document_rows = side.score, best, side.document_rows
        self._query = query[side.document_rows]
        # One number for the place and the grade: a look into a list is quicker than into a table.
        self._worth, grades = side.gains.T.ravel(), len(side.gains)
        self._first = side.rank_index * grades
        # Documents of lists that were not compared stand together.
        run = len(side.document_rows) > 0 and int(
            side.document_rows[-1] - side.document_rows[0]
        ) + 1 == len(side.document_rows)
        self._start = int(side.document_rows[0]) if run else None

    def __call__(self, codes: AnyInts) -> Floats:
        """The score once the first so many documents have these grades."""
        n_held = int(np.searchsorted(self._document_rows, len(codes)))
        rows = (
            self._document_rows[:n_held]
            if self._start is None
            else slice(self._start, self._start + n_held)
        )
        gains = self._worth.take(codes[rows] + self._first[:n_held])
        if not self._best:
            return self._score + np.bincount(self._query[:n_held], gains, len(self._score))
        best = self._score.copy()
        np.maximum.at(best, self._query[:n_held], gains)
        return best


class RegradedScores:
    """A pair's scores by a measure after some of the documents of `found` were graded."""

    def __init__(
        self,
        run: JudgedRanks,
        baseline: JudgedRanks,
        measure: Measure,
        unjudged: UnjudgedRanks,
        grades: Floats,
    ) -> None:
        """`grades` are the V rising ones that occur."""
        self._pair, self._measure = (run, baseline), measure
        self._unjudged, self._grades = unjudged, grades
        self._kind = extremes_kind(measure)
        # What is not known by place is judged anew.
        if len(grades) > _MOST_GRADES or len(grades) * run.n_queries > _MOST_CELLS:
            self._kind = "apart"
        if self._kind == "apart":
            return
        part = additive_part(measure)
        self._sides = [
            _SummedScores(
                ListGains.from_documents(ranks, part, unjudged.query, rank, grades),
                unjudged.query,
                best=self._kind == "first",
            )
            for ranks, rank in ((run, unjudged.run_rank), (baseline, unjudged.baseline_rank))
        ]
        if self._kind == "normalised":
            # The two lists share the judgments.
            self._divisor = make_divisor(measure, run, grades)
            self._cell = unjudged.query * len(grades)

    def scores(self, codes: AnyInts) -> Both:
        """Those of the run and of the baseline, float64[Q] each, with `codes` places in the grades
        for the first so many of the documents; the others stay unjudged."""
        if self._kind == "apart":
            return self._score_lists(codes)
        own_scores, other_scores = (side(codes) for side in self._sides)
        if self._kind != "normalised":
            return own_scores, other_scores
        n_queries, n_grades = len(own_scores), len(self._grades)
        added = np.bincount(self._cell[: len(codes)] + codes, minlength=n_queries * n_grades)
        divisor = self._divisor(added.reshape(n_queries, n_grades))
        return ratio(own_scores, divisor), ratio(other_scores, divisor)

    def _score_lists(self, codes: AnyInts) -> Both:
        graded, grades = self._unjudged.select(slice(len(codes))), self._grades[codes]
        run, baseline = self._pair
        own_scores = self._measure.score(add_grades(run, graded, graded.run_rank, grades))
        return own_scores, self._measure.score(
            add_grades(baseline, graded, graded.baseline_rank, grades)
        )
