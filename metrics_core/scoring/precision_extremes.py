"""What unjudged documents could make of scores made of precisions, as `residuals` asks for it.

For each number m of new relevant documents the best are the m highest ranks of those that nobody
judged, the worst the m lowest; the extremes are those over all m: exact. Each function takes the
ranks, the measure, its scores as they stand, float64[Q], and the unjudged documents, and gives the
lowest and the highest scores, float64[Q] each.
"""

from __future__ import annotations

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import prefix_sums, ratio
from metrics_core.judging.unjudged import UnjudgedPlaces
from metrics_core.measures import Measure


def of_precisions(
    ranks: JudgedRanks, measure: Measure, score: Floats, free: UnjudgedPlaces
) -> tuple[Floats, Floats]:
    """Lowest and highest score of sums of precisions over the relevant documents."""
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
    listed = ranks.documents()[free.query]
    np.maximum.at(high, free.query, _averaged(measure, best, known + here + 1 - first, listed))
    np.minimum.at(low, free.query, _averaged(measure, worst, known + last - here, listed))
    return low, high


def _growth(found: Ints, rank: Ints, free: UnjudgedPlaces, cutoff: float) -> tuple[Floats, Floats]:
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


def at_relevant(
    ranks: JudgedRanks, measure: Measure, score: Floats, free: UnjudgedPlaces
) -> tuple[Floats, Floats]:
    """Lowest and highest precision at a rank that follows from how many documents are relevant."""
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
