"""The gate of `metrics_core compare`: read, judged by its rules, told, and ended with a status."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from metrics_core import __version__
from metrics_core.base import wording as w
from metrics_core.base.errors import ParameterError, RanklensError, did_you_mean
from metrics_core.base.notes import Note
from metrics_core.checks.snapshots import (
    snapshot_of,
    text_of,
)
from metrics_core.commands import Ended
from metrics_core.commands.gate_formats import FORMATS
from metrics_core.commands.gate_options import GATE_FORMATS, GateOptions
from metrics_core.commands.gate_reading import Asked, Read, files_of, read_for, refuse_snapshot
from metrics_core.commands.gate_report import BrokenQueries, BrokenQuery, GateReport, fingerprint
from metrics_core.commands.reading import queries_given, runs_read, say
from metrics_core.commands.snapshot import reading_of
from metrics_core.comparing.gates import (
    EVERY_QUERY,
    HELD,
    NOT_WORSE,
    GateOutcome,
    Mask,
    Slice,
    floor_outcomes,
    gate_outcomes,
)
from metrics_core.comparing.pairs import WORSE, differences
from metrics_core.comparing.verdicts import WORSE_RUN
from metrics_core.explaining.kinds import kinds
from metrics_core.explaining.overlap import overlap_outcomes
from metrics_core.findings.gates import ratchet_finding, worst_first
from metrics_core.findings.snapshots import changes_findings
from metrics_core.scoring.scores import Scores, score_runs
from metrics_core.tables import Queries

_WORST = 5
_TOP = 10
"""The first results, where the measure has no cutoff of its own."""


def gated(options: GateOptions) -> Ended:
    """The outcome of all that is asked, in the format that is, and the exit status; reports are
    written before. Beside GitHub's annotations stands the step's summary, where its runner has a
    place for one. Raises RanklensError."""
    reports, asked = _reports(options), Asked.of(options)
    report = _report(asked, options) if asked.measures else _of_lists(asked, options)
    for format, path in reports:
        Path(path).write_text(FORMATS[format](report), encoding="utf-8")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and "github" in (options.format, *(format for format, _ in reports)):
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(FORMATS["markdown"](report))
    return Ended(FORMATS[options.format](report), report.status)


def _reports(options: GateOptions) -> list[tuple[str, str]]:
    """Format and file of each report. Raises RanklensError before anything is read."""
    if options.format not in GATE_FORMATS:
        listed = w.listing(GATE_FORMATS, "or")
        raise RanklensError(f"A gate is not printed as {options.format}.", f"Use {listed}.")
    found = []
    for text in options.reports:
        format, equals, path = text.partition("=")
        if not (equals and path) or format not in GATE_FORMATS:
            raise ParameterError(
                f"{text!r} is no report.",
                f"Write FORMAT=FILE, such as markdown=comment.md; formats: {', '.join(FORMATS)}.",
            )
        found.append((format, path))
    return found


def _report(asked: Asked, options: GateOptions) -> GateReport:
    if options.measures:
        say("--measure", [Note("unused", "gates name their measures; it was not needed")])
    read = read_for(asked, options)
    asked = asked.among(read.scores.measures)
    queries = None
    if options.queries:
        queries = queries_given(read.scores.query_ids, options, "A gate")
    members = _members(asked.slices, read.scores, queries)
    outcomes = worst_first(gate_outcomes(read.scores, asked.gates, members, read.baseline))
    floors = floor_outcomes(read.scores, asked.floors, members, read.runs)
    report = GateReport(
        baseline=read.baseline,
        label=read.snapshot.label if read.snapshot else "",
        runs=read.runs,
        queries=read.scores.n_queries,
        outcomes=outcomes,
        floors=floors,
        broken=[
            _broken(found, read, members, queries, options)
            for found in outcomes
            if found.outcome == WORSE_RUN
        ],
        changes=_changes(read, options),
        allow_changed=options.allow_changed,
        fail_unclear=options.if_unclear == "fail",
        files=_fingerprints(read.runs, read.files, options),
        overlaps=overlap_outcomes(read.lists[0], read.lists[1:], asked.overlaps)
        if asked.overlaps
        else [],
    )
    return replace(report, kept=_kept(report, read, options)) if read.snapshot else report


def _of_lists(asked: Asked, options: GateOptions) -> GateReport:
    """What is told of lists alone, without judgments."""
    refuse_snapshot(options)
    runs = runs_read(options)
    names = [run.name for run in runs]
    overlaps = overlap_outcomes(runs[0], runs[1:], asked.overlaps)
    return GateReport(
        baseline=names[0],
        runs=names[1:],
        queries=len(overlaps[0].query_ids),
        outcomes=[],
        floors=[],
        broken=[],
        fail_unclear=options.if_unclear == "fail",
        files=_fingerprints(names[1:], files_of(names, options), options),
        overlaps=overlaps,
    )


def _changes(read: Read, options: GateOptions) -> list[str]:
    """What changed since the snapshot."""
    if read.snapshot is None:
        return []
    name = Path(str(options.baseline)).name
    queries = fingerprint(options.queries or "")
    if queries and read.snapshot.queries and queries != read.snapshot.queries:
        message = f"{Path(str(options.queries)).name} is another file than at the snapshot"
        say("--queries", [Note("changed", f"{message}; slices are those of now")])
    if read.snapshot.version != __version__:
        say(name, [Note("version", f"made by Ranklens {read.snapshot.version}")])
    return changes_findings(read.changes, name, read.scores.n_queries)


def _kept(report: GateReport, read: Read, options: GateOptions) -> list[str]:
    """What becomes of the snapshot, which is written anew where that is asked for and nothing is
    against it."""
    path, snapshot = str(options.baseline), read.snapshot
    if not options.update or snapshot is None:
        better = [ratchet_finding(found, path) for found in report.outcomes]
        return [text for text in better if text][:1]
    if len(read.runs) > 1:
        return [f"{path} stays as it is: --update takes one run."]
    if report.status or not set(report.words) <= {NOT_WORSE, HELD}:
        return [f"{path} stays as it is: --update writes a run that is shown to be not worse."]
    measures = [*snapshot.measures, *(m for m in read.measures if m not in snapshot.measures)]
    ranks = read.judged[read.runs[0]]
    scores = score_runs([ranks], measures, without_relevant=options.without_relevant)
    queries = fingerprint(options.queries or "") or snapshot.queries
    made = snapshot_of(
        scores,
        read.qrels,
        label=snapshot.label,
        reading=reading_of(options),
        queries=queries,
    )
    Path(path).write_text(text_of(made), encoding="utf-8")
    return [f"{path} now holds the scores of this run."]


def _members(slices: Iterable[Slice], scores: Scores, queries: Queries | None) -> dict[Slice, Mask]:
    """Which queries each slice holds. Raises RanklensError where one holds none."""
    return {asked: _inside(asked, scores, queries) for asked in (EVERY_QUERY, *slices)}


def _inside(asked: Slice, scores: Scores, queries: Queries | None) -> Mask:
    from metrics_core.slicing.breakdowns import group_of, ordered_groups

    if not asked.column:
        return np.ones(scores.n_queries, dtype=np.bool_)
    if queries is None:
        raise RanklensError(
            f"A gate on {asked} needs the queries.", "Give their file with --queries FILE."
        )
    groups = group_of(queries, scores.query_ids, asked.column)
    inside = (groups == asked.group).to_numpy(dtype=np.bool_)
    if not inside.any():
        there = ordered_groups(groups)
        near = did_you_mean(asked.group, there)
        hint = f"{near} There are: {w.named(there, all_of=12)}.".strip()
        raise RanklensError(f"No judged query has {asked.group!r} as its {asked.column}.", hint)
    return inside


def _broken(
    found: GateOutcome,
    read: Read,
    members: Mapping[Slice, Mask],
    queries: Queries | None,
    options: GateOptions,
) -> BrokenQueries:
    """The queries that a failed gate lost, the worst first."""
    gate, scores = found.gate, read.scores.among(members[found.gate.slice])
    frame = differences(scores, gate.measure, found.run, read.baseline)
    lost = frame[frame["outcome"] == WORSE]
    order = np.argsort(lost["difference"].to_numpy() * gate.direction, kind="stable")[:_WORST]
    judged = read.judged[found.run]
    kind_of = kinds(judged, gate.measure, gate.measure.cutoff or _TOP)
    place = {query_id: i for i, query_id in enumerate(judged.query_ids)}
    texts = _texts(queries)
    rows = [
        BrokenQuery(
            query_id=row["query_id"],
            text=texts.get(row["query_id"], ""),
            baseline_score=row["baseline_score"],
            score=row["score"],
            kind=kind_of[place[row["query_id"]]],
        )
        for row in lost.iloc[order].to_dict("records")
    ]
    command = _explaining(found, read, rows[0].query_id, options) if rows else ""
    return BrokenQueries(found, len(lost), rows, command)


def _texts(queries: Queries | None) -> dict[str, str]:
    """The text of each query, where there is one."""
    if queries is None or "text" not in queries.frame.columns:
        return {}
    known = queries.frame[["query_id", "text"]].dropna()
    return dict(zip(known["query_id"], known["text"].astype(str), strict=True))


def _explaining(found: GateOutcome, read: Read, query_id: str, options: GateOptions) -> str:
    """The command that shows one of the queries."""
    baseline = read.files.get(read.baseline, "BASELINE")
    files = [options.qrels, baseline, read.files[found.run]]
    asked = ["-m", str(found.gate.measure), "--query", query_id]
    return shlex.join(["python", "-m", "metrics_core", "explain", *files, *asked])


def _fingerprints(
    runs: Sequence[str], files: Mapping[str, str], options: GateOptions
) -> list[tuple[str, str, str]]:
    """What each file is, its name and the beginning of its hash; only of files."""
    listed = [("baseline", options.baseline or ""), *(("run", files[run]) for run in runs)]
    listed.append(("qrels", options.qrels))
    told = [(what, Path(path).name, fingerprint(path)) for what, path in listed]
    return [one for one in told if one[2]]
