"""Each measure is in exactly the sets of exceptions that fit it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import Measure
from tests.collections_of import DOCUMENTS, graded, qrels_of, run_of
from tests.metrics_core.measures import exceptions as e
from tests.settings_of import at

QUERIES = ("q1", "q2", "q3")


def made() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Small collections, always the same ones, in which most of what is listed is judged."""
    random = Random(11)
    names = [f"d{i}" for i in range(9)]
    for _ in range(60):
        qrels = {}
        for query_id in QUERIES:
            judged = random.sample(names, random.randint(2, 6))
            qrels[query_id] = {
                d: graded({s: random.randint(0, 2) for s in random.sample("12", 2)}) for d in judged
            }
            qrels[query_id][judged[0]] = graded({"1": 2, "2": 1})
        run = {q: {d: random.random() for d in random.sample(names, 7)} for q in QUERIES}
        yield run, qrels


def judged(run: Any, qrels: Any) -> JudgedRanks:
    return join_judgments(run_of(run), qrels_of(qrels), documents=DOCUMENTS)


def measures() -> list[Measure]:
    return [at(d, k) for d in e.ALL for k in ((1, 3) if d.cutoff else (5,))]


def test_only_those_named_depend_on_other_queries() -> None:
    depending = set()
    for run, qrels in made():
        ranks = judged(run, qrels)
        alone = [ranks.select_queries(np.array(QUERIES) == q) for q in ranks.query_ids]
        for measure in measures():
            parts = np.concatenate([measure.score(part) for part in alone])
            if not np.allclose(parts, measure.score(ranks), rtol=1e-13, equal_nan=True):
                depending.add(measure.declaration.name)
    assert depending == e.OF_ALL_QUERIES.names


def test_only_those_named_are_beaten_by_another_order() -> None:
    beaten = set()
    for run, qrels in made():
        by_grade = {
            q: {d: float(grade) for d, grade in grades.items() if grade >= 1}
            for q, grades in qrels.items()
        }
        best_ranks, ranks = judged(by_grade, qrels), judged(run, qrels)
        for measure in measures():
            gain = measure.score(ranks) - measure.score(best_ranks)
            if ((gain if measure.declaration.higher_is_better else -gain) > 1e-12).any():
                beaten.add(measure.declaration.name)
    assert beaten == frozenset().union(*(exceptions.names for exceptions in e.BEATEN))


def test_only_those_named_score_a_missing_query_otherwise_than_zero() -> None:
    other = set()
    for run, qrels in made():
        ranks = judged({q: docs for q, docs in run.items() if q != "q2"}, qrels)
        missing = ranks.query_ids.index("q2")
        other |= {m.declaration.name for m in measures() if m.score(ranks)[missing] != 0}
    assert other == e.UNUSUAL_WHEN_MISSING.names


def test_those_that_never_fall_are_all_named() -> None:
    falling = set()
    with_cutoff = [d for d in e.ALL if d.cutoff is not None]
    for run, qrels in made():
        ranks = judged(run, qrels)
        for declaration in with_cutoff:
            curve = at(declaration, 1).curve(ranks, np.arange(1, 12))
            if (np.diff(curve, axis=1) < -1e-12).any():
                falling.add(declaration.name)
    assert not falling & e.NEVER_FALLING.names
    assert {d.name for d in with_cutoff} - falling >= e.NEVER_FALLING.names


def test_every_set_has_a_reason_and_a_member() -> None:
    sets = [value for value in vars(e).values() if isinstance(value, e.Exceptions)]
    declared = {d.name for d in e.ALL}
    assert all(s.reason and s.names and s.names <= declared for s in sets)
