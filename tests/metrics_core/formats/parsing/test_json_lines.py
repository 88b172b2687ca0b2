"""Lines of JSON that are parsed together are what they are one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.base.errors import FileFormatError
from metrics_core.formats.parsing.json_text import numbered_lines, parse_json, parse_json_lines
from metrics_core.formats.source.source import Source

SOURCE = Source("x.jsonl", b"")


def values(text: str) -> list[tuple[int, Any]]:
    return list(parse_json_lines(SOURCE, numbered_lines(text)))


RECORDS = st.lists(
    st.dictionaries(
        st.text(max_size=3), st.integers() | st.text(max_size=5) | st.none(), max_size=3
    )
    | st.integers()
    | st.lists(st.booleans(), max_size=2)
)


@given(RECORDS, st.sampled_from(["\n", "\n\n", " \n \n"]))
def test_lines_are_what_they_are_one_by_one(records: list[Any], between: str) -> None:
    text = between.join(map(json.dumps, records))
    lines = enumerate(text.split("\n"), start=1)
    assert values(text) == [
        (number, parse_json(SOURCE, line, number)) for number, line in lines if line.strip()
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": [1, {}\n{}]}', "line 1"),
        ('{"a": 1}, {"b": 2}\n{"c": 3}', "line 1"),
        ('{"a": 1}\n{"a": [1, {}\n{}]}, {"b": {}}', "line 2"),
        ('{"a": 1}\n\n{"a": 1, "a": 2}', "line 3.*twice"),
        ('{"a": 1}\n{"a": NaN}', "line 2.*finite"),
        ('{"a": "\\ud800"}', "line 1.*half a character"),
        ('{"a": 1}\n{"a": ' + "[" * 200 + "]" * 200 + "}", "line 2.*nested too deeply"),
    ],
)
def test_what_is_wrong_is_named_by_its_line(text: str, words: str) -> None:
    with pytest.raises(FileFormatError, match=f"(?s){words}"):
        values(text)
