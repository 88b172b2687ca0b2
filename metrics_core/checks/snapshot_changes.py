"""Find changes since a snapshot, and the scores that can still be compared with the snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.checks.snapshots import Snapshot, find_measure_packages
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores
from metrics_core.tables.run_names import baseline_name, find_free_name


@dataclass(frozen=True)
class SnapshotChanges:
    """Changes since a snapshot.

    removed     queries that are no longer judged
    added       newly judged queries
    rejudged    query with changed judgments -> number of its judgments before and after the change
    missing     measures that are not in the snapshot
    remeasured  measures that now come from another version of their package"""

    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    rejudged: Mapping[str, tuple[int, int]] | None = None
    missing: tuple[Measure, ...] = ()
    remeasured: tuple[Measure, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.removed or self.added or self.rejudged or self.incomparable_measures)

    @property
    def incomparable_measures(self) -> tuple[Measure, ...]:
        """The measures that cannot be compared."""
        return (*self.missing, *self.remeasured)


NOTHING_CHANGED = SnapshotChanges()


def find_changes(
    snapshot: Snapshot, marks: Mapping[str, str], measures: Sequence[Measure]
) -> SnapshotChanges:
    """Return the changes since the snapshot. `marks` are the current marks of the judgments, and
    `measures` the current measures."""
    shared_ids = [query_id for query_id in snapshot.marks if query_id in marks]
    packages = find_measure_packages(measures)
    return SnapshotChanges(
        removed=tuple(query_id for query_id in snapshot.marks if query_id not in marks),
        added=tuple(query_id for query_id in marks if query_id not in snapshot.marks),
        rejudged={
            query_id: (_count_grades(snapshot.marks[query_id]), _count_grades(marks[query_id]))
            for query_id in shared_ids
            if snapshot.marks[query_id] != marks[query_id]
        },
        missing=tuple(m for m in measures if m not in snapshot.measures),
        remeasured=tuple(
            m
            for m in measures
            if m in snapshot.measures
            and snapshot.origin.added_by.get(str(m), "") != packages.get(str(m), "")
        ),
    )


def _count_grades(judgment_mark: str) -> int:
    return int(judgment_mark.partition(" ")[0])


def join_snapshot(snapshot: Snapshot, scores: Scores, changes: SnapshotChanges) -> Scores:
    """Return the scores of the snapshot's run, followed by the scores of the runs in `scores`.

    Only queries with unchanged judgments are included, and only measures for which the snapshot and
    `scores` both have values. Runs are renamed if their names collide."""
    position = {query_id: i for i, query_id in enumerate(snapshot.scores.query_ids)}
    changed = {*changes.added, *(changes.rejudged or {})}
    is_unchanged = np.array([q not in changed for q in scores.query_ids], dtype=np.bool_)
    own_scores = scores.select_queries(is_unchanged)
    rows = np.array([position[query_id] for query_id in own_scores.query_ids], dtype=np.int64)
    measures = tuple(
        m
        for m in scores.measures
        if m in snapshot.measures and m not in changes.incomparable_measures
    )
    old_values = snapshot.scores.values[:, rows][
        :, :, [snapshot.measures.index(m) for m in measures]
    ]
    new_values = own_scores.values[:, :, [scores.measures.index(m) for m in measures]]
    runs = [baseline_name(snapshot.run, scores.runs)]
    for run in scores.runs:
        runs.append(find_free_name(run, runs))
    missing = np.concatenate([snapshot.scores.missing[:, rows], own_scores.missing])
    return Scores(
        tuple(runs),
        own_scores.query_ids,
        measures,
        np.concatenate([old_values, new_values]),
        missing,
    )
