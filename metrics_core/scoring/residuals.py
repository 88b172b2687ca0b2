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
import numpy.typing as npt

from metrics_core import frames as pd
from metrics_core.judging import JudgedRanks
from metrics_core.judging.additions import with_more
from metrics_core.judging.hits import prefix_sums, ratio
from metrics_core.judging.unjudged import Unjudged, blocks
from metrics_core.measures import Measure
from metrics_core.measures.declaring.extremes import Share
from metrics_core.measures.shares import part_of, whole_of
from metrics_core.scoring.singles import unjudged_scores

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
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
    # A table of gains may turn the order of the grades round, and leaves nothing to reason from.
    kind = "range" if measure.value("gains") else measure.declaration.residual
    if measure.value("judged_only"):
        # A document enters a condensed list as soon as it is judged, whatever it is worth.
        kind = "range"
    grade = ranks.top_grade if highest is None else highest
    grade = max(grade, measure.value("rel") or 0)
    if kind in _BY_SHARE and isinstance(measure.declaration.reach, Share):
        more = np.zeros(ranks.n_queries, np.int64) if elsewhere is None else elsewhere
        low, high = _shared(ranks, measure, kind, grade, more)
        return Residual(low, high, exact=kind in EXACT)
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
    return Residual(low, high, exact=kind in EXACT)


def _ends(
    ranks: JudgedRanks, measure: Measure, kind: str, grade: float, depth: int | None
) -> Extremes:
    score = measure.score(ranks)
    if kind == "unaffected":
        return score, score
    unjudged = Unjudged.of(ranks, grade, depth)
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


Extremes = tuple[Floats, Floats]


def _monotone(ranks: JudgedRanks, measure: Measure, score: Floats, free: Unjudged) -> Extremes:
    counts = free.counts()
    if measure.cutoff is not None:
        # So many of the highest grade are the best order already.
        counts = np.minimum(counts, measure.cutoff)
    other = measure.score(with_more(free.listed_in(ranks), counts, free.grade))
    return np.minimum(score, other), np.maximum(score, other)


def _count(ranks: JudgedRanks, measure: Measure, score: Floats, free: Unjudged) -> Extremes:
    return score, score + free.counts()


def _recall(ranks: JudgedRanks, measure: Measure, score: Floats, free: Unjudged) -> Extremes:
    low = measure.score(with_more(ranks, free.further, free.grade))
    return low, measure.score(free.known_in(ranks))


def _normalised(ranks: JudgedRanks, measure: Measure, score: Floats, free: Unjudged) -> Extremes:
    ceiling = measure.declaration.range[1]
    low = measure.score(with_more(ranks, free.counts(), free.grade))
    high = np.minimum(measure.score(free.listed_in(ranks)), ceiling)
    # Without a known relevant document there is nothing to divide by, and all is possible.
    nothing = ~np.isin(np.arange(ranks.n_queries), ranks.judged_query[ranks.judged_relevance > 0])
    nothing |= ranks.n_relevant(measure.value("rel") or 0) == 0
    return np.minimum(low, score), np.where(nothing, ceiling, np.maximum(high, score))


def _shared(
    ranks: JudgedRanks, measure: Measure, kind: str, grade: float, elsewhere: Ints
) -> Extremes:
    """The extremes of a score that is a sum over documents divided by what judgments raise
    ("recall" or "normalised"): the sum and the divisor follow from ranks and counts."""
    part, whole = part_of(measure), whole_of(measure, ranks, np.array([grade]))
    unjudged = Unjudged.of(ranks, grade, 0).counts()
    found = part.score(ranks)
    most = found + unjudged_scores(ranks, part, grade)

    def by(value: Floats, more: Ints) -> Floats:
        return ratio(value, whole((elsewhere + more)[:, None]))

    none = np.zeros_like(unjudged)
    # The quotient may be off by a rounding, and no bound may lie on the wrong side for it.
    score = np.where(elsewhere == 0, measure.score(ranks), by(found, none))
    ceiling = measure.declaration.range[1]
    if kind == "recall":
        beyond = Unjudged.of(ranks, grade, measure.cutoff).further
        low, high = by(found, beyond), by(most, unjudged - beyond)
    else:
        low = by(found, unjudged)
        high = np.where(whole(elsewhere[:, None]) == 0, ceiling, by(most, none))
    low, high = np.minimum(low, score), np.maximum(np.minimum(high, ceiling), score)
    return np.where(unjudged == 0, score, low), np.where(unjudged == 0, score, high)


