"""Every declared measure, at several parameter values, against its literal twin."""

from __future__ import annotations

from inspect import signature
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.judging import judge
from metrics_core.measures import Declaration, declarations
from tests.collections_of import collections, qrels_of, run_of
from tests.oracle.literal import LITERAL, documents_of, ranking_of
from tests.settings_of import settings_of


def test_every_measure_has_a_literal_twin() -> None:
    assert {d.name for d in declarations()} == set(LITERAL)


@pytest.mark.parametrize("declaration", declarations(), ids=lambda d: d.name)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_equals_its_literal_twin(declaration: Declaration, data: Any) -> None:
    run, qrels = data.draw(collections(subtopics="subtopics" in declaration.needs))
    ranks = judge(run_of(run), qrels_of(qrels))
    twin = LITERAL[declaration.name]
    known = {}
    if "highest" in signature(twin).parameters:
        known["highest"] = max(g for grades in qrels.values() for g in grades.values())
    for values in settings_of(declaration):
        scores = declaration(**values).score(ranks)
        for query_id, score in zip(ranks.query_ids, scores, strict=True):
            grades, scores_of = qrels[query_id], run.get(query_id, {})
            if "subtopics" in declaration.needs:
                judged = {d: g.subtopics for d, g in grades.items()}
                expected = twin(documents_of(scores_of), judged, **values)
            else:
                ranking = ranking_of(scores_of, grades)
                expected = twin(ranking, list(grades.values()), **values, **known)
            assert score == pytest.approx(expected, abs=1e-12, nan_ok=True), (values, query_id)
