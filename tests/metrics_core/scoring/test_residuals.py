"""What the unjudged documents could make of a score, against every assignment of grades."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.judging import JudgedRanks, build_single_query, join_judgments
from metrics_core.judging.added_judgments import add_counted_judgments
from metrics_core.judging.unjudged import UnjudgedPlaces
from metrics_core.measures import Declaration, Measure, declarations, parse_measure
from metrics_core.measures.declaring.worked_example import make_example
from metrics_core.scoring.residuals import residual, residual_frame
from tests.collections_of import collections, qrels_of, run_of
from tests.random_cases import examples
from tests.settings_of import settings_of

HIGHEST = 3


def drawn_lists() -> st.SearchStrategy[tuple[list[int | None], list[int]]]:
    """A list's grades, at most four of them unjudged, and the grades of what it does not list."""
    judged = st.integers(-1, HIGHEST)
    listed = st.lists(st.one_of(judged, st.none()), min_size=1, max_size=8)
    few = listed.filter(lambda grades: sum(g is None or g < 0 for g in grades) <= 4)
    return st.tuples(few, st.lists(st.integers(0, HIGHEST), max_size=3))


def ranks_of(listed: list[int | None], others: list[int]) -> JudgedRanks:
    """One query's ranks."""
    places = [(i, float(g)) for i, g in enumerate(listed, 1) if g is not None]
    grades = [g for _, g in places] + [float(g) for g in others]
    return replace(build_single_query(places, grades, len(listed)), top_grade=float(HIGHEST))


def every_score(measure: Measure, listed: list[int | None], others: list[int]) -> np.ndarray:
    """The scores of all assignments of grades to the unjudged documents."""
    free = [i for i, grade in enumerate(listed) if grade is None or grade < 0]
    scores = []
    for grades in product(range(HIGHEST + 1), repeat=len(free)):
        filled = list(listed)
        for place, grade in zip(free, grades, strict=True):
            filled[place] = grade
        scores.append(measure.score(ranks_of(filled, others))[0])
    return np.array(scores)


@pytest.mark.parametrize(
    "declaration", [d for d in declarations() if not d.needs], ids=lambda d: d.name
)
@examples(25)
@given(drawn=drawn_lists(), data=st.data())
def test_no_grades_of_the_unjudged_pass_the_residual(
    declaration: Declaration, drawn: Any, data: Any
) -> None:
    listed, others = drawn
    values = data.draw(st.sampled_from(list(settings_of(declaration))))
    measure = declaration(**values)
    found = residual(ranks_of(listed, others), measure, highest_grade=HIGHEST)
    if declaration.residual == "unaffected":
        assert found.low.tolist() == found.high.tolist()
        return
    scores = every_score(measure, listed, others)
    if np.isnan(scores).any() or np.isnan(found.low).any():
        return
    assert found.low[0] <= scores.min() + 1e-12, values
    assert found.high[0] >= scores.max() - 1e-12, values
    if found.exact:
        assert found.low[0] == pytest.approx(scores.min(), abs=1e-12), values
        assert found.high[0] == pytest.approx(scores.max(), abs=1e-12), values


@examples(20)
@given(collection=collections())
def test_many_queries_are_the_single_ones(collection: Any) -> None:
    run, qrels = collection
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    for declaration in declarations():
        if declaration.needs:
            continue
        measure = next(declaration(**v) for v in settings_of(declaration))
        together = residual(ranks, measure, highest_grade=4)
        for i in range(ranks.n_queries):
            alone = residual(
                ranks.select_queries(np.arange(ranks.n_queries) == i), measure, highest_grade=4
            )
            assert together.low[i] == pytest.approx(alone.low[0], abs=1e-12, nan_ok=True)
            assert together.high[i] == pytest.approx(alone.high[0], abs=1e-12, nan_ok=True)


def test_the_example_by_hand() -> None:
    # Unjudged are rank 1 (x) and rank 5 (the negative grade of d); a, c, e of R = 4 are listed.
    found = residual(make_example(), parse_measure("P@5"))
    assert (found.low[0], found.high[0], found.exact) == (2 / 5, 4 / 5, True)
    found = residual(make_example(), parse_measure("R@4"))
    assert (found.low[0], found.high[0]) == (2 / 5, 3 / 5)
    found = residual(make_example(), parse_measure("AP"))
    all_relevant = (1 + 1 + 3 / 4 + 4 / 5 + 5 / 6) / 6
    assert found.high[0] == pytest.approx(all_relevant)
    # Both with the highest grade, and so at the top of the best order; or neither.
    found = residual(make_example(), parse_measure("nDCG@5"))
    weights = 1 / np.log2(np.arange(2, 7))
    lowest = [0, 2, 0, 1, 0] @ weights / ([3, 2, 1, 1, 0] @ weights)
    highest = [3, 2, 0, 1, 3] @ weights / ([3, 3, 3, 2, 1] @ weights)
    assert (found.low[0], found.high[0]) == pytest.approx((lowest, highest)) and found.exact
    # A grade between can be best: with grade 1 the order 1, 1, 1, 1 is perfect.
    found = residual(ranks_of([1, None, 1, 1], []), parse_measure("nDCG"))
    assert found.high[0] == pytest.approx(1)
    highest = [1, 3, 1, 1] @ weights[:4] / ([3, 1, 1, 1] @ weights[:4])
    assert found.low[0] == pytest.approx(highest) and highest < 0.84


def test_of_a_condensed_list_nothing_is_known() -> None:
    # A document that is judged enters the list, and pushes others down.
    found = residual(make_example(), parse_measure("P(judged_only=True)@3"))
    assert (found.low[0], found.high[0], found.exact) == (0, 1, False)


def test_grades_below_one_are_gains() -> None:
    ranks = ranks_of([None, 1], [])
    ranks = replace(ranks, relevance=ranks.relevance * 0.5, top_grade=0.5)
    found = residual(ranks, parse_measure("CG"))
    assert (found.low[0], found.high[0], found.exact) == (0.5, 1.0, True)


def test_a_frame_says_which_values_are_reached() -> None:
    frame = residual_frame([make_example()], [parse_measure("P@5"), parse_measure("nDCG@5")])
    assert frame.columns.tolist() == ["run", "query_id", "measure", "low", "high", "exact"]
    assert frame["exact"].tolist() == [True, True]


@pytest.mark.parametrize(
    "declaration",
    [d for d in declarations() if d.residual == "monotone" and d.cutoff and not d.needs],
    ids=lambda d: d.name,
)
@examples(5)
@given(drawn=drawn_lists())
def test_of_a_monotone_measure_no_more_matter_than_its_cutoff(
    declaration: Declaration, drawn: Any
) -> None:
    measure, ranks = declaration(cutoff=2), ranks_of(*drawn)
    free = UnjudgedPlaces.from_ranks(ranks, HIGHEST)
    near = UnjudgedPlaces.from_ranks(ranks, HIGHEST, 2)
    assert (near.count_unjudged() == free.count_unjudged()).all()
    some = add_counted_judgments(
        near.add_to_lists(ranks), np.minimum(near.count_unjudged(), 2), HIGHEST
    )
    assert measure.score(some) == pytest.approx(measure.score(free.add_as_judged(ranks)), abs=1e-12)
