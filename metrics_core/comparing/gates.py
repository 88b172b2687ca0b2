"""The rule of a gate: is a run worse than its baseline by more than is allowed?

    worse        the loss is significant, corrected over all gates and runs, and the estimate lies
                 beyond the margin
    not worse    the lower end of the 90 % interval lies above minus the margin, or no query differs
    cannot tell  neither

Not worse is said of at most 5 % of changes whose true loss is the margin. Its interval is one of
its own (`mean_intervals`: `margin_interval` and `bounded_by_shares`): by that of draws, or of t, it
was said of up to 9 %, where few queries change, and of 13 % where a few of them fail wholly. That
every gate is not worse needs no correction. A gate that failed wherever the lower end lies below
the margin would fail most changes that change nothing (benchmarks/gates.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from metrics_core.base.arrays import Floats, Mask
from metrics_core.base.errors import ParameterError
from metrics_core.comparing.power import chance_to_fail, smallest_failing
from metrics_core.comparing.testing import Against, Tested, tested_as_one, widest_difference
from metrics_core.comparing.verdicts import CANNOT_TELL, WORSE_RUN, is_found
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring.intervals import LEVEL, mean_bound
from metrics_core.scoring.scores import Scores

NOT_WORSE, NO_QUERY_LOST = "not worse", "no query lost"
BELOW, HELD = "below", "held"

OUTCOMES = (WORSE_RUN, CANNOT_TELL, NOT_WORSE)
"""What a gate finds, the worst first."""

ALL_WELL, FAILED, INPUT_ERROR, UNCLEAR, CHANGED = 0, 1, 2, 3, 4
"""The exit statuses; which one of several counts is said by `status_of`."""

_ROUNDING = 1e-12

_ASKED = re.compile(
    r"\s*(?P<measure>[^<>≥≤]+?)\s*(?:\[(?P<column>[^\[\]=<>]+)=(?P<group>[^\]]*)\])?"
    r"\s*(?P<side>>=|<=|[<>≥≤])\s*(?P<number>[-+−]?(?:\d+\.?\d*|\.\d+))\s*"
)


class QuerySlice(NamedTuple):
    """The queries with one value in a column; all of them where there is no column."""

    column: str = ""
    group: str = ""

    def __str__(self) -> str:
        return f"[{self.column}={self.group}]" if self.column else ""


EVERY_QUERY = QuerySlice()


@dataclass(frozen=True)
class Gate:
    """The loss of a measure that is too large, as a margin greater than 0, on some queries."""

    measure: Measure
    margin: float
    slice: QuerySlice = EVERY_QUERY

    @classmethod
    def of(cls, text: str) -> Self:
        """That of `nDCG@10 > -0.01` or `nDCG@10[category=Billing] > -0.03`; of a measure of which
        less is better, of `Latency < 0.5`. Raises ParameterError and UnknownMeasureError."""
        found = _parts(text, "nDCG@10 > -0.01")
        measure = parse_measure(found["measure"])
        higher = measure.declaration.higher_is_better
        number = _number(found["number"])
        margin = -number if higher else number
        if found["side"] != (">" if higher else "<") or margin <= 0:
            example = f"{measure} {'> -0.01' if higher else '< 0.01'}"
            raise ParameterError(
                f"{text.strip()!r} is not a gate.",
                "A gate states the loss that is still allowed, by > or, if less is better, by <:"
                f" {example!r}. For a limit on the mean itself use --floor.",
            )
        return cls(measure, margin, _slice(found))

    @classmethod
    def allowing(cls, asked: str, margin: float) -> Self:
        """That of a measure, or of one on some queries, `nDCG@10[category=Billing]`. Raises
        ParameterError and UnknownMeasureError."""
        if not isinstance(asked, str):
            raise ParameterError(
                f"{asked!r} is not a single measure.", "Name one measure: 'nDCG@10'."
            )
        name, bracket, rest = asked.strip().partition("[")
        column, equals, group = rest.removesuffix("]").partition("=")
        if bracket and not (column and equals and rest.endswith("]")):
            raise ParameterError(
                f"{asked!r} cannot be read.", "Write it as 'nDCG@10[category=Billing]'."
            )
        if not (math.isfinite(margin) and margin > 0):
            raise ParameterError(
                f"{margin!r} is not a margin.",
                "A margin is the loss that is still allowed, greater than 0, such as 0.01.",
            )
        on = QuerySlice(column.strip(), group.strip()) if bracket else EVERY_QUERY
        return cls(parse_measure(name), margin, on)

    def __str__(self) -> str:
        side = f"> -{self.margin:g}" if self.direction > 0 else f"< {self.margin:g}"
        return f"{self.measure}{self.slice} {side}"

    @property
    def direction(self) -> int:
        """1 where more is better."""
        return self.measure.declaration.direction


@dataclass(frozen=True)
class Floor:
    """What a mean must reach, or with `shown` the lower end of its 90 % interval."""

    measure: Measure
    least: float
    slice: QuerySlice = EVERY_QUERY
    shown: bool = False

    @classmethod
    def of(cls, text: str, *, shown: bool = False) -> Self:
        """That of `nDCG@10 >= 0.4`; of a measure of which less is better, of `Latency <= 2`. Raises
        ParameterError and UnknownMeasureError."""
        found = _parts(text, "nDCG@10 >= 0.4")
        measure = parse_measure(found["measure"])
        higher = measure.declaration.higher_is_better
        if found["side"] not in ((">=", "≥") if higher else ("<=", "≤")):
            raise ParameterError(
                f"{text.strip()!r} is not a floor.",
                "A floor states what the mean must reach:"
                f" '{measure} {'>=' if higher else '<='} 0.4'.",
            )
        return cls(measure, _number(found["number"]), _slice(found), shown)

    def __str__(self) -> str:
        side = ">=" if self.measure.declaration.higher_is_better else "<="
        return f"{self.measure}{self.slice} {side} {self.least:g}"


@dataclass(frozen=True)
class GateOutcome:
    """What a gate finds of a run.

    `low` and `high` hold for all gates and runs at once with 95 %; `inner_low` and `inner_high` are
    those of 90 %, each by itself; NaN where there is no test. `error` is the standard error of the
    difference, and `width` how many of them it must be from zero to be significant. `lost` is how
    many queries score worse, by however little.
    """

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
        """One of `OUTCOMES`."""
        if self.unchanged or self.worst_loss < self.gate.margin:
            return NOT_WORSE
        return WORSE_RUN if self.found and self.loss > self.gate.margin else CANNOT_TELL

    @property
    def unchanged(self) -> bool:
        """Whether no query scores otherwise."""
        return self.queries > 0 and self.differing == 0

    @property
    def counts_as(self) -> str:
        """The outcome for the exit status: `NO_QUERY_LOST` where it cannot be told only because
        there are few queries."""
        harmless = self.outcome == CANNOT_TELL and self.queries > 0 and self.lost == 0
        return NO_QUERY_LOST if harmless else self.outcome

    @property
    def queries_without_loss(self) -> float:
        """How many queries without a loss rule out one of the margin (`share_at_most`); NaN on a
        scale without end."""
        widest = widest_difference(self.gate.measure)
        if not math.isfinite(widest):
            return math.nan
        share = min(self.gate.margin / widest, 1.0)
        return math.ceil(math.log(1 - LEVEL) / math.log1p(-share)) if share < 1 else 1

    @property
    def found(self) -> bool:
        """Whether the difference is significant after correction."""
        return bool(is_found(np.array(self.p_corrected), LEVEL)) and self.difference != 0

    @property
    def smallest(self) -> float:
        """The smallest true loss that would be found worse four times out of five; NaN where it is
        not said."""
        return smallest_failing(*self._seen) if self._seen else math.nan

    @property
    def chance(self) -> float:
        """How likely a loss of twice the margin would be found worse; NaN where it is not said."""
        return chance_to_fail(2 * self.gate.margin, *self._seen) if self._seen else math.nan

    @property
    def _seen(self) -> tuple[float, float, int, float, float] | None:
        """What is known of how differences vary; None where none does, and on the scale of
        logarithms."""
        if not self.differing or not self.gate.measure.declaration.combination.linear:
            return None
        share = self.differing / self.queries
        return self.error, self.width, self.queries, self.gate.margin, share

    @property
    def loss(self) -> float:
        """How much worse the run is; negative where it is better."""
        return -self.difference * self.gate.direction

    @property
    def worst_loss(self) -> float:
        """The loss that the 90 % interval ends with; NaN where there is none."""
        return -(self.inner_low if self.gate.direction > 0 else -self.inner_high)


@dataclass(frozen=True)
class FloorOutcome:
    """Whether a run reaches a floor: "held", "below" or "cannot tell"; `end` is that of the
    interval towards the floor, NaN where there is none."""

    floor: Floor
    run: str
    outcome: str
    queries: int
    score: float
    end: float


def gate_outcomes(
    scores: Scores, gates: Sequence[Gate], members: Mapping[QuerySlice, Mask], baseline: str
) -> list[GateOutcome]:
    """What each gate finds of each run but the baseline, gate by gate; `members` says which queries
    each slice holds, bool[Q]. Raises UnknownRunError."""
    runs = [run for run in scores.runs if run != baseline]
    if not gates:
        return []
    ordered = scores.only([baseline, *runs])
    columns = [
        np.ascontiguousarray(ordered.of(gate.measure)[:, members[gate.slice]].T) for gate in gates
    ]
    groups = [
        Against(values[:, 1:], values[:, :1], gate.measure)
        for gate, values in zip(gates, columns, strict=True)
    ]
    outcomes = []
    for gate, values, found in zip(gates, columns, tested_as_one(groups, LEVEL), strict=True):
        combined = gate.measure.declaration.combination.of
        for place, run in enumerate(runs):
            known = ~np.isnan(values[:, 0] + values[:, place + 1])
            means = [float(combined(values[known, at])) for at in (place + 1, 0)]
            gaps = (values[known, place + 1] - values[known, 0]) * gate.direction
            lost = int((gaps < 0).sum())
            outcomes.append(_outcome(gate, found, place, run, baseline, means, lost))
    return outcomes


def _outcome(
    gate: Gate,
    found: Tested,
    place: int,
    run: str,
    baseline: str,
    means: Sequence[float],
    lost: int,
) -> GateOutcome:
    sample = found.sample
    queries = int(sample.queries[place])
    return GateOutcome(
        gate=gate,
        run=run,
        baseline=baseline,
        queries=queries,
        differing=int(sample.differing[place]),
        lost=lost,
        score=means[0],
        baseline_score=means[1],
        difference=float(found.mean[place]) if queries else math.nan,
        low=float(found.low[place]),
        high=float(found.high[place]),
        inner_low=float(found.inner_low[place]),
        inner_high=float(found.inner_high[place]),
        p_corrected=float(found.p_corrected[place]),
        error=float(sample.error[place]),
        width=float(found.width[place]),
    )


def floor_outcomes(
    scores: Scores, floors: Sequence[Floor], members: Mapping[QuerySlice, Mask], runs: Sequence[str]
) -> list[FloorOutcome]:
    """Whether each of the runs reaches each floor, floor by floor. Raises UnknownRunError."""
    return [
        _reached(floor, run, scores.only([run]).of(floor.measure)[0][members[floor.slice]])
        for floor in floors
        for run in runs
    ]


def _reached(floor: Floor, run: str, values: Floats) -> FloorOutcome:
    combination, direction = (
        floor.measure.declaration.combination,
        floor.measure.declaration.direction,
    )
    queries = int((~np.isnan(values)).sum())
    score, end = float(combination.of(values)), math.nan
    if floor.shown:
        end = mean_bound(values, combination, upper=direction < 0)
    if math.isnan(score) or (floor.shown and math.isnan(end)):
        return FloorOutcome(floor, run, CANNOT_TELL, queries, score, end)
    told = end if floor.shown else score
    held = (told - floor.least) * direction >= -_ROUNDING
    return FloorOutcome(floor, run, HELD if held else BELOW, queries, score, end)


def status_of(outcomes: Iterable[str], *, changed: bool = False, fail_unclear: bool = False) -> int:
    """The exit status: the first that holds of worse or below a floor, judgments or queries that
    changed, cannot tell where that fails, and nothing of these."""
    found = set(outcomes)
    if found & {WORSE_RUN, BELOW}:
        return FAILED
    if changed:
        return CHANGED
    return UNCLEAR if CANNOT_TELL in found and fail_unclear else ALL_WELL


def _parts(text: str, example: str) -> re.Match[str]:
    found = _ASKED.fullmatch(text)
    if found is None:
        raise ParameterError(
            f"{text.strip()!r} cannot be read.",
            f"Write it as {example!r}, or for some queries as"
            f" {example.replace(' ', '[category=Billing] ', 1)!r}.",
        )
    return found


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


def _slice(found: re.Match[str]) -> QuerySlice:
    if found["column"] is None:
        return EVERY_QUERY
    return QuerySlice(found["column"].strip(), found["group"].strip())
