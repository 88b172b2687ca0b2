"""What a file says beside what is loaded: counted here by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dashboard.answers.file_numbers import (
    SEARCH_WORDS,
    USER_WORDS,
    RunsAndQrels,
    combine_with_loaded_tables,
    file_numbers,
    offered_grades,
)
from dashboard.files.files import File
from dashboard.study.library import assemble_library
from dashboard.workspace import DEFAULT_SETTINGS
from metrics_core.tables import Qrels, Run

QRELS = Qrels.from_columns(["a", "a", "b", "c"], ["x", "y", "x", "z"], [5, 2, 4, 0])
ONE = Run.from_columns("one", ["a", "a", "b"], ["x", "w", "x"], [3.0, 2.0, 1.0])
OTHER = Run.from_columns("other", ["a", "c", "d"], ["y", "v", "x"], [3.0, 2.0, 1.0])


def test_the_three_numbers_follow_the_limit_and_the_depth() -> None:
    found = file_numbers(RunsAndQrels((ONE, OTHER), QRELS), USER_WORDS, 10, 4)
    assert found.counts == (
        ("1 of 3", "rated users are in each of two runs"),
        ("4", "ratings, 2 of them 4 or more"),
        ("60%", "of the top 10 rated"),  # without d, of whom nobody knows anything
    )
    assert found.warning.startswith("40% of the top 10 is not rated. Choose “not relevant” only")
    first = file_numbers(RunsAndQrels((ONE,), QRELS), SEARCH_WORDS, 1, 1)
    assert first.counts == (
        ("2 of 3", "judged queries are in the run"),
        ("4", "judgments, 3 of them 1 or more"),
        ("100%", "of the top 1 judged"),
    )
    assert not first.warning


def test_without_the_other_side_less_is_told() -> None:
    assert file_numbers(RunsAndQrels((), QRELS), SEARCH_WORDS, 10, 5).counts == (
        ("4", "judgments, 1 of them 5 or more"),
    )
    alone = file_numbers(RunsAndQrels((ONE, OTHER), None), SEARCH_WORDS, 10, 1)
    assert alone.counts == (("6", "rows for 4 queries"),) and not alone.warning


def test_what_was_made_of_the_same_file_stands_on_no_side() -> None:
    files = [
        File("1", "r.csv/one", "upload", table=ONE),
        File("2", "r.csv/other", "upload", table=OTHER),
        File("3", "j.csv", "upload", table=QRELS),
    ]
    library = assemble_library(files)
    assert combine_with_loaded_tables([QRELS], "r.csv", library, DEFAULT_SETTINGS).runs == ()
    assert [
        r.name for r in combine_with_loaded_tables([QRELS], "q.csv", library, DEFAULT_SETTINGS).runs
    ] == [
        "one",
        "other",
    ]
    assert combine_with_loaded_tables([ONE], "j.csv", library, DEFAULT_SETTINGS).qrels is None
    mapped = replace(DEFAULT_SETTINGS, map_docs="drop x")
    named = Run.from_columns("n", ["a"], ["x1"], [1.0])
    (read,) = combine_with_loaded_tables([named], "n.csv", library, mapped).runs
    assert read.doc_ids.to_pylist() == ["1"], "ids are read as the collection reads them"


@pytest.mark.parametrize(
    ("grades", "now", "offered"),
    [
        ([0, 1, 2, 3], None, [1, 2, 3]),
        ([0, 1], 1.0, [1]),
        ([0.5 * n for n in range(1, 11)], None, [0.5, 3, 3.5, 4]),
        ([1, 2, 3, 4, 5], 2.0, [1, 2, 3, 4]),
        ([0, 7], None, [1]),
        ([0.2, 0.8], None, [0.2, 0.8]),
        ([0, -1], None, [1]),
    ],
)
def test_which_grades_are_offered(
    grades: list[float], now: float | None, offered: list[float]
) -> None:
    n = len(grades)
    qrels = Qrels.from_columns(["q"] * n, [f"d{i}" for i in range(n)], grades)
    assert offered_grades(qrels, now) == offered
