"""What a gate tells, as a value: every format and the Python interface give the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.arrays import Mask
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
    Floor,
    FloorOutcome,
    Gate,
    GateOutcome,
    QuerySlice,
    floor_outcomes,
    gate_outcomes,
    status_of,
)
from metrics_core.comparing.verdicts import CANNOT_TELL
from metrics_core.explaining.overlap import Overlap, OverlapOutcome, overlap_outcomes
from metrics_core.findings.gate_queries import (
    BrokenQueries,
    UnansweredQueries,
    broken_queries,
    texts_of,
    unanswered_queries,
)
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
from metrics_core.findings.snapshots import best_findings, changes_findings
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import group_of, ordered_groups
from metrics_core.tables import Qrels, Queries, Run


@dataclass(frozen=True)
class GateConditions:
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
    ) -> GateConditions:
        """Those of these texts, each once. Raises ParameterError and UnknownMeasureError."""
        wanted = [Floor.of(text) for text in floors]
        wanted += [Floor.of(text, shown=True) for text in floors_shown]
        return cls(
            tuple(dict.fromkeys(g if isinstance(g, Gate) else Gate.of(g) for g in gates)),
            tuple(dict.fromkeys(wanted)),
            tuple(dict.fromkeys(Overlap.of(text) for text in overlaps)),
        )

    def among(self, measures: Sequence[Measure]) -> GateConditions:
        """Those whose gates are of these measures; a floor needs no baseline."""
        gates = tuple(gate for gate in self.gates if gate.measure in measures)
        return replace(self, gates=gates)

    @property
    def measures(self) -> list[str]:
        """The names of the measures, each once."""
        return list(dict.fromkeys(str(asked.measure) for asked in self._all))

    @property
    def slices(self) -> list[QuerySlice]:
        """The slices, each once."""
        return list(dict.fromkeys(asked.slice for asked in self._all))

    @property
    def gated(self) -> set[Measure]:
        """The measures of gates."""
        return {gate.measure for gate in self.gates}

    @property
    def _all(self) -> list[Gate | Floor]:
        return [*self.gates, *self.floors]


@dataclass(frozen=True)
class Compared:
    """What is compared: the scores of the baseline and of the runs, which are `judged` by name;
    `lists` are the baseline's and theirs, where overlaps are asked for. Beside a snapshot, which
    stands in `file`, `whole` are the runs' scores on all judged queries."""

    scores: Scores
    baseline: str
    judged: Mapping[str, JudgedRanks]
    qrels: Qrels
    lists: Sequence[Run] = ()
    snapshot: Snapshot | None = None
    changes: Changes = NOTHING_CHANGED
    whole: Scores | None = None
    file: str = ""

    @property
    def runs(self) -> list[str]:
        """The runs that are compared with the baseline."""
        return [run for run in self.scores.runs if run != self.baseline]


@dataclass(frozen=True)
class GateReport:
    """What was compared, and what each gate found, the worst first. `changes` are sentences on what
    changed since a snapshot, `kept` on whether the baseline
    can be raised and what became of it, `label` is its own; `files` are what
    each file is, its name and its fingerprint; `uncompared` are gates for which the snapshot has no
    scores; `unanswered` are runs without results for some queries, `below_best` sentences on means
    below the best that the snapshot ever held."""

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
    unanswered: Sequence[UnansweredQueries] = ()
    below_best: Sequence[str] = ()

    def __str__(self) -> str:
        lines = [self.headline, *self.remarks, *self.sentences, *self.unclear]
        lines += [broken.sentence for broken in self.broken if broken.rows]
        return "\n".join([*lines, *self.below_best, self.ending])

    @property
    def remarks(self) -> list[str]:
        """What the comparison rests on: queries without results, and what changed."""
        return [*(one.sentence for one in self.unanswered), *self.changes]

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
        return status_of(self._counting, changed=changed, fail_unclear=self.fail_unclear)

    @property
    def unclear(self) -> list[str]:
        """What becomes of what cannot be told; empty where nothing is left open."""
        return [unclear_finding(self.fail_unclear)] if CANNOT_TELL in self._counting else []

    @property
    def _counting(self) -> list[str]:
        """The words that the exit status goes by."""
        return [*(found.counts_as for found in self.outcomes), *self.words[len(self.outcomes) :]]

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
    asked: GateConditions,
) -> Compared:
    """Runs beside a snapshot, which stands in `file`, on the queries whose judgments are as they
    were and by the measures that both have. Raises RanklensError where nothing is left."""
    gated = [measure for measure in scores.measures if measure in asked.gated]
    changes = changes_since(snapshot, marks_of(qrels), gated)
    both = beside(snapshot, scores, changes)
    if not both.n_queries or not (both.measures or asked.floors):
        told = changes_findings(changes, file, both.n_queries)
        raise RanklensError(" ".join([f"Nothing in {file} can be compared.", *told]), ANEW)
    by_name = dict(zip(both.runs[1:], judged, strict=True))
    whole = replace(scores, runs=both.runs[1:])
    return Compared(
        both,
        both.runs[0],
        by_name,
        qrels,
        snapshot=snapshot,
        changes=changes,
        whole=whole,
        file=file,
    )


