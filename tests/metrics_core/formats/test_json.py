"""JSON and JSON Lines: maps of maps, records, BEIR's files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import Kind, Loaded, read
from metrics_core.tables import Queries


def load(content: Any, name: str = "x.json", **choices: Any) -> Loaded:
    text = content if isinstance(content, str) else json.dumps(content)
    return read(text.encode(), name=name, **choices)


def rows(loaded: Loaded) -> list[tuple[Any, ...]]:
    table = loaded.table
    if isinstance(table, Queries):
        return list(table.frame.itertuples(index=False, name=None))
    return [tuple(row.values()) for row in table.table.to_pylist()]


def test_run() -> None:
    loaded = load({"q1": {"d1": 0.5, "d2": -1e-3}, "q2": {"d1": 3.0}})
    assert (loaded.kind, loaded.title) == ("run", "JSON: query, document, score")
    assert rows(loaded) == [("q1", "d1", 0.5), ("q1", "d2", -0.001), ("q2", "d1", 3.0)]
    assert loaded.notes == ()


@pytest.mark.parametrize(
    ("values", "name", "kind"),
    [
        ([1, 0], "x.json", "qrels"),
        ([1, 0], "bm25.run", "run"),
        ([1000, 999], "x.json", "run"),
        ([1.0, 0.0], "x.json", "run"),
        ([-1, 3], "x.json", "qrels"),
        ([1.5, 2], "qrels.json", "qrels"),
    ],
)
def test_run_or_judgments(values: list[float], name: str, kind: Kind) -> None:
    content = {"q1": {"d1": values[0], "d2": values[1]}}
    assert load(content, name, grades="real").kind == kind


def test_how_it_was_decided_is_noted() -> None:
    assert [note.kind for note in load({"q": {"d": 1}}).notes] == ["kind"]
    assert load({"q": {"d": 1}}, kind="run").kind == "run"


def test_a_run_is_not_read_as_judgments_unless_real_grades_are_asked_for() -> None:
    content = {"q": {"d1": 0.5, "d2": 0.25}}
    with pytest.raises(FileFormatError, match="looks like a run"):
        load(content, kind="qrels")
    assert rows(load(content, kind="qrels", grades="real")) == [("q", "d1", 0.5), ("q", "d2", 0.25)]


def test_queries_without_documents_are_noted() -> None:
    loaded = load({"q1": {"d1": 0.5}, "q2": {}})
    assert [(note.kind, note.count) for note in loaded.notes] == [("empty", 1)]


def test_pretty_printed_json_has_lines() -> None:
    text = json.dumps({"q1": {"d1": 1, "d2": 1.5}, "q2": {"d1": 0, "d2": 0.5}}, indent=2)
    with pytest.raises(FileFormatError) as caught:
        load(text, "qrels.json")
    assert [problem.line for problem in caught.value.problems] == [4, 8]
    assert caught.value.offer == "grades=real"


def test_records() -> None:
    records = [{"qid": 1, "docno": "d1", "score": 2}, {"docno": "d2", "qid": 1, "score": 1.5}]
    loaded = load(records)
    assert loaded.title == "JSON records: qid, docno, score"
    assert rows(loaded) == [("1", "d1", 2.0), ("1", "d2", 1.5)]
    lines = "\n".join(map(json.dumps, records))
    assert rows(load(lines, "x.jsonl")) == rows(loaded)
    assert rows(load(lines, "x")) == rows(loaded)


def test_beir_queries_and_corpus() -> None:
    queries = '{"_id": "q1", "text": "a", "metadata": {"category": "x", "n": 3}}\n'
    queries += '{"_id": "q2", "text": "b", "metadata": {}}\n'
    loaded = load(queries, "queries.jsonl")
    assert (loaded.kind, loaded.title) == ("queries", "JSON Lines: _id, text, category, n")
    assert rows(loaded) == [("q1", "a", "x", "3"), ("q2", "b", None, None)]
    corpus = '{"_id": "d1", "title": "T", "text": "a", "metadata": {}}\n'
    loaded = load(corpus, "corpus.jsonl")
    assert (loaded.kind, rows(loaded)) == ("documents", [("d1", "T", "a")])


def test_nested_values_stay_json() -> None:
    line = '{"doc_id": "d1", "text": "a", "tags": ["x", "é"], "seen": true}\n'
    assert rows(load(line, "x.jsonl")) == [("d1", "", "a", '["x", "é"]', "true")]


def test_whole_characters_may_be_escaped() -> None:
    assert rows(load('{"q": {"\\ud83d\\ude00": 0.5}}')) == [("q", "😀", 0.5)]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("[1, 2]", "x.json"),
        ("[[1]]", "x.json"),
        ('"text"', "x.json"),
        ('{"name": "set", "items": []}', "x.json"),
        ('{"q": [1.5, 2]}', "x.json"),
        ('{"q": {"d": {"x": 1}}}', "x.json"),
        ('{"query_id": "q"}\n[]\n', "x.jsonl"),
        ('{"query_id": "q", "doc_id": ["a"], "score": 1}\n', "x.jsonl"),
        ('{"colour": "red"}\n', "x.jsonl"),
        ('{"q1": {"d1": 0.5}} {"q2": {"d1": 0.5}}', "x.json"),
    ],
)
@pytest.mark.parametrize("kind", [None, "run", "qrels", "queries", "documents"])
def test_json_of_another_shape(content: str, name: str, kind: Kind | None) -> None:
    with pytest.raises(FileFormatError):
        load(content, name, kind=kind)


def test_cells_are_bounded_to_the_last_row() -> None:
    lines = "".join(f'{{"query_id": "{i}", "text": "t"}}\n' for i in range(300))
    assert len(rows(load(lines, "x.jsonl", kind="queries", limit=64 * 600))) == 300
    with pytest.raises(FileFormatError, match="at most 599 cells, found 300 rows of 2 columns"):
        load(lines, "x.jsonl", kind="queries", limit=64 * 599)
