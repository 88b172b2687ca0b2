"""The outcome of a gate for programs: JSON, and the JUnit XML that pipelines show as tests."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.etree import ElementTree

from metrics_core.base import wording as w
from metrics_core.base.version import __version__
from metrics_core.commands.gate.terminal import MOST_SHOWN
from metrics_core.comparing.gates import BELOW, NO_QUERY_LOST, FloorOutcome, GateOutcome
from metrics_core.comparing.verdicts import CANNOT_TELL, WORSE_RUN
from metrics_core.explaining.overlap import OverlapOutcome
from metrics_core.findings.gate_queries import BrokenQueries, UnansweredQueries
from metrics_core.findings.gate_report import GateReport
from metrics_core.findings.gates import floor_finding, gate_told, overlap_finding

SCHEMA = 1
"""The version of the JSON, which grows where something is left out or means something else."""


def json_text(report: GateReport) -> str:
    """All of it, with every decimal; what is undefined is null. docs/ci.md names the fields."""
    told = {
        "schema": SCHEMA,
        "ranklens": __version__,
        "status": report.status,
        "if_unclear": "fail" if report.fail_unclear else "pass",
        "baseline": report.baseline,
        "label": report.label,
        "runs": list(report.runs),
        "queries": report.queries,
        "compared_together": report.tested,
        "unanswered": [_unanswered(one) for one in report.unanswered],
        "changes": list(report.changes),
        "changes_allowed": report.allow_changed,
        "not_compared": list(report.uncompared),
        "gates": [_gate(found) for found in report.outcomes],
        "floors": [_floor(found) for found in report.floors],
        "overlaps": [_overlap(found) for found in report.overlaps],
        "broken": [_broken(found) for found in report.broken],
        "below_best": list(report.below_best),
        "files": [{"what": a, "name": b, "sha256": c} for a, b, c in report.files],
    }
    return json.dumps(_defined(told), ensure_ascii=False, indent=1) + "\n"


def _defined(value: Any) -> Any:
    """The same with null for what is undefined."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _defined(own) for key, own in value.items()}
    return [_defined(own) for own in value] if isinstance(value, list) else value


def _gate(found: GateOutcome) -> dict[str, Any]:
    return {
        "gate": str(found.gate),
        "measure": str(found.gate.measure),
        "column": found.gate.slice.column,
        "group": found.gate.slice.group,
        "margin": found.gate.margin,
        "run": found.run,
        "outcome": found.outcome,
        "unchanged": found.unchanged,
        "sentence": gate_told(found),
        "queries": found.queries,
        "differing": found.differing,
        "score": found.score,
        "baseline_score": found.baseline_score,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "inner_low": found.inner_low,
        "inner_high": found.inner_high,
        "p_corrected": found.p_corrected,
        "smallest_loss_shown": found.smallest,
        "chance_to_fail_at_twice_the_margin": found.chance,
    }


def _floor(found: FloorOutcome) -> dict[str, Any]:
    return {
        "floor": str(found.floor),
        "shown": found.floor.shown,
        "run": found.run,
        "outcome": found.outcome,
        "sentence": floor_finding(found),
        "queries": found.queries,
        "score": found.score,
        "end": found.end,
    }


def _overlap(found: OverlapOutcome) -> dict[str, Any]:
    return {
        "overlap": str(found.overlap),
        "run": found.run,
        "outcome": found.outcome,
        "sentence": overlap_finding(found),
        "queries": len(found.query_ids),
        "share": found.mean,
        "rbo": found.mean_rbo,
        "most_changed": [
            {"query_id": query_id, "share": share, "rbo": rbo}
            for query_id, share, rbo in found.most_changed(MOST_SHOWN)
        ],
    }


def _unanswered(one: UnansweredQueries) -> dict[str, Any]:
    return {
        "run": one.run,
        "queries": len(one.query_ids),
        "judged": one.judged,
        "sentence": one.sentence,
        "query_ids": list(one.query_ids),
    }


def _broken(broken: BrokenQueries) -> dict[str, Any]:
    return {
        "gate": str(broken.found.gate),
        "run": broken.found.run,
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
    """A case: its name, what was found of it, the sentence, and what stands below it."""

    name: str
    outcome: str
    sentence: str
    below: str = ""


_UNANSWERED = "unanswered"
_SKIPPED = {CANNOT_TELL, NO_QUERY_LOST, _UNANSWERED}


def junit(report: GateReport) -> str:
    """A case for each gate, floor and overlap of each run; what cannot be told is skipped, unless
    it fails. What changed since a snapshot is a case of its own, and so are queries without
    results, which are skipped."""
    cases = list(_cases(report))
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
        own = ElementTree.SubElement(
            suite, "testcase", classname="ranklens.gate", name=w.visible(case.name)
        )
        tag = "failure" if case in failed else "skipped" if case in skipped else "system-out"
        told = ElementTree.SubElement(own, tag)
        told.text = w.visible_lines("\n".join(part for part in (case.sentence, case.below) if part))
        if tag != "system-out":
            told.set("message", w.visible(case.sentence))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=False) + "\n"


def _cases(report: GateReport) -> Iterator[_Case]:
    for one in report.unanswered:
        yield _Case(f"every judged query has results ({one.run})", _UNANSWERED, one.sentence)
    if report.changes:
        outcome = "held" if report.allow_changed else BELOW
        yield _Case("nothing changed since the snapshot", outcome, " ".join(report.changes))
    below = {id(broken.found): broken.sentence for broken in report.broken if broken.rows}
    for found in report.outcomes:
        name = f"{found.gate} ({found.run})"
        yield _Case(name, found.counts_as, gate_told(found), below.get(id(found), ""))
    for floor in report.floors:
        shown = "shown: " if floor.floor.shown else ""
        name = f"{shown}{floor.floor} ({floor.run})"
        yield _Case(name, floor.outcome, floor_finding(floor))
    for overlap in report.overlaps:
        yield _Case(f"{overlap.overlap} ({overlap.run})", overlap.outcome, overlap_finding(overlap))
