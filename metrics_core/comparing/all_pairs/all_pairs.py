"""Test all pairs of many runs together, and derive ranks from the results.

All pairs are one family: their p-values are corrected together. Ranks, the runs that may be the
best, and the groups of runs without a significant difference follow from the same verdicts, so they
never contradict each other. With probability at least `level`, the true rank of each run is between
its `first` and its `last` rank (Mohamad, Goeman and van Zwet, An improvement of Tukey's HSD with
application to ranking institutions, 2017; groups: Piepho, An algorithm for a letter-based
representation of all-pairwise comparisons, 2004)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from metrics_core.base import frames as pd
from metrics_core.base.arrays import AnyArray, Floats, Ints, Mask, Objects
from metrics_core.base.wording import plural
from metrics_core.comparing.all_pairs.pair_draws import compare_pairs
from metrics_core.comparing.paired_tests import holm_adjusted
from metrics_core.comparing.resampled import clip_bounds
from metrics_core.comparing.tested_quantities import is_mean_tested, to_tested_scale
from metrics_core.comparing.testing import largest_possible_difference
from metrics_core.comparing.verdicts import (
    BETTER_RUN,
    CANNOT_TELL,
    FEWEST_QUERIES,
    WORSE_RUN,
    are_significant,
)
from metrics_core.measures import MEAN, GivenMeasure, Measure, parse_measure
from metrics_core.scoring.intervals import LEVEL, Interval
from metrics_core.scoring.scores import Scores


@dataclass(frozen=True, eq=False, repr=False)
class AllPairs:
    """Runs, best mean first, and the comparisons of all pairs. A difference is row minus column.

    means        float64[run]
    difference   float64[run, run]
    low, high    float64[run, run], interval of the difference, simultaneous over all pairs, and at
                 least as wide as if either run were the only baseline
    p            float64[run, run], p-value of each pair alone
    p_corrected  float64[run, run], p-value corrected over all pairs
    verdict      object[run, run], "better", "worse" or "cannot tell" of `verdicts`; None on the
                 diagonal. "better" means that the row is the better run, even
                 if lower values are better
    queries      int64[run, run], number of shared queries
    first, last  int64[run], best and worst rank that a run may have
    draws        number of resamples
    log_ratios   for a cost: logarithm of the typical ratio of row to column and its simultaneous
                 interval, each float64[run, run]; None for other measures

    Differences, intervals and p-values are NaN on the diagonal; intervals and p-values are also NaN
    if a pair may not be tested (`verdicts.are_testable`)."""

    runs: tuple[str, ...]
    means: Floats
    difference: Floats
    low: Floats
    high: Floats
    p: Floats
    p_corrected: Floats
    verdict: Objects
    queries: Ints
    first: Ints
    last: Ints
    draws: int
    log_ratios: Interval | None

    @property
    def tested(self) -> Interval:
        """The tested quantity and its interval, each float64[run, run]: logarithms of typical
        ratios for a cost, otherwise differences."""
        return self.log_ratios or Interval(self.difference, self.low, self.high)

    @property
    def n_pairs(self) -> int:
        """The number of pairs of runs. All pairs are corrected together."""
        return len(self.runs) * (len(self.runs) - 1) // 2

    @property
    def clear(self) -> Mask:
        """The pairs that differ significantly, bool[run, run], symmetric."""
        return np.isin(self.verdict, (BETTER_RUN, WORSE_RUN))

    @property
    def has_too_few_queries(self) -> bool:
        """Whether any pair shares too few queries for a verdict."""
        shared = self.queries[~np.eye(len(self.runs), dtype=bool)]
        return bool((shared < FEWEST_QUERIES).any())

    @property
    def possible_best_runs(self) -> tuple[str, ...]:
        """The runs that no other run significantly outperforms, best mean first."""
        return tuple(run for run, first in zip(self.runs, self.first, strict=True) if first == 1)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per pair, the run with the better mean first. Columns: run, other, difference,
        low, high, p, p_corrected, verdict, queries."""
        rows, columns = np.triu_indices(len(self.runs), 1)
        names = np.array(self.runs, dtype=object)
        value_names = ("difference", "low", "high", "p", "p_corrected", "verdict", "queries")
        values = {name: getattr(self, name)[rows, columns] for name in value_names}
        return pd.DataFrame({"run": names[rows], "other": names[columns], **values})

    @property
    def places(self) -> pd.DataFrame:
        """One row per run, best mean first. Columns: run, mean, first, last (best and worst
        possible rank)."""
        columns = {"mean": self.means, "first": self.first, "last": self.last}
        return pd.DataFrame({"run": list(self.runs), **columns})

    def __repr__(self) -> str:
        return f"{self.headline}\n{self.places.to_string(index=False)}"

    @property
    def headline(self) -> str:
        """A sentence fragment with the number of runs and the runs that may be the best."""
        runs = f"{len(self.runs):,} {plural(len(self.runs), 'run')}"
        return f"{runs}; may be the best: {', '.join(self.possible_best_runs)}"

    def select_runs(self, runs: Iterable[str]) -> AllPairs:
        """Return the results for only some of the runs, in the order of their means.

        Verdicts and ranks are still based on the comparison of all runs."""
        chosen_runs = set(runs)
        rows = [i for i, run in enumerate(self.runs) if run in chosen_runs]
        cells = np.ix_(rows, rows)
        pair_fields = ("difference", "low", "high", "p", "p_corrected", "verdict", "queries")
        return replace(
            self,
            runs=tuple(self.runs[i] for i in rows),
            log_ratios=self.log_ratios and Interval(*(m[cells] for m in self.log_ratios)),
            **{name: getattr(self, name)[rows] for name in ("means", "first", "last")},
            **{name: getattr(self, name)[cells] for name in pair_fields},
        )


