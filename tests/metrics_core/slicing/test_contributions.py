"""Parts of groups that add up to the difference of the means."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.base.errors import UnknownRunError
from metrics_core.comparing.pairs import compare
from metrics_core.slicing.breakdowns import NO_GROUP
from metrics_core.slicing.contributions import group_contributions

SCORE = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, math.nan]))
GROUP = st.sampled_from(["Billing", "Returns", "", None])
ROWS = st.lists(st.tuples(SCORE, SCORE, GROUP), min_size=1, max_size=60)


def scores(own: list[float], other: list[float], measure: str = "AP") -> pd.DataFrame:
    ids = [f"q{i}" for i in range(len(own))]
    return pd.concat(
        pd.DataFrame({"run": run, "query_id": ids, measure: values})
        for run, values in (("new", own), ("bm25", other))
    )


def bridged(own: list[float], other: list[float], groups: list[str | None], m: str = "AP"):
    given_groups = pd.Series(groups, [f"q{i}" for i in range(len(own))], dtype=object)
    return group_contributions(scores(own, other, m), m, "new", "bm25", given_groups)


@given(ROWS)
def test_parts_add_up_to_the_difference_of_the_means(rows: list[tuple]) -> None:
    own, other, groups = (list(side) for side in zip(*rows, strict=True))
    found = bridged(own, other, groups)
    gaps = [a - b for a, b in zip(own, other, strict=True) if not math.isnan(a - b)]
    assert found["queries"].sum() == len(gaps)
    if gaps:
        assert math.fsum(found["part"]) == pytest.approx(math.fsum(gaps) / len(gaps), abs=1e-12)


@given(ROWS)
def test_each_part_is_the_groups_share_times_its_own_difference(rows: list[tuple]) -> None:
    own, other, groups = (list(side) for side in zip(*rows, strict=True))
    for row in bridged(own, other, groups).to_dict("records"):
        inside = [
            a - b
            for a, b, g in rows
            if (g or NO_GROUP) == row["group"] and not math.isnan(a) and not math.isnan(b)
        ]
        all_of = sum(not math.isnan(a - b) for a, b, _ in rows)
        assert row["queries"] == len(inside) > 0
        assert row["difference"] == pytest.approx(sum(inside) / len(inside), abs=1e-12)
        assert row["part"] == pytest.approx(len(inside) / all_of * row["difference"], abs=1e-12)


@given(ROWS)
def test_geometric_means_add_up_by_the_logarithms(rows: list[tuple]) -> None:
    own, other, groups = (list(side) for side in zip(*rows, strict=True))
    found = bridged(own, other, groups, "GMAP")
    if len(found):
        row = compare(scores(own, other, "GMAP"), "GMAP", "bm25").set_index("run").loc["new"]
        assert math.fsum(found["part"]) == pytest.approx(row["difference"], abs=1e-12)


def test_geometric_means_that_are_level_still_have_parts() -> None:
    found = bridged([0.8, 0.1], [0.1, 0.8], ["a", "b"], "GMAP").set_index("group")
    level = math.sqrt(0.08)
    assert found.loc["a", "part"] == pytest.approx(level * math.log(8) / 2, abs=1e-12)
    assert found["part"].sum() == pytest.approx(0, abs=1e-12)


def test_the_greatest_part_in_the_direction_of_the_whole_stands_on_top() -> None:
    gain = bridged([0.5, 0.9, 0.1], [0.4, 0.1, 0.3], ["a", "b", "c"])
    assert list(gain["group"]) == ["b", "a", "c"]
    loss = bridged([0.4, 0.1, 0.3], [0.5, 0.9, 0.1], ["a", "b", "c"])
    assert list(loss["group"]) == ["b", "a", "c"]


def test_ranges_stand_in_their_own_order() -> None:
    found = bridged([0.5, 0.9, 0.1], [0.4, 0.1, 0.3], ["3\u20137", "8\u201312", "1\u20132"])
    assert list(found["group"]) == ["1\u20132", "3\u20137", "8\u201312"]


def test_queries_without_a_value_are_a_group_and_undefined_ones_are_in_none() -> None:
    found = bridged([0.5, math.nan, 0.5], [0.1, 0.2, 0.4], ["a", "gone", ""])
    assert found.set_index("group")["queries"].to_dict() == {"a": 1, NO_GROUP: 1}


def test_a_run_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownRunError):
        group_contributions(scores([1], [0]), "AP", "newer", "bm25", pd.Series({"q0": "a"}))


def test_seven_thousand_queries_add_up() -> None:
    draws = np.random.default_rng(7)
    own, other = draws.random((2, 7000))
    found = bridged(list(own), list(other), [f"g{i % 40:02}" for i in range(7000)])
    assert len(found) == 40
    assert math.fsum(found["part"]) == pytest.approx(float(np.mean(own - other)), abs=1e-12)
