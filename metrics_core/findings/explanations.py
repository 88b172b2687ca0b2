"""Explain why the runs have their scores on one query. The explanation is computed from the ranks
alone."""

from __future__ import annotations

import math
from collections.abc import Mapping

from metrics_core.base import wording as w
from metrics_core.comparing.pairs import SAME
from metrics_core.explaining.diagnosis import Diagnosis
from metrics_core.findings.changes import NO_GRADE_NAMES, explain_change, verb_for_number
from metrics_core.findings.sentence import Sentence, muted_span, run_span, strong_span

SEARCH_DEPTH = 100
"""Number of ranks that are searched before a text says "none is among the first …"."""


def explain(diagnosis: Diagnosis, grade_names: Mapping[float, str] = NO_GRADE_NAMES) -> Sentence:
    """Explain the scores of one query, for the top of its page.

    `grade_names` maps grades to adjectives, such as "highly"; other grades are written as numbers.
    """
    if not diagnosis.is_judged:
        return strong_span(
            "This query has no judgments, so it has no score. You can still read the lists."
        )
    if not diagnosis.n_relevant:
        nothing = "None of the judged documents is relevant to this query"
        zero = not diagnosis.standings["score"].any()
        return strong_span(f"{nothing}, so every run scores 0." if zero else f"{nothing}.")
    if not diagnosis.standings["relevant_in_top"].any():
        return _explain_missing_relevant_documents(diagnosis)
    if diagnosis.focus == diagnosis.baseline:
        return _explain_single_run(diagnosis)
    difference = diagnosis.score(diagnosis.focus) - diagnosis.score(diagnosis.baseline)
    if abs(difference) <= SAME + 1e-12:
        return _explain_tie(diagnosis)
    return explain_change(diagnosis, difference, grade_names)


def _explain_missing_relevant_documents(diagnosis: Diagnosis) -> Sentence:
    best = [
        (int(row["first_relevant"]), str(row["run"]))
        for row in diagnosis.standings.to_dict("records")
        if not math.isnan(row["first_relevant"])
    ]
    single = len(diagnosis.standings) == 1
    object_text = f"relevant document in its top {diagnosis.cutoff}; "
    head = (
        run_span(diagnosis.focus) + strong_span(" has no ")
        if single
        else strong_span("No run has a ")
    )
    head += strong_span(object_text)
    nearest = [(rank, name) for rank, name in best if rank <= SEARCH_DEPTH]
    if not nearest:
        first = f"its first {SEARCH_DEPTH}" if single else f"the first {SEARCH_DEPTH} of any run"
        return head + muted_span(f"none is among {first}.")
    rank, name = min(nearest)
    stands = muted_span(f"the highest is at rank {rank}")
    return (
        head
        + stands
        + (Sentence() if single else muted_span(" in ") + run_span(name))
        + muted_span(".")
    )


def _explain_single_run(diagnosis: Diagnosis) -> Sentence:
    row = diagnosis.standings.set_index("run").loc[diagnosis.focus]
    n_found = int(row["relevant_in_top"])
    return (
        run_span(diagnosis.focus)
        + strong_span(
            f" has {n_found} of {diagnosis.n_relevant} relevant"
            f" {w.plural(diagnosis.n_relevant, 'document')} in its top {diagnosis.cutoff}; "
        )
        + muted_span(f"the first is at rank {int(row['first_relevant'])}.")
        if n_found
        else run_span(diagnosis.focus)
        + strong_span(f" has no relevant document in its top {diagnosis.cutoff}.")
    )


def _explain_tie(diagnosis: Diagnosis) -> Sentence:
    focus, baseline, k = diagnosis.focus, diagnosis.baseline, diagnosis.cutoff
    ours, theirs = diagnosis.score(focus), diagnosis.score(baseline)
    if w.format_score(ours) == w.format_score(theirs):
        head = strong_span(f"Both score {w.format_score(ours)}") + muted_span(
            f" on {diagnosis.measure}; "
        )
    else:
        head = strong_span(
            f"Both runs score about the same, {w.format_score(ours)} and {w.format_score(theirs)}"
        )
        head += muted_span(f" on {diagnosis.measure}; ")
    in_focus = _relevant_ranks(diagnosis, focus)
    in_baseline = _relevant_ranks(diagnosis, baseline)
    if not in_focus and not in_baseline:
        return head + muted_span(f"neither has a relevant document in its top {k}.")
    if in_focus == in_baseline:
        documents_text = _format_document_count(len(in_focus), "relevant document")
        places = w.plural(len(in_focus), "rank")
        return head + muted_span(
            f"the same {documents_text} {verb_for_number(len(in_focus))} at the same {places}."
        )
    if in_focus.keys() == in_baseline.keys():
        documents_text = _format_document_count(len(in_focus), "relevant document")
        n_moved = sum(in_focus[d] != in_baseline[d] for d in in_focus)
        if n_moved < len(in_focus):
            subject = (
                f"{w.number_word(n_moved)} of the same {documents_text} {verb_for_number(n_moved)}"
            )
        else:
            subject = f"the same {documents_text} {verb_for_number(n_moved)}"
        return head + muted_span(
            f"{subject} at {'another rank' if n_moved == 1 else 'other ranks'}."
        )
    shared = len(in_focus.keys() & in_baseline.keys())
    of_them = (
        f"{w.number_word(shared) if shared else 'none'} of them {'are' if shared > 1 else 'is'}"
    )
    return (
        head
        + run_span(focus)
        + muted_span(
            f" has {w.number_word(len(in_focus))} relevant {w.plural(len(in_focus), 'document')}"
            f" in its top {k}, "
        )
        + run_span(baseline)
        + muted_span(f" {w.number_word(len(in_baseline))}; {of_them} in both.")
    )


def _format_document_count(n: int, noun: str) -> str:
    return noun if n == 1 else f"{w.number_word(n)} {noun}s"


def _relevant_ranks(diagnosis: Diagnosis, name: str) -> dict[str, int]:
    top = diagnosis.rankings[name].head(diagnosis.cutoff)
    top = top[top["grade"] >= diagnosis.relevant_from]
    return dict(zip(top["doc_id"], top["rank"].astype(int), strict=True))
