"""Describe what changed between two runs without judgments. The sentences do not say which run is
better."""

from __future__ import annotations

from metrics_core.base import wording as w
from metrics_core.explaining.list_changes import ListChanges
from metrics_core.findings.sentence import Sentence, muted_span, run_span, strong_span

NOT_JUDGED = "The results are not judged yet: this shows what changed, not which list is right."


def list_changes_title(changes: ListChanges) -> Sentence:
    """State the number of queries whose first k results changed."""
    n, n_changed = len(changes.query_ids), int(changes.is_changed.sum())
    run, baseline = run_span(changes.run), run_span(changes.baseline)
    if not n_changed:
        queries = f"all {w.format_count(n)} queries" if n > 1 else "the query"
        text = f" give the same top {changes.k} for {queries}"
        return run + strong_span(" and ") + baseline + strong_span(text)
    share = "all" if n_changed == n > 1 else f"{w.format_count(n_changed)} of"
    queries = f"{share} {w.format_count(n)} {w.plural(n, 'query', 'queries')}"
    return run + strong_span(f" changes the top {changes.k} of {queries}")


def list_changes_subtitle(changes: ListChanges) -> Sentence:
    """Describe how many documents stay the same, and say that the results are not judged."""
    if not changes.is_changed.any():
        return muted_span(NOT_JUDGED)
    mean_kept, n_none = changes.n_kept.mean(), int((changes.overlap == 0).sum())
    none = (
        f"{w.format_count(n_none)} {w.plural(n_none, 'query shares', 'queries share')} none"
        if n_none
        else "every query keeps at least one"
    )
    parts = [
        f"{mean_kept:.1f} of {changes.k} {w.plural(changes.k, 'document')} stay on average; {none}."
    ]
    if changes.n_short:
        have = w.plural(changes.n_short, "query has", "queries have")
        parts.append(
            f"{w.format_count(changes.n_short)} {have} lists shorter than {changes.k}; there, the"
            " share of the longer list counts."
        )
    return muted_span(" ".join([*parts, NOT_JUDGED]))
