"""The beginning of a JSON text: the value that a prefix has is a prefix of the whole value."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.formats.parsing.json_beginning import parse_json_prefix
from metrics_core.formats.parsing.json_text import NumberText

_TEXTS = st.text(st.sampled_from('aé"\\{}[]:,\n 0\U0001f600'), max_size=6)
_VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, width=32), _TEXTS
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=12,
)
_WHOLE = st.lists(_VALUES, max_size=4) | st.dictionaries(_TEXTS, _VALUES, max_size=4)


def begins(found: Any, whole: Any) -> bool:
    """Whether a value is what another begins with: the same but for what its end lacks."""
    if type(found) is not type(whole):
        return False
    if isinstance(found, dict):
        found, whole = list(found.items()), list(whole.items())
        parts = [(own, other) for (_, own), (_, other) in zip(found, whole, strict=False)]
        if [key for key, _ in found] != [key for key, _ in whole[: len(found)]]:
            return False
    elif isinstance(found, list):
        parts = list(zip(found, whole, strict=False))
    else:
        return bool(found == whole)
    if len(found) > len(whole):
        return False
    return all(own == other for own, other in parts[:-1]) and all(
        begins(own, other) for own, other in parts[-1:]
    )


@settings(max_examples=150, deadline=None, derandomize=True)
@given(_WHOLE, st.sampled_from([None, 1]), st.booleans(), st.floats(0, 1), st.sampled_from("\n }"))
def test_the_value_of_a_prefix_is_a_prefix(
    whole: Any, indent: int | None, escaped: bool, share: float, behind: str
) -> None:
    text = json.dumps(whole, indent=indent, ensure_ascii=escaped)
    value = json.loads(text, parse_int=NumberText, parse_float=NumberText)
    found = parse_json_prefix(text + behind)
    assert found.value == value and found.is_whole
    cut = parse_json_prefix(text[: 1 + int(share * (len(text) - 2))])
    assert begins(cut.value, value) and not cut.is_whole


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(st.sampled_from('{}[]",:\\ \na1e-.N\ud800'), max_size=40))
def test_no_text_raises(text: str) -> None:
    for begun in (text, f"{{{text}", f"[{text}"):
        found = parse_json_prefix(begun)
        assert found.value is None or isinstance(found.value, (dict, list))


@pytest.mark.parametrize(
    "text",
    [
        *('[{"a": ', "[", '{"a":', '"', '\\"', '["', '["\\', "1", "[1,", " ", '{"a" ', "[]", "}"),
        *('{"":""', "[\t", "[\n\n"),
    ],
)
def test_no_text_is_slow(text: str) -> None:
    for begun in (text * 40_000, "[" + text * 40_000, '{"' + text * 40_000):
        start = time.process_time()
        parse_json_prefix(begun)
        assert time.process_time() - start < 1


def test_what_is_looked_at_ends() -> None:
    many = json.dumps([{"id": i, "text": "so " * 10} for i in range(2_000)])
    found = parse_json_prefix(many)
    assert not found.is_whole and 100 < len(found.value) < 1_000
    assert found.value[0] == {"id": "0", "text": "so " * 10}
    assert parse_json_prefix('{"a": 1}\n{"b": 2}') == ({"a": "1"}, True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b"', {"a": "1"}),
        ('{"a": 1, "b" ', {"a": "1"}),
        ('{"a": 1, "b": ', {"a": "1"}),
        ('{"a": 12', {}),
        ('{"a": 12 ', {"a": "12"}),
        ('{"a": tru', {}),
        ('[["x", "y', [["x"]]),
        ("", None),
        ("q1 Q0 d1", None),
        ('"a"', None),
        ("[1}", None),
    ],
)
def test_where_a_text_is_cut(text: str, value: Any) -> None:
    assert parse_json_prefix(text).value == value
