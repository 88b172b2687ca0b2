"""What changed between two runs, by hand and against a literal twin; which documents to judge."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from metrics_core.base.errors import NoSharedQueriesError, RanklensError
from metrics_core.explaining.list_changes import (
    baseline_ranks_of_first_documents,
    find_documents_to_judge,
    find_list_changes,
    find_overlap_by_cutoff,
    mean_overlap,
    refuse_different_depths,
    summarise_changes,
)
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from metrics_core.tables import Qrels, Run
from tests.metrics_core.explaining.test_list_comparison import literal_rbo

Rows = list[tuple[str, str, float]]


def run_of(name: str, lists: dict[str, str]) -> Run:
    return run_of_rows(name, [(q, d, -i) for q, ds in lists.items() for i, d in enumerate(ds)])


def run_of_rows(name: str, rows: Rows) -> Run:
    query, doc, score = zip(*rows, strict=True)
    return Run.from_columns(name, list(query), list(doc), list(score))


OLD = run_of("old", {"q1": "abcd", "q2": "abcd", "q3": "abcd", "q4": "abcd", "q5": "abc"})
NEW = run_of("new", {"q1": "abcd", "q2": "bacd", "q3": "abxd", "q4": "dcxy", "q6": "a"})


def test_the_changes_of_each_query_by_hand() -> None:
    changes = find_list_changes(NEW, OLD, 3)
    assert changes.query_ids == ("q1", "q2", "q3", "q4", "q5", "q6")
    assert changes.new.tolist() == [0, 0, 1, 2, 0, 1]
    assert changes.overlap == pytest.approx([1, 1, 2 / 3, 1 / 3, 0, 0])
    assert changes.first_change.tolist() == [0, 1, 3, 1, 1, 1]
    assert changes.best_new.tolist() == [0, 0, 3, 1, 0, 1]
    ranks = baseline_ranks_of_first_documents(NEW, OLD, changes.query_ids)
    assert ranks.tolist() == [1, 2, 1, 4, 0, 0]
    assert changes.change_classes() == [(2, 3, 1), (1, 1, 2), (0, 0, 2), (-1, -1, 1)]
    assert changes.n_kept.sum() == pytest.approx(9)
    assert changes.frame["new"].tolist() == changes.new.tolist()


def test_the_summary_counts_queries_and_has_an_interval_from_enough_of_them() -> None:
    (row,) = summarise_changes([find_list_changes(NEW, OLD, 3)]).to_dict("records")
    assert (row["queries"], row["changed"], row["none_kept"], row["same_first"]) == (6, 5, 2, 2)
    assert (row["kept"], row["new_documents"]) == (pytest.approx(1.5), 4)
    assert row["first_change"] == 1 and np.isnan(row["low"])
    many = {f"q{i}": "abcd" for i in range(40)}
    changed = many | {f"q{i}": "abxy" for i in range(20)}
    (row,) = summarise_changes([find_list_changes(run_of("n", changed), run_of("o", many), 4)])[
        ["kept", "low", "high"]
    ].to_dict("records")
    assert 0 < row["low"] < row["kept"] == 3 < row["high"] <= 4


@pytest.mark.parametrize("k", [1, 2, 5, 10, 20, 100])
def test_classes_add_up_to_the_queries_for_every_k(k: int) -> None:
    changes = find_list_changes(NEW, OLD, k)
    classes = changes.change_classes()
    assert sum(n for *_, n in classes) == 6
    assert [fewest for fewest, *_ in classes] == sorted((c[0] for c in classes), reverse=True)


def random_rows(random: Random, n_queries: int) -> Rows:
    """Lists of up to 20 of 30 documents with few different scores, so that many are tied."""
    rows: Rows = []
    for i in range(n_queries):
        documents = random.sample(range(30), random.choice([0, 1, 3, 10, 20]))
        rows += [(f"q{i:03}", f"d{d}", float(random.randint(0, 4))) for d in documents]
    return rows


def literal_lists(rows: Rows) -> dict[str, list[str]]:
    """Each query's documents, best first; ties by document id, last in byte order first."""
    lists: dict[str, list[str]] = {}
    for query, doc, _ in sorted(rows, key=lambda row: (row[2], row[1].encode()), reverse=True):
        lists.setdefault(query, []).append(doc)
    return lists


