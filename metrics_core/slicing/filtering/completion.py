"""What may stand next in a filter line, as data: for what completes one while it is typed.

A browser that is to offer the next word without asking for it needs to know what follows what, and
which columns and values there are. `parse_filter` alone says what a line means.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import islice
from typing import Any

import numpy.typing as npt

from metrics_core.base import frames as pd
from metrics_core.slicing.filtering.conditions import FilterColumns
from metrics_core.slicing.filtering.words import OPERATORS, quote_name, quote_text

FOLLOWS: Mapping[str, Mapping[str, str]] = {
    "test": {"name": "operator", "(": "test", "not": "test"},
    "operator": {"operator": "value", "in": "list", "contains": "part", "not": "contrary"},
    "contrary": {"in": "list", "contains": "part"},
    "value": {"number": "joining", "text": "joining", "name": "joining"},
    "part": {"text": "joining"},
    "list": {"(": "listed"},
    "listed": {"number": "further", "text": "further"},
    "further": {",": "listed", ")": "joining"},
    "joining": {"and": "test", "or": "test", ")": "joining"},
}
"""What is awaited -> a word of which kind, or which mark, can stand there -> what is awaited then.
A line begins with a test and can end where "joining" is awaited; the `)` there closes a `(` before
a test. A number is a value of a column of numbers only, and so on."""

OFFERED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "numbers": {"operator": (*OPERATORS, "in"), "contrary": ("in",)},
    "texts": {
        "operator": ("==", "!=", "contains", "in", "not in"),
        "contrary": ("in", "contains"),
    },
}
"""The operators of each kind of column. For the other marks FOLLOWS is enough."""

MOST_COLUMNS, MOST_VALUES, LONGEST = 200, 50, 100
"""Columns and values of each that are told, and how many characters one may have: a value that is
cut short would be another value, so longer ones are left out."""


def vocabulary(
    columns: FilterColumns,
    numeric: Collection[str] = (),
    holds: Callable[[str], dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """What completes a line about these columns, as JSON has it: `follows`, `offered`, and each
    column as it is written, what it `holds` and its commonest values with the number of rows.
    Columns in `numeric` are known to hold numbers, so that nobody needs to work them out; `holds`
    gives what `describe_column` says of a column, where that may be known."""
    column_facts = holds or (lambda name: describe_column(columns[name]))
    entries = [
        {"name": name, "written": quote_name(name)}
        | (_NUMBERS if name in numeric else column_facts(name))
        for name in list(columns)[:MOST_COLUMNS]
        if len(name) <= LONGEST
    ]
    return {"follows": FOLLOWS, "offered": OFFERED, "columns": entries}


_NUMBERS: dict[str, Any] = {"holds": "numbers", "values": []}


def describe_column(values: npt.NDArray[Any]) -> dict[str, Any]:
    """What a column of these values `holds`, and its commonest `values`."""
    return (
        _NUMBERS
        if values.dtype.kind == "f"
        else {"holds": "texts", "values": _commonest_values(values)}
    )


def _commonest_values(values: npt.NDArray[Any]) -> list[tuple[str, int]]:
    """A column's commonest texts as a line has them, each with its rows."""
    counted = pd.Series(values, dtype=object).value_counts()
    pairs = ((str(text), int(rows)) for text, rows in zip(counted.index, counted, strict=True))
    short = (pair for pair in pairs if len(pair[0]) <= LONGEST)
    return [(quote_text(text), rows) for text, rows in islice(short, MOST_VALUES)]
