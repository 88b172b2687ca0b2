"""What a score could still gain: by hand, as parts that add up, and never less than nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from metrics_core.explaining.headroom import headroom, reranking_ceiling
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import parse_measure
from metrics_core.measures.declaring.registry import declarations
from tests.collections_of import collections, qrels_of, run_of

RAISED = [
    name
    for declared in declarations()
    for name in declared.worked
    if not declared.needs and "gains" not in name
]


def ranks_of(listed: str, grades: dict[str, int]) -> JudgedRanks:
    return join_judgments(
        run_of({"q": {d: -float(i) for i, d in enumerate(listed)}}), qrels_of({"q": grades})
    )


def test_order_then_depth_then_what_is_missing() -> None:
    # Of the first three x a y, then b; c is not listed. DCG@3 in turn: 1/log2(3); a first: 1;
    # b (grade 2) brought up: 2 + 1/log2(3); c (grade 3) added: 3 + 2/log2(3) + 1/2.
    ranks = ranks_of("xayb", {"a": 1, "b": 2, "c": 3, "y": 0})
    found = headroom(ranks, parse_measure("DCG@3"), 10)
    step = 1 / np.log2(3)
    assert found.score[0] == pytest.approx(step, abs=1e-12)
    assert found.order[0] == pytest.approx(1 - step, abs=1e-12)
    assert found.below[0] == pytest.approx(1 + step, abs=1e-12)
    assert found.missing[0] == pytest.approx(1.5 + step, abs=1e-12)


def test_what_three_relevant_documents_allow() -> None:
    ranks = ranks_of("abxyz", {"a": 1, "b": 1, "c": 1})
    found = headroom(ranks, parse_measure("P@10"), 10)
    assert found.best_score[0] == pytest.approx(0.3)
    assert found.reached_share[0] == pytest.approx(2 / 3)
    nothing = headroom(ranks_of("abc", {"a": 0}), parse_measure("P@10"), 10)
    assert np.isnan(nothing.reached_share[0]) and nothing.best_score[0] == 0


def test_a_measure_of_the_whole_list_takes_the_given_cutoff() -> None:
    ranks = ranks_of("xazb", {"a": 1, "b": 1})
    by_two, by_four = (headroom(ranks, parse_measure("AP"), k) for k in (2, 4))
    assert by_two.order[0] == pytest.approx((1 + 2 / 4) / 2 - (1 / 2 + 2 / 4) / 2)
    assert by_two.below[0] > 0 and by_four.below[0] == 0
    assert by_two.best_score[0] == by_four.best_score[0] == pytest.approx(1)


def test_another_cutoff_finds_what_it_would_have_found_alone() -> None:
    grades = {"a": 1, "b": 2, "c": 3, "y": 0}
    known = ranks_of("xayb", grades)
    for name in ("DCG@3", "DCG@1", "P@2", "P(rel=2)@2", "AP"):
        alone, after = (
            headroom(ranks, parse_measure(name), 2) for ranks in (ranks_of("xayb", grades), known)
        )
        for part in ("score", "order", "below", "missing"):
            assert getattr(after, part).tolist() == getattr(alone, part).tolist()


def test_nothing_is_added_that_would_lower_the_score() -> None:
    # (1 + 1 / log2(3)) / 2 with b would be less than 1 / 1 without it.
    ranks = ranks_of("a", {"a": 1, "b": 1})
    found = headroom(ranks, parse_measure("DCG(denominator='retrieved')@4"), 4)
    assert found.missing[0] == 0 and found.best_score[0] == 1


def test_the_mean_adds_up_too() -> None:
    rng = np.random.default_rng(3)
    run = {f"q{i}": {f"d{j}": float(rng.random()) for j in range(9)} for i in range(30)}
    grades = {f"q{i}": {f"d{j}": int(rng.integers(0, 4)) for j in range(12)} for i in range(40)}
    found = headroom(join_judgments(run_of(run), qrels_of(grades)), parse_measure("nDCG@5"), 5)
    assert found.mean().best_score[0] == pytest.approx(1.0, abs=1e-12)
    assert found.mean().score[0] == pytest.approx(found.score.mean(), abs=1e-12)


@settings(max_examples=12, deadline=None)
@given(collection=collections())
def test_no_step_takes_anything_away(collection: Any) -> None:
    run, grades = collection
    ranks = join_judgments(run_of(run), qrels_of(grades)) if set(run) & set(grades) else None
    if ranks is None:
        return
    for name in RAISED:
        measure = parse_measure(name)
        try:
            found = headroom(ranks, measure, 3)
        except ValueError:
            continue
        parts = np.stack([found.order, found.below, found.missing])
        defined = ~np.isnan(parts)
        assert (parts[defined] >= -1e-12).all(), name
        # Reordering the first results, or the whole list, reaches the same as the steps.
        depths = [measure.cutoff or 3, max(int(ranks.retrieved.max()), 1)]
        ceiling = reranking_ceiling(ranks, measure, depths)
        steps = np.cumsum([found.score, found.order, found.below], axis=0)[1:]
        is_known = ~np.isnan(steps)
        assert ceiling.T[is_known] == pytest.approx(steps[is_known], abs=1e-12), name


def test_measures_that_a_better_order_does_not_raise_have_none() -> None:
    ranks = ranks_of("ab", {"a": 1})
    for name in ("Judged@5", "NumNonrelRet", "nDCG(gains={1:3,2:9})@4", "Unjudged@5"):
        with pytest.raises(ValueError, match="has no ideal order"):
            headroom(ranks, parse_measure(name), 10)
        with pytest.raises(ValueError, match="has no ideal order"):
            reranking_ceiling(ranks, parse_measure(name), [10])


def test_other_lists_share_what_follows_from_the_judgments() -> None:
    ranks = ranks_of("xazb", {"a": 1, "b": 2, "c": 1})
    other = ranks.with_lists(
        query=ranks.query[:1], rank=ranks.rank[:1], relevance=ranks.relevance[:1]
    )
    assert other.ideal() is ranks.ideal()
    assert other.relevant() is not ranks.relevant() and len(other.relevant().rank) == 1
    assert other.n_relevant().tolist() == [3] and not other.n_relevant().flags.writeable
