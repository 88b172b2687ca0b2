"""Completion data for a filter line: the words that may follow each word, and the columns with
their values.

From this data, a browser can suggest the next word without a request to the server. Only
`parse_filter` defines the meaning of a line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import islice
from typing import Any

from metrics_core.base import frames as pd
from metrics_core.base.arrays import AnyArray
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
"""The grammar of a line: for each expected item, the kinds of words or marks that can be next, and
for each of these the item that is expected after it. A line begins with the item "test" and can end
where "joining" is expected. A `)` in place of "joining" closes a `(` before a test. A number can
only be a value of a numeric column, a text only a value of a text column."""

OFFERED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "numbers": {"operator": (*OPERATORS, "in"), "contrary": ("in",)},
    "texts": {
        "operator": ("==", "!=", "contains", "in", "not in"),
        "contrary": ("in", "contains"),
    },
}
"""Operators for each kind of column. All other items are determined by FOLLOWS alone."""

MOST_COLUMNS, MOST_VALUES, LONGEST = 200, 50, 100
"""Limits of the completion data: the number of columns, the number of values of each column, and
the length of a name or value.

Longer names and values are omitted, because a truncated value would be a different value."""


def make_completion_data(
    columns: FilterColumns,
    numeric_columns: Collection[str] = (),
    describe_values: Callable[[str], dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return the completion data for these columns as JSON values: `follows`, `offered`, and a
    description of each column.

    The description has the column's name, its written form, the kind of its values, and its most
    frequent values with their numbers of rows. `describe_values` is a function that returns the
    kind and values of a column, in the form of `describe_column`, for example from a cache. If it
    is None, `describe_column` is used. For the columns in `numeric_columns`, which are known to be
    numeric, it is not called."""
    column_facts = describe_values or (lambda name: describe_column(columns[name]))
    entries = [
        {"name": name, "written": quote_name(name)}
        | (_NUMBERS if name in numeric_columns else column_facts(name))
        for name in list(columns)[:MOST_COLUMNS]
        if len(name) <= LONGEST
    ]
    return {"follows": FOLLOWS, "offered": OFFERED, "columns": entries}


_NUMBERS: dict[str, Any] = {"holds": "numbers", "values": []}


def describe_column(values: AnyArray) -> dict[str, Any]:
    """Return a dictionary that describes a column, float64[row] or object[row].

    Its key `holds` is the kind of the values ("numbers" or "texts"), and `values` are the most
    frequent values."""
    return (
        _NUMBERS
        if values.dtype.kind == "f"
        else {"holds": "texts", "values": _most_frequent_values(values)}
    )


def _most_frequent_values(values: AnyArray) -> list[tuple[str, int]]:
    """Return the most frequent values of a column, each as a pair (value, number of rows with it).
    The values are quoted as in a filter line."""
    counted = pd.Series(values, dtype=object).value_counts()
    pairs = ((str(text), int(rows)) for text, rows in zip(counted.index, counted, strict=True))
    short = (pair for pair in pairs if len(pair[0]) <= LONGEST)
    return [(quote_text(text), rows) for text, rows in islice(short, MOST_VALUES)]
