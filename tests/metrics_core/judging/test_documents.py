"""Measures of the listed documents: what they need, what is missing, parts of a collection."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from metrics_core.base.errors import LackingDataError, ParameterError
from metrics_core.judging import join_judgments
from metrics_core.lists import money_precision_at_k, score_list
from metrics_core.measures import declarations, parse_measure
from metrics_core.scoring.evaluate import evaluate
from metrics_core.scoring.notes import add_range_to_tie_notes, score_notes
from tests.collections_of import DOCUMENTS, collections, documents_of, qrels_of, run_of
from tests.metrics_core.measures.exceptions import OF_ALL_QUERIES, without

NEED_DOCUMENTS = [d for d in declarations() if "documents" in d.needs]
RUN = run_of({"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"a": 2, "x": 1}})
QRELS = qrels_of({"q1": {"a": 1, "c": 1}, "q2": {"x": 1}, "q3": {"z": 1}})
ROWS: dict[str, dict[str, Any]] = {
    "a": {"price": "10", "colour": "red", "popularity": "0.5"},
    "b": {"price": " 2.5 ", "colour": "red", "popularity": "0.25"},
    "c": {"price": "7.5", "colour": "blue", "popularity": "1"},
    "z": {"price": "1", "colour": "", "popularity": "0"},
}


def scores_of(name: str, rows: Any = ROWS) -> list[float]:
    return evaluate(RUN, QRELS, [name], documents=documents_of(rows)).iloc[:, 2].tolist()


def test_prices_may_be_text() -> None:
    money = scores_of("MoneyP@3")
    assert money[0] == pytest.approx(17.5 / 20)
    assert math.isnan(money[1])  # x has no price
    assert money[2] == 0  # q3 is not listed
    assert scores_of("MoneyR@1")[0] == pytest.approx(10 / 17.5)


def test_what_is_missing_within_the_cutoff_only_matters() -> None:
    assert scores_of("MoneyP@1")[:2] == [1, 0]
    curve = parse_measure("MoneyP@1").curve(
        join_judgments(RUN, QRELS, documents=documents_of(ROWS)), np.array([1, 2])
    )
    assert curve[1, 0] == 0 and math.isnan(curve[1, 1])


def test_coverage_is_the_sum() -> None:
    assert scores_of("Coverage@1") == [1 / 2 / 4, 1 / 2 / 4, 0]
    assert sum(scores_of("Coverage@3")) == pytest.approx(3 / 4)


def test_diversity_and_novelty() -> None:
    assert scores_of("ILD(column='colour')@3")[0] == pytest.approx(2 / 3)
    assert scores_of("Novelty@2")[0] == pytest.approx((1 + 2) / 2)
    assert math.isnan(scores_of("Novelty@2")[2])


def test_without_documents_the_error_names_the_column() -> None:
    ranks = join_judgments(RUN, QRELS)
    for declaration in NEED_DOCUMENTS:
        with pytest.raises(LackingDataError, match="No documents are loaded"):
            declaration(cutoff=5).score(ranks)
    with pytest.raises(LackingDataError) as caught:
        evaluate(RUN, QRELS, ["MoneyP@5"])
    assert "'price'" in caught.value.hint


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(LackingDataError, match=r"ILD@5: .* no column 'category'") as caught:
        scores_of("ILD@5")
    assert "colour" in caught.value.hint


@pytest.mark.parametrize("price", ["€10", "1,5", "ten", "nan", "inf"])
def test_a_price_that_is_no_number(price: str) -> None:
    rows = ROWS | {"b": {"price": price}}
    with pytest.raises(LackingDataError, match=f"1 in total\\): b has '{price}'"):
        scores_of("MoneyP@5", rows)


def test_an_empty_price_leaves_the_query_undefined() -> None:
    for empty in ("", " ", None):
        assert math.isnan(scores_of("MoneyP@3", ROWS | {"b": {"price": empty}})[0])


def test_prices_below_zero_and_popularity_above_all_users() -> None:
    with pytest.raises(ParameterError, match="price below 0"):
        scores_of("MoneyP@3", ROWS | {"b": {"price": "-1"}})
    rows = ROWS | {"b": {"popularity": "7"}}
    with pytest.raises(ParameterError, match="contains 7, more than the 1 users") as caught:
        scores_of("Novelty@3", rows)
    assert "users=" in caught.value.hint


def test_free_documents_have_no_share() -> None:
    rows = {d: {"price": 0} for d in "abcxz"}
    assert [math.isnan(s) for s in scores_of("MoneyP@3", rows)] == [True, True, False]
    assert [math.isnan(s) for s in scores_of("MoneyR@3", rows)] == [True, True, True]


def test_what_is_not_defined_is_told() -> None:
    ranks = join_judgments(RUN, QRELS, documents=documents_of(ROWS))
    notes = {n.kind: n for n in score_notes(ranks, [parse_measure("MoneyP@3")])}
    assert notes["undefined"].message == "1 query with undefined MoneyP@3; excluded"
    assert notes["undefined"].examples == ("q2",)
    without = score_notes(join_judgments(RUN, QRELS), [parse_measure("MoneyP@3")])
    assert "undefined" not in {n.kind for n in without}


def test_ties_say_nothing_of_measures_of_documents() -> None:
    run = run_of({"q1": {"a": 1, "b": 1, "c": 1}})
    ranks = join_judgments(run, QRELS, documents=documents_of(ROWS))
    measures = [parse_measure("MoneyP@1"), parse_measure("P@1")]
    notes = add_range_to_tie_notes(ranks, measures)
    (note,) = [n for n in notes if n.kind == "ties"]
    assert "P@1" in note.message and "MoneyP" not in note.message


@settings(max_examples=50, deadline=None)
@given(collection=collections())
def test_some_of_the_queries_score_as_among_all(collection: Any) -> None:
    run, qrels = collection
    ranks = join_judgments(run_of(run), qrels_of(qrels), documents=DOCUMENTS)
    some = np.arange(ranks.n_queries) % 2 == 0
    for part, whole in (
        (ranks.select_queries(some), ranks),
        (ranks.condensed().select_queries(some), ranks.condensed()),
    ):
        for declaration in without(OF_ALL_QUERIES, among=NEED_DOCUMENTS):
            measure = declaration(cutoff=3)
            expected, found = measure.score(whole)[some], measure.score(part)
            assert np.array_equal(found, expected, equal_nan=True), declaration.name


def test_lists_may_have_columns() -> None:
    columns = {"price": {"a": 1, "b": 3}, "category": {"a": "x", "b": "y"}}
    found = score_list(["a", "b"], {"b"}, ["MoneyP@2", "ILD@2", "Coverage@1"], columns=columns)
    assert found == {"MoneyP@2": 3 / 4, "ILD@2": 1, "Coverage@1": 1 / 2}
    assert math.isnan(money_precision_at_k(["a", "b"], {"b"}, {"b": 3}, 2))
    with pytest.raises(LackingDataError):
        score_list(["a"], {"a"}, ["MoneyP@2"])
