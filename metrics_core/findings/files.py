"""The loaded files and whether they fit together: the headline of the Data page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from metrics_core.base import wording as w
from metrics_core.findings.sentence import Sentence, muted_span, strong_span

_NONE_INCOMPLETE: Mapping[str, int] = MappingProxyType({})
_MAX_NAMED = 2


def files_finding(
    loaded: int,
    refused: int,
    *,
    fits: bool,
    unjudged: int = 0,
    missing: str = "",
    answered: Mapping[str, int] = _NONE_INCOMPLETE,
    judged: int = 0,
    unclear: Sequence[str] = (),
    of_two_kinds: Sequence[str] = (),
    waiting: int = 0,
) -> Sentence:
    """Say how many files are loaded, how many could not be read, and whether the ids of the runs
    match the ids of the judgments.

    `unjudged` counts queries of the runs that have no judgments. `missing` names the files that are
    still needed for a comparison ("judgments"), or is empty. `answered` maps each run that
    lacks results for some of the `judged` queries to the number of judged queries it answers.
    `unclear` are files whose fields are unknown, `of_two_kinds` files that may be a run or
    judgments. `waiting` is how many of the `refused` files are unclear or of two kinds.
    """
    if not loaded and not refused:
        return strong_span("Nothing is loaded yet. ") + muted_span("Add judgments and runs.")
    refused -= waiting
    files = f"{w.sentence_case(w.number_word(loaded))} {w.plural(loaded, 'file')}"
    are = f"{files} {w.plural(loaded, 'is', 'are')} loaded"
    unread_text = (
        f"{w.sentence_case(w.number_word(refused))} could not be read. " if refused else ""
    )
    if missing:
        statement = f"Still missing: {missing}."
    elif not fits:
        statement = "Not every id in the runs matches the judgments."
    elif unjudged:
        queries = f"{w.format_count(unjudged)} {w.plural(unjudged, 'query', 'queries')}"
        statement = f"{queries} in the runs {w.plural(unjudged, 'has', 'have')} no judgments."
    else:
        statement = (
            f"All query ids in the runs are judged{_incomplete_runs_note(answered, judged)}."
        )
    if unclear or of_two_kinds:
        are = _waiting_files_text(unclear, of_two_kinds, loaded + refused + waiting)
        statement = (
            f"{_files_question(unclear, of_two_kinds)} {statement if missing else ''}".strip()
        )
    return strong_span(f"{are}. ") + muted_span(unread_text + statement)


def _waiting_files_text(unclear: Sequence[str], of_two_kinds: Sequence[str], files: int) -> str:
    """State the number of files that wait for the user."""
    n_waiting = len({*unclear, *of_two_kinds})
    total_text = f" of {w.number_word(files)}" if files > n_waiting else ""
    verb, need = w.plural(n_waiting, "needs", "need"), "a look" if unclear else "your answer"
    return (
        f"{w.sentence_case(w.number_word(n_waiting))}{total_text} {w.plural(files, 'file')} {verb}"
        f" {need}"
    )


def _files_question(unclear: Sequence[str], of_two_kinds: Sequence[str]) -> str:
    """The question about the files that wait for the user."""
    names_text = w.shorten_list([*dict.fromkeys(unclear or of_two_kinds)])
    n_files = len(unclear or of_two_kinds)
    if unclear:
        return (
            f"No known format fits {names_text}; check {w.plural(n_files, 'its', 'their')} fields."
        )
    return f"Judgments or a run? {names_text} may be either."


def _incomplete_runs_note(answered: Mapping[str, int], judged: int) -> str:
    """Name the runs that do not cover every judged query; empty if all do."""
    if not answered:
        return ""
    if len(answered) > _MAX_NAMED:
        queries = f"{w.format_count(judged)} {w.plural(judged, 'query', 'queries')}"
        return f"; {w.number_word(len(answered))} runs have no results for some of the {queries}"
    (first, n_answered), *others = answered.items()
    rest_text = "".join(f", {name} for {w.format_count(number)}" for name, number in others)
    return (
        f"; {first} has results for {w.format_count(n_answered)} of"
        f" {w.format_count(judged)}{rest_text}"
    )
