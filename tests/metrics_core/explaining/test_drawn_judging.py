"""Judging drawn queries: which documents are needed, what counts, and the difference."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from metrics_core.comparing.drawn_queries import EARLY_LEVEL, QueryDraw
from metrics_core.explaining.drawn_judging import (
    DrawnJudgments,
    evaluate_draw,
    list_all_queries,
    list_documents_to_judge,
)
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from metrics_core.tables import Qrels, Run
from tests.metrics_core.explaining.test_list_changes import NEW, OLD, Rows, run_of_rows

NO_QRELS = Qrels.from_columns([], [], [])
P5, NDCG5 = parse_measure("P@5"), parse_measure("nDCG@5")
QUERIES = [f"q{i:02}" for i in range(40)]
DRAW = QueryDraw(7, (20,))
Pair = tuple[str, str]


def runs_of(seed: int) -> tuple[Run, Run]:
    """Two runs on forty queries; every fourth query has the same list in both."""
    random = Random(seed)
    rows: tuple[Rows, Rows] = [], []
    for i, query in enumerate(QUERIES):
        documents = [f"d{d}" for d in range(14)]
        for side in rows:
            if i % 4:
                random.shuffle(documents)
            side += [(query, doc, -float(rank)) for rank, doc in enumerate(documents[:8])]
    return run_of_rows("new", rows[0]), run_of_rows("old", rows[1])


RUN, BASELINE = runs_of(3)
TRUTH = {
    (query, f"d{d}"): float(Random(f"{query} {d}").randint(0, 2))
    for query in QUERIES
    for d in range(14)
}


def state_after(
    n_queries: int, measure: str = "P@5", extra: dict[Pair, float] | None = None
) -> DrawnJudgments:
    """Judge the documents of the first drawn queries."""
    order = DRAW.judging_order(QUERIES)[:n_queries]
    needed = list_documents_to_judge(RUN, BASELINE, parse_measure(measure), order)
    pairs = zip(needed["query_id"], needed["doc_id"], strict=True)
    grades = {pair: TRUTH[pair] for pair in pairs} | (extra or {})
    return evaluate_draw(RUN, BASELINE, DRAW, parse_measure(measure), NO_QRELS, grades)


def true_differences(measure: str, query_ids: tuple[str, ...]) -> list[float]:
    qrels = Qrels.from_columns(
        *zip(*((*pair, grade) for pair, grade in TRUTH.items()), strict=True)
    )
    new, old = (
        dict(zip(QUERIES, parse_measure(measure).score(join_judgments(run, qrels)), strict=True))
        for run in (RUN, BASELINE)
    )
    return [new[query_id] - old[query_id] for query_id in query_ids]


def test_which_documents_a_measure_needs_by_hand() -> None:
    # q1 has the same list in both, q2 another order, q3 and q4 other documents.
    queries = list_all_queries(NEW, OLD)
    assert queries == ["q1", "q2", "q3", "q4", "q5", "q6"]
    first = [
        {
            query_id: "".join(sorted(rows["doc_id"]))
            for query_id, rows in list_documents_to_judge(
                NEW, OLD, parse_measure(measure), queries
            ).groupby("query_id")
        }
        for measure in ("P@3", "nDCG@3")
    ]
    assert first == [
        {"q3": "cx", "q4": "abdx", "q5": "abc", "q6": "a"},
        {"q2": "abc", "q3": "abcx", "q4": "abcdx", "q5": "abc", "q6": "a"},
    ]  # fmt: skip
    condensed = list_documents_to_judge(NEW, OLD, parse_measure("P(judged_only=True)@3"), ["q2"])
    assert len(condensed) == 3, "an unjudged document that both list changes condensed lists"


@pytest.mark.parametrize("measure", ["P@5", "nDCG@5", "RR@5", "P(rel=2)@3"])
def test_the_difference_is_exact_and_counts_the_drawn_queries_in_their_order(measure: str) -> None:
    state = state_after(12, measure)
    assert 12 <= state.n_counted < 20 and state.level == EARLY_LEVEL and not state.is_finished
    exact = true_differences(measure, state.query_ids[: state.n_counted])
    assert measure == "nDCG@5" or state.row["difference"] == pytest.approx(
        np.mean(exact), abs=1e-12
    )
    assert state.row["queries"] == state.n_counted
    assert state.row["differing"] == sum(abs(gap) > 1e-12 for gap in exact) or measure == "nDCG@5"


def test_the_comparison_opens_after_ten_queries_of_which_six_differ() -> None:
    counted = [state_after(n) for n in range(21)]
    assert [state.n_counted for state in counted] == sorted(state.n_counted for state in counted)
    for state in counted:
        gaps = np.abs(true_differences("P@5", state.query_ids[: state.n_counted]))
        enough = len(gaps) >= 10 and (gaps > 0).sum() >= 6
        assert state.is_comparison_shown == (enough or state.is_finished), state.n_counted
        assert (state.row is None) == (state.n_counted < 10)
    assert counted[20].is_finished and counted[20].level == 0.95
    assert not counted[5].is_comparison_shown and counted[20].is_comparison_shown


def test_other_judged_queries_do_not_move_the_result() -> None:
    before = state_after(12)
    last, undrawn = before.query_ids[-1], sorted({*QUERIES} - {*before.query_ids})
    others = {pair: 2.0 for pair in TRUTH if pair[0] in {last, *undrawn}}
    after = state_after(12, extra=others)
    assert after.n_others == len(undrawn) == 20 and before.n_others == 0
    assert after.n_counted == before.n_counted and after.row.equals(before.row)
    rows = after.documents[after.documents["query_id"] == last]
    assert rows["graded"].all() and not after.is_finished


def test_means_are_unknown_until_shared_documents_are_graded() -> None:
    state = state_after(12)
    assert np.isnan(state.row["mean"]) and np.isnan(state.row["baseline_mean"])
    full = state_after(12, extra={p: g for p, g in TRUTH.items() if p[0] in state.query_ids})
    assert full.row["mean"] - full.row["baseline_mean"] == pytest.approx(full.row["difference"])


def test_judgments_of_files_count_and_a_negative_grade_is_none() -> None:
    graded = [(*pair, int(grade)) for pair, grade in TRUTH.items()]
    qrels = Qrels.from_columns(*zip(*graded, strict=True))
    state = evaluate_draw(RUN, BASELINE, DRAW, P5, qrels, {})
    assert state.is_finished and state.documents["graded"].all() and state.n_others == 0
    pair = tuple(state.documents.iloc[0][["query_id", "doc_id"]])
    withdrawn = evaluate_draw(RUN, BASELINE, DRAW, P5, qrels, {pair: -1.0})
    assert withdrawn.n_counted == withdrawn.query_ids.index(pair[0])


def test_runs_with_the_same_lists_are_finished_from_the_start() -> None:
    state = evaluate_draw(RUN, RUN.renamed("copy"), DRAW, NDCG5, NO_QRELS, {})
    assert state.is_finished and state.is_comparison_shown and state.n_to_judge == 0
    assert state.row["difference"] == 0 and state.detectable_difference == 0