def _precisions(ranks: JudgedRanks, measure: Measure, score: Floats, free: Unjudged) -> Extremes:
    relevant = ranks.relevant(measure.value("rel") or 1)
    cutoff = measure.cutoff or np.inf
    denominator = measure.value("denominator") or "relevant"
    if denominator == "retrieved":
        # What lies beyond the cutoff enters neither the sum nor the divisor.
        free = free.up_to(cutoff)
    found = relevant.rank <= cutoff
    sums = relevant.total(relevant.ordinal() / relevant.rank, measure.cutoff)
    counted = ranks.n_relevant(measure.value("rel") or 1)
    if denominator == "retrieved":
        counted = relevant.count(measure.cutoff).astype(np.int64)
    from_top, from_bottom = _growth(relevant.query[found], relevant.rank[found], free, cutoff)
    first = np.searchsorted(free.query, np.arange(ranks.n_queries))[free.query]
    last = np.searchsorted(free.query, np.arange(ranks.n_queries), "right")[free.query]
    here = np.arange(len(free.query))
    best = sums[free.query] + from_top[here + 1] - from_top[first]
    worst = sums[free.query] + from_bottom[last] - from_bottom[here]
    low, high = score.copy(), score.copy()
    known = counted[free.query]
    listed = ranks.retrieved[free.query]
    np.maximum.at(high, free.query, _averaged(measure, best, known + here + 1 - first, listed))
    np.minimum.at(low, free.query, _averaged(measure, worst, known + last - here, listed))
    return low, high


def _growth(found: Ints, rank: Ints, free: Unjudged, cutoff: float) -> tuple[Floats, Floats]:
    """What each unjudged document adds to the sum of precisions once it is relevant, if those above
    it are (counted from the top), and if those below it are (from the bottom): running sums with a
    leading 0. It brings its own precision, and one more hit to every relevant document below it."""
    queries = np.arange(len(free.further) + 1)
    start = np.searchsorted(found, queries)
    depth = int(max(rank.max(initial=0), free.rank.max(initial=0))) + 1
    place = np.searchsorted(found * depth + rank, free.query * depth + free.rank)
    above = place - start[free.query]
    reach = prefix_sums(1 / rank)
    below = reach[start[free.query + 1]] - reach[place]
    own = np.where(free.rank <= cutoff, 1 / free.rank, 0.0)
    others = np.searchsorted(free.query, queries)
    here = np.arange(len(free.query))
    running = prefix_sums(own)
    later = running[others[free.query + 1]] - running[here + 1]
    upper = here - others[free.query]
    within = free.rank <= cutoff
    from_top = np.where(within, (above + upper + 1) * own + below, 0.0)
    from_bottom = np.where(within, (above + 1) * own + below + later, 0.0)
    return prefix_sums(from_top), prefix_sums(from_bottom)


def _averaged(measure: Measure, sums: Floats, relevant: Ints, listed: Ints) -> Floats:
    """The measure from its sum of precisions, the number of relevant documents (at least 1) and
    that of the listed ones."""
    if measure.declaration.from_precisions is not None:
        return measure.declaration.from_precisions(sums, relevant)
    denominator = measure.value("denominator")
    if denominator == "k":
        return sums / (listed if measure.cutoff is None else measure.cutoff)
    if denominator == "min" and measure.cutoff is not None:
        return sums / np.minimum(relevant, measure.cutoff)
    return sums / relevant


def _at_relevant(ranks: JudgedRanks, measure: Measure, score: Floats, free: Unjudged) -> Extremes:
    rel = measure.value("rel") or 1
    factor = measure.value("factor")
    relevant = ranks.relevant(rel)
    first = np.searchsorted(free.query, np.arange(ranks.n_queries))[free.query]
    last = np.searchsorted(free.query, np.arange(ranks.n_queries), "right")[free.query]
    here = np.arange(len(free.query))
    low, high = score.copy(), score.copy()
    for new, best in ((here + 1 - first, True), (last - here, False)):
        n_relevant = ranks.n_relevant(rel)[free.query] + new
        limit = n_relevant if factor is None else (factor * n_relevant + 0.9).astype(np.int64)
        depth = int(max(ranks.retrieved.max(initial=0), limit.max(initial=0))) + 2
        key = free.query * depth + limit
        start = np.searchsorted(relevant.query, free.query)
        known = np.searchsorted(relevant.query * depth + relevant.rank, key, "right") - start
        inside = np.searchsorted(free.query * depth + free.rank, key, "right") - first
        found = np.minimum(new, inside) if best else np.maximum(0, inside - (last - first - new))
        value = ratio((known + found).astype(np.float64), limit)
        (np.maximum if best else np.minimum).at(high if best else low, free.query, value)
    return low, high


def _unknown(ranks: JudgedRanks, measure: Measure, score: Floats, free: Unjudged) -> Extremes:
    low, high = measure.declaration.range
    if measure.value("gains") or np.isinf(low) or np.isinf(high):
        low, high = np.nan, np.nan
    return np.full(len(score), low), np.full(len(score), high)


_BY_SHARE = ("recall", "normalised")

_EXTREMES: dict[str, Callable[[JudgedRanks, Measure, Floats, Unjudged], Extremes]] = {
    "monotone": _monotone,
    "count": _count,
    "recall": _recall,
    "precisions": _precisions,
    "at relevant": _at_relevant,
    "normalised": _normalised,
    "range": _unknown,
}
