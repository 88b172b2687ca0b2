"""Predictions as the InformationRetrievalEvaluator of sentence-transformers 6.2.0 writes them: a
json.dumps of query_id, query and results a line, sorted by score."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics_core.formats import read_all_tables
from tests.metrics_core.formats.tools.looking import (
    by_kind,
    hold_to_trec,
    lines,
    notes,
    records,
    refused,
    rows,
    written,
)


def found(query: str, *results: tuple[str, object]) -> dict[str, object]:
    results_of = [{"corpus_id": doc, "score": score} for doc, score in results]
    return {"query_id": query, "query": f"what of {query}", "results": results_of}


FILE = lines(
    found("007", ("d1", 0.8300000429153442), ("d2", 1e-17)), found("q2", ("1e5", 12345678901.25))
)
NAME = "Information-Retrieval_evaluation_predictions_cosine.jsonl"


def test_predictions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = by_kind(FILE, NAME)
    assert made.keys() == {"queries", "run"}
    (run,) = made["run"]
    assert (run.format, run.title) == ("sentence_transformers", "sentence-transformers predictions")
    assert rows(run) == {
        "007": {"d1": 0.8300000429153442, "d2": 1e-17},
        "q2": {"1e5": 12345678901.25},
    }
    assert records(made["queries"][0]) == [
        {"query_id": "007", "text": "what of 007"},
        {"query_id": "q2", "text": "what of q2"},
    ]
    assert notes(run) == []
    paths = written(tmp_path, {"truth": b"007 0 d2 1\nq2 0 1e5 2\n", NAME: FILE})
    trec = "007 Q0 d1 1 0.8300000429153442 t\n007 Q0 d2 2 1e-17 t\nq2 Q0 1e5 1 12345678901.25 t\n"
    hold_to_trec(run, trec, *paths, capsys)


def test_a_list_and_an_empty_list() -> None:
    listed = b"[" + FILE.strip().replace(b"\n", b",") + b"]"
    assert rows(by_kind(listed, "x.json")["run"][0]).keys() == {"007", "q2"}
    (run,) = read_all_tables(FILE + lines(found("q3")), name=NAME, kind="run")
    assert notes(run) == ["1 query with an empty list: q3"]


def test_what_is_refused() -> None:
    refused(FILE[:-9], NAME, "line 2", "expected JSON", "truncated")
    half = found("q3", ("d1", "high"))
    refused(
        FILE + lines(half),
        NAME,
        "line 3",
        "`high`",
        "results[0].score",
        "a finite number as the score",
    )
    refused(FILE + lines({"query_id": "q3", "query": "x"}), NAME, "line 3", "`results`")
    refused(FILE + lines(found("q2", ("d", 1))), NAME, "line 3", "q2 a second time", "each query")
