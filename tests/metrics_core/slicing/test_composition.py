"""A change of the mean between two sets of queries, taken apart."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.slicing.composition import decompose_change, is_simpsons_paradox

SET = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(["easy", "hard", "odd", ""])),
    min_size=1,
    max_size=30,
)


def sides(rows: list[tuple[float, str]]) -> tuple[pd.Series, pd.Series]:
    ids = [f"q{i}" for i in range(len(rows))]
    values, groups = zip(*rows, strict=True)
    return pd.Series(values, ids, dtype=float), pd.Series(groups, ids, dtype=object)


@given(SET, SET)
def test_the_parts_add_up_to_the_change_of_the_mean(before: list, after: list) -> None:
    found = decompose_change(*sides(before), *sides(after))
    change = math.fsum(v for v, _ in after) / len(after) - math.fsum(v for v, _ in before) / len(
        before
    )
    assert math.fsum([*found["mix"], *found["within"]]) == pytest.approx(change, abs=1e-12)
    assert found["before"].sum() == len(before) and found["after"].sum() == len(after)


def test_other_queries_are_told_from_other_scores() -> None:
    easy, hard = (0.8, "easy"), (0.2, "hard")
    more_easy = decompose_change(*sides([easy, hard] * 5), *sides([easy] * 8 + [hard] * 2))
    assert more_easy["within"].abs().max() == pytest.approx(0)
    assert more_easy["mix"].sum() == pytest.approx(0.18)
    better = decompose_change(*sides([easy, hard] * 5), *sides([(0.9, "easy"), (0.3, "hard")] * 5))
    assert better["mix"].abs().max() == pytest.approx(0)
    assert better["within"].sum() == pytest.approx(0.1)


def test_a_reversal_is_told() -> None:
    before = [(0.8, "easy")] * 9 + [(0.3, "hard")]
    after = [(0.9, "easy")] + [(0.4, "hard")] * 9
    assert is_simpsons_paradox(decompose_change(*sides(before), *sides(after)))
    assert not is_simpsons_paradox(decompose_change(*sides(before), *sides(before)))
    assert not is_simpsons_paradox(decompose_change(*sides(before), *sides([(0.9, "easy")] * 10)))


def test_a_group_that_one_set_lacks_is_all_mix() -> None:
    found = decompose_change(*sides([(0.5, "a")]), *sides([(0.5, "a"), (0.9, "b")])).set_index(
        "group"
    )
    assert found.loc["b", "within"] == 0 and math.isnan(found.loc["b", "mean_before"])


def test_a_set_without_scores_is_refused() -> None:
    with pytest.raises(ValueError, match="no mean"):
        decompose_change(*sides([(math.nan, "a")]), *sides([(0.5, "a")]))