def all_pairs(scores: Scores, measure: GivenMeasure, *, level: float = LEVEL) -> AllPairs:
    """Compare every pair of runs on one measure, using the queries on which both runs have a score.

    For a geometric mean, logarithms are tested, and the intervals of their differences are
    converted back around the midpoint of the two means. A cost is tested by its typical ratio
    (`tested_quantities`), which also determines the order of the runs; the differences between mean
    costs have no interval. A cost with a value of 0 or below is not tested. A measure without a
    declared direction is not tested either, and the run with the highest mean comes first. Raises
    RanklensError if the measure has no scores."""
    parsed_measure = parse_measure(measure)
    combination = parsed_measure.declaration.combination
    direction = parsed_measure.declaration.direction
    values = scores.values_of(parsed_measure)
    tested_scale = to_tested_scale(parsed_measure, values)
    is_mean = is_mean_tested(parsed_measure)
    scaled = tested_scale if is_mean else values
    middle = MEAN.combine(scaled.T)
    typical = middle if np.isnan(tested_scale).all() else MEAN.combine(tested_scale.T)
    order = np.argsort(-(direction or 1) * typical, kind="stable")  # NaN last
    scaled, middle, tested_scale = scaled[order], middle[order], tested_scale[order]
    pairs = np.stack(np.triu_indices(len(order), 1))
    pair_matrix = _PairMatrix(len(order), pairs)
    pair_tests = compare_pairs(tested_scale, pairs, level)
    # A pair that is significant here must also be significant with either of the two runs as
    # baseline.
    baseline_p = np.array(
        [holm_adjusted(row) for row in pair_matrix.symmetric_matrix(pair_tests.p)]
    )
    at_least = np.maximum(baseline_p, baseline_p.T)[*pairs]
    tested = replace(pair_tests, p_corrected=np.maximum(pair_tests.p_corrected, at_least))
    tested_intervals = tested.intervals(level)
    intervals = (
        _to_score_scale(tested_intervals, parsed_measure, scaled, pairs)
        if is_mean
        else _find_untested_differences(scaled, pairs)
    )
    better = np.where(tested.mean * direction > 0, BETTER_RUN, WORSE_RUN)
    verdict = np.where(are_significant(tested.p_corrected, level), better, CANNOT_TELL).astype(
        object
    )
    verdicts = pair_matrix.mirrored_matrix(verdict, {BETTER_RUN: WORSE_RUN, WORSE_RUN: BETTER_RUN})
    n_defined, is_untested = (~np.isnan(scaled)).sum(axis=1), np.isnan(tested.p).all()
    differences = pair_matrix.intervals(intervals)
    return AllPairs(
        runs=tuple(scores.runs[i] for i in order),
        means=combination.from_scale(middle),
        difference=differences.mean,
        low=differences.low,
        high=differences.high,
        p=pair_matrix.symmetric_matrix(tested.p),
        p_corrected=pair_matrix.symmetric_matrix(tested.p_corrected),
        verdict=verdicts,
        queries=pair_matrix.symmetric_matrix(
            (~np.isnan(scaled[pairs[0]] + scaled[pairs[1]])).sum(axis=1), n_defined
        ),
        first=1 + (verdicts == WORSE_RUN).sum(axis=1),
        last=len(order) - (verdicts == BETTER_RUN).sum(axis=1),
        draws=0 if is_untested else tested.draws,
        log_ratios=None if is_mean or is_untested else pair_matrix.intervals(tested_intervals),
    )


