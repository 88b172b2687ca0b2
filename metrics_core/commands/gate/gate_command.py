"""The gate of `metrics_core compare`: read, judged by its rules, told, and ended with a status."""

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
from metrics_core.base.whole_files import encoded, replace_file
from metrics_core.checks.snapshots import Snapshot, fingerprint
from metrics_core.commands import CommandResult
from metrics_core.commands.gate.markdown import github, markdown
from metrics_core.commands.gate.options import GATE_FORMATS, GateOptions
from metrics_core.commands.gate.reading import read_for, refuse_snapshot
from metrics_core.commands.gate.records import json_text, junit
from metrics_core.commands.gate.terminal import table
from metrics_core.commands.gate.updating import updated
from metrics_core.commands.own_columns import shown_and_file
from metrics_core.commands.reading import queries_given, runs_read, say
from metrics_core.findings.gate_queries import BrokenQueries
from metrics_core.findings.gate_report import (
    Compared,
    GateConditions,
    GateReport,
    gate_report,
    overlaps_of,
)
from metrics_core.findings.snapshots import changes_findings
from metrics_core.scoring.scores import Scores
from metrics_core.tables import Queries

FORMATS: dict[str, Callable[[GateReport], str]] = {
    "table": table,
    "markdown": markdown,
    "github": github,
    "junit": junit,
    "json": json_text,
}


def gated(options: GateOptions) -> CommandResult:
    """The outcome of all that is asked, in the format that is, and the exit status; reports are
    written before. Beside GitHub's annotations stands the step's summary, where its runner has a
    place for one. Raises RanklensError."""
    reports = _reports(options)
    asked = GateConditions.of(options.gates, options.floors, options.floors_shown, options.overlaps)
    report = _report(asked, options) if asked.measures else _of_lists(asked, options)
    for format, path in reports:
        replace_file(path, FORMATS[format](report))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and "github" in (options.format, *(format for format, _ in reports)):
        before = Path(summary).read_bytes() if Path(summary).exists() else b""
        replace_file(summary, before + encoded(FORMATS["markdown"](report), summary))
    return CommandResult(FORMATS[options.format](report), report.status)


def _reports(options: GateOptions) -> list[tuple[str, str]]:
    """Format and file of each report. Raises RanklensError before anything is read."""
    if options.format not in GATE_FORMATS:
        listed = w.listing(GATE_FORMATS, "or")
        raise RanklensError(f"A gate has no {options.format} output.", f"Use {listed}.")
    found = []
    for text in options.reports:
        format, equals, path = text.partition("=")
        if not (equals and path) or format not in GATE_FORMATS:
            raise ParameterError(
                f"{text!r} is not a report.",
                f"Write FORMAT=FILE, such as markdown=comment.md; formats: {', '.join(FORMATS)}.",
            )
        found.append((format, path))
    return found


def _report(asked: GateConditions, options: GateOptions) -> GateReport:
    if options.measures:
        say("--measure", [Note("unused", "not needed; gates name their own measures")])
    compared, files = read_for(asked, options)
    report = gate_report(
        asked,
        compared,
        partial(_queries, options, asked),
        fail_unclear=options.if_unclear == "fail",
    )
    report = replace(
        report,
        broken=[_with_command(broken, files, options) for broken in report.broken],
        changes=_changes(compared, options),
        allow_changed=options.allow_changed,
        files=_fingerprints(compared.runs, files, options, compared.snapshot),
    )
    return replace(report, kept=updated(report, compared, options))


def _queries(options: GateOptions, asked: GateConditions, scores: Scores) -> Queries | None:
    of_queries = any(one.column for one in asked.slices)
    given = options.queries or (of_queries and options.collection)
    return queries_given(scores.query_ids, options, "A gate") if given else None


def _of_lists(asked: GateConditions, options: GateOptions) -> GateReport:
    """What is told of lists alone, without judgments."""
    refuse_snapshot(options)
    read = runs_read(options)
    files = {one.name: one.file for one in read}
    names = list(files)
    overlaps = overlaps_of([one.run for one in read], asked)
    return GateReport(
        baseline=names[0],
        runs=names[1:],
        queries=len(overlaps[0].query_ids),
        fail_unclear=options.if_unclear == "fail",
        files=_fingerprints(names[1:], files, options),
        overlaps=overlaps,
    )


def _changes(compared: Compared, options: GateOptions) -> list[str]:
    """What changed since the snapshot."""
    snapshot = compared.snapshot
    if snapshot is None:
        return []
    name = Path(str(options.baseline)).name
    queries = fingerprint(options.queries or "")
    origin = snapshot.origin
    if queries and origin.queries and queries != origin.queries:
        message = f"{Path(str(options.queries)).name} differs from the queries file of the snapshot"
        say("--queries", [Note("changed", f"{message}; query groups come from the current file")])
    if origin.version != __version__:
        say(name, [Note("version", f"made with Ranklens {origin.version}")])
    return changes_findings(compared.changes, name, compared.scores.n_queries)


def _named(path: str) -> tuple[str, str]:
    """What is shown of a file, with the run in it, and the beginning of its hash."""
    shown, file = shown_and_file(path)
    return shown, fingerprint(file)


def _with_command(
    broken: BrokenQueries, files: Mapping[str, str], options: GateOptions
) -> BrokenQueries:
    """The same with the command that shows the worst query."""
    if not broken.rows:
        return broken
    found = broken.found
    named = [*options.judgments, files[found.baseline], files[found.run]]
    asked = ["-m", str(found.gate.measure), "--query", broken.rows[0].query_id]
    command = shlex.join(["python", "-m", "metrics_core", "explain", *named, *asked])
    return replace(broken, command=command)


def _fingerprints(
    runs: Sequence[str],
    files: Mapping[str, str],
    options: GateOptions,
    snapshot: Snapshot | None = None,
) -> list[tuple[str, str, str]]:
    """What each file is, its name and the beginning of its hash; only of files. A snapshot stands
    for the run that it was made of."""
    listed = [*(("run", files[run]) for run in runs), ("qrels", options.qrels)]
    told = [(what, *_named(path)) for what, path in listed]
    if snapshot is None:
        told.insert(0, ("baseline", *_named(options.baseline or "")))
    else:
        told.insert(0, ("baseline", Path(snapshot.origin.file).name, snapshot.origin.fingerprint))
    return [one for one in told if one[2]]
