"""Runs that came as judged ranks, made by hand; tests/spark compares what Spark writes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from metrics_core import evaluate, join_judgments, ranked_documents
from metrics_core.base.errors import NoSharedQueriesError, RanklensError, TableError
from metrics_core.checks.fit import clean_ids, find_near_matches
from metrics_core.judging.layers import apply_layers, queries_in_layers, rejoin_changed_queries
from metrics_core.judging.ties import tie_extremes
from metrics_core.measures import parse_measure
from metrics_core.tables import Qrels, RankedRun, Run
from metrics_core.unjudged.unjudged_ranks import find_unjudged

QRELS = Qrels.from_columns(["q2", "q1", "q1"], ["d1", "d1", "d2"], [1, 2, 0])


def ranked(*rows: tuple[str, str | None, int, int, int], name: str = "a") -> RankedRun:
    """A run of rows query_id, doc_id, rank, retrieved, judged."""
    columns: list[Any] = list(zip(*rows, strict=True))
    numbers = (np.array(column, dtype=np.int64) for column in columns[2:])
    return RankedRun.from_ranks(name, list(columns[0]), list(columns[1]), *numbers)


def of_a(name: str = "a") -> RankedRun:
    """Of five documents of q1 it lists d2 third and d1 fifth; q3 is not judged."""
    return ranked(
        ("q3", None, 1, 9, 0),
        ("q1", "d1", 5, 5, 2),
        ("q1", None, 1, 5, 2),
        ("q1", "d2", 3, 5, 2),
        name=name,
    )


def test_ranks_are_those_of_the_run() -> None:
    whole = Run.from_columns(
        "a",
        ["q1"] * 5 + ["q3"] * 9,
        ["x", "y", "d2", "z", "d1", *(f"u{i}" for i in range(9))],
        [5, 4, 3, 2, 1, *range(9)],
    )
    mine, its = join_judgments(of_a(), QRELS), join_judgments(whole, QRELS)
    assert mine.query_ids == ("q2", "q1") and mine.missing_queries == ("q2",)
    assert mine.rank.tolist() == [3, 5] and mine.unjudged_queries == ("q3",)
    for name in ("query", "rank", "relevance", "qrels_row", "retrieved", "judged_relevance"):
        assert np.array_equal(getattr(mine, name), getattr(its, name)), name
    measures = ["nDCG@10", "AP", "RBP", "Judged@5"]
    frames = [evaluate([run], QRELS, measures) for run in (of_a(), whole)]
    assert frames[0].equals(frames[1])


def test_rows_are_kept_in_one_order_and_the_rest_is_length() -> None:
    run = of_a()
    assert run.query_ids == ["q1", "q3"] and run.lengths.tolist() == [5, 9]
    assert run.table["doc_id"].to_pylist() == ["d2", "d1", None]
    assert [run.length(q) for q in ("q1", "q3", "q9")] == [5, 9, 0]
    assert not run.complete and run.has_same_rows(of_a("b"))
    parts = [ranked(("q3", None, 1, 9, 0)), ranked(("q1", "d1", 5, 5, 2), ("q1", "d2", 3, 5, 2))]
    joined = parts[0].join(parts[1:])
    assert joined is not None and joined.has_same_rows(run)
    assert parts[0].join([run]) is None, "q3 stands in both"


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([("q", "d", 6, 5, 1)], "rank 6 of 5 retrieved"),
        ([("q", "d", 0, 5, 1)], "rank 0 of 5"),
        ([("q", "", 1, 5, 1)], "an empty doc_id"),
        ([("", "d", 1, 5, 1)], "nothing"),
        (
            [("q", "d", 1, 5, 2), ("q", "e", 2, 6, 2)],
            "6 retrieved and 2 judged, but an earlier row has other numbers",
        ),
        ([("q", "d", 1, 5, 2), ("q", "e", 1, 5, 2)], "e at rank 1 again"),
        ([("q", "d", 1, 5, 2), ("q", "d", 2, 5, 2)], "d at rank 2 again"),
        ([("q", "d", 1, 5, 1), ("q", "e", 2, 5, 1)], "2 documents, but 1 judged"),
    ],
)
def test_ranks_that_contradict_themselves_are_refused(rows: Any, found: str) -> None:
    with pytest.raises(TableError, match=found):
        ranked(*rows)


def test_other_judgments_are_refused_but_other_grades_are_not() -> None:
    again = Qrels.from_columns(["q2", "q1", "q1"], ["d1", "d1", "d2"], [1, 0, 3])
    assert join_judgments(of_a(), again).relevance.tolist() == [3, 0]
    more = Qrels.from_columns(["q1", "q1", "q1"], ["d1", "d2", "x"], [1, 1, 1])
    with pytest.raises(RanklensError, match="query q1 had 2 judged documents and now has 3"):
        join_judgments(of_a(), more)
    others = Qrels.from_columns(["q1", "q1"], ["d1", "x"], [1, 1])
    with pytest.raises(RanklensError, match=r"1 of their documents are no longer judged"):
        join_judgments(of_a(), others)
    judged_now = Qrels.from_columns(["q3", "q1", "q1"], ["x", "d1", "d2"], [1, 1, 1])
    with pytest.raises(RanklensError, match="query q3 had 0 judged documents and now has 1"):
        join_judgments(of_a(), judged_now)
    with pytest.raises(NoSharedQueriesError):
        join_judgments(of_a(), Qrels.from_columns(["z"], ["d"], [1]))


def test_layers_may_change_grades_alone() -> None:
    run, before = of_a(), join_judgments(of_a(), QRELS)
    layer = {("q1", "d1"): 0.0, ("q1", "d2"): 1.0}
    over = apply_layers(QRELS, [layer])
    after = rejoin_changed_queries(before, run, over, queries_in_layers(over, [layer]))
    assert after.relevance.tolist() == [1, 0]
    further = {("q1", "x"): 1.0}
    over = apply_layers(QRELS, [further])
    with pytest.raises(RanklensError, match="different judgments"):
        rejoin_changed_queries(before, run, over, queries_in_layers(over, [further]))


def test_what_nobody_judged_has_no_name() -> None:
    frame = ranked_documents(of_a(), "q1")
    assert frame["doc_id"].tolist() == [None, None, "d2", None, "d1"]
    assert frame["rank"].tolist() == [1, 2, 3, 4, 5] and frame["score"].isna().all()
    assert ranked_documents(of_a(), "q1", depth=3)["doc_id"].tolist() == [None, None, "d2"]
    assert ranked_documents(of_a(), "nowhere").empty
    ranks = join_judgments(of_a(), QRELS)
    found = find_unjudged(ranks, ranks, 4)
    assert found.doc_ids is None and found.n_run_within.tolist() == [0, 3]


def test_what_needs_scores_or_names_says_so() -> None:
    run = of_a()
    for asked in (
        lambda: run.scores,
        run.first_ties,
        lambda: tie_extremes(join_judgments(run, QRELS)),
    ):
        with pytest.raises(
            RanklensError, match="Only the ranks of judged documents were loaded for a"
        ):
            asked()
    with pytest.raises(RanklensError, match="Only the ranks of judged documents were loaded for"):
        clean_ids(run)
    lacking = parse_measure("Coverage@5").find_missing_data(join_judgments(run, QRELS))
    assert lacking is not None and "Ranks of judged documents do not show" in lacking.hint
    assert find_near_matches(run, Qrels.from_columns(["q1"], ["d 1"], [1])) == ()
