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
from metrics_core.measures.normalisers import part_of, whole_of
from metrics_core.scoring.singles import distinct_places, single_scores
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks, with_grades

Both = tuple[Floats, Floats]

_MOST_GRADES, _MOST_CELLS = 200, 4_000_000
"""So many grades, and queries times grades, are counted; of more, the lists are judged anew."""


def kind_of(measure: Measure) -> str:
    """How the extremes of a measure's differences are found: "additive", "first", "normalised" or
    "apart"."""
    # A table of gains may turn grades round, and a condensed list is another list once judged.
    if measure.value("gains") or measure.value("judged_only"):
        return "apart"
    kind = measure.declaration.reach
    return "normalised" if isinstance(kind, Share) else kind


def counted_part(measure: Measure) -> Measure:
    """The measure that each document adds to: the one that a normalised measure divides, else the
    measure itself."""
    return part_of(measure) if kind_of(measure) == "normalised" else measure


@dataclass(frozen=True)
class Side:
    """One list of a pair: its `score` by a measure, float64[Q], and what each of u documents brings
    to it by itself with V grades: `brought` float64[V, p] for the places that occur. The list holds
    h of the documents, those `at` int64[h], ascending, of which each has `place` int64[h]; the
    others bring nothing."""

    score: Floats
    brought: Floats
    at: Ints
    place: Ints
    u: int

    @classmethod
    def of(
        cls, ranks: JudgedRanks, measure: Measure, query: Ints, rank: Ints, grades: Floats
    ) -> Side:
        """A list that holds documents of these queries at these ranks, 0 where it does not."""
        at = np.flatnonzero(rank > 0)
        there, length, place = distinct_places(rank[at], ranks.retrieved[query[at]])
        every = np.tile(there, len(grades)), np.tile(length, len(grades))
        brought = single_scores(ranks, measure, *every, np.repeat(grades, len(there)))
        brought = brought.reshape(len(grades), len(there))
        return cls(measure.score(ranks), brought, at, place, len(rank))

    def alone(self) -> Floats:
        """What each document brings with the highest of the grades; float64[u]."""
        alone = np.zeros(self.u)
        alone[self.at] = self.brought[-1][self.place]
        return alone


class _Summed:
    """What documents make of one list's score, ready to be asked for many gradings of them."""

    def __init__(self, side: Side, query: Ints, *, best: bool) -> None:
        """`query` int64[u] is that of each document; what counts is the `best`, or their sum."""
        self._score, self._best, self._at = side.score, best, side.at
        self._query = query[side.at]
        # One number for the place and the grade: a look into a list is quicker than into a table.
        self._worth, grades = side.brought.T.ravel(), len(side.brought)
        self._first = side.place * grades
        # Documents of lists that were not compared stand together.
        run = len(side.at) > 0 and int(side.at[-1] - side.at[0]) + 1 == len(side.at)
        self._start = int(side.at[0]) if run else None

    def __call__(self, codes: AnyInts) -> Floats:
        """The score once the first so many documents have these grades."""
        held = int(np.searchsorted(self._at, len(codes)))
        here = self._at[:held] if self._start is None else slice(self._start, self._start + held)
        brought = self._worth.take(codes[here] + self._first[:held])
        if not self._best:
            return self._score + np.bincount(self._query[:held], brought, len(self._score))
        best = self._score.copy()
        np.maximum.at(best, self._query[:held], brought)
        return best


class RegradedScores:
    """A pair's scores by a measure after some of the documents of `found` were graded."""

    def __init__(
        self,
        run: JudgedRanks,
        baseline: JudgedRanks,
        measure: Measure,
        found: UnjudgedRanks,
        grades: Floats,
    ) -> None:
        """`grades` are the V rising ones that occur."""
        self._pair, self._measure = (run, baseline), measure
        self._found, self._grades = found, grades
        self._kind = kind_of(measure)
        # What is not known by place is judged anew.
        if len(grades) > _MOST_GRADES or len(grades) * run.n_queries > _MOST_CELLS:
            self._kind = "apart"
        if self._kind == "apart":
            return
        part = counted_part(measure)
        self._sides = [
            _Summed(
                Side.of(ranks, part, found.query, rank, grades),
                found.query,
                best=self._kind == "first",
            )
            for ranks, rank in ((run, found.run_rank), (baseline, found.baseline_rank))
        ]
        if self._kind == "normalised":
            # The two lists share the judgments.
            self._whole = whole_of(measure, run, grades)
            self._cell = found.query * len(grades)

    def scores(self, codes: AnyInts) -> Both:
        """Those of the run and of the baseline, float64[Q] each, with `codes` places in the grades
        for the first so many of the documents; the others stay unjudged."""
        if self._kind == "apart":
            return self._anew(codes)
        own, other = (side(codes) for side in self._sides)
        if self._kind != "normalised":
            return own, other
        n_queries, known = len(own), len(self._grades)
        added = np.bincount(self._cell[: len(codes)] + codes, minlength=n_queries * known)
        whole = self._whole(added.reshape(n_queries, known))
        return ratio(own, whole), ratio(other, whole)

    def _anew(self, codes: AnyInts) -> Both:
        found, grades = self._found.some(slice(len(codes))), self._grades[codes]
        run, baseline = self._pair
        own = self._measure.score(with_grades(run, found, found.run_rank, grades))
        return own, self._measure.score(with_grades(baseline, found, found.baseline_rank, grades))
