"""The outcome of a gate for a terminal, and helpers shared by all formats."""

from __future__ import annotations

from metrics_core.base import wording as w
from metrics_core.comparing.gates import Gate, GateOutcome
from metrics_core.explaining.overlap import OverlapOutcome
from metrics_core.findings.gate_queries import BrokenQueries
from metrics_core.findings.gate_report import GateReport
from metrics_core.findings.gates import (
    correction_finding,
)
from metrics_core.text_tables.score_tables import align_records

_LABELS = 4
MAX_SHOWN = 5


def format_terminal_report(report: GateReport) -> str:
    """Format for a terminal: outcomes with reasons, a table of the gates, the queries that broke,
    and the meaning of the exit status."""
    parts = [report.headline, *report.remarks, *outcome_lines(report)]
    if report.outcomes:
        parts.append(align_records(_gate_rows(report), _LABELS))
        parts.append(correction_finding(report.tested))
    for broken in (broken_queries for broken_queries in report.broken if broken_queries.rows):
        parts.append(f"{broken.title}:\n{align_records(_query_rows(broken), 1)}")
        if broken.command:
            parts.append(f"Explain the worst query:\n    {broken.command}")
    for overlap in report.overlaps:
        if overlap.n_changed:
            rows = align_records(_changed_query_rows(overlap), 1)
            parts.append(f"{changed_queries_title(overlap)}:\n{rows}")
    parts += [*report.below_best, *report.baseline_notes]
    parts.append(report.ending)
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def outcome_lines(report: GateReport) -> list[str]:
    """One line for each outcome, and a line that says how inconclusive outcomes are treated."""
    return [*report.sentences, *report.unclear]


def format_margin(gate: Gate) -> str:
    """The gate's margin with the sign of a loss, such as "−0.01"."""
    sign = w.MINUS if gate.direction > 0 else "+"
    return f"{sign}{gate.margin:g}"


def _gate_rows(report: GateReport) -> list[dict[str, str]]:
    interval_column = f"95{w.NO_BREAK}%" + (", all gates" if report.tested > 1 else "")
    return [
        {
            "result": outcome.outcome,
            "run": outcome.run,
            "measure": str(outcome.gate.measure),
            "queries": outcome.gate.slice.group or "all",
            "n": w.format_count(outcome.queries),
            "margin": format_margin(outcome.gate),
            "difference": w.format_difference(outcome.difference, count_decimals(outcome)),
            interval_column: w.format_interval(outcome.low, outcome.high, count_decimals(outcome)),
            f"90{w.NO_BREAK}%, each": w.format_interval(
                outcome.inner_low, outcome.inner_high, count_decimals(outcome)
            ),
        }
        for outcome in report.outcomes
    ]


def count_decimals(outcome: GateOutcome) -> int:
    """Number of decimals for a gate's difference and intervals, enough to distinguish losses from
    the margin."""
    digits, margin = w.interval_decimals(outcome.low, outcome.high), outcome.gate.margin
    return max(
        w.distinguishing_decimals(loss, margin, digits)
        for loss in (outcome.loss, outcome.worst_loss)
    )


def _query_rows(broken: BrokenQueries) -> list[dict[str, str]]:
    return [
        {
            "query": row.query_id,
            "baseline": w.format_score(row.baseline_score),
            "run": w.format_score(row.score),
            "difference": w.format_difference(row.score - row.baseline_score),
            "now": row.kind,
        }
        for row in broken.rows
    ]


def changed_queries_title(outcome: OverlapOutcome) -> str:
    """Title of the list: "Largest changes among 44 changed queries (top 10 of hybrid)"."""
    queries = w.plural(outcome.n_changed, "query", "queries")
    title = f"Largest changes among {w.format_count(outcome.n_changed)} changed {queries}"
    return f"{title} (top {outcome.overlap.k} of {outcome.run})"


def _changed_query_rows(outcome: OverlapOutcome) -> list[dict[str, str]]:
    return [
        {"query": query_id, "kept": w.format_share(share), "RBO": w.format_score(rbo)}
        for query_id, share, rbo in outcome.most_changed_queries(MAX_SHOWN)
    ]
