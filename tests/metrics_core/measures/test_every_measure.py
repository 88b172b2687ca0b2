"""What holds for every declared measure on whole collections, beside test_measures.py.

A collection is drawn and judged once for all measures: that takes longer than they do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import Declaration, Measure, declarations
from metrics_core.scoring.evaluate import evaluate
from tests.collections_of import DOCUMENTS, collections, graded, qrels_of, run_of
from tests.metrics_core.measures.exceptions import (
    OF_ALL_QUERIES,
    UNUSUAL_WHEN_MISSING,
    without,
)
from tests.random_cases import examples
from tests.settings_of import settings_of

ALL = declarations()
WITH_CUTOFF = [d for d in ALL if d.cutoff is not None]


def some_settings(declaration: Declaration, most: int = 6) -> list[dict[str, Any]]:
    """A spread of the settings of a measure that has many."""
    everything = list(settings_of(declaration))
    return everything[:: max(1, len(everything) // most)]


def spread(declarations: list[Declaration], **values: Any) -> list[Measure]:
    """These measures with a spread of their settings, and with these values in all of them."""
    return [d(**{**some, **values}) for d in declarations for some in some_settings(d)]


BY_QUERY = spread(without(OF_ALL_QUERIES))
AT_FIRST = spread(WITH_CUTOFF, cutoff=1)
AT_THIRD = spread(WITH_CUTOFF, cutoff=3)


def judged(run: Any, qrels: Any) -> JudgedRanks:
    """A run and qrels as dictionaries, judged, with a row for each document."""
    return join_judgments(run_of(run), qrels_of(qrels), documents=DOCUMENTS)


def frozen(ranks: JudgedRanks) -> JudgedRanks:
    """The ranks with arrays that refuse to be written to."""
    for values in vars(ranks).values():
        if isinstance(values, np.ndarray):
            values.flags.writeable = False
    return ranks


@examples(12)
@given(collection=collections(subtopics=True))
def test_a_query_scores_alone_as_among_others(collection: Any) -> None:
    ranks = frozen(judged(*collection))
    alone = [ranks.select_queries(np.arange(ranks.n_queries) == i) for i in range(ranks.n_queries)]
    for measure in BY_QUERY:
        together = measure.score(ranks)
        assert together.shape == (ranks.n_queries,) and together.dtype == np.float64, measure
        assert not np.isinf(together).any(), measure
        for score, one in zip(together, alone, strict=True):
            (expected,) = measure.score(one)
            assert expected == pytest.approx(score, rel=1e-13, abs=0, nan_ok=True), measure


@examples(12)
@given(collection=collections(subtopics=True))
def test_what_stands_below_the_cutoff_does_not_matter(collection: Any) -> None:
    run, qrels = collection
    shorter = {
        q: dict(sorted(docs.items(), key=lambda x: (x[1], x[0].encode()), reverse=True)[:3])
        for q, docs in run.items()
    }
    whole, top = judged(run, qrels), judged(shorter, qrels)
    for measure in AT_THIRD:
        expected = pytest.approx(measure.score(top).tolist(), rel=1e-13, nan_ok=True)
        assert measure.score(whole).tolist() == expected, measure


@examples(40)
@given(
    collection=collections(subtopics=True),
    cutoffs=st.lists(st.integers(1, 40), min_size=1, max_size=8),
)
def test_a_cutoff_gives_the_same_bits_whatever_else_is_asked(
    collection: Any, cutoffs: list[int]
) -> None:
    ranks = frozen(judged(*collection))
    for measure in AT_FIRST:
        curve = measure.curve(ranks, np.array(cutoffs))
        single = np.stack([measure.at(k).score(ranks) for k in cutoffs], axis=1)
        assert np.array_equal(curve, single, equal_nan=True), measure


@pytest.mark.filterwarnings("error")
def test_hundreds_at_once_print_no_warnings() -> None:
    grades = {
        "q1": {"d1": graded({"1": 1, "2": 0}), "d2": graded({"1": 0}), "d5": graded({"1": -1})},
        "q2": {"d1": graded({"1": 0})},
        "q3": {"d1": graded({"1": 4})},
    }
    run = {"q1": {"d2": 2.0, "d1": 1.0, "d9": 0.5}, "q2": {"d1": 1.0, "d2": 0.0}}
    measures = [d(**values) for d in ALL for values in settings_of(d)]
    assert len(measures) > 400
    frame = evaluate(run_of(run), qrels_of(grades), measures, documents=DOCUMENTS)
    assert frame.shape == (3, 2 + len(set(map(str, measures))))


@pytest.mark.parametrize("declaration", without(UNUSUAL_WHEN_MISSING), ids=lambda d: d.name)
def test_nothing_listed_is_zero(declaration: Declaration) -> None:
    grades = {
        "q1": {"d1": graded({"1": 1, "2": 0}), "d2": graded({"1": 0})},
        "q2": {"d1": graded({"1": 2}), "d2": graded({"1": 0, "2": 1})},
    }
    ranks = judged({"q1": {"d2": 2.0, "d1": 1.0}}, grades)
    assert ranks.missing_queries == ("q2",)
    for values in some_settings(declaration):
        assert declaration(**values).score(ranks)[1] == 0, values
