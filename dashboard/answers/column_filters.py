"""The Queries page: the filter that each column of the table offers in its header and in its cells.

The filter of a column consists of the tests in the filter line that concern only this column, so
the line and the headers always agree."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.queries import QueryListRequest, query_list
from dashboard.answers.query_columns import DIFFERENCE, group_positions
from dashboard.answers.query_filter import make_filter_columns
from dashboard.answers.table_column import TableColumn
from dashboard.study.study import Study
from metrics_core.base.errors import FilterLineError
from metrics_core.slicing.filtering import parse_filter, quote_name, quote_text, split_line
from metrics_core.slicing.filtering.completion import MOST_VALUES


@dataclass(frozen=True)
class ColumnFilter:
    """The filter of a column. `name` is the column's name in a filter line. `column_tests` are the
    conditions of the line that concern only this column, and `other_tests` are all other
    conditions.

    For a column of groups, `values` has the values in display order. Each has the number of queries
    that would be listed without the column's own conditions. `values` is empty if there are more
    than `MOST_VALUES` values. `chosen` are the values that meet the column's own conditions. `span`
    is the range of a column of numbers; it is None for groups."""

    name: str
    column_tests: str
    other_tests: str
    values: tuple[tuple[str, int], ...] = ()
    chosen: frozenset[str] = frozenset()
    span: tuple[float, float] | None = None

    def line_with_values(self, values: Collection[str]) -> str:
        """Return the filter line that lists only queries with one of these values in the column. If
        there are no values, return the line without conditions on the column."""
        quoted = ", ".join(map(quote_text, sorted(values)))
        test = f"== {quoted}" if len(values) == 1 else f"in ({quoted})"
        return self.line_with_condition(f"{self.name} {test}" if values else "")

    def line_with_condition(self, test: str) -> str:
        """Return the filter line with the condition `test` in place of the column's own
        conditions."""
        return " and ".join(filter(None, (self.other_tests, test)))

    @property
    def range_bounds(self) -> Sequence[str]:
        """The ends of the range to which the filter line limits the column. An end is "" if it is
        open, or if the column's conditions do not have the form of a range."""
        name = re.escape(self.name)
        match = re.fullmatch(
            rf"(?:{name} >= (\S+))?(?: and )?(?:{name} <= (\S+))?", self.column_tests
        )
        return match.groups("") if match else ("", "")


def column_filters(
    study: Study, comparison: Comparison, request: QueryListRequest, columns: Iterable[TableColumn]
) -> dict[str, ColumnFilter]:
    """Return the filter of each of these columns, keyed by the column's key. The column with the
    query's text has no filter, because users filter it with the search field. An invalid filter
    line is treated as empty."""
    values_by_name = make_filter_columns(study, comparison, request.remarks)
    filters = {}
    for column in columns:
        if column.key == "text":
            continue
        name = values_by_name.filter_name(column)
        try:
            column_tests, other_tests = split_line(request.line, values_by_name, name)
        except FilterLineError:
            column_tests, other_tests = "", ""
        values, written = values_by_name[name], quote_name(name)
        if values.dtype.kind == "f":
            numbers = pd.Series(values)
            span = float(numbers.min()), float(numbers.max())
            filters[column.key] = ColumnFilter(written, column_tests, other_tests, span=span)
            continue
        groups = pd.Series(pd.Series(values, dtype=object).dropna().unique(), dtype=object)
        group_columns = {name: groups.to_numpy(dtype=object)}
        chosen = (
            groups[parse_filter(column_tests, group_columns).matches(group_columns)]
            if column_tests
            else ()
        )
        counted = list[tuple[str, int]]()
        if len(groups) <= MOST_VALUES:
            rows = query_list(study, comparison, replace(request, line=other_tests)).rows
            counts = rows[column.source].astype(str).value_counts()
            ordered = groups[group_positions(column, groups).argsort()]
            counted = [(value, int(counts.get(value, 0))) for value in ordered]
        filters[column.key] = ColumnFilter(
            written, column_tests, other_tests, tuple(counted), frozenset(chosen)
        )
    return filters


def line_for_range(
    study: Study, comparison: Comparison, line: str, query_ids: Collection[str]
) -> str:
    """Return a filter line that selects the range of differences spanned by the queries in
    `query_ids`. The range replaces the conditions on the difference in `line`; all other conditions
    are kept. The ends of the range are rounded as far as is possible without adding queries to the
    list."""
    request = QueryListRequest(line=line)
    column_filter = column_filters(study, comparison, request, [DIFFERENCE])[DIFFERENCE.key]
    frame = query_list(study, comparison, QueryListRequest()).frame
    values = frame["difference"].to_numpy(dtype=np.float64)
    inside = values[frame["query_id"].isin(query_ids)]
    ends = least, greatest = float(inside.min()), float(inside.max())
    is_listed = (values >= least) & (values <= greatest)
    for digits in range(12, 2, -1):
        low, high = floor(least * 10**digits) / 10**digits, ceil(greatest * 10**digits) / 10**digits
        if np.array_equal((values >= low) & (values <= high), is_listed):
            ends = low, high
    return column_filter.line_with_condition(
        "difference >= {!r} and difference <= {!r}".format(*ends)
    )
