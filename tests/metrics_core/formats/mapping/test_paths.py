"""Paths are read as they are written, and written as they are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.base.errors import ParameterError
from metrics_core.formats.mapping.paths import RecordPath, Step, parse_mapping, parse_path


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("qid", [Step("key", "qid")]),
        ("query.qid", [Step("key", "query"), Step("key", "qid")]),
        ("hits[].docid", [Step("key", "hits"), Step("items"), Step("key", "docid")]),
        ("pairs[][0]", [Step("key", "pairs"), Step("items"), Step("item", "0")]),
        ('"Query Text"', [Step("key", "Query Text")]),
        ('a."b.c"', [Step("key", "a"), Step("key", "b.c")]),
        (
            "details.*.hits[]",
            [Step("key", "details"), Step("values"), Step("key", "hits"), Step("items")],
        ),
        ("relevant.*~", [Step("key", "relevant"), Step("keys")]),
        ("*", [Step("values")]),
        ("hits[]?", [Step("key", "hits"), Step("items", optional=True)]),
        ("hits?[].id", [Step("key", "hits", True), Step("items"), Step("key", "id")]),
        ("doc-id", [Step("key", "doc-id")]),
        ("[]", [Step("items")]),
        (".", []),
    ],
)
def test_steps(text: str, steps: list[Step]) -> None:
    (path,) = parse_path(text)
    assert path == RecordPath(tuple(steps)) and str(path) == text


def test_what_is_more_than_steps() -> None:
    assert parse_path("a || b[].c") == (*parse_path("a"), *parse_path("b[].c"))
    assert parse_path("'1'") == (RecordPath(constant="1"),)
    assert parse_path("-distance") == (RecordPath((Step("key", "distance"),), reversed=True),)
    (path,) = parse_path("most(judgements[].rating)")
    assert path.most and str(path) == "most(judgements[].rating)"
    (path,) = parse_path("name + time")
    assert path.joined == (*parse_path("name"), *parse_path("time")) and str(path) == "name + time"


@pytest.mark.parametrize(
    "text",
    ["", "a..b", "a b", "a.", "a[x]", "a || ", "*~.a", "a.*~[]", '"a', "a[]b", "most(", "a'b"],
)
def test_what_is_not_a_path(text: str) -> None:
    with pytest.raises(ParameterError, match="path"):
        parse_path(text)


def test_mappings() -> None:
    found = parse_mapping("query=qid doc=hits[].docid score=hits[].score || hits[].s grade='1'")
    assert list(found) == ["query", "doc", "score", "grade"]
    assert found["score"] == parse_path("hits[].score || hits[].s")
    assert parse_mapping("query=user,doc=item") == {
        "query": parse_path("user"),
        "doc": parse_path("item"),
    }
    for wrong in ("", "qid", "query=a query=b", "query="):
        with pytest.raises(ParameterError):
            parse_mapping(wrong)


KEYS = st.text(st.characters(blacklist_characters='"', blacklist_categories=["Cs"]), min_size=1)
STEPS = st.one_of(
    st.builds(Step, st.just("key"), KEYS, st.booleans()),
    st.builds(Step, st.just("item"), st.integers(0, 999_999).map(str), st.booleans()),
    st.builds(Step, st.sampled_from(["items", "values"]), st.just(""), st.booleans()),
)


@given(st.lists(STEPS, max_size=5), st.booleans())
def test_a_path_is_written_as_it_is_read(steps: list[Step], keys: bool) -> None:
    path = RecordPath((*steps, *[Step("keys")] * keys))
    assert parse_path(f"{path} || {path}") == (path, path)
    assert parse_mapping(f"query={path} doc={path}") == {"query": (path,), "doc": (path,)}
