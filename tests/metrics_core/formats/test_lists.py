"""Lists of documents in records of any shape: read by an inferred mapping, or asked about."""

from __future__ import annotations

import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import read, read_first_rows, read_set
from metrics_core.tables import Qrels, Run

Rows = dict[str, dict[str, float]]


def rows_of(table: Any) -> Rows:
    assert isinstance(table, (Run, Qrels))
    found: Rows = {}
    for row in table.table.to_pylist():
        query_id, doc_id, number = list(row.values())[:3]
        found.setdefault(query_id, {})[doc_id] = number
    return found


def loaded(content: Any, **choices: Any) -> tuple[str, Rows]:
    """The kind and the rows of a record, or of a list of records."""
    read_as = read(json.dumps(content).encode(), name="x.json", **choices)
    return read_as.kind, rows_of(read_as.table)


SCORED = {"d1": 0.5, "d2": 0.25}


@pytest.mark.parametrize(
    ("content", "kind", "rows"),
    [
        # what pandas writes by columns, by rows and split; numbers as ids
        (
            {"query_id": {"0": 1, "1": 1}, "doc_id": {"0": 7, "1": 8}, "relevance": [0, 2]},
            "",
            {},
        ),
        (
            {"query_id": {"0": 1, "1": 1}, "doc_id": {"0": 7, "1": 8}, "grade": {"0": 0, "1": 2}},
            "qrels",
            {"1": {"7": 0, "8": 2}},
        ),
        (
            {"qid": ["q", "q"], "docno": ["d1", "d2"], "score": [0.5, 0.25]},
            "run",
            {"q": SCORED},
        ),
        (
            {"0": {"query_id": "q", "doc_id": "d1", "score": 0.5}},
            "run",
            {"q": {"d1": 0.5}},
        ),
        (
            {"columns": ["qid", "docno", "score"], "data": [["q", "d1", 0.5], ["q", "d2", 0.25]]},
            "run",
            {"q": SCORED},
        ),
        # RankGPT: the hits have the id of the query
        (
            [{"query": "oil", "hits": [{"qid": 26, "docid": "d1", "rank": 1, "score": 0.5}]}],
            "run",
            {"26": {"d1": 0.5}},
        ),
        ([{"qid": 494, "rank_doc_id": [39, 10]}], "run", {"494": {"39": -1, "10": -2}}),
        ({"q": {"docs": ["d1", "d2"], "scores": [0.5, 0.25]}}, "run", {"q": SCORED}),
        ({"took": 3, "results": [{"qid": "q", "hits": ["d1"]}]}, "run", {"q": {"d1": -1}}),
        ([{"qid": "q", "results": SCORED}], "run", {"q": SCORED}),
        ([{"qid": "q", "relevance": {"d1": 2, "d2": 0}}], "qrels", {"q": {"d1": 2, "d2": 0}}),
        ({"q": [{"docid": "d1", "score": 0.5}]}, "run", {"q": {"d1": 0.5}}),
        ({"q": [{"docid": "d1", "grade": 2}]}, "qrels", {"q": {"d1": 2}}),
        ({"q1": None, "q": [["d1", 0.5], ["d2", 0.25]]}, "run", {"q": SCORED}),
        ([{"qid": "q", "hits": [{"doc": {"id": "d1"}, "score": 0.5}]}], "run", {"q": {"d1": 0.5}}),
        ([{"query": {"id": "q"}, "hits": [{"id": "d1"}]}], "run", {"q": {"d1": -1}}),
        ([{"metadata": {"qid": "q"}, "hits": [{"id": "d1"}]}], "run", {"q": {"d1": -1}}),
        # numbers that describe a document are not its score
        (
            [{"qid": "q", "hits": [{"id": "d1", "score": 0.5, "page": 7}]}],
            "run",
            {"q": {"d1": 0.5}},
        ),
        (
            [{"qid": "q", "hits": [{"id": "d", "score": 0.5, "metadata": {"rating": 4}}]}],
            "run",
            {"q": {"d": 0.5}},
        ),
    ],
)
def test_shapes_that_are_read_at_once(content: Any, kind: str, rows: Rows) -> None:
    if not kind:
        with pytest.raises(FileFormatError):
            loaded(content)
    else:
        assert loaded(content) == (kind, rows)


@pytest.mark.parametrize(
    ("content", "words", "answer", "rows"),
    [
        (
            [{"qid": "q", "hits": [{"id": "d1", "bm25": 1, "dense": 2.5}]}],
            "numbers of unknown meaning for each document: hits[].bm25, hits[].dense",
            {"columns": {"score": "hits[].dense"}},
            {"q": {"d1": 2.5}},
        ),
        (
            [{"qid": "q", "hits": [{"id": "d1", "distance": 0.5}]}],
            "columns score=hits[].distance",
            {"columns": {"score": "-hits[].distance"}},
            {"q": {"d1": -0.5}},
        ),
        (
            [{"qid": "q", "hits": [{"id": "d1", "metadata": {"score": 2.5}}]}],
            "hits[].metadata.score",
            {"columns": {"score": "hits[].metadata.score"}},
            {"q": {"d1": 2.5}},
        ),
        (
            [{"qid": "q", "hits": ["d1"], "candidates": ["d2"]}],
            "2 lists of documents: hits[], candidates[]",
            {"columns": {"doc": "candidates[]"}},
            {"q": {"d2": -1}},
        ),
        (
            [{"user_id": 1, "predictions": [3, 4], "target": [4]}],
            "kind=run",
            {"columns": {"doc": "target[]"}, "kind": "qrels"},
            {"1": {"4": 1}},
        ),
        (
            [{"qid": "q", "docs": ["d1"]}],
            "kind=run",
            {"kind": "qrels"},
            {"q": {"d1": 1}},
        ),
        (
            {"q": ["d1"]},
            "kind=run",
            {"columns": {"grade": "'2'"}, "kind": "qrels"},
            {"q": {"d1": 2}},
        ),
    ],
)
def test_what_is_open_is_asked(content: Any, words: str, answer: Any, rows: Rows) -> None:
    with pytest.raises(FileFormatError) as caught:
        loaded(content)
    assert words in str(caught.value)
    assert loaded(content, **answer)[1] == rows


