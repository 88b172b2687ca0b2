"""What a change of place is worth: in lists that exist, and adding up where the measure does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from metrics_core.explaining.effects import effects_of_moves
from metrics_core.judging import JudgedRanks, judge
from metrics_core.measures import parse_measure
from metrics_core.tables import Qrels
from tests.collections_of import collections, qrels_of, run_of


def effects(
    bm25: str, hybrid: str, grades: dict[str, int], measure: str = "nDCG@10"
) -> dict[str, float]:
    qrels = qrels_of({"q": grades})
    both = [
        judge(run_of({"q": {d: -float(i) for i, d in enumerate(r)}}), qrels) for r in (bm25, hybrid)
    ]
    return effects_of_moves(both[1], both[0], qrels, parse_measure(measure))


def test_a_document_pushed_out_by_another_is_a_cause() -> None:
    # a falls from 1 to 3 and stays counted; c leaves the first three as d comes in.
    found = effects("abcd", "dbac", {"a": 1, "c": 1, "d": 0}, "P@3")
    assert found == pytest.approx({"a": 0, "c": -1 / 3})


def test_two_that_change_places_do_not_share_one() -> None:
    found = effects("ab", "ba", {"a": 1, "b": 2}, "DCG")
    assert found == pytest.approx({"a": 1 / np.log2(3) - 1, "b": 2 - 2 / np.log2(3)})


@settings(max_examples=100)
@given(collection=collections())
@pytest.mark.parametrize("name", ["DCG", "P@3", "RBP(p=0.8)", "CG@5"])
def test_of_a_sum_they_add_up_to_the_difference(name: str, collection: Any) -> None:
    run, grades = collection
    qrels, measure = qrels_of(grades), parse_measure(name)
    other = {q: {d: -s for d, s in docs.items()} for q, docs in run.items()}
    for query_id in set(run) & set(grades):
        one, two = (_alone(judge(run_of(r), qrels), query_id) for r in (run, other))
        found = effects_of_moves(one, two, qrels, measure)
        difference = float(measure.score(one)[0] - measure.score(two)[0])
        assert sum(found.values()) == pytest.approx(difference, abs=1e-9)


def _alone(ranks: JudgedRanks, query_id: str) -> JudgedRanks:
    return ranks.among(np.array([q == query_id for q in ranks.query_ids]))


def test_every_list_that_is_scored_holds_one_document_a_rank(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[JudgedRanks] = []
    measure = parse_measure("AP")
    kernel = measure.declaration.kernel
    monkeypatch.setitem(
        measure.declaration.__dict__,
        "kernel",
        lambda ranks, **values: (seen.append(ranks), kernel(ranks, **values))[1],
    )
    effects("abcdef", "fdbace", dict.fromkeys("abcd", 1), "AP")
    assert len(seen) > 4
    for ranks in seen:
        assert len(set(ranks.rank.tolist())) == len(ranks.rank)
        assert ranks.rank.max() <= ranks.retrieved[0]


def test_without_judgments_there_is_nothing_to_weigh() -> None:
    qrels = Qrels.from_columns(["other"], ["d"], [1])
    ranks = judge(run_of({"other": {"d": 1.0}}), qrels).among(np.array([False]))
    assert effects_of_moves(ranks, ranks, qrels, parse_measure("AP")) == {}