@pytest.mark.parametrize("k", [1, 5, 10])
def test_overlap_and_rbo_equal_a_literal_twin(k: int) -> None:
    random = Random(k)
    one, two = random_rows(random, 200), random_rows(random, 200)
    changes = find_list_changes(run_of_rows("one", one), run_of_rows("two", two), k)
    lists, others = literal_lists(one), literal_lists(two)
    assert set(changes.query_ids) == {*lists, *others} and len(changes.query_ids) > 180
    for i, query in enumerate(changes.query_ids):
        own, other = lists.get(query, [])[:k], others.get(query, [])[:k]
        overlap = len({*own} & {*other}) / min(k, max(len(own), len(other)))
        assert changes.overlap[i] == pytest.approx(overlap, abs=1e-12)
        expected = literal_rbo(own, other, 0.9) if own and other else 0.0
        assert changes.rbo[i] == pytest.approx(expected, abs=1e-12)
        same = [a == b for a, b in zip(own, other, strict=False)]
        differs = own != other
        first = (same.index(False) if False in same else len(same)) + 1
        assert changes.first_change[i] == (first if differs else 0)
        new = [rank for rank, doc in enumerate(own, 1) if doc not in other]
        assert (changes.new[i], changes.best_new[i]) == (len(new), min(new, default=0))


def test_runs_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(RanklensError, match="empty has no results"):
        find_list_changes(Run.from_columns("empty", [], [], []), OLD, 3)
    with pytest.raises(NoSharedQueriesError, match="common: the first id is z1 in other"):
        find_list_changes(run_of("other", {"z1": "ab"}), OLD, 3)


def test_runs_cut_off_at_other_depths_are_refused() -> None:
    short = run_of("short", {"q1": "ab", "q2": "ab"})
    refuse_different_depths(find_list_changes(short, OLD, 2))
    with pytest.raises(
        RanklensError, match=r"short has at most 2 .* old has up to 4 in the top 10"
    ):
        refuse_different_depths(find_list_changes(short, OLD, 10))


def test_overlap_by_cutoff_and_for_some_queries_is_that_of_the_changes() -> None:
    ids = ["q3", "q1", "q4"]
    cutoffs, overlap = find_overlap_by_cutoff(NEW, OLD, ids, [1, 2, 4, 9])
    assert cutoffs == [1, 2, 4]
    for column, k in enumerate(cutoffs):
        some = find_list_changes(NEW, OLD, k, ids)
        shares = dict(zip(some.query_ids, some.overlap.tolist(), strict=True))
        assert some.query_ids == ("q1", "q3", "q4") and some.n_both == 3
        assert overlap[:, column].tolist() == [shares[query] for query in ids]
    nothing = find_overlap_by_cutoff(NEW, OLD, ["q5"], [1, 2])
    assert nothing[0] == [] and nothing[1].shape == (1, 0)


def test_fewer_than_ten_queries_have_no_interval() -> None:
    mean, low, high = mean_overlap(np.linspace(0, 1, 9)[:, None])
    assert mean[0] == 0.5 and np.isnan(low[0]) and np.isnan(high[0])
    mean, low, high = mean_overlap(np.repeat([[0.0, 1.0]], 30, axis=0).reshape(-1, 1))
    assert 0 <= low[0] < mean[0] < high[0] <= 1


@pytest.mark.parametrize("k", range(1, 21))
def test_documents_of_one_list_decide_the_difference_of_precision(k: int) -> None:
    random, measure = Random(k), parse_measure(f"P@{k}")
    for study in range(3):
        runs = [run_of_rows(name, random_rows(random, 12)) for name in ("one", "two")]
        query_ids = sorted({*runs[0].query_ids, *runs[1].query_ids})
        everything = [(q, f"d{d}", random.randint(0, 1)) for q in query_ids for d in range(30)]
        asked = find_documents_to_judge(*runs, query_ids, k, only_in_one_list=True)
        pairs = set(zip(asked["query_id"], asked["doc_id"], strict=True))
        graded = [row for row in everything if row[:2] in pairs]
        # A judged document that no run lists keeps each query among the judged ones.
        unlisted = [(q, "unlisted", 0) for q in query_ids]
        exact, found = (
            np.subtract(
                *(
                    measure.score(
                        join_judgments(run, Qrels.from_columns(*zip(*unlisted, *rows, strict=True)))
                    )
                    for run in runs
                )
            )
            for rows in (everything, graded)
        )
        assert found == pytest.approx(exact, abs=1e-12), study


def test_documents_to_judge_by_hand() -> None:
    asked = find_documents_to_judge(NEW, OLD, ["q4", "q3"], 3, only_in_one_list=True)
    assert sorted(asked["query_id"] + asked["doc_id"]) == ["q3c", "q3x", "q4a", "q4b", "q4d", "q4x"]
    assert asked["query_id"].tolist() == ["q4"] * 4 + ["q3"] * 2
    asked = find_documents_to_judge(NEW, OLD, ["q2", "q3"], 3, only_in_one_list=False)
    assert sorted(asked["query_id"] + asked["doc_id"]) == [
        "q2a", "q2b", "q2c", "q3a", "q3b", "q3c", "q3x",
    ]  # fmt: skip
