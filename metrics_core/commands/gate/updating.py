"""Update the snapshot that a gate compares with (`--update`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.whole_files import replace_file
from metrics_core.checks.judgment_marks import hash_judgments
from metrics_core.checks.snapshot_changes import find_changes, join_snapshot
from metrics_core.checks.snapshots import Snapshot, format_snapshot, make_snapshot
from metrics_core.commands.gate.options import GateOptions
from metrics_core.commands.snapshot import make_origin
from metrics_core.comparing.gate_conditions import EVERY_QUERY, Gate
from metrics_core.comparing.gates import CHANGED, HELD, NOT_WORSE, GateOutcome, evaluate_gates
from metrics_core.findings.gate_report import GateComparison, GateReport
from metrics_core.findings.gates import describe_ratio_outcome, describe_target
from metrics_core.scoring.scores import Scores, score_runs


def update_snapshot(
    report: GateReport, compared: GateComparison, options: GateOptions
) -> Sequence[str]:
    """Overwrite the snapshot with the scores of the run if this is requested and allowed.

    Returns sentences that say what was done, or why the snapshot is unchanged."""
    path, snapshot, qrels = str(options.baseline), compared.snapshot, compared.qrels
    if not options.update or snapshot is None or qrels is None:
        return report.baseline_notes
    if len(compared.runs) > 1:
        return [f"{path} was not changed, because --update accepts only a single run."]
    if report.status == CHANGED:
        return [f"{path} was not changed, because judgments, queries or measures changed."]
    if not report.outcomes or report.status or not set(report.words) <= {NOT_WORSE, HELD}:
        return [
            f"{path} was not changed, because --update requires at least one gate, and every gate"
            " must show that the run is not worse."
        ]
    compared_measures = [*compared.scores.measures, *compared.changes.incomparable_measures]
    measures = [*snapshot.measures, *(m for m in compared_measures if m not in snapshot.measures)]
    ranks = compared.judged[compared.runs[0]]
    scores = score_runs([ranks], measures, without_relevant=options.without_relevant)
    losses = (
        []
        if options.accept_loss
        else _significant_losses(report, hash_judgments(qrels), snapshot, scores)
    )
    if losses:
        return [
            f"{path} was not changed, because the run is significantly worse"
            f" ({w.join_words(losses)}). Add --accept-loss to update anyway."
        ]
    origin = make_origin(options, options.label)
    origin = replace(origin, queries=origin.queries or snapshot.origin.queries)
    new_snapshot = make_snapshot(scores, qrels, origin, snapshot)
    replace_file(path, format_snapshot(new_snapshot))
    sentences = [f"{path} now contains the scores of this run."]
    if snapshot.origin.label and not options.label:
        sentences.append(
            f"The label {snapshot.origin.label!r} of the snapshot was removed; set a new one with"
            " --label."
        )
    return [" ".join(sentences)]


def _significant_losses(
    report: GateReport, marks: Mapping[str, str], snapshot: Snapshot, scores: Scores
) -> list[str]:
    """Return the significant losses, such as "AP by 0.020".

    These are losses on the gates and on all measures of the snapshot, whether or not a gate tests
    the measure."""
    changes = find_changes(snapshot, marks, scores.measures)
    common_scores = join_snapshot(snapshot, scores, changes)
    all_queries = {EVERY_QUERY: np.ones(common_scores.n_queries, dtype=np.bool_)}
    gates = [Gate(measure, 1.0) for measure in common_scores.measures]
    outcomes = [
        *report.outcomes,
        *evaluate_gates(common_scores, gates, all_queries, common_scores.runs[0]),
    ]
    losses = {
        describe_target(o.gate): _describe_loss(o)
        for o in outcomes
        if o.is_significant and o.loss > 0
    }
    return list(losses.values())


def _describe_loss(outcome: GateOutcome) -> str:
    if outcome.gate.is_ratio:
        return describe_ratio_outcome(outcome)
    return (
        f"{describe_target(outcome.gate)} by"
        f" {w.format_score(outcome.loss, w.interval_decimals(outcome.low, outcome.high))}"
    )