def gate_report(
    asked: GateConditions,
    compared: Compared,
    queries_of: Callable[[Scores], Queries | None],
    *,
    fail_unclear: bool = False,
) -> GateReport:
    """What everything that is asked finds. `queries_of` gives the queries with their columns, which
    slices need. Raises RanklensError where a slice has none, or holds none of them."""
    scores, wanted = compared.scores, asked
    asked = wanted.among(scores.measures)
    whole = compared.whole or scores
    queries = queries_of(whole)
    members = _members(asked.gates, scores, queries)
    outcomes = worst_first(gate_outcomes(scores, asked.gates, members, compared.baseline))
    alone, snapshot = len(compared.runs) == 1, compared.snapshot
    above = [ratchet_finding(found, alone=alone) for found in outcomes]
    return GateReport(
        baseline=compared.baseline,
        label=snapshot.origin.label if snapshot else "",
        runs=compared.runs,
        queries=scores.n_queries,
        outcomes=outcomes,
        floors=floor_outcomes(
            whole, asked.floors, _members(asked.floors, whole, queries), compared.runs
        ),
        broken=_broken(outcomes, compared, members, texts_of(queries)),
        fail_unclear=fail_unclear,
        uncompared=[str(gate) for gate in wanted.gates if gate not in asked.gates],
        kept=[text for text in above if text][:1],
        overlaps=overlaps_of(compared.lists, asked),
        unanswered=unanswered_queries(
            compared.judged, compared.baseline, snapshot.scores if snapshot else None
        ),
        below_best=_below_best(compared, whole),
    )


def _broken(
    outcomes: Iterable[GateOutcome],
    compared: Compared,
    members: Mapping[QuerySlice, Mask],
    texts: Mapping[str, str],
) -> list[BrokenQueries]:
    listed = [
        broken_queries(
            found,
            compared.scores.among(members[found.gate.slice]),
            compared.judged[found.run],
            texts,
        )
        for found in outcomes
    ]
    return [broken for broken in listed if broken is not None]


def _below_best(compared: Compared, whole: Scores) -> list[str]:
    snapshot = compared.snapshot
    if snapshot is None:
        return []
    remade = changes_since(snapshot, snapshot.marks, whole.measures).remade
    measures = [measure for measure in whole.measures if measure not in remade]
    return best_findings(snapshot, compared.file, whole, measures, compared.qrels)


def overlaps_of(lists: Sequence[Run], asked: GateConditions) -> Sequence[OverlapOutcome]:
    """How much of the first list each of the others keeps."""
    return overlap_outcomes(lists[0], lists[1:], asked.overlaps) if asked.overlaps else ()


def _members(
    asked: Iterable[Gate | Floor], scores: Scores, queries: Queries | None
) -> dict[QuerySlice, Mask]:
    """Which queries each slice holds. Raises RanklensError where one holds none."""
    slices = dict.fromkeys(one.slice for one in asked)
    return {own: _inside(own, scores, queries) for own in slices}


def _inside(asked: QuerySlice, scores: Scores, queries: Queries | None) -> Mask:
    if not asked.column:
        return np.ones(scores.n_queries, dtype=np.bool_)
    if queries is None:
        raise RanklensError(
            f"A gate on {asked} needs the queries.", "Pass their file with --queries FILE."
        )
    groups = group_of(queries, scores.query_ids, asked.column)
    inside = (groups == asked.group).to_numpy(dtype=np.bool_)
    if not inside.any():
        there = ordered_groups(groups)
        near = did_you_mean(asked.group, there)
        hint = f"{near} There are: {w.named(there, all_of=12)}.".strip()
        raise RanklensError(f"No judged query has {asked.group!r} as its {asked.column}.", hint)
    return inside
