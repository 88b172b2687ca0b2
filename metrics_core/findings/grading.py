"""State how many documents remain to be judged, and what judging them could change."""

from __future__ import annotations

from metrics_core.base import wording as w
from metrics_core.findings.robustness import ComparedPair
from metrics_core.findings.sentence import Sentence, muted_span, run_span, strong_span
from metrics_core.unjudged.next_judgments import NextJudgments


def judging_finding(
    cutoff: int, n_unjudged: int | None, n_to_settle: int | None, leader: str = ""
) -> Sentence:
    """Return the title of the list of documents that remain to be judged.

    `n_unjudged` is the number of documents within the cutoff of either run that have no grade in
    the files; None if the lists are too long to count. `n_to_settle` is the number of documents
    that could settle the comparison: if the first `n_to_settle` documents turn out not relevant,
    the sign of the difference is safe. It is 0 if the sign is already safe, and None if unknown.
    `leader` is the run with the better mean."""
    if n_unjudged is None:
        return strong_span("Too many results to judge one by one")
    if not n_unjudged:
        return strong_span(f"Every document in the top {cutoff} is judged")
    noun = w.plural(n_unjudged, "document")
    if n_to_settle is None:
        return strong_span(f"{n_unjudged:,} unjudged {noun} in the top {cutoff}")
    if not n_to_settle:
        ahead = run_span(leader) + strong_span(" has the better mean")
        return strong_span(f"{n_unjudged:,} unjudged {noun} cannot reverse the order: ") + ahead
    # Judging does not remove chance: with few queries nothing is tested, and no run leads.
    documents = f"{n_to_settle:,} {w.plural(n_to_settle, 'document')}"
    return strong_span(f"Judging {documents} could rule out a reversal")


def judging_subtitle(
    focus: str,
    baseline: str,
    cutoff: int,
    *,
    n_unjudged: int | None,
    n_to_settle: int | None,
) -> Sentence:
    """Explain the title of `judging_finding`, including when the result is confirmed."""
    lists = (
        run_span(focus)
        if focus == baseline
        else run_span(focus) + muted_span(" or ") + run_span(baseline)
    )
    if n_unjudged is None:
        return muted_span("Filter the queries or choose a smaller cutoff.")
    if not n_unjudged:
        return (
            muted_span(f"The uploaded judgments cover the whole top {cutoff} of ")
            + lists
            + muted_span(".")
        )
    if not n_to_settle:
        return muted_span(f"In the top {cutoff} of ") + lists + muted_span(".")
    n_rest = n_unjudged - n_to_settle
    these = f"none of these {n_to_settle:,} documents is" if n_to_settle > 1 else "it is not"
    others = f"the {w.format_count(n_rest)} {w.plural(n_rest, 'other')} cannot"
    return muted_span(
        f"If {these} relevant, {others if n_rest else 'nothing can'} reverse the order of the runs."
    )


def all_judged_finding(n_to_settle: int) -> Sentence:
    """Return the title that is shown if all documents that could settle the comparison are now
    judged.

    `n_to_settle` is the number of these documents according to the judgments in the files."""
    return strong_span(
        f"{n_to_settle:,} of {n_to_settle:,} judged" if n_to_settle > 1 else "1 of 1 judged"
    )


def judgments_effect_finding(
    difference: float, worst_difference: float | None, *, can_reverse: bool
) -> Sentence:
    """Describe the effect of the new judgments: the difference and its worst case.

    `worst_difference` is None if it was not computed. `can_reverse` is whether the documents that
    are still unjudged could reverse the order."""
    if worst_difference is None:
        return muted_span(f"The difference is now {w.format_difference(difference)}.")
    rest_text = (
        "other documents could still reverse the order"
        if can_reverse
        else "nothing can reverse the order"
    )
    return muted_span(
        f"The worst-case difference is now {w.format_difference(worst_difference)}: {rest_text}."
    )


def judge_next_finding(next_judgments: NextJudgments, pair: ComparedPair, n_unjudged: int) -> str:
    """State what could change if the unjudged documents were judged, starting with the most
    influential ones.

    `n_unjudged` is the number of documents without a grade in either list."""
    if pair.side == 0:
        if next_judgments.table.empty:
            return "The runs stay tied, whatever grades the unjudged documents get."
        return "Effects in both directions count, because the runs are tied."
    trailing_run = pair.leader(-pair.side)
    if next_judgments.n_to_settle == 0:
        safe = (
            "The verdict is safe"
            if pair.is_significant
            else f"{pair.leader(pair.side)} has the better mean"
        )
        return f"{safe}, whatever grades the unjudged documents get."
    if next_judgments.n_to_settle is not None:
        documents = _helping_documents_phrase(next_judgments.n_to_settle, n_unjudged, trailing_run)
        verb = w.plural(next_judgments.n_to_settle, "is", "are")
        n_others = n_unjudged - next_judgments.n_to_settle
        limit = f"the other {w.format_count(n_others)} cannot" if n_others else "nothing can"
        return f"If {documents} {verb} judged not relevant, {limit} reverse the order."
    if next_judgments.n_to_reverse is not None:
        documents = _helping_documents_phrase(next_judgments.n_to_reverse, n_unjudged, trailing_run)
        return f"If {documents} got the highest grade, {trailing_run} would have the better mean."
    return "Judging these documents alone would not decide the order."


def _helping_documents_phrase(n: int, n_unjudged: int, run: str) -> str:
    """Return a phrase for the `n` of `n_unjudged` unjudged documents that could help `run` most."""
    if n == n_unjudged:
        return (
            "the one unjudged document" if n == 1 else f"all {w.format_count(n)} unjudged documents"
        )
    return f"the {f'{n:,} documents' if n > 1 else 'document'} that could help {run} most"
