"""Measures known only by their scores: name, direction, scale and range."""

from __future__ import annotations

import numpy as np
import pytest

from metrics_core.measures import Measure, make_given_measure

NAN = float("nan")


def given(name: str, *values: float, higher: bool | None = None) -> Measure:
    return make_given_measure(name, np.array(values), higher_is_better=higher)


@pytest.mark.parametrize("name", ["accuracy", "auc", "f1", "map", "mrr", "recall", "ndcg_cut_10"])
def test_a_name_of_a_computed_measure_is_prefixed(name: str) -> None:
    assert str(given(name, 0.5)) == f"given:{name}"


@pytest.mark.parametrize("name", ["correct", "exact_match (strict-match)", "a, b [c]@5", "P@x y"])
def test_other_names_stay_as_written(name: str) -> None:
    assert str(given(name, 0.5)) in (name, f"given:{name}")
    assert str(given("correct", 0.5)) == "correct"


@pytest.mark.parametrize(
    "name",
    ["latency_ms", "latencyMs", "Total Time", "total_tokens", "cost", "error_rate", "TTFT seconds"],
)
def test_these_names_have_no_direction_until_declared(name: str) -> None:
    assert given(name, 3.0).declaration.direction == 0
    assert given(name, 3.0, higher=False).declaration.direction == -1
    assert given(name, 3.0, higher=True).declaration.direction == 1


@pytest.mark.parametrize("name", ["correct", "timeliness", "costume", "items", "terms", "intimes"])
def test_higher_is_better_for_other_names(name: str) -> None:
    assert given(name, 3.0).declaration.direction == 1


def test_scores_within_0_and_1_have_that_range() -> None:
    assert given("correct", 0.0, NAN, 1.0).declaration.range == (0, 1)
    assert given("correct", 0.0, 1.1).declaration.range == (-np.inf, np.inf)
    assert given("correct", NAN).declaration.range == (0, 1)


def test_costs_are_lower_is_better_without_values_below_0_and_some_above_1() -> None:
    assert given("latency_ms", 0.0, 900.0, higher=False).declaration.scale == "cost"
    assert given("latency_ms", 0.0, 900.0).declaration.scale == ""
    assert given("latency_ms", -1.0, 900.0, higher=False).declaration.scale == ""
    assert given("error_rate", 0.1, 1.0, higher=False).declaration.scale == ""
    assert given("tokens_saved", 0.0, 900.0, higher=True).declaration.scale == ""


def test_equal_declarations_are_one_measure() -> None:
    assert given("correct", 0.0) == given("correct", 1.0)
    assert given("correct", 0.0) != given("correct", 5.0)
