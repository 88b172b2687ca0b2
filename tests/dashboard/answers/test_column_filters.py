"""The filters of the columns of the list: what their lines list, against the rows themselves."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.answers.column_filters import ColumnFilter, column_filters, line_for_range
from dashboard.answers.queries import QueryListRequest, query_list
from tests.dashboard.answers.test_queries import STUDY, comparison


def filters_of(line: str = "", show: str = "") -> dict[str, ColumnFilter]:
    request = QueryListRequest(show=show, line=line, columns=("by:difficulty", "difference"))
    columns = query_list(STUDY, comparison(), request).columns
    return column_filters(STUDY, comparison(), request, columns)


def ids_of(line: str, show: str = "") -> set[str]:
    request = QueryListRequest(show=show, line=line)
    return set(query_list(STUDY, comparison(), request).rows["query_id"])


@pytest.mark.parametrize("line", ["", 'difficulty == "hard"', "difference < -0.3", "nonsense > 1"])
def test_each_value_has_as_many_queries_as_its_line_lists(line: str) -> None:
    column = filters_of(line, show="worse")["by:difficulty"]
    assert [value for value, _ in column.values] == ["easy", "medium", "hard"]
    for value, queries in column.values:
        assert len(ids_of(column.line_with_values([value]), show="worse")) == queries
    assert column.chosen == ({"hard"} if "hard" in line else set())
    two = ids_of(column.line_with_values(["easy", "hard"]))
    assert two == ids_of(column.line_with_values(["easy"])) | ids_of(
        column.line_with_values(["hard"])
    )


def test_another_test_of_the_column_chooses_what_passes_it() -> None:
    column = filters_of('difficulty contains "a" and difference < 0')["by:difficulty"]
    assert column.chosen == {"easy", "hard"} and column.other_tests == "difference < 0"
    line = column.line_with_values(column.chosen - {"easy"})
    assert line == 'difference < 0 and difficulty == "hard"'


def test_ends_are_those_of_a_range_alone() -> None:
    for line, ends in (
        ("difference >= -0.5 and difference <= 1", ("-0.5", "1")),
        ("difference <= 1e-3", ("", "1e-3")),
        ("difference > 0", ("", "")),
        ("not difference >= 0", ("", "")),
    ):
        assert filters_of(line)["difference"].range_bounds == ends
    least, greatest = filters_of()["difference"].span or (0.0, 0.0)
    gaps = query_list(STUDY, comparison(), QueryListRequest()).frame["difference"]
    assert (least, greatest) == (gaps.min(), gaps.max())


def test_a_range_lists_the_queries_between_its_ends_and_no_other() -> None:
    frame = query_list(STUDY, comparison(), QueryListRequest()).frame
    random = np.random.default_rng(1)
    for _ in range(20):
        picked = random.choice(frame["query_id"].to_numpy(), 2, replace=False)
        gaps = frame.set_index("query_id")["difference"]
        ends = sorted(gaps[picked])
        line = line_for_range(STUDY, comparison(), "difference > 0", list(picked))
        assert ids_of(line) == set(gaps[(gaps >= ends[0]) & (gaps <= ends[1])].index)
        assert max(map(len, line.split())) <= len("difference")
