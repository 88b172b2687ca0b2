"""Figures that other people's code and articles print, to the last digit they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from metrics_core import evaluate, read_documents, read_qrels, read_run
from metrics_core.base.errors import ParameterError
from metrics_core.lists import (
    arhr,
    average_precision,
    cg_at_k,
    dcg_at_k,
    graded_list,
    hit_rate,
    mean_scores,
    money_precision_at_k,
    money_recall_at_k,
    ndcg_at_k,
    precision,
    precision_at_k,
    recall,
    recall_at_k,
    score_list,
)
from metrics_core.scoring.means import combine_scores

EXACT = 1e-15


def through_files(
    folder: Path,
    lists: Sequence[tuple[Sequence[object], Mapping[object, float]]],
    names: Sequence[str],
    documents: Path | None = None,
) -> dict[str, float]:
    """Means of measures over lists that are written as a TREC run and qrels and read again."""
    run, qrels = folder / "system.run", folder / "qrels.txt"
    with run.open("w") as out:
        for q, (retrieved, _) in enumerate(lists):
            for rank, doc in enumerate(retrieved, 1):
                out.write(f"q{q} Q0 {doc} {rank} {-rank} system\n")
    with qrels.open("w") as out:
        for q, (_, expected) in enumerate(lists):
            for doc, grade in expected.items():
                out.write(f"q{q} 0 {doc} {grade}\n")
    products = None if documents is None else read_documents(documents)
    judgments = read_qrels(qrels, grades="real")
    frame = evaluate(read_run(run), judgments, names, documents=products)
    found = combine_scores(frame)
    return dict(zip(found["measure"], found["value"], strict=True))


# A list of zeros and ones


def test_a_list_of_relevance() -> None:
    found = graded_list([0, 0, 0, 1])
    assert precision(*found) == 0.25
    assert precision_at_k(*found, 1) == 0
    assert recall_at_k(*graded_list([0, 0, 0, 1], relevant=4), 1) == 0


def test_a_list_of_relevance_through_files(tmp_path: Path) -> None:
    found = through_files(tmp_path, [graded_list([0, 0, 0, 1], relevant=4)], ["SetP", "P@1", "R@1"])
    assert found == {"SetP": 0.25, "P@1": 0, "R@1": 0}


AP_OF_THE_RETRIEVED = 0.5961904761904762


def test_average_precision_over_the_relevant_retrieved(tmp_path: Path) -> None:
    relevance = [0, 1, 0, 1, 1, 1, 1]
    assert average_precision(*graded_list(relevance)) == AP_OF_THE_RETRIEVED
    more = graded_list(relevance, relevant=9)
    assert average_precision(*more, denominator="retrieved") == AP_OF_THE_RETRIEVED
    assert average_precision(*more) == pytest.approx(AP_OF_THE_RETRIEVED * 5 / 9, rel=EXACT)
    name = "AP(denominator='retrieved')"
    assert through_files(tmp_path, [more], [name]) == {name: AP_OF_THE_RETRIEVED}


# Cumulated gain

GRADES = [4, 4, 3, 0, 0, 1, 3, 3, 3, 0]


def test_the_discount_of_jarvelin_and_kekalainen(tmp_path: Path) -> None:
    assert dcg_at_k(*graded_list(GRADES), 6, discount="max2") == pytest.approx(
        10.279642067948915, rel=EXACT
    )
    assert ndcg_at_k(*graded_list(GRADES), 6, discount="max2") == pytest.approx(
        0.7424602308163405, rel=EXACT
    )
    names = ["DCG(discount='max2')@6", "nDCG(discount='max2')@6"]
    found = through_files(tmp_path, [graded_list(GRADES)], names)
    assert found == pytest.approx(
        {names[0]: 10.279642067948915, names[1]: 0.7424602308163405}, rel=EXACT
    )


def test_relevance_with_decimals(tmp_path: Path) -> None:
    found = graded_list([0.99, 0.94, 0.88, 0.74, 0.71, 0.68])
    assert cg_at_k(*found, 5) == pytest.approx(4.26, rel=EXACT)
    assert dcg_at_k(*found, 5, method="standard") == pytest.approx(2.6164401144680056, rel=EXACT)
    swapped = graded_list([0.99, 0.94, 0.74, 0.88, 0.71, 0.68])
    assert ndcg_at_k(*swapped, 5) == pytest.approx(0.9962906539247512, rel=EXACT)
    names = ["CG@5", "DCG@5", "nDCG@5"]
    assert through_files(tmp_path, [found], names) == pytest.approx(
        {"CG@5": 4.26, "DCG@5": 2.6164401144680056, "nDCG@5": 1.0}, rel=EXACT
    )
    assert through_files(tmp_path, [swapped], ["nDCG@5"]) == pytest.approx(
        {"nDCG@5": 0.9962906539247512}, rel=EXACT
    )


def test_the_mean_of_several_lists(tmp_path: Path) -> None:
    lists = [
        graded_list([0.99, 0.94, 0.88, 0.89, 0.72, 0.65]),
        graded_list([0.99, 0.92, 0.93, 0.74, 0.61, 0.68]),
        graded_list([0.99, 0.96, 0.81, 0.73, 0.76, 0.69]),
    ]
    expected = pytest.approx({"nDCG@5": 0.9961322104432755}, rel=EXACT)
    assert mean_scores(lists, ["nDCG@5"]) == expected
    assert through_files(tmp_path, lists, ["nDCG@5"]) == expected


def test_standard_and_industry() -> None:
    found = graded_list([3, 0, 2])
    assert dcg_at_k(*found, method="standard") == 3 + 2 / 2
    assert dcg_at_k(*found, method="industry") == 7 + 3 / 2
    assert cg_at_k(*found, 2, method="industry") == 7
    for function in (ndcg_at_k, dcg_at_k, cg_at_k):
        with pytest.raises(ValueError, match="'standard' or 'industry', not 'other'"):
            function(*found, 3, method="other")


def test_grades_ranked_by_predicted_scores(tmp_path: Path) -> None:
    predicted = [0.3938, 0.3867, 0.0762, 0.3713, 0.1828]
    found = graded_list([2, 0, 0, 2, 3], scores=predicted)
    assert found[0] == [0, 1, 3, 4, 2]
    assert dcg_at_k(*found) == pytest.approx(4.292029674220179, rel=EXACT)
    assert ndcg_at_k(*found) == pytest.approx(0.815686862865456, rel=EXACT)
    names = {"DCG": 4.292029674220179, "nDCG": 0.815686862865456}
    assert through_files(tmp_path, [found], list(names)) == pytest.approx(names, rel=EXACT)


def test_scikit_learn_agrees() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    grades, predicted = [2, 0, 0, 2, 3], [0.3938, 0.3867, 0.0762, 0.3713, 0.1828]
    found = graded_list(grades, scores=predicted)
    assert dcg_at_k(*found) == pytest.approx(metrics.dcg_score([grades], [predicted]), rel=EXACT)
    assert ndcg_at_k(*found) == pytest.approx(metrics.ndcg_score([grades], [predicted]), rel=EXACT)


def test_ndcg_at_every_cutoff(tmp_path: Path) -> None:
    found = graded_list([2, 4, 3, 0, 1, 2])
    expected = [0.50, 0.77, 0.87, 0.78, 0.79, 0.87]
    assert [round(ndcg_at_k(*found, k), 2) for k in range(1, 7)] == expected
    written = through_files(tmp_path, [found], [f"nDCG@{k}" for k in range(1, 7)])
    assert [round(value, 2) for value in written.values()] == expected


# What was recommended and what was bought

RECOMMENDED = [143, 156, 1134, 991, 27, 1543, 3345, 533, 11, 43]
BOUGHT = [521, 32, 143, 991]
OTHER_RECOMMENDED = [146, 156, 1134, 991, 27, 1543, 3345, 533, 11, 43]
OTHER_BOUGHT = [146, 29]


def test_recommended_and_bought() -> None:
    assert hit_rate(RECOMMENDED, BOUGHT) == 1
    assert hit_rate(RECOMMENDED, BOUGHT, 1) == 1
    assert precision(RECOMMENDED, BOUGHT) == 0.2
    assert precision_at_k(RECOMMENDED, BOUGHT, 5) == 0.4
    assert precision_at_k(RECOMMENDED, BOUGHT, 3) == 0.3333333333333333
    assert recall(RECOMMENDED, BOUGHT) == 0.5
    assert recall_at_k(RECOMMENDED, BOUGHT, 3) == 0.25
    assert average_precision(RECOMMENDED, BOUGHT) == 0.375
    assert arhr(RECOMMENDED, BOUGHT) == 0.3125


def test_recommended_and_bought_through_files(tmp_path: Path) -> None:
    expected = {
        "Success@10": 1,
        "Success@1": 1,
        "SetP": 0.2,
        "P@5": 0.4,
        "P@3": 0.3333333333333333,
        "SetR": 0.5,
        "R@3": 0.25,
        "AP": 0.375,
        "ARHR": 0.3125,
    }
    lists = [(RECOMMENDED, dict.fromkeys(BOUGHT, 1.0))]
    assert through_files(tmp_path, lists, list(expected)) == expected


def test_the_mean_over_two_users(tmp_path: Path) -> None:
    assert average_precision(OTHER_RECOMMENDED, OTHER_BOUGHT) == 0.5
    lists = [(RECOMMENDED, BOUGHT), (OTHER_RECOMMENDED, OTHER_BOUGHT)]
    assert mean_scores(lists, ["map"]) == {"map": 0.4375}
    graded = [(found, dict.fromkeys(bought, 1.0)) for found, bought in lists]
    assert through_files(tmp_path, graded, ["MAP"]) == {"AP": 0.4375}


PRICES = dict(zip(RECOMMENDED, [10, 20, 30, 40, 50, 60, 70, 80, 90, 10], strict=True))
BOUGHT_PRICES = dict(zip(BOUGHT, [30, 60, 10, 40], strict=True))


def test_money_precision_and_recall() -> None:
    prices = PRICES | BOUGHT_PRICES
    assert money_precision_at_k(RECOMMENDED, BOUGHT, prices, 10) == 0.10869565217391304
    assert money_recall_at_k(RECOMMENDED, BOUGHT, prices, 5) == 0.35714285714285715


def test_money_precision_and_recall_through_files(tmp_path: Path) -> None:
    documents = tmp_path / "products.csv"
    rows = [f"{doc},item {doc},{price}" for doc, price in (PRICES | BOUGHT_PRICES).items()]
    documents.write_text("doc_id,title,price\n" + "\n".join(rows) + "\n")
    lists = [(RECOMMENDED, dict.fromkeys(BOUGHT, 1.0))]
    assert through_files(tmp_path, lists, ["MoneyP@10", "MoneyR@5"], documents) == {
        "MoneyP@10": 0.10869565217391304,
        "MoneyR@5": 0.35714285714285715,
    }


@pytest.mark.parametrize(
    ("prices", "money"),
    [
        ([400, 60, 40, 40, 90], 0.7777777777777778),
        ([60, 400, 40, 40, 90], 0.23809523809523808),
    ],
)
def test_money_precision_of_hits(prices: list[int], money: float) -> None:
    found, expected = graded_list([1, 0, 0, 0, 1])
    assert money_precision_at_k(found, expected, dict(enumerate(prices)), 5) == money


# Actual and predicted

ACTUAL = [[2, 4, 5, 7, 9, 3], [1, 3, 6, 8], [4, 3, 1, 10, 11]]
PREDICTED = [1, 2, 3, 4, 5, 6, 8]


def test_recall_at_every_cutoff(tmp_path: Path) -> None:
    predicted = [1, 2, 3, 4, 5, 6, 8, 9, 10]
    expected = [0, 0.17, 0.33, 0.50, 0.67, 0.67, 0.67, 0.83, 0.83]
    assert [round(recall_at_k(predicted, ACTUAL[0], k), 2) for k in range(1, 10)] == expected
    names = [f"R@{k}" for k in range(1, 10)]
    written = through_files(tmp_path, [(predicted, dict.fromkeys(ACTUAL[0], 1.0))], names)
    assert [round(value, 2) for value in written.values()] == expected


def test_average_precision_at_6(tmp_path: Path) -> None:
    name = "AP(denominator='min')@6"
    scores = [average_precision(PREDICTED, a, 6, denominator="min") for a in ACTUAL]
    assert [round(score, 2) for score in scores] == [0.45, 0.54, 0.48]
    lists = [(PREDICTED, a) for a in ACTUAL]
    assert round(mean_scores(lists, [name])[name], 2) == 0.49
    graded = [(PREDICTED, dict.fromkeys(a, 1.0)) for a in ACTUAL]
    assert round(through_files(tmp_path, graded, [name])[name], 2) == 0.49


# Duplicates


def test_what_a_duplicate_counts() -> None:
    found, relevant = ["a", "a", "x", "b"], {"a", "b", "c", "d"}
    assert precision_at_k(found, relevant, 4) == 2 / 4
    assert precision_at_k(found, relevant, 4, duplicates="each") == 3 / 4
    assert average_precision(found, relevant) == (1 + 2 / 3) / 4
    assert average_precision(found, relevant, duplicates="each") == (1 + 1 + 3 / 4) / 4
    with pytest.raises(ParameterError, match="contains 'a' twice"):
        precision_at_k(found, relevant, 4, duplicates="error")
    assert precision_at_k(found[1:], relevant, 4, duplicates="error") == 2 / 4
    with pytest.raises(ParameterError, match="'first', 'each' or 'error', not 'best'"):
        score_list(found, relevant, ["P@4"], duplicates="best")  # type: ignore[arg-type]


def test_more_are_relevant_than_the_list_says() -> None:
    with pytest.raises(ParameterError, match="The list has 2 relevant documents"):
        graded_list([1, 0, 1], relevant=1)
