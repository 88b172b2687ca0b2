"""What the unjudged documents of two lists could make of a difference, against every assignment."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metrics_core.judging import JudgedRanks, join_judgments, unjudged
from metrics_core.judging.added_judgments import add_counted_judgments
from metrics_core.judging.hits import ratio
from metrics_core.measures import Measure, declarations, parse_measure
from metrics_core.measures.declaring.registry import Share
from metrics_core.measures.normalisers import find_ideal_layers, numerator_measure
from metrics_core.unjudged.bounds import bound_difference
from metrics_core.unjudged.graded_scores import RegradedScores
from metrics_core.unjudged.unjudged_ranks import NEAR, add_grades, find_unjudged, judged_shares
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
    return join_judgments(
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
        return measure.score(join_judgments(run_of(dict.fromkeys(known, ranked)), qrels))[
            : len(every)
        ]

    return scores(first) - scores(second)


def found_for(case: Case, measure: Measure) -> Any:
    own, other = (ranks_of(listed, case[2]) for listed in case[:2])
    return bound_difference(own, other, measure, find_unjudged(own, other, measure.cutoff))


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


EXACT = [parse_measure(f"nDCG({settings})") for settings in ("", "dcg='exp-log2'")]
EXACT += [
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
    apart = find_unjudged(*(_nameless(r) for r in (own, other)), measure.cutoff)
    assert not apart.is_matched and apart.doc_ids is None
    wide, found = bound_difference(own, other, measure, apart), found_for(case, measure)
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
    found = find_unjudged(own, other, 3)
    inside = found.select(np.flatnonzero(found.query == 0))
    assert inside.doc_ids is not None
    rows = zip(inside.doc_ids.to_pylist(), inside.run_rank, inside.baseline_rank, strict=True)
    assert sorted(rows) == [("b", 3, 1), ("x", 1, 3), ("z", 0, 2)]
    assert found.n_run_below.tolist() == [1, 0] and found.best_rank.tolist()[:3]
    shares = judged_shares(own, other, [1, 2])
    assert shares["run"].tolist() == [0, 1 / 3] and shares["baseline"].tolist() == [0, 0]


def test_filtered_queries_keep_their_documents() -> None:
    qrels = qrels_of({"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}})
    own = join_judgments(run_of({q: {"a": 2.0, q: 1.0} for q in ("q3", "q1", "q2")}), qrels)
    view = np.array([False, True, True])
    found = find_unjudged(own.select_queries(view), own.select_queries(view), 5)
    assert found.doc_ids is not None and found.doc_ids.to_pylist() == ["q2", "q3"]
    assert found.query.tolist() == [0, 1]


def test_whether_the_winner_could_change() -> None:
    behind: Case = (["a", "x"], ["b", "c"], {"a": 0, "b": 1, "c": 0})
    found = found_for(behind, parse_measure("P@2"))
    assert found.difference == -0.25 and not found.can_reverse and found.highest == 0
    first = found_for((["x", "y"], ["b", "c"], {"b": 1, "c": 0}), parse_measure("P@2"))
    assert first.can_reverse and first.highest == 0.25


@pytest.mark.parametrize("name", ["Bpref", "GMBpref"])
def test_some_relevant_elsewhere_may_be_more_than_none_and_than_all(name: str) -> None:
    # The first list is wholly judged. The other's three relevant, or none of them: R = 4 and N = 1,
    # or R = 1 and N = 4, and a takes all of g away. One of them: R = 2, N = 3, half of g is left.
    case: Case = (["a", "g"], ["b", "c", "d"], {"a": 0, "g": 1})
    measure = parse_measure(name)
    every, found = differences(case, measure), found_for(case, measure)
    assert every.max() == 0.25
    assert found.low[0] <= every.min() and found.high[0] >= every.max() and not found.exact


def test_what_has_no_bound_says_why() -> None:
    found = found_for((["x"], ["a"], {"a": 1}), parse_measure("DCG(gains={1:9})@3"))
    assert np.isnan(found.lowest) and "no lowest or highest score" in found.reason
    assert not found.can_reverse


@settings(max_examples=20, deadline=None)
@given(case=lists())
def test_geometric_means_are_bounded_too(case: Case) -> None:
    assume(free_of(case))
    measure = parse_measure("GMAP")
    first, second, grades = case
    found = found_for(case, measure)
    for assigned in product((0, HIGHEST), repeat=len(free_of(case))):
        known = {**grades, **dict(zip(free_of(case), assigned, strict=True))}
        of = measure.declaration.combination.combine
        gap = of(measure.score(ranks_of(first, known))) - of(measure.score(ranks_of(second, known)))
        assert found.lowest - 1e-12 <= gap <= found.highest + 1e-12


def many(seed: int, queries: int = 30) -> tuple[JudgedRanks, JudgedRanks]:
    """A pair over queries with many grades, negative ones among them, and with none relevant; one
    run lacks some of the queries, and the lists differ in length."""
    generator = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(25)]
    grades = {}
    for q in range(queries):
        judged = generator.permutation(docs)[: generator.integers(1, 20)].tolist()
        grades[f"q{q}"] = {d: int(generator.integers(-1, 4)) for d in judged}
    grades["q0"] = dict.fromkeys(grades["q0"], 0)
    runs = []
    for number in range(2):
        listed = {}
        for q in range(number, queries):
            length = int(generator.integers(1, 25))
            order = generator.permutation(docs)[:length].tolist()
            listed[f"q{q}"] = {d: -float(i) for i, d in enumerate(order)}
        runs.append(join_judgments(run_of(listed), qrels_of(grades)))
    return runs[0], runs[1]


COUNTED = [d for d in declarations() if d.reach != "apart"]


@pytest.mark.parametrize("declaration", COUNTED, ids=lambda d: d.name)
@settings(max_examples=5, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99))
def test_scores_by_place_are_those_of_lists_judged_anew(
    declaration: Any, data: Any, seed: int
) -> None:
    plain = [v for v in settings_of(declaration) if not v.get("gains") and not v.get("judged_only")]
    measure = declaration(**data.draw(st.sampled_from(plain)))
    own, other = many(seed)
    found = find_unjudged(own, other, measure.cutoff)
    grades = np.array([0.0, 0.5, 1.0, 3.0])
    codes = np.random.default_rng(seed).integers(0, 4, len(found))
    for which in (slice(None), slice(len(found) // 2)):
        graded = RegradedScores(own, other, measure, found, grades)
        scored = graded.scores(codes[which])
        part = found.select(which)
        for got, ranks, rank in zip(
            scored, (own, other), (part.run_rank, part.baseline_rank), strict=True
        ):
            anew = add_grades(ranks, part, rank, grades[codes[which]])
            assert got == pytest.approx(measure.score(anew), abs=1e-12), measure


@pytest.mark.parametrize(
    "name", ["nDCG@3", "nDCG(dcg='exp-log2')", "nDCG(discount='max2')@50", "R@2"]
)
def test_divisors_by_counts_are_those_of_judgments_made(name: str) -> None:
    measure, (ranks, _) = parse_measure(name), many(1)
    # A grade between those that are judged, and one above them all.
    grades = np.array([0.0, 1.5, 2.0, 4.0])
    added = np.random.default_rng(2).integers(0, 4, (ranks.n_queries, len(grades)))
    more = ranks
    for grade, counts in zip(grades, added.T, strict=True):
        more = add_counted_judgments(more, counts, grade)
    none = np.zeros_like(added)
    for counts, judged in ((none, ranks), (added, more)):
        whole = find_ideal_layers(measure, ranks, grades).divisor(counts)
        score = numerator_measure(measure).score(judged)
        assert ratio(score, whole) == pytest.approx(measure.score(judged), abs=1e-12)


@pytest.mark.parametrize("name", ["P@5", "nDCG@5", "nDCG", "AP@4", "RR", "R@5", "Rprec", "GMAP"])
def test_blocks_of_queries_are_all_of_them(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    measure, pair = parse_measure(name), many(3)
    found = find_unjudged(*map(_nameless, pair), measure.cutoff)
    together = bound_difference(*pair, measure, found)
    monkeypatch.setattr(unjudged, "_BLOCK", 40)
    apart = bound_difference(*pair, measure, found)
    for end in ("low", "high", "lowest", "highest"):
        assert getattr(apart, end) == pytest.approx(getattr(together, end), abs=1e-12)


@pytest.mark.parametrize("name", ["P@50", "DCG", "nDCG@30", "nDCG", "RR", "R@30", "AP"])
def test_documents_that_were_not_compared_reach_as_if_all_were_different(name: str) -> None:
    """Below the ranks of which each document is known, too."""
    listed = [f"a{i}" for i in range(NEAR + 20)], [f"b{i}" for i in range(NEAR + 30)]
    case: Case = (*listed, {"a0": 1, "b0": 0, "b110": 2, "a105": 1})
    measure = parse_measure(name)
    own, other = (ranks_of(docs, case[2]) for docs in listed)
    loose = bound_difference(
        own, other, measure, find_unjudged(_nameless(own), _nameless(other), measure.cutoff)
    )
    matched = bound_difference(own, other, measure, find_unjudged(own, other, measure.cutoff))
    if isinstance(measure.declaration.reach, Share):
        # One document moves both quotients, and their divisor is the same.
        assert loose.low[0] <= matched.low[0] and matched.high[0] <= loose.high[0]
    else:
        assert loose.low[0] == pytest.approx(matched.low[0], abs=1e-12)
        assert loose.high[0] == pytest.approx(matched.high[0], abs=1e-12)
    assert not loose.exact
