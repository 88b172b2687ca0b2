"""Notes on facts that affect a run's scores: missing queries, ties, and cutoffs beyond the run's
depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.notes import Note, note_on_cases
from metrics_core.judging import JudgedRanks
from metrics_core.judging.ties import tie_extremes
from metrics_core.measures import Measure
from metrics_core.scoring.scores import WithoutRelevant


def tie_range(ranks: JudgedRanks, measures: Sequence[Measure]) -> list[tuple[float, float]]:
    """Return the lowest and highest combined score of each measure (its mean or sum) over all
    orders of the tied documents.

    This is valid only for measures that depend only on the documents' grades and are monotone in
    them."""
    extremes = tie_extremes(ranks)
    spans = [
        [float(m.declaration.combination.combine(m.score(end))) for end in extremes]
        for m in measures
    ]
    return [(min(span), max(span)) for span in spans]


def add_range_to_tie_notes(ranks: JudgedRanks, measures: Sequence[Measure]) -> list[Note]:
    """Return the notes of a judged run. To each note on ties that is prominent (`loud`), the range
    of the mean scores over all orders of the tied documents is added."""
    # With subtopics, prices or a table of gains the best order of tied documents may not be by
    # grade.
    graded = [m for m in measures if not m.declaration.needs and not m.value("gains")]
    return [
        _add_range_to_note(note, ranks, graded) if note.kind == "ties" and note.loud else note
        for note in ranks.notes
    ]


def _add_range_to_note(note: Note, ranks: JudgedRanks, measures: Sequence[Measure]) -> Note:
    spans = zip(measures, tie_range(ranks, measures), strict=True)
    written = [(str(m), w.format_score(low), w.format_score(high)) for m, (low, high) in spans]
    changed = [f"{name} {low} to {high}" for name, low, high in written if low != high]
    allowed = w.join_words(changed) if changed else "the same scores"
    return replace(note, message=f"{note.message}; other tie orders give {allowed}")


def score_notes(
    ranks: JudgedRanks,
    measures: Sequence[Measure] = (),
    *,
    without_relevant: WithoutRelevant = "zero",
) -> list[Note]:
    """Return notes on facts that affect a run's scores: queries scored 0 or excluded, and cutoffs
    beyond the run's depth."""
    about_queries = [
        _affected_queries_note(
            "missing", ranks.missing_queries, "judged {} without results", loud=True
        ),
        _affected_queries_note(
            "unjudged", ranks.unjudged_queries, "{} without judgments", is_scored_zero=False
        ),
        *_notes_on_queries_without_relevant(
            ranks, measures, is_scored_zero=without_relevant == "zero"
        ),
        *(_undefined_note(ranks, m) for m in measures if "documents" in m.declaration.needs),
    ]
    return [note for note in about_queries if note.count] + _depth_notes(ranks, measures)


def _notes_on_queries_without_relevant(
    ranks: JudgedRanks, measures: Sequence[Measure], *, is_scored_zero: bool
) -> list[Note]:
    """Return notes on queries without a relevant document. The first note is for the lowest grade
    that a measure counts as relevant. A higher grade that another measure requires gets a separate
    note if more queries have no document of that grade."""
    notes = []
    n_reported = 0
    levels = sorted({m.relevant_from for m in measures} or {1.0})
    for level in levels:
        lacking = tuple(ranks.query_ids[i] for i in np.flatnonzero(ranks.n_relevant(level) == 0))
        what = "judged {} without a relevant document"
        if level > 1 or level > levels[0]:
            what += f" of grade {level:g} or more"
        if len(lacking) > n_reported:
            notes.append(
                _affected_queries_note("no_relevant", lacking, what, is_scored_zero=is_scored_zero)
            )
            n_reported = len(lacking)
    return notes


def _undefined_note(ranks: JudgedRanks, measure: Measure) -> Note:
    """Return a note on the queries for which a measure that uses document columns is undefined."""
    scores = np.zeros(0) if measure.find_missing_data(ranks) else measure.score(ranks)
    queries = tuple(ranks.query_ids[i] for i in np.flatnonzero(np.isnan(scores)))
    return _affected_queries_note(
        "undefined", queries, f"{{}} with undefined {measure}", is_scored_zero=False
    )


def _affected_queries_note(
    kind: str,
    queries: tuple[str, ...],
    phrase: str,
    *,
    is_scored_zero: bool = True,
    loud: bool = False,
) -> Note:
    fate = "scored 0" if is_scored_zero else "excluded"
    subject = phrase.format(w.plural(len(queries), "query", "queries"))
    return note_on_cases(kind, f"{len(queries):,} {subject}; {fate}", queries, loud=loud)


def _depth_notes(ranks: JudgedRanks, measures: Sequence[Measure]) -> list[Note]:
    depth = int(ranks.retrieved.max(initial=0))
    deeper = [str(m) for m in measures if m.cutoff is not None and m.cutoff > depth]
    if not deeper or not depth:
        return []
    looks = w.plural(len(deeper), "exceeds", "exceed")
    listed = f"{depth:,} {w.plural(depth, 'document')}"
    message = f"{w.join_words(deeper)} {looks} the depth of the run (at most {listed} per query)"
    return [Note("depth", message, len(deeper))]
