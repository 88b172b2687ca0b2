"""The values at a path are those that a walk over each record finds, from Python and from Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metrics_core.formats.mapping.axes import ArrowValues, MappingError, PythonValues, Records
from metrics_core.formats.mapping.paths import Step, parse_path

RECORDS = [
    {"qid": "q1", "hits": [{"id": "d1", "tags": ["a", "b"]}, {"id": "d2", "tags": []}]},
    {"qid": "q2", "hits": []},
    {"qid": "q3", "hits": [{"id": "d3", "tags": ["c"]}]},
]


def steps(text: str) -> tuple[Step, ...]:
    (path,) = parse_path(text)
    return path.steps


def both(records: list[Any]) -> list[Records]:
    """The records as Python and as Arrow hold them."""
    return [Records(PythonValues(records)), Records(ArrowValues(pa.array(records)))]


def listed(values: Any) -> list[Any]:
    held = values.values
    return held if isinstance(held, list) else held.to_pylist()


@pytest.mark.parametrize("records", both(RECORDS), ids=["Python", "Arrow"])
def test_values_are_on_the_axis_of_their_lists(records: Records) -> None:
    axis, ids = records.values_at(steps("hits[].id"))
    assert listed(ids) == ["d1", "d2", "d3"] and axis.parents.tolist() == [0, 0, 2]
    tags, names = records.values_at(steps("hits[].tags[]"))
    assert listed(names) == ["a", "b", "c"]
    assert tags.parent_axis is axis and tags.row_path(1) == "hits[0].tags[1]"
    queries, _ = records.values_at(steps("qid"))
    assert (rows := queries.align_rows(tags)) is not None and rows.tolist() == [0, 0, 2]
    assert axis.align_rows(queries) is None
    _, first = records.values_at(steps("hits[0].id"))
    assert listed(first) == ["d1", None, "d3"]


def test_keys_and_values_of_objects() -> None:
    grades: list[dict[str, int]] = [{"d1": 2, "d2": 0}, {}, {"d3": 1}]
    found = [{"rel": own} for own in grades]
    as_map = pa.array([list(own.items()) for own in grades], pa.map_(pa.string(), pa.int64()))
    held = pa.StructArray.from_arrays([as_map], ["rel"])
    for records in (Records(PythonValues(found)), Records(ArrowValues(held))):
        axis, worth = records.values_at(steps("rel.*"))
        same, docs = records.values_at(steps("rel.*~"))
        assert same is axis and listed(docs) == ["d1", "d2", "d3"] and listed(worth) == [2, 0, 1]
        assert axis.row_path(2) == "rel.d3"


def test_what_is_no_list_is_named_with_its_place() -> None:
    records = Records(PythonValues([{"hits": [{"t": "x"}]}]), np.array([7]))
    with pytest.raises(
        MappingError, match=r"record 1: expected a list at .*found `x` at hits\[0\]"
    ):
        records.values_at(steps("hits[].t[]"))
    axis, _ = records.values_at(steps("hits[]"))
    assert records.find_line(axis, 0) == 7
    with pytest.raises(MappingError, match="expected an object at hits, found a list"):
        records.values_at(steps("hits.*"))


def test_tables_have_a_record_a_row() -> None:
    records = Records.from_table(pa.table({"q": ["a", "b"], "docs": [["x"], ["y", "z"]]}))
    axis, docs = records.values_at(steps("docs[]"))
    assert listed(docs) == ["x", "y", "z"] and axis.record_rows(np.arange(3)).tolist() == [
        0,
        1,
        1,
    ]
    assert len(Records.from_table(pa.table({})).values) == 0


LEAF = st.one_of(st.none(), st.integers(-5, 5), st.text("ab", max_size=2))
NESTED = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner)
)
PATHS = ["a", "a.b", "a[]", "a[].b", "a.*", "a.*~", "a[][]", "a.*.b[]", "a[0]", "a[][1]", "[]"]


def walked(value: Any, path: tuple[Step, ...], keys: tuple[Any, ...] = ()) -> list[Any]:
    """Each value at the path with the items and keys that lead to it; TypeError for another."""
    if not path:
        return [(keys, value)]
    step, rest = path[0], path[1:]
    if step.kind == "key":
        return walked(value.get(step.name) if isinstance(value, dict) else None, rest, keys)
    if step.kind == "item":
        held = value if isinstance(value, list) else []
        return walked(held[int(step.name)] if len(held) > int(step.name) else None, rest, keys)
    if value is None:
        return []
    if not isinstance(value, list if step.kind == "items" else dict):
        raise TypeError
    inside = list(enumerate(value)) if isinstance(value, list) else list(value.items())
    if step.kind == "keys":
        return [((*keys, key), key) for key, _ in inside]
    return [one for key, inner in inside for one in walked(inner, rest, (*keys, key))]


@given(st.lists(NESTED, max_size=5), st.sampled_from(PATHS))
def test_values_are_those_of_a_walk(records: list[Any], path: str) -> None:
    own = Records(PythonValues(records))
    try:
        expected = [
            (i, value) for i, r in enumerate(records) for _, value in walked(r, steps(path))
        ]
    except TypeError:
        with pytest.raises(MappingError):
            own.values_at(steps(path))
        return
    axis, values = own.values_at(steps(path))
    found = axis.record_rows(np.arange(axis.count)).tolist(), listed(values)
    assert list(zip(*found, strict=True)) == expected


@given(
    st.lists(st.lists(st.lists(st.integers(0, 3), max_size=3) | st.none(), max_size=3), max_size=4)
)
def test_arrow_gives_what_python_gives(lists: list[Any]) -> None:
    assume(any(lists))
    records = [{"a": own} for own in lists]
    typed = pa.array(records, pa.struct([("a", pa.list_(pa.list_(pa.int64())))]))
    for path in ("a", "a[]", "a[][]", "a[0]", "a[][1]"):
        axis, values = Records(PythonValues(records)).values_at(steps(path))
        same, arrow = Records(ArrowValues(typed)).values_at(steps(path))
        assert listed(values) == listed(arrow) and axis.parents.tolist() == same.parents.tolist()
