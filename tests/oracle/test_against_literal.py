"""Every declared measure, at several parameter values, against its literal twin."""

from __future__ import annotations

from inspect import signature
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.judging import join_judgments
from metrics_core.measures import Declaration, declarations
from tests.collections_of import collections, documents_of, products, qrels_of, run_of
from tests.oracle.literal import CATALOGUE, LITERAL, Case, ranking_of
from tests.oracle.literal import documents_of as listed_documents
from tests.random_cases import examples
from tests.settings_of import settings_of


def test_every_measure_has_a_literal_twin() -> None:
    of_documents = {d.name for d in declarations() if "documents" in d.needs}
    assert of_documents == set(CATALOGUE)
    assert {d.name for d in declarations()} - of_documents == set(LITERAL)


FROM_GRADES = [d for d in declarations() if d.name in LITERAL]
FROM_DOCUMENTS = [d for d in declarations() if d.name in CATALOGUE]


@pytest.mark.parametrize("declaration", FROM_DOCUMENTS, ids=lambda d: d.name)
@examples(40)
@given(collection=collections(), rows=products())
def test_equals_its_literal_twin_of_documents(
    declaration: Declaration, collection: Any, rows: Any
) -> None:
    run, qrels = collection
    ranks = join_judgments(run_of(run), qrels_of(qrels), documents=documents_of(rows))
    lists = {q: sorted(docs, key=lambda d: (docs[d], d), reverse=True) for q, docs in run.items()}
    for values in settings_of(declaration):
        scores = declaration(**values).score(ranks)
        for query_id, score in zip(ranks.query_ids, scores, strict=True):
            expected = CATALOGUE[declaration.name](Case(query_id, lists, qrels, rows), **values)
            assert score == pytest.approx(expected, abs=1e-12, nan_ok=True), (values, query_id)


@pytest.mark.parametrize("subtopics", [False, True])
@examples(30)
@given(data=st.data())
def test_equals_its_literal_twin(subtopics: bool, data: Any) -> None:
    # One collection for all measures: to draw and judge it takes longer than they do.
    run, qrels = data.draw(collections(subtopics=subtopics))
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    highest = max(g for grades in qrels.values() for g in grades.values())
    for declaration in FROM_GRADES:
        if ("subtopics" in declaration.needs) != subtopics:
            continue
        twin = LITERAL[declaration.name]
        known = {"highest": highest} if "highest" in signature(twin).parameters else {}
        for values in settings_of(declaration):
            scores = declaration(**values).score(ranks)
            for query_id, score in zip(ranks.query_ids, scores, strict=True):
                grades, scores_of = qrels[query_id], run.get(query_id, {})
                if subtopics:
                    judged = {d: g.subtopics for d, g in grades.items()}
                    expected = twin(listed_documents(scores_of), judged, **values)
                else:
                    ranking = ranking_of(scores_of, grades)
                    expected = twin(ranking, list(grades.values()), **values, **known)
                asked = (declaration.name, values, query_id)
                assert score == pytest.approx(expected, abs=1e-12, nan_ok=True), asked
