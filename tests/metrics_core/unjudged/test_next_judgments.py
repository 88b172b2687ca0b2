"""What to judge next, and what the grades would likely be: against every set and every grade."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.judging import JudgedRanks, judge
from metrics_core.measures import Measure, parse_measure
from metrics_core.unjudged import expected_difference, graded_scores, next_judgments
from metrics_core.unjudged.bounds import difference_bounds
from metrics_core.unjudged.expected_difference import likely_difference
from metrics_core.unjudged.next_judgments import NextJudgments, judge_next
from metrics_core.unjudged.unjudged_ranks import unjudged_ranks
from tests.collections_of import qrels_of, run_of

DOCS = ["a", "b", "c", "d", "e"]
Lists = dict[str, list[str]]
Grades = dict[str, dict[str, int]]
TOP = {"x": 2}


def ranks_of(lists: Lists, grades: Grades) -> JudgedRanks:
    scores = {q: {d: -float(i) for i, d in enumerate(docs)} for q, docs in lists.items()}
    return judge(run_of({**scores, "t": {"x": 1.0}}), qrels_of({**grades, "t": TOP}))


def asked(first: Lists, second: Lists, grades: Grades, name: str) -> tuple[Any, ...]:
    measure = parse_measure(name)
    own, other = ranks_of(first, grades), ranks_of(second, grades)
    found = unjudged_ranks(own, other, measure.cutoff)
    return own, other, measure, found, difference_bounds(own, other, measure, found)


def difference(first: Lists, second: Lists, grades: Grades, measure: Measure) -> float:
    own, other = (measure.score(ranks_of(x, grades)) for x in (first, second))
    return float(np.mean(own) - np.mean(other))


def cases() -> st.SearchStrategy[Any]:
    one = st.permutations(DOCS).map(lambda p: list(p[:3]))
    lists = st.fixed_dictionaries({"q1": one, "q2": one})
    grade = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 2), min_size=2)
    grades = st.fixed_dictionaries({"q1": grade, "q2": grade})
    return st.tuples(lists, lists, grades)


def free_of(first: Lists, second: Lists, grades: Grades) -> list[tuple[str, str]]:
    return [
        (q, d) for q in grades for d in dict.fromkeys([*first[q], *second[q]]) if d not in grades[q]
    ]


def judged_with(grades: Grades, rows: Any, values: Any) -> Grades:
    more = {q: dict(docs) for q, docs in grades.items()}
    for (q, d), value in zip(rows, values, strict=True):
        more[q][d] = value
    return more


@settings(max_examples=30, deadline=None)
@given(cases(), st.sampled_from(["P@3", "DCG@3", "RBP(p=0.5)"]))
def test_the_fewest_that_turn_or_settle_are_those_of_every_set(case: Any, name: str) -> None:
    first, second, grades = case
    own, other, measure, found, reached = asked(*case, name)
    now = difference(*case, measure)
    if abs(now) < 1e-9:
        return
    told = judge_next(own, other, measure, found, reached)
    assert told.exact
    free = free_of(first, second, grades)
    turning = [
        n
        for n in range(1, len(free) + 1)
        for rows in combinations(free, n)
        if difference(first, second, judged_with(grades, rows, [2] * n), measure) * now < -1e-9
    ]
    assert told.to_turn == min(turning, default=None)
    if turning:
        rows = told.table.head(told.to_turn)[["query_id", "doc_id"]].itertuples(index=False)
        chosen = [tuple(row) for row in rows]
        turned = judged_with(grades, chosen, [2] * len(chosen))
        assert difference(first, second, turned, measure) * now < 0

    def settles(rows: Any) -> bool:
        rest = [r for r in free if r not in rows]
        worst = [
            difference(first, second, judged_with(grades, rest, g), measure)
            for g in product((0, 2), repeat=len(rest))
        ]
        return min(w * np.sign(now) for w in worst) >= -1e-9

    sizes = (n for n in range(len(free) + 1) if any(map(settles, combinations(free, n))))
    if len(free) <= 5:
        assert told.to_settle == next(sizes)


@settings(max_examples=25, deadline=None)
@given(cases(), st.sampled_from(["nDCG@3", "RR", "R@2", "AP", "ERR@3", "P@2"]))
def test_each_document_moves_the_difference_as_said(case: Any, name: str) -> None:
    first, second, grades = case
    own, other, measure, found, reached = asked(*case, name)
    now = difference(*case, measure)
    told = judge_next(own, other, measure, found, reached)
    for row in told.table.to_dict("records"):
        more = judged_with(grades, [(row["query_id"], row["doc_id"])], [2])
        assert row["moves"] == pytest.approx(
            difference(first, second, more, measure) - now, abs=1e-12
        )
        at = first[row["query_id"]]
        rank = at.index(row["doc_id"]) + 1 if row["doc_id"] in at else 0
        assert row["run_rank"] == (rank if rank <= (measure.cutoff or 3) else 0)
    assert told.table["moves"].abs().is_monotonic_decreasing
    if told.to_turn and abs(now) > 1e-9:
        rows = told.table.head(told.to_turn)[["query_id", "doc_id"]].itertuples(index=False)
        chosen = [tuple(row) for row in rows]
        more = judged_with(grades, chosen, [2] * len(chosen))
        assert difference(first, second, more, measure) * now < 0


def test_what_is_filled_in_has_no_grade_yet() -> None:
    case = ({"q1": ["a", "n"]}, {"q1": ["m", "b"]}, {"q1": {"a": 1, "b": 0}})
    told = judge_next(*asked(*case, "P@2"))
    assert told.to_turn is None and told.to_settle == 0
    frame = told.to_fill_in()
    assert frame.columns.tolist() == ["query_id", "doc_id", "relevance"]
    assert frame["relevance"].tolist() == [""] and frame["doc_id"].tolist() == ["m"]
    assert NextJudgments(told.table, 1, None, exact=True).wanted == 1


def test_a_measure_without_bound_names_nothing() -> None:
    case = ({"q1": ["a", "n"]}, {"q1": ["m", "b"]}, {"q1": {"a": 1, "b": 0}})
    told = judge_next(*asked(*case, "DCG(gains={1:9})@2"))
    assert (told.to_turn, told.to_settle, told.exact) == (None, None, False)


def test_likely_differences_of_a_sum_have_the_mean_and_spread_of_its_terms() -> None:
    generator = np.random.default_rng(1)
    first: Lists = {}
    second: Lists = {}
    grades: Grades = {}
    for i in range(60):
        docs = [f"d{j}" for j in range(12)]
        first[f"q{i}"] = generator.permutation(docs)[:6].tolist()
        second[f"q{i}"] = generator.permutation(docs)[:6].tolist()
        grades[f"q{i}"] = {d: int(generator.integers(0, 3)) for d in docs[:8]}
    own, other, measure, found, reached = asked(first, second, grades, "P@4")
    rate: dict[int, list[int]] = {}
    for lists in (first, second):
        for q, docs in lists.items():
            for rank, d in enumerate(docs, 1):
                if d in grades[q]:
                    rate.setdefault(rank, []).append(grades[q][d] >= 1)
        rate.setdefault(1, []).append(True)
    mean, variance = reached.difference, 0.0
    for q in first:
        for d in dict.fromkeys([*first[q][:4], *second[q][:4]]):
            if d in grades[q]:
                continue
            at = [docs[q].index(d) + 1 for docs in (first, second) if d in docs[q][:4]]
            p = float(np.mean(rate[min(at)]))
            weight = ((d in first[q][:4]) - (d in second[q][:4])) / 4 / 61
            mean += weight * p
            variance += weight**2 * p * (1 - p)
    likely = likely_difference(own, other, measure, found)
    assert likely.mean == pytest.approx(mean, abs=4 * (variance / 200) ** 0.5)
    assert (likely.high - likely.low) / 2 / 1.96 == pytest.approx(variance**0.5, rel=0.05)


def test_nothing_unjudged_leaves_the_difference_as_it_is() -> None:
    case = ({"q1": ["a", "b"]}, {"q1": ["b", "a"]}, {"q1": {"a": 1, "b": 0}})
    own, other, measure, found, reached = asked(*case, "nDCG@2")
    likely = likely_difference(own, other, measure, found)
    assert likely.low == likely.high == reached.difference == reached.lowest == reached.highest
    assert reached.exact and len(found) == 0


def test_where_only_relevant_documents_are_judged_nothing_is_likely() -> None:
    case = ({"q1": ["a", "n"]}, {"q1": ["m", "a"]}, {"q1": {"a": 1}})
    own, other, measure, found, _ = asked(*case, "P@2")
    assert np.isnan(likely_difference(own, other, measure, found).mean)
    judged = ({"q1": ["a", "n"]}, {"q1": ["m", "a"]}, {"q1": {"a": 1, "m": 0}})
    own, other, measure, found, _ = asked(*judged, "P@2")
    assert not np.isnan(likely_difference(own, other, measure, found).mean)


def random_pair(queries: int) -> tuple[Lists, Lists, Grades]:
    generator = np.random.default_rng(3)
    docs = [f"d{j}" for j in range(12)]
    both: tuple[Lists, Lists] = ({}, {})
    grades: Grades = {}
    for i in range(queries):
        for lists in both:
            lists[f"q{i}"] = generator.permutation(docs)[:6].tolist()
        grades[f"q{i}"] = {d: int(generator.integers(0, 3)) for d in docs[:6]}
    return *both, grades


@pytest.mark.parametrize("name", ["P@4", "nDCG@5"])
def test_the_first_of_a_bounded_table_are_those_of_the_whole(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = asked(*random_pair(30), name)
    whole = judge_next(*case).table
    monkeypatch.setattr(next_judgments, "MOST_RANKED", 9)
    few = judge_next(*case).table
    # Many move it as far as each other: they stay as they stood.
    assert len(whole) > 20 and few.equals(whole.head(9))


@pytest.mark.parametrize("name", ["P@4", "nDCG@5", "RR", "AP@4"])
def test_grades_drawn_in_parts_are_those_drawn_at_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other, measure, found, _ = asked(*random_pair(12), name)
    at_once = likely_difference(own, other, measure, found)
    monkeypatch.setattr(expected_difference, "_AT_A_TIME", 7)
    assert likely_difference(own, other, measure, found) == at_once


@pytest.mark.parametrize("name", ["P@4", "nDCG@5", "RR"])
def test_of_many_queries_few_draws_say_what_many_do(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other, measure, found, _ = asked(*random_pair(60), name)
    every = likely_difference(own, other, measure, found)
    drawn = []
    scores = graded_scores.Graded.scores

    def counted(self: graded_scores.Graded, codes: graded_scores.Codes) -> graded_scores.Both:
        drawn.append(len(codes))
        return scores(self, codes)

    monkeypatch.setattr(graded_scores.Graded, "scores", counted)
    monkeypatch.setattr(expected_difference, "_TELLING", 20)
    monkeypatch.setattr(expected_difference, "_SEEN", 5e-3)
    few = likely_difference(own, other, measure, found)
    assert expected_difference._SOME <= len(drawn) < 100
    assert few.mean == pytest.approx(every.mean, abs=2e-2)
    assert few.high - few.low == pytest.approx(every.high - every.low, rel=0.2)


def test_the_spread_of_each_query_and_that_of_the_draws_are_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, other, measure, found, _ = asked(*random_pair(12), "nDCG@5")
    of_queries = likely_difference(own, other, measure, found)
    monkeypatch.setattr(expected_difference._Drawn, "_variances", lambda self: np.array(np.nan))
    of_draws = likely_difference(own, other, measure, found)
    assert of_draws.mean == of_queries.mean
    assert of_draws.high - of_draws.low == pytest.approx(of_queries.high - of_queries.low, rel=0.25)
