"""Detailed results of a benchmark: one file that holds a run, judgments and queries."""

from __future__ import annotations

import json
from typing import Any

import pytest

from metrics_core.base.errors import FileFormatError
from metrics_core.benchmark import MetricsCalculator
from metrics_core.checks.stored_scores import compare_stored_scores
from metrics_core.formats import Loaded, is_set, read, read_set
from metrics_core.scoring.evaluate import evaluate
from metrics_core.tables import Qrels, Queries, Run


def record(query: str, retrieved: list[Any], expected: list[Any], **more: Any) -> dict[str, Any]:
    return {"query": query, "retrieved": retrieved, "expected": expected, **more}


RECORDS = [
    record("refund", ["d1", "d2"], ["d2", "d9"], category="billing", difficulty="easy"),
    record("größe", ["d7"], ["d7"], category="sizes", difficulty="hard", version="16.0"),
    record("login", [], ["d3"], category="billing"),
]
SHAPES = {
    "list": json.dumps(RECORDS),
    "pretty": json.dumps(RECORDS, indent=2, ensure_ascii=False),
    "wrapped": json.dumps({"metadata": {"limit": 10}, "detailed_results": RECORDS}, indent=1),
    "lines": "\n".join(map(json.dumps, RECORDS)) + "\n\n",
}


def tables(content: str, name: str = "bm25.json") -> tuple[Run, Qrels, Queries]:
    by_kind = {part.kind: part.table for part in read_set(content.encode(), name=name)}
    run, qrels, queries = by_kind["run"], by_kind["qrels"], by_kind["queries"]
    assert isinstance(run, Run) and isinstance(qrels, Qrels) and isinstance(queries, Queries)
    return run, qrels, queries


def rows(table: Run | Qrels) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.table.to_pylist()]


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_gives_the_same_tables(shape: str) -> None:
    content = SHAPES[shape]
    assert is_set(content.encode())
    run, qrels, queries = tables(content)
    assert run.name == "bm25"
    assert rows(run) == [("refund", "d1", -1.0), ("refund", "d2", -2.0), ("größe", "d7", -1.0)]
    assert [row[1:] for row in rows(qrels)] == [("d2", 1), ("d9", 1), ("d7", 1), ("d3", 1)]
    assert list(queries.frame.columns) == ["query_id", "text", "category", "difficulty", "version"]
    assert queries.frame["query_id"].tolist() == ["refund", "größe", "login"]
    assert queries.frame["difficulty"].tolist() == ["easy", "hard", None]
    assert [note.kind for note in run.notes] == ["empty", "rank"]
    assert qrels.notes == queries.notes == ()


@pytest.mark.parametrize("kind", ["run", "qrels", "queries"])
def test_one_table_of_it_can_be_asked_for(kind: Any) -> None:
    loaded = read(SHAPES["list"].encode(), name="bm25.json", kind=kind)
    assert (loaded.kind, loaded.format) == (kind, "detailed")
    assert loaded.title == "Detailed results"


def test_other_names_for_the_lists() -> None:
    content = [{"query_id": 7, "query": "x", "expected_modules": ["a"], "returned_modules": ["a"]}]
    run, qrels, queries = tables(json.dumps(content))
    assert rows(run) == [("7", "a", -1.0)]
    assert rows(qrels) == [("7", "a", 1)]
    assert queries.frame.iloc[0].tolist() == ["7", "x"]


def test_ids_of_queries() -> None:
    numbered = [record("a", ["d"], ["d"], query_id=i) for i in (10, 2)]
    assert tables(json.dumps(numbered))[2].frame["query_id"].tolist() == ["10", "2"]
    same = [record("a", ["d"], ["d"]), record("a", ["d"], ["d"]), record("a", ["d"], ["d"])]
    assert tables(json.dumps(same))[2].frame["query_id"].tolist() == ["a", "a (2)", "a (3)"]
    untold = [{"retrieved": ["d"], "expected": ["d"]}] * 2
    assert tables(json.dumps(untold))[2].frame["query_id"].tolist() == ["1", "2"]
    with pytest.raises(FileFormatError, match=r"query 2 a second time \(record 2\)"):
        tables(json.dumps([record("a", ["d"], ["d"], id=2), record("b", ["d"], ["d"], id=2)]))


def test_numbers_keep_their_digits() -> None:
    run, qrels, _ = tables(
        '[{"query": "q", "retrieved": [75000000000000000001, 12], "expected": [12]}]'
    )
    assert [row[1] for row in rows(run)] == ["75000000000000000001", "12"]
    assert rows(qrels) == [("q", "12", 1)]


def test_a_document_retrieved_twice_is_told_aloud() -> None:
    run, _, _ = tables(json.dumps([record("q", ["a", "b", "a"], ["a"])]))
    assert [row[1] for row in rows(run)] == ["a", "b"]
    assert ("duplicates", 1, True) in [(n.kind, n.count, n.loud) for n in run.notes]


def test_expected_is_a_set() -> None:
    _, qrels, _ = tables(json.dumps([record("q", ["a"], ["a", "a"])]))
    assert rows(qrels) == [("q", "a", 1)]


def test_a_query_with_nothing_expected_is_told_aloud() -> None:
    _, qrels, _ = tables(json.dumps([record("q", ["a"], ["a"]), record("z", ["a"], [])]))
    (note,) = qrels.notes
    assert (note.message, note.examples, note.loud) == (
        "1 query without expected documents; excluded",
        ("z",),
        True,
    )


