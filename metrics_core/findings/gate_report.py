"""The result of a gate in one object, which is used by all output formats and the Python
interface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.arrays import Mask
from metrics_core.base.errors import RanklensError, did_you_mean
from metrics_core.base.html_cell import html_cell, html_sentence
from metrics_core.checks.judgment_marks import judgment_marks
from metrics_core.checks.snapshot_changes import (
    NOTHING_CHANGED,
    SnapshotChanges,
    find_changes,
    join_snapshot,
)
from metrics_core.checks.snapshots import REMAKE_HINT, Snapshot
from metrics_core.comparing.gate_conditions import Floor, Gate, QuerySlice
from metrics_core.comparing.gates import (
    FloorOutcome,
    GateOutcome,
    evaluate_floors,
    evaluate_gates,
    exit_status,
)
from metrics_core.comparing.verdicts import CANNOT_TELL
from metrics_core.explaining.overlap import Overlap, OverlapOutcome, find_overlaps
from metrics_core.findings.gate_queries import (
    BrokenQueries,
    UnansweredQueries,
    broken_queries,
    query_texts,
    unanswered_queries,
)
from metrics_core.findings.gates import (
    better_run_finding,
    count_outcomes_finding,
    floor_finding,
    gate_sentence,
    overlap_finding,
    sort_worst_first,
    status_finding,
    unclear_finding,
)
from metrics_core.findings.snapshots import best_mean_findings, describe_snapshot_changes
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import find_groups, order_groups
from metrics_core.tables import Qrels, Queries, Run


@dataclass(frozen=True)
class GateConditions:
    """The gates, floors and overlaps that are checked."""

    gates: tuple[Gate, ...]
    floors: tuple[Floor, ...] = ()
    overlaps: tuple[Overlap, ...] = ()

    @classmethod
    def from_texts(
        cls,
        gates: Iterable[str | Gate],
        floors: Iterable[str] = (),
        floors_shown: Iterable[str] = (),
        overlaps: Iterable[str] = (),
        measures: Sequence[Measure] = (),
    ) -> GateConditions:
        """Parse the texts of conditions and drop duplicates. Raises ParameterError and
        UnknownMeasureError.

        `floors` must be reached by the mean, `floors_shown` by the confidence bound of the mean.
        `measures` are the measures of scores that another tool computed."""
        all_floors = [Floor.parse(text, measures=measures) for text in floors]
        all_floors += [Floor.parse(text, by_bound=True, measures=measures) for text in floors_shown]
        all_gates = [g if isinstance(g, Gate) else Gate.parse(g, measures) for g in gates]
        return cls(
            tuple(dict.fromkeys(all_gates)),
            tuple(dict.fromkeys(all_floors)),
            tuple(dict.fromkeys(Overlap.parse(text) for text in overlaps)),
        )

    def for_measures(self, measures: Sequence[Measure]) -> GateConditions:
        """Return the conditions with only the gates on these measures. All floors are kept, because
        they need no baseline."""
        gates = tuple(gate for gate in self.gates if gate.measure in measures)
        return replace(self, gates=gates)

    @property
    def measures(self) -> list[str]:
        """The names of the measures in the conditions, without duplicates."""
        return list(dict.fromkeys(str(condition.measure) for condition in self._gates_and_floors))

    @property
    def slices(self) -> list[QuerySlice]:
        """The slices in the conditions, without duplicates."""
        return list(dict.fromkeys(condition.slice for condition in self._gates_and_floors))

    @property
    def gated_measures(self) -> set[Measure]:
        """The measures that have a gate."""
        return {gate.measure for gate in self.gates}

    @property
    def _gates_and_floors(self) -> list[Gate | Floor]:
        return [*self.gates, *self.floors]


@dataclass(frozen=True)
class GateComparison:
    """The data that the conditions of a gate are evaluated on.

    `scores` are the scores of the baseline and of the runs. `judged` are the judged ranks (the
    ranks of judged documents) by run, and `qrels` the judgments; `judged` is empty and `qrels` is
    None if all scores were computed by another tool. `lists` are the result lists of the baseline
    and of the runs, if overlaps are checked. If the baseline is a snapshot, `file` is the path of
    its file, and `all_scores` are the runs' scores on all judged queries."""

    scores: Scores
    baseline: str
    judged: Mapping[str, JudgedRanks] = field(default_factory=dict)
    qrels: Qrels | None = None
    lists: Sequence[Run] = ()
    snapshot: Snapshot | None = None
    changes: SnapshotChanges = NOTHING_CHANGED
    all_scores: Scores | None = None
    file: str = ""

    @property
    def runs(self) -> list[str]:
        """The runs that are compared with the baseline."""
        return [run for run in self.scores.runs if run != self.baseline]


