"""What completes a line as data: it follows the parser, and it is bounded."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings

from metrics_core.base.errors import FilterLineError
from metrics_core.slicing.filtering import (
    FilterColumns,
    completion,
    make_completion_data,
    parse_filter,
)
from metrics_core.slicing.filtering.completion import FOLLOWS, OFFERED
from metrics_core.slicing.filtering.words import END, MARK, WORD, split_words
from tests.metrics_core.slicing.filtering.test_filter_line import _LINES, COLUMNS, Literal


def walked(line: str) -> tuple[str, int]:
    """What is awaited at the end of a line, or where the table first has no way on, and there."""
    awaited = "test"
    for word in split_words(line):
        kind = str(word.value) if word.kind in (MARK, WORD) else word.kind
        if word.kind == END or kind not in FOLLOWS[awaited]:
            return awaited, word.start
        awaited = FOLLOWS[awaited][kind]
    raise AssertionError("a line has an end")


@settings(max_examples=40, deadline=None)
@given(_LINES)
def test_the_table_leads_through_every_line(line: tuple[str, Literal]) -> None:
    assert walked(line[0]) == ("joining", len(line[0]))


@pytest.mark.parametrize(
    "line",
    [
        "", "words", "words >", "words > and", "words > 5 words", "words > 5 and", "(words > 5 and",
        "not", "words not", "words not >", "category in", "category in (", "category in (,",
        'category in ("a"', 'category in ("a",', 'category in ("a" "b"', "category contains",
        "category contains words", "category contains 5", "5 > words", ") words",
    ],
)  # fmt: skip
def test_the_table_stops_where_the_parser_does(line: str) -> None:
    with pytest.raises(FilterLineError) as caught:
        parse_filter(line, COLUMNS)
    assert walked(line)[1] == caught.value.position


def test_every_operator_that_is_offered_is_one_of_its_columns() -> None:
    for holds, column, value in (("numbers", "words", "5"), ("texts", "category", '"a"')):
        for way in ("", "not "):
            for operator in OFFERED[holds]["contrary" if way else "operator"]:
                given = f"({value})" if operator.endswith("in") else value
                parse_filter(f"{column} {way}{operator} {given}", COLUMNS)
    assert set(FOLLOWS) == {"test", *(then for ways in FOLLOWS.values() for then in ways.values())}


def test_columns_are_told_as_they_are_written_with_their_commonest_values() -> None:
    told = {own["name"]: own for own in make_completion_data(COLUMNS)["columns"]}
    assert list(told) == list(COLUMNS)
    assert told["category"]["values"] == [('"billing"', 2), ('"Returns"', 1)]
    assert told["words in it"]["written"] == "`words in it`"
    assert (told["words"]["holds"], told["words"]["values"]) == ("numbers", [])
    assert [text for text, _ in told["text"]["values"]][1] == '"say ""hi"""'


def test_numbers_are_not_looked_at_and_little_is_told_of_much() -> None:
    class Unread(dict[str, np.ndarray]):
        def __getitem__(self, name: str) -> np.ndarray:
            assert name.startswith("t")
            return np.array([f"{name} {i}" for i in range(900)] + ["x" * 101] * 9, dtype=object)

    columns: FilterColumns = Unread.fromkeys(
        [f"t{i}" for i in range(3)] + [f"n{i}" for i in range(400)]
    )
    told = make_completion_data(columns, {name for name in columns if name[0] == "n"})
    assert len(told["columns"]) == completion.MOST_COLUMNS
    values = told["columns"][0]["values"]
    assert len(values) == completion.MOST_VALUES and "x" * 101 not in json.dumps(told)
    assert make_completion_data({"n" * 101: np.zeros(1)})["columns"] == []
