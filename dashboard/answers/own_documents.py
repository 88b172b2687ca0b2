"""A query's own document, which is the document with the same id as the query: whether the lists
contain it, and whether it is excluded. Used by the Files page and for the notes above all pages."""

from __future__ import annotations

from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.judging.exclusions import self_match_notes


def has_self_matches(study: Study) -> bool:
    """Return whether there is a run in which most lists contain their query's own document (the
    document with the same id). The result is also true if own documents are already excluded."""
    if study.settings.exclude_self:
        return True
    return any(study.cached_answer(_run_has_self_matches, name) for name in study.runs)


def exclusion_sentence(study: Study) -> str:
    """Return a sentence that says which documents are excluded from the runs. It is "" if no
    document is excluded."""
    if not study.settings.exclude_self:
        return ""
    rows = sum(
        note.count
        for run in study.runs.values()
        for note in run.notes
        if note.kind == "exclude_self"
    )
    runs = len(study.runs)
    return (
        f"Each query's own document is left out of every run ({w.format_count(rows)}"
        f" {w.plural(rows, 'row')} in {w.format_with_noun(runs, 'run')})."
    )


def _run_has_self_matches(study: Study, name: str) -> bool:
    return bool(self_match_notes(study.runs[name]))
