"""Smaller than matters: the verdict's inner interval against two one-sided t-tests of scipy,
which find it more often, and too often of few queries that change."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metrics_core.comparing import testing
from metrics_core.comparing.method import Method, suggest_margin
from metrics_core.comparing.pairs import SAME


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("margin", [0.02, 0.05, 0.3])
def test_within_the_margin_only_where_two_one_sided_t_tests_say_so(
    seed: int, margin: float
) -> None:
    generator = np.random.default_rng(seed)
    values = generator.normal(0.03, 0.15, (60, 5)) * generator.choice([-1, 1])
    above = stats.ttest_1samp(values, -margin, alternative="greater").pvalue
    below = stats.ttest_1samp(values, margin, alternative="less").pvalue
    found = testing.compare_columns(values, Method("t-test", "none", margin)).is_within_margin(
        margin
    )
    assert (found <= (np.maximum(above, below) <= 0.05)).all()
    assert found.all() or margin < 0.3


def test_nothing_is_within_without_a_margin_or_a_test() -> None:
    alike = np.zeros((40, 1))
    assert testing.compare_columns(alike, Method(margin=0.01)).is_within_margin(0.01).all()
    assert not testing.compare_columns(alike, Method()).is_within_margin(None).any()
    assert (
        not testing.compare_columns(alike[:4], Method(margin=0.01)).is_within_margin(0.01).any()
    ), "too few queries"


@pytest.mark.parametrize(
    ("measure", "margin"), [("nDCG@10", SAME), ("AP", 0.01), ("DCG@10", None), ("NumRet", None)]
)
def test_a_margin_to_begin_with_comes_from_the_scale(measure: str, margin: float | None) -> None:
    assert suggest_margin(measure) == margin
