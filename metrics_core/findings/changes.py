"""Explain why a query's score changed: the documents whose change of rank accounts for most of the
difference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Mask
from metrics_core.explaining.diagnosis import Diagnosis
from metrics_core.explaining.top_document import TopDocument
from metrics_core.findings.sentence import Sentence, muted_span, run_span, strong_span

_MAX_NAMED = 3
_SUFFICIENT_SHARE = 0.7
_MAX_BEST = 5
_NEGLIGIBLE = 1e-9

NO_GRADE_NAMES: Mapping[float, str] = MappingProxyType({})


@dataclass(frozen=True)
class _Move:
    """A relevant document whose rank changed. `before` and `after` are its ranks; None means that
    it is not listed.

    `weight` is the absolute contribution of the document to the difference."""

    doc_id: str
    grade: float
    before: int | None
    after: int | None
    weight: float

    @property
    def has_fallen(self) -> bool:
        """Whether the document ranks lower than before or is not listed after the change."""
        return (self.after or math.inf) > (self.before or math.inf)


def verb_for_number(n: int) -> str:
    """Return the verb for n documents: "is" or "are"."""
    return "is" if n == 1 else "are"


def explain_change(
    diagnosis: Diagnosis, difference: float, grade_names: Mapping[float, str] = NO_GRADE_NAMES
) -> Sentence:
    """Explain why the run in focus scores `difference` higher or lower on the query.

    `grade_names` maps grades to adjectives, such as "highly"."""
    loses = difference < 0
    head = (
        run_span(diagnosis.focus)
        + muted_span(" scores ")
        + strong_span(w.format_score(abs(difference)))
        + muted_span(" lower" if loses else " higher")
    )
    unanswering_run = _find_empty_run(diagnosis, loses)
    if unanswering_run is not None:
        return (
            head
            + muted_span(": ")
            + run_span(unanswering_run)
            + muted_span(" has no results, so it scores 0.")
        )
    moves = _decisive_moves(diagnosis, loses)
    reasons = []
    if moves:
        reasons = [
            _describe_moves(diagnosis, moves, loses, grade_names),
            _describe_documents_above(diagnosis, moves, loses),
        ]
    because = "; ".join(filter(None, reasons))
    parts = [f": {because}." if because else ".", _describe_condensed_difference(diagnosis, loses)]
    return head + muted_span(" ".join(filter(None, parts)))


def summarise_change(
    top_document: TopDocument | None,
    worse_run: str,
    *,
    is_loss: bool,
    has_relevant: bool,
    cutoff: int,
) -> str:
    """Summarise a change of score in a few words, for a row of a list.

    `is_loss` is true if the score fell, and `worse_run` is the name of the worse run. If
    `top_document`, the best document of the query, moved in the same direction as the score, the
    text describes this move. Otherwise, if `has_relevant` is false, the text says that the worse
    run has nothing relevant in its top `cutoff`. In all other cases, the text is empty."""
    if top_document is not None and top_document.before != top_document.after:
        document = f"{'only relevant' if top_document.is_only_relevant else 'best'} document"
        if not top_document.after:
            text = (
                f"{document} no longer retrieved (was at rank {top_document.before})"
                if is_loss
                else ""
            )
        elif not top_document.before:
            text = "" if is_loss else f"{document} new at rank {top_document.after}"
        elif (top_document.after > top_document.before) == is_loss:
            text = f"{document}: rank {top_document.before} to {top_document.after}"
        else:
            text = ""
        if text:
            return text
    return "" if has_relevant else f"{worse_run}: nothing relevant in the top {cutoff}"


def _find_empty_run(diagnosis: Diagnosis, is_loss: bool) -> str | None:
    """Return the name of the worse run if this run has no results for the query; otherwise None."""
    worse = diagnosis.focus if is_loss else diagnosis.baseline
    return worse if diagnosis.rankings[worse].empty else None


def _decisive_moves(diagnosis: Diagnosis, is_loss: bool) -> list[_Move]:
    """Return the few relevant documents whose change of rank accounts for most of the
    difference."""
    before, after = diagnosis.ranks(diagnosis.baseline), diagnosis.ranks(diagnosis.focus)
    moves = [
        _Move(d, diagnosis.grades[d], before.get(d), after.get(d), abs(effect))
        for d, effect in diagnosis.effects.items()
        if (effect < -_NEGLIGIBLE if is_loss else effect > _NEGLIGIBLE)
    ]
    # Some measures lose when a document rises (AUC, if it enters near the end of the list). A
    # reader cannot see why, so it is not given as a reason.
    moves = [m for m in moves if m.has_fallen == is_loss]
    moves.sort(key=lambda m: (-m.weight, m.doc_id))
    total, decisive_moves = sum(m.weight for m in moves), list[_Move]()
    for move in moves[:_MAX_NAMED]:
        if decisive_moves and sum(m.weight for m in decisive_moves) >= _SUFFICIENT_SHARE * total:
            break
        decisive_moves.append(move)
    return decisive_moves


def _describe_moves(
    diagnosis: Diagnosis, moves: list[_Move], is_loss: bool, grade_names: Mapping[float, str]
) -> str:
    """Describe how these documents moved. Documents that moved in a similar way are described
    together."""
    k = diagnosis.cutoff
    fates: dict[str, list[_Move]] = {}
    for move in moves:
        rank, other_rank = (move.after, move.before) if is_loss else (move.before, move.after)
        fate = "unlisted" if rank is None else ("inside" if rank <= k else "outside")
        if other_rank is not None:
            fates.setdefault(fate, []).append(move)
    clauses = [
        _describe_moved_group(
            diagnosis, _describe_documents(diagnosis, group, grade_names), fate, group, is_loss
        )
        for fate, group in fates.items()
    ]
    return w.join_words(clauses)


def _describe_moved_group(
    diagnosis: Diagnosis, documents_text: str, group: str, moves: list[_Move], is_loss: bool
) -> str:
    moves = sorted(moves, key=lambda m: (m.before or 0, m.after or 0))
    old, new = _format_ranks([m.before for m in moves]), _format_ranks([m.after for m in moves])
    is_plural = len(moves) > 1
    if group in ("inside", "outside"):
        limit = f", below the top {diagnosis.cutoff}" * (is_loss and group == "outside")
        return f"{documents_text} {'fell' if is_loss else 'rose'} from {old} to {new}{limit}"
    if is_loss:
        be = "are" if is_plural else "is"
        return f"{documents_text}, previously at {old}, {be} no longer retrieved"
    return f"{documents_text} entered at {new} (not retrieved by {diagnosis.baseline})"


def _format_ranks(ranks: list[int | None]) -> str:
    listed_ranks = [str(r) for r in ranks if r is not None]
    return f"{w.plural(len(listed_ranks), 'rank')} {w.join_words(listed_ranks)}"


def _describe_documents(
    diagnosis: Diagnosis, moves: list[_Move], grade_names: Mapping[float, str]
) -> str:
    """Describe the moved documents by number and grade, in words.

    Examples are "the only highly relevant document" if the grade has a name, "the only document
    graded 3", and "two documents graded 1 and 2"."""
    best = max(diagnosis.grades.values())
    grades = [m.grade for m in moves]
    n_best = sum(grade == best for grade in diagnosis.grades.values())
    if diagnosis.n_relevant == 1:
        return "the only relevant document"
    unnamed = diagnosis.grades.keys() - {m.doc_id for m in moves}
    # "Three of the four fell" would imply that the fourth did not.
    others_moved = any(
        diagnosis.grades[d] == best and abs(diagnosis.effects.get(d, 0)) > _NEGLIGIBLE
        for d in unnamed
    )
    few_best = best > 1 and n_best <= _MAX_BEST and not others_moved
    if few_best and all(grade == best for grade in grades):
        of_them = "" if n_best == len(moves) else f"{w.number_word(len(moves))} of "
        count_text = "only" if n_best == 1 else w.number_word(n_best)
        return (
            f"{of_them}the {count_text}"
            f" {_graded_documents_phrase(best, w.plural(n_best, 'document'), grade_names)}"
        )
    noun = w.plural(len(moves), "document")
    article = "a" if len(moves) == 1 else w.number_word(len(moves))
    if best == 1:
        return f"{article} relevant {noun}"
    if len(set(grades)) == 1:
        return f"{article} {_graded_documents_phrase(grades[0], noun, grade_names)}"
    grades_text = w.join_words(w.format_grade(g) for g in sorted(set(grades), reverse=True))
    return f"{article} {noun} graded {grades_text}"


