"""How far the unjudged documents could move a difference: over all grades that they could have.

Each could have any grade from 0 to the highest in the judgments; what neither run lists stays not
relevant. How the extremes of the difference are found follows from the measure:

    additive    a sum over the documents, each weighted by its rank alone: every document moves the
                difference by itself, for or against: exact
    first       the best of the documents: one of them makes the extreme: exact
    normalised  such a sum over a divisor that the same documents raise (nDCG, recall): the farthest
                sum over the divisor that makes most of it: a bound
    apart       each run by itself (`scoring.residuals`), as if a document in both could have two
                grades: a bound, unless nothing is unjudged

A bound is never narrower than the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.comparing.winners import side_of
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.measures.declaring.registry import Whole
from metrics_core.measures.normalisers import whole_of
from metrics_core.scoring.residuals import residuals, whole_range
from metrics_core.scoring.singles import unjudged_scores
from metrics_core.unjudged.graded_scores import Side, counted_part, kind_of
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks

Ends = tuple[Floats, Floats]

# Some relevant documents elsewhere may make more of such a score than none or all of them: the
# depth of R-precision grows with them, Bpref counts them against the others.
_NO_ORDER = ("at relevant", "range")


@dataclass(frozen=True)
class DifferenceBounds:
    """The combined difference as it stands, run minus baseline, and the lowest and highest that
    grades of the unjudged documents could make of it; NaN where nothing is known, and `reason` says
    why. `low` and `high` float64[Q] are those of each query. `exact`: both are reached; else never
    passed."""

    difference: float
    lowest: float
    highest: float
    low: Floats
    high: Floats
    exact: bool
    reason: str = ""

    @property
    def turns(self) -> bool:
        """Whether the other run could win."""
        now = side_of(self.difference)
        return now != 0 and side_of(self.lowest if now > 0 else self.highest) == -now


def highest_grade(ranks: JudgedRanks, measure: Measure) -> float:
    """The highest grade that an unjudged document could have."""
    return max(ranks.top_grade, float(measure.value("rel") or 0))


def difference_bounds(
    run: JudgedRanks, baseline: JudgedRanks, measure: Measure, found: UnjudgedRanks
) -> DifferenceBounds:
    """How far the documents of `unjudged_ranks` could move the difference of two runs judged alike;
    `found` goes down to the measure's cutoff."""
    return BoundsOfParts(run, baseline, measure, found).over()


