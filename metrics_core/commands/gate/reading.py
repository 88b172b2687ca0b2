"""Read the input of a gate: the runs, and the snapshot if the baseline is a snapshot."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from metrics_core.base.errors import RanklensError
from metrics_core.checks.snapshots import (
    is_snapshot,
    read_given_snapshot,
    read_snapshot,
    refuse_changed_reading_options,
)
from metrics_core.commands.gate.options import GateOptions
from metrics_core.commands.reading import (
    nothing_to_compare_error,
    read_files_with_runs,
    read_judged_files,
    score_files,
)
from metrics_core.commands.scores_option import read_all_scores
from metrics_core.commands.snapshot import scoring_choices
from metrics_core.comparing.gate_conditions import declare_directions, find_gated_measure_names
from metrics_core.findings.gate_report import (
    GateComparison,
    GateConditions,
    compare_with_snapshot,
)


def read_gate_comparison(
    conditions: GateConditions, options: GateOptions
) -> tuple[GateComparison, Mapping[str, str]]:
    """Return the scores of the baseline and the runs, and a mapping from run names to file paths.

    Raises RanklensError for invalid input or options."""
    options = replace(options, measures=conditions.measures)
    if conditions.overlaps:
        refuse_snapshot_baseline(options)
    _refuse_missing_snapshot(options)
    if options.baseline is not None and is_snapshot(options.baseline):
        return _read_snapshot_comparison(options.baseline, options, conditions)
    if options.update:
        raise RanklensError(
            f"--update needs a snapshot as baseline, but {options.baseline} is not a snapshot.",
            "Create one: metrics-core snapshot QRELS RUN -o baseline.json.",
        )
    files = (read_files_with_runs if conditions.overlaps else read_judged_files)(options)
    scores = score_files(files, options)
    by_name = dict(zip(scores.runs, files.judged, strict=True))
    compared = GateComparison(scores, scores.runs[0], by_name, files.qrels, files.runs)
    return compared, files.files


def read_given_comparison(options: GateOptions) -> tuple[GateConditions, GateComparison]:
    """Return the conditions and the scores of a gate on scores from another tool (`--scores`).

    The comparison signs of the conditions declare whether higher or lower values of a measure are
    better. The option for the baseline names a run or a snapshot; the default is the first run.
    Raises RanklensError."""
    if options.overlaps or options.update:
        raise RanklensError(
            "--scores cannot be combined with --overlap or --update.",
            "To check overlaps, run a gate on the runs. To make a snapshot, use the command"
            " `snapshot`.",
        )
    texts = [*options.gates, *options.floors, *options.floors_shown]
    scores = read_all_scores(replace(options, measures=find_gated_measure_names(texts)))
    scores = declare_directions(scores, texts)
    conditions = GateConditions.from_texts(
        options.gates, options.floors, options.floors_shown, measures=scores.measures
    )
    if options.baseline and is_snapshot(options.baseline):
        if not options.has_only_scores:
            raise RanklensError(
                f"{options.baseline} is a snapshot, which contains either computed scores or scores"
                " from --scores, but not both.",
                "Run two gates: one with --scores alone, one without.",
            )
        snapshot = read_given_snapshot(options.baseline, scores.measures)
        name = Path(options.baseline).name
        return conditions, compare_with_snapshot(snapshot, name, (), None, scores, conditions)
    is_named = options.has_only_scores and options.baseline
    baseline = str(options.baseline) if is_named else scores.runs[0]
    scores.position(baseline)
    if len(scores.runs) < 2:
        raise nothing_to_compare_error(baseline)
    return conditions, GateComparison(scores, baseline)


def _read_snapshot_comparison(
    path: str, options: GateOptions, conditions: GateConditions
) -> tuple[GateComparison, Mapping[str, str]]:
    """Read the runs and the snapshot that they are compared with.

    Raises RanklensError if nothing can be compared, or if the snapshot was made with other reading
    choices."""
    snapshot = read_snapshot(path)
    files = read_judged_files(replace(options, baseline=None))
    refuse_changed_reading_options(path, snapshot, scoring_choices(options))
    scores = score_files(files, options)
    compared = compare_with_snapshot(
        snapshot, Path(path).name, files.judged, files.qrels, scores, conditions
    )
    return compared, {**files.files, compared.baseline: snapshot.origin.file}


def _refuse_missing_snapshot(options: GateOptions) -> None:
    """Raise RanklensError if the baseline names a snapshot that does not exist. The hint says how
    to create it."""
    path = options.baseline or ""
    if path.endswith(".json") and not Path(path).exists():
        output_options = ["-o", path, "-m", ",".join(options.measures or ())]
        command = shlex.join(
            ["metrics-core", "snapshot", *options.judgments, "RUN", *output_options]
        )
        raise RanklensError(f"The baseline {path} does not exist.", f"Create it: {command}")


def refuse_snapshot_baseline(options: GateOptions) -> None:
    """Raise RanklensError if the baseline is a snapshot, because a snapshot has no result lists."""
    if options.baseline is not None and is_snapshot(options.baseline):
        raise RanklensError(
            f"--overlap needs result lists, but {options.baseline} is a snapshot and has none.",
            "Use the baseline's run instead.",
        )
