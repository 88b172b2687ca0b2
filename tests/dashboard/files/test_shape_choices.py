"""What a reader said of a file, applied to the next one of its shape, and not to others."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.files.shape_choices import (
    Answers,
    add_remembered_choices_note,
    describe_choices,
    find_choices,
    find_fields,
    select_remembered_choices,
    shape_key,
)
from dashboard.files.uploaded_file import UploadedFile, read_tables
from metrics_core.base.errors import RanklensError

HEADLESS = b"q1,d1,2.5\nq1,d2,1.5\n"
COLUMNS = {"query": "1", "doc": "2", "score": "3"}


def answers(said: dict[str, Any], content: bytes = HEADLESS) -> Answers:
    fields = find_fields(content, "x.csv")
    assert fields is not None
    return {shape_key(fields): said}


def test_the_next_file_of_a_shape_is_read_as_was_said() -> None:
    said = answers({"kind": "run", "columns": COLUMNS})
    other = UploadedFile("y.csv", HEADLESS.replace(b"q1", b"q7"))
    (loaded,) = read_tables(other, choices_by_shape=said)
    assert loaded.kind == "run" and loaded.table.notes[-1].message == (
        "read as before: query from `1`, document from `2`, score from `3`"
    )
    with pytest.raises(RanklensError):
        read_tables(UploadedFile("z.csv", b"q1,d1,2\nq1,d2,1\n"), choices_by_shape=said)
    lacking = UploadedFile("z.csv", HEADLESS + b"q1,d1,2.5\n")
    with pytest.raises(RanklensError, match="columns separated by commas"):
        read_tables(lacking, choices_by_shape=said)


@pytest.mark.parametrize("said", [{}, {"kind": "x"}, {"kind": "run", "columns": ["a"]}])
def test_what_says_nothing_is_not_taken(said: dict[str, Any]) -> None:
    assert find_choices(HEADLESS, "y.csv", answers(said)) == {}


def test_a_file_that_is_surely_of_another_kind_is_not_read_as_before() -> None:
    content = b"query_id,corpus-id,score\nq1,d1,1\n"
    said = answers({"kind": "run"}, content)
    assert find_choices(content, "export.csv", said) == {"kind": "run"}
    assert find_choices(content, "my.qrels.csv", said) == {}, "its name says it"


def test_what_is_kept_and_how_it_is_said() -> None:
    given = {
        "kind": "qrels",
        "columns": {"query": "a", "doc": "b", "grade": "'1'"},
        "encoding": "x",
    }
    assert select_remembered_choices(given) == {key: given[key] for key in ("kind", "columns")}
    assert select_remembered_choices({"columns": {}}) == {}
    assert describe_choices(given) == "query from `a`, document from `b`, all documents relevant"
    assert describe_choices({"kind": "run"}) == "a run"
    (loaded,) = read_tables(UploadedFile("x.csv", HEADLESS), kind="run", columns=COLUMNS)
    assert (
        add_remembered_choices_note(loaded, {"kind": "run"}).notes[-1].message
        == "read as before: a run"
    )
