"""The Queries page: the columns that a filter line can use, and the queries that match the line."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from dashboard.address.view import Comparison
from dashboard.answers import query_columns
from dashboard.answers.query_notes import NOTHING_NOTED, Remarks
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.base.arrays import Mask
from metrics_core.explaining.query_kinds import FORMER_NAMES
from metrics_core.slicing.filtering import make_completion_data, parse_filter, quote_name

_TESTS = re.compile(r"[=<>≠≤≥]|\bcontains\s+[\"'“]|\bin\s*\(", re.IGNORECASE)
"""Pattern of a text that is typical of a filter line and unlikely in a search."""
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”')
_OF_FAILURES = re.compile(
    r"""\bfailure\s*(?:[=!<>≠]+\s*"[^"]*"|(?:not\s+)?in\s*\((?:[^()"]|"[^"]*")*\))""", re.IGNORECASE
)
_TEXT = re.compile('"([^"]*)"')
_EXAMPLES = {
    "difference": "difference < -0.1",
    "words": "words > 5",
    "relevant": "relevant >= 2",
    "overlap": "overlap < 0.5",
}


def split_search_text(text: str) -> tuple[str, str]:
    """Split the text in the search field into a search text and a filter line. One of the two is
    "". Text in quotes is always a search text."""
    text = text.strip()
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        return (quoted[1] or quoted[2]).strip(), ""
    return ("", text) if _TESTS.search(text) else (text, "")


def join_search_text(search: str, line: str) -> str:
    """Return the text for the search field: the filter line if there is one, otherwise the search
    text. The search text is quoted if `split_search_text` would take it for a filter line."""
    if line or not search:
        return line
    return search if split_search_text(search) == (search, "") else f'"{search}"'


def filter_mask(study: Study, comparison: Comparison, line: str, remarks: Remarks) -> Mask:
    """Return which queries in view match a filter line, bool[query]. Raises FilterLineError if the
    line is invalid."""
    columns = make_filter_columns(study, comparison, remarks)
    return parse_filter(_replace_former_names(line), columns).matches(columns)


def _replace_former_names(line: str) -> str:
    """Replace the former names of kinds of failure in a filter line. They may occur in older
    links."""

    def replace_names(part: re.Match[str]) -> str:
        return _TEXT.sub(lambda v: f'"{FORMER_NAMES.get(v[1], v[1])}"', part[0])

    return _OF_FAILURES.sub(replace_names, line)


def make_filter_columns(
    study: Study, comparison: Comparison, remarks: Remarks
) -> query_columns.FilterColumns:
    """Return the columns that a filter line can use, including the notes on queries."""
    ids = np.array(study.query_ids, dtype=object)[study.view_mask(comparison)]
    note_values = {column: remarks.column_values(column, ids) for column in remarks.columns}
    return query_columns.FilterColumns(study, comparison, note_values)


@cache_answer
def filter_vocabulary(
    study: Study, comparison: Comparison, remarks: Remarks = NOTHING_NOTED
) -> dict[str, Any]:
    """Return the completion data of a filter line, in the form that the browser component
    expects."""
    columns = make_filter_columns(study, comparison, remarks)
    return make_completion_data(columns, columns.numeric_columns, columns.describe_column)


def filter_column_names(
    study: Study, comparison: Comparison, remarks: Remarks = NOTHING_NOTED
) -> list[str]:
    """Return the names of the columns that a filter line can use. Names are quoted as needed."""
    return [quote_name(name) for name in make_filter_columns(study, comparison, remarks)]


def filter_example(study: Study, comparison: Comparison) -> str:
    """Return an example of a filter line that uses only available columns. (A single run has no
    column of differences, and without a query file there is no column of words.)"""
    names = {column.label for column in query_columns.offered_columns(study, comparison)}
    return " and ".join([example for name, example in _EXAMPLES.items() if name in names][:2])
