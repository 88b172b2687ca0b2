"""Runs that answer other queries: said, and counted as chosen."""

from __future__ import annotations

import pytest

from metrics_core.comparing.coverage import find_coverage, select_shared_queries
from metrics_core.comparing.pairs import compare
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from metrics_core.scoring.scores import Scores, score_runs
from metrics_core.tables import Qrels, Run

QUERIES = [f"q{i}" for i in range(12)]
QRELS = Qrels.from_columns(QUERIES, ["d"] * 12, [1] * 12)


def run(name: str, queries: list[str]) -> Run:
    return Run.from_columns(name, queries, ["d"] * len(queries), [1.0] * len(queries))


JUDGED = [
    join_judgments(run("whole", [*QUERIES, "other"]), QRELS),
    join_judgments(run("half", QUERIES[:6]), QRELS),
    join_judgments(run("most", QUERIES[1:]), QRELS),
]


def scores() -> Scores:
    return score_runs(JUDGED, [parse_measure("P@1")])


def test_what_each_run_lacks_is_told() -> None:
    found = find_coverage(JUDGED)
    assert (found.judged, found.shared, found.complete) == (12, 5, False)
    assert found.lacking == {"whole": (), "half": tuple(QUERIES[6:]), "most": ("q0",)}
    assert found.unjudged == {"whole": ("other",), "half": (), "most": ()}
    assert find_coverage([join_judgments(run("all", QUERIES), QRELS)]).complete


def test_a_missing_query_counts_zero_or_not_at_all() -> None:
    assert select_shared_queries(scores()).query_ids == tuple(QUERIES[1:6])
    zero = compare(scores(), "P@1", "whole").set_index("run")
    pair = scores().select_runs(["whole", "most"])
    shared = compare(select_shared_queries(pair), "P@1", "whole")
    assert zero.loc["most", "difference"] == pytest.approx(-1 / 12)
    assert shared.set_index("run").loc["most", ["difference", "queries"]].tolist() == [0, 11]


def test_scores_of_complete_runs_stay_as_they_are() -> None:
    whole = score_runs(JUDGED[:1], [parse_measure("P@1")])
    assert select_shared_queries(whole) is whole
