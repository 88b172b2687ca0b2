"""Decide the outcome of a gate: is a run worse than its baseline by more than the allowed margin?

    worse        the loss is significant, corrected over all gates and runs, and the estimated
                 loss exceeds the margin
    not worse    the lower bound of the 90% interval is above minus the margin, or no query
                 differs
    cannot tell  any other case

At most 5% of changes whose true loss equals the margin get the outcome "not worse". This
requires a special interval (`mean_intervals`: `margin_interval` and `adjust_by_share_bounds`).
With the bootstrap or t interval, the share was up to 9% if few queries change, and 13% if a few
of them fail completely. The claim that all gates are not worse needs no correction. A gate that
failed whenever the lower bound is below the margin would fail most changes that have no effect
(benchmarks/gates.py)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Mask
from metrics_core.comparing.comparison_results import ComparisonResults
from metrics_core.comparing.gate_conditions import Floor, Gate, QuerySlice
from metrics_core.comparing.power import failure_chance, smallest_failing_loss
from metrics_core.comparing.tested_quantities import TYPICAL_RATIO
from metrics_core.comparing.testing import (
    PairedScores,
    compare_groups_together,
    largest_possible_difference,
)
from metrics_core.comparing.verdicts import CANNOT_TELL, WORSE_RUN, are_significant
from metrics_core.scoring.intervals import LEVEL, mean_bound
from metrics_core.scoring.scores import Scores

NOT_WORSE, NO_QUERY_LOST = "not worse", "no query lost"
BELOW, HELD = "below", "held"

OUTCOMES = (WORSE_RUN, CANNOT_TELL, NOT_WORSE)
"""Outcomes of a gate, worst first."""

ALL_WELL, FAILED, INPUT_ERROR, UNCLEAR, CHANGED = 0, 1, 2, 3, 4
"""Exit statuses. If several apply, `exit_status` decides which one is returned."""

_ROUNDING = 1e-12


@dataclass(frozen=True)
class GateOutcome:
    """The outcome of one gate for one run.

    difference             mean of the run minus mean of the baseline; the ratio minus 1 for a gate
                           on the typical ratio
    low, high              95% interval of the difference, simultaneous over all gates and runs
    inner_low, inner_high  90% interval of the difference, of this gate alone
    error                  standard error of the difference
    width                  number of standard errors from zero at which a difference is significant
    lost                   number of queries on which the run scores worse by any amount

    The intervals are NaN without a test."""

    gate: Gate
    run: str
    baseline: str
    queries: int
    differing: int
    lost: int
    score: float
    baseline_score: float
    difference: float
    low: float
    high: float
    inner_low: float
    inner_high: float
    p_corrected: float
    error: float
    width: float

    @property
    def outcome(self) -> str:
        """The outcome: one of `OUTCOMES`."""
        if self.is_unchanged or self.worst_loss < self.gate.margin:
            return NOT_WORSE
        return WORSE_RUN if self.is_significant and self.loss > self.gate.margin else CANNOT_TELL

    @property
    def is_unchanged(self) -> bool:
        """Whether every query has the same score in both runs."""
        return self.queries > 0 and self.differing == 0

    @property
    def effective_outcome(self) -> str:
        """The outcome as it affects the exit status.

        If the outcome is "cannot tell" but no query scores worse, this is `NO_QUERY_LOST`, because
        the only problem is the small number of queries."""
        harmless = self.outcome == CANNOT_TELL and self.queries > 0 and self.lost == 0
        return NO_QUERY_LOST if harmless else self.outcome

    @property
    def n_lossless_queries_needed(self) -> float:
        """The number of queries that would rule out a loss as large as the margin if the run lost
        on none of them (`share_upper_bound`).

        NaN if the measure's scale is unbounded."""
        widest = largest_possible_difference(self.gate.measure)
        if not math.isfinite(widest):
            return math.nan
        share = min(self.gate.margin / widest, 1.0)
        return math.ceil(math.log(1 - LEVEL) / math.log1p(-share)) if share < 1 else 1

    @property
    def is_significant(self) -> bool:
        """Whether the difference is significant after correction."""
        return bool(are_significant(np.array(self.p_corrected), LEVEL)) and self.difference != 0

    @property
    def smallest_loss(self) -> float:
        """The smallest true loss that leads to the outcome "worse" with 80% probability; NaN if
        unknown."""
        arguments = self._failure_chance_arguments
        return smallest_failing_loss(*arguments) if arguments else math.nan

    @property
    def failure_chance_at_twice_margin(self) -> float:
        """The probability of the outcome "worse" if the true loss is twice the margin; NaN if
        unknown."""
        arguments = self._failure_chance_arguments
        return failure_chance(2 * self.gate.margin, *arguments) if arguments else math.nan

    @property
    def _failure_chance_arguments(self) -> tuple[float, float, int, float, float] | None:
        """The arguments of `failure_chance` that describe how the differences vary.

        None if no query differs, or if the measure is compared on a logarithmic scale."""
        is_linear = self.gate.measure.declaration.combination.linear and not self.gate.is_ratio
        if not self.differing or not is_linear:
            return None
        share = self.differing / self.queries
        return self.error, self.width, self.queries, self.gate.margin, share

    @property
    def loss(self) -> float:
        """The loss of the run compared with its baseline, in units of the measure; negative if the
        run is better."""
        return -self.difference * self.gate.direction

    @property
    def worst_loss(self) -> float:
        """The largest loss within the 90% interval; NaN if there is no interval."""
        return -(self.inner_low if self.gate.direction > 0 else -self.inner_high)


