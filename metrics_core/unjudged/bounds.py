"""Bounds on a difference over all grades that the unjudged documents could have.

Each unjudged document could have any grade from 0 to the highest grade in the judgments; documents
that neither run lists are not relevant. How the extremes of the difference are found depends on the
measure:

    additive    the score is a sum over the documents, each weighted by its rank alone, so every
                document moves the difference independently: exact
    first       only the best document counts, so a single document leads to the extreme: exact
    normalised  a sum as in additive, divided by the best possible sum, which the same documents
                raise (nDCG, recall): exact (`scoring.share_extremes`), unless it matters that
                unjudged documents below the cutoff may be the same in both lists
    apart       each run separately (`scoring.residuals`), as if a document in both lists could
                have two grades: a bound, unless nothing is unjudged. Also used for all measures if
                documents were not matched between the lists

A bound is never narrower than the true range."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from metrics_core.base.arrays import Floats, Mask
from metrics_core.comparing.winners import better_run_sign
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.measures.normalisers import IdealLayers, find_ideal_layers
from metrics_core.scoring.residuals import residual, score_range
from metrics_core.scoring.share_extremes import share_extremes
from metrics_core.unjudged.graded_scores import ListGains, additive_measure, bounds_method
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks

Ends = tuple[Floats, Floats]

# For these measures the extreme may be reached with only some relevant documents elsewhere: they
# deepen R-precision, and change how Bpref counts the others.
_NO_ORDER = ("at relevant", "range")


@dataclass(frozen=True)
class DifferenceBounds:
    """The combined difference, run minus baseline, and its lowest and highest value over all grades
    of the unjudged documents. `low` and `high` float64[query] are the bounds of each query. `exact`
    is true if both values can occur, false if they are only bounds. Bounds are NaN if they are
    unknown; `reason` then says why."""

    difference: float
    lowest: float
    highest: float
    low: Floats
    high: Floats
    exact: bool
    reason: str = ""

    @property
    def can_reverse(self) -> bool:
        """Whether some grades would give the other run the better mean."""
        now = better_run_sign(self.difference)
        return now != 0 and better_run_sign(self.lowest if now > 0 else self.highest) == -now


def highest_grade(ranks: JudgedRanks, measure: Measure) -> float:
    """Return the highest grade that an unjudged document could have."""
    return max(ranks.top_grade, float(measure.value("rel") or 0))


def bound_difference(
    run: JudgedRanks, baseline: JudgedRanks, measure: Measure, unjudged: UnjudgedRanks
) -> DifferenceBounds:
    """Return the bounds of the difference between two runs with the same judgments.

    `unjudged` are the documents of `find_unjudged`, down to the measure's cutoff."""
    return PartialBounds(run, baseline, measure, unjudged).find_bounds()


