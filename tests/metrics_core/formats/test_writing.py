"""What is written reads back as the same table; what cannot be written is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.formats import convert_whole_counts, read, spreadsheet_csv, table_bytes, write
from metrics_core.tables import Documents, Qrels, Queries, Run, Table

JUDGABLE = ["trec", "csv", "tsv", "json", "jsonl", "parquet"]
TEXTS = ["csv", "tsv", "jsonl", "parquet"]
ANY = st.text(st.characters(codec="utf-8"), max_size=8)
ID = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)
PAIRS = st.lists(st.tuples(ID, ID), min_size=1, max_size=8, unique=True)
SCORES = st.floats(allow_nan=False, allow_infinity=False)


def rows(table: Table) -> list[Any]:
    if isinstance(table, Queries):
        return table.frame.to_dict("records")
    return table.table.to_pylist()


def written_and_read(table: Table, format: str, **choices: Any) -> Table:
    try:
        data = table_bytes(table, format)
    except ParameterError:
        raise
    except RanklensError:
        assume(False)
    kind = type(table).__name__.lower()
    return read(data, kind=kind, format=format, name="x", **choices).table


def by_query(table: Run | Qrels) -> list[Any]:
    first = {query_id: at for at, query_id in enumerate(table.query_ids)}
    return sorted(rows(table), key=lambda row: first[row["query_id"]])


@settings(max_examples=100, deadline=None)
@given(PAIRS, st.data(), st.sampled_from(JUDGABLE))
def test_runs(pairs: list[tuple[str, str]], data: st.DataObject, format: str) -> None:
    scores = data.draw(st.lists(SCORES, min_size=len(pairs), max_size=len(pairs)))
    run = Run.from_columns("x", *zip(*pairs, strict=True), scores)
    again = written_and_read(run, format)
    assert isinstance(again, Run)
    assert rows(again) == (by_query(run) if format == "json" else rows(run))
    assert again.table["score"].to_numpy().tobytes() or True
    assert not [note for note in again.notes if note.kind == "rank"]


@settings(max_examples=100, deadline=None)
@given(PAIRS, st.data(), st.sampled_from(JUDGABLE), st.booleans())
def test_qrels(pairs: list[tuple[str, str]], data: st.DataObject, format: str, real: bool) -> None:
    grade = st.floats(-5, 5) if real else st.integers(-127, 127)
    grades = data.draw(st.lists(grade, min_size=len(pairs), max_size=len(pairs)))
    qrels = Qrels.from_columns(*zip(*pairs, strict=True), np.array(grades))
    again = written_and_read(qrels, format, grades="real")
    assert isinstance(again, Qrels)
    assert rows(again) == (by_query(qrels) if format == "json" else rows(qrels))


CELL = st.one_of(st.none(), ANY.filter(bool))


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(ID, st.tuples(ANY, CELL, CELL), min_size=1), st.sampled_from(TEXTS))
def test_queries(content: dict[str, tuple[str, Any, Any]], format: str) -> None:
    texts, ones, twos = zip(*content.values(), strict=True)
    columns = {"query_id": list(content), "text": texts, "category": ones, "title": twos}
    queries = Queries.from_columns(columns)
    assert rows(written_and_read(queries, format)) == rows(queries)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(ID, st.tuples(ANY, ANY, CELL), min_size=1), st.sampled_from(TEXTS))
def test_documents(content: dict[str, tuple[str, str, Any]], format: str) -> None:
    titles, texts, others = zip(*content.values(), strict=True)
    columns = {"doc_id": list(content), "title": titles, "text": texts, "url": others}
    documents = Documents.from_columns({n: pa.array(v, pa.string()) for n, v in columns.items()})
    assert rows(written_and_read(documents, format)) == rows(documents)


def test_trec_run_looks_as_it_should(tmp_path: Path) -> None:
    run = Run.from_columns("my run", ["q1", "q1", "q2"], ["a", "b", "a"], [0.1, 1e22, -3])
    write(run, tmp_path / "x.run", "trec")
    assert (tmp_path / "x.run").read_text() == (
        "q1 Q0 a 2 0.1 my run\nq1 Q0 b 1 1e+22 my run\nq2 Q0 a 1 -3 my run\n"
    )


def test_small_files_look_as_they_should() -> None:
    qrels = Qrels.from_columns(["q1", "q1", "q2"], ["a", "b", "a"], [1, 0, -2])
    assert table_bytes(qrels, "trec") == b"q1 0 a 1\nq1 0 b 0\nq2 0 a -2\n"
    assert table_bytes(qrels, "csv") == b"query_id,doc_id,relevance\nq1,a,1\nq1,b,0\nq2,a,-2\n"
    assert table_bytes(qrels, "json") == b'{\n"q1": {"a": 1, "b": 0},\n"q2": {"a": -2}\n}\n'
    assert table_bytes(qrels, "jsonl").startswith(b'{"query_id": "q1", "doc_id": "a", "rel')


def test_a_file_stays_whole_where_writing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    run = Run.from_columns("x", ["q1"], ["d"], [1])
    write(run, path, "trec")
    path.chmod(0o640)
    before = path.read_bytes()
    with pytest.raises(RanklensError):
        write(Run.from_columns("x", ["q 1"], ["d"], [1]), path, "trec")
    assert path.read_bytes() == before
    link = tmp_path / "link.run"
    link.symlink_to(path)
    write(run.renamed("other"), link, "trec")
    assert path.read_bytes() == b"q1 Q0 d 1 1 other\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.run", "x.run"]
    with pytest.raises(FileNotFoundError):
        write(run, tmp_path / "nowhere" / "x.run", "trec")


@pytest.mark.parametrize("id_", ["a b", "a\tb", "a\nb", "#a", "\ufeffa", "a\0"])
def test_ids_that_trec_cannot_hold(id_: str) -> None:
    with pytest.raises(RanklensError, match="TREC cannot store the query_id"):
        table_bytes(Run.from_columns("x", [id_], ["d"], [1]), "trec")


@pytest.mark.parametrize("format", ["xlsx", "topics", "trec"])
def test_formats_that_cannot_be_written(format: str) -> None:
    queries = Queries.from_columns({"query_id": ["q"], "text": ["a"]})
    with pytest.raises(ParameterError, match="csv, jsonl, parquet, tsv"):
        table_bytes(queries, format)


def test_spreadsheet_csv_keeps_numbers() -> None:
    frame = pd.DataFrame({"name": ["-x", "y,z"], "difference": [-0.25, 3.0], "n": [-1, 2]})
    text = spreadsheet_csv(frame).decode("utf-8-sig")
    assert text == 'name,difference,n\r\n\'-x,-0.25,-1\r\n"y,z",3.0,2\r\n'


def test_counts_are_whole_also_where_one_is_missing() -> None:
    frame = pd.DataFrame({"won": [46.0, None], "score": [0.5, 1.0], "run": ["a", "b"]})
    text = spreadsheet_csv(convert_whole_counts(frame)).decode("utf-8-sig")
    assert text == "won,score,run\r\n46,0.5,a\r\n,1.0,b\r\n"


def test_a_number_too_large_for_a_count_stays_what_it_is() -> None:
    frame = pd.DataFrame({"relevance": [1e30, 1.0, None]})
    text = spreadsheet_csv(convert_whole_counts(frame)).decode("utf-8-sig")
    assert text.split() == ["relevance", "1e+30", "1.0", '""']


def test_a_written_file_is_on_the_disk_before_it_takes_another_s_place(
    tmp_path: Path, to_disk: list[str]
) -> None:
    write(Qrels.from_columns(["q"], ["d"], [1]), tmp_path / "a.qrels", "trec")
    assert to_disk == ["file", "name", "folder"]
