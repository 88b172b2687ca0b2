"""Describe what changed between two runs without judgments. The sentences do not say which run is
better."""

from __future__ import annotations

from metrics_core.base import wording as w
from metrics_core.explaining.diagnosis import Diagnosis
from metrics_core.explaining.list_changes import ListChanges
from metrics_core.findings.sentence import Sentence, muted_span, run_span, strong_span
from metrics_core.findings.verdicts import VerdictFinding

NOT_JUDGED = "The results are not judged yet, so this shows what changed, not which list is right."


def describe_change_class(fewest: int, most: int) -> str:
    """Return the name of the class of change with `fewest` to `most` new documents
    (`ListChanges.change_classes`)."""
    if most < 1:
        return "other order" if most == 0 else "same list"
    count = w.format_count(most) if fewest == most else f"{fewest}{w.DASH}{most}"
    return f"{count} new"


def list_changes_finding(changes: ListChanges) -> VerdictFinding:
    """State the number of queries whose first k results changed, how many documents stay, and that
    the results are not judged."""
    return VerdictFinding(_title(changes), _subtitle(changes), "not judged", "few")


def _title(changes: ListChanges) -> Sentence:
    n, n_changed = len(changes.query_ids), changes.n_changed
    run, baseline = run_span(changes.run), run_span(changes.baseline)
    if not n_changed:
        queries = f"all {w.format_count(n)} queries" if n > 1 else "the query"
        text = f" give the same top {changes.k} for {queries}"
        return run + strong_span(" and ") + baseline + strong_span(text)
    share = "all" if n_changed == n else f"{w.format_count(n_changed)} of"
    queries = f"{share} {w.format_count(n)} queries" if n > 1 else "the query"
    return run + strong_span(f" changes the top {changes.k} of {queries}")


def _subtitle(changes: ListChanges) -> Sentence:
    if not changes.n_changed:
        return muted_span(NOT_JUDGED)
    mean_kept, n_none = changes.n_kept.mean(), int((changes.overlap == 0).sum())
    none = (
        f"{w.format_with_noun(n_none, 'query shares', 'queries share')} none"
        if n_none
        else "every query keeps at least one"
    )
    parts = [
        f"{mean_kept:.1f} of {changes.k} {w.plural(changes.k, 'document')} stay on average; {none}."
    ]
    if changes.n_short:
        have = w.plural(changes.n_short, "query has", "queries have")
        parts.append(
            f"{w.format_count(changes.n_short)} {have} lists shorter than {changes.k}"
            " results, so their overlap is a share of the longer list."
        )
    return muted_span(" ".join([*parts, NOT_JUDGED]))


def explain_list_changes(diagnosis: Diagnosis) -> Sentence:
    """Describe how the first k results of one query differ from the baseline's."""
    k, not_judged = diagnosis.cutoff, muted_span(" This query is not judged yet.")
    run, baseline = run_span(diagnosis.focus), run_span(diagnosis.baseline)
    rows = diagnosis.align_rankings(diagnosis.focus, diagnosis.baseline, k)
    before = diagnosis.align_rankings(diagnosis.baseline, diagnosis.focus, k)
    for name, own_rows in ((run, rows), (baseline, before)):
        if not own_rows:
            return name + strong_span(" has no results for this query.") + not_judged
    n_new = sum(not row["other_rank"] <= k for row in rows)
    n_kept = len(rows) - n_new
    if n_new or n_kept < len(before):
        text = f" {w.plural(n_new, 'document is', 'documents are')} new in the top {k}; "
        first = strong_span(w.format_count(n_new) + text) if n_new else Sentence()
        n = max(len(rows), len(before))
        stay = strong_span(f"{w.format_count(n_kept)} of {w.format_count(n)} stay.")
        return run + muted_span(": ") + first + stay + not_judged
    n_moved = sum(row["rank"] != row["other_rank"] for row in rows)
    if not n_moved:
        return strong_span("Both lists are the same.") + not_judged
    return (
        strong_span(
            "The same documents;"
            f" {w.format_with_noun(n_moved, 'changes its rank', 'change ranks')}."
        )
        + not_judged
    )