def test_lists_of_objects_without_a_known_name_are_asked_about() -> None:
    content = b'{"topic": "q", "found": [{"name": "d1", "points": 2.5}, {"name": "d2"}]}\n'
    with pytest.raises(FileFormatError, match="a run or judgments"):
        read(content, name="x.jsonl")
    with pytest.raises(FileFormatError, match=r"columns doc=found\[\].name"):
        read(content, name="x.jsonl", kind="run")
    run = read(content, name="x.jsonl", columns={"doc": "found[].name"}, kind="run")
    assert rows_of(run.table) == {"q": {"d1": -1.0, "d2": -2.0}}
    assert read(content, name="x.jsonl", kind="queries").kind == "queries"
    told = b'{"query_id": "q", "text": "oil", "answers": [{"name": "a1"}]}\n'
    assert read(told, name="x.jsonl").kind == "queries"


def test_pairs_of_a_question_are_no_documents() -> None:
    question = {"_id": "5a8b", "question": "who?", "supporting_facts": [["Title", 0]]}
    assert read(json.dumps(question).encode(), name="x.jsonl").kind == "queries"


def test_a_second_list_is_named_and_several_kinds_are_a_set() -> None:
    record = {"question": "so", "contexts": [{"id": "k", "text": "t", "score": 0.9}]}
    both = json.dumps([record | {"gold_ids": ["k"]}]).encode()
    kinds = {one.kind: one.table for one in read_set(both, name="x.json")}
    assert rows_of(kinds["run"]) == {"so": {"k": 0.9}} and rows_of(kinds["qrels"]) == {
        "so": {"k": 1}
    }
    content = json.dumps([{"qid": "q", "hits": ["d1"], "chunks": ["c"]}])
    unused = read(content.encode(), name="x.json")
    assert unused.notes[-1].message == "not used: chunks[]"


def test_records_of_any_names_are_read_by_their_paths() -> None:
    content = [{"topic": "q", "found": [{"name": "d1", "w": 0.5}, {"name": "d2", "w": 0.25}]}]
    columns = {"query": "topic", "doc": "found[].name", "score": "found[].w"}
    assert loaded(content, columns=columns) == ("run", {"q": SCORED})
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(content), buffer)
    assert rows_of(read(buffer.getvalue(), columns=columns).table) == {"q": SCORED}


def test_the_paths_of_records_are_columns_to_choose_from() -> None:
    content = json.dumps([{"topic": "q", "hits": [{"docid": "d1", "w": 0.5}, {"docid": "d2"}]}])
    found = read_first_rows(content.encode(), name="x.json")
    assert found is not None and found.names == ["topic", "hits[].docid", "hits[].w"]
    assert found.rows[0] == ["q", "d1", "0.5"] and found.rows[1][1] == "d2"


ID = st.text("ab1", min_size=1, max_size=2)
HIT = st.fixed_dictionaries({"id": ID, "score": st.floats(-9, 9), "title": st.text(max_size=3)})


@given(
    st.lists(st.tuples(ID, st.lists(HIT, max_size=4, unique_by=lambda hit: hit["id"])), min_size=1)
)
def test_json_lines_and_parquet_give_the_same(queries: list[tuple[str, list[Any]]]) -> None:
    records = [{"qid": query, "hits": hits} for query, hits in dict(queries).items()]
    if not any(record["hits"] for record in records):
        return
    hit = pa.struct([("id", pa.string()), ("score", pa.float64()), ("title", pa.string())])
    schema = pa.schema([("qid", pa.string()), ("hits", pa.list_(hit))])
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records, schema), buffer)
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    listed = json.dumps(records, indent=1).encode()
    tables = [
        read(data, name=name).table
        for data, name in [
            (listed, "x.json"),
            (lines, "x.jsonl"),
            (listed, "x.jsonl"),
            (buffer.getvalue(), "x.parquet"),
        ]
    ]
    expected = {r["qid"]: {h["id"]: h["score"] for h in r["hits"]} for r in records if r["hits"]}
    assert all(rows_of(table) == expected for table in tables)


def test_a_block_may_have_what_the_first_has_not() -> None:
    """Later records decide as the first ones do: none of their scores is left out."""
    early = [{"qid": f"q{n}", "hits": [{"id": "d1"}]} for n in range(300)]
    late = json.dumps([*early, {"qid": "z", "hits": [{"id": "d1", "score": 2}]}]).encode()
    with pytest.raises(FileFormatError, match="Give a score to all documents or to none"):
        read(late, name="x.json")
