"""Divisors of measures whose score is a share of the best possible score, and how further judgments
change the divisors.

A divisor depends only on how many documents of each grade are judged, so the effect of further
judgments is computed without listing them."""

from __future__ import annotations

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits, prefix_sums
from metrics_core.measures.declaring.names import find_declaration
from metrics_core.measures.declaring.parameters import GainTable
from metrics_core.measures.declaring.registry import Divisor, Measure, Share, declare_share
from metrics_core.measures.gain import Discount, Gain, discount_gains, grade_gain, ideal_gains

_SHALLOW = 10_000
"""The cumulative discounts are precomputed up to this cutoff."""


def numerator_measure(measure: Measure) -> Measure:
    """Return the measure in the numerator of a `Share`, that is, the measure whose score is
    divided. Raises ValueError if the measure is not a `Share`."""
    declaration = find_declaration(_require_share(measure).part)
    names = {p.name for p in declaration.parameters}
    return declaration(**{name: value for name, value in measure.values if name in names})


def make_divisor_function(measure: Measure, ranks: JudgedRanks, grades: Floats) -> Divisor:
    """Return a function that computes the divisor of a measure, float64[query], as it would be if
    additional documents were judged. Its argument is the number of these documents for each of the
    ascending `grades`, int64[query, grade]. Raises ValueError if the measure is not a `Share`."""
    values = {name: value for name, value in measure.values if name != "judged_only"}
    return _require_share(measure).find_divisor(ranks, grades, **values)


def _require_share(measure: Measure) -> Share:
    if not isinstance(measure.declaration.reach, Share):
        raise ValueError(f"{measure} is not a share of a total")
    return measure.declaration.reach


@declare_share("R", part="P")
def _recall_divisor(ranks: JudgedRanks, grades: Floats, *, cutoff: int, rel: int = 1) -> Divisor:
    """Return the divisor function of recall. For this purpose, recall is written as precision at k
    divided by R / k."""
    is_counted, n_relevant = grades >= rel, ranks.n_relevant(rel)
    return lambda added: (n_relevant + added[:, is_counted].sum(axis=1)) / cutoff


@declare_share("nDCG", part="DCG")
def _ndcg_divisor(
    ranks: JudgedRanks,
    grades: Floats,
    *,
    cutoff: int | None = None,
    dcg: Gain = "log2",
    gains: GainTable | None = None,
    discount: Discount = "log2",
) -> Divisor:
    """Return a function that computes the gain of the best order as it would be if additional
    documents were judged.

    Documents of a query with equal gains are adjacent in the best order, so their contribution is
    computed from prefix sums of the discounts."""
    if gains is not None:
        raise ValueError("a gain table already determines the order of the documents")
    best, worth = ideal_gains(ranks, dcg), grade_gain(grades, dcg)
    shallow_sums = _sum_discounts(cutoff, discount) if cutoff and cutoff <= _SHALLOW else None
    is_first = np.diff(best.query, prepend=-1) != 0
    is_first[1:] |= best.relevance[1:] != best.relevance[:-1]
    first = np.flatnonzero(is_first)
    query, gain, begin = best.query[first], best.relevance[first], best.rank[first] - 1
    end = begin + np.diff(first, append=len(is_first))
    # The order of equal gains does not matter; further documents come last.
    behind = query * (len(worth) + 1) + np.searchsorted(worth, gain, "right")
    before = np.zeros((ranks.n_queries, len(worth)), dtype=np.int64)
    for v, least in enumerate(worth):
        before[:, v] = np.bincount(best.query[best.relevance >= least], minlength=ranks.n_queries)

    def compute_divisor(added: Ints) -> Floats:
        above = np.zeros((ranks.n_queries, len(worth) + 1), dtype=np.int64)
        # One grade at a time: with few grades, rows of a table take longer.
        for v in reversed(range(len(worth))):
            np.add(above[:, v + 1], added[:, v], out=above[:, v])
        n_above = above.ravel().take(behind)
        first, last = begin + n_above, end + n_above
        start = before + above[:, 1:]
        stop = start + added
        sums = shallow_sums
        if sums is None:
            deep = max(int(last.max(initial=0)), int(stop.max(initial=0)))
            sums = _sum_discounts(min(deep, cutoff or deep), discount)

        def gain_between(low: Ints, high: Ints) -> Floats:
            # Ranks beyond the cutoff have the sum at the cutoff.
            gained = sums.take(high, mode="clip")
            gained -= sums.take(low, mode="clip")
            return gained

        parts = gain_between(first, last)
        parts *= gain
        judged_gains = np.bincount(query, parts, ranks.n_queries)
        return judged_gains + gain_between(start, stop) @ worth

    return compute_divisor


def _sum_discounts(deepest_cutoff: int, discount: Discount) -> Floats:
    """Return the sums of the discounts of the first 0, 1, …, `deepest_cutoff` ranks,
    float64[`deepest_cutoff` + 1]."""
    rank = np.arange(1, deepest_cutoff + 1)
    ones = Hits(np.zeros_like(rank), rank, np.ones(deepest_cutoff), 1)
    return prefix_sums(discount_gains(ones, discount))
