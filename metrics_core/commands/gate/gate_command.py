"""Run the gate of `metrics_core compare`: read the input, evaluate the conditions, write the
reports."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from metrics_core.base import wording as w
from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.base.notes import Note
from metrics_core.base.version import __version__
from metrics_core.base.whole_files import encode_text, replace_file
from metrics_core.checks.snapshots import Snapshot, file_fingerprint
from metrics_core.commands import CommandResult
from metrics_core.commands.file_columns import split_name_and_file
from metrics_core.commands.gate.markdown import format_github, format_markdown
from metrics_core.commands.gate.options import GATE_FORMATS, GateOptions
from metrics_core.commands.gate.reading import (
    read_gate_comparison,
    read_given_comparison,
    refuse_snapshot_baseline,
)
from metrics_core.commands.gate.records import format_json, format_junit
from metrics_core.commands.gate.terminal import format_terminal_report
from metrics_core.commands.gate.updating import update_snapshot
from metrics_core.commands.reading import print_notes, read_complete_runs, read_needed_queries
from metrics_core.findings.gate_queries import BrokenQueries
from metrics_core.findings.gate_report import (
    GateComparison,
    GateConditions,
    GateReport,
    compute_overlaps,
    gate_report,
)
from metrics_core.findings.snapshots import describe_snapshot_changes
from metrics_core.scoring.scores import Scores
from metrics_core.tables import Queries

FORMATS: dict[str, Callable[[GateReport], str]] = {
    "table": format_terminal_report,
    "markdown": format_markdown,
    "github": format_github,
    "junit": format_junit,
    "json": format_json,
}


def run_gate(options: GateOptions) -> CommandResult:
    """Evaluate all conditions, write the reports, and return the outcome with the exit status.

    With the format "github", the Markdown report is also appended to the step summary if
    GITHUB_STEP_SUMMARY is set. Raises RanklensError.
    """
    reports = _parse_report_options(options)
    report = _build_report(options)
    for format, path in reports:
        replace_file(path, FORMATS[format](report))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and "github" in (options.format, *(format for format, _ in reports)):
        existing = Path(summary).read_bytes() if Path(summary).exists() else b""
        replace_file(summary, existing + encode_text(FORMATS["markdown"](report), summary))
    return CommandResult(FORMATS[options.format](report), report.status)


def _parse_report_options(options: GateOptions) -> list[tuple[str, str]]:
    """Return the format and the file of each report. Raises RanklensError before any input is
    read."""
    if options.format not in GATE_FORMATS:
        listed = w.join_words(GATE_FORMATS, "or")
        raise RanklensError(
            f"The result of a gate cannot be written as {options.format}.", f"Use {listed}."
        )
    reports = []
    for text in options.reports:
        format, equals, path = text.partition("=")
        if not (equals and path) or format not in GATE_FORMATS:
            raise ParameterError(
                f"{text!r} is not a valid report option.",
                f"Write FORMAT=FILE, such as markdown=comment.md; formats: {', '.join(FORMATS)}.",
            )
        reports.append((format, path))
    return reports


def _build_report(options: GateOptions) -> GateReport:
    files: Mapping[str, str] = {}
    if options.scores:
        conditions, compared = read_given_comparison(options)
        fingerprints = [("scores", *_name_and_hash(path)) for path in options.scores]
    else:
        conditions = GateConditions.from_texts(
            options.gates, options.floors, options.floors_shown, options.overlaps
        )
        if not conditions.measures:
            return _build_overlap_report(conditions, options)
        if options.measures:
            note = Note("unused", "not needed, because each gate names its own measure")
            print_notes("--measure", [note])
        compared, files = read_gate_comparison(conditions, options)
        fingerprints = _fingerprints(compared.runs, files, options, compared.snapshot)
    report = gate_report(
        conditions,
        compared,
        partial(_read_queries, options, conditions),
        fails_if_unclear=options.if_unclear == "fail",
    )
    report = replace(
        report,
        broken=[_add_explain_command(broken, files, options) for broken in report.broken],
        changes=_describe_changes(compared, options),
        allow_changed=options.allow_changed,
        files=fingerprints,
    )
    return replace(report, baseline_notes=update_snapshot(report, compared, options))


def _read_queries(
    options: GateOptions, conditions: GateConditions, scores: Scores
) -> Queries | None:
    uses_queries = any(query_slice.column for query_slice in conditions.slices)
    source = options.queries or (uses_queries and options.collection)
    return read_needed_queries(scores.query_ids, options, "A gate") if source else None


def _build_overlap_report(conditions: GateConditions, options: GateOptions) -> GateReport:
    """Return the report of a gate whose conditions are all on overlaps. Such a gate needs no
    judgments."""
    refuse_snapshot_baseline(options)
    loaded_runs = read_complete_runs(options)
    files = {loaded_run.name: loaded_run.file for loaded_run in loaded_runs}
    names = list(files)
    overlaps = compute_overlaps([loaded_run.run for loaded_run in loaded_runs], conditions)
    return GateReport(
        baseline=names[0],
        runs=names[1:],
        queries=len(overlaps[0].query_ids),
        fail_unclear=options.if_unclear == "fail",
        files=_fingerprints(names[1:], files, options),
        overlaps=overlaps,
    )


def _describe_changes(compared: GateComparison, options: GateOptions) -> list[str]:
    """Return sentences on the changes since the snapshot.

    Two differences are only printed as notes: another version of Ranklens, and another queries
    file."""
    snapshot = compared.snapshot
    if snapshot is None:
        return []
    name = Path(str(options.baseline)).name
    queries = file_fingerprint(options.queries or "")
    origin = snapshot.origin
    if queries and origin.queries and queries != origin.queries:
        message = f"{Path(str(options.queries)).name} differs from the queries file of the snapshot"
        print_notes(
            "--queries",
            [Note("changed", f"{message}; the query groups of the current file are used")],
        )
    if origin.version != __version__:
        print_notes(name, [Note("version", f"made with Ranklens {origin.version}")])
    n_queries, is_given = compared.scores.n_queries, compared.qrels is None
    return describe_snapshot_changes(compared.changes, name, n_queries, is_given=is_given)


def _name_and_hash(path: str) -> tuple[str, str]:
    """Return the name of a file and the beginning of its hash. If the path names a run in the file,
    the name includes this run."""
    name, file = split_name_and_file(path)
    return name, file_fingerprint(file)


def _add_explain_command(
    broken: BrokenQueries, files: Mapping[str, str], options: GateOptions
) -> BrokenQueries:
    """Return the broken queries with the command that explains the worst of them. Scores that
    another tool computed have no `files` and no such command."""
    if not (broken.rows and files):
        return broken
    outcome = broken.outcome
    file_arguments = [*options.judgments, files[outcome.baseline], files[outcome.run]]
    query_options = ["-m", str(outcome.gate.measure), "--query", broken.rows[0].query_id]
    command = shlex.join(["metrics-core", "explain", *file_arguments, *query_options])
    return replace(broken, command=command)


def _fingerprints(
    runs: Sequence[str],
    files: Mapping[str, str],
    options: GateOptions,
    snapshot: Snapshot | None = None,
) -> list[tuple[str, str, str]]:
    """Return the role, the name and the beginning of the hash of each input that is a file.

    For a baseline that is a snapshot, the name and the hash refer to the run from which the
    snapshot was made."""
    listed = [*(("run", files[run]) for run in runs), ("qrels", options.qrels)]
    fingerprints = [(kind, *_name_and_hash(path)) for kind, path in listed]
    if snapshot is None:
        fingerprints.insert(0, ("baseline", *_name_and_hash(options.baseline or "")))
    else:
        fingerprints.insert(
            0, ("baseline", Path(snapshot.origin.file).name, snapshot.origin.fingerprint)
        )
    return [entry for entry in fingerprints if entry[2]]
