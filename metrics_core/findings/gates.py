"""Describe the outcomes of gates in sentences: the outcome, its evidence, and its consequence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from metrics_core.base import wording as w
from metrics_core.comparing.gate_conditions import Floor, Gate
from metrics_core.comparing.gates import (
    BELOW,
    CHANGED,
    FAILED,
    HELD,
    NO_QUERY_LOST,
    NOT_WORSE,
    OUTCOMES,
    UNCLEAR,
    FloorOutcome,
    GateOutcome,
)
from metrics_core.comparing.power import FEWEST_FOR_POWER
from metrics_core.comparing.verdicts import (
    CANNOT_TELL,
    FEWEST_DIFFERING,
    FEWEST_QUERIES,
    WORSE_RUN,
)
from metrics_core.explaining.overlap import OverlapOutcome
from metrics_core.findings.costs import describe_ratio
from metrics_core.findings.significance import format_absolute_difference
from metrics_core.scoring.intervals import FEWEST_SCORES, LEVEL


def describe_target(gate: Gate | Floor) -> str:
    """Name the measure of a gate and its queries: "nDCG@10 on Billing"."""
    name = gate.target if isinstance(gate, Gate) else str(gate.measure)
    return f"{name} on {gate.slice.group}" if gate.slice.column else name


def describe_ratio_outcome(outcome: GateOutcome) -> str:
    """State the typical ratio of a cost: "latency_ms typically 27% slower (95%: 19 to 36%)"."""
    ends = 1 + outcome.low, 1 + outcome.high
    measure = str(outcome.gate.measure)
    if math.isnan(outcome.difference):
        return f"{describe_target(outcome.gate)}: no typical ratio can be computed"
    ratio = describe_ratio(1 + outcome.difference, ends, measure, LEVEL)
    return f"{describe_target(outcome.gate)} {ratio}"


def gate_title(outcome: GateOutcome) -> str:
    """Return the outcome of a gate with its difference: "Worse: AP falls by 0.023 [0.003,
    0.042]"."""
    target = describe_target(outcome.gate)
    if outcome.is_unchanged:
        return f"Not worse: {target} unchanged"
    if outcome.gate.is_ratio:
        return f"{w.sentence_case(outcome.outcome)}: {describe_ratio_outcome(outcome)}"
    if outcome.outcome == WORSE_RUN:
        return f"Worse: {target} {_describe_loss(outcome)}"
    digits = w.interval_decimals(outcome.low, outcome.high)
    number = _format_difference(outcome.difference, digits)
    if not math.isnan(outcome.low):
        number += f" {w.format_interval(outcome.low, outcome.high, digits)}"
    if outcome.outcome == NOT_WORSE:
        return f"Not worse: {target} {number}"
    is_few = outcome.queries < FEWEST_QUERIES
    return f"Cannot tell: {target} {number}" + (
        f", {_only_queries_text(outcome.queries)}" if is_few else ""
    )


def _format_difference(value: float, digits: int) -> str:
    size = w.format_difference(value, digits)
    return size if size.strip("0.") else w.format_difference(0)  # zero has three decimals


def _describe_loss(outcome: GateOutcome) -> str:
    """Describe a loss: "falls by 0.023 [0.003, 0.042]". The verb is "rises" if lower is better."""
    low, high = sorted(abs(end) for end in (outcome.low, outcome.high))
    digits = w.interval_decimals(low, high)
    verb = "falls" if outcome.difference < 0 else "rises"
    size = w.format_distinct_score(abs(outcome.difference), outcome.gate.margin, digits)
    return f"{verb} by {size} {w.format_interval(low, high, digits)}"


def gate_finding(outcome: GateOutcome) -> str:
    """Explain the outcome of a gate in one or two sentences that are printed after its title.

    If the gate is on the mean of a cost, another sentence says that the test of such a mean is not
    protected against skewed values."""
    text = _explain_ratio(outcome) if outcome.gate.is_ratio else _explain_difference(outcome)
    is_cost = outcome.gate.measure.declaration.scale == "cost"
    return f"{text} {_UNPROTECTED}" if is_cost and outcome.gate.asks_for_mean else text


_UNPROTECTED = "The test of a mean cost is not robust to skewed distributions."


def _explain_ratio(outcome: GateOutcome) -> str:
    """Explain the outcome of a gate on the typical ratio."""
    margin = f"{100 * outcome.gate.margin:g}%"
    if outcome.is_unchanged or outcome.queries < FEWEST_QUERIES:
        return _explain_difference(outcome)
    if math.isnan(outcome.difference):
        return "There is no typical ratio, because a value is 0 or below."
    if outcome.outcome == WORSE_RUN:
        p_value = w.format_p_value(outcome.p_corrected)
        return (
            f"The typical rise is significant after correction ({p_value}) and larger than"
            f" {margin}."
        )
    if outcome.outcome == NOT_WORSE:
        bound = f"{100 * outcome.inner_high:+.2f}".replace("-", w.MINUS)
        return (
            f"A typical rise of {margin} or more is ruled out (the upper bound of its"
            f" 90% interval is {bound}%)."
        )
    if math.isnan(outcome.p_corrected):
        return _explain_unclear(outcome)
    return f"A typical rise of {margin} is neither confirmed nor ruled out."


