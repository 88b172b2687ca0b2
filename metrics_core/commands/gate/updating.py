"""What becomes of a snapshot that a gate compares with: `--update` writes the run over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.whole_files import replace_file
from metrics_core.checks.judgment_marks import marks_of
from metrics_core.checks.snapshots import Snapshot, beside, changes_since, snapshot_of, text_of
from metrics_core.commands.gate.options import GateOptions
from metrics_core.commands.snapshot import origin_of
from metrics_core.comparing.gates import (
    CHANGED,
    EVERY_QUERY,
    HELD,
    NOT_WORSE,
    Gate,
    GateOutcome,
    gate_outcomes,
)
from metrics_core.findings.gate_report import Compared, GateReport
from metrics_core.findings.gates import about
from metrics_core.scoring.scores import Scores, score_runs


def updated(report: GateReport, compared: Compared, options: GateOptions) -> Sequence[str]:
    """Write the run over the snapshot where that is asked for and nothing is against it; returns
    what became of it."""
    path, snapshot = str(options.baseline), compared.snapshot
    if not options.update or snapshot is None:
        return report.kept
    if len(compared.runs) > 1:
        return [f"{path} was not changed: --update takes a single run."]
    if report.status == CHANGED:
        return [f"{path} was not changed: judgments, queries or measures changed."]
    if not report.outcomes or report.status or not set(report.words) <= {NOT_WORSE, HELD}:
        return [f"{path} was not changed: --update needs gates that show the run is not worse."]
    asked = [*compared.scores.measures, *compared.changes.uncompared]
    measures = [*snapshot.measures, *(m for m in asked if m not in snapshot.measures)]
    ranks = compared.judged[compared.runs[0]]
    scores = score_runs([ranks], measures, without_relevant=options.without_relevant)
    lost = [] if options.accept_loss else _significant_losses(report, compared, snapshot, scores)
    if lost:
        return [
            f"{path} was not changed: the run is significantly worse, {w.listing(lost)}. Add"
            " --accept-loss to update anyway."
        ]
    origin = origin_of(options, options.label)
    origin = replace(origin, queries=origin.queries or snapshot.origin.queries)
    made = snapshot_of(scores, compared.qrels, origin, snapshot)
    replace_file(path, text_of(made))
    told = [f"{path} now contains the scores of this run."]
    if snapshot.origin.label and not options.label:
        told.append(f"Its label {snapshot.origin.label!r} was removed; set a new one with --label.")
    return [" ".join(told)]


def _significant_losses(
    report: GateReport, compared: Compared, snapshot: Snapshot, scores: Scores
) -> list[str]:
    """Each significant loss, by the gates and by all measures of the snapshot, also those without a
    gate: "AP by 0.020"."""
    changes = changes_since(snapshot, marks_of(compared.qrels), scores.measures)
    both = beside(snapshot, scores, changes)
    every = {EVERY_QUERY: np.ones(both.n_queries, dtype=np.bool_)}
    gates = [Gate(measure, 1.0) for measure in both.measures]
    outcomes = [*report.outcomes, *gate_outcomes(both, gates, every, both.runs[0])]
    losses = {about(o.gate): _loss(o) for o in outcomes if o.found and o.loss > 0}
    return list(losses.values())


def _loss(found: GateOutcome) -> str:
    return f"{about(found.gate)} by {w.score(found.loss, w.decimals(found.low, found.high))}"
