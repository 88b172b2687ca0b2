"""Every declared measure, at several parameter values, against its literal twin."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings

from metrics_core.judging import judge
from metrics_core.measures import Declaration, declarations
from tests.collections_of import collections, qrels_of, run_of
from tests.oracle.literal import LITERAL, ranking_of

_VALUES: dict[str, list[Any]] = {"cutoff": [1, 3, 10, 500], "rel": [1, 2], "beta": [1.0, 2.5]}


def settings_of(declaration: Declaration) -> Iterator[dict[str, Any]]:
    """Every combination of a few values of each parameter, the defaults included."""
    choices = []
    for p in declaration.parameters:
        values = list(p.choices) or list(_VALUES[p.name])
        choices.append([*values, None] if p.optional else values)
    for combination in product(*choices):
        yield dict(zip((p.name for p in declaration.parameters), combination, strict=True))


def test_every_measure_has_a_literal_twin() -> None:
    assert {d.name for d in declarations()} == set(LITERAL)


@pytest.mark.parametrize("declaration", declarations(), ids=lambda d: d.name)
@settings(max_examples=60, deadline=None)
@given(collection=collections())
def test_equals_its_literal_twin(declaration: Declaration, collection: Any) -> None:
    run, qrels = collection
    ranks = judge(run_of(run), qrels_of(qrels))
    for values in settings_of(declaration):
        scores = declaration(**values).score(ranks)
        for query_id, score in zip(ranks.query_ids, scores, strict=True):
            grades = qrels[query_id]
            ranking = ranking_of(run.get(query_id, {}), grades)
            expected = LITERAL[declaration.name](ranking, list(grades.values()), **values)
            assert score == pytest.approx(expected, abs=1e-12), (values, query_id)
