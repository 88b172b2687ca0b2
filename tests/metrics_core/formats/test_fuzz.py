"""Whatever the bytes, reading gives a table or a RanklensError; and the declarations are whole."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.formats import formats, read, read_set, table_bytes
from metrics_core.formats.file_kinds import read_sample
from metrics_core.formats.read_as import ReadAs
from metrics_core.formats.registry import TOOL_AMBIGUOUS
from metrics_core.tables import Documents, Qrels, Queries, Run, Table

TABLES: list[Table] = [
    Run.from_columns("r", ["q1", "q1", "q2"], ["d1", "d2", "é3"], [1.5, 0.25, -3.0]),
    Qrels.from_columns(["q1", "q1", "q2"], ["d1", "d2", "é3"], [1, 0, -2]),
    Queries.from_columns({"query_id": ["1", "2"], "text": ['a "b", c', "x"], "c": ["k", None]}),
    Documents.from_columns({"doc_id": ["d1"], "title": ["T"], "text": ['some "text"']}),
]


def seeds() -> list[bytes]:
    plain = []
    for table in TABLES:
        for format in ("trec", "csv", "tsv", "json", "jsonl", "parquet"):
            try:
                plain.append(table_bytes(table, format))
            except ParameterError:
                continue
    plain += [declared.example.encode() for declared in formats()]
    run = plain[0]
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, table in zip(("queries.jsonl", "corpus.jsonl"), TABLES[2:], strict=True):
            file.writestr(name, table_bytes(table, "jsonl"))
    packed = [gzip.compress(run), bz2.compress(run), lzma.compress(run)]
    packed += [pa.Codec(codec).compress(run, asbytes=True) for codec in ("zstd", "lz4")]
    return [*plain, *packed, archive.getvalue(), run.decode().encode("utf-16")]


SEEDS = seeds()
PIECES = [b"\n", b"\t", b" ", b",", b'"', b"{", b"}", b"[", b"\0", b"\xff", b"NaN", b"null", b"<"]
PIECES += [b">", b"\r", b"#", b"1", b"-", b"\xe2\x80\xa8", b"\\ud800"]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A valid file with up to six changes."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        change = draw(st.sampled_from(["byte", "insert", "delete", "cut", "repeat"]))
        if change == "byte" and data:
            data[at] = draw(st.integers(0, 255))
        elif change == "insert":
            data[at:at] = draw(st.sampled_from(PIECES))
        elif change == "delete":
            del data[at : at + draw(st.integers(1, 20))]
        elif change == "cut":
            del data[at:]
        elif change == "repeat":
            data[at:at] = data[max(0, at - draw(st.integers(1, 40))) : at]
    return bytes(data)


NAMES = st.sampled_from(["x", "a.run", "qrels.txt", "queries.jsonl", "corpus.tsv", "a.json"])
CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["run", "qrels", "queries", "documents"]),
        "encoding": st.sampled_from(["latin-1", "utf-16", "utf-8"]),
        "grades": st.sampled_from(["real", {"a": 1}]),
        "duplicates": st.sampled_from(["best", "first"]),
        "format": st.sampled_from([declared.name for declared in formats()]),
    },
)


@settings(max_examples=600, deadline=None)
@example(b'{"id_field":"", "queries":NaN ', "x", {})
@example(b'{"id_field":"", "topics":[{"query_groups":[1]}]}', "x", {})
@example(b'{"id_field":"", "queries":[{"relevant_documents":[1]}]}', "x", {"format": "rre"})
@given(st.one_of(st.binary(max_size=200), mutated(), mutated()), NAMES, CHOICES)
def test_a_table_or_an_error(data: bytes, name: str, choices: dict[str, Any]) -> None:
    try:
        loaded = read(data, name=name, **choices)
    except RanklensError as error:
        assert str(error)
    else:
        assert len(loaded.table) > 0
        assert loaded.title and loaded.file == name
    try:
        read_set(data, name=name)
    except RanklensError as error:
        assert str(error)


def test_every_example_reads_as_its_format() -> None:
    for declared in formats():
        if declared.magic:
            continue
        sample = read_sample(ReadAs().open_file(declared.example.encode(), "example"))
        is_asked = max(declared.recognise(sample).values()) == TOOL_AMBIGUOUS
        kind = declared.kinds[0] if is_asked else None
        loaded = read(declared.example.encode(), name="example", kind=kind)
        assert loaded.format in (declared.name, "topics"), declared.name
        assert loaded.kind in declared.kinds


def test_declarations_are_whole() -> None:
    names = [declared.name for declared in formats()]
    assert len(names) == len(set(names))
    for declared in formats():
        assert declared.title and declared.kinds and declared.explanation.endswith(".")
        assert all(ending.startswith(".") for ending in declared.endings)


@pytest.mark.parametrize(
    "choices", [{"kind": "runs"}, {"format": "xml"}, {"duplicates": "last"}, {"grades": "some"}]
)
def test_unknown_choices(choices: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        read(b"q1 Q0 d1 1 1 t\n", **choices)
