"""What a Parquet file is found to take is what it takes, however it was written."""

from __future__ import annotations

import io
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import read
from tests.parquet_of import DOUBLE, Column, Long, ids, page, parquet, text
from tests.random_cases import in_this_run

ROWS = 2_000
ENCODINGS = ("dictionary", "PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY")


def written(table: pa.Table, encoding: str, **options: object) -> bytes:
    """A table in which texts are written in this way."""
    texts = [f.name for f in table.schema if pa.types.is_string(f.type)]
    own: dict[str, object] = {"use_dictionary": True}
    if encoding != "dictionary":
        own = {"use_dictionary": False, "column_encoding": dict.fromkeys(texts, encoding)}
    out = io.BytesIO()
    pq.write_table(table, out, **{"data_page_size": 512, "row_group_size": 700, **own, **options})
    return out.getvalue()


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_layout_is_read(encoding: str, version: str) -> None:
    table = pa.table(
        {
            "query_id": [f"q{i // 10}" for i in range(ROWS)],
            "doc_id": [f"doc{i % 10:05}" for i in range(ROWS)],
            "score": np.arange(ROWS) / 3,
        }
    )
    nullable = [True, False]
    for codec, may in product(("none", "snappy", "gzip", "brotli", "lz4", "zstd"), nullable):
        schema = pa.schema([field.with_nullable(may) for field in table.schema])
        data = written(table.cast(schema), encoding, compression=codec, data_page_version=version)
        read_again = read(data).table.table
        assert read_again["doc_id"].to_pylist() == table["doc_id"].to_pylist()
        assert read_again["score"].to_pylist() == table["score"].to_pylist()


def test_a_text_written_once_counts_in_each_row() -> None:
    for encoding in ENCODINGS:
        table = pa.table({"query_id": [f"q{i}" for i in range(ROWS)], "text": ["t" * 1_000] * ROWS})
        data = written(table, encoding, compression="zstd")
        with pytest.raises(FileFormatError, match=r"found more than 1\.5 MB"):
            read(data, limit="1500kB")
        assert len(read(data, limit="3MB").table) == ROWS


def test_columns_that_are_not_read_are_not_counted() -> None:
    table = pa.table(
        {
            "query_id": [f"q{i}" for i in range(ROWS)],
            "doc_id": ["d"] * ROWS,
            "score": [1.5] * ROWS,
            "notes": ["n" * 1_000] * ROWS,
        }
    )
    assert len(read(written(table, "dictionary"), limit="500kB").table) == ROWS


def test_a_footer_that_does_not_fit_is_refused() -> None:
    column = Column("doc_id", [page(9, b"".join(text(b"d%d" % i) for i in range(9)))])
    score = Column("score", [], DOUBLE, told={9: Long(-1)})
    with pytest.raises(FileFormatError, match="a damaged or unsupported file"):
        read(parquet(9, [ids("query_id", 9), column, score]))


LISTS = pa.table(
    {
        "query_id": [f"q{i}" for i in range(300)],
        "hits": [[f"d{d}" for d in range(i % 7)] for i in range(300)],
        "gold_ids": [[["d1"], ["d2", "d3"]]] * 300,
    }
)


@pytest.mark.parametrize("encoding", ["dictionary", "PLAIN"])
def test_each_value_of_a_list_counts(encoding: str) -> None:
    def of(*documents: str) -> bytes:
        table = pa.table({"query_id": ["q"] * 3, "hits": [list(documents)] * 3})
        if encoding == "PLAIN":
            out = io.BytesIO()
            pq.write_table(table, out, use_dictionary=False, compression="zstd")
            return out.getvalue()
        return written(table, encoding, compression="zstd")

    many = of(*["d"] * 200_000)
    assert len(many) < 50_000
    with pytest.raises(FileFormatError, match="found more than 8 MB unpacked"):
        read(many, limit="8MB", duplicates="first")
    long = of(*["d" * 9_000] * 200)
    with pytest.raises(FileFormatError, match="found more than 4 MB"):
        read(long, limit="4MB", duplicates="first")
    assert len(read(of("a", "b"), limit="4MB", duplicates="first").table) == 2


def test_lists_whose_texts_are_written_as_differences_are_read() -> None:
    plain, deltas = io.BytesIO(), io.BytesIO()
    encoded = {"hits.list.element": "DELTA_BYTE_ARRAY"}
    pq.write_table(LISTS, plain)
    pq.write_table(LISTS, deltas, use_dictionary=False, column_encoding=encoded)
    found, wanted = (read(file.getvalue()).table.table for file in (deltas, plain))
    assert found.to_pydict() == wanted.to_pydict()


@pytest.mark.random
@pytest.mark.parametrize("lists", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_a_footer_that_is_damaged_anywhere_is_read_or_refused(lists: bool) -> None:
    """pyarrow ends the process where it is asked for a column of which the footer tells sizes that
    do not fit."""
    table = pa.table(
        {"query_id": ["q"] * 900, "doc_id": [f"d{i}" for i in range(900)], "score": [1.5] * 900}
    )
    table = LISTS.slice(0, 30) if lists else table
    data = bytearray(written(table, "PLAIN", row_group_size=300))
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    refused = 0
    step = in_this_run(4, 1)
    for at in range(footer, len(data) - 8, step):
        for bit in (4,) if lists else (1, 4):
            data[at] ^= bit
            try:
                read(bytes(data))
            except FileFormatError:
                refused += 1
            data[at] ^= bit
    assert refused > 100 // step


def test_many_texts_written_as_differences_are_read_with_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Counting them would take long: who gives a limit trusts the file."""
    monkeypatch.setattr("metrics_core.formats.source.parquet_size._MOST_STEPS", 2)
    monkeypatch.setattr("metrics_core.formats.source.parquet_size._ROWS_AT_ONCE", 100)
    monkeypatch.setattr("metrics_core.formats.source.limits.TABLE_FROM", 200_000)
    monkeypatch.setattr("metrics_core.formats.source.limits.TABLE_RATIO", 0)
    table = pa.table(
        {
            "query_id": [f"q{i:04}" for i in range(ROWS)],
            "doc_id": ["d" * (i % 20 + 1) for i in range(ROWS)],
            "score": np.arange(ROWS) / 3,
        }
    )
    data = written(table, "DELTA_BYTE_ARRAY")
    with pytest.raises(FileFormatError, match="with delta encoding"):
        read(data)
    assert len(read(data, limit="1GB").table) == ROWS
