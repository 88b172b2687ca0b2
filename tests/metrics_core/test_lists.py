"""One plain list: the same numbers as a run of one query."""

from __future__ import annotations

import datetime
import doctest
import inspect
import math
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core import benchmark, list_scores, lists
from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.judging import join_judgments
from metrics_core.lists import (
    auc,
    average_precision,
    dcg_at_k,
    graded_list,
    hit_rate,
    mean_scores,
    money_precision_at_k,
    money_recall_at_k,
    ndcg_at_k,
    precision,
    precision_at_k,
    r_precision,
    recall_at_k,
    reciprocal_rank,
    score_list,
    set_f,
    success_at_k,
)
from metrics_core.measures import declarations, parse_measure
from tests.collections_of import DOCUMENTS, PRODUCTS, qrels_of, run_of
from tests.settings_of import at

FOUND = ["x", "a", "b", "c"]
RELEVANT = {"a", "c", "m"}
EIGHT = ["P@5", "R@5", "nDCG@10", "AP", "RR", "Success@1", "Rprec", "SetF"]


def test_each_function_by_hand() -> None:
    assert precision_at_k(FOUND, RELEVANT, 2) == 1 / 2
    assert precision_at_k(FOUND, RELEVANT, 10) == 2 / 10
    assert recall_at_k(FOUND, RELEVANT, 2) == 1 / 3
    assert average_precision(FOUND, RELEVANT) == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert average_precision(FOUND, RELEVANT, 3) == pytest.approx(1 / 2 / 3)
    assert reciprocal_rank(FOUND, RELEVANT) == 1 / 2
    assert reciprocal_rank(FOUND, RELEVANT, 1) == 0
    assert success_at_k(FOUND, RELEVANT, 1) == 0
    assert success_at_k(FOUND, RELEVANT, 2) == 1
    assert r_precision(FOUND, RELEVANT) == pytest.approx(1 / 3)
    assert set_f(FOUND, RELEVANT) == pytest.approx(2 * 2 / (4 + 3))
    assert ndcg_at_k(["a", "c", "m"], RELEVANT) == 1


def test_expected_may_have_grades() -> None:
    assert ndcg_at_k(["b", "a"], {"a": 3, "b": 1, "c": 0}) < 1
    assert precision_at_k(["b", "a"], {"a": 3, "b": 0}, 2) == 1 / 2


def test_ids_may_be_anything_hashable() -> None:
    assert precision_at_k([1, 2, (3, "x")], [1, (3, "x")], 3) == 2 / 3


def test_a_whole_number_and_its_digits_are_one_id() -> None:
    calculator = benchmark.MetricsCalculator
    for numbers, words in (([1, 2], {"1"}), (["1", "2"], {1}), (np.array([1, 2]), ["1"])):
        assert precision_at_k(numbers, words, 2) == 1 / 2
        assert ndcg_at_k(numbers, dict.fromkeys(words, 3)) == 1
        assert mean_scores([(numbers, words)], "P@2") == {"P@2": 1 / 2}
        assert money_precision_at_k(numbers, words, {"1": 3, 2: 1}, 2) == 3 / 4
        assert money_recall_at_k(numbers, list(words), [3, 1], 2, expected_prices=[3]) == 1
        assert calculator.precision_at_k(numbers, words, 2) == 1 / 2
        assert calculator.recall_at_k(numbers, words, 2) == 1
        assert calculator.calculate_all(numbers, words).ndcg_at_10 == 1
        assert calculator.count_hits(numbers, words) == 1
    assert precision_at_k([1, "1", 2], {"1"}, 2) == 1 / 2
    assert precision_at_k([1, "1", 2], {"1"}, 2, duplicates="each") == 1
    assert recall_at_k([1], {1: 1, "1": 1}, 1) == 1
    with pytest.raises(ParameterError, match="expected has two values for '1': 1 and 2"):
        recall_at_k([1], {1: 1, "1": 2}, 1)


