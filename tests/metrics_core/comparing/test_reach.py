"""What the unjudged documents of two lists could make of a difference, against every assignment."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metrics_core.comparing.holes import holes, judged_shares
from metrics_core.comparing.reach import reach
from metrics_core.judging import JudgedRanks, judge
from metrics_core.measures import Measure, declarations, parse_measure
from tests.collections_of import qrels_of, run_of
from tests.settings_of import settings_of

DOCS = ["a", "b", "c", "d", "e", "f", "g"]
HIGHEST = 2
Case = tuple[list[str], list[str], dict[str, int]]


def lists() -> st.SearchStrategy[Case]:
    """Two lists and the grades of some documents; at most four of the listed are unjudged, and one
    that no run lists has the highest grade there is."""
    one = st.permutations(DOCS).flatmap(lambda p: st.integers(1, 6).map(lambda n: list(p[:n])))
    grades = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, HIGHEST))
    drawn = st.tuples(one, one, grades)
    return drawn.filter(lambda case: len(free_of(case)) <= 4)


def free_of(case: Case) -> list[str]:
    first, second, grades = case
    return [d for d in dict.fromkeys([*first, *second]) if grades.get(d, -1) < 0]


def ranks_of(listed: list[str], grades: dict[str, int]) -> JudgedRanks:
    scores = {d: -float(i) for i, d in enumerate(listed)}
    # The other query keeps the highest grade the same whatever is judged here.
    return judge(
        run_of({"q": scores, "other": {"x": 1.0}}),
        qrels_of({"q": grades or {"nowhere": 0}, "other": {"y": HIGHEST}}),
    )


def differences(case: Case, measure: Measure) -> np.ndarray:
    """The difference of the query under every assignment of grades: a query each, at once."""
    first, second, grades = case
    free = free_of(case)
    every = list(product(range(HIGHEST + 1), repeat=len(free)))
    known = {f"q{i}": {**grades, **dict(zip(free, a, strict=True))} for i, a in enumerate(every)}
    told = {q: g or {"nowhere": 0} for q, g in known.items()}
    qrels = qrels_of({**told, "other": {"y": HIGHEST}})

    def scores(listed: list[str]) -> np.ndarray:
        ranked = {d: -float(i) for i, d in enumerate(listed)}
        return measure.score(judge(run_of(dict.fromkeys(known, ranked)), qrels))[: len(every)]

    return scores(first) - scores(second)


def found_for(case: Case, measure: Measure) -> Any:
    own, other = (ranks_of(listed, case[2]) for listed in case[:2])
    return reach(own, other, measure, holes(own, other, measure.cutoff))


@pytest.mark.parametrize(
    "declaration", [d for d in declarations() if not d.needs], ids=lambda d: d.name
)
@settings(max_examples=6, deadline=None)
@given(case=lists(), data=st.data())
def test_no_grades_pass_the_reach(declaration: Any, case: Case, data: Any) -> None:
    measure = declaration(**data.draw(st.sampled_from(list(settings_of(declaration)))))
    found = found_for(case, measure)
    if declaration.residual == "unaffected":
        assert (found.low == found.high).all() and found.exact
        return
    every = differences(case, measure)
    if np.isnan(every).any() or found.reason:
        return
    assert found.low[0] <= every.min() + 1e-12, measure
    assert found.high[0] >= every.max() - 1e-12, measure
    if found.exact:
        assert found.low[0] == pytest.approx(every.min(), abs=1e-12), measure
        assert found.high[0] == pytest.approx(every.max(), abs=1e-12), measure


EXACT = [
    d(**values)
    for d in declarations()
    if d.reach in ("additive", "first")
    for values in list(settings_of(d))[:6]
    if not values.get("gains") and not values.get("judged_only")
]


@pytest.mark.parametrize("measure", EXACT, ids=str)
@settings(max_examples=6, deadline=None)
@given(case=lists())
def test_sums_and_firsts_are_exact(measure: Measure, case: Case) -> None:
    every, found = differences(case, measure), found_for(case, measure)
    assert found.exact
    assert found.low[0] == pytest.approx(every.min(), abs=1e-12)
    assert found.high[0] == pytest.approx(every.max(), abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(case=lists(), name=st.sampled_from(["P@3", "nDCG@3", "RR", "AP", "R@3"]))
def test_lists_that_are_not_compared_only_widen_it(case: Case, name: str) -> None:
    measure = parse_measure(name)
    own, other = (ranks_of(listed, case[2]) for listed in case[:2])
    apart = holes(*(_nameless(r) for r in (own, other)), measure.cutoff)
    assert not apart.matched and apart.doc_ids is None
    wide, found = reach(own, other, measure, apart), found_for(case, measure)
    assert wide.low[0] <= found.low[0] + 1e-12 and wide.high[0] >= found.high[0] - 1e-12


def _nameless(ranks: JudgedRanks) -> JudgedRanks:
    return replace(ranks, listed=None)


def test_a_document_in_both_lists_has_one_grade() -> None:
    # x stands first in both: whatever it is worth, nobody gains by it.
    case: Case = (["x", "a"], ["x", "b"], {"a": 1, "b": 0})
    found = found_for(case, parse_measure("P@2"))
    assert (found.low[0], found.high[0], found.exact) == (0.5, 0.5, True)


def test_the_holes_are_named_with_both_their_ranks() -> None:
    own, other = (
        ranks_of(listed, {"a": 1, "b": -1}) for listed in (["x", "a", "b", "y"], ["b", "z", "x"])
    )
    found = holes(own, other, 3)
    inside = found.named(np.flatnonzero(found.query == 0))
    assert inside.doc_ids is not None
    rows = zip(inside.doc_ids.to_pylist(), inside.run_rank, inside.baseline_rank, strict=True)
    assert sorted(rows) == [("b", 3, 1), ("x", 1, 3), ("z", 0, 2)]
    assert found.run_further.tolist() == [1, 0] and found.best_rank.tolist()[:3]
    shares = judged_shares(own, other, [1, 2])
    assert shares["run"].tolist() == [0, 1 / 3] and shares["baseline"].tolist() == [0, 0]


def test_filtered_queries_keep_their_documents() -> None:
    qrels = qrels_of({"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}})
    own = judge(run_of({q: {"a": 2.0, q: 1.0} for q in ("q3", "q1", "q2")}), qrels)
    view = np.array([False, True, True])
    found = holes(own.among(view), own.among(view), 5)
    assert found.doc_ids is not None and found.doc_ids.to_pylist() == ["q2", "q3"]
    assert found.query.tolist() == [0, 1]


def test_whether_the_winner_could_change() -> None:
    behind: Case = (["a", "x"], ["b", "c"], {"a": 0, "b": 1, "c": 0})
    found = found_for(behind, parse_measure("P@2"))
    assert found.difference == -0.25 and not found.turns and found.highest == 0
    first = found_for((["x", "y"], ["b", "c"], {"b": 1, "c": 0}), parse_measure("P@2"))
    assert first.turns and first.highest == 0.25


def test_what_has_no_bound_says_why() -> None:
    found = found_for((["x"], ["a"], {"a": 1}), parse_measure("DCG(gains={1:9})@3"))
    assert np.isnan(found.lowest) and "no lowest and no highest" in found.reason
    assert not found.turns


@settings(max_examples=20, deadline=None)
@given(case=lists())
def test_geometric_means_are_bounded_too(case: Case) -> None:
    assume(free_of(case))
    measure = parse_measure("GMAP")
    first, second, grades = case
    found = found_for(case, measure)
    for assigned in product((0, HIGHEST), repeat=len(free_of(case))):
        known = {**grades, **dict(zip(free_of(case), assigned, strict=True))}
        of = measure.declaration.combination.of
        gap = of(measure.score(ranks_of(first, known))) - of(measure.score(ranks_of(second, known)))
        assert found.lowest - 1e-12 <= gap <= found.highest + 1e-12
