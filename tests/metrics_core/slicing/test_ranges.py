"""Numeric columns of the queries as ranges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.slicing.breakdowns import NO_GROUP, find_groups, order_groups
from metrics_core.slicing.ranges import label_ranges
from metrics_core.tables import Queries


def counted(values: list[float]) -> dict[str, int]:
    """Range -> its queries, in a reader's order."""
    found = label_ranges(pd.Series(values, dtype="float64"))
    order = order_groups(found.dropna())
    return found.value_counts().reindex(order).astype(int).to_dict()


def test_whole_numbers_are_told_by_the_ends_of_a_range() -> None:
    assert counted(list(range(1, 61))) == {
        "1\u201310": 10, "11\u201320": 10, "21\u201330": 10,
        "31\u201340": 10, "41\u201350": 10, "51\u201360": 10,
    }  # fmt: skip


def test_other_numbers_have_rounded_edges() -> None:
    values = np.linspace(0.103, 0.897, 60).tolist()
    assert list(counted(values)) == [
        "under 0.24", "0.24\u20130.37", "0.37\u20130.51", "0.51\u20130.64", "0.64\u20130.78",
        "0.78 or more",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1.0] * 90 + list(range(2, 12)), ["1", "2\u201311"]),
        ([float(v) for v in range(-30, 30)], "\u221230 to \u221221"),
        ([5.5] * 20, ["5.5"]),
        (list(range(9)), ["0\u20133", "4\u20138"]),
        ([float(v) for v in range(1960, 2020)], "1960\u20131969"),
    ],
)
def test_odd_columns(values: list[float], found: list[str] | str) -> None:
    names = list(counted(values))
    assert names == found if isinstance(found, list) else names[0] == found


@given(
    st.lists(
        st.floats(-1e6, 1e6).map(lambda v: round(v, 4)) | st.integers(-50, 50).map(float),
        min_size=2,
        max_size=80,
    ).filter(lambda values: len(set(values)) > 1)
)
def test_every_number_has_a_range_and_order_is_by_size(values: list[float]) -> None:
    found = label_ranges(pd.Series(values))
    assert found.notna().all() and 1 <= found.nunique() <= 6
    lowest = pd.Series(values).groupby(found).min()
    assert lowest[order_groups(found)].is_monotonic_increasing


LENGTHS = [str(1 + i % 57) for i in range(104)]
QUERIES = Queries.from_columns(
    {
        "query_id": [f"q{i}" for i in range(105)],
        "length": [*LENGTHS, ""],
        "stars": [str(i % 5) for i in range(105)],
        "number": [str(i) for i in range(105)],
        "clarity": [f"{i}.25" for i in range(105)],
        "code": [f"c{i}" if i == 3 else str(i % 60) for i in range(105)],
    }
)


def test_many_numbers_become_ranges_and_few_stay() -> None:
    ids = [f"q{i}" for i in range(105)]
    groups = find_groups(QUERIES, ids, "length")
    assert order_groups(groups)[0] == "1\u20139" and order_groups(groups)[-1] == NO_GROUP
    assert len(set(groups)) == 7
    assert order_groups(find_groups(QUERIES, ids, "stars")) == ["0", "1", "2", "3", "4"]


def test_the_ranges_do_not_depend_on_which_queries_are_asked_for() -> None:
    every = find_groups(QUERIES, [f"q{i}" for i in range(105)], "length")
    few = find_groups(QUERIES, ["q3", "q4"], "length")
    assert few.to_dict() == every[["q3", "q4"]].to_dict()


def test_numbers_are_groupings_and_a_numbering_is_none() -> None:
    assert QUERIES.groupings == ["length", "stars", "clarity"]
