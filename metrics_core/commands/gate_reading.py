"""What a gate of the command line asks, and what is read for it: runs, also beside a snapshot."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from metrics_core.base.errors import RanklensError
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
)
from metrics_core.commands.gate_options import GateOptions
from metrics_core.commands.reading import judged_by, read_files
from metrics_core.commands.snapshot import reading_of
from metrics_core.comparing.gates import (
    Floor,
    Gate,
    Slice,
)
from metrics_core.explaining.overlap import Overlap
from metrics_core.findings.snapshots import changes_findings
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores, score_runs
from metrics_core.tables import Qrels, Run


@dataclass(frozen=True)
class Asked:
    """The gates, floors and overlaps that a command line names."""

    gates: tuple[Gate, ...]
    floors: tuple[Floor, ...]
    overlaps: tuple[Overlap, ...]

    @classmethod
    def of(cls, options: GateOptions) -> Asked:
        """Those of the options. Raises ParameterError and UnknownMeasureError."""
        floors = [Floor.of(text) for text in options.floors]
        floors += [Floor.of(text, shown=True) for text in options.floors_shown]
        gates = dict.fromkeys(Gate.of(text) for text in options.gates)
        overlaps = dict.fromkeys(Overlap.of(text) for text in options.overlaps)
        return cls(tuple(gates), tuple(dict.fromkeys(floors)), tuple(overlaps))

    def among(self, measures: Sequence[Measure]) -> Asked:
        """Those of these measures."""
        gates = tuple(gate for gate in self.gates if gate.measure in measures)
        floors = tuple(floor for floor in self.floors if floor.measure in measures)
        return replace(self, gates=gates, floors=floors)

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
    lists: Sequence[Run] = ()
    snapshot: Snapshot | None = None
    changes: Changes = NOTHING_CHANGED

    @property
    def runs(self) -> list[str]:
        """The runs that are compared with the baseline."""
        return [run for run in self.scores.runs if run != self.baseline]


def read_for(asked: Asked, options: GateOptions) -> Read:
    """The scores of what is asked, of the baseline and the runs. Raises RanklensError."""
    options = replace(options, measures=asked.measures)
    if asked.overlaps:
        refuse_snapshot(options)
    _refuse_missing_snapshot(options)
    if options.baseline is not None and is_snapshot(options.baseline):
        return _read_against_snapshot(options)
    if options.update:
        raise RanklensError(
            f"{options.baseline} is no snapshot, so that --update has nothing to write.",
            "Make one: python -m metrics_core snapshot QRELS RUN -o baseline.json.",
        )
    lists: list[Run] = []
    if asked.overlaps:
        files = read_files(options)
        judged, measures, qrels, lists = files.judged, files.measures, files.qrels, files.runs
    else:
        judged, measures, qrels = judged_by(options)
    scores = score_runs(judged, measures, without_relevant=options.without_relevant)
    by_name = dict(zip(scores.runs, judged, strict=True))
    paths = files_of(scores.runs, options)
    return Read(scores, scores.runs[0], by_name, paths, qrels, measures, lists)


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
    files = files_of(both.runs[1:], alone)
    return Read(both, both.runs[0], by_name, files, qrels, measures, (), snapshot, changes)


def _refuse_other_reading(name: str, snapshot: Snapshot, options: GateOptions) -> None:
    """Refuse runs that are read with other choices than those of the snapshot."""
    then, now = dict(snapshot.reading or {}), reading_of(options)
    if then != now:
        said = [" ".join(f"{k} {v}" for k, v in each.items()) or "none" for each in (then, now)]
        raise RanklensError(
            f"{name} was made with other choices of reading ({said[0]}) than these ({said[1]}).",
            f"Give the same ones. {ANEW}",
        )


def _refuse_missing_snapshot(options: GateOptions) -> None:
    """Where a snapshot is named and not there, say how it is made."""
    path = options.baseline or ""
    if path.endswith(".json") and not Path(path).exists():
        wanted = ["-o", path, "-m", ",".join(options.measures or ())]
        command = shlex.join(
            ["python", "-m", "metrics_core", "snapshot", options.qrels, "RUN", *wanted]
        )
        raise RanklensError(f"There is no {path} to compare with.", f"Make it: {command}")


def files_of(runs: Sequence[str], options: GateOptions) -> dict[str, str]:
    """The file of each run; where a file holds several, a run stands for itself."""
    paths = options.all_runs
    return dict(zip(runs, paths if len(paths) == len(runs) else runs, strict=True))


def refuse_snapshot(options: GateOptions) -> None:
    """Refuse a snapshot where lists are needed."""
    if options.baseline is not None and is_snapshot(options.baseline):
        raise RanklensError(
            f"{options.baseline} is a snapshot, which holds no lists for --overlap.",
            "Give the baseline's run.",
        )