def test_nothing_retrieved_at_all_gives_no_run() -> None:
    found = read_set(json.dumps([record("q", [], ["a"])]).encode(), name="x.json")
    assert [part.kind for part in found] == ["queries", "qrels"]


def test_nothing_expected_at_all_gives_no_judgments() -> None:
    content = json.dumps([record("q", ["a"], [])]).encode()
    assert [part.kind for part in read_set(content, name="x.json")] == ["queries", "run"]
    with pytest.raises(FileFormatError, match="none in this file"):
        read(content, name="x.json", kind="qrels")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (
            [record("q", ["a"], ["a"]), {"query": "z"}],
            "expected `retrieved`, found an object with query_id, text (record 2)",
        ),
        ([record("q", ["a"], ["a"]), 5], "expected `retrieved`, found `5` (record 2)"),
        (
            [record("q", ["a"], ["a"]), record("z", "a", ["a"])],
            "a list at retrieved, found `a` (record 2)",
        ),  # type: ignore[arg-type]
        ([record("q", [{"id": "a"}], ["a"])], "an object with id at retrieved[0]"),
        ([record("q", ["a", None], ["a"])], "nothing at retrieved[1]"),
        ([record("q", ["a"], [""])], "`` at expected[0]"),
    ],
)
def test_records_that_cannot_be_read(content: list[Any], found: str) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_set(json.dumps(content).encode(), name="x.json")
    assert found in str(caught.value)
    assert str(caught.value).startswith("x.json")


@pytest.mark.parametrize(
    "content",
    [
        '[{"query": "q", "retrieved": ["a"], "expected": ["a"]},',
        '{"query": "q", "retrieved": ["a"], "expected": ["a"]}\n{"query": \n',
        '{"query": "q", "retrieved": ["a"], "expected": ["a"]}\n[]\n',
        '[{"query": "q", "retrieved": ["\\ud800"], "expected": ["a"]}]',
        '[{"query": "q", "retrieved": ["a"], "expected": ["a"], "metrics": {"mrr": NaN}}, 1]',
    ],
)
def test_broken_files_are_refused(content: str) -> None:
    with pytest.raises(FileFormatError):
        read_set(content.encode(), name="x.json")


@pytest.mark.parametrize(
    "content",
    [
        '[{"query_id": "q", "text": "a"}]',
        '{"q1": {"d1": 0.5}}',
        '[{"query": "q", "retrieved": "a", "expected": ["a"]}]',
        "q1 Q0 d1 1 1.0 t\n",
        "[1]",
        "",
    ],
)
def test_other_files_are_no_such_set(content: str) -> None:
    assert not is_set(content.encode())


# The scores in the file


def stored(metrics: list[Any]) -> list[Loaded]:
    results = [record(f"q{i}", ["a", "b"], ["b"], metrics=m) for i, m in enumerate(metrics)]
    read_parts = read_set(json.dumps(results).encode(), name="x.json")
    return compare_stored_scores(read_parts)


def notes_of(parts: list[Loaded]) -> list[str]:
    notes = [note for part in parts if part.kind != "scores" for note in part.notes]
    return [note.message for note in notes if note.kind != "rank"]


def test_scores_that_agree_need_no_word() -> None:
    right = {
        "precision@3": 1 / 3,
        "precision_at_5": 0.2,
        "recall@10": 1,
        "mrr": 0.5,
        "hits_in_top_3": 1,
        "first_relevant_position": 2,
        "ndcg_at_10": None,
    }
    assert notes_of(stored([right, {}, None, "none"])) == []


def test_scores_that_differ_are_counted() -> None:
    parts = stored([{"mrr": 0.5, "precision@3": 0.33}, {"mrr": 0.7, "precision@3": 0.9}])
    assert notes_of(parts) == [
        "for 2 queries, the scores in the file differ from the scores computed here: mrr (1) and"
        " precision@3 (2)"
    ]
    (note,) = [n for part in parts for n in part.notes if n.kind != "rank"]
    assert (note.count, note.loud) == (2, True)


def test_the_scores_are_the_calculators() -> None:
    run, qrels, _ = tables(SHAPES["list"])
    frame = evaluate(run, qrels, ["P@3", "P@5", "R@10", "RR", "nDCG@10"])
    for row, result in zip(frame.itertuples(index=False), RECORDS, strict=True):
        metrics = MetricsCalculator.calculate_all(result["retrieved"], result["expected"])
        own = (metrics.precision_at_3, metrics.precision_at_5, metrics.recall_at_10, metrics.mrr)
        assert tuple(row)[2:] == (*own, metrics.ndcg_at_10)


def test_queries_with_judgments_inside_are_a_set() -> None:
    record = {"query_id": "q1", "query": "oil", "positive_passages": [{"docid": "d1"}]}
    content = (json.dumps(record) + "\n").encode()
    assert is_set(content)
    assert [part.kind for part in read_set(content, name="topics.jsonl")] == ["queries", "qrels"]
    run = json.dumps({"topic_id": "q1", "topic": "oil", "references": ["d1"]}).encode()
    assert not is_set(run)


@pytest.mark.parametrize(
    "record", ['{" ": {}, "": [{}]}', '{"query": ["a"], "retrieved": ["x"], "expected": ["x"]}']
)
def test_what_is_no_id_is_an_error_and_no_failure(record: str) -> None:
    with pytest.raises(FileFormatError, match="expected"):
        read(record.encode(), name="x", kind="run", format="detailed")
