"""Divisors of measures whose score is a share of the best possible score, and how further judgments
change the divisors.

A divisor depends only on how many documents of each grade are judged, so the effect of further
judgments is computed without listing them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits, prefix_sums
from metrics_core.measures.declaring.names import find_declaration
from metrics_core.measures.declaring.parameters import GainTable
from metrics_core.measures.declaring.registry import Measure, Share, declare_share
from metrics_core.measures.gain import Discount, Gain, discount_gains, grade_gain, ideal_gains

_SHALLOW = 10_000
"""The cumulative discounts are precomputed up to this cutoff."""


@dataclass(frozen=True)
class IdealLayers:
    """The gains of the judged documents of each query, divided into layers between consecutive
    gains. Further documents may be judged with the gains `worth` float64[grade], ascending.

    The gain of the best order is the sum over all layers of `height` times the sum of the discounts
    of the first n ranks, if the gains of n documents reach the top of the layer.

    query          int64[layer], ascending
    height         float64[layer], distance between the two gains; the highest layer of a query
                   comes first
    count          int64[layer], judged documents whose gain reaches the top
    grades_below   int64[layer], how many values of `worth` do not reach the top
    sum_discounts  returns the sum of the discounts of the first n ranks for int64[…] n"""

    query: Ints
    height: Floats
    count: Ints
    grades_below: Ints
    worth: Floats
    n_queries: int
    sum_discounts: Callable[[Ints], Floats]

    @classmethod
    def from_gains(
        cls,
        query: Ints,
        gain: Floats,
        n_queries: int,
        worth: Floats,
        sum_discounts: Callable[[Ints], Floats],
    ) -> IdealLayers:
        """Return the layers of judged documents with gains above 0. `query` int64[document] is
        ascending; `gain` is float64[document]."""
        further = worth[worth > 0]
        queries = np.concatenate([query, np.repeat(np.arange(n_queries), len(further))])
        gains = np.concatenate([gain, np.tile(further, n_queries)])
        order = np.lexsort((-gains, queries))
        n_reaching = np.cumsum(order < len(query))
        queries, gains = queries[order], gains[order]
        is_last = np.ones(len(order), dtype=np.bool_)
        is_last[:-1] = (np.diff(queries) != 0) | (np.diff(gains) != 0)
        top, layer_query = gains[is_last], queries[is_last]
        below = np.zeros(len(top))
        below[:-1] = np.where(np.diff(layer_query) == 0, top[1:], 0.0)
        return cls(
            layer_query,
            top - below,
            n_reaching[is_last] - np.searchsorted(query, layer_query),
            np.searchsorted(worth, top, "left"),
            worth,
            n_queries,
            sum_discounts,
        )

    def divisor(self, added: Ints) -> Floats:
        """Return the divisor as it would be if further documents were judged, float64[query].
        `added` int64[query, grade] is their number for each grade."""
        above = np.zeros((self.n_queries, len(self.worth) + 1), dtype=np.int64)
        # One grade at a time: with few grades, rows of a table take longer.
        for grade in reversed(range(len(self.worth))):
            np.add(above[:, grade + 1], added[:, grade], out=above[:, grade])
        n = above.ravel().take(self.query * above.shape[1] + self.grades_below)
        parts = self.sum_discounts(self.count + n) * self.height
        return np.asarray(np.bincount(self.query, parts, self.n_queries), dtype=np.float64)


def numerator_measure(measure: Measure) -> Measure:
    """Return the measure in the numerator of a `Share`, that is, the measure whose score is
    divided. Raises ValueError if the measure is not a `Share`."""
    declaration = find_declaration(_require_share(measure).part)
    names = {p.name for p in declaration.parameters}
    return declaration(**{name: value for name, value in measure.values if name in names})


def find_ideal_layers(measure: Measure, ranks: JudgedRanks, grades: Floats) -> IdealLayers:
    """Return the layers from which the divisor of a measure is computed. Further documents may be
    judged with the ascending `grades`. Raises ValueError if the measure is not a `Share`."""
    values = {name: value for name, value in measure.values if name != "judged_only"}
    layers: IdealLayers = _require_share(measure).find_layers(ranks, grades, **values)
    return layers


def _require_share(measure: Measure) -> Share:
    if not isinstance(measure.declaration.reach, Share):
        raise ValueError(f"{measure} is not a share of a total")
    return measure.declaration.reach


@declare_share("R", part="P")
def _recall_layers(ranks: JudgedRanks, grades: Floats, *, cutoff: int, rel: int) -> IdealLayers:
    """Return the layers of recall. For this purpose, recall is written as precision at k divided by
    R / k."""
    query = np.repeat(np.arange(ranks.n_queries), ranks.n_relevant(rel).astype(np.int64))
    worth = (grades >= rel).astype(np.float64)
    return IdealLayers.from_gains(
        query, np.ones(len(query)), ranks.n_queries, worth, lambda n: np.divide(n, cutoff)
    )


@declare_share("nDCG", part="DCG")
def _ndcg_layers(
    ranks: JudgedRanks,
    grades: Floats,
    *,
    cutoff: int | None,
    dcg: Gain,
    gains: GainTable | None,
    discount: Discount,
) -> IdealLayers:
    """Return the layers of the gain of the best order."""
    if gains is not None:
        raise ValueError("a gain table already determines the order of the documents")
    shallow_sums = _sum_discounts(cutoff, discount) if cutoff and cutoff <= _SHALLOW else None

    def sum_discounts(n: Ints) -> Floats:
        sums = shallow_sums
        if sums is None:
            deep = int(n.max(initial=0))
            sums = _sum_discounts(min(deep, cutoff or deep), discount)
        # Ranks beyond the cutoff have the sum at the cutoff.
        return sums.take(n, mode="clip")

    best = ideal_gains(ranks, dcg)
    worth = grade_gain(grades, dcg)
    return IdealLayers.from_gains(best.query, best.relevance, ranks.n_queries, worth, sum_discounts)


def _sum_discounts(deepest_cutoff: int, discount: Discount) -> Floats:
    """Return the sums of the discounts of the first 0, 1, …, `deepest_cutoff` ranks,
    float64[`deepest_cutoff` + 1]."""
    rank = np.arange(1, deepest_cutoff + 1)
    ones = Hits(np.zeros_like(rank), rank, np.ones(deepest_cutoff), 1)
    return prefix_sums(discount_gains(ones, discount))
