"""Several runs side by side: distinct names, and one run where a file is given twice."""

from __future__ import annotations

from metrics_core.tables import Run
from metrics_core.tables.run_names import told_apart
from tests.collections_of import run_of

ONE = {"q": {"d1": 2.0, "d2": 1.0}}
OTHER = {"q": {"d1": 2.0, "d2": 1.5}}


def test_different_runs_of_different_names_stay() -> None:
    runs = [run_of(ONE, "a"), run_of(OTHER, "b")]
    assert told_apart(runs, Run.has_rows_of) == (runs, [])


def test_a_run_given_twice_is_kept_once() -> None:
    runs, notes = told_apart([run_of(ONE, "a"), run_of(ONE, "a")], Run.has_rows_of)
    assert [r.name for r in runs] == ["a"]
    assert [(n.kind, n.message) for n in notes] == [("same_run", "a was given twice; shown once")]


def test_two_runs_with_the_same_rows_stay_two() -> None:
    runs, notes = told_apart([run_of(ONE, "a"), run_of(ONE, "b"), run_of(ONE, "a")])
    assert [r.name for r in runs] == ["a", "b", "a (2)"]
    assert [n.kind for n in notes] == ["same_name"]


def test_two_runs_of_one_name_are_told_apart() -> None:
    third = {"q": {"d1": 1.0}}
    runs, notes = told_apart(
        [run_of(ONE, "a"), run_of(OTHER, "a"), run_of(third, "a")], Run.has_rows_of
    )
    assert [r.name for r in runs] == ["a", "a (2)", "a (3)"]
    assert [n.message for n in notes] == [
        "two runs are named a; one is shown as a (2)",
        "two runs are named a; one is shown as a (3)",
    ]


def test_a_name_made_to_tell_apart_is_itself_free() -> None:
    third = {"q": {"d1": 1.0}}
    runs, _ = told_apart(
        [run_of(ONE, "a"), run_of(OTHER, "a (2)"), run_of(third, "a")], Run.has_rows_of
    )
    assert [r.name for r in runs] == ["a", "a (2)", "a (3)"]
