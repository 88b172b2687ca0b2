"""What to judge next: against every set and every grade."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import Measure, parse_measure
from metrics_core.unjudged import next_judgments
from metrics_core.unjudged.bounds import bound_difference
from metrics_core.unjudged.next_judgments import NextJudgments, find_next_judgments
from metrics_core.unjudged.unjudged_ranks import find_unjudged
from tests.collections_of import qrels_of, run_of

DOCS = ["a", "b", "c", "d", "e"]
Lists = dict[str, list[str]]
Grades = dict[str, dict[str, int]]
TOP = {"x": 2}


def ranks_of(lists: Lists, grades: Grades) -> JudgedRanks:
    scores = {q: {d: -float(i) for i, d in enumerate(docs)} for q, docs in lists.items()}
    return join_judgments(run_of({**scores, "t": {"x": 1.0}}), qrels_of({**grades, "t": TOP}))


def asked(first: Lists, second: Lists, grades: Grades, name: str) -> tuple[Any, ...]:
    measure = parse_measure(name)
    own, other = ranks_of(first, grades), ranks_of(second, grades)
    found = find_unjudged(own, other, measure.cutoff)
    return own, other, measure, found, bound_difference(own, other, measure, found)


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
    told = find_next_judgments(own, other, measure, found, reached)
    free = free_of(first, second, grades)
    turning = [
        n
        for n in range(1, len(free) + 1)
        for rows in combinations(free, n)
        if difference(first, second, judged_with(grades, rows, [2] * n), measure) * now < -1e-9
    ]
    assert told.n_to_reverse == min(turning, default=None)
    if turning:
        rows = told.table.head(told.n_to_reverse)[["query_id", "doc_id"]].itertuples(index=False)
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
        assert told.n_to_settle == next(sizes)


@settings(max_examples=25, deadline=None)
@given(cases(), st.sampled_from(["nDCG@3", "RR", "R@2", "AP", "ERR@3", "P@2"]))
def test_each_document_moves_the_difference_as_said(case: Any, name: str) -> None:
    first, second, grades = case
    own, other, measure, found, reached = asked(*case, name)
    now = difference(*case, measure)
    told = find_next_judgments(own, other, measure, found, reached)
    for row in told.table.to_dict("records"):
        more = judged_with(grades, [(row["query_id"], row["doc_id"])], [2])
        assert row["moves"] == pytest.approx(
            difference(first, second, more, measure) - now, abs=1e-12
        )
        at = first[row["query_id"]]
        rank = at.index(row["doc_id"]) + 1 if row["doc_id"] in at else 0
        assert row["run_rank"] == (rank if rank <= (measure.cutoff or 3) else 0)
    assert told.table["moves"].abs().is_monotonic_decreasing
    if told.n_to_reverse and abs(now) > 1e-9:
        rows = told.table.head(told.n_to_reverse)[["query_id", "doc_id"]].itertuples(index=False)
        chosen = [tuple(row) for row in rows]
        more = judged_with(grades, chosen, [2] * len(chosen))
        assert difference(first, second, more, measure) * now < 0


def test_what_is_filled_in_has_no_grade_yet() -> None:
    case = ({"q1": ["a", "n"]}, {"q1": ["m", "b"]}, {"q1": {"a": 1, "b": 0}})
    told = find_next_judgments(*asked(*case, "P@2"))
    assert told.n_to_reverse is None and told.n_to_settle == 0
    frame = told.make_blank_judgments()
    assert frame.columns.tolist() == ["query_id", "doc_id", "relevance"]
    assert frame["relevance"].tolist() == [""] and frame["doc_id"].tolist() == ["m"]
    assert NextJudgments(told.table, 1, None).n_worth_judging == 1


def test_a_measure_without_bound_names_nothing() -> None:
    case = ({"q1": ["a", "n"]}, {"q1": ["m", "b"]}, {"q1": {"a": 1, "b": 0}})
    told = find_next_judgments(*asked(*case, "DCG(gains={1:9})@2"))
    assert (told.n_to_reverse, told.n_to_settle) == (None, None)


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
    whole = find_next_judgments(*case).table
    monkeypatch.setattr(next_judgments, "MOST_RANKED", 9)
    few = find_next_judgments(*case).table
    # Many move it as far as each other: they stay as they stood.
    assert len(whole) > 20 and few.equals(whole.head(9))
