"""Format the outcome of a gate for a terminal, with helpers shared by all formats."""

from __future__ import annotations

import math

from metrics_core.base import wording as w
from metrics_core.comparing.gate_conditions import Gate
from metrics_core.comparing.gates import GateOutcome
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
    """Format the report for a terminal: outcomes with reasons, a table of the gates, the queries
    that broke, and the meaning of the exit status."""
    parts = [report.headline, *report.remarks, *report.sentences, *report.inconclusive_note]
    if report.outcomes:
        parts.append(align_records(_gate_rows(report), _LABELS))
        parts.append(correction_finding(report.n_comparisons))
    for broken in (broken_queries for broken_queries in report.broken if broken_queries.rows):
        parts.append(f"{broken.title}:\n{align_records(_query_rows(broken), 1)}")
        if broken.command:
            parts.append(f"Explain the worst query:\n    {broken.command}")
    for overlap in report.overlaps:
        if overlap.n_changed:
            rows = align_records(_changed_query_rows(overlap), 1)
            parts.append(f"{changed_queries_title(overlap)}:\n{rows}")
    parts += [*report.below_best, *report.baseline_notes]
    parts.append(report.closing_sentence)
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def format_margin(gate: Gate) -> str:
    """Format the gate's margin with the sign of a loss, such as "−0.01"."""
    sign = w.MINUS if gate.direction > 0 else "+"
    if gate.is_ratio:
        return f"{sign}{100 * gate.margin:g}%"
    return f"{sign}{gate.margin:g}"


def format_target(gate: Gate) -> str:
    """Name the measure of a gate, with "(ratio)" if the typical ratio is tested: "latency_ms
    (ratio)"."""
    return f"{gate.target} (ratio)" if gate.is_ratio else gate.target


def format_change(outcome: GateOutcome) -> str:
    """Format the difference. For a gate on the typical ratio, it is formatted as a percentage such
    as "+27%"."""
    if outcome.gate.is_ratio:
        return _format_percents(outcome.difference)[0]
    return w.format_difference(outcome.difference, choose_decimals(outcome))


def format_bounds(outcome: GateOutcome, low: float, high: float) -> str:
    """Format an interval of the difference. For a gate on the typical ratio, its bounds are
    percentages: "[+19%, +36%]"."""
    if not outcome.gate.is_ratio:
        return w.format_interval(low, high, choose_decimals(outcome))
    return w.DASH if math.isnan(low) else f"[{', '.join(_format_percents(low, high))}]"


def _format_percents(*shares: float) -> list[str]:
    return [
        w.DASH if math.isnan(share) else f"{w.format_difference(100 * share, 1)}%"
        for share in shares
    ]


def _gate_rows(report: GateReport) -> list[dict[str, str]]:
    interval_column = "95%" + (", all gates" if report.n_comparisons > 1 else "")
    return [
        {
            "result": outcome.outcome,
            "run": outcome.run,
            "measure": format_target(outcome.gate),
            "queries": outcome.gate.slice.group or "all",
            "n": w.format_count(outcome.queries),
            "margin": format_margin(outcome.gate),
            "difference": format_change(outcome),
            interval_column: format_bounds(outcome, outcome.low, outcome.high),
            "90%, each": format_bounds(outcome, outcome.inner_low, outcome.inner_high),
        }
        for outcome in report.outcomes
    ]


def choose_decimals(outcome: GateOutcome) -> int:
    """Return the number of decimals with which the difference and the intervals of a gate are
    printed. It is large enough to show that a loss differs from the margin."""
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
            "now": row.kind or w.DASH,
        }
        for row in broken.rows
    ]


def changed_queries_title(outcome: OverlapOutcome) -> str:
    """Return the title of the list of changed queries, such as "Largest changes among 44 changed
    queries (top 10 of hybrid)"."""
    queries = w.plural(outcome.n_changed, "query", "queries")
    title = f"Largest changes among {w.format_count(outcome.n_changed)} changed {queries}"
    return f"{title} (top {outcome.k} of {outcome.run})"


def _changed_query_rows(outcome: OverlapOutcome) -> list[dict[str, str]]:
    return [
        {"query": query_id, "kept": w.format_share(share), "RBO": w.format_score(rbo)}
        for query_id, share, rbo in outcome.most_changed_queries(MAX_SHOWN)
    ]