@dataclass(frozen=True)
class GateReport:
    """The outcomes of all gates, worst first, and of the floors and overlaps.

    changes         sentences on changes since the snapshot
    baseline_notes  sentences on whether the baseline can be raised, or was raised
    label           label of the snapshot
    files           (role, name, fingerprint) of each input file
    uncompared      gates on measures for which the snapshot has no scores
    unanswered      runs without results for some queries
    below_best      sentences on means below the best mean that the snapshot ever recorded"""

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
    baseline_notes: Sequence[str] = ()
    uncompared: Sequence[str] = ()
    unanswered: Sequence[UnansweredQueries] = ()
    below_best: Sequence[str] = ()

    def __str__(self) -> str:
        lines = [self.headline, *self.remarks, *self.sentences, *self.inconclusive_note]
        lines += [broken.sentence for broken in self.broken if broken.rows]
        return "\n".join([*lines, *self.below_best, self.closing_sentence])

    def _repr_html_(self) -> str:
        headline, *lines = str(self).splitlines()
        return html_cell(headline, map(html_sentence, lines))

    @property
    def remarks(self) -> list[str]:
        """Caveats of the comparison: queries without results, and changes since the snapshot."""
        return [*(unanswered.sentence for unanswered in self.unanswered), *self.changes]

    @property
    def closing_sentence(self) -> str:
        """The last sentence of the report. It explains the exit status."""
        return status_finding(
            self.status,
            has_inconclusive=CANNOT_TELL in self.words,
            has_uncompared=bool(self.uncompared),
        )

    @property
    def headline(self) -> str:
        """Headline of the report: the runs, the baseline, the number of queries, and the number of
        gates with each outcome."""
        queries = w.plural(self.queries, "query", "queries")
        label = f" ({self.label})" if self.label else ""
        return (
            f"{w.join_words(self.runs)} against {self.baseline}{label},"
            f" {w.format_count(self.queries)} {queries}:"
            f" {count_outcomes_finding(self.words, len(self.uncompared))}."
        )

    @property
    def status(self) -> int:
        """The exit status."""
        changed = bool(self.uncompared) or (bool(self.changes) and not self.allow_changed)
        return exit_status(self._status_words, changed=changed, fails_if_unclear=self.fail_unclear)

    @property
    def inconclusive_note(self) -> list[str]:
        """A list with a sentence on how inconclusive checks are treated; empty if no check is
        inconclusive."""
        return [unclear_finding(self.fail_unclear)] if CANNOT_TELL in self._status_words else []

    @property
    def _status_words(self) -> list[str]:
        """The outcome of each gate, floor and overlap, in the form that determines the exit
        status."""
        return [
            *(outcome.effective_outcome for outcome in self.outcomes),
            *self.words[len(self.outcomes) :],
        ]

    @property
    def words(self) -> list[str]:
        """The outcome of each gate, floor and overlap."""
        return [
            *(outcome.outcome for outcome in self.outcomes),
            *(outcome.outcome for outcome in self.floors),
            *(outcome.outcome for outcome in self.overlaps),
        ]

    @property
    def sentences(self) -> list[str]:
        """One or two sentences on the outcome of each gate, floor and overlap. They name the run if
        there are several runs."""
        run_sentences = [(outcome.run, gate_sentence(outcome)) for outcome in self.outcomes]
        run_sentences += [(outcome.run, floor_finding(outcome)) for outcome in self.floors]
        run_sentences += [(outcome.run, overlap_finding(outcome)) for outcome in self.overlaps]
        has_several_runs = len(self.runs) > 1
        return [
            f"{run}: {sentence}" if has_several_runs else sentence
            for run, sentence in run_sentences
        ]

    @property
    def n_comparisons(self) -> int:
        """Number of comparisons (gates times runs) that are corrected together."""
        return sum(outcome.p_corrected == outcome.p_corrected for outcome in self.outcomes)


def compare_with_snapshot(
    snapshot: Snapshot,
    file: str,
    judged: Sequence[JudgedRanks],
    qrels: Qrels | None,
    scores: Scores,
    conditions: GateConditions,
) -> GateComparison:
    """Compare runs with a snapshot that was read from `file`.

    Only queries whose judgments did not change are used, and only measures for which both the
    snapshot and the runs have scores. If another tool computed the scores, `judged` is empty and
    `qrels` is None. Raises RanklensError if nothing is left to compare."""
    gated = [measure for measure in scores.measures if measure in conditions.gated_measures]
    changes = find_changes(snapshot, judgment_marks(scores.query_ids, qrels), gated)
    common_scores = join_snapshot(snapshot, scores, changes)
    if not common_scores.n_queries or not (common_scores.measures or conditions.floors):
        sentences = describe_snapshot_changes(
            changes, file, common_scores.n_queries, is_given=qrels is None
        )
        raise RanklensError(
            " ".join([f"Nothing in {file} can be compared.", *sentences]), REMAKE_HINT
        )
    by_name = dict(zip(common_scores.runs[1:], judged, strict=qrels is not None))
    all_scores = replace(scores, runs=common_scores.runs[1:])
    return GateComparison(
        common_scores,
        common_scores.runs[0],
        by_name,
        qrels,
        snapshot=snapshot,
        changes=changes,
        all_scores=all_scores,
        file=file,
    )