def _graded_documents_phrase(grade: float, noun: str, grade_names: Mapping[float, str]) -> str:
    """Return a noun phrase for documents of one grade. It uses the name of the grade if there is
    one."""
    name = grade_names.get(grade)
    return f"{name} relevant {noun}" if name else f"{noun} graded {w.format_grade(grade)}"


def _describe_documents_above(diagnosis: Diagnosis, moves: list[_Move], is_loss: bool) -> str:
    """State how many non-relevant and unjudged documents rank above the moved documents. The text
    is empty if there are none.

    For a loss, they are counted in the list of the run in focus, and documents that were already
    above the moved documents in the baseline are not counted. For a gain, they are counted in the
    baseline's list. The count covers the ranks above the lowest moved document, or the whole top k
    if a moved document is not in the top k."""
    name = diagnosis.focus if is_loss else diagnosis.baseline
    k = diagnosis.cutoff
    ranks = [(m.after if is_loss else m.before) for m in moves]
    reach = max(min(p, k + 1) if p is not None else k + 1 for p in ranks)
    documents_above = diagnosis.rankings[name]
    documents_above = documents_above[documents_above["rank"] < reach]
    if is_loss:
        if {name, diagnosis.baseline} & diagnosis.nameless:
            # The earlier ranks of nameless documents are unknown.
            documents_above = documents_above[documents_above["grade"].notna()]
        documents_above = documents_above[
            _mark_newly_above(diagnosis, documents_above, moves, reach)
        ]
    zero = int((documents_above["grade"] == 0).sum())
    unjudged = int(documents_above["grade"].isna().sum())
    parts = []
    if zero:
        noun = w.plural(zero, "document", "documents")
        parts.append(f"{w.number_word(zero)} non-relevant {noun}")
    if unjudged:
        noun = "" if zero else f" {w.plural(unjudged, 'document')}"
        parts.append(f"{w.number_word(unjudged)} unjudged{noun}")
    if not parts:
        return ""
    verb = verb_for_number(zero + unjudged)
    pronoun = "it" if len(moves) == 1 else "them"
    if reach > k:
        position_text = (
            f"{verb} now in its top {k}" if is_loss else f"{verb} in the top {k} of {name}"
        )
    else:
        position_text = (
            f"{verb} now above {pronoun}" if is_loss else f"{verb} above {pronoun} in {name}"
        )
    return f"{w.join_words(parts)} {position_text}"


