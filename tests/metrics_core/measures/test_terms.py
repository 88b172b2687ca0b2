"""The terms of measures: parts of documents that add up to the score, whatever the parameters."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from metrics_core.base.errors import LackingDataError
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import Declaration, Measure, parse_measure
from metrics_core.measures.declaring.worked_example import make_example
from tests.collections_of import collections, qrels_of, run_of
from tests.metrics_core.measures.exceptions import ALL, WITHOUT_TERMS, without
from tests.settings_of import settings_of

SUMS = without(*WITHOUT_TERMS)


def test_every_measure_has_terms_or_a_reason_to_have_none() -> None:
    for declaration in ALL:
        reasons = sum(declaration in exceptions for exceptions in WITHOUT_TERMS)
        assert reasons == (declaration.terms is None), declaration.name


def assert_adds_up(measure: Measure, ranks: JudgedRanks) -> None:
    score, terms = measure.score(ranks), measure.terms(ranks)
    assert terms.n_queries == ranks.n_queries
    assert (np.diff(terms.query) >= 0).all()
    known = ~np.isnan(score)
    difference = terms.total(terms.relevance) - score
    scale = np.maximum(1, terms.total(np.abs(terms.relevance)))
    assert (np.abs(difference[known]) <= 1e-12 * scale[known]).all(), (str(measure), difference)


def random_ranks() -> JudgedRanks:
    """Lists to depth 40 with ties, negative grades, lists without relevance and missing ones."""
    random = Random(5)
    run = {
        f"q{i}": {f"d{j}": random.choice([1.0, 2.0, random.random()]) for j in range(40)}
        for i in range(12)
    }
    grades = {
        f"q{i}": {
            f"d{j}": random.choice([-1, 0, 0, 1, 2, 4]) if i else 0
            for j in random.sample(range(60), 20)
        }
        for i in range(14)
    }
    return join_judgments(run_of(run), qrels_of(grades))


RANKS = random_ranks()


@pytest.mark.parametrize("declaration", SUMS, ids=lambda d: d.name)
def test_parts_add_up_at_every_setting(declaration: Declaration) -> None:
    for values in settings_of(declaration):
        assert_adds_up(declaration(**values), RANKS)
        if declaration.parameter("judged_only"):
            assert_adds_up(declaration(**values, judged_only=True), RANKS)


@pytest.mark.parametrize("declaration", SUMS, ids=lambda d: d.name)
@settings(max_examples=8, deadline=None)
@given(collection=collections())
def test_parts_add_up_on_any_collection(declaration: Declaration, collection: Any) -> None:
    run, qrels = collection
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    for values in settings_of(declaration):
        assert_adds_up(declaration(**values), ranks)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        # a at rank 2 (grade 2), c at 4 (1), e at 6 (3); R = 4; b at 3 is judged not relevant.
        ("P@5", {2: 1 / 5, 4: 1 / 5}),
        ("RR", {2: 1 / 2}),
        ("Success@5", {2: 1}),
        ("AP", {2: 1 / 2 / 4, 4: 2 / 4 / 4, 6: 3 / 6 / 4}),
        ("Rprec", {2: 1 / 4, 4: 1 / 4}),
        ("Bpref", {2: 1 / 4, 4: 1 / 8, 6: 1 / 8}),
        ("ERR", {2: 3 / 16 / 2, 4: 13 / 16 / 16 / 4, 6: 13 / 16 * 15 / 16 * 7 / 16 / 6}),
        ("CG@4", {2: 2, 4: 1}),
        ("NumNonrelRet", {3: 1}),
        ("SetF", {2: 0.2, 4: 0.2, 6: 0.2}),
        # Without the two that nobody judged (x and d) they stand at ranks 1, 3 and 4.
        ("AP(judged_only=True)", {1: 1 / 4, 3: 2 / 3 / 4, 4: 3 / 4 / 4}),
    ],
)
def test_whose_part_is_which(name: str, parts: dict[int, float]) -> None:
    terms = parse_measure(name).terms(make_example())
    assert dict(zip(terms.rank.tolist(), terms.relevance, strict=True)) == pytest.approx(parts)


def test_a_measure_without_terms_says_so() -> None:
    with pytest.raises(ValueError, match="Yaap is not a sum over documents"):
        parse_measure("Yaap").terms(make_example())


def test_what_is_lacking_is_told_as_for_the_score(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = parse_measure("ERR_IA@5")
    monkeypatch.setitem(measure.declaration.__dict__, "terms", measure.declaration.kernel)
    with pytest.raises(LackingDataError, match="needs judgments by subtopic"):
        measure.terms(RANKS)
