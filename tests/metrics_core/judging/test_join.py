"""The join, the ranks, the ties and their notes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from metrics_core.base.errors import NoSharedQueriesError
from metrics_core.base.notes import Note
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.judging.ranking import ranked_documents, top_rows
from metrics_core.judging.ties import tie_extremes
from metrics_core.tables import Run
from tests.collections_of import collections, qrels_of, run_of


def ranks_by_document(ranks: JudgedRanks, qrels: Any) -> dict[tuple[str, str], int]:
    docs = qrels.doc_ids.to_pylist()
    return {
        (ranks.query_ids[q], docs[row]): int(rank)
        for q, row, rank in zip(ranks.query, ranks.qrels_row, ranks.rank, strict=True)
    }


def note(ranks: JudgedRanks, kind: str) -> Note:
    (found,) = [n for n in ranks.notes if n.kind == kind]
    return found


@settings(max_examples=150)
@given(collection=collections())
def test_ranks_as_sorting_each_list_gives_them(collection: Any) -> None:
    run, grades = collection
    qrels = qrels_of(grades)
    ranks = join_judgments(run_of(run), qrels)
    expected = {}
    for query_id, scores in run.items():
        order = sorted(scores, key=lambda d: (scores[d], d.encode()), reverse=True)
        for rank, doc_id in enumerate(order, 1):
            if doc_id in grades.get(query_id, {}):
                expected[query_id, doc_id] = rank
    assert ranks_by_document(ranks, qrels) == expected
    assert ranks.query_ids == tuple(grades)
    assert ranks.retrieved.tolist() == [len(run.get(q, {})) for q in grades]
    places = list(zip(ranks.query.tolist(), ranks.rank.tolist(), strict=True))
    assert places == sorted(places)


@settings(max_examples=100)
@given(collection=collections())
def test_top_rows_and_ranked_documents_agree_with_the_ranks(collection: Any) -> None:
    scores, _ = collection
    run = run_of(scores)
    top = run.table.take(top_rows(run, 3)).to_pylist()
    for query_id in scores:
        own = ranked_documents(run, query_id, depth=3)
        assert own["rank"].tolist() == list(range(1, len(own) + 1))
        assert {r["doc_id"] for r in top if r["query_id"] == query_id} == set(own["doc_id"])


def test_ties_are_broken_by_doc_id_last_in_byte_order_first() -> None:
    ids = ["a", "B", "é", "z", "10", "9"]
    qrels = qrels_of({"q": dict.fromkeys(ids, 1)})
    ranks = join_judgments(run_of({"q": dict.fromkeys(ids, 1.0)}), qrels)
    by_rank = sorted(ranks_by_document(ranks, qrels).items(), key=lambda item: item[1])
    assert [doc for (_, doc), _ in by_rank] == ["é", "z", "a", "B", "9", "10"]


def test_ties_best_and_worst_move_grades_within_their_group_only() -> None:
    # d1 stands alone at the top; d2 to d5 share a score: grades 0, 2, unjudged, 1.
    run = run_of({"q": {"d1": 5, "d2": 1, "d3": 1, "d4": 1, "d5": 1}})
    qrels = qrels_of({"q": {"d1": 0, "d2": 0, "d3": 2, "d5": 1}})

    def order(ranks: JudgedRanks) -> list[str]:
        found = ranks_by_document(ranks, qrels)
        return [f"{doc}@{rank}" for (_, doc), rank in sorted(found.items(), key=lambda i: i[1])]

    ranks = join_judgments(run, qrels)
    worst, best = tie_extremes(ranks)
    assert order(ranks) == ["d1@1", "d5@2", "d3@4", "d2@5"]
    assert order(best) == ["d1@1", "d3@2", "d5@3", "d2@4"]
    assert order(worst) == ["d1@1", "d2@3", "d5@4", "d3@5"]
    assert ranks.tied is not None
    assert (ranks.tied.first.tolist(), ranks.tied.number.tolist()) == ([1, 2, 2, 2], [1, 4, 4, 4])


def test_the_rank_within_a_query_ignores_other_queries_between() -> None:
    run = Run.from_columns("r", ["a", "b", "a", "b"], ["d1", "d1", "d2", "d2"], [1, 2, 3, 4])
    qrels = qrels_of({"b": {"d1": 1}, "a": {"d1": 1}})
    assert ranks_by_document(join_judgments(run, qrels), qrels) == {("b", "d1"): 2, ("a", "d1"): 2}


def test_missing_and_unjudged_queries_are_told() -> None:
    ranks = join_judgments(
        run_of({"a": {"d": 1}, "z": {"d": 1}}), qrels_of({"a": {"d": 1}, "b": {"d": 1}})
    )
    assert ranks.missing_queries == ("b",)
    assert ranks.unjudged_queries == ("z",)
    assert ranks.n_queries == 2


@pytest.mark.parametrize(
    ("own", "judged", "hint"),
    [
        (["q7", "q8", "q9", "q10"], ["a", "b", "c", "d"], "Load judgments for these queries"),
        (["001"], ["1"], "leading zeros (001 and 1)"),
        (["Q1"], ["q1"], "case"),
        (["q1\u200b"], ["q1"], "clean-ids"),
        (["cafe\u0301"], ["caf\u00e9"], "clean-ids"),
        ([" q1"], ["q1"], "clean-ids"),
    ],
)
def test_no_query_in_common(own: list[str], judged: list[str], hint: str) -> None:
    run, qrels = run_of({q: {"d": 1} for q in own}), qrels_of({q: {"d": 1} for q in judged})
    with pytest.raises(NoSharedQueriesError) as caught:
        join_judgments(run, qrels)
    assert f"the run has {', '.join(own[:3])};" in caught.value.message
    assert f"the judgments have {', '.join(judged[:3])}." in caught.value.message
    assert hint in caught.value.hint


def test_no_judged_document_in_common_is_a_loud_note() -> None:
    ranks = join_judgments(run_of({"q": {"x": 1}}), qrels_of({"q": {"d": 1}}))
    assert note(ranks, "no_judged_document").loud
    assert len(ranks.query) == 0


def test_notes_on_ties_count_rows_and_are_loud_when_many() -> None:
    few = {"q": {f"d{i}": float(i) for i in range(20)} | {"x": 3.0}}
    ranks = join_judgments(run_of(few), qrels_of({"q": {"d1": 1}}))
    assert note(ranks, "ties").message.startswith("10% of rows have tied scores; 2 of 21 rows")
    assert (note(ranks, "ties").count, note(ranks, "ties").loud) == (2, False)
    every = join_judgments(
        run_of({"q": {"d1": 1, "d2": 1}, "p": {"d1": 2}}), qrels_of({"q": {"d1": 1}})
    )
    assert "all scores of every query are tied" in note(every, "ties").message
    assert note(every, "ties").loud


def test_scores_apart_only_beyond_single_precision_keep_their_order() -> None:
    # In single precision both are 1, and z would come first by its id.
    run = run_of({"q": {"a": 1 + 1e-12, "z": 1.0}})
    qrels = qrels_of({"q": {"a": 1}})
    ranks = join_judgments(run, qrels)
    assert ranks.rank.tolist() == [1]
    assert note(ranks, "near_ties").count == 1
    assert "single precision" in note(ranks, "near_ties").message


def test_a_negative_grade_is_neither_judged_nor_relevant() -> None:
    ranks = join_judgments(
        run_of({"q": {"d1": 3, "d2": 2, "d3": 1}}), qrels_of({"q": {"d1": -1, "d2": 0, "d3": 1}})
    )
    assert ranks.judged().rank.tolist() == [2, 3]
    assert ranks.relevant().rank.tolist() == [3]
    assert ranks.relevant(-5).rank.tolist() == [2, 3]
    assert ranks.n_relevant(-5).tolist() == [2]
    assert ranks.ideal().relevance.tolist() == [1, 0, -1]


def test_condensed_lists_close_the_gaps_of_the_unjudged() -> None:
    run = run_of({"q": {"x": 4, "d1": 3, "y": 2, "d2": 1}, "p": {"d1": 1}})
    ranks = join_judgments(run, qrels_of({"q": {"d1": 0, "d2": 1}, "p": {"d2": 1}})).condensed()
    assert ranks.rank.tolist() == [1, 2]
    assert ranks.retrieved.tolist() == [2, 0]


@settings(max_examples=60)
@given(collection=collections())
def test_some_of_the_queries_keep_their_ranks(collection: Any) -> None:
    run, grades = collection
    qrels = qrels_of(grades)
    whole = join_judgments(run_of(run), qrels)
    mask = np.arange(whole.n_queries) % 2 == 0
    part = whole.select_queries(mask)
    kept = {q for q, keep in zip(whole.query_ids, mask, strict=True) if keep}
    expected = {k: v for k, v in ranks_by_document(whole, qrels).items() if k[0] in kept}
    assert ranks_by_document(part, qrels) == expected
    assert part.n_relevant().tolist() == whole.n_relevant()[mask].tolist()


def test_runs_of_the_same_judgments_share_what_is_known_of_them() -> None:
    qrels = qrels_of({"q": {"d1": 1, "d2": 0}, "p": {"d1": 2}})
    one = join_judgments(run_of({"q": {"d1": 1}}), qrels)
    two = join_judgments(run_of({"q": {"d2": 2, "d1": 1}}), qrels)
    shared = two.share_cache(one)
    assert shared.ideal() is one.ideal() and shared.rank.tolist() == two.rank.tolist()
    assert shared.judged_relevance is one.judged_relevance
    assert shared.n_relevant().tolist() == two.n_relevant().tolist()
    other = join_judgments(
        run_of({"q": {"d1": 1}}), qrels_of({"q": {"d1": 1, "d2": 1}, "p": {"d1": 2}})
    )
    assert two.share_cache(other) is two
