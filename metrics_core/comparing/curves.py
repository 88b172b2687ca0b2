"""Compare runs with a baseline at every cutoff, and find the k from which a run leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints
from metrics_core.base.errors import UnknownRunError
from metrics_core.comparing.method import MIN_P, Method
from metrics_core.comparing.resampled import reset_moved_bounds
from metrics_core.comparing.testing import PairedScores, compare_groups
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.curves import score_curve
from metrics_core.scoring.intervals import LEVEL, Interval, mean_intervals

_CELLS = 2_000_000
"""Maximum number of scores (queries times cutoffs times curves) that are processed at a time."""


@dataclass(frozen=True)
class Band:
    """Paired difference between a run and a baseline at each cutoff, run minus baseline.

    `difference`, `low` and `high` are float64[cutoff]. `low` and `high` are simultaneous over all
    cutoffs; they are NaN if they were not computed. `queries` int64[cutoff] counts the queries with
    both scores defined."""

    difference: Floats
    low: Floats
    high: Floats
    queries: Ints

    @property
    def reversed_band(self) -> Band:
        """The band with run and baseline swapped, for scores on a linear scale.

        The result is exact, because the test uses absolute values."""
        return Band(-self.difference, -self.high, -self.low, self.queries)


Pair = tuple[JudgedRanks, JudgedRanks, Measure]
"""A run, its baseline and a measure, as a tuple."""


def mean_curves(
    judged: Sequence[JudgedRanks],
    measure: Measure,
    cutoffs: Sequence[int],
    baseline: str,
    *,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Return means by cutoff with intervals. Columns: run, k, mean, low, high, difference,
    diff_low, diff_high, queries.

    `low` and `high` are a separate interval at each k. `difference` is the paired difference from
    the baseline. `diff_low` and `diff_high` are a band that is simultaneous over all k of a run, so
    it shows the ranges of k in which a run leads. In the baseline's rows, the difference and the
    band are NaN. `queries` counts the queries with both scores defined. Raises UnknownRunError if
    the baseline is unknown."""
    by_run = {r.run_name: r for r in judged}
    if baseline not in by_run:
        raise UnknownRunError(baseline, list(by_run))
    means = means_by_cutoff([(ranks, measure) for ranks in judged], cutoffs, level=level)
    others = [r for r in judged if r.run_name != baseline]
    run_bands = find_bands([(r, by_run[baseline], measure) for r in others], cutoffs, level=level)
    band_by_run = dict(zip((r.run_name for r in others), run_bands, strict=True))
    parts = [
        make_curve_frame(name, cutoffs, run_means, band_by_run.get(name))
        for name, run_means in zip(by_run, means, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


@dataclass(frozen=True)
class MeanCurve:
    """The mean at each cutoff with its own interval: mean, low and high, float64[cutoff] each.
    `queries` int64[cutoff] counts the queries with a defined score."""

    interval: Interval
    queries: Ints


def means_by_cutoff(
    judged_measures: Sequence[tuple[JudgedRanks, Measure]],
    cutoffs: Sequence[int],
    *,
    level: float = LEVEL,
    with_bounds: bool = True,
) -> list[MeanCurve]:
    """Return the mean curve of each pair of a run and a measure.

    All runs must be joined with the judgments of the same queries. All measures must combine the
    scores of queries in the same way, such as by their mean. If `with_bounds` is false, nothing is
    resampled, and low and high are NaN."""
    # Many at once, because the draws are one matrix product; not all, because of memory.
    size = max(1, _CELLS // max(judged_measures[0][0].n_queries * len(cutoffs), 1))
    parts = (
        judged_measures[start : start + size] for start in range(0, len(judged_measures), size)
    )
    return [
        mean_curve
        for part in parts
        for mean_curve in _make_mean_curves(part, cutoffs, level, with_bounds=with_bounds)
    ]


def _make_mean_curves(
    judged_measures: Sequence[tuple[JudgedRanks, Measure]],
    cutoffs: Sequence[int],
    level: float,
    *,
    with_bounds: bool,
) -> list[MeanCurve]:
    combination = judged_measures[0][1].declaration.combination
    values = np.hstack([score_curve(ranks, measure, cutoffs) for ranks, measure in judged_measures])
    queries = (~np.isnan(values)).sum(axis=0)
    if with_bounds:
        ranges = [measure.declaration.range for _, measure in judged_measures]
        least, most = np.repeat(ranges, len(cutoffs), axis=0).T
        (ends,) = mean_intervals([values], combination, level=level, limits=(least, most))
    else:
        unknown = np.full(values.shape[1], np.nan)
        ends = Interval(combination.combine(values), unknown, unknown)
    split = (np.split(part, len(judged_measures)) for part in (*ends, queries))
    return [MeanCurve(Interval(*parts[:3]), parts[3]) for parts in zip(*split, strict=True)]


def find_bands(
    pairs: Sequence[Pair], cutoffs: Sequence[int], *, level: float = LEVEL
) -> list[Band]:
    """Return the band of each pair at these cutoffs.

    All runs must be joined with the judgments of the same queries. The pairs of a measure are
    tested in one pass over the draws."""
    band_by_place: dict[int, Band] = {}
    # One measure at a time: all measures of deep lists take much memory, and larger products are no
    # faster.
    for measure in dict.fromkeys(m for _, _, m in pairs):
        places = [i for i, pair in enumerate(pairs) if pair[2] == measure]
        score_pairs = _score_pairs([pairs[i] for i in places], cutoffs)
        tested = compare_groups(score_pairs, Method(correction=MIN_P, level=level))
        each = (
            Band(
                result.mean,
                reset_moved_bounds(result.low),
                reset_moved_bounds(result.high),
                result.sample.queries,
            )
            for result in tested
        )
        band_by_place |= zip(places, each, strict=True)
    return [band_by_place[i] for i in range(len(pairs))]


def differences_by_cutoff(pairs: Sequence[Pair], cutoffs: Sequence[int]) -> list[Band]:
    """Return the differences by cutoff as bands without bounds: low and high are NaN. Nothing is
    resampled. Otherwise, the result is the same as that of `find_bands`."""
    bands_found = []
    for group in _score_pairs(pairs, cutoffs):
        combination = group.combination
        own_values = combination.to_scale(group.values)
        other_values = combination.to_scale(group.baseline)
        is_defined = ~np.isnan(own_values - other_values)
        queries = is_defined.sum(axis=0)
        mean, start = np.full((2, len(queries)), np.nan)
        for values, target in ((own_values - other_values, mean), (other_values, start)):
            total = np.where(is_defined, values, 0.0).sum(axis=0)
            np.divide(total, queries, out=target, where=queries > 0)
        if not combination.linear:
            mean = combination.from_scale(start + mean) - combination.from_scale(start)
        undefined = np.full(len(queries), np.nan)
        bands_found.append(Band(mean, undefined, undefined, queries))
    return bands_found


def _score_pairs(pairs: Sequence[Pair], cutoffs: Sequence[int]) -> list[PairedScores]:
    """Return the scores of run and baseline of each pair. Each run is scored only once per
    measure."""
    curves: dict[tuple[int, Measure], Floats] = {}
    for run, baseline, measure in pairs:
        for ranks in (run, baseline):
            if (id(ranks), measure) not in curves:
                curves[id(ranks), measure] = score_curve(ranks, measure, cutoffs)
    return [
        PairedScores(curves[id(run), m], curves[id(baseline), m], m) for run, baseline, m in pairs
    ]


def make_curve_frame(
    run: str, cutoffs: Sequence[int], run_means: MeanCurve, band: Band | None
) -> pd.DataFrame:
    """Return the rows of `mean_curves` for one run. For the baseline, `band` is None."""
    undefined = np.full(len(cutoffs), np.nan)
    run_band = Band(undefined, undefined, undefined, run_means.queries) if band is None else band
    return pd.DataFrame(
        {
            "run": run,
            "k": np.asarray(cutoffs),
            "mean": run_means.interval.mean,
            "low": run_means.interval.low,
            "high": run_means.interval.high,
            "difference": run_band.difference,
            "diff_low": run_band.low,
            "diff_high": run_band.high,
            "queries": run_band.queries,
        }
    )
