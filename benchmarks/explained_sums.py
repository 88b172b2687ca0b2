"""Whether what explains a score adds up to it: ledgers, headroom and what if, on whole collections.

    python -m benchmarks.explained_sums DIR… [--seed N]

Each DIR is a collection, whose judgments and runs are found by reading its files; judgments of
subtopics are passed over. On all queries, with every measure of grades alone:

    ledger      the documents' parts add up to the score, those of a pair to the difference
    headroom    each step is the score of the lists in that order, and no part is below 0
    what if     a move, a removal and a grade of each query and run, drawn by the seed

The scores that they are held to are those of `evaluate`, which reads the edited lists and judgments
from files. For each check the largest deviation is printed, relative to the score where that is
beyond 1, and of how many scores. The exit status is 1 where one is beyond 1e-12.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.edited_files import (
    Edits,
    Grades,
    Lists,
    Written,
    better_lists,
    drawn,
    edited,
    grades_of,
    lists_of,
    top_grade,
)
from benchmarks.real_data import collection_of, families
from metrics_core import join_judgments
from metrics_core.explaining.headroom import has_headroom, headroom
from metrics_core.explaining.ledger import difference_ledger, has_ledger, score_ledger
from metrics_core.explaining.what_if import edit_ranks
from metrics_core.formats import read_qrels, read_run
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure, parse_measure
from metrics_core.tables import Qrels, Run

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ALLOWED = 1e-12
_CUTOFF = 10
_VARIANTS = ("P(rel=2)@5", "nDCG(dcg='exp-log2')@20", "nDCG(judged_only=True)@10", "RBP(rel=2)")


@dataclass
class Deviation:
    """The largest deviation of one check, where it was, and of how many scores."""

    largest: float = 0.0
    where: str = ""
    scores: int = 0

    def take(self, found: Floats, held_to: Floats, where: Callable[[int], str]) -> None:
        """One score each. An undefined one, NaN, is right where both are undefined."""
        apart = np.abs(found - held_to) / np.maximum(1, np.abs(np.nan_to_num(held_to)))
        both = np.isnan(found) & np.isnan(held_to)
        apart = np.where(both, 0.0, np.where(np.isnan(apart), np.inf, apart))
        self.scores += len(apart)
        if len(apart) and apart.max() > self.largest:
            self.largest, self.where = float(apart.max()), where(int(apart.argmax()))


@dataclass
class Checked:
    """What was found of one collection, by check; of how many queries, runs and measures."""

    queries: int = 0
    runs: int = 0
    measures: int = 0
    by_check: dict[str, Deviation] = field(default_factory=dict)

    def of(self, check: str) -> Deviation:
        """The deviation of a check."""
        return self.by_check.setdefault(check, Deviation())


@dataclass(frozen=True)
class Judged:
    """A run as it is judged, and the same as plain lists."""

    run: Run
    ranks: JudgedRanks
    lists: Lists

    def where(self, measure: Measure) -> Callable[[int], str]:
        """What a deviation tells of the query at a position."""
        return lambda i: f"{measure} of {self.run.name}, query {self.ranks.query_ids[i]}"


def explained_measures() -> list[Measure]:
    """Every measure of grades alone, at cutoff 10 where it takes one, and without where it can."""
    names = [name for some in families(subtopics=False) for name in some]
    every = [m for m in map(parse_measure, names) if m.cutoff in (None, _CUTOFF)]
    return [m for m in dict.fromkeys([*every, *map(parse_measure, _VARIANTS)]) if has_ledger(m)]


def check(folder: Path, measures: Sequence[Measure], seed: int = 0) -> list[Checked]:
    """Every check, for each judgments file and the runs that share a query with it."""
    collection, found = collection_of(folder), []
    for path, known in collection.qrels.items():
        paths = [p for p, listed in collection.runs.items() if listed & known]
        if paths and path not in collection.subtopics:
            runs = [read_run(p) for p in paths]
            found.append(_check(read_qrels(path), runs, measures, random.Random(seed)))
    return found


def _check(
    qrels: Qrels, runs: list[Run], measures: Sequence[Measure], chance: random.Random
) -> Checked:
    checked = Checked(len(qrels.query_ids), len(runs), len(measures))
    grades = grades_of(qrels)
    judged = [Judged(run, join_judgments(run, qrels), lists_of(run)) for run in runs]
    with tempfile.TemporaryDirectory() as name:
        written = Written(Path(name))
        scores = [written.scores(own.lists, grades, measures) for own in judged]
        for i, own in enumerate(judged):
            _ledgers(own, scores[i], measures, checked)
            if i:
                _differences((own, judged[i - 1]), scores[i] - scores[i - 1], measures, checked)
            _headroom(own, grades, measures, written, checked)
            for kind in ("a move", "a removal", "a grade"):
                edits = drawn(kind, own.lists, grades, chance)
                _what_if(own, qrels, edits, measures, written, checked.of(f"what if: {kind}"))
    return checked


def _in_order(own: Judged, scores: pd.DataFrame, measure: Measure) -> Floats:
    """A column by the queries' order in the ranks."""
    return scores.loc[list(own.ranks.query_ids), str(measure)].to_numpy(dtype=np.float64)


