"""Shapley values against their definition: the mean over all orders in which documents join."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from random import Random

import numpy as np
import pytest

from metrics_core.explaining.shapley import MOST_PLAYERS, shapley_values
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import Measure, parse_measure
from tests.collections_of import qrels_of, run_of

MEASURES = ("Yaap", "IPrec@0.5", "IPrecAvg", "nDCGRel", "Utility(p3=-0.5)", "NumRet(rel=2)", "AP")


def made(seed: int, n_relevant: int) -> JudgedRanks:
    """Two queries, the second of which has so many relevant documents listed."""
    random = Random(seed)
    grades = {f"r{i}": random.choice([1, 2, 3]) for i in range(n_relevant)}
    others = {"a": 0, "b": 0, "m": 2, "n": -1}
    listed = [*grades, "a", "b", "n", "x", "y"]
    run = {"p": {"a": 2.0, "r0": 1.0}, "q": {d: random.random() for d in listed}}
    return join_judgments(run_of(run), qrels_of({"p": {"r0": 1, "a": 0}, "q": grades | others}))


def worth(ranks: JudgedRanks, measure: Measure, kept: set[int]) -> float:
    """v(S), one document at a time."""
    relevance = [
        g if g <= 0 or g < measure.relevant_from or row in kept else 0.0
        for row, g in enumerate(ranks.relevance.tolist())
    ]
    return float(measure.score(replace(ranks, relevance=np.array(relevance)))[1])


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("n", [0, 1, 3, 5])
def test_the_definition(name: str, n: int) -> None:
    ranks, measure = made(n, n), parse_measure(name)
    rows, values, empty, by = shapley_values(ranks, 1, measure)
    assert by == "shapley" and empty == worth(ranks, measure, set())
    expected = dict.fromkeys(rows.tolist(), 0.0)
    orders = list(permutations(expected))
    for order in orders:
        for i, row in enumerate(order):
            gain = worth(ranks, measure, {*order[: i + 1]}) - worth(ranks, measure, {*order[:i]})
            expected[row] += gain / len(orders)
    assert values.tolist() == pytest.approx(list(expected.values()), abs=1e-12)
    assert empty + values.sum() == pytest.approx(measure.score(ranks)[1], abs=1e-12)


def test_of_a_sum_they_are_its_terms() -> None:
    ranks, measure = made(7, 6), parse_measure("DCG@5")
    rows, values, empty, _ = shapley_values(ranks, 1, measure)
    terms = measure.terms(ranks)
    own = dict(zip(terms.rank[terms.query == 1], terms.relevance[terms.query == 1], strict=True))
    assert values == pytest.approx([own.get(rank, 0) for rank in ranks.rank[rows]], abs=1e-12)
    assert empty == 0


def test_of_more_documents_the_order_of_ranks_decides() -> None:
    measure = parse_measure("Yaap")
    few, many = made(3, MOST_PLAYERS), made(3, MOST_PLAYERS + 1)
    assert shapley_values(few, 1, measure)[3] == "shapley"
    rows, values, empty, by = shapley_values(many, 1, measure)
    assert by == "order" and len(rows) == MOST_PLAYERS + 1
    assert (np.diff(many.rank[rows]) > 0).all()
    first = worth(many, measure, {int(rows[0])}) - worth(many, measure, set())
    assert values[0] == pytest.approx(first, abs=1e-12)
    assert empty + values.sum() == pytest.approx(measure.score(many)[1], abs=1e-12)


def test_every_list_that_is_scored_holds_one_document_a_rank(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[JudgedRanks] = []
    measure = parse_measure("Yaap")
    kernel = measure.declaration.kernel
    monkeypatch.setitem(
        measure.declaration.__dict__,
        "kernel",
        lambda ranks, **values: (seen.append(ranks), kernel(ranks, **values))[1],
    )
    shapley_values(made(2, 4), 1, measure)
    (batch,) = seen
    assert batch.n_queries == 2**4
    places = list(zip(batch.query.tolist(), batch.rank.tolist(), strict=True))
    assert len(set(places)) == len(places) and places == sorted(places)
    assert (batch.rank <= batch.retrieved[batch.query]).all()
