"""The calculator of SPEC-003: what programs written against the specification rely on."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.base.errors import ParameterError
from metrics_core.benchmark import IRMetrics, MetricsCalculator, ReportAggregator

FIVE = ["A", "B", "C", "D", "E"]


# precision_at_k


@pytest.mark.parametrize(
    ("retrieved", "expected", "k", "precision"),
    [
        (["A", "B", "C"], ["A", "B", "C", "D"], 3, 1.0),
        (["A", "B", "C"], ["D", "E", "F"], 3, 0.0),
        (FIVE, ["A", "C", "F"], 3, 2 / 3),
        (FIVE, ["A", "C", "F"], 5, 2 / 5),
        (["A", "B"], ["A"], 5, 1 / 5),
        ([], ["A"], 3, 0.0),
        (["A"], [], 3, 0.0),
        ([], [], 3, 0.0),
        (["module_A", "module_b"], ["module_a", "module_B"], 2, 0.0),
        (["A", "A", "B"], ["A"], 3, 2 / 3),
        (["A", "B"], ["A", "A"], 2, 1 / 2),
    ],
)
def test_precision(retrieved: list[str], expected: list[str], k: int, precision: float) -> None:
    assert MetricsCalculator.precision_at_k(retrieved, expected, k=k) == precision


# recall_at_k


@pytest.mark.parametrize(
    ("retrieved", "expected", "k", "recall"),
    [
        (["A", "B", "C", "D"], ["A", "B"], 4, 1.0),
        (["A", "B", "C"], ["D", "E"], 3, 0.0),
        (["A", "B", "C"], ["A", "C", "D", "E"], 3, 2 / 4),
        (FIVE, ["A", "C", "F"], 5, 2 / 3),
        (["A"], [], 3, 0.0),
        ([], ["A"], 3, 0.0),
        (["A", "A", "B"], ["A"], 3, 1.0),
        (["A", "A", "B"], ["A", "B"], 2, 1 / 2),
        (["A", "B"], ["A", "A", "C"], 2, 1 / 2),
    ],
)
def test_recall(retrieved: list[str], expected: list[str], k: int, recall: float) -> None:
    assert MetricsCalculator.recall_at_k(retrieved, expected, k=k) == recall


# mrr, count_hits, first_relevant_position


@pytest.mark.parametrize(
    ("retrieved", "expected", "position"),
    [
        (["A", "B"], ["A"], 1),
        (["A", "B"], ["B"], 2),
        (["A", "B", "C"], ["C"], 3),
        (["A", "B", "C", "D"], ["B", "D"], 2),
        (["x", "x", "A"], ["A"], 3),
        (["A", "B"], ["C"], None),
        ([], ["A"], None),
        (["A"], [], None),
    ],
)
def test_first_relevant(retrieved: list[str], expected: list[str], position: int | None) -> None:
    assert MetricsCalculator.first_relevant_position(retrieved, expected) == position
    assert MetricsCalculator.mrr(retrieved, expected) == (1 / position if position else 0.0)


def test_hits() -> None:
    assert MetricsCalculator.count_hits(FIVE, ["A", "C", "F"]) == 2
    assert MetricsCalculator.count_hits(["A", "A", "B"], ["A"]) == 2
    assert MetricsCalculator.count_hits([], ["A"]) == 0
    assert isinstance(MetricsCalculator.count_hits(FIVE, ["A"]), int)


# calculate_all


def test_all_metrics() -> None:
    metrics = MetricsCalculator.calculate_all(list("ABCDEFGHIJ"), ["A", "C", "F", "K"])
    assert metrics == IRMetrics(
        precision_at_3=2 / 3,
        precision_at_5=2 / 5,
        recall_at_10=3 / 4,
        mrr=1.0,
        ndcg_at_10=pytest.approx(
            (1 + 1 / math.log2(4) + 1 / math.log2(7))
            / (1 + 1 / math.log2(3) + 1 / math.log2(4) + 1 / math.log2(5))
        ),
        hits_in_top_3=2,
        hits_in_top_5=2,
        first_relevant_position=1,
    )


@pytest.mark.parametrize(
    ("retrieved", "expected"), [(["A", "B", "C"], ["D", "E"]), ([], ["A"]), (["A"], []), ([], [])]
)
def test_nothing_relevant_is_zero(retrieved: list[str], expected: list[str]) -> None:
    assert MetricsCalculator.calculate_all(retrieved, expected) == IRMetrics(0, 0, 0, 0, 0, 0, 0)


def test_a_perfect_list() -> None:
    metrics = MetricsCalculator.calculate_all(["A", "B", "C"], {"A", "B", "C"})
    assert (metrics.precision_at_3, metrics.recall_at_10, metrics.ndcg_at_10) == (1, 1, 1)


def test_duplicates_pass_no_bound() -> None:
    metrics = MetricsCalculator.calculate_all(["A", "A", "A"], ["A"])
    assert (metrics.precision_at_3, metrics.hits_in_top_3, metrics.hits_in_top_5) == (1, 3, 3)
    assert (metrics.recall_at_10, metrics.ndcg_at_10) == (1, 1)


def test_what_is_beyond_the_cutoffs_counts_for_mrr_only() -> None:
    metrics = MetricsCalculator.calculate_all([f"x{i}" for i in range(10)] + ["A"], ["A"])
    assert metrics == IRMetrics(0, 0, 0, 1 / 11, 0, 0, 0, 11)


def test_only_four_values_are_needed() -> None:
    metrics = IRMetrics(1.0, 0.6, 0.5, 1.0)
    assert metrics.ndcg_at_10 is None and metrics.first_relevant_position is None
    assert metrics.hits_in_top_3 == metrics.hits_in_top_5 == 0


def test_the_calculator_may_be_an_instance() -> None:
    assert MetricsCalculator().calculate_all(FIVE, ["A"]).mrr == 1


@given(
    retrieved=st.lists(st.sampled_from("ABCDEFGHIJKLM"), max_size=15),
    expected=st.lists(st.sampled_from("ABCDEFGHIJKLM"), max_size=6),
)
def test_all_metrics_are_what_the_single_functions_give(
    retrieved: list[str], expected: list[str]
) -> None:
    metrics, single = MetricsCalculator.calculate_all(retrieved, expected), MetricsCalculator
    wanted = set(expected)
    hits = [doc in wanted for doc in retrieved]
    assert metrics.precision_at_3 == single.precision_at_k(retrieved, expected, 3)
    assert metrics.precision_at_5 == single.precision_at_k(retrieved, expected, 5)
    assert metrics.recall_at_10 == single.recall_at_k(retrieved, expected, 10)
    assert metrics.mrr == single.mrr(retrieved, expected)
    assert metrics.hits_in_top_3 == single.count_hits(retrieved[:3], expected) == sum(hits[:3])
    assert metrics.hits_in_top_5 == single.count_hits(retrieved[:5], expected) == sum(hits[:5])
    assert metrics.precision_at_5 == sum(hits[:5]) / 5
    found = len(wanted & set(retrieved[:10]))
    assert metrics.recall_at_10 == (found / len(wanted) if wanted else 0)
    assert metrics.ndcg_at_10 is not None and 0 <= metrics.ndcg_at_10 <= 1 + 1e-12


def test_a_query_takes_less_than_a_millisecond() -> None:
    retrieved = [f"d{i}" for i in range(100)]
    expected = retrieved[::7]
    MetricsCalculator.calculate_all(retrieved, expected)
    times = []
    for _ in range(30):
        start = time.process_time()
        MetricsCalculator.calculate_all(retrieved, expected)
        times.append(time.process_time() - start)
    assert min(times) < 0.001


# ReportAggregator


def test_aggregates() -> None:
    results = [
        IRMetrics(1.0, 0.6, 1.0, 1.0),
        IRMetrics(1 / 3, 0.2, 0.5, 0.5),
        IRMetrics(0.0, 0.2, 0.0, 0.0),
        IRMetrics(0.0, 0.0, 0.0, 0.0),
    ]
    assert ReportAggregator.aggregate_metrics(results) == pytest.approx(
        {
            "precision@3": 1 / 3,
            "precision@5": 0.25,
            "recall@10": 0.375,
            "mrr": 0.375,
            "median_precision@3": 1 / 6,
            "median_mrr": 0.25,
        }
    )


def test_aggregates_of_one() -> None:
    one = MetricsCalculator.calculate_all(FIVE, ["A", "C", "F"])
    found = ReportAggregator.aggregate_metrics([one])
    assert found["precision@3"] == found["median_precision@3"] == 2 / 3


def test_aggregates_of_nothing_are_zeros() -> None:
    found = ReportAggregator.aggregate_metrics([])
    assert len(found) == 6 and set(found.values()) == {0.0}


RESULTS: list[dict[str, Any]] = [
    {
        "category": "sales",
        "difficulty": "easy",
        "metrics": {"precision@3": 1.0, "precision@5": 0.6, "mrr": 1.0, "ndcg_at_10": None},
    },
    {
        "category": "sales",
        "difficulty": "hard",
        "metrics": IRMetrics(0.0, 0.2, 0.5, 0.25, ndcg_at_10=0.5),
    },
    {
        "category": "stock",
        "difficulty": "easy",
        "metrics": {"precision_at_3": 1 / 3, "precision_at_5": 0.2, "mrr": 0.5},
    },
]


@pytest.mark.parametrize("field", ["precision@3", "precision_at_3"])
def test_by_category(field: str) -> None:
    found = ReportAggregator.group_by_category(RESULTS, field)
    assert found == {"sales": 0.5, "stock": 1 / 3}


def test_by_category_of_another_field() -> None:
    assert ReportAggregator.group_by_category(RESULTS, "mrr") == {"sales": 0.625, "stock": 0.5}
    assert ReportAggregator.group_by_category(RESULTS, "recall@10") == {"sales": 0.5}
    assert ReportAggregator.group_by_category(RESULTS, "ndcg@10") == {"sales": 0.5}


def test_a_metric_that_no_result_has_is_an_error() -> None:
    with pytest.raises(ParameterError, match="No result has a metric 'precison@3'"):
        ReportAggregator.group_by_category(RESULTS, "precison@3")


def test_by_difficulty() -> None:
    assert ReportAggregator.group_by_difficulty(RESULTS) == {
        "easy": {"count": 2, "precision@3": pytest.approx(2 / 3), "precision@5": 0.4, "mrr": 0.75},
        "hard": {"count": 1, "precision@3": 0.0, "precision@5": 0.2, "mrr": 0.25},
    }


def test_results_in_which_something_is_missing() -> None:
    odd: list[dict[str, Any]] = [
        {"category": "sales", "difficulty": "easy"},
        {"category": "sales", "difficulty": "easy", "metrics": None},
        {"metrics": IRMetrics(1.0, 1.0, 1.0, 1.0)},
        {"category": None, "difficulty": "", "metrics": {"mrr": 0.5}},
    ]
    assert ReportAggregator.group_by_category(odd, "mrr") == {"(none)": 0.75}
    assert ReportAggregator.group_by_difficulty(odd) == {
        "(none)": {"count": 2, "precision@3": 1.0, "precision@5": 1.0, "mrr": 0.75}
    }


def test_no_results_no_groups() -> None:
    assert ReportAggregator.group_by_category([], "mrr") == {}
    assert ReportAggregator.group_by_difficulty([]) == {}
