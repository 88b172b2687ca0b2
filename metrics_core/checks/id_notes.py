"""Notes of ids that do not meet, run by run. The search for other readings is loaded only if one is
needed, which is rare."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metrics_core.base.notes import Note
from metrics_core.checks.fit import misses_judged_documents, queries_meet
from metrics_core.judging import JudgedRanks
from metrics_core.tables import Qrels, Run


def query_id_notes(runs: Sequence[Run], qrels: Qrels) -> list[tuple[str, Note]]:
    """Return the names of the runs that another reading of query ids would match far more of, each
    with its note."""
    if all(queries_meet(run, qrels) for run in runs):
        return []
    from metrics_core.checks.id_mismatch import query_mismatches

    mismatches = query_mismatches({run.name: run for run in runs}, qrels)
    return [(name, mismatch.note()) for name, mismatch in mismatches.items()]


def document_id_notes(
    judged: Sequence[JudgedRanks], loads: Sequence[Callable[[], Run | None]], qrels: Qrels
) -> list[tuple[str, Note]]:
    """Return the same of document ids. `loads` load the run of each of the judged ranks, or whole
    lists of some of its queries; None if they cannot."""
    if not any(map(misses_judged_documents, judged)):
        return []
    from metrics_core.checks.id_mismatch import document_mismatches

    lists = {own.run_name: (own, load) for own, load in zip(judged, loads, strict=True)}
    mismatches = document_mismatches(lists, qrels)
    return [(name, mismatch.note()) for name, mismatch in mismatches.items()]
