"""Scores: one value from scoring to comparing, also from a frame and as one."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from metrics_core import declarations, evaluate
from metrics_core.base.errors import RanklensError, UnknownRunError
from metrics_core.comparing.pairs import compare
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from metrics_core.scoring.scores import Scores, score_runs
from metrics_core.slicing.breakdowns import breakdown
from metrics_core.tables import Queries
from tests.collections_of import qrels_of, run_of
from tests.settings_of import at

QRELS = qrels_of({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}, "q3": {"d1": 0}})
ONE = join_judgments(run_of({"q1": {"d1": 2, "d2": 1}, "q3": {"d1": 1}}, "one"), QRELS)
TWO = join_judgments(
    run_of({"q1": {"d2": 2, "d1": 1}, "q2": {"d1": 1}, "q3": {"d1": 1}}, "two"), QRELS
)
AP, P2 = parse_measure("AP"), parse_measure("P@2")
SCORES = score_runs([ONE, TWO], [AP, P2])


def test_values_by_run_query_and_measure() -> None:
    assert SCORES.values.shape == (2, 3, 2)
    assert SCORES.values_of("map").tolist() == [[1, 0, 0], [0.5, 1, 0]]
    assert SCORES.values_of(P2).tolist() == [[0.5, 0, 0], [0.5, 0.5, 0]]
    assert SCORES.combined() == pytest.approx(np.array([[1 / 3, 1 / 6], [0.5, 1 / 3]]))


def test_missing_is_told_apart_from_undefined() -> None:
    assert SCORES.missing.tolist() == [[False, True, False], [False, False, False]]
    left_out = score_runs([ONE, TWO], [AP], without_relevant="leave out")
    assert left_out.missing.tolist() == SCORES.missing.tolist()
    assert np.isnan(left_out.values[:, 2, 0]).all() and left_out.values[0, 1, 0] == 0


def test_a_measure_asked_for_twice_counts_once() -> None:
    assert score_runs([ONE], [AP, P2, parse_measure("map")]).measures == (AP, P2)


def test_the_frame_is_that_of_evaluate() -> None:
    frame = SCORES.frame
    assert list(frame.columns) == ["run", "query_id", "AP", "P@2"]
    assert frame["run"].tolist() == ["one"] * 3 + ["two"] * 3
    assert frame["query_id"].tolist() == ["q1", "q2", "q3"] * 2
    assert frame["AP"].tolist() == [1, 0, 0, 0.5, 1, 0]


def test_a_frame_gives_the_scores_it_came_from() -> None:
    again = Scores.from_any(SCORES.frame.sample(frac=1, random_state=4))
    one, other = again.select_runs(["one", "two"]), SCORES
    order = [again.query_ids.index(q) for q in other.query_ids]
    assert (one.values[:, order] == other.values).all()
    assert again.measures == SCORES.measures
    assert Scores.from_any(SCORES) is SCORES


def test_a_frame_may_lack_queries_of_a_run() -> None:
    ragged = Scores.from_any(SCORES.frame.drop(index=[1]))
    place = ragged.query_ids.index("q2")
    assert ragged.missing[:, place].tolist() == [True, False]
    assert np.isnan(ragged.values_of("AP")[0, place])


def test_what_a_frame_must_hold() -> None:
    with pytest.raises(RanklensError, match="has no column 'query_id'"):
        Scores.from_any(pd.DataFrame({"run": ["a"], "AP": [1.0]}))
    with pytest.raises(RanklensError, match="contain query 'q1' twice"):
        Scores.from_any(pd.concat([SCORES.frame, SCORES.frame.head(1)]))


def test_what_is_not_there_is_an_error() -> None:
    with pytest.raises(UnknownRunError, match="no run 'three'"):
        SCORES.select_runs(["three"])
    with pytest.raises(RanklensError, match="no scores of nDCG@5"):
        SCORES.values_of("nDCG@5")


def test_some_queries() -> None:
    some = SCORES.select_queries(np.array([True, False, True]))
    assert some.query_ids == ("q1", "q3")
    assert some.values_of("AP").tolist() == [[1, 0], [0.5, 0]]
    assert not some.missing.any()
    assert SCORES.select_queries(np.ones(3, dtype=bool)) is SCORES


def test_frames_and_scores_give_the_same_comparison() -> None:
    queries = Queries.from_columns(
        {"query_id": ["q1", "q2", "q3"], "text": ["a"] * 3, "g": ["x", "x", "y"]}
    )
    pd.testing.assert_frame_equal(
        compare(SCORES, "AP", "one"), compare(SCORES.frame, "AP", "one"), check_dtype=False
    )
    ours = breakdown(SCORES, queries, AP, by="g", baseline="one")
    theirs = breakdown(SCORES.frame, queries, "map", by="g", baseline="one")
    pd.testing.assert_frame_equal(ours, theirs)


def test_all_measures_at_once_print_no_warnings() -> None:
    measures = [at(d, cutoff=k) for d in declarations() if not d.needs for k in (1, 2, 3, 5)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = evaluate(run_of({"q1": {"d1": 2, "d2": 1}}), QRELS, measures)
    assert len(frame.columns) > 100