def _explain_difference(outcome: GateOutcome) -> str:
    margin = w.format_plain_number(outcome.gate.margin)
    if outcome.is_unchanged:
        number = w.format_count(outcome.queries)
        queries_text = w.plural(
            outcome.queries, "its one query scores", f"all {number} queries score"
        )
        return f"Nothing changed: {queries_text} the same as with {outcome.baseline}."
    if outcome.outcome == WORSE_RUN:
        return (
            f"The loss is significant after correction ({w.format_p_value(outcome.p_corrected)})"
            f" and larger than {margin}."
        )
    if outcome.outcome == NOT_WORSE:
        ends = outcome.inner_low, outcome.inner_high
        upper = outcome.gate.direction < 0
        digits = w.distinguishing_decimals(
            outcome.worst_loss, outcome.gate.margin, w.interval_decimals(*ends)
        )
        end = (
            f"{'upper' if upper else 'lower'} bound of its 90% interval is"
            f" {_format_difference(ends[upper], digits)}"
        )
        lower = outcome.is_significant and outcome.loss > 0
        but = "It is significantly lower, but a" if lower and outcome.gate.direction > 0 else "A"
        but = "It is significantly higher, but a" if lower and outcome.gate.direction < 0 else but
        return f"{but} loss of {margin} or more is ruled out (the {end})."
    return f"{_explain_unclear(outcome)} {_describe_power(outcome)}".strip()


def gate_sentence(outcome: GateOutcome) -> str:
    """Return the title of a gate and the explanation of its outcome on one line."""
    return f"{gate_title(outcome)}. {gate_finding(outcome)}"


def _only_queries_text(n_queries: int) -> str:
    return f"only {w.format_query_count(n_queries)}"


def _explain_unclear(outcome: GateOutcome) -> str:
    margin = w.format_plain_number(outcome.gate.margin)
    if outcome.queries < FEWEST_QUERIES:
        verb = w.plural(outcome.queries, "is", "are")
        noun = w.plural(outcome.queries, "query", "queries")
        return (
            f"{w.format_count(outcome.queries)} {noun} {verb} too few to test: a gate needs at"
            f" least {FEWEST_QUERIES}."
        )
    if outcome.effective_outcome == NO_QUERY_LOST and not math.isnan(
        outcome.n_lossless_queries_needed
    ):
        needed = w.format_count(int(outcome.n_lossless_queries_needed))
        return (
            f"No query got worse, but {needed} queries are needed to rule out a loss of {margin}."
        )
    if math.isnan(outcome.p_corrected):
        verb = w.plural(outcome.differing, "differs", "differ")
        return (
            f"{w.sentence_case(_only_queries_text(outcome.differing))} {verb}, but a test needs at"
            f" least {FEWEST_DIFFERING}."
        )
    if outcome.is_significant and outcome.loss > 0:
        return f"There is a loss, but these queries do not show whether it exceeds {margin}."
    return f"A loss of {margin} is neither confirmed nor ruled out."


def _describe_power(outcome: GateOutcome) -> str:
    """State which losses these queries could detect; empty if power is not reported."""
    if outcome.queries < FEWEST_QUERIES or math.isnan(outcome.p_corrected):
        return ""
    if math.isnan(outcome.smallest_loss):
        is_few = outcome.queries < FEWEST_FOR_POWER
        return f"Power is not reported for fewer than {FEWEST_FOR_POWER} queries." if is_few else ""
    double_margin = w.format_plain_number(2 * outcome.gate.margin)
    return (
        f"These {w.format_count(outcome.queries)} queries detect a loss of about"
        f" {format_absolute_difference(float(f'{outcome.smallest_loss:.2g}'))} with"
        f" 80% power. A loss of {double_margin}, twice the margin, would fail the gate"
        f" {w.format_share(outcome.failure_chance_at_twice_margin)} of the time."
    )


def floor_finding(outcome: FloorOutcome) -> str:
    """State whether a mean reaches its floor: "Below the floor: …"."""
    floor, least_text = outcome.floor, w.format_plain_number(outcome.floor.least)
    higher = floor.measure.declaration.higher_is_better
    name = "floor" if higher else "ceiling"
    statement = f"{describe_target(floor)} is {w.format_distinct_score(outcome.score, floor.least)}"
    if floor.by_bound and not math.isnan(outcome.end):
        end_name = "lower" if higher else "upper"
        statement += f", and the {end_name} bound of its 90% interval is"
        statement += f" {w.format_distinct_score(outcome.end, floor.least)}"
    if outcome.outcome == HELD:
        return f"{w.sentence_case(name)} held: {statement} (required: {least_text})."
    if outcome.outcome == BELOW:
        side = "Below the floor" if higher else "Above the ceiling"
        return f"{side}: {statement} (required: {least_text})."
    if not outcome.queries:
        return f"Cannot tell: no query has a score of {describe_target(floor)}."
    is_few = outcome.queries < FEWEST_SCORES
    reason = f"; means over fewer than {FEWEST_SCORES} queries have no interval" if is_few else ""
    return f"Cannot tell: {statement}, over {w.format_count(outcome.queries)} queries{reason}."


