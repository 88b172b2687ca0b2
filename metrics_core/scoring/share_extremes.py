"""The lowest and highest value that a share of the best possible gain can have, exactly.

A share is a sum over documents (gain times a weight that depends on the rank) divided by the gain
of the best order of all judged documents. An unjudged document that becomes relevant may raise
both. For the difference of two shares, the weights of one list minus the weights of another are
used.

The divisor is a sum over layers of gain (`normalisers.IdealLayers`), and so is the sum over the
documents. For a given number of documents whose gain reaches a layer, the sum is highest for the
documents with the highest weights. Therefore only the number of documents per layer has to be
found. The divisor is convex in the gains, so the highest quotient, if it is negative, has documents
with the highest gain and documents with none. If it is positive, it is the r at which the maximum
of (sum - r * divisor) is 0, and this maximum is that of each layer separately. It is found in a few
steps (Dinkelbach, On nonlinear fractional programming, Management Science 1967). The gains found
are 0, the gain of a judged document or the highest gain."""

from __future__ import annotations

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging.hits import Hits, ratio
from metrics_core.measures.normalisers import IdealLayers

_MOST_STEPS = 50
_PRECISION = 1e-14


def share_extremes(
    layers: IdealLayers, gain: Floats, query: Ints, weights: Floats, n_others: Ints
) -> tuple[Floats, Floats]:
    """Return the lowest and the highest quotient, float64[query] each; 0 if the divisor is 0.

    `gain` float64[query] is the sum over the judged documents. `query` int64[document] are the
    queries of the unjudged documents. `weights` float64[document] are the terms that they add to
    the sum if they have the only value of `layers.worth`. `n_others` int64[query] is the number of
    other documents that may be judged but add nothing to the sum."""
    low, high = (
        _find_highest(layers, sign * gain, query, sign * weights, n_others) for sign in (-1.0, 1.0)
    )
    return -low, high


def _find_highest(
    layers: IdealLayers, gain: Floats, query: Ints, weights: Floats, n_others: Ints
) -> Floats:
    # The choices of a query: no document, the document with the highest weight, the two documents
    # with the highest weights, … The other documents are one step.
    n_queries, every = len(gain), np.arange(len(gain))
    queries = np.concatenate([every, every, query])
    steps = np.concatenate([np.full(n_queries, np.inf), np.zeros(n_queries), weights])
    sizes = np.concatenate([np.zeros(n_queries), n_others, np.ones(len(query))])
    order = np.lexsort((-steps, queries))
    steps[:n_queries] = 0.0
    choices = Hits(queries[order], order, steps[order], n_queries)
    sums, n_added = (choices.accumulate(values[order]) for values in (steps, sizes))
    first = np.searchsorted(choices.query, every)
    # All pairs of a choice and a layer that further documents can reach.
    is_open = layers.grades_below == 0
    fixed_parts = ~is_open * layers.height * layers.sum_discounts(layers.count)
    fixed = np.bincount(layers.query, fixed_parts, n_queries)
    layer_query, height = layers.query[is_open], layers.height[is_open]
    n_pairs = np.diff(first, append=len(order))[layer_query]
    start = np.cumsum(n_pairs) - n_pairs
    layer = np.repeat(np.arange(len(height)), n_pairs)
    choice = np.arange(len(layer)) + (first[layer_query] - start)[layer]
    n_reaching = layers.count[is_open][layer] + n_added[choice].astype(np.int64)
    discounts = layers.sum_discounts(n_reaching)

    # All documents of a choice have the highest gain.
    divisor = fixed[choices.query] + np.bincount(choice, height[layer] * discounts, len(order))
    quotients = ratio(gain[choices.query] + sums, divisor)
    highest: Floats = np.maximum.reduceat(quotients, first) if n_queries else quotients
    if not len(height):
        return highest
    pair_sums = sums[choice] / layers.worth[0]
    for _ in range(_MOST_STEPS):
        values = pair_sums - highest[layer_query[layer]] * discounts
        is_best = np.flatnonzero(values == np.maximum.reduceat(values, start)[layer])
        best = is_best[np.searchsorted(layer[is_best], np.arange(len(height)))]
        totals = (
            np.bincount(layer_query, height * part[best], n_queries)
            for part in (pair_sums, discounts)
        )
        quotients = ratio(gain + next(totals), fixed + next(totals))
        higher = np.where(highest > 0, np.maximum(highest, quotients), highest)
        if (higher <= highest + _PRECISION).all():
            break
        highest = higher
    return highest