def _summed(query: Ints, part: Floats, empty: Floats) -> Floats:
    return empty + np.bincount(query, part, len(empty))


def _ledgers(
    own: Judged, scores: pd.DataFrame, measures: Sequence[Measure], checked: Checked
) -> None:
    for measure in measures:
        found = score_ledger(own.ranks, measure)
        sums = _summed(found.query, found.part, found.empty)
        checked.of("ledger").take(sums, _in_order(own, scores, measure), own.where(measure))


def _differences(
    pair: tuple[Judged, Judged], gaps: pd.DataFrame, measures: Sequence[Measure], checked: Checked
) -> None:
    own, baseline = pair
    for measure in measures:
        found = difference_ledger(own.ranks, baseline.ranks, measure)
        sums = _summed(found.query, found.part, found.empty)
        held_to = _in_order(own, gaps, measure)
        checked.of("ledger of a difference").take(sums, held_to, own.where(measure))


def _headroom(
    own: Judged, grades: Grades, measures: Sequence[Measure], written: Written, checked: Checked
) -> None:
    with_room = [m for m in measures if has_headroom(m)]
    for first, least in dict.fromkeys((m.cutoff or _CUTOFF, m.relevant_from) for m in with_room):
        alike = [m for m in with_room if (m.cutoff or _CUTOFF, m.relevant_from) == (first, least)]
        ordered, deeper, best = (
            written.scores(lists, grades, alike)
            for lists in better_lists(own.lists, grades, first, least)
        )
        for measure in alike:
            found, where = headroom(own.ranks, measure, _CUTOFF), own.where(measure)
            steps = [_in_order(own, table, measure) for table in (ordered, deeper, best)]
            # What is divided by the documents listed may fall as the list grows: nothing is added.
            steps[2] = np.maximum(steps[1], steps[2])
            sums = np.cumsum([found.score, found.order, found.below, found.missing], axis=0)[1:]
            for reached, step in zip(sums, steps, strict=True):
                # An empty list has no accuracy, say: nothing is said of what it lacks.
                held_to = np.where(np.isnan(found.score), np.nan, step)
                checked.of("headroom").take(reached, held_to, where)
            parts = np.stack([found.order, found.below, found.missing]).min(axis=0)
            below = np.minimum(np.nan_to_num(parts), 0)
            checked.of("headroom not below 0").take(below, np.zeros(len(below)), where)


def _what_if(
    own: Judged,
    qrels: Qrels,
    edits: Edits,
    measures: Sequence[Measure],
    written: Written,
    deviation: Deviation,
) -> None:
    grades = grades_of(qrels)
    lists, whole = edited(own.lists, grades, edits)
    every, top = written.scores(lists, whole, measures), top_grade(whole)
    for query_id, edit in edits.items():
        ranks = edit_ranks(own.run, qrels, query_id, [edit], edited_run=own.run.name)
        found = [measure.score(ranks) for measure in measures] if ranks.n_queries else []
        scores, alone = every, edited(own.lists, grades, {query_id: edit})
        if top_grade(alone[1]) != top:
            # The highest grade of all judgments is part of some scores: this edit by itself.
            scores = written.scores(*alone, measures)
        held_to = scores.loc[scores.index == query_id].to_numpy(dtype=np.float64).ravel()
        flat = np.concatenate([np.empty(0), *found])
        if len(flat) != len(held_to):
            raise AssertionError(f"query {query_id} of {own.run.name}: {edit} leaves it or not?")
        told = [f"{m} of {own.run.name}, query {query_id}, {edit}" for m in measures]
        deviation.take(flat, held_to, told.__getitem__)


def main() -> int:
    """Print what was found of each collection."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", type=Path, nargs="+", metavar="DIR", help="a collection")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    beyond = False
    for folder in options.data:
        started = time.perf_counter()
        for found in check(folder, explained_measures(), options.seed):
            print(
                f"{folder.name}: {found.queries:,} queries, {found.runs} runs,"
                f" {found.measures} measures, {time.perf_counter() - started:.0f} s"
            )
            for name, deviation in found.by_check.items():
                beyond |= deviation.largest > ALLOWED
                where = f"  ({deviation.where})" if deviation.where else ""
                print(f"    {name:24} {deviation.largest:.1e} of {deviation.scores:,}{where}")
    return int(beyond)


if __name__ == "__main__":
    sys.exit(main())
