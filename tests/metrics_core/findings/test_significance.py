"""Sentences on what queries can show, and on what makes a test doubtful."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from metrics_core.comparing.difference_warnings import find_warnings
from metrics_core.findings.significance import (
    detectable_difference_finding,
    effect_size_finding,
    mean_difference_caveats,
    needed_queries_finding,
    round_up_query_count,
    rounding_note,
    supported_margin_finding,
    unavailable_test_finding,
)


def test_an_effect_size_says_what_it_is() -> None:
    row = {"effect": 0.384, "effect_low": 0.1849, "effect_high": 0.5774}
    assert effect_size_finding(row).text == (
        "Effect size (uncorrected): mean / standard deviation of the differences. Here:"
        " +0.38 [0.18, 0.58]."
    )
    assert not effect_size_finding({**row, "effect": math.nan})


def test_what_would_have_shown() -> None:
    assert detectable_difference_finding(0.0571, 104).text == (
        "These 104 queries can detect a difference of 0.057 or more, after correction (80% power)."
    )
    assert (
        "detect a difference of 0.00031 or more"
        in detectable_difference_finding(0.000312, 1_040).text
    )
    for unknown in (math.nan, math.inf, 0.0):
        assert not detectable_difference_finding(unknown, 104)


@pytest.mark.parametrize(
    ("mean", "baseline_mean", "difference", "is_noted"),
    [
        (0.6356, 0.5482, 0.6356 - 0.5482, True),  # 0.636, 0.548 and +0.087
        (0.6356, 0.5486, 0.6356 - 0.5486, False),
        (0.6356, 0.5482, 0.0861, False),  # of other queries, so rounding does not explain it
        (0.5, math.nan, math.nan, False),
    ],
)
def test_a_difference_that_contradicts_the_printed_means_is_explained(
    mean: float, baseline_mean: float, difference: float, is_noted: bool
) -> None:
    row = {"mean": mean, "baseline_mean": baseline_mean, "difference": difference}
    text = "Differences are computed before rounding." if is_noted else ""
    assert rounding_note(pd.DataFrame([row])) == text


def test_a_margin_that_is_shown_is_not_printed_smaller_than_it_is() -> None:
    said = "These queries show that the difference is smaller than {} in either direction."
    for low, high, size in (
        (-0.0304, 0.01, "0.031"),
        (-0.02, 0.0299, "0.03"),
        (0, 2e-5, "0.00002"),
    ):
        assert supported_margin_finding(low, high, all_scores_equal=False).text == said.format(size)


def test_how_many_queries_it_takes() -> None:
    assert needed_queries_finding(0.02, 823).text == (
        "About 830 queries would confirm 0.02, if that is the true difference."
    )
    assert needed_queries_finding(-0.1, 10).text.startswith("About 10 queries would confirm 0.1,")
    assert "No number of queries" in needed_queries_finding(1e-9, math.inf).text
    assert not needed_queries_finding(0.0, math.inf) and not needed_queries_finding(0.02, math.nan)


@pytest.mark.parametrize(
    ("queries", "about"), [(10, 10), (99, 99), (101, 110), (787, 790), (12_301, 13_000)]
)
def test_a_number_of_queries_has_two_figures(queries: int, about: int) -> None:
    assert round_up_query_count(queries) == about


def test_each_doubt_is_a_sentence() -> None:
    carried = mean_difference_caveats(find_warnings(np.r_[0.5, 0.3, 0.2, np.full(50, 0.02)]))
    assert [one.text for one in carried] == ["Three queries account for half of the difference."]
    few = mean_difference_caveats(find_warnings(np.r_[np.zeros(96), np.tile([0.1, 0.12], 2)]))
    assert few[0].text == "Only four of 100 queries differ at all."
    one = mean_difference_caveats(find_warnings(np.r_[np.zeros(96), 0.1]))
    assert one[0].text == "Only one of 97 queries differs at all."


def test_nobody_carries_a_difference_that_was_not_found() -> None:
    unclear = find_warnings(np.random.default_rng(2).normal(0.1, 1, 80))
    assert len(mean_difference_caveats(unclear)) == 1
    assert mean_difference_caveats(unclear, is_significant=False) == []


def test_why_a_test_is_greyed() -> None:
    assert unavailable_test_finding("wilcoxon", 6_980).text == (
        "This test is unavailable for more than 1,000 queries: it does not test the mean, and"
        " nearly every difference would be significant."
    )
    assert not unavailable_test_finding("wilcoxon", 200) and not unavailable_test_finding(
        "t-test", 6_980
    )
