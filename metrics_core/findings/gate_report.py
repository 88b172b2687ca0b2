"""What a gate tells, as a value: every format and the Python interface give the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError, did_you_mean
from metrics_core.checks.judgment_marks import marks_of
from metrics_core.checks.snapshots import (
    ANEW,
    NOTHING_CHANGED,
    Changes,
    Snapshot,
    beside,
    changes_since,
)
from metrics_core.comparing.gates import (
    EVERY_QUERY,
    Floor,
    FloorOutcome,
    Gate,
    GateOutcome,
    Mask,
    Slice,
    floor_outcomes,
    gate_outcomes,
    status_of,
)
from metrics_core.comparing.pairs import WORSE, differences
from metrics_core.comparing.verdicts import CANNOT_TELL, WORSE_RUN
from metrics_core.explaining.kinds import kinds
from metrics_core.explaining.overlap import Overlap, OverlapOutcome, overlap_outcomes
from metrics_core.findings.gates import (
    counted_finding,
    floor_finding,
    gate_told,
    overlap_finding,
    ratchet_finding,
    status_finding,
    unclear_finding,
    worst_first,
)
from metrics_core.findings.snapshots import changes_findings
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import group_of, ordered_groups
from metrics_core.tables import Qrels, Queries, Run

_WORST = 5
_TOP = 10
"""The first results, where the measure has no cutoff of its own."""


@dataclass(frozen=True)
class Asked:
    """The gates, floors and overlaps that are asked for."""

    gates: tuple[Gate, ...]
    floors: tuple[Floor, ...] = ()
    overlaps: tuple[Overlap, ...] = ()

    @classmethod
    def of(
        cls,
        gates: Iterable[str | Gate],
        floors: Iterable[str] = (),
        floors_shown: Iterable[str] = (),
        overlaps: Iterable[str] = (),
    ) -> Asked:
        """Those of these texts, each once. Raises ParameterError and UnknownMeasureError."""
        wanted = [Floor.of(text) for text in floors]
        wanted += [Floor.of(text, shown=True) for text in floors_shown]
        return cls(
            tuple(dict.fromkeys(g if isinstance(g, Gate) else Gate.of(g) for g in gates)),
            tuple(dict.fromkeys(wanted)),
            tuple(dict.fromkeys(Overlap.of(text) for text in overlaps)),
        )

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
class Compared:
    """What is compared: the scores of the baseline and of the runs, which are `judged` by name;
    `lists` are the baseline's and theirs, where overlaps are asked for."""

    scores: Scores
    baseline: str
    judged: Mapping[str, JudgedRanks]
    qrels: Qrels
    lists: Sequence[Run] = ()
    snapshot: Snapshot | None = None
    changes: Changes = NOTHING_CHANGED

    @property
    def runs(self) -> list[str]:
        """The runs that are compared with the baseline."""
        return [run for run in self.scores.runs if run != self.baseline]


@dataclass(frozen=True)
class BrokenQuery:
    """A query that a run lost: both scores, and the kind of failure that it is now; `text` is ""
    where it is not known."""

    query_id: str
    text: str
    baseline_score: float
    score: float
    kind: str


@dataclass(frozen=True)
class BrokenQueries:
    """The worst of the `lost` queries of a failed gate, and the command that shows the first, ""
    where no file is known."""

    found: GateOutcome
    lost: int
    rows: Sequence[BrokenQuery]
    command: str = ""


@dataclass(frozen=True)
class GateReport:
    """What was compared, and what each gate found, the worst first. `changes` are sentences on what
    changed since a snapshot, `kept` on whether the baseline
    can be raised and what became of it, `label` is its own; `files` are what
    each file is, its name and its fingerprint; `uncompared` are gates and floors for which the
    snapshot has no scores."""

    baseline: str
    runs: Sequence[str]
    queries: int
    outcomes: Sequence[GateOutcome] = ()
    floors: Sequence[FloorOutcome] = ()
    broken: Sequence[BrokenQueries] = ()
    fail_unclear: bool = False
    files: Sequence[tuple[str, str, str]] = ()
    overlaps: Sequence[OverlapOutcome] = ()
    label: str = ""
    changes: Sequence[str] = ()
    allow_changed: bool = False
    kept: Sequence[str] = ()
    uncompared: Sequence[str] = ()

    def __str__(self) -> str:
        unclear = [unclear_finding(self.fail_unclear)] if CANNOT_TELL in self.words else []
        lines = [self.headline, *self.changes, *self.sentences, *unclear]
        return "\n".join([*lines, self.ending])

    @property
    def ending(self) -> str:
        """What the exit status says."""
        return status_finding(
            self.status, unclear=CANNOT_TELL in self.words, uncompared=bool(self.uncompared)
        )

    @property
    def headline(self) -> str:
        """Who against whom, over how many queries, and how many gates found what."""
        queries = w.plural(self.queries, "query", "queries")
        label = f" ({self.label})" if self.label else ""
        return (
            f"{w.listing(self.runs)} against {self.baseline}{label},"
            f" {w.count(self.queries)} {queries}:"
            f" {counted_finding(self.words, len(self.uncompared))}."
        )

    @property
    def status(self) -> int:
        """The exit status."""
        changed = bool(self.uncompared) or (bool(self.changes) and not self.allow_changed)
        return status_of(self.words, changed=changed, fail_unclear=self.fail_unclear)

    @property
    def words(self) -> list[str]:
        """What each gate, floor and overlap found."""
        return [
            *(found.outcome for found in self.outcomes),
            *(found.outcome for found in self.floors),
            *(found.outcome for found in self.overlaps),
        ]

    @property
    def sentences(self) -> list[str]:
        """What each found, in a sentence or two, with the run's name where there are several."""
        told = [(found.run, gate_told(found)) for found in self.outcomes]
        told += [(found.run, floor_finding(found)) for found in self.floors]
        told += [(found.run, overlap_finding(found)) for found in self.overlaps]
        several = len(self.runs) > 1
        return [f"{run}: {sentence}" if several else sentence for run, sentence in told]

    @property
    def tested(self) -> int:
        """How many comparisons are corrected together."""
        return sum(found.p_corrected == found.p_corrected for found in self.outcomes)


