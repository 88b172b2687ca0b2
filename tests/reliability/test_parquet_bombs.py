"""Small Parquet files that unpack to gigabytes are refused soon and small, through every door by
which a file comes in, each in a process of its own, whose whole memory is measured."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.parquet_of import (
    CODECS,
    DATA_V2,
    DELTA_BYTES,
    DICTIONARY,
    FIXED,
    INT64,
    RLE_DICTIONARY,
    Column,
    deltas,
    ids,
    page,
    parquet,
    repeated,
    scores,
    text,
)

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

MOST_MB = 500
ROOT = Path(__file__).resolve().parents[2]

PEAK = """
from pathlib import Path


def peak():  # getrusage tells that of the process that began this one, if it was larger
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM"))


"""

READING = (
    PEAK
    + """
import sys
from metrics_core.base.errors import RanklensError

door, path = sys.argv[1], Path(sys.argv[2])
try:
    if door == "read":
        from metrics_core.formats import read
        read(path)
    elif door == "set":
        from metrics_core.formats import read_set
        read_set(path)
    else:
        from dashboard.workspace.exports import table_checks
        from dashboard.workspace.disk.records import DamagedRecordError, Entry
        try:
            entry = Entry("1", "run", "a", "a.parquet", "Parquet", 1, 1, 0, "", "", "")
            table_checks.check_table(entry, path.read_bytes())
        except DamagedRecordError as error:
            raise RanklensError(str(error))
    said = "read"
except RanklensError as error:
    said = str(error)
