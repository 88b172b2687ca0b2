"""What scores that are a share of the best possible are divided by, as judgments would raise it.

The divisor follows from how many documents of each grade are judged, so that what further ones
would make of it is told without a list of them.
"""

from __future__ import annotations

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits, prefix_sums
from metrics_core.measures.declaring.names import declared
from metrics_core.measures.declaring.parameters import GainTable
from metrics_core.measures.declaring.registry import Measure, Share, Whole, share
from metrics_core.measures.gain import Discount, Gain, best_gains, each_discounted, gain_of

_SHALLOW = 10_000
"""The discounts of so many ranks are at hand, however few of them are asked for."""


def part_of(measure: Measure) -> Measure:
    """The measure whose score this one divides. Raises ValueError where it divides none."""
    declaration = declared(_share(measure).part)
    known = {p.name for p in declaration.parameters}
    return declaration(**{name: value for name, value in measure.values if name in known})


def whole_of(measure: Measure, ranks: JudgedRanks, grades: Floats) -> Whole:
    """What it is divided by, float64[Q], by how many further documents of these V rising grades are
    judged, int64[Q, V]. Raises ValueError where it divides nothing."""
    values = {name: value for name, value in measure.values if name != "judged_only"}
    return _share(measure).whole(ranks, grades, **values)


def _share(measure: Measure) -> Share:
    if not isinstance(measure.declaration.reach, Share):
        raise ValueError(f"{measure} is no share of anything")
    return measure.declaration.reach


@share("R", part="P")
def _relevant_with(ranks: JudgedRanks, grades: Floats, *, cutoff: int, rel: int = 1) -> Whole:
    """Precision at k is recall times R / k."""
    counted, known = grades >= rel, ranks.n_relevant(rel)
    return lambda added: (known + added[:, counted].sum(axis=1)) / cutoff


@share("nDCG", part="DCG")
def _ideal_with(
    ranks: JudgedRanks,
    grades: Floats,
    *,
    cutoff: int | None = None,
    dcg: Gain = "log2",
    gains: GainTable | None = None,
    discount: Discount = "log2",
) -> Whole:
    """The best order's gain with further documents in it. Documents of a query and a gain stand
    together there, so that prefix sums of the discounts tell what they add."""
    if gains is not None:
        raise ValueError("a table of gains orders documents by itself")
    best, worth = best_gains(ranks, dcg), gain_of(grades, dcg)
    known = _discounts(cutoff, discount) if cutoff and cutoff <= _SHALLOW else None
    lead = np.diff(best.query, prepend=-1) != 0
    lead[1:] |= best.relevance[1:] != best.relevance[:-1]
    first = np.flatnonzero(lead)
    query, gain, begin = best.query[first], best.relevance[first], best.rank[first] - 1
    end = begin + np.diff(first, append=len(lead))
    # Of equal gains the order says nothing; the further ones stand behind.
    behind = query * (len(worth) + 1) + np.searchsorted(worth, gain, "right")
    before = np.zeros((ranks.n_queries, len(worth)), dtype=np.int64)
    for v, least in enumerate(worth):
        before[:, v] = np.bincount(best.query[best.relevance >= least], minlength=ranks.n_queries)

    def whole(added: Ints) -> Floats:
        above = np.zeros((ranks.n_queries, len(worth) + 1), dtype=np.int64)
        # A grade at a time: of few grades, rows of a table take longer.
        for v in reversed(range(len(worth))):
            np.add(above[:, v + 1], added[:, v], out=above[:, v])
        pushed = above.ravel().take(behind)
        first, last = begin + pushed, end + pushed
        start = before + above[:, 1:]
        stop = start + added
        sums = known
        if sums is None:
            deep = max(int(last.max(initial=0)), int(stop.max(initial=0)))
            sums = _discounts(min(deep, cutoff or deep), discount)

        def between(low: Ints, high: Ints) -> Floats:
            # Ranks below the cutoff have its sum.
            gained = sums.take(high, mode="clip")
            gained -= sums.take(low, mode="clip")
            return gained

        brought = between(first, last)
        brought *= gain
        own = np.bincount(query, brought, ranks.n_queries)
        return own + between(start, stop) @ worth

    return whole


def _discounts(deepest: int, discount: Discount) -> Floats:
    """Sums of the discounts of the first 0, 1, …, `deepest` ranks."""
    rank = np.arange(1, deepest + 1)
    ones = Hits(np.zeros_like(rank), rank, np.ones(deepest), 1)
    return prefix_sums(each_discounted(ones, discount))