def compared_with(
    snapshot: Snapshot,
    file: str,
    judged: Sequence[JudgedRanks],
    qrels: Qrels,
    scores: Scores,
) -> Compared:
    """Runs beside a snapshot, which stands in `file`, on the queries whose judgments are as they
    were and by the measures that both have. Raises RanklensError where nothing is left."""
    changes = changes_since(snapshot, marks_of(qrels), scores.measures)
    both = beside(snapshot, scores, changes)
    if not both.n_queries or not both.measures:
        told = changes_findings(changes, file, both.n_queries)
        raise RanklensError(" ".join([f"Nothing of {file} can be compared.", *told]), ANEW)
    by_name = dict(zip(both.runs[1:], judged, strict=True))
    return Compared(both, both.runs[0], by_name, qrels, (), snapshot, changes)


def gate_report(
    asked: Asked,
    compared: Compared,
    queries_of: Callable[[Scores], Queries | None],
    *,
    fail_unclear: bool = False,
) -> GateReport:
    """What everything that is asked finds. `queries_of` gives the queries with their columns, which
    slices need. Raises RanklensError where a slice has none, or holds none of them."""
    scores, whole = compared.scores, asked
    asked = whole.among(scores.measures)
    queries = queries_of(scores)
    members = _members(asked.slices, scores, queries)
    outcomes = worst_first(gate_outcomes(scores, asked.gates, members, compared.baseline))
    alone = len(compared.runs) == 1
    above = [ratchet_finding(found, alone=alone) for found in outcomes]
    return GateReport(
        baseline=compared.baseline,
        label=compared.snapshot.origin.label if compared.snapshot else "",
        runs=compared.runs,
        queries=scores.n_queries,
        outcomes=outcomes,
        floors=floor_outcomes(scores, asked.floors, members, compared.runs),
        broken=[
            _broken(found, compared, members, _texts(queries))
            for found in outcomes
            if found.outcome == WORSE_RUN
        ],
        fail_unclear=fail_unclear,
        uncompared=[str(gate) for gate in whole.gates if gate not in asked.gates],
        kept=[text for text in above if text][:1],
        overlaps=overlaps_of(compared.lists, asked),
    )


def overlaps_of(lists: Sequence[Run], asked: Asked) -> Sequence[OverlapOutcome]:
    """How much of the first list each of the others keeps."""
    return overlap_outcomes(lists[0], lists[1:], asked.overlaps) if asked.overlaps else ()


def _members(slices: Iterable[Slice], scores: Scores, queries: Queries | None) -> dict[Slice, Mask]:
    """Which queries each slice holds. Raises RanklensError where one holds none."""
    return {asked: _inside(asked, scores, queries) for asked in (EVERY_QUERY, *slices)}


def _inside(asked: Slice, scores: Scores, queries: Queries | None) -> Mask:
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
    compared: Compared,
    members: Mapping[Slice, Mask],
    texts: Mapping[str, str],
) -> BrokenQueries:
    """The queries that a failed gate lost, the worst first."""
    gate, scores = found.gate, compared.scores.among(members[found.gate.slice])
    frame = differences(scores, gate.measure, found.run, compared.baseline)
    lost = frame[frame["outcome"] == WORSE]
    order = np.argsort(lost["difference"].to_numpy() * gate.direction, kind="stable")[:_WORST]
    judged = compared.judged[found.run]
    kind_of = kinds(judged, gate.measure, gate.measure.cutoff or _TOP)
    place = {query_id: i for i, query_id in enumerate(judged.query_ids)}
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
    return BrokenQueries(found, len(lost), rows)


def _texts(queries: Queries | None) -> dict[str, str]:
    """The text of each query, where there is one."""
    if queries is None or "text" not in queries.frame.columns:
        return {}
    known = queries.frame[["query_id", "text"]].dropna()
    return dict(zip(known["query_id"], known["text"].astype(str), strict=True))
