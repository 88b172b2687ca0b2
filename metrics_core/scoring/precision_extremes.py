"""Lowest and highest scores of measures that are composed of precisions, over all grades of
unjudged documents.

For each number m of new relevant documents, the best case is that the m highest unjudged ranks are
relevant, and the worst case that the m lowest are. The extremes over all m are exact. `residuals`
calls each function with the judged ranks (the ranks of judged documents), the measure, its current
scores float64[query] and the unjudged documents. Each function returns the lowest and the highest
scores, float64[query] each."""

from __future__ import annotations

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import prefix_sums, ratio
from metrics_core.judging.unjudged import UnjudgedPlaces
from metrics_core.measures import Measure


def precision_sum_extremes(
    ranks: JudgedRanks, measure: Measure, score: Floats, unjudged: UnjudgedPlaces
) -> tuple[Floats, Floats]:
    """Return the lowest and the highest score, float64[query] each, over all grades that the
    `unjudged` documents could have. The measure must be a sum of precisions over the relevant
    documents. `score` float64[query] is the current score."""
    relevant = ranks.relevant(measure.value("rel") or 1)
    cutoff = measure.cutoff or np.inf
    denominator = measure.value("denominator") or "relevant"
    if denominator == "retrieved":
        # Documents beyond the cutoff affect neither the sum nor the divisor.
        unjudged = unjudged.limit_to_depth(cutoff)
    is_counted = relevant.rank <= cutoff
    sums = relevant.total(relevant.ordinals() / relevant.rank, measure.cutoff)
    counted = ranks.n_relevant(measure.value("rel") or 1)
    if denominator == "retrieved":
        counted = relevant.count(measure.cutoff).astype(np.int64)
    from_top, from_bottom = _precision_gains(
        relevant.query[is_counted], relevant.rank[is_counted], unjudged, cutoff
    )
    first, positions, last = _positions_in_query(unjudged)
    best = sums[unjudged.query] + from_top[positions + 1] - from_top[first]
    worst = sums[unjudged.query] + from_bottom[last] - from_bottom[positions]
    low, high = score.copy(), score.copy()
    n_known = counted[unjudged.query]
    listed = ranks.documents()[unjudged.query]
    np.maximum.at(
        high,
        unjudged.query,
        _average_precisions(measure, best, n_known + positions + 1 - first, listed),
    )
    np.minimum.at(
        low, unjudged.query, _average_precisions(measure, worst, n_known + last - positions, listed)
    )
    return low, high


def _positions_in_query(unjudged: UnjudgedPlaces) -> tuple[Ints, Ints, Ints]:
    """Return the position of each document, between the first and the end of its query's."""
    first = np.searchsorted(unjudged.query, unjudged.query)
    last = np.searchsorted(unjudged.query, unjudged.query, "right")
    return first, np.arange(len(unjudged.query)), last


def _precision_gains(
    hit_query: Ints, rank: Ints, unjudged: UnjudgedPlaces, cutoff: float
) -> tuple[Floats, Floats]:
    """Return how much each unjudged document would add to the sum of precisions if it were
    relevant: the precision at its own rank, and 1 / rank at every relevant document below it.

    The documents are made relevant one after another. There are two results: one for the order from
    the top down, and one from the bottom up. Each is the cumulative sum over the unjudged documents
    with a leading 0, float64[unjudged + 1]."""
    queries = np.arange(len(unjudged.n_below) + 1)
    start = np.searchsorted(hit_query, queries)
    depth = int(max(rank.max(initial=0), unjudged.rank.max(initial=0))) + 1
    position = np.searchsorted(hit_query * depth + rank, unjudged.query * depth + unjudged.rank)
    above = position - start[unjudged.query]
    reach = prefix_sums(1 / rank)
    below = reach[start[unjudged.query + 1]] - reach[position]
    own_precision = np.where(unjudged.rank <= cutoff, 1 / unjudged.rank, 0.0)
    first, positions, last = _positions_in_query(unjudged)
    running = prefix_sums(own_precision)
    later_sums = running[last] - running[positions + 1]
    n_upper = positions - first
    is_within = unjudged.rank <= cutoff
    from_top = np.where(is_within, (above + n_upper + 1) * own_precision + below, 0.0)
    from_bottom = np.where(is_within, (above + 1) * own_precision + below + later_sums, 0.0)
    return prefix_sums(from_top), prefix_sums(from_bottom)


def _average_precisions(measure: Measure, sums: Floats, relevant: Ints, n_listed: Ints) -> Floats:
    """Return the scores of the measure, computed from the sums of precisions (`sums`), the number
    of relevant documents (at least 1) and the number of listed documents. All arrays have the same
    shape."""
    if measure.declaration.from_precisions is not None:
        return measure.declaration.from_precisions(sums, relevant)
    denominator = measure.value("denominator")
    if denominator == "k":
        return sums / (n_listed if measure.cutoff is None else measure.cutoff)
    if denominator == "min" and measure.cutoff is not None:
        return sums / np.minimum(relevant, measure.cutoff)
    return sums / relevant


def precision_extremes(
    ranks: JudgedRanks, measure: Measure, score: Floats, unjudged: UnjudgedPlaces
) -> tuple[Floats, Floats]:
    """Return the lowest and the highest score, float64[query] each, of a measure that is precision
    at a rank determined by the number of relevant documents.

    `score` float64[query] is the current score."""
    rel = measure.value("rel") or 1
    factor = measure.value("factor")
    relevant = ranks.relevant(rel)
    first, positions, last = _positions_in_query(unjudged)
    low, high = score.copy(), score.copy()
    for new, best in ((positions + 1 - first, True), (last - positions, False)):
        n_relevant = ranks.n_relevant(rel)[unjudged.query] + new
        limit = n_relevant if factor is None else (factor * n_relevant + 0.9).astype(np.int64)
        depth = int(max(ranks.retrieved.max(initial=0), limit.max(initial=0))) + 2
        key = unjudged.query * depth + limit
        start = np.searchsorted(relevant.query, unjudged.query)
        n_hits = np.searchsorted(relevant.query * depth + relevant.rank, key, "right") - start
        inside = np.searchsorted(unjudged.query * depth + unjudged.rank, key, "right") - first
        n_new = np.minimum(new, inside) if best else np.maximum(0, inside - (last - first - new))
        value = ratio((n_hits + n_new).astype(np.float64), limit)
        (np.maximum if best else np.minimum).at(high if best else low, unjudged.query, value)
    return low, high
