"""The outcome of a gate for a terminal, and what its other forms tell alike."""

from __future__ import annotations

from metrics_core.base import wording as w
from metrics_core.commands.score_tables import records_aligned
from metrics_core.comparing.gates import Gate, GateOutcome
from metrics_core.explaining.overlap import OverlapOutcome
from metrics_core.findings.gate_queries import BrokenQueries
from metrics_core.findings.gate_report import GateReport
from metrics_core.findings.gates import (
    correction_finding,
)

_LABELS = 4
MOST_SHOWN = 5


def table(report: GateReport) -> str:
    """For a terminal: the outcomes with their reasons, a table of the gates, the queries that
    broke, and what the status is."""
    parts = [report.headline, *report.remarks, *lines_of(report)]
    if report.outcomes:
        parts.append(records_aligned(_gates(report), _LABELS))
        parts.append(correction_finding(report.tested))
    for broken in (own for own in report.broken if own.rows):
        parts.append(f"{broken.title}:\n{records_aligned(_queries(broken), 1)}")
        if broken.command:
            parts.append(f"Explain the worst query:\n    {broken.command}")
    for overlap in report.overlaps:
        if overlap.changed:
            parts.append(f"{title_of_changed(overlap)}:\n{records_aligned(_changed(overlap), 1)}")
    parts += [*report.below_best, *report.kept]
    parts.append(report.ending)
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def lines_of(report: GateReport) -> list[str]:
    """A line for each outcome, and what becomes of those that cannot be told."""
    return [*report.sentences, *report.unclear]


def margin_of(gate: Gate) -> str:
    """The difference that is still allowed."""
    sign = w.MINUS if gate.direction > 0 else "+"
    return f"{sign}{gate.margin:g}"


def _gates(report: GateReport) -> list[dict[str, str]]:
    all_of_them = f"95{w.NO_BREAK}%" + (", all gates" if report.tested > 1 else "")
    return [
        {
            "result": found.outcome,
            "run": found.run,
            "measure": str(found.gate.measure),
            "queries": found.gate.slice.group or "all",
            "n": w.count(found.queries),
            "margin": margin_of(found.gate),
            "difference": w.difference(found.difference, digits_of(found)),
            all_of_them: w.interval(found.low, found.high, digits_of(found)),
            f"90{w.NO_BREAK}%, each": w.interval(
                found.inner_low, found.inner_high, digits_of(found)
            ),
        }
        for found in report.outcomes
    ]


def digits_of(found: GateOutcome) -> int:
    """How many decimals a gate's difference and intervals have: none is printed as the margin that
    is not."""
    digits, margin = w.decimals(found.low, found.high), found.gate.margin
    return max(w.decimals_apart(loss, margin, digits) for loss in (found.loss, found.worst_loss))


def _queries(broken: BrokenQueries) -> list[dict[str, str]]:
    return [
        {
            "query": row.query_id,
            "baseline": w.score(row.baseline_score),
            "run": w.score(row.score),
            "difference": w.difference(row.score - row.baseline_score),
            "now": row.kind,
        }
        for row in broken.rows
    ]


def title_of_changed(found: OverlapOutcome) -> str:
    """What is listed: "Most changed of 44 queries (top 10 of hybrid)"."""
    queries = w.plural(found.changed, "query", "queries")
    of_all = f"Most changed of {w.count(found.changed)} changed {queries}"
    return f"{of_all} (top {found.overlap.k} of {found.run})"


def _changed(found: OverlapOutcome) -> list[dict[str, str]]:
    return [
        {"query": query_id, "kept": w.share(kept), "RBO": w.score(rbo)}
        for query_id, kept, rbo in found.most_changed(MOST_SHOWN)
    ]
