"""Format the outcome of a gate for programs: JSON, and JUnit XML, which CI systems show as
tests."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.etree import ElementTree

from metrics_core.base import wording as w
from metrics_core.base.version import __version__
from metrics_core.commands.gate.terminal import MAX_SHOWN
from metrics_core.comparing.gates import BELOW, NO_QUERY_LOST, FloorOutcome, GateOutcome
from metrics_core.comparing.verdicts import CANNOT_TELL, WORSE_RUN
from metrics_core.explaining.overlap import OverlapOutcome
from metrics_core.findings.gate_queries import BrokenQueries, UnansweredQueries
from metrics_core.findings.gate_report import GateReport
from metrics_core.findings.gates import floor_finding, gate_sentence, overlap_finding

SCHEMA = 1
"""Version of the JSON format. It is increased if a field is removed or its meaning changes."""


def format_json(report: GateReport) -> str:
    """Format the whole report as JSON in full precision. Undefined values are null. docs/ci.md
    lists the fields."""
    record = {
        "schema": SCHEMA,
        "ranklens": __version__,
        "status": report.status,
        "if_unclear": "fail" if report.fail_unclear else "pass",
        "baseline": report.baseline,
        "label": report.label,
        "runs": list(report.runs),
        "queries": report.queries,
        "compared_together": report.n_comparisons,
        "unanswered": [_unanswered_queries_record(unanswered) for unanswered in report.unanswered],
        "changes": list(report.changes),
        "changes_allowed": report.allow_changed,
        "not_compared": list(report.uncompared),
        "gates": [_gate_record(entry) for entry in report.outcomes],
        "floors": [_floor_record(entry) for entry in report.floors],
        "overlaps": [_overlap_record(entry) for entry in report.overlaps],
        "broken": [_broken_queries_record(entry) for entry in report.broken],
        "below_best": list(report.below_best),
        "files": [{"what": a, "name": b, "sha256": c} for a, b, c in report.files],
    }
    return json.dumps(_replace_undefined_by_none(record), ensure_ascii=False, indent=1) + "\n"


def _replace_undefined_by_none(value: Any) -> Any:
    """Replace undefined numbers in nested values by None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _replace_undefined_by_none(item) for key, item in value.items()}
    return (
        [_replace_undefined_by_none(item) for item in value] if isinstance(value, list) else value
    )


def _gate_record(outcome: GateOutcome) -> dict[str, Any]:
    return {
        "gate": str(outcome.gate),
        "measure": str(outcome.gate.measure),
        "column": outcome.gate.slice.column,
        "group": outcome.gate.slice.group,
        "margin": outcome.gate.margin,
        "tested": outcome.gate.tested_quantity,
        "run": outcome.run,
        "outcome": outcome.outcome,
        "unchanged": outcome.is_unchanged,
        "sentence": gate_sentence(outcome),
        "queries": outcome.queries,
        "differing": outcome.differing,
        "score": outcome.score,
        "baseline_score": outcome.baseline_score,
        "difference": outcome.difference,
        "low": outcome.low,
        "high": outcome.high,
        "inner_low": outcome.inner_low,
        "inner_high": outcome.inner_high,
        "p_corrected": outcome.p_corrected,
        "smallest_loss_shown": outcome.smallest_loss,
        "chance_to_fail_at_twice_the_margin": outcome.failure_chance_at_twice_margin,
    }


def _floor_record(outcome: FloorOutcome) -> dict[str, Any]:
    return {
        "floor": str(outcome.floor),
        "shown": outcome.floor.by_bound,
        "run": outcome.run,
        "outcome": outcome.outcome,
        "sentence": floor_finding(outcome),
        "queries": outcome.queries,
        "score": outcome.score,
        "end": outcome.end,
    }