@pytest.mark.parametrize(
    "odd",
    [
        *(1.0, np.float64(1), True, None, float("nan"), pd.NA, pd.NaT, b"1", 1j, [1]),
        pytest.param(10**5000, id="very long"),
    ],
)
def test_what_is_no_id_is_refused(odd: Any) -> None:
    for score in (
        lambda: precision_at_k([odd], ["1"], 1),
        lambda: precision_at_k(["1"], [odd], 1),
        lambda: mean_scores([([odd], ["1"])], ["AP"]),
        lambda: benchmark.MetricsCalculator.recall_at_k([odd], ["1"], 2),
        lambda: benchmark.MetricsCalculator.calculate_all(["1"], [odd]),
    ):
        with pytest.raises(ParameterError, match="an id must be text or a whole number"):
            score()


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ([1, 2], r"\[1, 2\]"),
        ("high", "'high'"),
        (None, "None"),
        (10**400, "about 400 digits"),
        (datetime.date(2026, 11, 25), "datetime.date"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (1j, "1j"),
    ],
)
def test_what_is_no_number_is_said_with_its_document(value: Any, written: str) -> None:
    said = f"of document 'a' is .*{written}.*, not a finite number"
    with pytest.raises(ParameterError, match=said):
        ndcg_at_k(["a", "b"], {"a": value, "b": 1})
    with pytest.raises(ParameterError, match=said):
        mean_scores([(["a", "b"], {"a": value, "b": 1})], "AP")
    with pytest.raises(ParameterError, match=said.replace("'a'", "1")):
        graded_list([1, value])
    with pytest.raises(ParameterError, match=said.replace("'a'", "1")):
        graded_list([1, 2], scores=[3, value])
    if value is None:  # no price is known
        assert math.isnan(money_precision_at_k(["a"], {"a"}, {"a": None, "b": 2}, 1))
        return
    with pytest.raises(ParameterError, match=said):
        money_precision_at_k(["a", "b"], {"a"}, {"a": value, "b": 2}, 2)
    with pytest.raises(ParameterError, match=said):
        money_recall_at_k(["a", "b"], {"a"}, [value, 2], 2)
    with pytest.raises(ParameterError, match=said):
        score_list(["a"], {"a"}, "MoneyP@1", columns={"price": {"a": value, "b": 2}})


def test_ids_may_stand_in_arrays_and_series() -> None:
    for make in (np.array, pd.Series, pd.Index, tuple):
        assert precision_at_k(make(["x", "a"]), make(["a", "m"]), 2) == 1 / 2
        assert precision_at_k(make([7, 3]), make([3, 4]), 2) == 1 / 2
        assert hit_rate(make(["x", "a"]), make(["a"])) == 1
        assert benchmark.MetricsCalculator.recall_at_k(make(["x", "a"]), make(["a", "m"]), 2) == 0.5


def test_k_may_be_a_number_of_numpy() -> None:
    for k in (np.int64(2), np.uint8(2), np.float32(2)):
        assert precision_at_k(FOUND, RELEVANT, k) == 1 / 2
        assert benchmark.MetricsCalculator.precision_at_k(FOUND, RELEVANT, k) == 1 / 2
    with pytest.raises(ParameterError, match="a number, not"):
        precision_at_k(FOUND, RELEVANT, np.True_)


@pytest.mark.parametrize(
    ("retrieved", "expected", "said"),
    [
        ("abc", ["a"], "retrieved is a string"),
        (["a"], "abc", "expected is a string"),
        ({"a", "b"}, ["a"], "retrieved is a set, which has no order"),
        ({"a": 0.5, "b": 0.9}, ["a"], "retrieved is a dict, which has no order"),
    ],
)
def test_what_is_no_list_is_refused(retrieved: Any, expected: Any, said: str) -> None:
    for score in (
        lambda: recall_at_k(retrieved, expected, 5),
        lambda: hit_rate(retrieved, expected),
        lambda: mean_scores([(retrieved, expected)], ["AP"]),
        lambda: benchmark.MetricsCalculator.recall_at_k(retrieved, expected, 5),
        lambda: benchmark.MetricsCalculator.calculate_all(retrieved, expected),
    ):
        with pytest.raises(ParameterError, match=said):
            score()


