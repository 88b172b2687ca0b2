"""Could the order within equal scores turn the verdict? The difference under every such order.

Documents of equal score stand in an order that says nothing: here that of their ids. In the best
order the relevant ones come first, in the worst last; the orders of two runs are free of each
other, so the difference reaches from the worst of the run against the best of the baseline to the
other way round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Mask
from metrics_core.judging import JudgedRanks
from metrics_core.judging.ties import tie_extremes
from metrics_core.measures import Measure
from metrics_core.tables import Run
from metrics_core.tables.arrays import find_indexes

_ALIKE = 1e-12
_RISING = ("monotone", "recall", "precisions", "normalised", "at relevant")


@dataclass(frozen=True)
class TieRange:
    """The scores of Q queries under the orders of tied documents: float64[Q] each. `tied` bool[Q]
    says which queries have equal scores that touch the ranks that count. `exact` says that no order
    passes `low` or `high`."""

    low: Floats
    high: Floats
    tied: Mask
    exact: bool

    def among(self, queries: Mask) -> TieRange:
        """The same for some of the queries, bool[Q]."""
        return TieRange(self.low[queries], self.high[queries], self.tied[queries], self.exact)

    @property
    def is_affected(self) -> Mask:
        """The queries whose score depends on the order, bool[Q]."""
        return self.high - self.low > _ALIKE


def find_tie_range(run: Run, ranks: JudgedRanks, measure: Measure) -> TieRange:
    """The lowest and highest score of each query that an order of the tied documents gives. `ranks`
    are those of the run, of all judged queries.

    Exact where a measure never falls when a document of a higher grade moves up; of other measures
    the two orders are tried, and nothing is known of those between them.
    """
    score = measure.score(ranks)
    tied = find_tied_queries(run, ranks, measure.cutoff)
    needs = bool(measure.declaration.needs or measure.value("gains"))
    exact = measure.declaration.residual in _RISING and not needs
    if not tied.any() or measure.declaration.needs:
        return TieRange(score, score, tied, exact or not tied.any())
    ends = [measure.score(end) for end in tie_extremes(ranks)]
    low, high = np.minimum(*ends), np.maximum(*ends)
    # A sum in another order may differ in its last bit.
    return TieRange(np.minimum(low, score), np.maximum(high, score), tied, exact)


def find_tied_queries(run: Run, ranks: JudgedRanks, cutoff: int | None = None) -> Mask:
    """The judged queries, bool[Q], with equal scores that touch the first `cutoff` ranks;
    anywhere in the list where there is no cutoff."""
    first = run.first_ties()
    is_tied = (first > 0) & (first <= (cutoff or np.inf))
    positions = find_indexes(ranks.query_ids, run.query_ids)
    return np.asarray((positions >= 0) & is_tied[positions], dtype=np.bool_)


def difference_range(run: TieRange, baseline: TieRange, measure: Measure) -> tuple[float, float]:
    """The lowest and the highest combined difference that the orders of both runs allow."""
    combine = measure.declaration.combination.combine
    defined = ~(np.isnan(run.low) | np.isnan(baseline.low))
    low = combine(run.low[defined]) - combine(baseline.high[defined])
    high = combine(run.high[defined]) - combine(baseline.low[defined])
    return float(low), float(high)
