"""Headline of the Data page: the loaded files and whether they match."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_core.base import wording as w
from metrics_core.findings.sentence import Sentence, muted_span, strong_span


def files_finding(
    n_loaded: int,
    n_refused: int,
    *,
    files_fit: bool,
    n_unjudged: int = 0,
    missing_table: str = "",
    n_incomplete: int = 0,
    unclear_files: Sequence[str] = (),
    ambiguous_files: Sequence[str] = (),
    n_waiting: int = 0,
    has_only_scores: bool = False,
    is_unjudged: bool = False,
) -> Sentence:
    """State how many files are loaded, how many could not be read, and whether the ids of the runs
    match the ids of the judgments.

    n_refused        files that could not be read, including files that need the user's choice
    n_unjudged       queries of the runs that have no judgments
    missing_table    the files that are still needed for a comparison ("judgments"), or ""
    n_incomplete     number of runs that lack results for some of the judged queries
    unclear_files    files whose fields are unknown
    ambiguous_files  files that may be a run or judgments
    n_waiting        number of the `n_refused` files that are unclear or ambiguous
    has_only_scores  whether there are given scores, but no runs with judgments
    is_unjudged      whether there are runs and no judgments"""
    if not n_loaded and not n_refused:
        return strong_span("Nothing is loaded yet. ") + muted_span("Add judgments and runs.")
    n_refused -= n_waiting
    files = f"{w.sentence_case(w.number_word(n_loaded))} {w.plural(n_loaded, 'file')}"
    are = f"{files} {w.plural(n_loaded, 'is', 'are')} loaded"
    unread_text = (
        f"{w.sentence_case(w.number_word(n_refused))} could not be read. " if n_refused else ""
    )
    if missing_table:
        statement = f"Add {missing_table}."
    elif is_unjudged and files_fit:
        statement = "No judgments are loaded, so pages show what changed between the runs."
    elif not files_fit:
        statement = "Not every id in the runs matches the judgments."
    elif n_unjudged:
        statement = (
            f"{w.format_with_noun(n_unjudged, 'query in the runs has', 'queries in the runs have')}"
            " no judgments."
        )
    elif has_only_scores:
        statement = (
            "Only scores are loaded, so pages that need result lists and judgments are hidden."
        )
    else:
        note = (
            f"; {w.number_word(n_incomplete)} {w.plural(n_incomplete, 'run has', 'runs have')} no"
            " results for some queries"
        )
        statement = f"Every query in the runs has judgments{note if n_incomplete else ''}."
        are += "; the ids match" * (n_loaded > 1)
    if unclear_files or ambiguous_files:
        are = _waiting_files_text(unclear_files, ambiguous_files, n_loaded + n_refused + n_waiting)
        question = _files_question(unclear_files, ambiguous_files)
        statement = f"{question} {statement if missing_table else ''}".strip()
    return strong_span(f"{are}. ") + muted_span(unread_text + statement)


def _waiting_files_text(
    unclear_files: Sequence[str], ambiguous_files: Sequence[str], n_files: int
) -> str:
    """State the number of files that the user must check, or whose kind the user must choose."""
    n_waiting = len({*unclear_files, *ambiguous_files})
    total_text = f" of {w.number_word(n_files)}" if n_files > n_waiting else ""
    verb, need = w.plural(n_waiting, "needs", "need"), "a look" if unclear_files else "your answer"
    return (
        f"{w.sentence_case(w.number_word(n_waiting))}{total_text} {w.plural(n_files, 'file')}"
        f" {verb} {need}"
    )


def _files_question(unclear_files: Sequence[str], ambiguous_files: Sequence[str]) -> str:
    """Ask the user about the files that cannot be read without an answer."""
    names_text = w.shorten_list([*dict.fromkeys(unclear_files or ambiguous_files)])
    n_files = len(unclear_files or ambiguous_files)
    if unclear_files:
        return (
            f"No known format fits {names_text}; check {w.plural(n_files, 'its', 'their')} fields."
        )
    return f"Judgments or a run? {names_text} may be either."
