"""Check whether the order of tied documents could change the verdict: the range of the difference
over all orders.

Documents with equal scores have no meaningful order; in Ranklens they are sorted by id. In the best
order, the relevant ones among them come first, in the worst order last. The orders of two runs are
independent. The lowest difference is therefore the worst order of the run against the best order of
the baseline, and the highest difference is the reverse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Mask
from metrics_core.judging import JudgedRanks
from metrics_core.judging.ties import tie_extremes
from metrics_core.measures import Measure
from metrics_core.tables import Run
from metrics_core.tables.arrays import find_indexes

_RISING = ("monotone", "recall", "precisions", "normalised", "at relevant")


@dataclass(frozen=True)
class TieRange:
    """Range of the score of each query over all orders of tied documents: `low` and `high`,
    float64[query].

    `tied` bool[query] is true if there are equal scores within the cutoff. `exact` is true if no
    order leads to a score outside `low` to `high`."""

    low: Floats
    high: Floats
    tied: Mask
    exact: bool

    def select_queries(self, queries: Mask) -> TieRange:
        """Return a copy with only the queries for which `queries`, bool[query], is true."""
        return TieRange(self.low[queries], self.high[queries], self.tied[queries], self.exact)


def find_tie_range(run: Run, ranks: JudgedRanks, measure: Measure) -> TieRange:
    """Return the lowest and highest score of each query over the orders of its tied documents.

    `ranks` are the judged ranks of the run for all judged queries. The result is exact for measures
    whose score never falls if a document of a higher grade moves up. For other measures, only the
    best and the worst order by grade are tried; other orders may have scores outside this range."""
    score = measure.score(ranks)
    tied = find_tied_queries(run, ranks, measure.cutoff)
    needs = bool(measure.declaration.needs or measure.value("gains"))
    exact = measure.declaration.residual in _RISING and not needs
    if not tied.any() or measure.declaration.needs:
        return TieRange(score, score, tied, exact or not tied.any())
    ends = [measure.score(end) for end in tie_extremes(ranks)]
    low, high = np.minimum(*ends), np.maximum(*ends)
    # A sum in a different order may differ in its last bit.
    return TieRange(np.minimum(low, score), np.maximum(high, score), tied, exact)


def find_tied_queries(run: Run, ranks: JudgedRanks, cutoff: int | None) -> Mask:
    """Return which judged queries have equal scores within the first `cutoff` ranks, bool[query].

    If `cutoff` is None, the whole list is examined."""
    first = run.first_ties()
    is_tied = (first > 0) & (first <= (cutoff or np.inf))
    positions = find_indexes(ranks.query_ids, run.query_ids)
    return np.asarray((positions >= 0) & is_tied[positions], dtype=np.bool_)


def difference_range(run: TieRange, baseline: TieRange, measure: Measure) -> tuple[float, float]:
    """Return the lowest and the highest difference of the combined scores over all orders of ties
    in both runs."""
    combine = measure.declaration.combination.combine
    defined = ~(np.isnan(run.low) | np.isnan(baseline.low))
    low = combine(run.low[defined]) - combine(baseline.high[defined])
    high = combine(run.high[defined]) - combine(baseline.low[defined])
    return float(low), float(high)
