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

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from metrics_core.comparing.holes import Holes
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring.residuals import Unjudged, residual

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Ends = tuple[Floats, Floats]

ADDITIVE = ("P", "DCG", "CG", "RBP", "NumRelRet", "SDCG")
FIRST = ("RR", "Success")
NORMALISED = ("nDCG", "R")

_TURNED = 1e-12


@dataclass(frozen=True)
class Reach:
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
        if self.difference > 0:
            return self.lowest < -_TURNED
        return self.highest > _TURNED and self.difference < 0


@dataclass(frozen=True)
class Weights:
    """What each unjudged document would bring by itself if it had the highest grade, in the run and
    in the baseline; float64[u]. Of a normalised measure in units of its numerator."""

    run: Floats
    baseline: Floats


def kind_of(measure: Measure) -> str:
    """How the extremes of a measure's differences are found: "additive", "first", "normalised" or
    "apart"."""
    # A table of gains may turn grades round, and a condensed list is another list once judged.
    if measure.value("gains") or measure.value("judged_only"):
        return "apart"
    name = measure.declaration.name
    kinds = {"additive": ADDITIVE, "first": FIRST, "normalised": NORMALISED}
    return next((kind for kind, names in kinds.items() if name in names), "apart")


def highest_grade(ranks: JudgedRanks, measure: Measure) -> float:
    """The highest grade that an unjudged document could have."""
    return max(ranks.top_grade, float(measure.value("rel") or 0))


def reach(run: JudgedRanks, baseline: JudgedRanks, measure: Measure, found: Holes) -> Reach:
    """How far the documents of `holes` could move the difference of two runs judged alike; `found`
    reaches to the measure's cutoff."""
    of = measure.declaration.combination.of
    own, other = measure.score(run), measure.score(baseline)
    undefined = np.isnan(own) | np.isnan(other)
    own, other = np.where(undefined, np.nan, own), np.where(undefined, np.nan, other)
    difference = float(of(own) - of(other))
    if measure.declaration.residual == "unaffected":
        return Reach(difference, difference, difference, own - other, own - other, exact=True)
    if measure.declaration.needs:
        reason = f"{measure} asks more of a document than a grade."
        return _unknown(difference, own, reason)
    kind = kind_of(measure)
    first, second = _apart(run, baseline, measure, found)
    low, high = first[0] - second[1], first[1] - second[0]
    if kind != "apart":
        nearer = {"additive": _additive, "first": _first, "normalised": _normalised}[kind]
        ends = nearer(run, baseline, measure, found)
        # Sums in another order: the extremes never lie inside of what is there.
        low = np.minimum(np.fmax(low, ends[0]) if kind == "normalised" else ends[0], own - other)
        high = np.maximum(np.fmin(high, ends[1]) if kind == "normalised" else ends[1], own - other)
    low, high = np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)
    if (np.isnan(low) | np.isnan(high))[~undefined].any():
        reason = f"{measure} has no lowest and no highest score, so nothing bounds it."
        return _unknown(difference, own, reason)
    if measure.declaration.combination.linear:
        lowest, highest = float(of(low)), float(of(high))
    else:
        kept = ~undefined
        lowest = float(of(first[0][kept]) - of(second[1][kept]))
        highest = float(of(first[1][kept]) - of(second[0][kept]))
    none_open = not len(found) and not (found.run_further + found.baseline_further).any()
    exact = none_open or (kind in ("additive", "first") and found.matched)
    return Reach(difference, lowest, highest, low, high, exact)


def _unknown(difference: float, own: Floats, reason: str) -> Reach:
    nothing = np.full(len(own), np.nan)
    return Reach(difference, np.nan, np.nan, nothing, nothing, exact=False, reason=reason)


def weights(run: JudgedRanks, baseline: JudgedRanks, measure: Measure, found: Holes) -> Weights:
    """What each unjudged document would bring by itself."""
    counted = numerator(measure) if kind_of(measure) == "normalised" else measure
    grade = highest_grade(run, measure)
    return Weights(
        _alone(run, counted, found.query, found.run_rank, grade),
        _alone(baseline, counted, found.query, found.baseline_rank, grade),
    )