print(peak(), said.replace("\\n", " "))
"""
)


def outcome(door: str, path: Path) -> tuple[int, str]:
    """The MB that a process takes which opens a file by this door, and what it says."""
    command = [sys.executable, "-c", READING, door, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    memory, said = done.stdout.strip().split(" ", 1)
    return int(memory), said


ROWS = 1_000_000
SOME = 20_000


def run_of(rows: int, *columns: Column) -> bytes:
    """A run, or what would be one."""
    return parquet(rows, [*columns, scores(rows)])


def shared(codec: str = "zstd", kind: int = 0) -> bytes:
    """DELTA_BYTE_ARRAY: each of 20,000 ids is the one before, of 200,000 bytes."""
    long = b"d" * 200_000
    data = deltas(0, len(long), SOME) + deltas(len(long), 0, SOME) + long
    column = Column("doc_id", [page(SOME, data, DELTA_BYTES, codec, kind=kind)], codec=codec)
    return run_of(SOME, ids("query_id", SOME), column)


def shared_later() -> bytes:
    """The same in the tenth page, behind nine of short ids."""
    whole = b"".join(text(b"%d" % i) for i in range(SOME))
    long = b"d" * 200_000
    data = deltas(0, len(long), SOME) + deltas(len(long), 0, SOME) + long
    pages = [*[page(SOME, whole)] * 9, page(SOME, data, DELTA_BYTES)]
    return run_of(10 * SOME, Column("query_id", [page(SOME, whole)] * 10), Column("doc_id", pages))


def one_text(length: int, rows: int = ROWS, told: dict[int, object] | None = None) -> Column:
    """One text in all rows, written once."""
    word = page(1, text(b"d" * length), kind=DICTIONARY)
    codes = page(rows, repeated(rows), RLE_DICTIONARY)
    return Column("doc_id", [word, codes], has_dictionary=True, told=told or {})


def long_word() -> bytes:
    """3,000 bytes in a million rows."""
    return run_of(ROWS, ids("query_id", ROWS), one_text(3_000))


def hidden_dictionary() -> bytes:
    """The same, and the footer tells of no dictionary: it begins with a data page."""
    column = one_text(3_000)
    start = Column("doc_id", column.pages)
    return run_of(ROWS, ids("query_id", ROWS), start)


def other_path() -> bytes:
    """The same, and the footer calls the column another."""
    return run_of(ROWS, ids("query_id", ROWS), one_text(3_000, told={3: [b"x"]}))


def nested() -> bytes:
    """A text of 3,000 bytes in each of a million lists, written once."""
    out = pa.BufferOutputStream()
    words = pa.DictionaryArray.from_arrays(pa.array(np.zeros(ROWS, np.int8)), ["d" * 3_000])
    lists = pa.ListArray.from_arrays(pa.array(np.arange(ROWS + 1, dtype=np.int32)), words)
    pq.write_table(pa.table({"query_id": np.arange(ROWS), "doc_id": lists}), out)
    return out.getvalue().to_pybytes()


def few_rows() -> bytes:
    """40 row groups of 90 rows with a text of 1 MB, each written once."""
    column = one_text(1_000_000, 90)
    return parquet(90, [ids("query_id", 90), column, scores(90)], groups=40)


def fixed() -> bytes:
    """A word of a fixed length, 3,000 bytes, in a million rows."""
    pages = [page(1, b"d" * 3_000, kind=DICTIONARY), page(ROWS, repeated(ROWS), RLE_DICTIONARY)]
    column = Column("doc_id", pages, FIXED, length=3_000, has_dictionary=True)
    return run_of(ROWS, ids("query_id", ROWS), column)


def many_groups() -> bytes:
    """A footer of nothing but 60,000 row groups."""
    column = Column("doc_id", [page(1, text(b"d"))])
    return parquet(1, [ids("query_id", 1), column, scores(1)], groups=60_000)


def many_cells() -> bytes:
    """A million queries with 55 columns of one number."""
    word = page(1, (7).to_bytes(8, "little"), kind=DICTIONARY)
    pages = [word, page(ROWS, repeated(ROWS), RLE_DICTIONARY)]
    more = [Column(f"c{i}", pages, INT64, has_dictionary=True) for i in range(55)]
    return parquet(
        ROWS, [ids("query_id", ROWS), Column("text", one_text(1).pages, has_dictionary=True), *more]
    )


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "shared": (shared, "at most 256 MB"),
    **{
        f"shared {codec}": (lambda codec=codec: shared(codec), "at most 256 MB")
        for codec in ("none", "snappy", "gzip", "brotli", "lz4_raw")
    },
    "shared v2": (lambda: shared(kind=DATA_V2), "at most 256 MB"),
    "shared later": (shared_later, "at most 256 MB"),
    "long word": (long_word, "at most 256 MB"),
    "hidden dictionary": (hidden_dictionary, "at most 256 MB"),
    "other path": (other_path, "at most 256 MB"),
    "nested": (nested, "lists or structs"),
    "few rows": (few_rows, "at most 256 MB"),
    "fixed": (fixed, "at most 256 MB"),
    "many groups": (many_groups, "a footer of"),
    "many cells": (many_cells, "at most 256 MB"),
}


@lru_cache(1)
def made(name: str) -> bytes:
    """A bomb, made once for both doors."""
    return BOMBS[name][0]()


def _marks(name: str) -> list[pytest.MarkDecorator]:
    """The ways to pack a page are one bomb; a footer of many groups takes its time to make."""
    known = name.removeprefix("shared ") in CODECS or name == "many groups"
    return [pytest.mark.thorough] if known else []


@pytest.mark.slow
@pytest.mark.parametrize("door", ["read", pytest.param("packed", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", [pytest.param(n, marks=_marks(n)) for n in BOMBS])
def test_bombs_are_refused_small(name: str, door: str, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(made(name))
    memory, said = outcome(door, path)
    assert BOMBS[name][1] in said
    assert memory < MOST_MB


OPENING = (
    PEAK
    + """
from streamlit.testing.v1 import AppTest

app = AppTest.from_file("dashboard/app.py", default_timeout=120)
app.run()
app.switch_page("app_pages/data.py").run()
assert not app.exception, app.exception
said = " ".join(part.proto.body for part in app.get("html")).replace("\\n", " ")
print(peak(), said)
"""
)


@pytest.mark.slow
@pytest.mark.thorough
def test_bombs_in_the_data_folder_leave_the_rest_to_be_seen(tmp_path: Path) -> None:
    for name in ("shared", "few rows", "long word"):
        (tmp_path / f"{name.replace(' ', '-')}.parquet").write_bytes(BOMBS[name][0]())
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "honest.run").write_text("q1 Q0 d1 1 1.5 a\n")
    done = subprocess.run(
        [sys.executable, "-c", OPENING],
        cwd=ROOT,
        env={
            **os.environ,
            "RANKLENS_DATA": str(tmp_path),
            "RANKLENS_WORKSPACE": str(tmp_path / "w"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    memory, said = done.stdout.strip().split(" ", 1)
    assert "Two files are loaded" in said and "Three could not be read" in said
    assert int(memory) < MOST_MB
