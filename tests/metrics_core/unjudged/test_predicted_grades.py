"""Grades drawn for unjudged documents: from which pool, how alike in a query, how uncertain."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.judging import join_judgments
from metrics_core.unjudged import predicted_grades
from metrics_core.unjudged.predicted_grades import PredictedGrades
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks, find_unjudged
from tests.collections_of import qrels_of, run_of

DEPTH = 8
Grade = Callable[[int, str], int]


def usual(grade: Grade, queries: int = 60) -> tuple[PredictedGrades, UnjudgedRanks]:
    """Of lists of four documents of their own and four of both, every second one judged."""
    ids = [f"q{i}" for i in range(queries)]
    docs = {n: [f"{k}{i}" for i in range(4) for k in (n, "c")] for n in "ab"}
    own, other = (
        run_of({q: {d: -float(i) for i, d in enumerate(docs[n])} for q in ids}, n) for n in "ab"
    )
    every = dict.fromkeys(docs["a"] + docs["b"])
    grades = {q: {d: grade(i, d) for d in every if (i + int(d[1])) % 2} for i, q in enumerate(ids)}
    lists = join_judgments(own, qrels_of(grades)), join_judgments(other, qrels_of(grades))
    found = find_unjudged(*lists, DEPTH)
    return PredictedGrades(*lists, found, DEPTH), found


def draws(of: PredictedGrades, found: UnjudgedRanks, number: int = 200) -> npt.NDArray[np.float64]:
    """Grades of the documents as `found` has them; float64[number, u]."""
    generator, grades = np.random.default_rng(1), np.empty((number, len(found)))
    for row in grades:
        row[of.order] = of.grades[of.draw_grades(generator)]
    return grades


def test_each_kind_has_a_pool_of_its_own() -> None:
    of, found = usual(lambda i, d: {"a": 2, "b": 0, "c": 1}[d[0]])
    assert of.n_judged.tolist() == of.n_unjudged.tolist() == [120, 120, 120]
    only_run, only_baseline = found.baseline_rank == 0, found.run_rank == 0
    drawn = draws(of, found, 20)
    assert (drawn[:, only_run] == 2).all() and (drawn[:, only_baseline] == 0).all()
    assert (drawn[:, ~only_run & ~only_baseline] == 1).all()


def test_each_rank_has_the_grades_that_are_usual_there() -> None:
    of, found = usual(lambda i, d: int(d[0] == "a" and d[1] in "01"))
    top = (found.baseline_rank == 0) & (found.run_rank <= 4)
    deep = (found.baseline_rank == 0) & (found.run_rank > 4)
    drawn = draws(of, found, 20)
    assert drawn[:, top].all() and not drawn[:, deep].any()


def test_documents_of_a_query_are_as_alike_as_the_judged_ones() -> None:
    grades = np.random.default_rng(2).integers(0, 2, (60, 12))
    of, found = usual(lambda i, d: int(grades[i, 0]))
    assert (draws(of, found) == grades[found.query, 0]).mean() > 0.8
    of, found = usual(lambda i, d: int(grades[i, "abc".index(d[0]) * 4 + int(d[1])]))
    drawn = draws(of, found)
    assert (drawn == grades[found.query, 0]).mean() < 0.65
    # Each document by itself, and pools of uncertain means.
    alone = (0.25 / len(found)) ** 0.5
    assert 1.2 * alone < float(drawn.mean(axis=1).std()) < 2 * alone


def test_a_query_without_judged_documents_is_drawn_as_one() -> None:
    """What is drawn for a document tells of the others of its query and lists."""
    generator = np.random.default_rng(3)
    easy = generator.random(60) < 0.5
    of, found = usual(lambda i, d: int(easy[i]) if i else 0)
    known = of._n_judged_in_group
    of._n_judged_in_group = np.zeros_like(known)
    drawn = draws(of, found)
    first = drawn[:, (found.query == 1) & (found.baseline_rank == 0)]
    assert np.corrcoef(first.T)[0, 1] > 0.6


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 45), min_size=3 * DEPTH, max_size=3 * DEPTH))
def test_every_pool_holds_documents(counts: list[int]) -> None:
    place = np.repeat(np.arange(3 * DEPTH), counts)
    known = predicted_grades._PlacedDocuments(place * 0, place // DEPTH, place % DEPTH)
    pools = predicted_grades._assign_pool_numbers(known, DEPTH, 3)
    held = np.bincount(pools.ravel(), np.array(counts))
    for kind, total in zip(pools, np.array(counts).reshape(3, DEPTH).sum(axis=1), strict=True):
        assert (np.diff(kind) >= 0).all() and (
            held[kind] >= min(total, predicted_grades._FEW)
        ).all()
        assert held[np.unique(kind)].sum() == total


def test_very_many_grades_share_wider_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    of, _ = usual(lambda i, d: i * 16 + int(d[1]))
    monkeypatch.setattr(predicted_grades, "_MOST_CELLS", 500)
    wide, found = usual(lambda i, d: i * 16 + int(d[1]))
    assert wide._n_pools < of._n_pools
    assert set(draws(wide, found, 3).ravel()) <= set(wide.grades)
