"""Rows are those of a loop over each record, from Python and from Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.formats.mapping.axes import ArrowValues, MappingError, PythonValues, Records
from metrics_core.formats.mapping.paths import parse_mapping
from metrics_core.formats.mapping.rows import build_rows


def rows(records: list[Any], mapping: str) -> dict[str, list[Any]]:
    found = build_rows(Records(PythonValues(records)), parse_mapping(mapping))
    return {role: list(values.to_list()) for role, values in found.columns.items()}


HITS = [
    {"qid": "q1", "hits": [{"id": "d1", "s": 2.5}, {"id": "d2", "s": 1.5}], "sys": "a"},
    {"qid": "q2", "hits": [{"id": "d1", "s": 0.5}], "sys": "b"},
]


@pytest.mark.parametrize(
    ("records", "mapping", "expected"),
    [
        (
            HITS,
            "query=qid doc=hits[].id score=hits[].s system=sys",
            {
                "query": ["q1", "q1", "q2"],
                "doc": ["d1", "d2", "d1"],
                "score": [2.5, 1.5, 0.5],
                "system": ["a", "a", "b"],
            },
        ),
        (
            [{"q": "q1", "ids": ["d1", "d2"], "s": [3, 1]}, {"q": "q2", "ids": [], "s": []}],
            "query=q doc=ids[] score=s[]",
            {"query": ["q1", "q1"], "doc": ["d1", "d2"], "score": [3, 1]},
        ),
        (
            [{"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}],
            "query=*~ doc=*.*~ grade=*.*",
            {"query": ["q1", "q1", "q2"], "doc": ["d1", "d2", "d3"], "grade": [2, 0, 1]},
        ),
        (
            # What a frame of pandas writes by columns.
            [{"query_id": {"0": "q1", "1": "q1"}, "doc_id": {"0": "d1", "1": "d2"}}],
            "query=query_id.* doc=doc_id.* grade='1'",
            {"query": ["q1", "q1"], "doc": ["d1", "d2"], "grade": ["1", "1"]},
        ),
        (
            [{"turns": [{"id": "t1", "responses": [{"id": "d1"}]}, {"id": "t2", "responses": []}]}],
            "query=turns[].id doc=turns[].responses[].id",
            {"query": ["t1"], "doc": ["d1"]},
        ),
        (
            [{"q": "a", "r": [1, 2, 2, 1]}, {"q": "b", "r": [3]}, {"q": "c", "r": []}],
            "query=q grade=most(r[])",
            {"query": ["a", "b", "c"], "grade": [1, 3, None]},
        ),
        (
            [
                {"n": "x", "t": 1, "d": "d"},
                {"n": "x", "t": 2, "d": "d"},
                {"n": "y", "t": 1, "d": "d"},
            ],
            "doc=d system=n + t",
            {"doc": ["d"] * 3, "system": ["x 1", "x 2", "y"]},
        ),
        ([{"id": "d1"}], "doc=docid || id text=text", {"doc": ["d1"]}),
    ],
)
def test_one_rule_covers_every_shape(
    records: list[Any], mapping: str, expected: dict[str, list[Any]]
) -> None:
    assert rows(records, mapping) == expected


@pytest.mark.parametrize(
    ("records", "mapping", "words"),
    [
        (
            [{"ids": ["a"], "s": [1]}, {"ids": ["a", "b"], "s": [1]}],
            "doc=ids[] score=s[]",
            r"record 2: expected 2, the same number as at ids\[\], found 1 at s\[\]",
        ),
        (
            [{"a": {"x": 1, "y": 2}, "b": {"x": 1, "z": 2}}],
            "doc=a.* score=b.*",
            r"expected the same keys, found the key z at b\.\* at a\.y",
        ),
        ([{"id": "d", "more": [{"s": 1}]}], "doc=id score=more[].s", "values at the same level as"),
        ([{"ids": "d1"}], "doc=ids[]", r"record 1: expected a list at ids, found `d1`"),
        ([{"ids": ["d1"], "r": [1]}], "doc=ids[] grade=most(r[])", r"inside ids\[\]"),
    ],
)
def test_what_does_not_belong_together_is_refused_by_place(
    records: list[Any], mapping: str, words: str
) -> None:
    with pytest.raises(MappingError, match=words):
        rows(records, mapping)


HIT = st.fixed_dictionaries({"id": st.sampled_from("xyz"), "s": st.integers(0, 9)})
QUERY = st.fixed_dictionaries(
    {
        "q": st.sampled_from("abc"),
        "hits": st.lists(HIT, max_size=3),
        "ranks": st.lists(st.integers(1, 9), max_size=3),
    }
)


@given(st.lists(QUERY, min_size=1, max_size=5))
def test_rows_are_those_of_a_loop(records: list[dict[str, Any]]) -> None:
    for record in records:
        record["ranks"] = (record["ranks"] * 3 + [1, 2, 3])[: len(record["hits"])]
    expected: list[tuple[Any, ...]] = [
        (r["q"], hit["id"], hit["s"], rank)
        for r in records
        for hit, rank in zip(r["hits"], r["ranks"], strict=True)
    ]
    hit = pa.struct([("id", pa.string()), ("s", pa.int64())])
    record = pa.struct(
        [("q", pa.string()), ("hits", pa.list_(hit)), ("ranks", pa.list_(pa.int64()))]
    )
    typed = ArrowValues(pa.array(records, record))
    mapping = parse_mapping("query=q doc=hits[].id score=hits[].s rank=ranks[]")
    for values in (PythonValues(records), typed):
        if expected:
            found = build_rows(Records(values), mapping).columns
            own = [found[role].to_list() for role in ("query", "doc", "score", "rank")]
            assert list(zip(*own, strict=True)) == expected


def test_a_name_of_several_parts_is_written_once_for_each_record() -> None:
    # Once per row, eight records of 1 MB with a long name took 4.7 GB.
    records = [{"qid": "q", "name": n, "at": t, "hits": ["d1", "d2"]} for n, t in ("ab", "ac")]
    table = build_rows(
        Records(PythonValues(records)), parse_mapping("query=qid doc=hits[] system=name + at")
    )
    system = table.columns["system"]
    assert system.values.to_list() == ["a b", "a c"]
    assert system.to_list() == ["a b", "a b", "a c", "a c"]