def gate_report(
    conditions: GateConditions,
    compared: GateComparison,
    read_queries: Callable[[Scores], Queries | None],
    *,
    fails_if_unclear: bool = False,
) -> GateReport:
    """Evaluate all conditions of a gate and return the report.

    `read_queries` is a function that takes the scores and returns the queries with their columns;
    slices need these columns. Raises RanklensError if there are slices but no queries, or if a
    slice contains no query."""
    scores, all_conditions = compared.scores, conditions
    conditions = all_conditions.for_measures(scores.measures)
    all_scores = compared.all_scores or scores
    queries = read_queries(all_scores)
    members = _slice_masks(conditions.gates, scores, queries)
    outcomes = sort_worst_first(
        evaluate_gates(scores, conditions.gates, members, compared.baseline)
    )
    is_alone, snapshot = len(compared.runs) == 1, compared.snapshot
    ratchets = [better_run_finding(outcome, is_only_run=is_alone) for outcome in outcomes]
    return GateReport(
        baseline=compared.baseline,
        label=snapshot.origin.label if snapshot else "",
        runs=compared.runs,
        queries=scores.n_queries,
        outcomes=outcomes,
        floors=evaluate_floors(
            all_scores,
            conditions.floors,
            _slice_masks(conditions.floors, all_scores, queries),
            compared.runs,
        ),
        broken=_list_broken_queries(outcomes, compared, members, query_texts(queries)),
        fail_unclear=fails_if_unclear,
        uncompared=[str(gate) for gate in all_conditions.gates if gate not in conditions.gates],
        baseline_notes=[text for text in ratchets if text][:1],
        overlaps=compute_overlaps(compared.lists, conditions),
        unanswered=unanswered_queries(
            compared.judged, compared.baseline, snapshot.scores if snapshot else None
        ),
        below_best=_best_mean_findings(compared, all_scores),
    )


def _list_broken_queries(
    outcomes: Iterable[GateOutcome],
    compared: GateComparison,
    slice_masks: Mapping[QuerySlice, Mask],
    texts: Mapping[str, str],
) -> list[BrokenQueries]:
    broken_or_none = [
        broken_queries(
            outcome,
            compared.scores.select_queries(slice_masks[outcome.gate.slice]),
            compared.judged.get(outcome.run),
            texts,
        )
        for outcome in outcomes
    ]
    return [broken for broken in broken_or_none if broken is not None]


def _best_mean_findings(compared: GateComparison, all_scores: Scores) -> list[str]:
    snapshot = compared.snapshot
    if snapshot is None or compared.qrels is None:
        return []
    remade = find_changes(snapshot, snapshot.marks, all_scores.measures).remeasured
    measures = [measure for measure in all_scores.measures if measure not in remade]
    return best_mean_findings(snapshot, compared.file, all_scores, measures, compared.qrels)


def compute_overlaps(lists: Sequence[Run], conditions: GateConditions) -> Sequence[OverlapOutcome]:
    """Return how much the first list (the baseline's list) overlaps with each of the other lists.
    The result is empty if no overlap is checked."""
    return find_overlaps(lists[0], lists[1:], conditions.overlaps) if conditions.overlaps else ()


def _slice_masks(
    conditions: Iterable[Gate | Floor], scores: Scores, queries: Queries | None
) -> dict[QuerySlice, Mask]:
    """Return a mask of the queries of each slice, bool[query]. Raises RanklensError if a slice
    contains no query."""
    slices = dict.fromkeys(condition.slice for condition in conditions)
    return {query_slice: _slice_mask(query_slice, scores, queries) for query_slice in slices}


def _slice_mask(query_slice: QuerySlice, scores: Scores, queries: Queries | None) -> Mask:
    if not query_slice.column:
        return np.ones(scores.n_queries, dtype=np.bool_)
    if queries is None:
        raise RanklensError(
            f"A gate on {query_slice} needs the queries.",
            "Pass the queries file with --queries FILE.",
        )
    groups = find_groups(queries, scores.query_ids, query_slice.column)
    mask = (groups == query_slice.group).to_numpy(dtype=np.bool_)
    if not mask.any():
        group_names = order_groups(groups)
        suggestion = did_you_mean(query_slice.group, group_names)
        hint = f"{suggestion} Available: {w.shorten_list(group_names, max_words=12)}.".strip()
        raise RanklensError(
            f"No judged query has {query_slice.group!r} as its {query_slice.column}.", hint
        )
    return mask
