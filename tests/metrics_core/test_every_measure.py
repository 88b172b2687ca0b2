"""What holds for every declared measure on whole collections, beside test_measures.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from metrics_core.judging import JudgedRanks, judge
from metrics_core.measures import Declaration, declarations
from tests.collections_of import collections, qrels_of, run_of
from tests.settings_of import settings_of

PLAIN = [d for d in declarations() if not d.needs]


def some_settings(declaration: Declaration, most: int = 6) -> list[dict[str, Any]]:
    """A spread of the settings of a measure that has many."""
    everything = list(settings_of(declaration))
    return everything[:: max(1, len(everything) // most)]


def frozen(ranks: JudgedRanks) -> JudgedRanks:
    """The ranks with arrays that refuse to be written to."""
    for values in vars(ranks).values():
        if isinstance(values, np.ndarray):
            values.flags.writeable = False
    return ranks


@pytest.mark.parametrize("declaration", PLAIN, ids=lambda d: d.name)
@settings(max_examples=25, deadline=None)
@given(collection=collections())
def test_a_query_scores_alone_as_among_others(declaration: Declaration, collection: Any) -> None:
    run, qrels = collection
    ranks = frozen(judge(run_of(run), qrels_of(qrels)))
    for values in some_settings(declaration):
        measure = declaration(**values)
        together = measure.score(ranks)
        assert together.shape == (ranks.n_queries,) and together.dtype == np.float64
        assert not np.isinf(together).any()
        for i in range(ranks.n_queries):
            alone = measure.score(ranks.among(np.arange(ranks.n_queries) == i))
            assert alone[0] == pytest.approx(together[i], rel=1e-13, abs=0, nan_ok=True), values


@pytest.mark.parametrize(
    "declaration", [d for d in PLAIN if d.cutoff is not None], ids=lambda d: d.name
)
@settings(max_examples=25, deadline=None)
@given(collection=collections())
def test_what_stands_below_the_cutoff_does_not_matter(
    declaration: Declaration, collection: Any
) -> None:
    run, qrels = collection
    cutoff = 3
    shorter = {
        q: dict(sorted(docs.items(), key=lambda x: (x[1], x[0].encode()), reverse=True)[:cutoff])
        for q, docs in run.items()
    }
    whole, top = judge(run_of(run), qrels_of(qrels)), judge(run_of(shorter), qrels_of(qrels))
    for values in some_settings(declaration):
        measure = declaration(**{**values, "cutoff": cutoff})
        expected = measure.score(top).tolist()
        assert measure.score(whole).tolist() == pytest.approx(expected, rel=1e-13, nan_ok=True)


@pytest.mark.parametrize("declaration", PLAIN, ids=lambda d: d.name)
def test_nothing_listed_is_zero_or_undefined(declaration: Declaration) -> None:
    judged = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "b": 0, "c": 1}}
    ranks = judge(run_of({"q1": {"b": 2.0, "a": 1.0}}), qrels_of(judged))
    assert ranks.missing_queries == ("q2",)
    for values in some_settings(declaration):
        score = declaration(**values).score(ranks)[1]
        if declaration.missing.startswith("A judged query that the run does not list scores 0"):
            assert score == 0, values