def _overlap_record(outcome: OverlapOutcome) -> dict[str, Any]:
    return {
        "overlap": str(outcome.condition),
        "run": outcome.run,
        "outcome": outcome.outcome,
        "sentence": overlap_finding(outcome),
        "queries": len(outcome.query_ids),
        "share": outcome.mean,
        "rbo": float(outcome.rbo.mean()),
        "most_changed": [
            {"query_id": query_id, "share": share, "rbo": rbo}
            for query_id, share, rbo in outcome.most_changed_queries(MAX_SHOWN)
        ],
    }


def _unanswered_queries_record(unanswered: UnansweredQueries) -> dict[str, Any]:
    return {
        "run": unanswered.run,
        "queries": len(unanswered.query_ids),
        "judged": unanswered.judged,
        "sentence": unanswered.sentence,
        "query_ids": list(unanswered.query_ids),
    }


def _broken_queries_record(broken: BrokenQueries) -> dict[str, Any]:
    return {
        "gate": str(broken.outcome.gate),
        "run": broken.outcome.run,
        "lost": broken.lost,
        "changed": broken.changed,
        "worst": [
            {
                "query_id": row.query_id,
                "baseline_score": row.baseline_score,
                "score": row.score,
                "kind": row.kind,
            }
            for row in broken.rows
        ],
        "command": broken.command,
    }


class _Case(NamedTuple):
    """A test case for JUnit: its name, its outcome, a sentence, and the text below the sentence."""

    name: str
    outcome: str
    sentence: str
    below: str = ""


_UNANSWERED = "unanswered"
_SKIPPED = {CANNOT_TELL, NO_QUERY_LOST, _UNANSWERED}


def format_junit(report: GateReport) -> str:
    """Format one JUnit test case for each gate, floor and overlap of each run.

    Inconclusive cases are reported as skipped, unless the options make them fail. Changes since a
    snapshot are a separate case. Each run without results for some of the queries is also a
    separate case, which is reported as skipped."""
    cases = list(_make_test_cases(report))
    failing = {WORSE_RUN, BELOW} | ({CANNOT_TELL} if report.fail_unclear else set())
    failed = [case for case in cases if case.outcome in failing]
    skipped = [c for c in cases if c.outcome in _SKIPPED - failing]
    suite = ElementTree.Element(
        "testsuite",
        name="ranklens",
        tests=str(len(cases)),
        failures=str(len(failed)),
        skipped=str(len(skipped)),
    )
    for case in cases:
        element = ElementTree.SubElement(
            suite, "testcase", classname="ranklens.gate", name=w.escape_controls(case.name)
        )
        tag = "failure" if case in failed else "skipped" if case in skipped else "system-out"
        result = ElementTree.SubElement(element, tag)
        result.text = w.escape_controls_in_lines(
            "\n".join(part for part in (case.sentence, case.below) if part)
        )
        if tag != "system-out":
            result.set("message", w.escape_controls(case.sentence))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=False) + "\n"


def _make_test_cases(report: GateReport) -> Iterator[_Case]:
    for unanswered in report.unanswered:
        yield _Case(
            f"every judged query has results ({unanswered.run})", _UNANSWERED, unanswered.sentence
        )
    if report.changes:
        outcome = "held" if report.allow_changed else BELOW
        yield _Case("nothing changed since the snapshot", outcome, " ".join(report.changes))
    query_sentences = {
        id(broken.outcome): broken.sentence for broken in report.broken if broken.rows
    }
    for gate_outcome in report.outcomes:
        ratio = "typical ratio, " if gate_outcome.gate.is_ratio else ""
        name = f"{gate_outcome.gate} ({ratio}{gate_outcome.run})"
        yield _Case(
            name,
            gate_outcome.effective_outcome,
            gate_sentence(gate_outcome),
            query_sentences.get(id(gate_outcome), ""),
        )
    for floor in report.floors:
        prefix = "shown: " if floor.floor.by_bound else ""
        name = f"{prefix}{floor.floor} ({floor.run})"
        yield _Case(name, floor.outcome, floor_finding(floor))
    for overlap in report.overlaps:
        yield _Case(f"{overlap.overlap} ({overlap.run})", overlap.outcome, overlap_finding(overlap))
