"""Scores by cutoff, and precision against recall."""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from metrics_core.scoring.curves import (
    cutoffs_up_to,
    judged_share,
    judged_share_of_runs,
    longest_list_length,
    precision_at_recall,
    precision_recall,
    score_curve,
)
from tests.collections_of import collections, qrels_of, run_of

QRELS = qrels_of({"a": {"d1": 1, "d2": 2}, "b": {"d1": 1, "d3": 0}, "c": {"d9": 1}})
ONE = join_judgments(
    run_of({"a": {"d1": 3, "x": 2, "d2": 1}, "b": {"d3": 2, "d1": 1}}, "one"), QRELS
)
TWO = join_judgments(run_of({"a": {"d2": 1}, "b": {"d1": 1}, "c": {"d9": 1}}, "two"), QRELS)


def test_cutoffs_are_every_one_to_ten_and_then_thin_out() -> None:
    ks = cutoffs_up_to(1000, extra_cutoffs=[20, 1000, 5000])
    assert ks[:10] == list(range(1, 11))
    assert ks[-1] == 1000
    assert 20 in ks
    assert ks == sorted(set(ks)) and len(ks) < 80
    assert cutoffs_up_to(3) == [1, 2, 3]
    assert cutoffs_up_to(1) == [1]


def test_depth_is_that_of_the_deepest_list() -> None:
    assert longest_list_length([ONE, TWO]) == 3
    assert longest_list_length([]) == 0


def test_a_curve_has_a_row_a_query_and_a_column_a_cutoff() -> None:
    assert score_curve(ONE, parse_measure("P@1"), [1, 2, 3]).tolist() == [
        [1, 1 / 2, 2 / 3],
        [0, 1 / 2, 1 / 3],
        [0, 0, 0],
    ]


@settings(max_examples=150)
@given(collection=collections())
def test_precision_at_recall_as_trec_eval(collection: Any) -> None:
    run, grades = collection
    ranks = join_judgments(run_of(run), qrels_of(grades))
    ours = dict(zip(ranks.query_ids, precision_at_recall(ranks), strict=True))
    pytrec_eval = pytest.importorskip("pytrec_eval")
    evaluator = pytrec_eval.RelevanceEvaluator(grades, {"iprec_at_recall"})
    for query_id, theirs in evaluator.evaluate(run).items():
        relevant = sum(grade >= 1 for grade in grades[query_id].values())
        for i in range(11):
            # pytrec_eval holds trec_eval 9.0.8, which rounds other than 10.0; where both agree:
            if int(i / 10 * relevant + 0.9) == floor(i / 10 * relevant + 0.5):
                expected = theirs[f"iprec_at_recall_{i / 10:.2f}"]
                assert ours[query_id][i] == pytest.approx(expected, abs=1e-9), (query_id, i)


def test_precision_at_recall_rounds_as_trec_eval_10() -> None:
    # R = 3, found at ranks 1 and 4: precision 1 and 1/2. c = round(level · 3) is
    # 0 0 1 1 1 2 2 2 2 3 3 for the levels 0 .1 … 1; the third is not found.
    run = {"q": {"d1": 4, "x": 3, "y": 2, "d2": 1}}
    ranks = join_judgments(run_of(run), qrels_of({"q": {"d1": 1, "d2": 1, "d3": 1}}))
    assert precision_at_recall(ranks).tolist() == [[1] * 5 + [0.5] * 4 + [0, 0]]


def test_levels_are_the_decimals_trec_eval_reads() -> None:
    # 0.7 · 45 is 31.499999999999996 and rounds to 31; with 0.7000000000000001 it would be 32.
    docs = [f"d{i:02}" for i in range(45)]
    order = [*docs[:31], "x", *docs[31:]]
    ranks = join_judgments(
        run_of({"q": {doc: -float(i) for i, doc in enumerate(order)}}),
        qrels_of({"q": dict.fromkeys(docs, 1)}),
    )
    assert precision_at_recall(ranks)[0, [7, 8]].tolist() == [1, 45 / 46]


def test_precision_at_recall_is_the_best_at_or_beyond() -> None:
    # precision at the relevant ranks 2, 3, 4: 1/2, 2/3, 3/4
    run = {"q": {"x": 4, "d1": 3, "d2": 2, "d3": 1}}
    ranks = join_judgments(run_of(run), qrels_of({"q": {"d1": 1, "d2": 1, "d3": 2}}))
    assert precision_at_recall(ranks).tolist() == [[0.75] * 11]
    assert precision_at_recall(ranks, rel=2).tolist() == [[0.25] * 11]


def test_nothing_relevant_or_nothing_found_is_zero() -> None:
    for grades in ({"d1": 0}, {"d9": 1}):
        ranks = join_judgments(run_of({"q": {"d1": 1}}), qrels_of({"q": grades}))
        assert precision_at_recall(ranks).tolist() == [[0] * 11]


def test_precision_recall_is_the_mean_over_all_judged_queries() -> None:
    frame = precision_recall([ONE, TWO]).set_index(["run", "recall"])["precision"]
    assert len(frame) == 22
    assert frame["one", 0.0] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert frame["two", 1.0] == pytest.approx((0 + 1 + 1) / 3)


def test_judged_share_counts_documents_of_all_lists() -> None:
    assert judged_share(ONE, 10) == pytest.approx(4 / 5)
    assert judged_share(ONE, 1) == 1
    both = [ranks.judged().count(10).sum() for ranks in (ONE, TWO)]
    listed = [ranks.documents(10).sum() for ranks in (ONE, TWO)]
    assert judged_share_of_runs([ONE, TWO], 10) == pytest.approx(sum(both) / sum(listed))
    assert np.isnan(judged_share_of_runs([], 10))
    assert np.isnan(judged_share(ONE.select_queries(np.array([False, False, True])), 10))
