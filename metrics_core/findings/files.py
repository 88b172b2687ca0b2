"""What is loaded, and does it fit? The Data page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from metrics_core.base import wording as w
from metrics_core.findings.sentence import Sentence, muted, strong

_ALL: Mapping[str, int] = MappingProxyType({})
_MOST_NAMED = 2


def files_finding(
    loaded: int,
    refused: int,
    *,
    fits: bool,
    unjudged: int = 0,
    missing: str = "",
    answered: Mapping[str, int] = _ALL,
    judged: int = 0,
    unclear: Sequence[str] = (),
    of_two_kinds: Sequence[str] = (),
    waiting: int = 0,
) -> Sentence:
    """How many files are loaded, how many could not be read, and whether the ids of the runs match
    those of the judgments.

    `unjudged` counts queries of the runs that have no judgments; `missing` says what is needed
    before runs can be compared ("judgments are"), or is empty; `answered` are the runs that lack
    some of the `judged` queries, with how many they have. The fields of `unclear` files are
    unknown, those `of_two_kinds` may be a run or judgments; `waiting` are as many of the refused
    ones.
    """
    if not loaded and not refused:
        return strong("Nothing is loaded yet. ") + muted("Add judgments and runs.")
    refused -= waiting
    files = f"{w.sentence_case(w.number(loaded))} {w.plural(loaded, 'file')}"
    are = f"{files} {w.plural(loaded, 'is', 'are')} loaded"
    lost = f"{w.sentence_case(w.number(refused))} could not be read. " if refused else ""
    if missing:
        said = f"{w.sentence_case(missing)} still missing."
    elif not fits:
        said = "Not every id in the runs matches the judgments."
    elif unjudged:
        queries = f"{w.count(unjudged)} {w.plural(unjudged, 'query', 'queries')}"
        said = f"{queries} in the runs {w.plural(unjudged, 'has', 'have')} no judgments."
    else:
        said = f"All query ids in the runs are judged{_but(answered, judged)}."
    if unclear or of_two_kinds:
        are = _needs(unclear, of_two_kinds, loaded + refused + waiting)
        said = f"{_question(unclear, of_two_kinds)} {said if missing else ''}".strip()
    return strong(f"{are}. ") + muted(lost + said)


def _needs(unclear: Sequence[str], of_two_kinds: Sequence[str], files: int) -> str:
    """How many of the files wait for the reader."""
    many = len({*unclear, *of_two_kinds})
    of = f" of {w.number(files)}" if files > many else ""
    verb, what = w.plural(many, "needs", "need"), "a look" if unclear else "your answer"
    return f"{w.sentence_case(w.number(many))}{of} {w.plural(files, 'file')} {verb} {what}"


def _question(unclear: Sequence[str], of_two_kinds: Sequence[str]) -> str:
    """What is asked about the files that wait for the reader."""
    named = w.named([*dict.fromkeys(unclear or of_two_kinds)])
    many = len(unclear or of_two_kinds)
    if unclear:
        return f"No known format fits {named}; check {w.plural(many, 'its', 'their')} fields."
    return f"Judgments or a run? {named} may be either."


def _but(answered: Mapping[str, int], judged: int) -> str:
    """What stands against it: the runs that have not every judged query."""
    if not answered:
        return ""
    if len(answered) > _MOST_NAMED:
        queries = f"{w.count(judged)} {w.plural(judged, 'query', 'queries')}"
        return f"; {w.number(len(answered))} runs do not answer all {queries}"
    (first, most), *others = answered.items()
    more = "".join(f", {name} {w.count(number)}" for name, number in others)
    return f"; {first} answers {w.count(most)} of {w.count(judged)}{more}"
