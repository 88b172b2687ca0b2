"""Differences by cutoff, in a band that holds for all of them."""

from __future__ import annotations

import numpy as np
import pytest

from metrics_core.base.errors import UnknownRunError
from metrics_core.comparing import testing
from metrics_core.comparing.curves import mean_curves
from metrics_core.comparing.method import Method
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from tests.collections_of import qrels_of, run_of

QRELS = qrels_of({"a": {"d1": 1, "d2": 2}, "b": {"d1": 1, "d3": 0}, "c": {"d9": 1}})
ONE = join_judgments(
    run_of({"a": {"d1": 3, "x": 2, "d2": 1}, "b": {"d3": 2, "d1": 1}}, "one"), QRELS
)
TWO = join_judgments(run_of({"a": {"d2": 1}, "b": {"d1": 1}, "c": {"d9": 1}}, "two"), QRELS)


def test_means_and_differences_by_cutoff() -> None:
    frame = mean_curves([ONE, TWO], parse_measure("R@1"), [1, 3], "one").set_index(["run", "k"])
    # R@1 is 1/2, 0, 0 and 1/2, 1, 1; R@3 is 1, 1, 0 and 1/2, 1, 1
    assert frame["mean"].tolist() == pytest.approx([1 / 6, 2 / 3, 5 / 6, 5 / 6])
    assert frame.loc["two", "difference"].tolist() == pytest.approx([2 / 3, 1 / 6])
    assert frame.loc["one", "difference"].isna().all()
    assert frame.loc["two", "queries"].tolist() == [3, 3]


def test_a_baseline_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UnknownRunError, match="no run 'one'"):
        mean_curves([TWO], parse_measure("P@1"), [1], "one")


def test_the_band_of_differences_holds_for_all_cutoffs_at_once() -> None:
    values = np.random.default_rng(3).normal(0, 0.2, (60, 12))
    band, alone = (
        testing.compare_columns(values, Method()),
        testing.compare_columns(values, Method(correction="none")),
    )
    assert (band.low < alone.low).all() and (band.high > alone.high).all()


@pytest.mark.thorough
def test_where_nothing_differs_at_some_cutoff_few_bands_claim_a_lead() -> None:
    # 200 pairs of runs that are equally good; neighbouring cutoffs are alike, as in a curve.
    generator = np.random.default_rng(11)
    apart = together = 0
    for _ in range(200):
        values = generator.normal(0, 0.2, (40, 20)).cumsum(axis=1) / np.arange(1, 21)
        found = testing.compare_columns(values, Method())
        together += bool(((found.low > 0) | (found.high < 0)).any())
        apart += bool((found.p <= 0.05).any())
    assert together <= 16 < 35 <= apart


def test_where_all_queries_differ_alike_the_band_is_that_of_the_share_won() -> None:
    values = np.column_stack([np.full(30, 0.25), np.linspace(-1, 1, 30)])
    band = testing.compare_columns(values, Method())
    assert 0.2 < band.low[0] < band.mean[0] == band.high[0] == 0.25
    assert band.low[1] < 0 < band.high[1]


def test_below_ten_queries_there_is_no_band() -> None:
    found = testing.compare_columns(np.random.default_rng(1).normal(1, 0.1, (9, 3)), Method())
    assert np.isnan(found.low).all() and np.isnan(found.p).all()
    assert not np.isnan(found.mean).any()
