"""Answers of TREC RAG, 2024 and 2025: the references of a topic are a run by their order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metrics_core.formats import is_set, read_all_tables
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

BY_ORDER = "no scores in the file, so the order of each list is the ranking"
ANSWER = [{"text": "So.", "citations": [0, 1]}]


def of_2024(topic: str, *docs: str, run: str = "ours") -> dict[str, Any]:
    told = {"run_id": run, "topic_id": topic, "topic": f"what of {topic}", "references": [*docs]}
    return told | {"response_length": 1, "answer": ANSWER}


def of_2025(topic: int, references: Any, **about: Any) -> dict[str, Any]:
    told = {"team_id": "we", "run_id": "best", "type": "automatic", "narrative_id": topic}
    metadata = told | {"narrative": f"tell me of {topic}"} | about
    return {"metadata": metadata, "references": references, "answer": ANSWER}


FILE = lines(of_2024("2024-7", "d2", "d1"), of_2024("007", "d9"))
NAME = "answers.jsonl"


def test_answers_of_2024(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = by_kind(FILE, NAME)
    assert made.keys() == {"queries", "run"}
    (run,) = made["run"]
    assert (run.format, run.title) == ("trec_rag", "TREC RAG answers")
    assert run.table.name == "ours"  # type: ignore[union-attr]
    assert rows(run) == {"2024-7": {"d2": -1.0, "d1": -2.0}, "007": {"d9": -1.0}}
    assert notes(run) == [BY_ORDER]
    assert records(made["queries"][0])[0] == {"query_id": "2024-7", "text": "what of 2024-7"}
    paths = written(tmp_path, {"truth": b"2024-7 0 d1 1\n007 0 d9 2\n", NAME: FILE})
    trec = "2024-7 Q0 d2 1 -1 t\n2024-7 Q0 d1 2 -2 t\n007 Q0 d9 1 -1 t\n"
    hold_to_trec(run, trec, *paths, capsys)


def test_answers_of_2025() -> None:
    content = lines(of_2025(14, ["d2", "d1"]), of_2025(15, {"d1": "a text", "d3": {"text": "b"}}))
    made = by_kind(content, NAME)
    assert rows(made["run"][0]) == {"14": {"d2": -1.0, "d1": -2.0}, "15": {"d1": -1.0, "d3": -2.0}}
    assert made["run"][0].table.name == "best"  # type: ignore[union-attr]
    assert records(made["queries"][0])[1] == {"query_id": "15", "text": "tell me of 15"}
    (documents,) = read_all_tables(content, name=NAME, kind="documents")
    assert [row["text"] for row in records(documents)] == ["a text", "b"]


def test_numbers_of_a_map_are_asked_about() -> None:
    content = lines(of_2025(14, {"d2": 0.5, "d1": 0.9}))
    refused(content, NAME, "line 1", "`0.5` at references.d2", "If these are scores", kind="run")
    columns = {"query": "metadata.narrative_id", "doc": "references.*~", "score": "references.*"}
    (run,) = read_all_tables(content, name=NAME, kind="run", columns=columns)
    assert rows(run) == {"14": {"d2": 0.5, "d1": 0.9}}


def test_several_runs_and_topics_without_a_text() -> None:
    content = lines(of_2024("t", "d1"), of_2024("t", "d2", run="theirs"), of_2024("u"))
    each = read_all_tables(content, name=NAME, kind="run")
    assert {one.tag: rows(one) for one in each} == {
        "ours": {"t": {"d1": -1.0}},
        "theirs": {"t": {"d2": -1.0}},
    }
    assert notes(each[0]) == ["1 query with an empty list: u", BY_ORDER]
    bare = of_2024("t", "d1")
    del bare["topic"]
    assert (
        not is_set(lines(bare)) and read_all_tables(lines(bare), name=NAME)[0].format == "trec_rag"
    )


def test_what_is_refused() -> None:
    refused(FILE[:-30], NAME, "line 2", "expected JSON", "truncated")
    refused(FILE + FILE, NAME, "line 3", "query 2024-7 of run ours a second time")
    half = of_2024("t") | {"references": [{"docid": "d1"}]}
    refused(
        FILE + lines(half),
        NAME,
        "line 3",
        "an object with docid at references[0]",
        "the id of a document",
    )
    about = of_2025(14, ["d1"])
    del about["metadata"]["run_id"]
    refused(lines(of_2025(1, ["d"]), about), NAME, "line 2", "at metadata", "`run_id`")
