"""Columns that the user assigned: `query=user,doc=item,score=prediction`.

The header is renamed so that only the assigned columns have the standard names; no other code needs
to know about the assignment. If columns are assigned by number, counted from 1, the file has no
header. `score=-distance` negates a column. `system=-` means that there is no system column, so that
all rows are one run. `repeat=-` means that each further score of a query is a repeat. `grade='1'`
is the grade of all rows."""

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
    **{word: word for word in ("measure", "value", "repeat")},
}
"""Map each word that names a column's role to the standard name of that column."""

WORD_OF = {"query_id": "query", "doc_id": "doc", "relevance": "grade", "run": "system"}
"""Map a standard column name to the word for its role, if the two differ."""

NO_COLUMN = "-"
"""Value assigned to `system` if there is no system column. All rows then belong to one run."""

_NUMBERS = ("score", "relevance", "rank")
"""Mutually exclusive columns: if one of them is assigned, the others are not read."""


def resolve_columns(names_by_word: Mapping[str, str]) -> Columns:
    """Return the assigned columns as a dictionary from standard name to name in the file.

    Raises ParameterError for an unknown word, a role assigned twice, and a missing name."""
    resolved: dict[str, str] = {}
    for word, name in names_by_word.items():
        role = WORDS.get(word.strip().lower())
        if role is None:
            words = ", ".join(w for w in WORDS if "_" not in w)
            raise ParameterError(f"Unknown column role {word!r}.", f"Available: {words}.")
        if role in resolved or not str(name).strip():
            raise ParameterError(f"The columns option names {word} twice, or gives it no value.")
        if str(name).strip() == NO_COLUMN and role not in ("run", "repeat"):
            raise ParameterError(
                f"The columns option has '-' for {word}; only system and repeat may be '-'."
            )
        resolved[role] = str(name).strip()
    return resolved


def is_constant_value(name: str) -> bool:
    """Return whether an assigned value is a constant for all rows, such as the grade '1', rather
    than a column."""
    return len(name) > 2 and name[0] == name[-1] == "'"


def drop_unassigned_roles(columns: Columns) -> Columns:
    """Return the assigned columns, except roles whose value is "-" (no column)."""
    return {role: name for role, name in columns.items() if name != NO_COLUMN}


def are_columns_numbered(columns: Columns) -> bool:
    """Return whether columns are assigned by number instead of by name, which means that the file
    has no header."""
    names = (
        name for name in drop_unassigned_roles(columns).values() if not is_constant_value(name)
    )
    numbers = [name.removeprefix("-") for name in names]
    return bool(numbers) and all(map(_is_column_number, numbers))


def column_numbers(first_row: Sequence[str]) -> list[str]:
    """Return the column numbers, from 1, that serve as column names of a file without a header."""
    return [str(number) for number in range(1, len(first_row) + 1)]


def rename_header(names: Sequence[str], columns: Columns) -> list[str]:
    """Return the header after renaming columns, so that only the assigned columns have the standard
    names."""
    if not columns:
        return list(names)
    hidden_roles = set(columns) | (
        {*_NUMBERS} if not columns.keys().isdisjoint(_NUMBERS) else set()
    )
    replaced_names = {
        alias for role in hidden_roles for alias in NAMES.get(_ROLE_OF.get(role, role), (role,))
    }
    new_names = [f"({name})" if fold_name(name) in replaced_names else name for name in names]
    for role, name in drop_unassigned_roles(columns).items():
        index = find_column(names, name)
        if index >= 0:
            new_names[index] = role
    return new_names


def find_column(names: Sequence[str], name: str) -> int:
    """Return the index of a column by its name, ignoring case and blanks; -1 if there is none.

    An exact match is preferred. A minus before the name, which negates a score, is ignored."""
    for spelling in (name, name.removeprefix("-")):
        if spelling in names:
            return names.index(spelling)
        folded = [fold_name(other_name) for other_name in names]
        if fold_name(spelling) in folded and not spelling.startswith("-"):
            return folded.index(fold_name(spelling))
    return -1


def find_absent_columns(names: Sequence[str], columns: Columns) -> list[str]:
    """Return the assigned names that are not in the header."""
    column_names = [
        name for name in drop_unassigned_roles(columns).values() if not is_constant_value(name)
    ]
    return [name for name in column_names if find_column(names, name) < 0]


def is_score_negated(names: Sequence[str], columns: Columns) -> bool:
    """Return whether the assigned score is negated, so that the smallest value in the file is
    best."""
    score = columns.get("score", "")
    return score.startswith("-") and score not in names


def recognise_assigned_columns(first_rows: FirstRows | None, columns: Columns) -> dict[Kind, int]:
    """Return the confidence in each kind of table, based on the header, the first rows and the
    assigned columns.

    The result is empty if `first_rows` is None. If an assigned column is missing, all kinds are
    likely, because the error for the missing column is raised only when the file is read."""
    if first_rows is None:
        return {}
    if not find_absent_columns(first_rows.names, columns):
        if is_constant_value(columns.get("relevance", "")):
            return {"qrels": CERTAIN}
        return recognise_columns(rename_header(first_rows.names, columns), first_rows.rows)
    first_kind: Kind = "qrels" if "relevance" in columns else "run"
    return dict.fromkeys((first_kind, *KINDS), LIKELY)


_ROLE_OF = {"run": "tag"}


def _is_column_number(text: str) -> bool:
    return re.fullmatch(r"[1-9]\d{0,4}", text, re.ASCII) is not None
