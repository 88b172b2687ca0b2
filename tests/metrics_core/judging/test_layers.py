"""Layers of judgments: what they replace and add, and that joining a part again is the whole."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.base.errors import NoSharedQueriesError
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.judging.documents import ListedDocuments
from metrics_core.judging.judged import TiedRanks
from metrics_core.judging.layers import apply_layers, queries_in_layers, rejoin_changed_queries
from metrics_core.judging.subtopics import SubtopicJudgments
from metrics_core.judging.ties import tie_extremes
from metrics_core.tables import Qrels
from tests.collections_of import DOCUMENTS, collections, qrels_of, run_of


def rows_of(qrels: Qrels) -> list[tuple[str, str, float]]:
    return list(zip(*(c.to_pylist() for c in qrels.table.columns), strict=True))


def test_a_layer_replaces_in_place_and_adds_at_the_end() -> None:
    base = qrels_of({"q2": {"d1": 1, "d2": 0}, "q1": {"d1": 2}})
    layer = {("q1", "d9"): 3, ("q2", "d1"): 0, ("new", "d1"): 1, ("q2", "d5"): 1}
    found = apply_layers(base, [layer])
    assert rows_of(found) == [
        ("q2", "d1", 0), ("q2", "d2", 0), ("q1", "d1", 2),
        ("q1", "d9", 3), ("new", "d1", 1), ("q2", "d5", 1),
    ]  # fmt: skip
    assert found.query_ids == ["q2", "q1", "new"]
    assert found.relevance.dtype == np.int64
    assert queries_in_layers(found, [{("q1", "d9"): 3}]).tolist() == [False, True, False]
    assert rows_of(base)[0] == ("q2", "d1", 1), "what it is laid over stays"


def test_the_last_layer_that_names_a_pair_counts() -> None:
    base = qrels_of({"q": {"d": 0}})
    assert rows_of(apply_layers(base, [{("q", "d"): 2}, {("q", "d"): 1}])) == [("q", "d", 1)]
    assert apply_layers(base, []) is base and apply_layers(base, [{}]) is base


def test_a_grade_with_decimals_makes_all_of_them_real() -> None:
    found = apply_layers(qrels_of({"q": {"d": 1}}), [{("q", "e"): 0.5}])
    assert found.relevance.dtype == np.float64 and found.relevance.tolist() == [1.0, 0.5]


@pytest.mark.parametrize("pair", [("", "d"), ("q", "")])
def test_a_layer_without_ids_or_finite_grades_is_refused(pair: tuple[str, str]) -> None:
    base = qrels_of({"q": {"d": 1}})
    with pytest.raises(ValueError, match="finite"):
        apply_layers(base, [{pair: 1}])
    with pytest.raises(ValueError, match="finite"):
        apply_layers(base, [{("q", "e"): float("nan")}])


def same(found: Any, wanted: Any, where: str = "") -> None:
    """Every field of two values, arrays to the last bit."""
    assert type(found) is type(wanted), where
    for field in fields(wanted):
        if field.name.startswith("_") or field.name in ("run", "documents", "lists"):
            continue
        own, other = (getattr(value, field.name) for value in (found, wanted))
        place = f"{where}.{field.name}"
        if isinstance(other, np.ndarray):
            assert own.dtype == other.dtype, place
            np.testing.assert_array_equal(own, other, err_msg=place)
        elif isinstance(other, (JudgedRanks, ListedDocuments, SubtopicJudgments, TiedRanks)):
            same(own, other, place)
        else:
            assert own == other, place


_PAIRS = st.tuples(
    st.sampled_from(["q1", "q2", "q03", "q4", "q5", "only listed"]),
    st.sampled_from([f"d{i}" for i in range(24)] + ["unlisted"]),
)
_LAYERS = st.lists(
    st.dictionaries(_PAIRS, st.sampled_from([-1, 0, 1, 2, 5]), max_size=6), min_size=1, max_size=2
)


@settings(max_examples=80, deadline=None)
@given(collection=collections() | collections(subtopics=True), layers=_LAYERS)
def test_joining_a_part_again_is_joining_all(collection: Any, layers: Any) -> None:
    scores, grades = collection
    run, base = run_of({**scores, "only listed": {"d1": 1.0, "d2": 1.0}}), qrels_of(grades)
    try:
        ranks = join_judgments(run, base, documents=DOCUMENTS)
    except NoSharedQueriesError:
        return
    over = apply_layers(base, layers)
    found = rejoin_changed_queries(ranks, run, over, queries_in_layers(over, layers))
    wanted = join_judgments(run, over, documents=DOCUMENTS)
    same(found, wanted)
    assert found.listed is not None and found.listed.run is run
    assert found.listed.documents is DOCUMENTS


def test_ranks_without_their_lists_stay_so() -> None:
    run, base = run_of({"q": {"a": 2, "b": 1}}), qrels_of({"q": {"a": 1}})
    over = apply_layers(base, [{("q", "b"): 1}])
    _, ranks = tie_extremes(join_judgments(run, base))
    found = rejoin_changed_queries(ranks, run, over, queries_in_layers(over, [{("q", "b"): 1}]))
    assert found.listed is None and found.rank.tolist() == [1, 2]
