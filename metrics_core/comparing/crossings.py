"""From which cutoff on does a run lead? The difference over all k, and where it changes sides."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.comparing.method import MIN_P, Method
from metrics_core.comparing.testing import PairedScores, compare_groups
from metrics_core.comparing.winners import better_sides
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.curves import cutoffs_up_to, deepest_list, score_curve
from metrics_core.scoring.intervals import LEVEL

_MOST_CELLS = 100_000
"""Queries times cutoffs for which the band is worked out at every cutoff up to `_EVERY`."""
_EVERY = 100
_FEW_CELLS = 400_000
_FEW = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
_CELLS = 400_000
"""Queries times cutoffs that are held at a time."""


@dataclass(frozen=True)
class Crossings:
    """Mean difference of a pair by cutoff, run minus baseline, and better upwards or not.

    `difference` float64[K] is that at every k from 1 to K. `side` int64[K] is 1 where the run is
    better, -1 where the baseline is, 0 where the means are equal. The band is worked out at some of
    the cutoffs, `pair_by_cutoff`: `low` and `high` hold for all of those at once, and `clear` is
    their side where it excludes zero, else 0. They are NaN, and nothing is clear, where there are
    too few queries for a band, or too few of them differ. `means` has the combined scores of both
    at `pair_by_cutoff`, each over the queries that it defines.
    """

    difference: Floats
    side: Ints
    cutoffs: Ints
    low: Floats
    high: Floats
    clear: Ints
    means: tuple[Floats, Floats] = field(default_factory=lambda: (np.zeros(0), np.zeros(0)))

    @property
    def depth(self) -> int:
        """The greatest cutoff looked at."""
        return len(self.difference)

    def side_changes(self) -> list[tuple[int, int, int]]:
        """Where the lead changes: (k, side before, side from k on), in the order of k."""
        positions = np.flatnonzero(np.diff(self.side)) + 1
        return [(int(k) + 1, int(self.side[k - 1]), int(self.side[k])) for k in positions]

    def clear_ranges(self, side: int) -> list[tuple[int, int]]:
        """The ranges of cutoffs, first to last, in which the band is clear on this side."""
        return ranges_where(self.cutoffs, self.clear == side)

    def side_ranges(self, side: int) -> list[tuple[int, int]]:
        """The ranges of k, first to last, in which the means stand on this side; 0: are equal."""
        return ranges_where(np.arange(1, self.depth + 1), self.side == side)

    def clear_side(self, cutoff: int) -> int:
        """The clear side at the deepest looked-at cutoff that is no deeper than this one."""
        index = int(np.searchsorted(self.cutoffs, cutoff, "right")) - 1
        return int(self.clear[max(index, 0)])


def ranges_where(cutoffs: Ints, holds: Mask) -> list[tuple[int, int]]:
    """First and last of these cutoffs in every unbroken stretch in which something holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(np.int64)))
    ends = zip(edges[::2], edges[1::2] - 1, strict=True)
    return [(int(cutoffs[first]), int(cutoffs[last])) for first, last in ends]


def find_crossings(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    *,
    depth: int | None = None,
    also: int = 1,
    level: float = LEVEL,
    difference: Floats | None = None,
) -> Crossings:
    """The difference at every cutoff up to `depth`, by default that of the deeper run; `difference`
    is that of `difference_curve`, if it is known. The cutoff `also` is among those with a band.
    Raises ParameterError for a measure without cutoff."""
    deepest = depth or max(deepest_list([run, baseline]), 1)
    combination = measure.declaration.combination
    cutoffs = np.array(_band_cutoffs(deepest, run.n_queries, min(also, deepest)))
    run_scores, baseline_scores = (
        score_curve(ranks, measure, cutoffs) for ranks in (run, baseline)
    )
    means = combination.combine(run_scores), combination.combine(baseline_scores)
    if difference is None:
        difference = difference_curve(run, baseline, measure, depth=deepest)
    direction = measure.declaration.direction
    # As the chart of the curves is.
    method = Method(correction=MIN_P, level=level)
    paired_scores = PairedScores(*_mask_undefined(run_scores, baseline_scores), measure)
    (results,) = compare_groups([paired_scores], method)
    low, high = results.low, results.high
    clear = np.where(low > 0, direction, np.where(high < 0, -direction, 0))
    return Crossings(
        difference, better_sides(difference, direction), cutoffs, low, high, clear, means
    )


def difference_curve(
    run: JudgedRanks, baseline: JudgedRanks, measure: Measure, *, depth: int | None = None
) -> Floats:
    """The difference of the combined scores at every cutoff up to `depth`, by default that of the
    deeper run, whatever cutoff the measure has; over the queries with both scores. Raises
    ParameterError for a measure without cutoff."""
    deepest = depth or max(deepest_list([run, baseline]), 1)
    every = np.arange(1, deepest + 1)
    # Of some cutoffs at a time: deep lists of many queries would take hundreds of MB.
    size = max(1, _CELLS // max(run.n_queries, 1))
    parts = (every[start : start + size] for start in range(0, deepest, size))
    return np.concatenate([_difference(run, baseline, measure, part) for part in parts])


def _difference(run: JudgedRanks, baseline: JudgedRanks, measure: Measure, cutoffs: Ints) -> Floats:
    """The difference of the combined scores at these cutoffs, over the queries with both."""
    own_scores, other_scores = _mask_undefined(
        *(score_curve(ranks, measure, cutoffs) for ranks in (run, baseline))
    )
    combination = measure.declaration.combination
    return np.asarray(combination.combine(own_scores) - combination.combine(other_scores))


def _mask_undefined(own_scores: Floats, other_scores: Floats) -> tuple[Floats, Floats]:
    if not any(np.isnan(scores.min(initial=0.0)) for scores in (own_scores, other_scores)):
        return own_scores, other_scores
    undefined = np.isnan(own_scores) | np.isnan(other_scores)
    return np.where(undefined, np.nan, own_scores), np.where(undefined, np.nan, other_scores)


def _band_cutoffs(deepest: int, n_queries: int, also: int) -> list[int]:
    """Every cutoff up to a hundred while that is cheap, and evenly spaced ones on a log scale; few
    for very many queries."""
    cells = n_queries * min(deepest, _EVERY)
    if cells > _FEW_CELLS:
        return sorted({k for k in (*_FEW, also, deepest) if k <= deepest})
    every = range(1, min(deepest, _EVERY) + 1) if cells <= _MOST_CELLS else ()
    return cutoffs_up_to(deepest, also=[also, *every])
