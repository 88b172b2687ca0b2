"""AutoRAG 0.3.27: qa.parquet, the best_*.parquet of its retrieval nodes, corpus.parquet, with the
columns that its nodes write."""

from __future__ import annotations

import io
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from metrics_core.formats import is_set, read_all_tables
from tests.metrics_core.formats.tools.looking import (
    by_kind,
    hold_to_trec,
    notes,
    records,
    refused,
    rows,
    trec_of,
    written,
)

QA: dict[str, list[Any]] = {
    "qid": ["007", "q2", "q3"],
    "query": ["refund?", "tea", "none"],
    "retrieval_gt": [[["d1"], ["d2", "1e5"]], [["d2"]], [[]]],
    "generation_gt": [["30 days"], ["so", "thus"], []],
}
FOUND: dict[str, list[Any]] = {
    "retrieved_contents": [["a", "b"], ["c"], []],
    "retrieved_ids": [["d1", "d3"], ["d2"], []],
    "retrieve_scores": [[0.8300000429153442, 1e-17], [12345678901.25], []],
}
JUDGED = {"007": {"d1": 1, "d2": 1, "1e5": 1}, "q2": {"d2": 1}}
SCORED = {"007": {"d1": 0.8300000429153442, "d3": 1e-17}, "q2": {"d2": 12345678901.25}}


def file_of(columns: dict[str, list[Any]]) -> bytes:
    sink = io.BytesIO()
    pd.DataFrame(columns).to_parquet(sink, index=False)
    return sink.getvalue()


def test_questions() -> None:
    made = by_kind(file_of(QA), "qa.parquet")
    assert made.keys() == {"queries", "qrels"}
    (qrels,) = made["qrels"]
    assert (qrels.format, qrels.title) == ("autorag", "AutoRAG questions and results") and rows(
        qrels
    ) == JUDGED
    assert notes(qrels) == [
        "!1 query with an empty retrieval_gt; excluded: q3",
        "1 query with groups of alternatives in retrieval_gt; every document counts as relevant:"
        " 007",
    ]
    assert records(made["queries"][0])[1] == {
        "query_id": "q2",
        "text": "tea",
        "generation_gt": '["so", "thus"]',
    }


def test_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = file_of(QA | FOUND | {"retrieval_f1": [0.5, 1.0, 0.0]})
    made = by_kind(content, "best_0.parquet")
    assert made.keys() == {"documents", "queries", "qrels", "run", "scores"}
    (run,) = made["run"]
    assert rows(run) == SCORED and notes(run) == ["1 query with an empty list: q3"]
    assert run.table.name == "best_0"  # type: ignore[union-attr]
    assert [row["text"] for row in records(made["documents"][0])] == ["a", "b", "c"]
    assert "retrieval_f1" not in records(made["queries"][0])[0]
    assert [row["value"] for row in records(made["scores"][0])] == [0.5, 1, 0]
    (path,) = written(tmp_path, {"best_0.parquet": content})
    hold_to_trec(run, trec_of(SCORED), path, path, capsys)


def test_a_run_for_each_node() -> None:
    nodes = {f"{n}_{node}": v for node in ("lexical", "semantic") for n, v in FOUND.items()}
    made = by_kind(file_of({"qid": QA["qid"]} | nodes), "best_0.parquet")
    assert {one.tag: rows(one) for one in made["run"]} == {"lexical": SCORED, "semantic": SCORED}


def test_a_corpus(tmp_path: Path) -> None:
    metadata = {"last_modified_datetime": datetime(2026, 1, 2), "prev_id": None, "next_id": "d2"}
    columns = {
        "doc_id": ["d1", "007"],
        "contents": ["one", None],
        "path": ["a.txt", "a.txt"],
        "start_end_idx": [[0, 3], [4, 7]],
        "metadata": [metadata, metadata],
    }
    content = file_of(columns)
    assert not is_set(content)
    (documents,) = read_all_tables(content, name="corpus.parquet")
    assert (documents.kind, documents.format) == ("documents", "autorag_corpus")
    assert notes(documents) == ["columns not used: start_end_idx: start_end_idx"]
    first, second = records(documents)
    assert first["last_modified_datetime"].startswith("2026-01-02") and first["next_id"] == "d2"
    assert (first["text"], first["path"]) == ("one", "a.txt")
    assert (second["doc_id"], second["text"]) == ("007", "")
    refused(content[:-50], "corpus.parquet", "Parquet")
    refused(file_of(columns | {"doc_id": ["d", "d"]}), "corpus.parquet", "d a second time")


def test_what_is_refused() -> None:
    uneven = FOUND | {"retrieve_scores": [[0.5], [1.0], []]}
    refused(
        file_of(QA | uneven),
        "b.parquet",
        "found 1 at retrieve_scores[] (record 1)",
        "expected 2, the same number as at retrieved_ids[]",
    )
    refused(file_of(QA | {"qid": ["a", "b", "a"]}), "qa.parquet", "query a a second time")
    refused(file_of(QA)[:-60], "qa.parquet", "Parquet")
    null = FOUND | {"retrieved_ids": [["d1", None], ["d2"], []]}
    refused(
        file_of(QA | null),
        "b.parquet",
        "nothing at retrieved_ids[1] (record 1)",
        "the id of a document",
    )
    refused(file_of(FOUND), "0.parquet", "lists or structs", "best_*.parquet has a qid column")
