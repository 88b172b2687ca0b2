"""Queries: what a filter line can name, and for which queries it holds."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from dashboard.address.view import Comparison
from dashboard.answers import query_columns
from dashboard.answers.query_notes import NOTHING_NOTED, Remarks
from dashboard.study.study import Study
from metrics_core.base.arrays import Mask
from metrics_core.explaining.query_kinds import FORMER_NAMES
from metrics_core.slicing.filtering import parse_filter, quote_name, vocabulary

_TESTS = re.compile(r"[=<>≠≤≥]|\bcontains\s+[\"'“]|\bin\s*\(", re.IGNORECASE)
"""What a filter line has and a search hardly."""
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”')
_OF_FAILURES = re.compile(
    r"""\bfailure\s*(?:[=!<>≠]+\s*"[^"]*"|(?:not\s+)?in\s*\((?:[^()"]|"[^"]*")*\))""", re.IGNORECASE
)
_TEXT = re.compile('"([^"]*)"')
_EXAMPLES = {"difference": "difference < -0.1", "words": "words > 5", "relevant": "relevant >= 2"}


def split_typed(text: str) -> tuple[str, str]:
    """What was typed into the one field: a search and a filter line, of which one is "". Words in
    quotes are searched for whatever they hold."""
    text = text.strip()
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        return (quoted[1] or quoted[2]).strip(), ""
    return ("", text) if _TESTS.search(text) else (text, "")


def typed_text(search: str, line: str) -> str:
    """What the one field shows: the filter line where there is one, else the search as
    `split_typed` would read it."""
    if line or not search:
        return line
    return search if split_typed(search) == (search, "") else f'"{search}"'


def filter_mask(study: Study, comparison: Comparison, line: str, remarks: Remarks) -> Mask:
    """For which queries in view a filter line holds. Raises FilterLineError where it is none."""
    columns = _columns(study, comparison, remarks)
    return parse_filter(_with_current_names(line), columns).matches(columns)


def _with_current_names(line: str) -> str:
    """The filter line of an older link, which names kinds of failure as they were called then."""

    def rename(part: re.Match[str]) -> str:
        return _TEXT.sub(lambda v: f'"{FORMER_NAMES.get(v[1], v[1])}"', part[0])

    return _OF_FAILURES.sub(rename, line)


def _columns(study: Study, comparison: Comparison, remarks: Remarks) -> query_columns.FilterColumns:
    ids = np.array(study.query_ids, dtype=object)[study.view_mask(comparison)]
    note_values = {column: remarks.values(column, ids) for column in remarks.columns}
    return query_columns.FilterColumns(study, comparison, note_values)


def filter_vocabulary(
    study: Study, comparison: Comparison, remarks: Remarks = NOTHING_NOTED
) -> dict[str, Any]:
    """What completes a filter line while it is typed, as a browser takes it."""
    return study.cached_answer(_vocabulary, comparison, remarks)


def _vocabulary(study: Study, comparison: Comparison, remarks: Remarks) -> dict[str, Any]:
    columns = _columns(study, comparison, remarks)
    return vocabulary(columns, columns.numeric, columns.describe_column)


def filter_names(
    study: Study, comparison: Comparison, remarks: Remarks = NOTHING_NOTED
) -> list[str]:
    """The columns that a filter line can name, as it has them."""
    return [quote_name(name) for name in _columns(study, comparison, remarks)]


def filter_example(study: Study, comparison: Comparison) -> str:
    """A filter line to begin with, of columns that are there: one run has no difference, and
    without a file of queries nobody knows their words."""
    names = {column.label for column in query_columns.offered_columns(study, comparison)}
    return " and ".join([example for name, example in _EXAMPLES.items() if name in names][:2])