@dataclass(frozen=True)
class FloorOutcome:
    """The result of comparing a run's mean with a floor, the value that the mean must reach.
    `outcome` is "held", "below" or "cannot tell".

    `end` is the confidence bound that was compared with the floor; NaN if there is none."""

    floor: Floor
    run: str
    outcome: str
    queries: int
    score: float
    end: float


def evaluate_gates(
    scores: Scores, gates: Sequence[Gate], slice_masks: Mapping[QuerySlice, Mask], baseline: str
) -> list[GateOutcome]:
    """Evaluate each gate for each run except the baseline. The outcomes are in the order of the
    gates.

    `slice_masks` maps each slice to a mask of its queries, bool[query]. Raises UnknownRunError."""
    runs = [run for run in scores.runs if run != baseline]
    if not gates:
        return []
    ordered = scores.select_runs([baseline, *runs])
    columns = [
        np.ascontiguousarray(ordered.values_of(gate.measure)[:, slice_masks[gate.slice]].T)
        for gate in gates
    ]
    groups = [
        PairedScores(values[:, 1:], values[:, :1], gate.measure, gate.asks_for_mean)
        for gate, values in zip(gates, columns, strict=True)
    ]
    outcomes = []
    for gate, values, result in zip(
        gates, columns, compare_groups_together(groups, LEVEL), strict=True
    ):
        combined = gate.measure.declaration.combination.combine
        for run_index, run in enumerate(runs):
            is_defined = ~np.isnan(values[:, 0] + values[:, run_index + 1])
            means = [float(combined(values[is_defined, column])) for column in (run_index + 1, 0)]
            gaps = (values[is_defined, run_index + 1] - values[is_defined, 0]) * gate.direction
            n_lost = int((gaps < 0).sum())
            outcomes.append(_make_outcome(gate, result, run_index, run, baseline, means, n_lost))
    return outcomes


def _make_outcome(
    gate: Gate,
    result: ComparisonResults,
    run_index: int,
    run: str,
    baseline: str,
    means: Sequence[float],
    n_lost: int,
) -> GateOutcome:
    sample = result.sample
    queries = int(sample.queries[run_index])
    ends = [result.mean, result.low, result.high, result.inner_low, result.inner_high]
    p_corrected = result.p_corrected
    if result.costs is not None:
        costs = result.costs
        ratios = costs.ratio, costs.low, costs.high, costs.inner_low, costs.inner_high
        ends = [ratio - 1 for ratio in ratios]
        # A sign says nothing on the size of a ratio.
        p_corrected = np.where(costs.tested == TYPICAL_RATIO, p_corrected, np.nan)
    difference, low, high, inner_low, inner_high = (float(end[run_index]) for end in ends)
    return GateOutcome(
        gate=gate,
        run=run,
        baseline=baseline,
        queries=queries,
        differing=int(sample.differing[run_index]),
        lost=n_lost,
        score=means[0],
        baseline_score=means[1],
        difference=difference if queries else math.nan,
        low=low,
        high=high,
        inner_low=inner_low,
        inner_high=inner_high,
        p_corrected=float(p_corrected[run_index]),
        error=float(sample.error[run_index]),
        width=float(result.width[run_index]),
    )


def evaluate_floors(
    scores: Scores,
    floors: Sequence[Floor],
    slice_masks: Mapping[QuerySlice, Mask],
    runs: Sequence[str],
) -> list[FloorOutcome]:
    """Evaluate each floor for each of the runs. The outcomes are in the order of the floors.

    `slice_masks` maps each slice to a mask of its queries, bool[query]. Raises UnknownRunError."""
    return [
        _evaluate_floor(
            floor,
            run,
            scores.select_runs([run]).values_of(floor.measure)[0][slice_masks[floor.slice]],
        )
        for floor in floors
        for run in runs
    ]


def _evaluate_floor(floor: Floor, run: str, values: Floats) -> FloorOutcome:
    declared = floor.measure.declaration
    combination, direction = declared.combination, declared.direction
    queries = int((~np.isnan(values)).sum())
    score, end = float(combination.combine(values)), math.nan
    if floor.by_bound:
        end = mean_bound(values, combination, is_upper=direction < 0)
    if math.isnan(score) or (floor.by_bound and math.isnan(end)):
        return FloorOutcome(floor, run, CANNOT_TELL, queries, score, end)
    estimate = end if floor.by_bound else score
    is_held = (estimate - floor.least) * direction >= -_ROUNDING
    return FloorOutcome(floor, run, HELD if is_held else BELOW, queries, score, end)


def exit_status(outcomes: Iterable[str], *, changed: bool = False, fails_if_unclear: bool) -> int:
    """Return the first of these exit statuses that applies.

    - `FAILED`: a run is worse, or below a floor.
    - `CHANGED`: judgments or queries changed.
    - `UNCLEAR`: an outcome is "cannot tell", and `fails_if_unclear` is true.
    - `ALL_WELL`: in all other cases."""
    outcome_set = set(outcomes)
    if outcome_set & {WORSE_RUN, BELOW}:
        return FAILED
    if changed:
        return CHANGED
    return UNCLEAR if CANNOT_TELL in outcome_set and fails_if_unclear else ALL_WELL
