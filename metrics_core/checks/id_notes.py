"""Notes on ids that do not match, for each run. The module that searches for mappings is imported
only when it is needed, which is rare."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metrics_core.base.notes import Note
from metrics_core.checks.fit import do_queries_match, lacks_judged_documents
from metrics_core.judging import JudgedRanks
from metrics_core.tables import Qrels, Run


def query_id_notes(runs: Sequence[Run], qrels: Qrels) -> list[tuple[str, Note]]:
    """Return (run name, note) for each run that would match far more queries with a mapping of
    query ids."""
    if all(do_queries_match(run, qrels) for run in runs):
        return []
    from metrics_core.checks.id_mismatch import find_query_mismatches

    mismatches = find_query_mismatches({run.name: run for run in runs}, qrels)
    return [(name, mismatch.note()) for name, mismatch in mismatches.items()]


def document_id_notes(
    judged: Sequence[JudgedRanks], run_loaders: Sequence[Callable[[], Run | None]], qrels: Qrels
) -> list[tuple[str, Note]]:
    """Return (run name, note) for each run that would match far more judged documents with a
    mapping of document ids.

    `judged` are the judged ranks of the runs (the ranks of their judged documents), and
    `run_loaders` has a function for each of these runs. The function loads either the whole run or
    the complete lists of some of its queries. It returns None if this is impossible."""
    if not any(map(lacks_judged_documents, judged)):
        return []
    from metrics_core.checks.id_mismatch import find_document_mismatches

    lists = {ranks.run_name: (ranks, load) for ranks, load in zip(judged, run_loaders, strict=True)}
    mismatches = find_document_mismatches(lists, qrels)
    return [(name, mismatch.note()) for name, mismatch in mismatches.items()]
