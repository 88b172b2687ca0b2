"""Edits of one query: equal to scoring a run and judgments that really were edited."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metrics_core.base.errors import ParameterError
from metrics_core.explaining.query_kinds import NOTHING_RETRIEVED, classify_queries
from metrics_core.explaining.what_if import (
    Edit,
    Grade,
    Move,
    Remove,
    edit_grades,
    edit_list,
    edit_ranks,
    replace_score_in_mean,
)
from metrics_core.judging import join_judgments
from metrics_core.judging.ranking import ranked_documents
from metrics_core.measures import parse_measure
from metrics_core.measures.declaring.registry import declarations
from tests.collections_of import collections, qrels_of, run_of
from tests.settings_of import at

PLAIN = [at(d, 3) for d in declarations() if not d.needs]
RUN = run_of({"q": {"a": 3.0, "x": 2.0, "b": 1.0}, "p": {"a": 1.0}}, "new")
QRELS = qrels_of({"q": {"a": 1, "b": 2, "m": 3}, "p": {"a": 1}})


@pytest.mark.parametrize(
    ("edits", "listed"),
    [
        ([Move("b", 1)], "bax"),
        ([Move("a", 3)], "xba"),
        ([Move("m", 2)], "amxb"),
        ([Move("a", 99)], "xba"),
        ([Remove("x"), Move("b", 1)], "ba"),
        ([Remove("nobody")], "axb"),
        ([Move("m", 1), Remove("m")], "axb"),
    ],
)
def test_moves_and_removals_in_turn(edits: list[Edit], listed: str) -> None:
    assert edit_list("axb", edits) == list(listed)


def test_ranks_start_at_1() -> None:
    with pytest.raises(ParameterError, match="Ranks start at 1"):
        edit_list("ab", [Move("a", 0)])


def test_a_grade_concerns_every_run_a_move_only_the_one_in_focus() -> None:
    edits = [Move("b", 1), Grade("x", 3)]
    own = edit_ranks(RUN, QRELS, "q", edits, edited_run="new")
    other = edit_ranks(RUN, QRELS, "q", edits, edited_run="another")
    assert own.relevance.tolist() == [2, 1, 3] and other.relevance.tolist() == [1, 3, 2]
    # x is new among the judgments: its row is behind theirs.
    assert own.qrels_row.tolist() == [1, 0, 4] and other.qrels_row.tolist() == [0, 4, 1]
    assert QRELS.relevance.tolist() == [1, 2, 3, 1]


def test_without_judgments_there_is_no_query() -> None:
    none = edit_ranks(RUN, QRELS, "p", [Grade("a", None)], edited_run="new")
    assert none.n_queries == 0 and len(parse_measure("AP").score(none)) == 0
    new = edit_ranks(RUN, QRELS, "unheard", [Grade("a", 1)], edited_run="new")
    assert parse_measure("AP").score(new).tolist() == [0]


def test_an_emptied_list_is_one_without_documents() -> None:
    ranks = edit_ranks(RUN, QRELS, "p", [Remove("a")], edited_run="new")
    assert classify_queries(ranks, parse_measure("P@1"), 1).tolist() == [NOTHING_RETRIEVED]


def test_the_mean_with_another_score() -> None:
    scores = np.array([0.2, 0.4, np.nan])
    mean = parse_measure("AP").declaration.combination
    assert replace_score_in_mean(scores, 0, 0.6, mean) == pytest.approx(0.5)
    assert replace_score_in_mean(scores, 2, 0.6, mean) == pytest.approx(0.4)
    assert scores.tolist()[:2] == [0.2, 0.4]
    summed = parse_measure("NumRel").declaration.combination
    assert replace_score_in_mean(scores, 1, 3, summed) == pytest.approx(3.2)


DOCS = st.sampled_from([f"d{i}" for i in range(24)] + ["new"])
EDITS = st.lists(
    st.one_of(
        st.builds(Move, DOCS, st.integers(1, 25)),
        st.builds(Remove, DOCS),
        st.builds(Grade, DOCS, st.sampled_from([None, -1.0, 0.0, 1.0, 3.0])),
    ),
    max_size=5,
)


@settings(max_examples=25, deadline=None)
@given(collection=collections(), edits=EDITS)
def test_as_if_the_files_had_been_edited(collection: Any, edits: list[Edit]) -> None:
    scores, grades = collection
    query_id = next(iter(grades))
    run = run_of(scores)
    own = dict(grades[query_id])
    for edit in edits:
        if isinstance(edit, Grade):
            own.pop(edit.doc_id, None)
            if edit.grade is not None:
                own[edit.doc_id] = int(edit.grade)
    listed = edit_list(ranked_documents(run, query_id)["doc_id"], edits)
    assume(own and listed)
    lists = {**scores, query_id: {d: -float(i) for i, d in enumerate(listed)}}
    expected = join_judgments(run_of(lists), qrels_of({**grades, query_id: own}))
    expected = expected.select_queries(np.array([q == query_id for q in expected.query_ids]))
    found = edit_ranks(run, qrels_of(grades), query_id, edits, edited_run="run")
    for measure in PLAIN:
        assert np.array_equal(measure.score(found), measure.score(expected), equal_nan=True)


def test_a_grade_that_is_no_number_is_refused() -> None:
    for grade in ("high", [1], math.nan, 10**400):
        with pytest.raises(ParameterError, match=r"The grade of a is .*, not a finite number"):
            edit_grades({"a": 1.0}, [Grade("a", grade)])  # type: ignore[arg-type]
    assert edit_grades({"a": 1.0}, [Grade("a", 0)]) == {"a": 0}
    assert edit_grades({"a": 1.0}, [Grade("a", None)]) == {}
