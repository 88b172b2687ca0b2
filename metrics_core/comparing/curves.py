"""Runs against a baseline at every cutoff: from which k on does one lead?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints
from metrics_core.base.errors import UnknownRunError
from metrics_core.comparing.method import MIN_P, Method
from metrics_core.comparing.testing import Against, tested_groups
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.curves import curve
from metrics_core.scoring.intervals import LEVEL, Interval, mean_intervals

_CELLS = 2_000_000
"""Queries times cutoffs of several curves that are worked out at a time."""


@dataclass(frozen=True)
class Band:
    """The paired difference of a run to a baseline by cutoff, each float64[K]: `low` and `high`
    hold for all cutoffs at once, and are NaN where they were not asked for. `queries` int64[K]
    counts those with both scores defined."""

    difference: Floats
    low: Floats
    high: Floats
    queries: Ints

    @property
    def turned(self) -> Band:
        """The band of the baseline to the run, of scores that are averaged as they are: the test
        asks for sizes alone."""
        return Band(-self.difference, -self.high, -self.low, self.queries)


Pair = tuple[JudgedRanks, JudgedRanks, Measure]
"""A run, its baseline and a measure."""


def mean_curves(
    judged: Sequence[JudgedRanks],
    measure: Measure,
    cutoffs: Sequence[int],
    baseline: str,
    *,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Means by cutoff with intervals: columns run, k, mean, low, high, and difference, diff_low,
    diff_high for the paired difference to the baseline (NaN in the baseline's rows), queries.

    `low` and `high` are an interval of their own at each k; `diff_low` and `diff_high` are a band
    that holds for all k of a run at once, so that a lead "from k to k" can be read off it.
    `queries` counts those with both scores defined. Raises UnknownRunError for the baseline.
    """
    by_run = {r.run_name: r for r in judged}
    if baseline not in by_run:
        raise UnknownRunError(baseline, list(by_run))
    means = means_by_cutoff([(ranks, measure) for ranks in judged], cutoffs, level=level)
    others = [r for r in judged if r.run_name != baseline]
    found = bands([(r, by_run[baseline], measure) for r in others], cutoffs, level=level)
    against = dict(zip((r.run_name for r in others), found, strict=True))
    parts = [
        curve_frame(name, cutoffs, own, against.get(name))
        for name, own in zip(by_run, means, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


@dataclass(frozen=True)
class Means:
    """Means by cutoff with an interval of its own at each; `queries` int64[K] counts those with a
    defined score."""

    interval: Interval
    queries: Ints


def means_by_cutoff(
    wanted: Sequence[tuple[JudgedRanks, Measure]],
    cutoffs: Sequence[int],
    *,
    level: float = LEVEL,
    bounds: bool = True,
) -> list[Means]:
    """The means of runs on measures that are combined alike, judged for the same queries; without
    `bounds` no draws are needed, and low and high are NaN."""
    # Many at once, for the draws are one matrix product; not all, for memory.
    size = max(1, _CELLS // max(wanted[0][0].n_queries * len(cutoffs), 1))
    parts = (wanted[start : start + size] for start in range(0, len(wanted), size))
    return [one for part in parts for one in _means(part, cutoffs, level, bounds=bounds)]


def _means(
    wanted: Sequence[tuple[JudgedRanks, Measure]],
    cutoffs: Sequence[int],
    level: float,
    *,
    bounds: bool,
) -> list[Means]:
    combination = wanted[0][1].declaration.combination
    values = np.hstack([curve(ranks, measure, cutoffs) for ranks, measure in wanted])
    queries = (~np.isnan(values)).sum(axis=0)
    if bounds:
        ranges = [measure.declaration.range for _, measure in wanted]
        least, most = np.repeat(ranges, len(cutoffs), axis=0).T
        (ends,) = mean_intervals([values], combination, level=level, within=(least, most))
    else:
        unknown = np.full(values.shape[1], np.nan)
        ends = Interval(combination.of(values), unknown, unknown)
    split = (np.split(part, len(wanted)) for part in (*ends, queries))
    return [Means(Interval(*parts[:3]), parts[3]) for parts in zip(*split, strict=True)]


def bands(pairs: Sequence[Pair], cutoffs: Sequence[int], *, level: float = LEVEL) -> list[Band]:
    """The bands of several pairs over the same queries, in one pass over the draws."""
    found: dict[int, Band] = {}
    # A measure at a time: all of deep lists take much memory, and no product grows by it.
    for measure in dict.fromkeys(m for _, _, m in pairs):
        places = [i for i, pair in enumerate(pairs) if pair[2] == measure]
        against = _against([pairs[i] for i in places], cutoffs)
        tested = tested_groups(against, Method(correction=MIN_P, level=level))
        each = (Band(one.mean, one.low, one.high, one.sample.queries) for one in tested)
        found |= zip(places, each, strict=True)
    return [found[i] for i in range(len(pairs))]


def differences_by_cutoff(pairs: Sequence[Pair], cutoffs: Sequence[int]) -> list[Band]:
    """The differences of `bands` alone, which need no draws; low and high are NaN."""
    found = []
    for group in _against(pairs, cutoffs):
        combined = group.combination
        own, other = combined.onto(group.values), combined.onto(group.baseline)
        known = ~np.isnan(own - other)
        queries = known.sum(axis=0)
        mean, start = np.full((2, len(queries)), np.nan)
        for values, into in ((own - other, mean), (other, start)):
            total = np.where(known, values, 0.0).sum(axis=0)
            np.divide(total, queries, out=into, where=queries > 0)
        if not combined.linear:
            mean = combined.back(start + mean) - combined.back(start)
        nothing = np.full(len(queries), np.nan)
        found.append(Band(mean, nothing, nothing, queries))
    return found


def _against(pairs: Sequence[Pair], cutoffs: Sequence[int]) -> list[Against]:
    """The scores of both of each pair, each run's worked out once."""
    known: dict[tuple[int, Measure], Floats] = {}
    for run, baseline, measure in pairs:
        for ranks in (run, baseline):
            if (id(ranks), measure) not in known:
                known[id(ranks), measure] = curve(ranks, measure, cutoffs)
    return [Against(known[id(run), m], known[id(baseline), m], m) for run, baseline, m in pairs]


def curve_frame(run: str, cutoffs: Sequence[int], own: Means, band: Band | None) -> pd.DataFrame:
    """The rows of `mean_curves` of one run; without a band those of the baseline."""
    nothing = np.full(len(cutoffs), np.nan)
    against = Band(nothing, nothing, nothing, own.queries) if band is None else band
    return pd.DataFrame(
        {
            "run": run,
            "k": np.asarray(cutoffs),
            "mean": own.interval.mean,
            "low": own.interval.low,
            "high": own.interval.high,
            "difference": against.difference,
            "diff_low": against.low,
            "diff_high": against.high,
            "queries": against.queries,
        }
    )