def _mark_newly_above(
    diagnosis: Diagnosis, documents_above: pd.DataFrame, moves: list[_Move], lowest_rank: int
) -> Mask:
    """Return which documents of the run in focus are newly above the moved documents, bool[row].

    `documents_above` has the columns doc_id and rank. A document is newly above if it passed at
    least one of the moved documents. If not all moved documents are in the top k, a document is
    newly above if it is new in the top k."""
    ranks_before = (
        documents_above["doc_id"]
        .map(diagnosis.ranks(diagnosis.baseline))
        .fillna(math.inf)
        .to_numpy()
    )
    if lowest_rank > diagnosis.cutoff:
        return ranks_before > diagnosis.cutoff
    ranks_now = documents_above["rank"].to_numpy()
    is_passed = [
        (ranks_now < (m.after or math.inf)) & (ranks_before > (m.before or 0)) for m in moves
    ]
    return np.logical_or.reduce(is_passed)


def _describe_condensed_difference(diagnosis: Diagnosis, is_loss: bool) -> str:
    """Describe the difference that remains after unjudged documents are removed from both lists."""
    tops = [
        diagnosis.rankings[n].head(diagnosis.cutoff) for n in (diagnosis.focus, diagnosis.baseline)
    ]
    if not pd.concat(tops)["grade"].isna().any():
        return ""
    condensed = diagnosis.condensed_difference
    if math.isnan(condensed):
        return ""
    if abs(condensed) < 0.0005:
        return f"If unjudged documents are ignored, the {'loss' if is_loss else 'gain'} disappears."
    noun = "loss" if condensed < 0 else "gain"
    size = w.format_score(abs(condensed))
    difference = diagnosis.score(diagnosis.focus) - diagnosis.score(diagnosis.baseline)
    if w.format_score(condensed) == w.format_score(difference):
        return ""
    if (condensed < 0) == is_loss:
        return f"If unjudged documents are ignored, the {noun} is {size}."
    return f"If unjudged documents are ignored, the difference is a {noun} of {size}."