def _alone(ranks: JudgedRanks, measure: Measure, query: Ints, rank: Ints, grade: float) -> Floats:
    """The score of lists that hold one relevant document each, at these ranks, 0 for rank 0; a list
    is as long as its query's own."""
    n = len(query)
    there = np.flatnonzero(rank > 0)
    alone = replace(
        ranks,
        query_ids=("",) * n,
        query=there,
        rank=rank[there],
        relevance=np.full(len(there), grade),
        qrels_row=np.full(len(there), -1, dtype=np.int64),
        retrieved=ranks.retrieved[query],
        judged_query=np.arange(n),
        judged_relevance=np.full(n, grade),
        listed=None,
        subtopics=None,
    )
    return measure.score(alone) if n else np.zeros(0)


def numerator(measure: Measure) -> Measure:
    """The sum that a normalised measure divides."""
    if measure.declaration.name == "R":
        return _like("P@1", measure, "rel", "cutoff")
    return _like("DCG", measure, "dcg", "discount", "cutoff")


def divisors(ranks: JudgedRanks, measure: Measure) -> Floats:
    """What a normalised measure divides its numerator by; float64[Q]."""
    if measure.declaration.name == "R":
        return ranks.n_relevant(measure.value("rel")) / (measure.cutoff or 1)
    return _like("IDCG", measure, "dcg", "discount", "cutoff").score(ranks)


def _like(name: str, measure: Measure, *parameters: str) -> Measure:
    declaration = parse_measure(name).declaration
    return declaration(**{p: measure.value(p) for p in parameters})


def _additive(run: JudgedRanks, baseline: JudgedRanks, measure: Measure, found: Holes) -> Ends:
    alone = weights(run, baseline, measure, found)
    gap = measure.score(run) - measure.score(baseline)
    moved = alone.run - alone.baseline
    low, high = gap.copy(), gap.copy()
    np.add.at(low, found.query, np.minimum(moved, 0.0))
    np.add.at(high, found.query, np.maximum(moved, 0.0))
    return low, high


def _first(run: JudgedRanks, baseline: JudgedRanks, measure: Measure, found: Holes) -> Ends:
    alone = weights(run, baseline, measure, found)
    own, other = measure.score(run), measure.score(baseline)
    # With further documents the difference is that of the two best: one of them is as extreme.
    gap = np.maximum(own[found.query], alone.run) - np.maximum(other[found.query], alone.baseline)
    low, high = own - other, own - other
    np.minimum.at(low, found.query, gap)
    np.maximum.at(high, found.query, gap)
    return low, high


def _normalised(run: JudgedRanks, baseline: JudgedRanks, measure: Measure, found: Holes) -> Ends:
    low, high = _additive(run, baseline, numerator(measure), found)
    grade = highest_grade(run, measure)
    least = divisors(run, measure)
    most = divisors(_further(run, measure, found.query, found, grade), measure)

    def over(value: Floats, small: Floats, large: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(value > 0, value / small, value / large)
        # Where nothing is relevant yet, the divisor has no least value; the measure ends at 1.
        return np.minimum(np.where(value == 0, 0.0, ratio), 1.0)

    return -over(-low, least, most), over(high, least, most)


def _further(
    ranks: JudgedRanks, measure: Measure, query: Ints, found: Holes, grade: float
) -> JudgedRanks:
    """The ranks with these documents and all below the depth relevant, but not in this list."""
    every = np.arange(ranks.n_queries)
    further = found.run_further + found.baseline_further
    if measure.declaration.name == "nDCG" and measure.cutoff is not None:
        # So many of the highest grade are the best order already.
        further = np.minimum(further, measure.cutoff)
    beyond = np.repeat(every, further)
    more = np.concatenate([query, beyond])
    return Unjudged(more, np.zeros(len(more), np.int64), ranks.n_queries, grade).judged_in(ranks)


def _apart(
    run: JudgedRanks, baseline: JudgedRanks, measure: Measure, found: Holes
) -> tuple[Ends, Ends]:
    """Lowest and highest score of each run by itself; the documents that only the other lists may
    be relevant without being found."""
    grade = highest_grade(run, measure)
    ends = []
    for ranks, own_rank in ((run, found.run_rank), (baseline, found.baseline_rank)):
        elsewhere = _further(ranks, measure, found.query[own_rank == 0], found, grade)
        both = [residual(r, measure, highest=grade) for r in (ranks, elsewhere)]
        low = np.minimum(both[0].low, both[1].low)
        high = np.maximum(both[0].high, both[1].high)
        if measure.declaration.residual == "at relevant":
            # Its depth grows with what is relevant elsewhere, and the score may rise and fall.
            open_ = elsewhere.n_relevant(0) > ranks.n_relevant(0)
            least, most = measure.declaration.range
            low, high = np.where(open_, least, low), np.where(open_, most, high)
        ends.append((low, high))
    return ends[0], ends[1]
