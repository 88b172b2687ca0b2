"""Gold sets: what sentence-transformers 6.2.0's evaluators take, and what save_json of LlamaIndex'
EmbeddingQAFinetuneDataset (llama-index-finetuning 0.4.2) writes, with `mode` and an indent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metrics_core.formats import is_set, read, read_all_tables
from tests.metrics_core.formats.tools.looking import (
    alike,
    as_json,
    by_kind,
    hold_to_trec,
    notes,
    records,
    refused,
    rows,
    written,
)

GOLD: dict[str, Any] = {
    "queries": {"007": "refund?", "q2": "42"},
    "corpus": {"d1": "Ask within 30 days.", "1e5": "Sizes."},
    "relevant_docs": {"007": ["d1", "1e5"], "q2": ["1e5"]},
}
NAME = "val_dataset.json"


def file_of(**changed: Any) -> bytes:
    return as_json(GOLD | {"mode": "text"} | changed, indent=4)


def test_a_gold_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = by_kind(file_of(), NAME)
    assert made.keys() == {"documents", "queries", "qrels"}
    (qrels,) = made["qrels"]
    assert (qrels.format, qrels.title) == (
        "gold_set",
        "Gold set of queries, corpus and relevant_docs",
    )
    assert rows(qrels) == {"007": {"d1": 1, "1e5": 1}, "q2": {"1e5": 1}} and notes(qrels) == []
    assert records(made["queries"][0])[1] == {"query_id": "q2", "text": "42"}
    assert [row["text"] for row in records(made["documents"][0])] == [*GOLD["corpus"].values()]
    trec = "007 Q0 d1 1 2 t\n007 Q0 x 2 1 t\nq2 Q0 1e5 1 2 t\n"
    judged, file = written(tmp_path, {NAME: file_of(), "x.run": trec.encode()})
    hold_to_trec(read(file), trec, judged, file, capsys)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_in_any_order_and_larger_than_what_is_looked_at(order: tuple[int, ...]) -> None:
    many = GOLD | {"corpus": {f"d{i}": "a text " * 20 for i in range(400)}}
    parts = [list(many)[at] for at in order]
    content = as_json({name: many[name] for name in parts})
    (qrels,) = (one for one in alike(content, NAME) if one.kind == "qrels")
    assert is_set(content) and rows(qrels)["q2"] == {"1e5": 1}


def test_nodes_and_grades() -> None:
    node = {"id_": "d1", "text": "So.", "metadata": {"a": "b"}, "class_name": "TextNode"}
    content = file_of(corpus={"d1": node}, relevant_docs={"007": {"d1": 2}, "q2": [], "z": ["d1"]})
    made = by_kind(content, NAME)
    assert rows(made["qrels"][0]) == {"007": {"d1": 2}, "z": {"d1": 1}}
    assert notes(made["qrels"][0]) == [
        "!1 query without relevant documents; excluded: q2",
        "1 query with judgments but without a text: z",
    ]
    assert notes(made["documents"][0]) == [
        "document fields not used, because they contain lists or objects: metadata: metadata"
    ]
    (document,) = records(made["documents"][0])
    assert (document["doc_id"], document["text"]) == ("d1", "So.")
    assert document["class_name"] == "TextNode"


def test_judgments_alone() -> None:
    content = as_json({"relevant_docs": GOLD["relevant_docs"]})
    made = by_kind(content, NAME)
    assert made.keys() == {"qrels"} and notes(made["qrels"][0]) == []


def test_what_is_refused() -> None:
    refused(file_of()[:-30], NAME, "expected JSON", "truncated")
    refused(file_of(relevant_docs={"q": [["d"]]}), NAME, "a list at relevant_docs.q[0]", "the id")
    lacking = {name: part for name, part in GOLD.items() if name != "relevant_docs"}
    words = "found none in this file (Gold set", "A record looks like"
    refused(as_json(lacking), NAME, *words, kind="qrels")


@pytest.mark.parametrize(
    "whole",
    [
        {"queries": {"d1": 1.5, "d2": 0.5}},
        {"queries": {"d1": 2}, "corpus": {"d2": 1}},
        {"queries": {"d1": 0.5}, "q2": {"d2": 1}},
    ],
)
def test_a_run_with_queries_of_such_names_stays_one(whole: Any) -> None:
    (loaded,) = read_all_tables(as_json(whole), name="run.json")
    assert (loaded.kind, loaded.format) == ("run", "json")
    assert read(as_json(whole), name="x.json", kind="run").format == "json"


def test_what_llama_index_writes(tmp_path: Path) -> None:
    common = pytest.importorskip("llama_index.finetuning.embeddings.common")
    common.EmbeddingQAFinetuneDataset(**GOLD).save_json(str(tmp_path / NAME))
    made = by_kind((tmp_path / NAME).read_bytes(), NAME)
    assert rows(made["qrels"][0]) == rows(by_kind(file_of(), NAME)["qrels"][0])
