"""What may stand next in a filter line: columns, operators, values of a column."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metrics_core import frames as pd
from metrics_core.errors import FilterLineError
from metrics_core.slicing.filtering.line import (
    COLUMN,
    JOINING,
    LISTED,
    TESTS,
    VALUE,
    Reader,
    parse_filter,
)
from metrics_core.slicing.filtering.truth import Columns
from metrics_core.slicing.filtering.words import OPERATORS, quoted_name, quoted_text

MOST = 30
"""Values of a column that are offered."""

_LAST = re.compile(r"(?:`[^`]*|\"[^\"]*|[\w.@:/+-]+)$")


@dataclass(frozen=True)
class Completions:
    """What may stand from `start` to `end` of a line, which holds the beginning of it or nothing;
    `options` as they are written."""

    start: int
    end: int
    options: tuple[str, ...]

    def line(self, line: str, option: str) -> str:
        """The line with one of the options taken, and a blank behind it."""
        gap = "" if self.start == 0 or line[self.start - 1] in " (" else " "
        return f"{line[: self.start]}{gap}{option} {line[self.end :].lstrip()}"


def completions(line: str, cursor: int, columns: Columns) -> Completions:
    """What can follow or complete the word at a place of the line, most specific first; nothing
    where what stands before it is wrong."""
    before = line[: max(0, min(cursor, len(line)))]
    begun = _LAST.search(before)
    for start in dict.fromkeys((begun.start() if begun else len(before), len(before))):
        options = _next(line[:start], columns)
        typed = before[start:].casefold()
        fitting = tuple(o for o in options if _begins(o.casefold(), typed))
        if fitting and (typed or start == len(before)):
            return Completions(start, len(before), fitting)
    return Completions(len(before), len(before), ())


def _begins(option: str, typed: str) -> bool:
    return option.startswith(typed) or option.lstrip('`"').startswith(typed.lstrip('`"'))


def _next(before: str, columns: Columns) -> tuple[str, ...]:
    """What may follow the beginning of a line."""
    try:
        parse_filter(before, columns)
    except FilterLineError as error:
        if error.position < len(before.rstrip()):
            return ()
        awaited, about = error.awaited
        return _options(before, awaited, about, columns)
    return ("and", "or")


def _options(before: str, awaited: str, about: str, columns: Columns) -> tuple[str, ...]:
    if awaited == COLUMN:
        return tuple(quoted_name(name) for name in columns)
    if awaited == JOINING:
        return ("and", "or", ")")
    if awaited == TESTS:
        numeric = columns[about].dtype.kind == "f"
        return (*OPERATORS, "in") if numeric else ("==", "!=", "contains", "in", "not in")
    if awaited == LISTED:
        return (",", ")") if _inside_a_list(before, columns) else ("(",)
    return _values(about, columns) if awaited == VALUE else ()


def _inside_a_list(before: str, columns: Columns) -> bool:
    return not Reader(before, columns).words[-2].is_mark("in")


def _values(column: str, columns: Columns) -> tuple[str, ...]:
    """The values of a column of texts, commonest first; numbers are typed."""
    values = columns[column]
    if values.dtype.kind == "f":
        return ()
    counted = pd.Series(values, dtype=object).value_counts()
    return tuple(quoted_text(str(value)) for value in counted.index[:MOST])
