"""What a gate found, in sentences: each outcome, what it rests on, and what becomes of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from metrics_core.base import wording as w
from metrics_core.comparing.gates import (
    BELOW,
    CHANGED,
    FAILED,
    HELD,
    NO_QUERY_LOST,
    NOT_WORSE,
    OUTCOMES,
    UNCLEAR,
    Floor,
    FloorOutcome,
    Gate,
    GateOutcome,
    QuerySlice,
)
from metrics_core.comparing.power import FEWEST_TOLD
from metrics_core.comparing.verdicts import (
    CANNOT_TELL,
    FEWEST_DIFFERING,
    FEWEST_QUERIES,
    WORSE_RUN,
)
from metrics_core.explaining.overlap import OverlapOutcome
from metrics_core.findings.testing import size_of
from metrics_core.scoring.intervals import FEWEST_SCORES


def about(gate: Gate | Floor) -> str:
    """Which measure on which queries: "nDCG@10 on Billing"."""
    return f"{gate.measure}{_on(gate.slice)}"


def _on(queries: QuerySlice) -> str:
    return f" on {queries.group}" if queries.column else ""


def gate_title(found: GateOutcome) -> str:
    """The outcome with its number: "Worse: AP falls by 0.023 [0.003, 0.042]"."""
    what = about(found.gate)
    if found.unchanged:
        return f"Not worse: {what} unchanged"
    if found.outcome == WORSE_RUN:
        return f"Worse: {what} {_moves(found)}"
    digits = w.decimals(found.low, found.high)
    number = _difference(found.difference, digits)
    if not math.isnan(found.low):
        number += f" {w.interval(found.low, found.high, digits)}"
    if found.outcome == NOT_WORSE:
        return f"Not worse: {what} {number}"
    few = found.queries < FEWEST_QUERIES
    return f"Cannot tell: {what} {number}" + (f", {_only(found.queries)}" if few else "")


def _difference(value: float, digits: int) -> str:
    size = w.difference(value, digits)
    return size if size.strip("0.") else w.difference(0)  # nothing is nothing with three


def _moves(found: GateOutcome) -> str:
    """A loss as it is: "falls by 0.023 [0.003, 0.042]", or rises where less is better."""
    low, high = sorted(abs(end) for end in (found.low, found.high))
    digits = w.decimals(low, high)
    verb = "falls" if found.difference < 0 else "rises"
    size = w.score_apart(abs(found.difference), found.gate.margin, digits)
    return f"{verb} by {size} {w.interval(low, high, digits)}"


def gate_finding(found: GateOutcome) -> str:
    """Why it came to this outcome, in a sentence or two that stand behind the title."""
    margin = w.plain_number(found.gate.margin)
    if found.unchanged:
        every = "its one query scores" if found.queries == 1 else _every(found.queries)
        return f"Nothing changed: {every} the same as with {found.baseline}."
    if found.outcome == WORSE_RUN:
        return (
            f"The loss is significant after correction ({w.p_value(found.p_corrected)}) and larger"
            f" than {margin}."
        )
    if found.outcome == NOT_WORSE:
        ends = found.inner_low, found.inner_high
        upper = found.gate.direction < 0
        end = f"{'upper' if upper else 'lower'} bound of its 90{w.NO_BREAK}% interval is"
        digits = w.decimals_apart(found.worst_loss, found.gate.margin, w.decimals(*ends))
        end += f" {_difference(ends[upper], digits)}"
        lower = found.found and found.loss > 0
        but = "It is significantly lower, but a" if lower and found.gate.direction > 0 else "A"
        but = "It is significantly higher, but a" if lower and found.gate.direction < 0 else but
        return f"{but} loss of {margin} or more is ruled out (the {end})."
    return f"{_unclear(found)} {_could_show(found)}".strip()


def gate_told(found: GateOutcome) -> str:
    """The outcome and why, for one line."""
    return f"{gate_title(found)}. {gate_finding(found)}"


def _every(queries: int) -> str:
    return f"all {w.count(queries)} queries score"


def _only(queries: int) -> str:
    return f"only {w.count(queries)} {w.plural(queries, 'query', 'queries')}"


def _unclear(found: GateOutcome) -> str:
    margin = w.plain_number(found.gate.margin)
    if found.queries < FEWEST_QUERIES:
        verb = w.plural(found.queries, "is", "are")
        noun = w.plural(found.queries, "query", "queries")
        return (
            f"{w.count(found.queries)} {noun} {verb} too few to test: a gate needs at least"
            f" {FEWEST_QUERIES}."
        )
    if found.counts_as == NO_QUERY_LOST and not math.isnan(found.queries_without_loss):
        needed = w.count(int(found.queries_without_loss))
        return f"No lost queries; ruling out a loss of {margin} takes {needed} queries."
    if math.isnan(found.p_corrected):
        verb = w.plural(found.differing, "differs", "differ")
        return (
            f"{w.sentence_case(_only(found.differing))} {verb}: a test needs at least"
            f" {FEWEST_DIFFERING}."
        )
    if found.found and found.loss > 0:
        return f"There is a loss, but these queries do not show whether it exceeds {margin}."
    return f"A loss of {margin} is neither shown nor ruled out."


def _could_show(found: GateOutcome) -> str:
    """What the queries could show; "" where it is not said."""
    if found.queries < FEWEST_QUERIES or math.isnan(found.p_corrected):
        return ""
    if math.isnan(found.smallest):
        few = found.queries < FEWEST_TOLD
        return f"Power is not reported for fewer than {FEWEST_TOLD} queries." if few else ""
    twice = w.plain_number(2 * found.gate.margin)
    return (
        f"These {w.count(found.queries)} queries detect a loss of about {_round(found.smallest)}"
        f" with 80{w.NO_BREAK}% power; a loss of {twice}, twice the margin, would fail"
        f" {w.share(found.chance)} of the time."
    )


def _round(size: float) -> str:
    """A size to two figures."""
    return size_of(float(f"{size:.2g}"))


def floor_finding(found: FloorOutcome) -> str:
    """Whether a mean reaches its floor: "Below the floor: …"."""
    floor, least = found.floor, w.plain_number(found.floor.least)
    higher = floor.measure.declaration.higher_is_better
    name = "floor" if higher else "ceiling"
    told = f"{about(floor)} is {w.score_apart(found.score, floor.least)}"
    if floor.shown and not math.isnan(found.end):
        which = "lower" if higher else "upper"
        told += f", the {which} bound of its 90{w.NO_BREAK}% interval"
        told += f" {w.score_apart(found.end, floor.least)}"
    if found.outcome == HELD:
        return f"{w.sentence_case(name)} held: {told} (required: {least})."
    if found.outcome == BELOW:
        side = "Below the floor" if higher else "Above the ceiling"
        return f"{side}: {told} (required: {least})."
    if not found.queries:
        return f"Cannot tell: no query has a score of {about(floor)}."
    few = found.queries < FEWEST_SCORES
    why = f": under {FEWEST_SCORES} queries a mean has no interval" if few else ""
    return f"Cannot tell: {told}, over {w.count(found.queries)} queries{why}."


def overlap_finding(found: OverlapOutcome) -> str:
    """How much of the first results stayed."""
    top, asked = f"top {found.overlap.k}", w.share(found.overlap.least)
    if not found.changed:
        return f"Overlap held: the {top} of every query is the same."
    word = "held" if found.outcome == HELD else "too small"
    return (
        f"Overlap {word}: {w.share(found.mean)} of the {top} stayed (required: {asked}; mean over"
        f" {w.count(len(found.query_ids))} queries; RBO, which also counts order:"
        f" {w.score(found.mean_rbo)})."
    )


def unclear_finding(fails: bool) -> str:
    """What is done where nothing can be told."""
    word = "fail" if fails else "pass"
    return (
        f"Neither passed nor failed; inconclusive checks are set to {word} (--if-unclear {word})."
    )


def counted_finding(outcomes: Sequence[str], uncompared: int = 0) -> str:
    """How many gates found what: "1 gate failed, 2 passed, 1 cannot tell"; floors and overlaps are
    checks. So many more could not be compared."""
    found = Counter(outcomes)
    failed, passed = found[WORSE_RUN] + found[BELOW], found[NOT_WORSE] + found[HELD]
    what = "check" if {BELOW, HELD} & set(outcomes) else "gate"
    total = len(outcomes) + uncompared
    if passed == total:
        return f"{total} of {total} {w.plural(total, what)} passed"
    parts: list[str] = []
    for number, words in (
        (failed, "failed"),
        (passed, "passed"),
        (found[CANNOT_TELL], "cannot tell"),
        (uncompared, "not compared"),
    ):
        if number:
            gates = "" if parts else f" {w.plural(number, what)}"
            parts.append(f"{number}{gates} {words}")
    return ", ".join(parts)


def correction_finding(family: int) -> str:
    """Which of the outcomes are corrected, for so many comparisons."""
    if family < 2:
        return ""
    return (
        f"“Worse” is corrected for all {family} comparisons (Holm), and the intervals are"
        " simultaneous; “not worse” for all of them needs no correction."
    )


def status_finding(status: int, *, unclear: bool, uncompared: bool) -> str:
    """What an exit status says, also where something cannot be told, or not be compared."""
    again = "create a new snapshot" if uncompared else "--allow-changed accepts it"
    return {
        FAILED: "Failed.",
        CHANGED: f"The compared data changed since the snapshot; {again}.",
        UNCLEAR: "Failed: inconclusive, which is set to fail.",
    }.get(status, "Nothing failed." if unclear else "Passed.")


def worst_first(outcomes: Sequence[GateOutcome]) -> list[GateOutcome]:
    """Worse, then cannot tell, then not worse; of each the largest loss in margins first."""
    return sorted(outcomes, key=lambda o: (OUTCOMES.index(o.outcome), -_in_margins(o)))


def _in_margins(found: GateOutcome) -> float:
    return -math.inf if math.isnan(found.difference) else found.loss / found.gate.margin


def ratchet_finding(found: GateOutcome, *, alone: bool) -> str:
    """That a baseline lies below a run that is clearly better; "" where it is not. A run that is
    not `alone` is named."""
    if not (found.found and found.loss < 0) or found.gate.slice.column:
        return ""
    side = "below" if found.gate.direction > 0 else "above"
    size = w.score(abs(found.difference), w.decimals(found.low, found.high))
    return (
        f"The baseline is {size} {side} {'this run' if alone else found.run} on"
        f" {found.gate.measure}; if it is a snapshot, --update"
        f" {'' if alone else 'with that run alone '}writes a new one."
    )
