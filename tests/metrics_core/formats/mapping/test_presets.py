"""Each tool's format by its own example: as a list, as lines and in Parquet, with a long record and
without what it is known by; and a new one, which is a single entry."""

from __future__ import annotations

import io
import json
from typing import Any

import pandas as pd
import pytest

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import Loaded, formats, read_all_tables
from metrics_core.formats.declaring import PRESETS
from metrics_core.formats.file_kinds import read_sample
from metrics_core.formats.in_memory import convert_to_qrels, convert_to_runs
from metrics_core.formats.mapping.preset_files import read_preset, recognise_preset
from metrics_core.formats.mapping.presets import Preset, Remark
from metrics_core.formats.read_as import ReadAs
from metrics_core.tables import Queries
from tests.metrics_core.formats.tools.looking import as_json, lines, notes, rows

formats()  # declares them
NESTED = {name: own for name, own in PRESETS.items() if own.example[:1] in "{["}
OF_LINES = {name: own for name, own in NESTED.items() if ".jsonl" in own.endings}


def records_of(preset: Preset) -> list[dict[str, Any]]:
    whole = json.loads(preset.example)
    return whole if isinstance(whole, list) else [whole]


def as_parquet(records: list[dict[str, Any]]) -> bytes:
    sink = io.BytesIO()
    pd.DataFrame(records).to_parquet(sink, index=False)
    return sink.getvalue()


def seen(content: bytes, preset: Preset) -> list[Any]:
    """What is read of each kind that is there, without the file's name."""
    found = []
    for kind in recognise_kinds(content, preset):
        for one in read_all_tables(content, name="x", kind=kind):
            assert one.format == preset.name
            found.append((one.kind, notes(one), held(one)))
    return found


def held(loaded: Loaded) -> Any:
    table = loaded.table
    if isinstance(table, Queries):
        frame = table.frame
        return {name: frame[name].tolist() for name in sorted(frame.columns)}
    return {name: table.table[name].to_pylist() for name in sorted(table.table.column_names)}


def recognise_kinds(content: bytes, preset: Preset) -> list[Any]:
    source = ReadAs().open_file(content, "x")
    (declared,) = (own for own in formats() if own.name == preset.name)
    return sorted(declared.recognise(read_sample(source)))


@pytest.mark.parametrize("name", NESTED)
def test_an_example_is_of_its_format_and_of_no_other(name: str) -> None:
    content = NESTED[name].example.encode()
    sample = read_sample(ReadAs().open_file(content, "x"))
    sure = {own.name: max(own.recognise(sample).values(), default=0) for own in formats()}
    assert max(sure, key=sure.__getitem__) == name
    assert [other for other in sure if sure[other] == sure[name]] in ([name], [name, "lists"])
    assert seen(content, NESTED[name])


@pytest.mark.parametrize("name", OF_LINES)
def test_a_list_lines_and_parquet_give_the_same(name: str) -> None:
    preset, records = OF_LINES[name], records_of(OF_LINES[name])
    expected = seen(lines(*records), preset)
    assert expected and seen(as_json(records, indent=1), preset) == expected
    found = seen(as_parquet(records), preset)
    assert [part[::2] for part in found] == [part[::2] for part in expected]


@pytest.mark.parametrize("name", NESTED)
def test_a_long_record_is_known_by_its_beginning(name: str) -> None:
    records = records_of(NESTED[name])
    long = [records[0] | {"remark": "word " * 400_000}, *records[1:]]
    content = lines(*long) if name in OF_LINES else as_json(long[0])
    kinds = [kind for kind, *_ in seen(NESTED[name].example.encode(), NESTED[name])]
    if name not in ("gold_set", "mteb"):  # these have no other keys than their own
        assert [kind for kind, *_ in seen(content, NESTED[name])] == kinds


@pytest.mark.parametrize("name", [name for name, own in NESTED.items() if own.recognised_by])
def test_without_what_it_is_known_by_it_is_refused(name: str) -> None:
    preset = NESTED[name]
    for path in preset.recognised_by:
        names = {one.strip().replace("[]", "").split(".")[0] for one in path.split("||")}
        told = [
            {key: own for key, own in record.items() if key not in names | {"metadata"}}
            for record in records_of(preset)
        ]
        if told == records_of(preset):
            continue  # `mend` makes what it is known by
        kind = next(iter(preset.tables))
        with pytest.raises(FileFormatError) as caught:
            read_all_tables(as_json(told[0]), name="x", kind=kind, format=name)
        assert any(f"`{own}" in str(caught.value) for own in names), str(caught.value)


NEW = Preset(
    "answers",
    "Answers of a made-up tool",
    endings=(".jsonl",),
    explanation="What was cited in answers.",
    example='{"ask": {"number": 1, "words": "refund"}, "cited": [{"page": "p7", "weight": 0.5}]}',
    recognised_by=("ask.number", "cited[].page"),
    tables={
        "run": "query=ask.number doc=cited[].page score=cited[].weight",
        "queries": "query=ask.number text=ask.words",
    },
    remarks=(Remark(("run",), "silent", "{n:,} {things} without a page"),),
)


def test_adding_a_format_is_one_entry() -> None:
    second = {"ask": {"number": "02", "words": "tea"}, "cited": []}
    content = lines(json.loads(NEW.example), second)
    source, read_as = ReadAs().open_file(content, "x.jsonl"), ReadAs()
    assert recognise_preset(NEW, read_sample(source)).keys() == {"run", "queries"}
    run = read_preset(NEW, source, read_as.build_request("run", "x"))
    assert rows(run) == {"1": {"p7": 0.5}} and notes(run) == ["1 query without a page: 02"]
    queries = read_preset(NEW, source, read_as.build_request("queries", "x")).table
    assert isinstance(queries, Queries) and queries.frame["text"].tolist() == ["refund", "tea"]


@pytest.mark.parametrize("name", OF_LINES)
def test_records_of_a_program_are_read_as_those_of_a_file(name: str) -> None:
    preset, records = OF_LINES[name], records_of(OF_LINES[name])
    for kind in ("run", "qrels"):
        if kind not in recognise_kinds(lines(*records), preset):
            continue
        (loaded,) = read_all_tables(lines(*records), name="run", kind=kind)
        made = convert_to_runs(records)[0] if kind == "run" else convert_to_qrels(records)
        assert made.notes == loaded.notes
        assert made.table.to_pylist() == loaded.table.table.to_pylist()  # type: ignore[union-attr]


def test_an_object_of_a_program_is_read_as_that_of_a_file() -> None:
    gold = json.loads(PRESETS["gold_set"].example)
    assert convert_to_qrels(gold).table.to_pylist() == [
        {"query_id": "q1", "doc_id": "doc-7", "relevance": 1}
    ]
    answer = json.loads(PRESETS["rank-eval-answer"].example)
    assert convert_to_runs(answer)[0].doc_ids.to_pylist() == ["doc-7", "doc-3"]
