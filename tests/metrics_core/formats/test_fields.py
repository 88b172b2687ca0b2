"""The fields of a file, the fields of its lists, and the shape that files have in common."""

from __future__ import annotations

from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import read_qrels
from metrics_core.formats.field_values import read_fields
from metrics_core.formats.fields import FileFields

RECORD = '{"qid": "q%d", "hits": [{"docid": "d1", "score": 2.5, "title": "a b"}], "Took ms": 4}\n'


def fields(content: str | bytes, name: str = "x.jsonl") -> FileFields:
    found = read_fields(content.encode() if isinstance(content, str) else content, name=name)
    assert found is not None
    return found


def test_the_fields_of_records_are_paths() -> None:
    found = fields("".join(RECORD % q for q in range(300)))
    paths = ["qid", "hits[].docid", "hits[].score", "hits[].title", '"Took ms"']
    assert sorted(found.fields) == sorted(paths)
    assert found.rows == 200 and found.fields["qid"].samples == "q0, q1, q2, …"
    assert [*found.fields["hits[].docid"].lists] == [*range(200)]
    run = {"query": "qid", "doc": "hits[].docid", "score": "hits[].score"}
    assert found.assign_meanings("run", {}) == run


def test_the_fields_of_tables_are_their_columns() -> None:
    table = pa.table({"q": ["q1", "q1"], "d": ["d1", "d2"], "s": [1, 2]})
    pq.write_table(table, file := BytesIO())
    for content in ("q,d,s\nq1,d1,1\nq1,d2,2\n", file.getvalue()):
        found = fields(content, "x.csv")
        assert [(name, *own.values) for name, own in found.fields.items()] == [
            *(("q", "q1", "q1"), ("d", "d1", "d2"), ("s", "1", "2"))
        ]
    assert fields("q1,d1,1\n", "x.csv").has_numbered_columns


def test_lists_in_parquet_have_paths() -> None:
    table = pa.table({"q": ["q1"], "out": [[{"key": "d1", "x": 2.5}, {"key": "d2", "x": 1.5}]]})
    pq.write_table(table, file := BytesIO())
    found = fields(file.getvalue(), "x.parquet")
    assert found.assign_meanings("run", {}) == {
        "query": "q",
        "doc": "out[].key",
        "score": "out[].x",
    }


def test_what_is_inferred_is_among_the_fields() -> None:
    found = fields(
        '{"q1": {"hits": [{"docid": "d1"}]}, "q2": {"hits": [{"docid": "d2"}]}}', "x.json"
    )
    assert found.assign_meanings("run", {}) == {"query": "*~", "doc": "*.hits[].docid"}
    assert found.fields["*.hits[].docid"].values == ("d1", "d2")


def test_a_shape_is_that_of_all_files_with_these_fields() -> None:
    assert fields(RECORD % 1).layout_key == fields((RECORD % 2).replace("2.5", "7")).layout_key
    assert fields(RECORD % 1).layout_key != fields((RECORD % 1).replace("Took", "took")).layout_key
    assert fields(RECORD % 1).layout_key != fields((RECORD % 1).replace("2.5", '"x"')).layout_key
    scores, grades = fields("q1,d1,1.5\n", "x.csv"), fields("q1,d1,1\n", "x.csv")
    assert scores.layout_key != grades.layout_key, (
        "without names, whole numbers tell grades from scores"
    )


def test_files_without_fields() -> None:
    assert read_fields(b"q1 Q0 d1 1 2.0 x\n", name="x.run") is None
    with pytest.raises(FileFormatError):
        read_fields(b"", name="x.csv")


@pytest.mark.parametrize(
    "content", [b"a,b\nq1,d1\nq1,d2\n", b'{"a":"q1","b":"d1"}\n{"a":"q1","b":"d2"}\n']
)
def test_all_listed_documents_may_be_relevant(content: bytes) -> None:
    qrels = read_qrels(content, name="x", columns={"query": "a", "doc": "b", "grade": "'1'"})
    assert qrels.table.to_pydict() == {
        "query_id": ["q1", "q1"],
        "doc_id": ["d1", "d2"],
        "relevance": [1, 1],
    }