def test_no_list_and_no_measure_are_said() -> None:
    with pytest.raises(ParameterError, match="no lists to score"):
        mean_scores([], ["AP"])
    with pytest.raises(RanklensError, match="No measure"):
        mean_scores([(FOUND, RELEVANT)], [])
    assert mean_scores([(FOUND, RELEVANT)], "P@2") == score_list(FOUND, RELEVANT, ["P@2"])


def test_a_list_of_grades_alone_is_told_its_form() -> None:
    assert precision(*graded_list([0, 0, 0, 1])) == 1 / 4
    calls: list[Any] = [
        lambda: precision([0, 0, 0, 1]),
        lambda: precision_at_k([0, 0, 0, 1], 2),
        lambda: ndcg_at_k([0, 1], k=2),
        lambda: mean_scores([[0, 0, 1], [0, 1]], "MAP"),
        lambda: mean_scores([[0, 1]], "MAP"),
    ]
    for call in calls:
        with pytest.raises(ParameterError, match="graded_list"):
            call()


def test_a_score_is_found_by_each_name_of_its_measure() -> None:
    scores = mean_scores([(FOUND, RELEVANT)], ["MAP", "ndcg_cut_10"])
    assert list(scores) == ["MAP", "ndcg_cut_10"]
    assert scores["MAP"] == scores["AP"] == average_precision(FOUND, RELEVANT)
    assert score_list(FOUND, RELEVANT, "MRR")["RR"] == 1 / 2
    with pytest.raises(KeyError, match="there are: MAP"):
        scores["P@3"]


def test_the_examples_of_the_docstrings() -> None:
    for module in (lists, list_scores):
        outcome = doctest.testmod(module)
        assert outcome.attempted and not outcome.failed
    functions = [getattr(lists, name) for name in lists.__all__]
    documented = [f.__doc__ for f in functions if inspect.isfunction(f)]
    without = {lists.graded_list.__doc__, lists.judged_list.__doc__}
    assert all(">>> " in text for text in documented if text not in without)


def test_conventions_of_recommender_courses() -> None:
    # 1/k Σ rel·P@i, and the mean of the discounted gains.
    assert average_precision(FOUND, RELEVANT, 4, denominator="k") == (1 / 2 + 2 / 4) / 4
    assert average_precision(FOUND, RELEVANT, denominator="k") == (1 / 2 + 2 / 4) / 4
    assert average_precision(FOUND, RELEVANT, 10, denominator="k") == (1 / 2 + 2 / 4) / 10
    total = dcg_at_k(FOUND, RELEVANT)
    assert dcg_at_k(FOUND, RELEVANT, denominator="retrieved") == total / 4
    assert dcg_at_k(FOUND, RELEVANT, 10, denominator="retrieved") == total / 4
    assert dcg_at_k(FOUND, RELEVANT, 2, denominator="retrieved") == dcg_at_k(FOUND, RELEVANT, 2) / 2


PRICES = [400, 60, 40, 40]


def test_prices_may_stand_beside_the_ids() -> None:
    by_id = dict(zip(FOUND, PRICES, strict=True)) | {"m": 100}
    for prices in (PRICES, np.array(PRICES), pd.Series(PRICES, index=[4, 2, 8, 1])):
        found = money_precision_at_k(FOUND, RELEVANT, prices, 3)
        assert found == money_precision_at_k(FOUND, RELEVANT, by_id, 3) == 60 / 500
    wanted = ["a", "c", "m"]
    found = money_recall_at_k(FOUND, wanted, PRICES, 3, expected_prices=[60, 40, 100])
    assert found == money_recall_at_k(FOUND, wanted, by_id, 3) == 60 / 200
    # Nothing expected is missing from the list, so its prices are enough.
    assert money_recall_at_k(FOUND, ["a", "c"], PRICES, 3) == 60 / 100
    scores = score_list(FOUND, wanted, ["MoneyP@3"], columns={"price": PRICES})
    assert scores == {"MoneyP@3": 60 / 500}


