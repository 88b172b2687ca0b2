"""The rule of a gate, on scores made so that the answer is known."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from metrics_core.base.errors import ParameterError, UnknownMeasureError
from metrics_core.comparing import testing
from metrics_core.comparing.gate_conditions import EVERY_QUERY, Floor, Gate, QuerySlice
from metrics_core.comparing.gates import (
    ALL_WELL,
    NO_QUERY_LOST,
    NOT_WORSE,
    GateOutcome,
    evaluate_floors,
    evaluate_gates,
    exit_status,
)
from metrics_core.comparing.mean_intervals import margin_interval, share_upper_bound
from metrics_core.comparing.method import Method
from metrics_core.comparing.paired_tests import holm_adjusted
from metrics_core.comparing.power import failure_chance, smallest_failing_loss
from metrics_core.comparing.resampled import resample_means
from metrics_core.comparing.verdicts import CANNOT_TELL, WORSE_RUN
from metrics_core.measures import make_score_only_measure, parse_measure
from metrics_core.scoring.scores import Scores

Floats = npt.NDArray[np.float64]
MEASURE = "nDCG@10"


def scores_of(*differences: Floats, measure: str = MEASURE) -> Scores:
    """A baseline and runs that are so far from it; the measure is any of a scale without end."""
    n = len(differences[0])
    base = np.linspace(0.3, 0.7, n)
    values = np.stack([base, *(base + d for d in differences)])[:, :, None]
    return Scores(
        runs=("main", *(f"run{i}" for i in range(len(differences)))),
        query_ids=tuple(f"q{i:03}" for i in range(n)),
        measures=(parse_measure(measure),),
        values=values,
        missing=np.zeros(values.shape[:2], dtype=np.bool_),
    )


def outcomes_of(scores: Scores, *gates: str) -> list[GateOutcome]:
    every = {EVERY_QUERY: np.ones(scores.n_queries, dtype=np.bool_)}
    return evaluate_gates(scores, [Gate.parse(gate) for gate in gates], every, "main")


def spread(mean: float, deviation: float, n: int = 100, seed: int = 1) -> Floats:
    """Differences of exactly this mean and deviation."""
    drawn = np.random.default_rng(seed).normal(size=n)
    return mean + deviation * (drawn - drawn.mean()) / drawn.std(ddof=1)


@pytest.mark.parametrize(
    ("mean", "deviation", "n", "outcome"),
    [
        (-0.03, 0.05, 100, WORSE_RUN),  # significant, beyond the margin
        (-0.009, 0.01, 100, CANNOT_TELL),  # significant, within it, and not ruled out
        (-0.005, 0.01, 100, NOT_WORSE),  # significant, and the loss is ruled out
        (-0.03, 0.5, 100, CANNOT_TELL),  # beyond, not significant
        (0.0, 0.03, 100, NOT_WORSE),
        (0.0, 0.2, 100, CANNOT_TELL),
        (0.05, 0.1, 100, NOT_WORSE),
        (0.05, 0.05, 9, CANNOT_TELL),  # too few queries for any answer
        (-0.2, 0.05, 9, CANNOT_TELL),
    ],
)
def test_three_outcomes(mean: float, deviation: float, n: int, outcome: str) -> None:
    (found,) = outcomes_of(scores_of(spread(mean, deviation, n)), "nDCG@10 > -0.01")
    assert found.outcome == outcome
    assert found.difference == pytest.approx(mean)


def test_the_rule_is_the_lower_end_of_the_90_percent_interval_by_itself() -> None:
    gaps = np.column_stack([spread(-0.001 * seed, 0.04, seed=seed) for seed in range(8)])
    sample = resample_means(gaps)
    inner = margin_interval(sample, 0.1, sample.p <= 0.1).low
    found = outcomes_of(scores_of(*gaps.T), "nDCG@10 > -0.01")
    assert [one.inner_low for one in found] == pytest.approx(inner.tolist())
    assert [one.outcome == NOT_WORSE for one in found] == (inner > -0.01).tolist()
    assert 0 < sum(one.outcome == NOT_WORSE for one in found) < 8


def test_a_loss_of_the_margin_on_few_queries_is_seldom_called_not_worse() -> None:
    """Of 250 queries a tenth lose 0.2 each, by chance some more and some less: the true loss is the
    margin. By the errors that the data have, 8 of 100 such changes would be not worse."""
    chance, changes = np.random.default_rng(7), 200
    lost = np.where(
        chance.random((250, changes)) < 0.1, chance.normal(-0.2, 0.1, (250, changes)), 0
    )
    found = outcomes_of(scores_of(*lost.T), "nDCG@10 > -0.02")
    assert sum(one.outcome == NOT_WORSE for one in found) <= 0.05 * changes
    # And still most of what loses nothing is not worse.
    kept = np.where(lost != 0, lost + 0.2, 0)
    found = outcomes_of(scores_of(*kept.T), "nDCG@10 > -0.02")
    assert sum(one.outcome == NOT_WORSE for one in found) >= 0.95 * changes


def test_both_intervals_hold_the_difference() -> None:
    sparse = np.zeros(60)
    sparse[:7] = [-0.1, 0.05, -0.02, 0.1, -0.05, 0.08, -0.1]
    for gap in (sparse, -sparse, spread(-0.01, 0.05), spread(0.02, 0.05)):
        (found,) = outcomes_of(scores_of(gap), "nDCG@10 > -0.01")
        assert found.low <= found.difference <= found.high
        assert found.inner_low <= found.difference <= found.inner_high
        assert (found.low > 0 or found.high < 0) == found.is_significant


def test_worse_is_corrected_over_all_gates_and_runs() -> None:
    gap = spread(-0.03, 0.135)  # p is about 0.03
    (alone,) = outcomes_of(scores_of(gap), "nDCG@10 > -0.01")
    assert alone.outcome == WORSE_RUN
    several = outcomes_of(
        scores_of(gap, spread(0.0, 0.1, seed=2)), "nDCG@10 > -0.01", "nDCG@10 > -0.02"
    )
    p = [
        testing.compare_columns(np.column_stack([g]), Method()).p[0]
        for g in (gap, spread(0.0, 0.1, seed=2))
    ]
    assert [found.p_corrected for found in several] == pytest.approx(
        holm_adjusted(np.array([*p, *p])).tolist()
    )
    assert several[0].outcome == CANNOT_TELL
    assert several[0].low < alone.low and several[0].inner_low == alone.inner_low


def test_an_unchanged_run_is_not_worse_however_few_its_queries() -> None:
    for n in (1, 5, 50):
        (found,) = outcomes_of(scores_of(np.zeros(n)), "nDCG@10 > -0.01")
        assert found.outcome == NOT_WORSE and found.is_unchanged


def test_few_queries_that_differ_are_not_tested() -> None:
    gap = np.zeros(50)
    gap[:5] = -0.5
    (found,) = outcomes_of(scores_of(gap), "nDCG@10 > -0.01")
    assert found.outcome == CANNOT_TELL and math.isnan(found.p_corrected)
    assert math.isnan(found.smallest_loss) and math.isnan(found.failure_chance_at_twice_margin)


def test_no_query_with_a_score_is_no_pass() -> None:
    (found,) = outcomes_of(scores_of(np.full(20, np.nan)), "nDCG@10 > -0.01")
    assert found.outcome == CANNOT_TELL and found.queries == 0


def test_of_a_measure_of_which_less_is_better_a_rise_is_the_loss() -> None:
    seconds = make_score_only_measure("Seconds", higher_is_better=False)
    gate = Gate(seconds, 0.01)
    scores = scores_of(spread(0.03, 0.05), spread(-0.03, 0.05))
    scores = Scores(scores.runs, scores.query_ids, (seconds,), scores.values, scores.missing)
    every = {EVERY_QUERY: np.ones(100, dtype=np.bool_)}
    slower, faster = evaluate_gates(scores, [gate], every, "main")
    assert slower.outcome == WORSE_RUN and slower.loss == pytest.approx(0.03)
    assert faster.outcome == NOT_WORSE and faster.worst_loss < 0


def test_a_slice_holds_only_its_queries() -> None:
    gap = np.zeros(60)
    gap[:20] = spread(-0.3, 0.1, 20)
    asked = QuerySlice("category", "Billing")
    members = {asked: np.arange(60) < 20, EVERY_QUERY: np.ones(60, dtype=np.bool_)}
    gates = [Gate.parse("nDCG@10[category=Billing] > -0.1"), Gate.parse("nDCG@10 > -0.2")]
    part, whole = evaluate_gates(scores_of(gap), gates, members, "main")
    assert (part.queries, part.outcome) == (20, WORSE_RUN)
    assert (whole.queries, whole.outcome) == (60, NOT_WORSE)


@pytest.mark.parametrize(
    ("text", "measure", "margin", "asked"),
    [
        ("nDCG@10 > -0.01", "nDCG@10", 0.01, EVERY_QUERY),
        ("ndcg_cut_10>-.5", "nDCG@10", 0.5, EVERY_QUERY),
        ("P(rel=2)@5 > −0.02", "P(rel=2)@5", 0.02, EVERY_QUERY),
        (" AP[ category = A & B ] > -0.03 ", "AP", 0.03, QuerySlice("category", "A & B")),
        ("AP[kind=] > -1", "AP", 1.0, QuerySlice("kind", "")),
    ],
)
def test_a_gate_is_read_from_its_text(
    text: str, measure: str, margin: float, asked: QuerySlice
) -> None:
    gate = Gate.parse(text)
    assert (str(gate.measure), gate.margin, gate.slice) == (measure, margin, asked)
    assert Gate.parse(str(gate)) == gate


@pytest.mark.parametrize(
    "text", ["nDCG@10", "nDCG@10 > 0.01", "nDCG@10 > 0", "nDCG@10 >= 0.4", "AP < 1", "> -0.1", ""]
)
def test_what_is_no_gate_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        Gate.parse(text)


def test_an_unknown_measure_is_named() -> None:
    with pytest.raises(UnknownMeasureError, match="nDGC"):
        Gate.parse("nDGC@10 > -0.01")
    with pytest.raises(ParameterError, match="not a floor"):
        Floor.parse("AP > 0.3")


def test_floors_ask_the_mean_or_what_is_shown_of_it() -> None:
    scores = scores_of(spread(0.0, 0.2))
    every = {EVERY_QUERY: np.ones(100, dtype=np.bool_)}
    floors = [
        Floor.parse("nDCG@10 >= 0.5"),
        Floor.parse("nDCG@10 >= 0.501"),
        Floor.parse("nDCG@10 >= 0.4", by_bound=True),
        Floor.parse("nDCG@10 >= 0.499", by_bound=True),
    ]
    found = evaluate_floors(scores, floors, every, ["run0"])
    assert [one.outcome for one in found] == ["held", "below", "held", "below"]
    few = evaluate_floors(
        scores_of(np.zeros(5)), floors[2:3], {EVERY_QUERY: np.arange(5) < 9}, ["run0"]
    )
    assert few[0].outcome == CANNOT_TELL


@pytest.mark.parametrize(
    ("outcomes", "changed", "fails", "status"),
    [
        ([NOT_WORSE, "held"], False, True, 0),
        ([NOT_WORSE, CANNOT_TELL], False, False, 0),
        ([NOT_WORSE, CANNOT_TELL], False, True, 3),
        ([CANNOT_TELL], True, True, 4),
        ([NOT_WORSE], True, False, 4),
        ([CANNOT_TELL, WORSE_RUN], True, True, 1),
        (["below"], False, False, 1),
    ],
)
def test_which_of_several_statuses_counts(
    outcomes: list[str], changed: bool, fails: bool, status: int
) -> None:
    assert exit_status(outcomes, changed=changed, fails_if_unclear=fails) == status


def test_what_would_fail_is_what_fails() -> None:
    """Of normal differences, drawn anew: the loss that fails four times out of five does."""
    chance, n, margin = np.random.default_rng(3), 60, 0.05
    error, width = 0.3 / math.sqrt(n), 2.001
    smallest = smallest_failing_loss(error, width, n, margin)
    drawn = chance.normal(-smallest, 0.3, (20_000, n))
    means, errors = drawn.mean(axis=1), drawn.std(axis=1, ddof=1) / math.sqrt(n)
    failing = ((means < -margin) & (np.abs(means) > width * errors)).mean()
    assert failing == pytest.approx(0.8, abs=0.03)
    assert failure_chance(smallest, error, width, n, margin) == pytest.approx(0.8, abs=1e-3)
    assert math.isnan(smallest_failing_loss(error, width, 19, margin))
    assert math.isnan(failure_chance(0.1, 0.0, width, n, margin))


@pytest.mark.parametrize(("queries", "outcome"), [(20, NO_QUERY_LOST), (100, NOT_WORSE)])
def test_few_changes_without_a_loss_are_no_reason_to_fail(queries: int, outcome: str) -> None:
    gap = np.zeros(queries)
    gap[:2] = 0.2
    (found,) = outcomes_of(scores_of(gap), "nDCG@10 > -0.03")
    assert found.effective_outcome == outcome and found.lost == 0
    assert found.n_lossless_queries_needed == 99
    assert exit_status([found.effective_outcome], fails_if_unclear=True) == ALL_WELL
    assert found.worst_loss == pytest.approx(1 - 0.05 ** (1 / queries))


@pytest.mark.parametrize(("queries", "most"), [(50, 0.08), (100, 0.08)])
def test_rare_total_failures_are_seldom_let_by(queries: int, most: float) -> None:
    chance, let_by, trials = np.random.default_rng(4), 0, 200
    every = {EVERY_QUERY: np.ones(queries, dtype=np.bool_)}
    for _ in range(trials):
        base = chance.uniform(0.3, 1.0, queries)
        moved = base + chance.normal(0, 0.02, queries) * (chance.random(queries) < 0.5)
        run = np.where(chance.random(queries) < 0.06, 0.0, np.clip(moved, 1e-6, 1.0))
        missing = np.zeros((2, queries), dtype=np.bool_)
        ids = tuple(map(str, range(queries)))
        values = np.stack([base, run])[:, :, None]
        scores = Scores(("base", "run"), ids, (parse_measure("nDCG@10"),), values, missing)
        gate = Gate.parse(f"nDCG@10 > -{0.06 * 0.65:.3f}")
        let_by += evaluate_gates(scores, [gate], every, "base")[0].outcome == NOT_WORSE
    assert let_by / trials <= most + 3 * (most * (1 - most) / trials) ** 0.5


def test_the_query_that_is_lost_wholly_bounds_what_is_ruled_out() -> None:
    gap = np.random.default_rng(2).normal(0.0, 0.001, 50)
    gap[0] = -0.3  # all of its score
    (found,) = outcomes_of(scores_of(gap), "nDCG@10 > -0.03")
    assert found.lost >= 1 and found.worst_loss >= 0.5 * share_upper_bound(1, 50, 0.95) - 1e-12
