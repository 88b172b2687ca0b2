"""Find the cutoffs at which a run leads: the difference at every k, and the cutoffs at which the
lead changes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.comparing.method import MIN_P, Method
from metrics_core.comparing.resampled import reset_moved_bounds
from metrics_core.comparing.testing import PairedScores, compare_groups
from metrics_core.comparing.winners import better_run_signs
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.curves import cutoffs_up_to, longest_list_length, score_curve
from metrics_core.scoring.intervals import LEVEL

_MOST_CELLS = 100_000
"""Maximum number of cells (queries times cutoffs) for which the band is computed at every cutoff up
to `_EVERY`."""
_EVERY = 100
_FEW_CELLS = 400_000
_FEW = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
_CELLS = 400_000
"""Maximum number of scores (queries times cutoffs) that are processed at a time."""


@dataclass(frozen=True)
class Crossings:
    """Mean difference of a pair of runs by cutoff: run minus baseline, even if lower is better.

    difference  float64[k], for every k from 1 to `depth`
    side        int64[k], 1 if the run is better, -1 if the baseline is better, 0 if they are equal
    cutoffs     int64[cutoff], the cutoffs at which the band is computed
    low, high   float64[cutoff], the band, simultaneous over all `cutoffs`; NaN if there is no test
                (too few queries, or too few that differ)
    clear       int64[cutoff], the better side if the band excludes zero, else 0
    means       combined scores of the run and of the baseline, float64[cutoff] each; each is
                computed from the queries for which its own score is defined"""

    difference: Floats
    side: Ints
    cutoffs: Ints
    low: Floats
    high: Floats
    clear: Ints
    means: tuple[Floats, Floats] = field(default_factory=lambda: (np.zeros(0), np.zeros(0)))

    @property
    def depth(self) -> int:
        """The deepest cutoff."""
        return len(self.difference)

    def significant_ranges(self, side: int) -> list[tuple[int, int]]:
        """Return the ranges of cutoffs, as (first, last), at which one run is significantly better
        according to the band: the run if `side` is 1, the baseline if it is -1."""
        return find_cutoff_ranges(self.cutoffs, self.clear == side)

    def lead_ranges(self, side: int) -> list[tuple[int, int]]:
        """Return the ranges of k, as (first, last), at which one run has the better mean: the run
        if `side` is 1, the baseline if it is -1. If `side` is 0, the means are equal in these
        ranges."""
        return find_cutoff_ranges(np.arange(1, self.depth + 1), self.side == side)


def find_cutoff_ranges(cutoffs: Ints, is_true: Mask) -> list[tuple[int, int]]:
    """Return the first and last cutoff of every unbroken stretch in which a condition is true.

    `cutoffs` is int64[cutoff], and `is_true` bool[cutoff] says whether the condition is true at
    each cutoff."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_true, [False]]).astype(np.int64)))
    ends = zip(edges[::2], edges[1::2] - 1, strict=True)
    return [(int(cutoffs[first]), int(cutoffs[last])) for first, last in ends]


def find_crossings(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    *,
    depth: int | None = None,
    extra_cutoff: int = 1,
    level: float = LEVEL,
    difference: Floats | None = None,
) -> Crossings:
    """Return the difference of a pair of runs at every cutoff up to `depth`, and a confidence band
    at some cutoffs, including `extra_cutoff`.

    `depth` defaults to the length of the longer list of the two runs. If the result of
    `difference_curve` is already known, it can be passed as `difference` float64[k]. Raises
    ParameterError for a measure without a cutoff."""
    deepest = depth or max(longest_list_length([run, baseline]), 1)
    combination = measure.declaration.combination
    cutoffs = np.array(_band_cutoffs(deepest, run.n_queries, min(extra_cutoff, deepest)))
    run_scores, baseline_scores = (
        score_curve(ranks, measure, cutoffs) for ranks in (run, baseline)
    )
    means = combination.combine(run_scores), combination.combine(baseline_scores)
    if difference is None:
        difference = difference_curve(run, baseline, measure, depth=deepest)
    direction = measure.declaration.direction
    # The same correction as in the chart of the curves.
    method = Method(correction=MIN_P, level=level)
    paired_scores = PairedScores(*_mask_undefined(run_scores, baseline_scores), measure)
    (results,) = compare_groups([paired_scores], method)
    low, high = map(reset_moved_bounds, (results.low, results.high))
    clear = np.where(low > 0, direction, np.where(high < 0, -direction, 0))
    return Crossings(
        difference, better_run_signs(difference, direction), cutoffs, low, high, clear, means
    )


def difference_curve(
    run: JudgedRanks, baseline: JudgedRanks, measure: Measure, *, depth: int | None = None
) -> Floats:
    """Return the difference of the combined scores at every cutoff from 1 to `depth`, float64[k],
    over the queries with both scores.

    The cutoff of `measure` is ignored. `depth` defaults to the length of the longer list of the two
    runs. Raises ParameterError for a measure without a cutoff."""
    deepest = depth or max(longest_list_length([run, baseline]), 1)
    every = np.arange(1, deepest + 1)
    # Some cutoffs at a time: deep lists of many queries would take hundreds of MB.
    size = max(1, _CELLS // max(run.n_queries, 1))
    parts = (every[start : start + size] for start in range(0, deepest, size))
    return np.concatenate([_find_difference(run, baseline, measure, part) for part in parts])


def _find_difference(
    run: JudgedRanks, baseline: JudgedRanks, measure: Measure, cutoffs: Ints
) -> Floats:
    """Return the difference of the combined scores at these cutoffs, float64[cutoff], over the
    queries with both scores."""
    own_scores, other_scores = _mask_undefined(
        *(score_curve(ranks, measure, cutoffs) for ranks in (run, baseline))
    )
    combination = measure.declaration.combination
    return np.asarray(combination.combine(own_scores) - combination.combine(other_scores))


def _mask_undefined(run_scores: Floats, baseline_scores: Floats) -> tuple[Floats, Floats]:
    if not any(np.isnan(scores.min(initial=0.0)) for scores in (run_scores, baseline_scores)):
        return run_scores, baseline_scores
    undefined = np.isnan(run_scores) | np.isnan(baseline_scores)
    return np.where(undefined, np.nan, run_scores), np.where(undefined, np.nan, baseline_scores)


def _band_cutoffs(deepest_cutoff: int, n_queries: int, extra_cutoff: int) -> list[int]:
    """Return the cutoffs at which the band is computed.

    They are log-spaced. If there are few enough queries, every cutoff up to 100 is added. If there
    are very many queries, there are only a few cutoffs."""
    cells = n_queries * min(deepest_cutoff, _EVERY)
    if cells > _FEW_CELLS:
        return sorted({k for k in (*_FEW, extra_cutoff, deepest_cutoff) if k <= deepest_cutoff})
    every = range(1, min(deepest_cutoff, _EVERY) + 1) if cells <= _MOST_CELLS else ()
    return cutoffs_up_to(deepest_cutoff, extra_cutoffs=[extra_cutoff, *every])
