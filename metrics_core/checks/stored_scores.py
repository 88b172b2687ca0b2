"""Compare scores that a results file contains with the scores computed from its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.errors import NoSharedQueriesError, RanklensError
from metrics_core.base.notes import Note, note_on_cases
from metrics_core.formats import Loaded
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import Measure, parse_measure
from metrics_core.tables import Qrels, Run

TOLERANCE = 1e-6
"""Differences between a stored and a computed score are reported if they are larger than this."""


def compare_stored_scores(loaded_tables: Sequence[Loaded]) -> list[Loaded]:
    """Return the tables of one set of files, with notes on the scores that are stored in run files.

    The stored scores are compared with scores computed from the set's judgments. The note of a run
    gives, for each measure, the number of queries whose stored and computed scores differ."""
    qrels = next((part.table for part in loaded_tables if isinstance(part.table, Qrels)), None)
    return [
        replace(
            part, table=part.table.with_notes(*_stored_score_notes(part.table, qrels, part.stored))
        )
        if isinstance(part.table, Run) and qrels is not None and part.stored
        else part
        for part in loaded_tables
    ]


def _stored_score_notes(
    run: Run, qrels: Qrels, stored_scores: Mapping[str, Mapping[str, float]]
) -> tuple[Note, ...]:
    try:
        ranks = join_judgments(run, qrels)
    except NoSharedQueriesError:
        return ()
    differing = {}
    for name in dict.fromkeys(name for scores in stored_scores.values() for name in scores):
        measure = _parse_stored_name(name)
        if measure is not None:
            differing[name] = _find_differing_queries(ranks, measure, name, stored_scores)
    differing_queries = {name: queries for name, queries in differing.items() if queries}
    if not differing_queries:
        return ()
    queries = list(dict.fromkeys(q for query_ids in differing_queries.values() for q in query_ids))
    counts_text = w.join_words(
        [f"{name} ({len(query_ids):,})" for name, query_ids in differing_queries.items()]
    )
    message = (
        f"for {w.format_query_count(len(queries))}, the scores in the file differ from the"
        f" scores computed here: {counts_text}"
    )
    return (note_on_cases("stored_scores", message, queries, loud=True),)


def _parse_stored_name(name: str) -> Measure | None:
    """Return the measure that a stored name refers to; None if there is no such measure. The name
    is spelled like `precision@3` or like `precision_at_3`."""
    try:
        return parse_measure(name.replace("_at_", "@"))
    except RanklensError:
        return None


def _find_differing_queries(
    ranks: JudgedRanks,
    measure: Measure,
    name: str,
    stored_scores: Mapping[str, Mapping[str, float]],
) -> list[str]:
    computed = dict(zip(ranks.query_ids, measure.score(ranks), strict=True))
    return [
        query_id
        for query_id, scores in stored_scores.items()
        if name in scores
        and query_id in computed
        and not np.isclose(scores[name], computed[query_id], rtol=0, atol=TOLERANCE)
    ]