@dataclass(frozen=True)
class _PairMatrix:
    """Run-by-run matrices built from one value per pair."""

    runs: int
    pairs: Ints

    def antisymmetric_matrix(self, above: Floats, below: Floats | None = None) -> Floats:
        matrix = np.full((self.runs, self.runs), np.nan)
        matrix[*self.pairs] = above
        matrix[*self.pairs[::-1]] = -(above if below is None else below)
        return matrix

    def intervals(self, values: Interval) -> Interval:
        (mean, low, high), matrix = values, self.antisymmetric_matrix
        return Interval(matrix(mean), matrix(low, high), matrix(high, low))

    def symmetric_matrix(self, values: AnyArray, diagonal: npt.ArrayLike = np.nan) -> AnyArray:
        matrix = np.zeros((self.runs, self.runs), dtype=values.dtype)
        np.fill_diagonal(matrix, diagonal)
        matrix[*self.pairs] = matrix[*self.pairs[::-1]] = values
        return matrix

    def mirrored_matrix(self, values: Objects, opposites: dict[str, str]) -> Objects:
        matrix = np.full((self.runs, self.runs), None, dtype=object)
        matrix[*self.pairs] = values
        matrix[*self.pairs[::-1]] = [opposites.get(value, value) for value in values]
        return matrix


def _find_untested_differences(scores: Floats, pairs: Ints) -> Interval:
    """Return the mean difference of each pair, in an Interval whose bounds are NaN because these
    differences are not tested."""
    mean = MEAN.combine((scores[pairs[0]] - scores[pairs[1]]).T)
    return Interval(mean, *np.full((2, len(mean)), np.nan))


def _to_score_scale(intervals: Interval, measure: Measure, scaled: Floats, pairs: Ints) -> Interval:
    """Convert differences and their bounds from the scale on which scores are averaged to the scale
    of combined scores.

    On a linear scale, differences are unchanged and bounds are clipped to the largest possible
    difference. On any other scale, let m be the midpoint of the means of the two runs. A difference
    d becomes the difference between the converted values of m + d / 2 and m - d / 2."""
    combination, widest = measure.declaration.combination, largest_possible_difference(measure)
    if combination.linear:
        return Interval(intervals.mean, *(clip_bounds(end, widest) for end in intervals[1:]))
    middle = np.full(pairs.shape[1], np.nan)
    for index, (one, other) in enumerate(pairs.T):
        has_both = ~np.isnan(scaled[one]) & ~np.isnan(scaled[other])
        if has_both.any():
            middle[index] = (scaled[one][has_both].mean() + scaled[other][has_both].mean()) / 2
    return Interval(
        *(
            combination.from_scale(middle + end / 2) - combination.from_scale(middle - end / 2)
            for end in intervals
        )
    )