def overlap_finding(outcome: OverlapOutcome) -> str:
    """State the share of the top k that is unchanged, and whether it reaches its minimum."""
    top, least_share = f"top {outcome.k}", w.format_share(outcome.condition.least)
    if not outcome.n_changed:
        return f"Overlap sufficient: the {top} of every query is the same."
    word = "sufficient" if outcome.outcome == HELD else "too small"
    return (
        f"Overlap {word}: {w.format_share(outcome.mean)} of the {top} remained (required:"
        f" {least_share}; mean over {w.format_count(len(outcome.query_ids))} queries; RBO, which"
        f" also takes order into account: {w.format_score(outcome.rbo.mean())})."
    )


def unclear_finding(counts_as_failure: bool) -> str:
    """State how inconclusive checks are treated."""
    word = "fail" if counts_as_failure else "pass"
    return (
        f"Neither passed nor failed, so the setting for inconclusive checks applies: {word}"
        f" (--if-unclear {word})."
    )


def count_outcomes_finding(outcomes: Sequence[str], uncompared: int = 0) -> str:
    """State the number of gates with each outcome: "1 gate failed, 2 passed, 1 inconclusive".

    If floors or overlaps are among the `outcomes`, the text speaks of checks instead of gates.
    `uncompared` is the number of gates that could not be compared."""
    counts = Counter(outcomes)
    n_failed, n_passed = counts[WORSE_RUN] + counts[BELOW], counts[NOT_WORSE] + counts[HELD]
    noun = "check" if {BELOW, HELD} & set(outcomes) else "gate"
    total = len(outcomes) + uncompared
    if n_passed == total:
        return f"{total} of {total} {w.plural(total, noun)} passed"
    parts: list[str] = []
    for number, words in (
        (n_failed, "failed"),
        (n_passed, "passed"),
        (counts[CANNOT_TELL], "inconclusive"),
        (uncompared, "not compared"),
    ):
        if number:
            gates = "" if parts else f" {w.plural(number, noun)}"
            parts.append(f"{number}{gates} {words}")
    return ", ".join(parts)


def correction_finding(n_comparisons: int) -> str:
    """State which outcomes are corrected for `n_comparisons` comparisons. The text is empty if
    there is only one comparison."""
    if n_comparisons < 2:
        return ""
    return (
        f"Findings of “worse” are corrected for all {n_comparisons} comparisons (Holm), and the"
        " intervals are simultaneous. A finding of “not worse” in every comparison needs no"
        " correction."
    )


def status_finding(status: int, *, has_inconclusive: bool, has_uncompared: bool) -> str:
    """Return a sentence that explains an exit status.

    `has_inconclusive` is whether a check is inconclusive, and `has_uncompared` is whether a gate
    could not be compared."""
    instruction = (
        "create a new snapshot" if has_uncompared else "--allow-changed accepts the change"
    )
    return {
        FAILED: "Failed.",
        CHANGED: f"The compared data changed since the snapshot; {instruction}.",
        UNCLEAR: "Failed, because the result is inconclusive and inconclusive results are set to"
        " fail.",
    }.get(status, "Nothing failed." if has_inconclusive else "Passed.")


def sort_worst_first(outcomes: Sequence[GateOutcome]) -> list[GateOutcome]:
    """Sort gate outcomes, worst first: "worse", then "cannot tell", then "not worse".

    Gates with the same outcome are sorted by their loss as a multiple of the margin, largest
    first."""
    return sorted(outcomes, key=lambda o: (OUTCOMES.index(o.outcome), -_loss_in_margins(o)))


def _loss_in_margins(outcome: GateOutcome) -> float:
    return -math.inf if math.isnan(outcome.difference) else outcome.loss / outcome.gate.margin


def better_run_finding(outcome: GateOutcome, *, is_only_run: bool) -> str:
    """State by how much the baseline is below a run that is significantly better.

    The text is empty if the run is not significantly better, or if the gate is on a slice or on a
    typical ratio. The run is named unless `is_only_run` is true."""
    if not (outcome.is_significant and outcome.loss < 0) or outcome.gate.slice.column:
        return ""
    side = "below" if outcome.gate.direction > 0 else "above"
    if outcome.gate.is_ratio:
        return ""
    size = w.format_score(abs(outcome.difference), w.interval_decimals(outcome.low, outcome.high))
    return (
        f"The baseline is {size} {side} {'this run' if is_only_run else outcome.run} on"
        f" {outcome.gate.measure}. If the baseline is a snapshot, --update"
        f" {'' if is_only_run else 'with that run alone '}replaces it."
    )
