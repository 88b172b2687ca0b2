"""The scores of a pair of runs after some of the unjudged documents are given grades.

In some measures documents count independently ("additive", "first" and "normalised" in `reach`).
The contribution of a document is then the score of a list that contains only this document, which
depends on its rank and grade. A share is divided by a divisor that depends only on the number of
documents of each grade. So these lists need not be scored again. For all other measures the lists
are scored again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import AnyInts, Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import ratio
from metrics_core.measures import Measure
from metrics_core.measures.declaring.registry import Share
from metrics_core.measures.normalisers import find_ideal_layers, numerator_measure
from metrics_core.scoring.single_documents import distinct_ranks, single_document_scores
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks, add_grades

Both = tuple[Floats, Floats]

_MOST_GRADES, _MOST_CELLS = 200, 4_000_000
"""Maximum number of grades, and maximum number of queries times grades, for which documents are
counted by grade. Above these limits, the lists are scored again."""


def bounds_method(measure: Measure) -> str:
    """Return how the lowest and highest difference of a measure are found: "additive", "first",
    "normalised" or "apart". The module `unjudged.bounds` explains these methods."""
    # A table of gains may reverse grades, and a condensed list changes when a document is judged.
    if measure.value("gains") or measure.value("judged_only"):
        return "apart"
    kind = measure.declaration.reach
    return "normalised" if isinstance(kind, Share) else kind


def additive_measure(measure: Measure) -> Measure:
    """Return the numerator of a normalised measure, to which each document contributes
    independently of the other documents. Any other measure is returned unchanged."""
    return numerator_measure(measure) if bounds_method(measure) == "normalised" else measure


@dataclass(frozen=True)
class ListGains:
    """One list of a pair: its score on a measure, and the contribution of each document to it.

    score          float64[query]
    gains          float64[grade, pair], gain for each grade and each distinct pair of rank and list
                   length
    document_rows  int64[listed], the documents in the list, ascending; all others have no gain
    rank_index     int64[listed], column of `gains` for each of these documents"""

    score: Floats
    gains: Floats
    document_rows: Ints
    rank_index: Ints
    n_documents: int

    @classmethod
    def from_documents(
        cls, ranks: JudgedRanks, measure: Measure, query: Ints, rank: Ints, grades: Floats
    ) -> ListGains:
        """Return the gains of documents in ranked lists.

        `query` int64[document] is the query of each document, and `rank` int64[document] is its
        rank in that query's list; 0 if it is not listed. `grades` is float64[grade]."""
        document_rows = np.flatnonzero(rank > 0)
        distinct_rank, length, rank_index = distinct_ranks(
            rank[document_rows], ranks.retrieved[query[document_rows]]
        )
        every = np.tile(distinct_rank, len(grades)), np.tile(length, len(grades))
        gains = single_document_scores(
            ranks, measure, *every, np.repeat(grades, len(distinct_rank))
        )
        gains = gains.reshape(len(grades), len(distinct_rank))
        return cls(measure.score(ranks), gains, document_rows, rank_index, len(rank))

    def highest_gains(self) -> Floats:
        """Return the gain that each document would have with the highest of the grades,
        float64[document]."""
        highest = np.zeros(self.n_documents)
        highest[self.document_rows] = self.gains[-1][self.rank_index]
        return highest


class _SummedScores:
    """The score of one list, prepared so that it can be computed for many assignments of grades to
    its documents."""

    def __init__(self, side: ListGains, query: Ints, *, best: bool) -> None:
        """Prepare the computation for the list `side`.

        `query` int64[document] is the query of each document. If `best` is true, only the best gain
        of a query counts; otherwise the sum of its gains counts."""
        self._score, self._best, self._document_rows = side.score, best, side.document_rows
        self._query = query[side.document_rows]
        # One index for rank and grade: indexing a flat array is faster than a table.
        self._worth, grades = side.gains.T.ravel(), len(side.gains)
        self._first = side.rank_index * grades
        # Documents of lists that were not matched are contiguous.
        run = len(side.document_rows) > 0 and int(
            side.document_rows[-1] - side.document_rows[0]
        ) + 1 == len(side.document_rows)
        self._start = int(side.document_rows[0]) if run else None

    def __call__(self, codes: AnyInts) -> Floats:
        """Return the score that the list would have if the first len(codes) documents had the
        grades with these codes, float64[query]."""
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
    """The scores of a pair of runs on a measure after some of the unjudged documents were
    graded."""

    def __init__(
        self,
        run: JudgedRanks,
        baseline: JudgedRanks,
        measure: Measure,
        unjudged: UnjudgedRanks,
        grades: Floats,
    ) -> None:
        """Prepare the scores of a pair of runs. `grades` float64[grade] are the grades that can
        occur, in ascending order."""
        self._pair, self._measure = (run, baseline), measure
        self._unjudged, self._grades = unjudged, grades
        self._kind = bounds_method(measure)
        # Otherwise the lists are judged again.
        if len(grades) > _MOST_GRADES or len(grades) * run.n_queries > _MOST_CELLS:
            self._kind = "apart"
        if self._kind == "apart":
            return
        part = additive_measure(measure)
        self._sides = [
            _SummedScores(
                ListGains.from_documents(ranks, part, unjudged.query, rank, grades),
                unjudged.query,
                best=self._kind == "first",
            )
            for ranks, rank in ((run, unjudged.run_rank), (baseline, unjudged.baseline_rank))
        ]
        if self._kind == "normalised":
            # The two lists have the same judgments.
            self._layers = find_ideal_layers(measure, run, grades)
            self._cell = unjudged.query * len(grades)

    def scores(self, codes: AnyInts) -> Both:
        """Return the scores that the run and the baseline would have if the first len(codes)
        documents had the grades `grades[codes]`, float64[query] each.

        All other unjudged documents stay unjudged."""
        if self._kind == "apart":
            return self._score_lists(codes)
        own_scores, other_scores = (side(codes) for side in self._sides)
        if self._kind != "normalised":
            return own_scores, other_scores
        n_queries, n_grades = len(own_scores), len(self._grades)
        added = np.bincount(self._cell[: len(codes)] + codes, minlength=n_queries * n_grades)
        divisor = self._layers.divisor(added.reshape(n_queries, n_grades))
        return ratio(own_scores, divisor), ratio(other_scores, divisor)

    def _score_lists(self, codes: AnyInts) -> Both:
        graded, grades = self._unjudged.select(slice(len(codes))), self._grades[codes]
        run, baseline = self._pair
        own_scores = self._measure.score(add_grades(run, graded, graded.run_rank, grades))
        return own_scores, self._measure.score(
            add_grades(baseline, graded, graded.baseline_rank, grades)
        )