class BoundsOfParts:
    """`difference_bounds`, to be asked of several parts of the same documents."""

    def __init__(
        self, run: JudgedRanks, baseline: JudgedRanks, measure: Measure, found: UnjudgedRanks
    ) -> None:
        """The arguments of `difference_bounds`."""
        self._pair, self._measure, self._found = (run, baseline), measure, found
        self._kind, self._grade = kind_of(measure), highest_grade(run, measure)
        own, other = measure.score(run), measure.score(baseline)
        self._undefined = np.isnan(own) | np.isnan(other)
        self._own, self._other = (np.where(self._undefined, np.nan, s) for s in (own, other))

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """What each document brings to both lists with the highest grade, in the measure that the
        documents add to (`counted_part`)."""
        part, found, grade = counted_part(self._measure), self._found, np.array([self._grade])
        run, baseline = self._pair
        return (
            Side.of(run, part, found.query, found.run_rank, grade),
            Side.of(baseline, part, found.query, found.baseline_rank, grade),
        )

    @cached_property
    def moves(self) -> Floats:
        """By how much each document moves the difference of `sides` by itself; float64[u]."""
        return self.sides[0].alone() - self.sides[1].alone()

    @cached_property
    def whole(self) -> Whole:
        """What a normalised measure is divided by; both lists share the judgments. It is asked for
        the same counts several times."""
        whole = whole_of(self._measure, self._pair[0], np.array([self._grade]))
        found: list[tuple[Ints, Floats]] = []

        def remembered(added: Ints) -> Floats:
            for known, divisor in found:
                if np.array_equal(known, added):
                    return divisor
            found.append((added, whole(added)))
            return found[-1][1]

        return remembered

    def over(self, open_: Mask | None = None) -> DifferenceBounds:
        """The reach of those documents, bool[u]; all without a mask, which only documents that were
        compared can have."""
        measure, own, other = self._measure, self._own, self._other
        of = measure.declaration.combination.of
        difference = float(of(own) - of(other))
        if measure.declaration.residual == "unaffected":
            return DifferenceBounds(
                difference, difference, difference, own - other, own - other, exact=True
            )
        if measure.declaration.needs:
            reason = f"{measure} needs more than the grades of documents."
            return _unknown(difference, own, reason)
        found = self._found if open_ is None else self._found.some(open_)
        alone = None
        if self._kind in ("normalised", "apart") or not measure.declaration.combination.linear:
            alone = self._apart(found)
        low, high = self._ends(found, open_, alone)
        if (np.isnan(low) | np.isnan(high))[~self._undefined].any():
            reason = f"{measure} has no lowest or highest score, so there are no bounds."
            return _unknown(difference, own, reason)
        if alone is None or measure.declaration.combination.linear:
            lowest, highest = float(of(low)), float(of(high))
        else:
            (least, most), (least_other, most_other) = (
                [end[~self._undefined] for end in ends] for ends in alone
            )
            lowest, highest = float(of(least) - of(most_other)), float(of(most) - of(least_other))
        none_open = not (found.any_within or (found.run_further + found.baseline_further).any())
        exact = none_open or (self._kind in ("additive", "first") and found.matched)
        return DifferenceBounds(difference, lowest, highest, low, high, exact)

    def _ends(
        self, found: UnjudgedRanks, open_: Mask | None, alone: tuple[Ends, Ends] | None
    ) -> Ends:
        """Lowest and highest difference of each query."""
        ends = [np.full(len(self._own), bound) for bound in (-np.inf, np.inf)]
        if alone is not None and self._kind in ("normalised", "apart"):
            ends = [alone[0][0] - alone[1][1], alone[0][1] - alone[1][0]]
        if self._kind != "apart":
            near = {"additive": self._additive, "first": self._first, "normalised": self._shared}
            low, high = near[self._kind](found, open_)
            gap = self._own - self._other
            # Sums in another order: the extremes never lie inside of what is there.
            ends = [np.minimum(np.fmax(ends[0], low), gap), np.maximum(np.fmin(ends[1], high), gap)]
        low, high = (np.where(self._undefined, np.nan, end) for end in ends)
        return low, high

    def _additive(self, found: UnjudgedRanks, open_: Mask | None) -> Ends:
        if not found.matched:
            own, other, least, most = self._loose()
            return own - other - most, own - other + least
        moves = self.moves if open_ is None else self.moves[open_]
        gap = self.sides[0].score - self.sides[1].score
        low = gap + np.bincount(found.query, np.minimum(moves, 0.0), len(gap))
        return low, gap + np.bincount(found.query, np.maximum(moves, 0.0), len(gap))

    def _first(self, found: UnjudgedRanks, open_: Mask | None) -> Ends:
        if not found.matched:
            own, other, best, best_other = self._loose()
            return own - np.maximum(other, best_other), np.maximum(own, best) - other
        own, other = (side.score for side in self.sides)
        alone = (side.alone() for side in self.sides)
        brought, brought_other = (a if open_ is None else a[open_] for a in alone)
        # With further documents the difference is that of the two best: one of them is as extreme.
        gap = np.maximum(own[found.query], brought)
        gap -= np.maximum(other[found.query], brought_other)
        low, high = own - other, own - other
        np.minimum.at(low, found.query, gap)
        np.maximum.at(high, found.query, gap)
        return low, high

    def _loose(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Of documents that were not compared, each of which moves one list only: the scores of
        both lists, and what their unjudged documents would score without the others."""
        part = counted_part(self._measure)
        own, other = (part.score(ranks) for ranks in self._pair)
        free, free_other = (unjudged_scores(ranks, part, self._grade) for ranks in self._pair)
        return own, other, free, free_other

    def _shared(self, found: UnjudgedRanks, open_: Mask | None) -> Ends:
        low, high = self._additive(found, open_)
        none = np.zeros(len(low), dtype=np.int64)
        count = self._both(found) + found.run_further + found.baseline_further
        least, most = (self.whole(counts[:, None]) for counts in (none, count))

        def over(value: Floats) -> Floats:
            with np.errstate(invalid="ignore", divide="ignore"):
                share = np.where(value > 0, value / least, value / most)
            # Where nothing is relevant yet, the divisor has no least value; the measure ends at 1.
            return np.minimum(np.where(value == 0, 0.0, share), 1.0)

        return -over(-low), over(high)

    def _both(self, found: UnjudgedRanks) -> Ints:
        """How many open documents of each query stand in one list or both."""
        if found.matched:
            return np.bincount(found.query, minlength=len(self._own))
        return found.run_within + found.baseline_within

    def _apart(self, found: UnjudgedRanks) -> tuple[Ends, Ends]:
        """Lowest and highest score of each run by itself; the documents that only the other lists
        may be relevant without being found."""
        measure, ends = self._measure, []
        further = found.run_further + found.baseline_further
        without = found.baseline_within, found.run_within
        for i, rank in enumerate((found.run_rank, found.baseline_rank)):
            only = without[i]
            if found.matched:
                only = np.bincount(found.query[rank == 0], minlength=len(further))
            beside = only + further
            known = self.whole if self._kind == "normalised" else None
            alone, joined = residuals(
                self._pair[i], measure, (None, beside), highest=self._grade, whole=known
            )
            low, high = np.minimum(alone.low, joined.low), np.maximum(alone.high, joined.high)
            if measure.value("gains") or measure.declaration.residual in _NO_ORDER:
                least, most = whole_range(measure)
                low, high = np.where(beside > 0, least, low), np.where(beside > 0, most, high)
            ends.append((low, high))
        return ends[0], ends[1]


def _unknown(difference: float, own: Floats, reason: str) -> DifferenceBounds:
    nothing = np.full(len(own), np.nan)
    return DifferenceBounds(
        difference, np.nan, np.nan, nothing, nothing, exact=False, reason=reason
    )
