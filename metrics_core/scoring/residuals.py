"""How far the unjudged documents could move a score: its lowest and its highest possible value.

Every listed document that nobody judged could have any grade from 0 to the highest grade in the
judgments. What the run does not list stays as it is: a document that neither the run nor the
judgments know counts as not relevant. A measure says in its declaration how its extremes are found
(`Declaration.residual`):

    monotone    a higher grade never lowers it (or never raises it), so the extremes are none
                relevant and all of the highest grade: exact. Of a measure with a cutoff k no more
                than the first k unjudged documents matter
    count       the number of documents that were judged and found not relevant: each unjudged one
                may be another: exact
    recall      a share of all relevant documents: lowest if all unjudged documents beyond the
                cutoff are relevant, highest if all within it are: exact
    precisions  sums of precisions over the relevant documents: for each number m of new relevant
                documents the best are the m highest ranks, the worst the m lowest; the extremes
                over all m: exact
    normalised  a gain divided by the best possible gain, each of which only rises: the lowest gain
                by the highest best one, and the other way round: a bound, never narrower than
                the truth
    at relevant precision at a rank that follows from the number of relevant documents; as
                precisions: exact
    unaffected  grades do not enter, or the score is about the judging itself and is taken as it
                stands: exact
    range       nothing better than the measure's whole range is known: a bound

The best-known case is RBP, whose residual is the weight of all unjudged ranks (Moffat and Zobel,
Rank-biased precision, TOIS 2008; they add the weight of all ranks after the last, p^n, which lies
outside the list and is not counted here; the measure RBPResidual has it).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.additions import with_more
from metrics_core.judging.hits import ratio
from metrics_core.judging.unjudged import UnjudgedPlaces, blocks
from metrics_core.measures import Measure
from metrics_core.measures.declaring.registry import Share, Whole
from metrics_core.measures.normalisers import part_of, whole_of
from metrics_core.scoring.precision_extremes import at_relevant, of_precisions
from metrics_core.scoring.singles import unjudged_scores

Extremes = tuple[Floats, Floats]
EXACT = ("monotone", "count", "recall", "precisions", "at relevant", "unaffected")


@dataclass(frozen=True)
class Residual:
    """Lowest and highest possible score of each query, float64[Q]; NaN where the score is not
    defined or nothing is known. `exact` says whether both are reached, or only never passed."""

    low: Floats
    high: Floats
    exact: bool


def residual(
    ranks: JudgedRanks,
    measure: Measure,
    *,
    highest: float | None = None,
    elsewhere: Ints | None = None,
) -> Residual:
    """The range of a measure's scores over all grades the unjudged documents could have.

    `highest` is the highest grade there is; without it the highest in the judgments, and at least
    the grade from which the measure counts a document as relevant. `elsewhere` is how many further
    documents of each query, which the list does not hold, are judged and of that grade; int64[Q].
    """
    return residuals(ranks, measure, [elsewhere], highest=highest)[0]


def residuals(
    ranks: JudgedRanks,
    measure: Measure,
    elsewhere: Sequence[Ints | None],
    *,
    highest: float | None = None,
    whole: Whole | None = None,
) -> list[Residual]:
    """`residual` for each of these numbers of documents elsewhere. `whole` is what a share is
    divided by, with documents of that grade, where that is known already (`shares.whole_of`)."""
    # A table of gains may turn the order of the grades round, and leaves nothing to reason from.
    kind = "range" if measure.value("gains") else measure.declaration.residual
    if measure.value("judged_only"):
        # A document enters a condensed list as soon as it is judged, whatever it is worth.
        kind = "range"
    grade = ranks.top_grade if highest is None else highest
    grade = max(grade, measure.value("rel") or 0)
    if kind in _BY_SHARE and isinstance(measure.declaration.reach, Share):
        shared = _Shared(ranks, measure, kind, grade, whole)
        ends = [shared.ends(more) for more in elsewhere]
    else:
        ends = [_each(ranks, measure, kind, grade, more) for more in elsewhere]
    return [Residual(low, high, exact=kind in EXACT) for low, high in ends]


def _each(
    ranks: JudgedRanks, measure: Measure, kind: str, grade: float, elsewhere: Ints | None
) -> Extremes:
    # Of those below the depth the number is enough.
    depths = {"monotone": measure.cutoff, "recall": measure.cutoff, "count": 0, "range": 0}
    depth = depths.get(kind)
    whole = kind == "unaffected" or not measure.declaration.by_query
    ends = []
    for queries, part in [(slice(None), ranks)] if whole else blocks(ranks, depth):
        if elsewhere is not None:
            part = with_more(part, elsewhere[queries], grade)
        ends.append(_ends(part, measure, kind, grade, depth))
    low, high = (np.concatenate(values) for values in zip(*ends, strict=True))
    return low, high


def _ends(
    ranks: JudgedRanks, measure: Measure, kind: str, grade: float, depth: int | None
) -> Extremes:
    score = measure.score(ranks)
    if kind == "unaffected":
        return score, score
    unjudged = UnjudgedPlaces.of(ranks, grade, depth)
    low, high = _EXTREMES[kind](ranks, measure, score, unjudged)
    untouched = (unjudged.counts() == 0) | np.isnan(score)
    return np.where(untouched, score, low), np.where(untouched, score, high)


def residual_frame(
    judged: Sequence[JudgedRanks], measures: Sequence[Measure], *, highest: float | None = None
) -> pd.DataFrame:
    """Columns run, query_id, measure, low, high, exact; a row for each run, measure and query."""
    parts = []
    for ranks in judged:
        for measure in measures:
            found = residual(ranks, measure, highest=highest)
            parts.append(
                pd.DataFrame(
                    {
                        "run": ranks.run_name,
                        "query_id": np.array(ranks.query_ids, object),
                        "measure": str(measure),
                        "low": found.low,
                        "high": found.high,
                        "exact": found.exact,
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def _monotone(
    ranks: JudgedRanks, measure: Measure, score: Floats, free: UnjudgedPlaces
) -> Extremes:
    counts = free.counts()
    if measure.cutoff is not None:
        # So many of the highest grade are the best order already.
        counts = np.minimum(counts, measure.cutoff)
    other = measure.score(with_more(free.listed_in(ranks), counts, free.grade))
    return np.minimum(score, other), np.maximum(score, other)


def _count(ranks: JudgedRanks, measure: Measure, score: Floats, free: UnjudgedPlaces) -> Extremes:
    return score, score + free.counts()


def _recall(ranks: JudgedRanks, measure: Measure, score: Floats, free: UnjudgedPlaces) -> Extremes:
    low = measure.score(with_more(ranks, free.further, free.grade))
    return low, measure.score(free.known_in(ranks))


def _normalised(
    ranks: JudgedRanks, measure: Measure, score: Floats, free: UnjudgedPlaces
) -> Extremes:
    ceiling = measure.declaration.range[1]
    low = measure.score(with_more(ranks, free.counts(), free.grade))
    high = np.minimum(measure.score(free.listed_in(ranks)), ceiling)
    # Without a known relevant document there is nothing to divide by, and all is possible.
    nothing = ~np.isin(np.arange(ranks.n_queries), ranks.judged_query[ranks.judged_relevance > 0])
    nothing |= ranks.n_relevant(measure.value("rel") or 0) == 0
    return np.minimum(low, score), np.where(nothing, ceiling, np.maximum(high, score))


class _Shared:
    """The extremes of a score that is a sum over documents divided by what judgments raise
    ("recall" or "normalised"): the sum and the divisor follow from ranks and counts."""

    def __init__(
        self, ranks: JudgedRanks, measure: Measure, kind: str, grade: float, whole: Whole | None
    ) -> None:
        part = part_of(measure)
        self._kind, self._ceiling = kind, measure.declaration.range[1]
        self._whole = whole or whole_of(measure, ranks, np.array([grade]))
        self._unjudged = ranks.documents() - ranks.judged().count().astype(np.int64)
        self._score, self._found = measure.score(ranks), part.score(ranks)
        self._most = self._found + unjudged_scores(ranks, part, grade)
        if kind == "recall":
            self._beyond = UnjudgedPlaces.of(ranks, grade, measure.cutoff).further

    def ends(self, elsewhere: Ints | None) -> Extremes:
        """Lowest and highest score with so many documents elsewhere."""
        unjudged = self._unjudged
        more = np.zeros_like(unjudged) if elsewhere is None else elsewhere

        def whole(within: Ints) -> Floats:
            return self._whole((more + within)[:, None])

        known = whole(np.zeros_like(unjudged))
        # The quotient may be off by a rounding, and no bound may lie on the wrong side for it.
        score = np.where(more == 0, self._score, ratio(self._found, known))
        if self._kind == "recall":
            low = ratio(self._found, whole(self._beyond))
            high = ratio(self._most, whole(unjudged - self._beyond))
        else:
            low = ratio(self._found, whole(unjudged))
            high = np.where(known == 0, self._ceiling, ratio(self._most, known))
        low, high = np.minimum(low, score), np.maximum(np.minimum(high, self._ceiling), score)
        return np.where(unjudged == 0, score, low), np.where(unjudged == 0, score, high)


def whole_range(measure: Measure) -> tuple[float, float]:
    """The lowest and highest score there is; NaN for both where a measure has none."""
    low, high = measure.declaration.range
    if measure.value("gains") or np.isinf(low) or np.isinf(high):
        return np.nan, np.nan
    return low, high


def _unknown(ranks: JudgedRanks, measure: Measure, score: Floats, free: UnjudgedPlaces) -> Extremes:
    low, high = whole_range(measure)
    return np.full(len(score), low), np.full(len(score), high)


_BY_SHARE = ("recall", "normalised")

_EXTREMES: dict[str, Callable[[JudgedRanks, Measure, Floats, UnjudgedPlaces], Extremes]] = {
    "monotone": _monotone,
    "count": _count,
    "recall": _recall,
    "precisions": of_precisions,
    "at relevant": at_relevant,
    "normalised": _normalised,
    "range": _unknown,
}