def test_prices_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ParameterError, match="has no price for the expected document 'm'"):
        money_recall_at_k(FOUND, ["a", "m"], PRICES, 3)
    with pytest.raises(ParameterError, match="3 values for 4 documents"):
        money_precision_at_k(FOUND, RELEVANT, PRICES[:3], 3)
    with pytest.raises(ParameterError, match="two values for 'a': 60 and 61"):
        money_recall_at_k(FOUND, ["a"], PRICES, 3, expected_prices=[61])
    with pytest.raises(ParameterError, match="expected is a set"):
        money_recall_at_k(FOUND, {"a", "c"}, PRICES, 3, expected_prices=[60, 40])
    with pytest.raises(ParameterError, match="is a string"):
        money_precision_at_k(FOUND, RELEVANT, "4321", 3)


def test_a_duplicate_counts_at_its_first_place() -> None:
    assert precision_at_k(["a", "a", "x"], {"a"}, 2) == 1 / 2
    assert reciprocal_rank(["x", "x", "a"], {"a"}) == 1 / 2


@pytest.mark.parametrize(("found", "relevant"), [([], {"a"}), (["a"], set()), ([], set())])
def test_nothing_found_or_nothing_relevant_is_zero(found: list[str], relevant: set[str]) -> None:
    assert set(score_list(found, relevant, EIGHT).values()) == {0}


@settings(max_examples=80)
@given(
    docs=st.permutations([f"d{i}" for i in range(8)]),
    length=st.integers(1, 8),
    grades=st.dictionaries(
        st.sampled_from([f"d{i}" for i in range(12)]), st.integers(-1, 3), min_size=1
    ),
)
def test_the_same_scores_as_a_run(docs: list[str], length: int, grades: Any) -> None:
    found = docs[:length]
    run = run_of({"q": {d: -float(i) for i, d in enumerate(found)}})
    ranks = join_judgments(run, qrels_of({"q": grades}), documents=DOCUMENTS)
    names = [str(at(d)) for d in declarations() if "subtopics" not in d.needs]
    expected = {name: float(parse_measure(name).score(ranks)[0]) for name in names}
    columns = {c: {d: row[c] for d, row in PRODUCTS.items()} for c in PRODUCTS["d0"]}
    assert score_list(found, grades, names, columns=columns) == pytest.approx(
        expected, rel=0, abs=0, nan_ok=True
    )


def test_eight_measures_take_well_under_a_millisecond() -> None:
    found = [f"d{i}" for i in range(100)]
    relevant = {f"d{i}" for i in range(0, 100, 7)}
    measures = [parse_measure(name) for name in EIGHT]
    score_list(found, relevant, measures)
    times = []
    for _ in range(50):
        start = time.process_time()
        score_list(found, relevant, measures)
        times.append(time.process_time() - start)
    assert min(times) < 0.001


def test_auc_of_one_list() -> None:
    assert auc(["a", "b", "c"], {"b"}) == 0.5
    assert auc(["a", "b", "c"], {"a", "b"}, 2) != auc(["a", "b", "c"], {"a"}, 2)
    assert math.isnan(auc(["a"], {"a"}))


def test_users_without_anything_expected_count_zero_or_not() -> None:
    lists: list[Any] = [(["a"], {"a"}), (["b"], set())]
    assert mean_scores(lists, ["AP"]) == {"AP": 0.5}
    assert mean_scores(lists, ["AP"], without_relevant="leave out") == {"AP": 1.0}
