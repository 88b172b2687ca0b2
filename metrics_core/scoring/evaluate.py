"""evaluate(): per-query scores of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics_core import wording as w
from metrics_core.errors import RanklensError
from metrics_core.judging import JudgedRanks, judge
from metrics_core.measures import Measure, parse_measure
from metrics_core.notes import Note
from metrics_core.tables import Documents, Qrels, Run

WithoutRelevant = Literal["zero", "leave out"]


def evaluate(
    runs: Run | Iterable[Run],
    qrels: Qrels,
    measures: Iterable[str | Measure],
    *,
    without_relevant: WithoutRelevant = "zero",
    documents: Documents | None = None,
) -> pd.DataFrame:
    """Per-query scores: columns run, query_id and one float64 column a measure, named canonically.

    One row for each run and judged query, a query missing from the run included (it scores 0).
    `without_relevant="leave out"` gives NaN to judged queries that have no relevant document,
    which trec_eval counts as 0. `documents` are for measures of their columns, such as a price.
    Raises UnknownMeasureError, ParameterError, NoSharedQueriesError, LackingDataError, and
    RanklensError where two runs share a name.
    """
    listed = [runs] if isinstance(runs, Run) else list(runs)
    names = [run.name for run in listed]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RanklensError(f"Two runs are named {twice!r}.", "Rename one: run.renamed('other').")
    parsed = [parse_measure(m) for m in measures]
    judged = [judge(run, qrels, documents=documents) for run in listed]
    return score_frame(judged, parsed, without_relevant=without_relevant)


def score_frame(
    judged: Sequence[JudgedRanks],
    measures: Sequence[Measure],
    *,
    without_relevant: WithoutRelevant = "zero",
) -> pd.DataFrame:
    """The frame of `evaluate` from runs that are judged already."""
    parts = []
    for ranks in judged:
        part = pd.DataFrame({"run": ranks.run_name, "query_id": np.array(ranks.query_ids, object)})
        for measure in measures:
            part[str(measure)] = scores(ranks, measure, without_relevant=without_relevant)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def scores(
    ranks: JudgedRanks, measure: Measure, *, without_relevant: WithoutRelevant = "zero"
) -> npt.NDArray[np.float64]:
    """Per-query scores of one measure, float64[Q]; NaN where a query has no defined score."""
    values = measure.score(ranks)
    if without_relevant == "leave out" and measure.declaration.combination.averaged:
        values = np.where(ranks.n_relevant(measure.relevant_from) > 0, values, np.nan)
    return values


def tie_range(run: Run, qrels: Qrels, measures: Sequence[Measure]) -> list[tuple[float, float]]:
    """Lowest and highest mean of each measure that any order of the tied documents gives; sums
    where a measure is summed. For measures that depend on the grades of documents alone, and rise
    or fall with them."""
    extremes = (judge(run, qrels, ties="worst"), judge(run, qrels, ties="best"))
    spans = [[_total(ranks, measure) for ranks in extremes] for measure in measures]
    return [(min(span), max(span)) for span in spans]


def _total(ranks: JudgedRanks, measure: Measure) -> float:
    return float(measure.declaration.combination.of(measure.score(ranks)))


def with_tie_range(
    notes: Sequence[Note], run: Run, qrels: Qrels, measures: Sequence[Measure]
) -> list[Note]:
    """The notes of a judged run; a loud one on ties also says which means the ties allow."""
    # Subtopics, prices and a table of gains may put tied documents in another order than grades.
    graded = [m for m in measures if not m.declaration.needs and not m.value("gains")]
    return [
        _with_range(note, run, qrels, graded) if note.kind == "ties" and note.loud else note
        for note in notes
    ]


def _with_range(note: Note, run: Run, qrels: Qrels, measures: Sequence[Measure]) -> Note:
    spans = zip(measures, tie_range(run, qrels, measures), strict=True)
    written = [(str(m), w.score(low), w.score(high)) for m, (low, high) in spans]
    moved = [f"{name} {low} to {high}" for name, low, high in written if low != high]
    allowed = w.listing(moved) if moved else "no other score"
    return replace(note, message=f"{note.message}; the ties allow {allowed}")


def score_notes(
    ranks: JudgedRanks,
    measures: Sequence[Measure] = (),
    *,
    without_relevant: WithoutRelevant = "zero",
) -> list[Note]:
    """What the scores of a run rest on: queries that count 0 or not at all, cutoffs beyond its
    depth."""
    about_queries = [
        _query_note("missing", ranks.missing_queries, "judged {} missing"),
        _query_note("unjudged", ranks.unjudged_queries, "{} without judgments", counts=False),
        *_without_relevant(ranks, measures, counts=without_relevant == "zero"),
        *(_undefined(ranks, m) for m in measures if "documents" in m.declaration.needs),
    ]
    return [note for note in about_queries if note.count] + _depth_notes(ranks, measures)


def _without_relevant(
    ranks: JudgedRanks, measures: Sequence[Measure], *, counts: bool
) -> list[Note]:
    """Queries without a document of the lowest grade that a measure counts, and of each higher one,
    where those are more."""
    notes = []
    told = 0
    levels = sorted({m.relevant_from for m in measures} or {1.0})
    for level in levels:
        lacking = tuple(ranks.query_ids[i] for i in np.flatnonzero(ranks.n_relevant(level) == 0))
        what = "judged {} without a relevant document"
        if level > 1 or level > levels[0]:
            what += f" of grade {level:g} or more"
        if len(lacking) > told:
            notes.append(_query_note("no_relevant", lacking, what, counts=counts))
            told = len(lacking)
    return notes


def _undefined(ranks: JudgedRanks, measure: Measure) -> Note:
    """Queries for which a measure of the documents finds no value where it needs one."""
    scores = np.zeros(0) if measure.lacks(ranks) else measure.score(ranks)
    queries = tuple(ranks.query_ids[i] for i in np.flatnonzero(np.isnan(scores)))
    return _query_note(
        "undefined", queries, f"{{}} for which {measure} is not defined", counts=False
    )


def _query_note(kind: str, queries: tuple[str, ...], what: str, *, counts: bool = True) -> Note:
    n = len(queries)
    fate = w.plural(n, "it counts 0", "they count 0") if counts else "left out"
    subject = what.format(w.plural(n, "query", "queries"))
    return Note(kind, f"{n:,} {subject}; {fate}", n, queries[:3])


def _depth_notes(ranks: JudgedRanks, measures: Sequence[Measure]) -> list[Note]:
    depth = int(ranks.retrieved.max(initial=0))
    deeper = [str(m) for m in measures if m.cutoff is not None and m.cutoff > depth]
    if not deeper or not depth:
        return []
    looks = w.plural(len(deeper), "looks", "look")
    listed = f"{depth:,} {w.plural(depth, 'document')}"
    message = f"{w.listing(deeper)} {looks} beyond the run, which lists at most {listed} a query"
    return [Note("depth", message, len(deeper))]
