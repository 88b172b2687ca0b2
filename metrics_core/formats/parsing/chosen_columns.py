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
from metrics_core.formats.parsing.columns import NAMES, fold_name, recognise_columns
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


def resolve_columns(names_by_word: Mapping[str, str]) -> Columns:
    """The columns that the reader names, by our names of them. Raises ParameterError for a word
    that names none, or two for the same."""
    resolved: dict[str, str] = {}
    for word, name in names_by_word.items():
        role = WORDS.get(word.strip().lower())
        if role is None:
            words = ", ".join(w for w in WORDS if "_" not in w)
            raise ParameterError(f"Unknown column role {word!r}.", f"Available: {words}.")
        if role in resolved or not str(name).strip():
            raise ParameterError(f"columns names {word} twice or without a value.")
        if str(name).strip() == NO_COLUMN and role != "run":
            raise ParameterError(f"columns has '-' for {word}; only system may be '-'.")
        resolved[role] = str(name).strip()
    return resolved


def is_constant(name: str) -> bool:
    """Whether what the reader names is one value for all rows, such as the grade '1'."""
    return len(name) > 2 and name[0] == name[-1] == "'"


def drop_no_column(columns: Columns) -> Columns:
    """The columns without one that is said to be none."""
    return {role: name for role, name in columns.items() if name != NO_COLUMN}


def are_numbered(columns: Columns) -> bool:
    """Whether columns are named by their numbers, those of a file of lines without a header."""
    names = (name for name in drop_no_column(columns).values() if not is_constant(name))
    numbers = [name.removeprefix("-") for name in names]
    return bool(numbers) and all(map(_is_column_number, numbers))


def column_numbers(first: Sequence[str]) -> list[str]:
    """The names of the columns of a file without a header."""
    return [str(number) for number in range(1, len(first) + 1)]


def rename_header(names: Sequence[str], columns: Columns) -> list[str]:
    """A header as it is to be understood: our names for the columns chosen, and for no others."""
    if not columns:
        return list(names)
    hidden_roles = set(columns) | (
        {*_NUMBERS} if not columns.keys().isdisjoint(_NUMBERS) else set()
    )
    replaced_names = {
        alias for role in hidden_roles for alias in NAMES.get(_ROLE_OF.get(role, role), (role,))
    }
    new_names = [f"({name})" if fold_name(name) in replaced_names else name for name in names]
    for role, name in drop_no_column(columns).items():
        index = find_column(names, name)
        if index >= 0:
            new_names[index] = role
    return new_names


def find_column(names: Sequence[str], name: str) -> int:
    """Where a column of this name stands, as it is written or but for case and blanks; -1 if
    nowhere. The minus of a score that is turned round is no part of it."""
    for spelling in (name, name.removeprefix("-")):
        if spelling in names:
            return names.index(spelling)
        folded = [fold_name(other_name) for other_name in names]
        if fold_name(spelling) in folded and not spelling.startswith("-"):
            return folded.index(fold_name(spelling))
    return -1


def absent_columns(names: Sequence[str], columns: Columns) -> list[str]:
    """The columns named that a header does not have."""
    column_names = [name for name in drop_no_column(columns).values() if not is_constant(name)]
    return [name for name in column_names if find_column(names, name) < 0]


def is_reversed(names: Sequence[str], columns: Columns) -> bool:
    """Whether the score is to be turned round, the smallest becoming the best."""
    score = columns.get("score", "")
    return score.startswith("-") and score not in names


def recognise_named(first_rows: FirstRows | None, columns: Columns) -> dict[Kind, int]:
    """How sure columns and some rows are of each kind of table, `columns` being those that the
    reader names. Where one of them is not there, reading says so."""
    if first_rows is None:
        return {}
    if not absent_columns(first_rows.names, columns):
        if is_constant(columns.get("relevance", "")):
            return {"qrels": CERTAIN}
        return recognise_columns(rename_header(first_rows.names, columns), first_rows.rows)
    first_kind: Kind = "qrels" if "relevance" in columns else "run"
    return dict.fromkeys((first_kind, *KINDS), LIKELY)


_ROLE_OF = {"run": "tag"}


def _is_column_number(text: str) -> bool:
    return re.fullmatch(r"[1-9]\d{0,4}", text, re.ASCII) is not None
