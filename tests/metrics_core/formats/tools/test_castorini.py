"""Candidates as RankLLM 0.25.7 writes them (DataWriter, as JSON Lines and as a list): a query with
qid and text, candidates with docid, score and doc."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics_core.formats import read_all_tables
from tests.metrics_core.formats.tools.looking import (
    as_json,
    by_kind,
    hold_to_trec,
    lines,
    notes,
    records,
    refused,
    rows,
    written,
)

RECORDS = [
    {
        "query": {"text": "sky, blue?", "qid": 7},
        "candidates": [
            {
                "docid": "d1",
                "score": 14.229999542236328,
                "doc": {"docid": "d1", "title": "Sky", "segment": "It scatters.", "url": "u"},
            },
            {
                "docid": 12,
                "score": 1e2,
                "doc": {"": 5, "contents": "So.", "self": "s", "text": "t"},
            },
        ],
    },
    {"query": {"text": "tea", "qid": "007"}, "candidates": [{"docid": "d3", "score": 1}]},
]
FILE = lines(*RECORDS)
NAME = "rerank_listwise.jsonl"


def test_candidates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = by_kind(FILE, NAME)
    assert made.keys() == {"documents", "queries", "run"}
    (run,) = made["run"]
    assert (run.format, run.title) == ("castorini", "Castorini's candidates")
    assert run.table.name == "rerank_listwise"  # type: ignore[union-attr]
    assert rows(run) == {"7": {"d1": 14.229999542236328, "12": 100.0}, "007": {"d3": 1.0}}
    assert [row["text"] for row in records(made["queries"][0])] == ["sky, blue?", "tea"]
    assert records(made["documents"][0]) == [
        {"doc_id": "d1", "title": "Sky", "text": "It scatters.", "url": "u"}
        | {"": None, "contents": None, "self": None},
        {"doc_id": "12", "title": "", "text": "t", "url": None}
        | {"": "5", "contents": "So.", "self": "s"},
    ]
    paths = written(tmp_path, {"truth": b"7 0 d1 1\n007 0 d3 2\n", NAME: FILE})
    trec = "7 Q0 d1 1 14.229999542236328 t\n7 Q0 12 2 1e2 t\n007 Q0 d3 1 1 t\n"
    hold_to_trec(run, trec, *paths, capsys)


def test_the_list_that_is_written_over_several_lines() -> None:
    made = by_kind(as_json(RECORDS, indent=2), "x.json")
    assert rows(made["run"][0]) == rows(by_kind(FILE, NAME)["run"][0])


def test_without_scores_the_order_counts_and_a_document_may_be_a_text() -> None:
    told = {"docid": "d1", "doc": "a text"}
    content = lines({"query": {"qid": "q"}, "candidates": [told, {"docid": "d2"}]})
    made = by_kind(content + lines({"query": {"qid": "r"}, "candidates": []}), NAME)
    assert rows(made["run"][0]) == {"q": {"d1": -1.0, "d2": -2.0}}
    assert notes(made["run"][0]) == [
        "1 query with an empty list: r",
        "no scores in the file, so the order of each list is the ranking",
    ]
    assert records(made["documents"][0]) == [{"doc_id": "d1", "title": "", "text": "a text"}]


def test_texts_that_differ_are_counted() -> None:
    again = {"query": {"qid": "q"}, "candidates": [{"docid": "d1", "score": 1, "doc": "other"}]}
    (documents,) = read_all_tables(FILE + lines(again), name=NAME, kind="documents")
    assert notes(documents) == [
        "1 document repeated with different texts; the first text is kept: d1"
    ]


def test_what_is_refused() -> None:
    refused(FILE[:-20], NAME, "line 2", "expected JSON", "truncated")
    refused(
        FILE + lines({"query": {"qid": "q"}, "candidates": [{"docid": "d"}, {"id": "e"}]}),
        *(NAME, "line 3", "candidates[1]", "`docid`", "an object with id", "A record looks like"),
    )
    refused(
        FILE + lines({"query": {"qid": "q"}, "candidates": [{"docid": "d"}]}),
        *(NAME, "line 3", "found nothing", "to none"),
    )
    refused(FILE + lines({"query": "q", "candidates": []}), NAME, "line 3", "`q` at query")
    refused(FILE + FILE, NAME, "line 3", "query 7 a second time", "each query once", "several runs")
    odd = {"docid": "d", "score": 1, "doc": ["a"]}
    content = lines({"query": {"qid": "q"}, "candidates": [odd]})
    told = ("line 1", "a list at candidates[0].doc", "a text, or an object that contains one")
    refused(content, NAME, *told, kind="documents")


def test_what_rank_llm_writes(tmp_path: Path) -> None:
    data = pytest.importorskip("rank_llm.data")
    candidates = [data.Candidate("d1", 14.25, {"contents": "So."}), data.Candidate(12, 3, {})]
    results = [data.Result(data.Query("why?", 7), candidates), data.Result(data.Query("b", "q"))]
    writer, path = data.DataWriter(results), str(tmp_path / "x")
    writer.write_in_jsonl_format(path + ".jsonl")
    writer.write_in_json_format(path + ".json")
    writer.write_in_trec_eval_format(path + ".trec")
    own = [read_all_tables(path + ending, kind="run")[0] for ending in (".jsonl", ".json", ".trec")]
    assert rows(own[0]) == rows(own[1]) == rows(own[2]) == {"7": {"d1": 14.25, "12": 3.0}}
