"""What sentences on gates claim is so: see `test_claims.py`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from metrics_core.base import wording as w
from metrics_core.checks.snapshots import Origin, make_snapshot
from metrics_core.commands.gate.terminal import choose_decimals
from metrics_core.comparing.gate_conditions import EVERY_QUERY, Floor, Gate, QuerySlice
from metrics_core.comparing.gates import BELOW, HELD, FloorOutcome, GateOutcome, evaluate_gates
from metrics_core.comparing.testing import largest_possible_difference
from metrics_core.findings.gate_queries import (
    BrokenQueries,
    BrokenQuery,
    UnansweredQueries,
)
from metrics_core.findings.gates import (
    better_run_finding,
    count_outcomes_finding,
    floor_finding,
    gate_finding,
    gate_title,
    sort_worst_first,
)
from metrics_core.findings.snapshots import best_mean_findings
from metrics_core.measures import Measure, make_score_only_measure, parse_measure
from metrics_core.scoring.scores import Scores
from metrics_core.tables import Qrels
from tests.claims import (
    INTERVAL,
    NUMBER,
    count_of,
    is_rounded,
    named_in,
    offenders,
    untidy,
    value_of,
)
from tests.random_cases import in_this_run

pytestmark = pytest.mark.random

MEASURES = (parse_measure("nDCG@10"), make_score_only_measure("Latency", higher_is_better=False))
SEEDS = range(in_this_run(300, 1_000))


@cache
def outcome_of(seed: int) -> GateOutcome:
    """A gate on random differences: none, few, small, large, of few or many queries."""
    chance = np.random.default_rng((seed, 32))
    n, measure = int(chance.choice([1, 5, 9, 12, 25, 60, 104])), MEASURES[seed % 2]
    gap = chance.normal(chance.choice([-0.1, -0.02, 0, 0.05]), chance.choice([0.01, 0.1]), n)
    gap[chance.random(n) < chance.choice([0, 0.5, 0.9, 1])] = 0
    base = chance.random(n)
    asked = EVERY_QUERY if seed % 3 else QuerySlice("kind", "Billing")
    gate = Gate(measure, float(chance.choice([0.005, 0.01, 0.05])), asked)
    scores = _scores(measure, np.stack([base, base + gap]))
    (found,) = evaluate_gates(scores, [gate], {asked: np.ones(n, dtype=np.bool_)}, "main")
    return found


def _scores(measure: Measure, values: np.ndarray) -> Scores:
    names = tuple(f"q{i}" for i in range(values.shape[1]))
    missing = np.zeros(values.shape, dtype=np.bool_)
    return Scores(("main", "run"), names, (measure,), values[:, :, None], missing)


def false_in_title(seed: int, text: str) -> Iterator[str | bool]:
    found = outcome_of(seed)
    yield not text.startswith(w.sentence_case(found.outcome)) and f"not {found.outcome}"
    what = "Billing" in text
    yield what != bool(found.gate.slice.column) and "other queries"
    if "unchanged" in text:
        yield found.differing > 0 and "changed"
        return
    number = re.search(NUMBER, text.partition(str(found.gate.measure))[2])
    loss = found.outcome == "worse"
    assert number
    told = value_of(number[0])
    yield abs(told - (found.loss if loss else found.difference)) > 0.0006 and f"not {told}"
    yield loss and ("falls" in text) != (found.difference < 0) and "the other way"
    if ends := re.search(INTERVAL, text):
        low, high = sorted((abs(found.low), abs(found.high))) if loss else (found.low, found.high)
        for printed, end in zip(ends.groups(), (low, high), strict=True):
            yield (
                "0 " not in printed
                and " 0" not in printed
                and not is_rounded(printed, end)
                and f"{printed} is not {end}"
            )
    yield ("only" in text) != (found.queries < 10) and "few"


def false_in_finding(seed: int, text: str) -> Iterator[str | bool]:
    found, text = outcome_of(seed), text.replace(w.NO_BREAK, " ")
    margin = found.gate.margin
    worst = max(-found.gate.direction * end for end in (found.inner_low, found.inner_high))
    yield ("Nothing changed" in text) != (found.differing == 0) and "changed"
    yield ("ruled out (" in text) != (worst < margin and found.differing > 0) and "ruled out"
    yield (
        "significant after" in text
        and not (found.p_corrected <= 0.05 and found.loss > margin)
        and "not worse"
    )
    yield ("a gate needs at least 10" in text) != (
        found.differing > 0 and found.queries < 10
    ) and "few"
    untested = found.queries >= 10 and 0 < found.differing < 6 and not worst < margin
    yield ("a test needs at least 6" in text) != (
        untested and "No query got worse" not in text
    ) and "untested"
    counted = np.isfinite(largest_possible_difference(found.gate.measure)) and found.queries >= 10
    open_ = found.outcome == "cannot tell" and found.lost == 0 and counted
    yield ("No query got worse" in text) != open_ and "lost"
    if needed := re.search(
        r"No query got worse, but ([\d,]+) queries are needed to rule out a loss of", text
    ):
        n, missed = (
            count_of(needed[1]),
            1 - margin / largest_possible_difference(found.gate.measure),
        )
        yield not missed**n <= 0.05 < missed ** (n - 1) and "how many are needed"
    if end := re.search(rf"(lower|upper) bound of .* is ({NUMBER})\)", text):
        yield not is_rounded(end[2], -found.gate.direction * worst) and f"not {worst}"
        yield (end[1] == "lower") != (found.gate.direction > 0) and "the other end"
    if shown := re.search(rf"loss of about ({NUMBER}) with 80% power", text):
        yield (
            abs(value_of(shown[1]) / found.smallest_loss - 1) > 0.06
            and f"not {found.smallest_loss}"
        )
        yield found.smallest_loss < margin and "smaller than the margin"
    if share := re.search(r"would fail (<?\d+)%", text):
        yield (
            abs(value_of(share[1].replace(" ", "")) / 100 - found.failure_chance_at_twice_margin)
            > 0.011
            and "share"
        )


@pytest.mark.parametrize("shown", [False, True])
@pytest.mark.parametrize("least", [1.0, 0.4, 0.0125, 0.9996, -0.2, 150.0])
@pytest.mark.parametrize("gap", [3e-2, 4e-4, 4e-5, 3e-9, -4e-5])
def test_a_floor_is_printed_otherwise_than_what_lies_below_it(
    gap: float, least: float, shown: bool
) -> None:
    floor, value = Floor(parse_measure("AP"), least, by_bound=shown), least - gap
    ends = (least + 0.1, value) if shown else (value, np.nan)
    told = floor_finding(FloorOutcome(floor, "run", BELOW if gap > 0 else HELD, 20, *ends))
    told = told.replace(w.NO_BREAK, " ")
    printed = re.search(rf" (?:is|interval) ({NUMBER}) \(required: ({NUMBER})\)", told)
    assert printed, told
    assert value_of(printed[2]) == least
    assert (value_of(printed[1]) < least) == (gap > 0) and is_rounded(printed[1], value)


@pytest.mark.parametrize("gap", [4e-4, 4e-5, 3e-9])
@pytest.mark.parametrize("measure", MEASURES)
def test_a_margin_is_printed_otherwise_than_what_is_within_or_beyond_it(
    measure: Measure, gap: float
) -> None:
    gate = Gate(measure, 0.03)
    sign = -gate.direction

    def outcome(loss: float, worst: float, p: float) -> GateOutcome:
        ends = sorted((sign * worst, sign * 0.01))
        numbers = (0.5, 0.5, sign * loss, *ends, *ends, p, 0.01, 2.0)
        return GateOutcome(gate, "run", "main", 50, 40, 30, *numbers)

    held, lost = outcome(0.02, 0.03 - gap, 0.5), outcome(0.03 + gap, 0.06, 0.001)
    assert (held.outcome, lost.outcome) == ("not worse", "worse")
    end = re.search(rf"interval is ({NUMBER})\)", gate_finding(held).replace(w.NO_BREAK, " "))
    size = re.search(rf"by ({NUMBER}) ", gate_title(lost))
    assert end and abs(value_of(end[1])) < 0.03 and size and value_of(size[1]) > 0.03
    for found, value in ((held, held.worst_loss), (lost, lost.loss)):
        assert value_of(w.format_score(value, choose_decimals(found))) != 0.03


def test_titles_of_gates() -> None:
    said = [f"{gate_title(outcome_of(seed))}." for seed in SEEDS]
    assert not offenders(SEEDS, lambda seed: said[seed], false_in_title)
    words = Counter(outcome_of(seed).outcome for seed in SEEDS)
    assert min(words.values()) > len(SEEDS) // 20 and len(words) == 3


def test_reasons_of_gates() -> None:
    assert not offenders(SEEDS, lambda seed: gate_finding(outcome_of(seed)), false_in_finding)


def test_the_worst_comes_first_and_all_are_counted() -> None:
    found = sort_worst_first([outcome_of(seed) for seed in SEEDS])
    order = ["worse", "cannot tell", "not worse"]
    places = [order.index(one.outcome) for one in found]
    assert places == sorted(places)
    n = Counter(places)
    told = count_outcomes_finding([one.outcome for one in found])
    assert told == f"{n[0]} gates failed, {n[2]} passed, {n[1]} inconclusive"
    assert count_outcomes_finding(["not worse"] * 3) == "3 of 3 gates passed"
    assert count_outcomes_finding(["below"]) == "1 check failed"
    assert count_outcomes_finding(["not worse"], 1) == "1 gate passed, 1 not compared"


def test_a_baseline_lies_below_only_what_is_clearly_better() -> None:
    for found in map(outcome_of, SEEDS):
        text = better_run_finding(found, is_only_run=False)
        better = found.p_corrected <= 0.05 and found.loss < 0 and not found.gate.slice.column
        assert bool(text) == better and (not text or f" {found.run} on " in text)
        if number := re.search(rf"The baseline is ({NUMBER}) (below|above)", text):
            assert is_rounded(number[1], abs(found.difference))
            assert (number[2] == "below") == found.gate.measure.declaration.higher_is_better


def test_queries_without_results_are_counted_and_named() -> None:
    for judged in (*range(1, 40), 1_234):
        for lacking in {1, judged // 2 or 1, judged}:
            ids = tuple(f"q{n:04}" for n in range(lacking))
            text = UnansweredQueries("new", ids, judged).sentence
            found = re.fullmatch(r"new has no results for (\S+) of (\S+) judged .+: (.+)\.", text)
            assert found and not list(untidy(text))
            assert [value_of(found[1]), value_of(found[2])] == [lacking, judged]
            names, number = named_in(found[3])
            assert number == lacking and tuple(names) == ids[: len(names)]


def test_the_line_of_changed_queries_names_the_worst_and_counts_the_rest() -> None:
    for found in map(outcome_of, SEEDS):
        rows = [BrokenQuery(f"q{n}", "", 0.5, 0.5 - n / 10, "") for n in range(3, 0, -1)]
        worse = found.outcome == "worse"
        text = BrokenQueries(found, 7, 9, rows).sentence
        assert text.startswith(f"Three worst of {'7 lost' if worse else '9 changed'} queries (")
        assert text.endswith(f": q3 ({w.MINUS}0.300), q2 ({w.MINUS}0.200), q1 ({w.MINUS}0.100).")
        few = BrokenQueries(found, 3, 3, rows).title
        assert few.startswith(f"The 3 {'lost' if worse else 'changed'} queries (")


def test_a_mean_is_as_far_below_the_best_as_is_said() -> None:
    qrels = Qrels.from_columns(["a", "b", "c"], ["d"] * 3, [1, 1, 1])
    missing = np.zeros((1, 3), dtype=np.bool_)
    said = 0
    for seed in range(300):
        chance, measure = np.random.default_rng((seed, 41)), MEASURES[seed % 2]
        versions = [
            Scores((f"v{n}",), ("a", "b", "c"), (measure,), values, missing)
            for n, values in enumerate(chance.choice([0.2, 0.5, 0.9], (3, 1, 3, 1)))
        ]
        snapshot, direction = None, measure.declaration.direction
        for scores in versions[:2]:
            snapshot = make_snapshot(scores, qrels, Origin(), snapshot)
        assert snapshot
        means = [float(scores.values.mean()) for scores in versions]
        best = max(means[:2], key=lambda mean: mean * direction)
        text = " ".join(best_mean_findings(snapshot, "b.json", versions[2], [measure], qrels))
        told = (best - means[1]) * direction > 1e-9 and (best - means[2]) * direction > 1e-9
        assert bool(text) == told, seed
        if text:
            said += 1
            printed = re.findall(r"\d\.\d+", text.partition(" of v2 is ")[2])
            assert all(map(is_rounded, printed, (means[2], abs(best - means[2]), best))), text
            assert ("below the highest" in text) == (
                direction > 0
            ) and "different judgments" not in text
    assert said > 50
