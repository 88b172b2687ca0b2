"""The gate of `metrics_core compare`: read, judged by its rules, told, and ended with a status."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from metrics_core import __version__
from metrics_core.base import wording as w
from metrics_core.base.errors import ParameterError, RanklensError, did_you_mean
from metrics_core.base.notes import Note
from metrics_core.checks.snapshots import (
    ANEW,
    NOTHING_CHANGED,
    Changes,
    Snapshot,
    beside,
    changes_since,
    is_snapshot,
    marks_of,
    read_snapshot,
    snapshot_of,
    text_of,
)
from metrics_core.commands import Ended
from metrics_core.commands.gate_formats import FORMATS
from metrics_core.commands.gate_options import GATE_FORMATS, GateOptions
from metrics_core.commands.gate_report import BrokenQueries, BrokenQuery, GateReport, fingerprint
from metrics_core.commands.reading import judged_by, queries_given, say
from metrics_core.commands.snapshot import reading_of
from metrics_core.comparing.gates import (
    EVERY_QUERY,
    HELD,
    NOT_WORSE,
    Floor,
    Gate,
    GateOutcome,
    Mask,
    Slice,
    floor_outcomes,
    gate_outcomes,
)
from metrics_core.comparing.pairs import WORSE, differences
from metrics_core.comparing.verdicts import WORSE_RUN
from metrics_core.explaining.kinds import kinds
from metrics_core.findings.gates import ratchet_finding, worst_first
from metrics_core.findings.snapshots import changes_findings
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores, score_runs
from metrics_core.tables import Qrels, Queries

_WORST = 5
_TOP = 10
"""The first results, where the measure has no cutoff of its own."""


@dataclass(frozen=True)
class Asked:
    """The gates and floors that a command line names, of one or several runs."""

    gates: tuple[Gate, ...]
    floors: tuple[Floor, ...]

    @classmethod
    def of(cls, options: GateOptions) -> Asked:
        """Those of the options. Raises ParameterError and UnknownMeasureError."""
        floors = [Floor.of(text) for text in options.floors]
        floors += [Floor.of(text, shown=True) for text in options.floors_shown]
        gates = dict.fromkeys(Gate.of(text) for text in options.gates)
        return cls(tuple(gates), tuple(dict.fromkeys(floors)))

    def among(self, measures: Sequence[Measure]) -> Asked:
        """Those of these measures."""
        gates = tuple(gate for gate in self.gates if gate.measure in measures)
        return Asked(gates, tuple(floor for floor in self.floors if floor.measure in measures))

    @property
    def measures(self) -> list[str]:
        """The names of the measures, each once."""
        return list(dict.fromkeys(str(asked.measure) for asked in self._all))

    @property
    def slices(self) -> list[Slice]:
        """The slices, each once."""
        return list(dict.fromkeys(asked.slice for asked in self._all))

    @property
    def _all(self) -> list[Gate | Floor]:
        return [*self.gates, *self.floors]


@dataclass(frozen=True)
class Read:
    """What is compared: the scores of the baseline and of the runs, which are `judged` by name and
    stand in `files`."""

    scores: Scores
    baseline: str
    judged: Mapping[str, JudgedRanks]
    files: Mapping[str, str]
    qrels: Qrels
    measures: Sequence[Measure]
    snapshot: Snapshot | None = None
    changes: Changes = NOTHING_CHANGED

    @property
    def runs(self) -> list[str]:
        """The runs that are compared with the baseline."""
        return [run for run in self.scores.runs if run != self.baseline]


def gated(options: GateOptions) -> Ended:
    """The outcome of all that is asked, in the format that is, and the exit status; reports are
    written before. Raises RanklensError."""
    reports = _reports(options)
    report = _report(Asked.of(options), options)
    for format, path in reports:
        Path(path).write_text(FORMATS[format](report), encoding="utf-8")
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
    read = _read(asked, options)
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
        files=_fingerprints(read, options),
    )
    return replace(report, kept=_kept(report, read, options)) if read.snapshot else report


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


def _read(asked: Asked, options: GateOptions) -> Read:
    options = replace(options, measures=asked.measures)
    if options.baseline is not None and is_snapshot(options.baseline):
        return _read_against_snapshot(options)
    if options.update:
        raise RanklensError(
            f"{options.baseline} is no snapshot, so that --update has nothing to write.",
            "Make one: python -m metrics_core snapshot QRELS RUN -o baseline.json.",
        )
    judged, measures, qrels = judged_by(options)
    scores = score_runs(judged, measures, without_relevant=options.without_relevant)
    baseline, *runs = scores.runs
    if not runs:
        raise RanklensError(f"There is nothing but {baseline} to compare.", "Give a run beside it.")
    return Read(
        scores,
        baseline,
        dict(zip(scores.runs, judged, strict=True)),
        _files(scores.runs, options),
        qrels,
        measures,
    )


def _read_against_snapshot(options: GateOptions) -> Read:
    """The runs beside a snapshot, on the queries whose judgments are as they were. Raises
    RanklensError where there is none, or the runs are read otherwise."""
    name = str(options.baseline)
    snapshot = read_snapshot(name)
    alone = replace(options, baseline=None)
    judged, measures, qrels = judged_by(alone)
    _refuse_other_reading(name, snapshot, options)
    changes = changes_since(snapshot, marks_of(qrels), measures)
    scores = score_runs(judged, measures, without_relevant=options.without_relevant)
    both = beside(snapshot, scores, changes)
    if not both.n_queries or not both.measures:
        told = changes_findings(changes, Path(name).name, both.n_queries)
        raise RanklensError(" ".join([f"Nothing of {name} can be compared.", *told]), ANEW)
    by_name = dict(zip(both.runs[1:], judged, strict=True))
    files = _files(both.runs[1:], alone)
    return Read(both, both.runs[0], by_name, files, qrels, measures, snapshot, changes)


def _refuse_other_reading(name: str, snapshot: Snapshot, options: GateOptions) -> None:
    """Refuse runs that are read with other choices than those of the snapshot."""
    then, now = dict(snapshot.reading or {}), reading_of(options)
    if then != now:
        said = [" ".join(f"{k} {v}" for k, v in each.items()) or "none" for each in (then, now)]
        raise RanklensError(
            f"{name} was made with other choices of reading ({said[0]}) than these ({said[1]}).",
            f"Give the same ones. {ANEW}",
        )


def _files(runs: Sequence[str], options: GateOptions) -> dict[str, str]:
    """The file of each run; where a file holds several, a run stands for itself."""
    paths = options.all_runs
    return dict(zip(runs, paths if len(paths) == len(runs) else runs, strict=True))


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


def _fingerprints(read: Read, options: GateOptions) -> list[tuple[str, str, str]]:
    """What each file is, its name and the beginning of its hash."""
    listed = [("baseline", options.baseline or "")]
    listed += [("run", read.files[run]) for run in read.runs]
    return [
        (what, Path(path).name, fingerprint(path))
        for what, path in [*listed, ("qrels", options.qrels)]
    ]
