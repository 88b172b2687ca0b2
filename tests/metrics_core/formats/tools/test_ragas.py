"""Samples of Ragas 0.4.3: by hand, and as its EvaluationDataset writes them where it is installed.

Its to_jsonl is a json.dumps of each sample without what is None; its to_csv writes lists as Python
does."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dashboard.files.uploaded_file import UploadedFile, read_tables
from metrics_core.base.errors import FileFormatError, ParameterError
from metrics_core.formats import read, read_all_tables, read_first_rows, read_set
from metrics_core.formats.parsing.list_literals import parse_list
from tests.metrics_core.formats.tools.looking import (
    alike,
    as_json,
    by_kind,
    hold_to_trec,
    lines,
    notes,
    on_the_command_line,
    records,
    refused,
    rows,
    written,
)

SAMPLES: list[dict[str, Any]] = [
    {
        "user_input": 'größe, of "what"?',
        "retrieved_contexts": ["it's\nso", 'b "c"'],
        "reference_contexts": ["it's\nso"],
        "retrieved_context_ids": ["007", "d2"],
        "reference_context_ids": ["007"],
        "reference": "So.",
        "rubrics": {"score1": "no"},
    },
    {
        "user_input": "tea",
        "retrieved_contexts": ['b "c"'],
        "reference_contexts": ["é, t"],
        "retrieved_context_ids": ["d2"],
        "reference_context_ids": ["1e5"],
        "reference": "So.",
        "rubrics": {"score1": "no"},
    },
]
NAME = "samples.jsonl"
FILE = lines(*SAMPLES)
BY_TEXT = {"doc": "retrieved_contexts"}
FIRST = SAMPLES[0]["user_input"]
BY_ORDER = "no scores in the file, so the order of each list is the ranking"


def as_csv(samples: list[dict[str, Any]], dump: Any = str) -> bytes:
    sink = io.StringIO(newline="")
    writer = csv.DictWriter(sink, fieldnames=samples[0].keys())
    writer.writeheader()
    for sample in samples:
        made = {n: dump(v) if isinstance(v, (list, dict)) else v for n, v in sample.items()}
        writer.writerow(made)
    return sink.getvalue().encode()


def as_parquet(samples: list[dict[str, Any]]) -> bytes:
    sink = io.BytesIO()
    pd.DataFrame(samples).to_parquet(sink, index=False)
    return sink.getvalue()


SHAPES = {
    "x.jsonl": FILE,
    "x.json": as_json(SAMPLES, indent=1),
    "x.csv": as_csv(SAMPLES),
    "y.csv": as_csv(SAMPLES, json.dumps),
    "x.parquet": as_parquet(SAMPLES),
}


def without(*names: str) -> list[dict[str, Any]]:
    return [{n: v for n, v in sample.items() if n not in names} for sample in SAMPLES]


@pytest.mark.parametrize("name", SHAPES)
def test_each_shape_gives_the_same_tables(name: str) -> None:
    made = by_kind(SHAPES[name], name)
    assert made.keys() == {"documents", "queries", "qrels", "run"}
    run, qrels = made["run"][0], made["qrels"][0]
    assert (run.format, run.title) == ("ragas", "Ragas samples")
    assert rows(run) == {FIRST: {"007": -1.0, "d2": -2.0}, "tea": {"d2": -1.0}}
    assert rows(qrels) == {FIRST: {"007": 1}, "tea": {"1e5": 1}}
    assert notes(run) == [BY_ORDER] and notes(qrels) == []
    rubrics = str if name == "x.csv" else json.dumps  # CSV has it as Python writes it
    told = {"reference": "So.", "rubrics": rubrics({"score1": "no"})}
    assert records(made["queries"][0]) == [
        {"query_id": query, "text": query, **told} for query in (FIRST, "tea")
    ]
    assert [(row["doc_id"], row["text"]) for row in records(made["documents"][0])] == [
        ("007", "it's\nso"),
        ("d2", 'b "c"'),
        ("1e5", "é, t"),
    ]


def test_scores_are_those_of_trec_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples = [sample | {"user_input": f"q{i}"} for i, sample in enumerate(SAMPLES)]
    (path,) = written(tmp_path, {NAME: lines(*samples)})
    run = next(one for one in read_set(path) if one.kind == "run")
    trec = "q0 Q0 007 1 -1 t\nq0 Q0 d2 2 -2 t\nq1 Q0 d2 1 -1 t\n"
    hold_to_trec(run, trec, path, path, capsys)


def test_without_ids_documents_are_told_by_text_only_where_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    samples = without("retrieved_context_ids", "reference_context_ids")
    content = lines(*samples)
    words = "line 1", "expected ids of the documents", "--columns doc=retrieved_contexts"
    refused(content, NAME, *words)
    for kind, part in (("run", "retrieved"), ("qrels", "reference")):
        found = f"{part}_contexts without {part}_context_ids"
        refused(content, NAME, *words, found, kind=kind)
    with pytest.raises(FileFormatError, match="reference_contexts without reference_context_ids"):
        read_tables(UploadedFile(NAME, content))
    made = {one.kind: one for one in read_set(content, name=NAME, columns=BY_TEXT)}
    assert rows(made["run"])[FIRST] == {"it's\nso": -1.0, 'b "c"': -2.0}
    assert rows(made["qrels"])[FIRST] == {"it's\nso": 1}
    assert len(records(made["documents"])) == 3
    (path,) = written(tmp_path, {NAME: content})
    asked = (path, path, "-m", "P@1")
    printed, said = on_the_command_line(capsys, *asked, status=2)
    assert printed == [] and "--columns doc=retrieved_contexts" in said
    printed, _ = on_the_command_line(capsys, *asked, "--columns", "doc=retrieved_contexts")
    assert printed == [["samples", "all", "P@1", "0.5"]]
    assert records(read_all_tables(content, name=NAME, kind="queries")[0])[1]["query_id"] == "tea"


def test_columns_that_are_said() -> None:
    content = lines(*(sample | {"n": f"0{i}"} for i, sample in enumerate(SAMPLES)))
    chosen = {"query": "n", "doc": "retrieved_context_ids"}
    (run,) = read_all_tables(content, name=NAME, kind="run", columns=chosen)
    assert rows(run).keys() == {"00", "01"}
    found = read_first_rows(content, name=NAME)
    assert found is not None and found.names == [*SAMPLES[0], "n"]
    for columns, words in [
        ({"score": "n"}, "Ragas samples have no scores"),
        ({"doc": "n"}, "one of retrieved_context_ids"),
        ({"query": "m"}, "a column of the samples"),
    ]:
        with pytest.raises(FileFormatError, match=words):
            read_all_tables(content, name=NAME, kind="run", columns=columns)
    with pytest.raises(ParameterError, match="columns"):
        read_set(b'[{"query": "q", "retrieved": ["a"], "expected": ["a"]}]', columns=BY_TEXT)


def test_ids_of_queries_and_what_is_odd() -> None:
    one = {"user_input": "tea", "retrieved_context_ids": [3, "d", 3], "reference_context_ids": [3]}
    made = by_kind(lines(one, one | {"reference_context_ids": []}), NAME)
    (run,), (qrels,) = made["run"], made["qrels"]
    assert rows(run) == {"tea": {"3": -1.0, "d": -2.0}, "tea (2)": {"3": -1.0, "d": -2.0}}
    assert notes(run) == [
        "!repeated documents: 2; only the first row of each is used: document 3 of query tea,"
        " document 3 of query tea (2)",
        BY_ORDER,
        "1 query with a repeated text, numbered to keep them distinct",
    ]
    assert "!1 query without expected documents; excluded: tea (2)" in notes(qrels)
    own = [one | {"id": number} for number in (10, 2)]
    assert rows(by_kind(lines(*own), NAME)["run"][0]).keys() == {"10", "2"}
    uneven = lines(one | {"retrieved_contexts": ["a"], "reference_contexts": ["b"]})
    (documents,) = read_all_tables(uneven, name=NAME, kind="documents")
    assert notes(documents) == [
        "1 query with different numbers of contexts and ids; the texts of these contexts are"
        " excluded: tea"
    ]


def test_a_first_sample_longer_than_what_is_looked_at() -> None:
    long = SAMPLES[0] | {"retrieved_contexts": ["a " * 30_000, "b"]}
    made = alike(lines(long, *SAMPLES[1:]), NAME)
    assert {one.kind for one in made} == {"documents", "queries", "qrels", "run"}


def test_what_is_refused() -> None:
    refused(FILE[:-20], NAME, "line 2", "expected JSON", "truncated")
    turns = lines(SAMPLES[0], SAMPLES[1] | {"user_input": [{"content": "a", "type": "human"}]})
    refused(turns, NAME, "line 2", "a list at user_input", "Multi-turn")
    half = lines(SAMPLES[0], *without("retrieved_context_ids")[1:])
    refused(half, NAME, "line 2", "retrieved_contexts without retrieved_context_ids")
    refused(lines(SAMPLES[0], {"id": 1}), NAME, "line 2", "`user_input`")
    bad = as_csv(SAMPLES).replace(b"['d2']", b"['d2' 'd3']")
    refused(bad, "x.csv", "line 3", "at retrieved_context_ids", "a list such as", "to_jsonl")
    refused(as_csv(SAMPLES) + b"tea,x\n", "x.csv", "line 4", "expected 7 columns, found 2")
    twice = lines(*(sample | {"id": "a"} for sample in SAMPLES))
    refused(twice, NAME, "line 2", "query a a second time")


@pytest.mark.parametrize(
    ("cell", "listed"),
    [
        ("[]", []),
        ("['a', \"it's\", 7, -2]", ["a", "it's", "7", "-2"]),
        (r"""['a\'b', 'c\n\u00e9', "\\"]""", ["a'b", "c\n\u00e9", "\\"]),
        ('["a", null]', ["a", None]),
        ("['a' 'b']", None),
        ("['a'", None),
        ("['a', ['b']]", None),
        ("[__import__('os')]", None),
        (r"['\x']", None),
        ("['a'" + ", 'a" * 50_000, None),
    ],
)
def test_lists_in_cells(cell: str, listed: list[Any] | None) -> None:
    assert parse_list(cell) == listed


def test_what_ragas_writes(tmp_path: Path) -> None:
    ragas = pytest.importorskip("ragas")
    dataset = ragas.EvaluationDataset.from_list(SAMPLES)
    dataset.to_jsonl(tmp_path / "x.jsonl")
    dataset.to_csv(tmp_path / "x.csv")
    dataset.to_pandas().to_parquet(tmp_path / "x.parquet")
    for name in ("x.jsonl", "x.csv", "x.parquet"):
        made = read((tmp_path / name).read_bytes(), name=name, kind="run")
        assert rows(made) == rows(by_kind(FILE, NAME)["run"][0])


def test_parquet_of_many_samples_is_read_whole() -> None:
    samples = [SAMPLES[0] | {"user_input": f"question {number}"} for number in range(2_001)]
    loaded = read(as_parquet(samples), name="x.parquet", kind="run")
    assert len(rows(loaded)) == 2_001