class PartialBounds:
    """Computes the result of `bound_difference` for several subsets of the same documents."""

    def __init__(
        self, run: JudgedRanks, baseline: JudgedRanks, measure: Measure, unjudged: UnjudgedRanks
    ) -> None:
        """Take the same arguments as `bound_difference`."""
        self._pair, self._measure, self._unjudged = (run, baseline), measure, unjudged
        self._kind = bounds_method(measure) if unjudged.is_matched else "apart"
        self._grade = highest_grade(run, measure)
        own_scores, other_scores = measure.score(run), measure.score(baseline)
        self._undefined = np.isnan(own_scores) | np.isnan(other_scores)
        self._own_scores, self._other_scores = (
            np.where(self._undefined, np.nan, s) for s in (own_scores, other_scores)
        )

    @cached_property
    def list_gains(self) -> tuple[ListGains, ListGains]:
        """The gains that the unjudged documents would have with the highest grade, in the run's
        list and in the baseline's list.

        They are computed with `additive_measure`, the numerator of a normalised measure."""
        part = additive_measure(self._measure)
        unjudged = self._unjudged
        grade = np.array([self._grade])
        run, baseline = self._pair
        return (
            ListGains.from_documents(run, part, unjudged.query, unjudged.run_rank, grade),
            ListGains.from_documents(baseline, part, unjudged.query, unjudged.baseline_rank, grade),
        )

    @cached_property
    def document_effects(self) -> Floats:
        """The gain of each unjudged document in the run's list minus its gain in the baseline's
        list (`list_gains`), float64[document]."""
        return self.list_gains[0].highest_gains() - self.list_gains[1].highest_gains()

    @cached_property
    def ideal_layers(self) -> IdealLayers:
        """The layers of the divisor of a normalised measure. Both lists have the same divisor,
        because they have the same judgments."""
        return find_ideal_layers(self._measure, self._pair[0], np.array([self._grade]))

    def find_bounds(self, is_selected: Mask | None = None) -> DifferenceBounds:
        """Return the bounds of the difference over all grades that the selected unjudged documents
        could have.

        `is_selected` bool[document] selects the documents. This is only possible if documents were
        matched between the lists. If `is_selected` is None, all unjudged documents are selected."""
        measure, own_scores, other_scores = self._measure, self._own_scores, self._other_scores
        combine = measure.declaration.combination.combine
        difference = float(combine(own_scores) - combine(other_scores))
        if measure.declaration.residual == "unaffected":
            return DifferenceBounds(
                difference,
                difference,
                difference,
                own_scores - other_scores,
                own_scores - other_scores,
                exact=True,
            )
        if measure.declaration.needs:
            reason = f"{measure} does not depend only on grades, so there are no bounds."
            return _unknown_bounds(difference, own_scores, reason)
        unjudged = self._unjudged if is_selected is None else self._unjudged.select(is_selected)
        run_extremes = None
        if self._kind == "apart" or not measure.declaration.combination.linear:
            run_extremes = self._find_extremes(unjudged)
        low, high = self._query_bounds(unjudged, is_selected, run_extremes)
        if (np.isnan(low) | np.isnan(high))[~self._undefined].any():
            reason = f"{measure} has no lowest or highest score, so there are no bounds."
            return _unknown_bounds(difference, own_scores, reason)
        if run_extremes is None or measure.declaration.combination.linear:
            lowest, highest = float(combine(low)), float(combine(high))
        else:
            (least, most), (least_other, most_other) = (
                [end[~self._undefined] for end in ends] for ends in run_extremes
            )
            lowest = float(combine(least) - combine(most_other))
            highest = float(combine(most) - combine(least_other))
        exact = self._kind in ("additive", "first")
        if self._kind == "normalised" and is_selected is None:
            # Some documents below the depth may be in both lists, or within the other's depth.
            most_below = np.maximum(unjudged.n_run_below, unjudged.n_baseline_below)
            n_listed = np.bincount(unjudged.query, minlength=len(low))
            fewest = np.maximum(most_below - n_listed, 0)
            fewer = replace(unjudged, n_run_below=fewest, n_baseline_below=0 * fewest)
            ends = self._query_bounds(fewer, None, run_extremes)
            exact = np.array_equal(ends, (low, high), equal_nan=True)
        elif not exact:
            within = unjudged.n_run_within + unjudged.n_baseline_within
            exact = not (within + unjudged.n_run_below + unjudged.n_baseline_below).any()
        return DifferenceBounds(difference, lowest, highest, low, high, exact)

    def _query_bounds(
        self,
        unjudged: UnjudgedRanks,
        is_selected: Mask | None,
        run_extremes: tuple[Ends, Ends] | None,
    ) -> Ends:
        """Return the lowest and highest difference of each query, float64[query] each."""
        if run_extremes is not None and self._kind == "apart":
            low, high = (run_extremes[0][i] - run_extremes[1][1 - i] for i in (0, 1))
        else:
            methods = {
                "additive": self._additive_bounds,
                "first": self._best_document_bounds,
                "normalised": self._share_bounds,
            }
            low, high = methods[self._kind](unjudged, is_selected)
            gap = self._own_scores - self._other_scores
            # Sums in a different order: rounding must not put the extremes inside the current
            # value.
            low, high = np.minimum(low, gap), np.maximum(high, gap)
        low, high = (np.where(self._undefined, np.nan, end) for end in (low, high))
        return low, high

    def _additive_bounds(self, unjudged: UnjudgedRanks, is_selected: Mask | None) -> Ends:
        moves = self.document_effects if is_selected is None else self.document_effects[is_selected]
        gap = self.list_gains[0].score - self.list_gains[1].score
        low = gap + np.bincount(unjudged.query, np.minimum(moves, 0.0), len(gap))
        return low, gap + np.bincount(unjudged.query, np.maximum(moves, 0.0), len(gap))

    def _best_document_bounds(self, unjudged: UnjudgedRanks, is_selected: Mask | None) -> Ends:
        own_scores, other_scores = (side.score for side in self.list_gains)
        gains = (side.highest_gains() for side in self.list_gains)
        own_gains, other_gains = (a if is_selected is None else a[is_selected] for a in gains)
        # With more documents the difference is that of the best in each list, so a single one is as
        # extreme.
        gap = np.maximum(own_scores[unjudged.query], own_gains)
        gap -= np.maximum(other_scores[unjudged.query], other_gains)
        low, high = own_scores - other_scores, own_scores - other_scores
        np.minimum.at(low, unjudged.query, gap)
        np.maximum.at(high, unjudged.query, gap)
        return low, high

    def _share_bounds(self, unjudged: UnjudgedRanks, is_selected: Mask | None) -> Ends:
        effects = self.document_effects
        return share_extremes(
            self.ideal_layers,
            self.list_gains[0].score - self.list_gains[1].score,
            unjudged.query,
            effects if is_selected is None else effects[is_selected],
            unjudged.n_run_below + unjudged.n_baseline_below,
        )

    def _find_extremes(self, unjudged: UnjudgedRanks) -> tuple[Ends, Ends]:
        """Return the lowest and highest score of each run separately. Documents that are only in
        the other run's list may count as relevant documents that were not retrieved."""
        measure, ends = self._measure, []
        n_below = unjudged.n_run_below + unjudged.n_baseline_below
        n_in_other = unjudged.n_baseline_within, unjudged.n_run_within
        for i, rank in enumerate((unjudged.run_rank, unjudged.baseline_rank)):
            n_other_only = n_in_other[i]
            if unjudged.is_matched:
                n_other_only = np.bincount(unjudged.query[rank == 0], minlength=len(n_below))
            n_elsewhere = n_other_only + n_below
            without_others, with_others = (
                residual(self._pair[i], measure, counts, highest_grade=self._grade)
                for counts in (None, n_elsewhere)
            )
            low = np.minimum(without_others.low, with_others.low)
            high = np.maximum(without_others.high, with_others.high)
            if measure.value("gains") or measure.declaration.residual in _NO_ORDER:
                least, most = score_range(measure)
                low = np.where(n_elsewhere > 0, least, low)
                high = np.where(n_elsewhere > 0, most, high)
            ends.append((low, high))
        return ends[0], ends[1]


def _unknown_bounds(difference: float, run_scores: Floats, reason: str) -> DifferenceBounds:
    undefined = np.full(len(run_scores), np.nan)
    return DifferenceBounds(
        difference, np.nan, np.nan, undefined, undefined, exact=False, reason=reason
    )
