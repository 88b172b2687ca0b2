"""Which column is which where the reader says so: `query=user,doc=item,score=prediction`.

The header is then read as though these columns had our names and none else had them, so that all
that follows is the same. A column by its number, from 1, is one of a file without a header; a minus
before the score's turns it round: `score=-distance`; `system=-` is no column: all is one run;
`grade='1'` is the grade of all rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from metrics_core.base.errors import ParameterError
from metrics_core.formats.parsing.columns import NAMES, fold, recognise_columns
from metrics_core.formats.registry import CERTAIN, KINDS, LIKELY, Columns, FirstRows, Kind

WORDS: dict[str, str] = {
    **dict.fromkeys(("query", "query_id"), "query_id"),
    **dict.fromkeys(("doc", "document", "doc_id"), "doc_id"),
    "score": "score",
    **dict.fromkeys(("grade", "relevance"), "relevance"),
    "rank": "rank",
    **dict.fromkeys(("system", "run"), "run"),
    "subtopic": "subtopic",
    "text": "text",
    "title": "title",
}
"""The words for what a column is, and our own name of it."""

WORD_OF = {"query_id": "query", "doc_id": "doc", "relevance": "grade", "run": "system"}
"""The word for our name of a column, if it is another one."""

NO_COLUMN = "-"
"""In place of the system's name: whatever the file has of such a column, it is one run."""

_NUMBERS = ("score", "relevance", "rank")
"""Columns of which one is read; who names one means none of the others."""


def chosen_columns(given: Mapping[str, str]) -> Columns:
    """The columns that the reader names, by our names of them. Raises ParameterError for a word
    that names none, or two for the same."""
    chosen: dict[str, str] = {}
    for word, name in given.items():
        role = WORDS.get(word.strip().lower())
        if role is None:
            words = ", ".join(w for w in WORDS if "_" not in w)
            raise ParameterError(f"Unknown column role {word!r}.", f"Available: {words}.")
        if role in chosen or not str(name).strip():
            raise ParameterError(f"columns names {word} twice or without a value.")
        if str(name).strip() == NO_COLUMN and role != "run":
            raise ParameterError(f"columns has '-' for {word}; only system may be '-'.")
        chosen[role] = str(name).strip()
    return chosen


def is_constant(name: str) -> bool:
    """Whether what the reader names is one value for all rows, such as the grade '1'."""
    return len(name) > 2 and name[0] == name[-1] == "'"


def there(columns: Columns) -> Columns:
    """The columns without one that is said to be none."""
    return {role: name for role, name in columns.items() if name != NO_COLUMN}


def by_number(columns: Columns) -> bool:
    """Whether columns are named by their numbers, those of a file of lines without a header."""
    names = (name for name in there(columns).values() if not is_constant(name))
    numbers = [name.removeprefix("-") for name in names]
    return bool(numbers) and all(map(_number, numbers))


def numbered(first: Sequence[str]) -> list[str]:
    """The names of the columns of a file without a header."""
    return [str(number) for number in range(1, len(first) + 1)]


def read_as(names: Sequence[str], columns: Columns) -> list[str]:
    """A header as it is to be understood: our names for the columns chosen, and for no others."""
    if not columns:
        return list(names)
    hidden = set(columns) | ({*_NUMBERS} if not columns.keys().isdisjoint(_NUMBERS) else set())
    taken = {known for role in hidden for known in NAMES.get(_ROLE_OF.get(role, role), (role,))}
    read = [f"({name})" if fold(name) in taken else name for name in names]
    for role, name in there(columns).items():
        at = place(names, name)
        if at >= 0:
            read[at] = role
    return read


def place(names: Sequence[str], name: str) -> int:
    """Where a column of this name stands, as it is written or but for case and blanks; -1 if
    nowhere. The minus of a score that is turned round is no part of it."""
    for wanted in (name, name.removeprefix("-")):
        if wanted in names:
            return names.index(wanted)
        folded = [fold(own) for own in names]
        if fold(wanted) in folded and not wanted.startswith("-"):
            return folded.index(fold(wanted))
    return -1


def absent(names: Sequence[str], columns: Columns) -> list[str]:
    """The columns named that a header does not have."""
    given = [name for name in there(columns).values() if not is_constant(name)]
    return [name for name in given if place(names, name) < 0]


def turned(names: Sequence[str], columns: Columns) -> bool:
    """Whether the score is to be turned round, the smallest becoming the best."""
    score = columns.get("score", "")
    return score.startswith("-") and score not in names


def recognise_named(found: FirstRows | None, columns: Columns) -> dict[Kind, int]:
    """How sure columns and some rows are of each kind of table, `columns` being those that the
    reader names. Where one of them is not there, reading says so."""
    if found is None:
        return {}
    if not absent(found.names, columns):
        if is_constant(columns.get("relevance", "")):
            return {"qrels": CERTAIN}
        return recognise_columns(read_as(found.names, columns), found.rows)
    first: Kind = "qrels" if "relevance" in columns else "run"
    return dict.fromkeys((first, *KINDS), LIKELY)


_ROLE_OF = {"run": "tag"}


def _number(text: str) -> bool:
    return re.fullmatch(r"[1-9]\d{0,4}", text, re.ASCII) is not None
