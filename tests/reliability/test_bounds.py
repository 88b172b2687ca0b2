"""Bombs are refused soon and small; what is large and honest is read. In processes of their own,
whose time and memory are measured."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics_core.base.errors import FileFormatError, ParameterError
from metrics_core.formats import is_set, read, read_set
from metrics_core.formats.source.limits import Limit, parse_size

READING = """
import resource, sys, time
from metrics_core import formats
from metrics_core.base.errors import RanklensError
formats.read(b"q1 Q0 d1 1 1 t\\n", name="warm")
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
before, start = peak(), time.process_time()
reader = formats.read_set if sys.argv[2] == "set" else formats.read
try:
    read = reader(sys.argv[1])
    said = "read"
except RanklensError as error:
    said = str(error)
print(time.process_time() - start, peak() - before, said.replace("\\n", " "))
"""


def outcome(path: Path, door: str = "read") -> tuple[float, int, str]:
    """Seconds of computing, MB above the start, and what was said."""
    command = [sys.executable, "-c", READING, str(path), door]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, memory, said = done.stdout.strip().split(" ", 2)
    return float(seconds), int(memory), said


def one_value(rows: int, value: str) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([value]))


def many_rows(path: Path) -> None:
    """One id in 50 million rows."""
    part = pa.table({"query_id": one_value(10**6, "q"), "doc_id": one_value(10**6, "d" * 100)})
    part = part.append_column("score", pa.array(np.arange(10**6) / 7.0))
    with pq.ParquetWriter(path, part.schema, compression="zstd") as file:
        for _ in range(50):
            file.write_table(part)


def long_value(path: Path) -> None:
    """A text of 100 KB in 1 million rows, of which there are few cells."""
    ids = pa.array(range(10**6)).cast(pa.string())
    texts = one_value(10**6, "d" * 100_000)
    pq.write_table(pa.table({"query_id": ids, "text": texts}), path, compression="zstd")


def long_value_behind(path: Path) -> None:
    """The same behind short texts, where the first part does not show it."""
    ids = pa.array(range(10**5)).cast(pa.string())
    coded = pa.dictionary(pa.int32(), pa.string())
    with pq.ParquetWriter(path, pa.schema({"query_id": ids.type, "text": coded})) as file:
        for text in ("short", "d" * 100_000):
            file.write_table(pa.table({"query_id": ids, "text": one_value(10**5, text)}))


def many_keys(path: Path) -> None:
    """A key of its own in each of 9,000 lines."""
    lines = (json.dumps({"_id": f"q{i}", "text": "t", f"k{i}": "v"}) for i in range(9_000))
    path.write_text("\n".join(lines) + "\n")


def keys_in_each_line(path: Path) -> None:
    line = json.dumps({"_id": "q", "text": "t"} | {f"k{i}": "v" for i in range(9_000)})
    path.write_text((line + "\n") * 20)


def keys_in_details(path: Path) -> None:
    record = {"retrieved": ["a"], "expected": ["b"]}
    path.write_text(json.dumps([record | {"query": f"q{i}", f"k{i}": 1} for i in range(9_000)]))


def cells(path: Path) -> None:
    """4,000 columns and, from the first line and the last, 20,000 rows."""
    first = json.dumps({"_id": "q", "text": "t"} | {f"k{i}": "v" for i in range(4_000)})
    rest = (json.dumps({"_id": f"q{i}", "text": "t"}) for i in range(20_000))
    path.write_text("\n".join([first, *rest]) + "\n")


def zip_of_4_gb(path: Path) -> None:
    line = b"".join(b"q%d Q0 d%d 1 1 t\n" % (i % 7, i) for i in range(9_000))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("x.run", line * 2_000)
    data = path.read_bytes()  # the directory says 4 GB; 4 GB are not packed for a test
    size = (len(line) * 2_000).to_bytes(4, "little")
    assert data.count(size) == 2
    path.write_bytes(data.replace(size, (4 * 10**9 + 1).to_bytes(4, "little")))


def gzip_bomb(path: Path) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(30):
            file.write(b"q1 Q0 d1 1 1 t\n" * 10**6)


def lz4_bomb(path: Path) -> None:
    with pa.CompressedOutputStream(str(path), "lz4") as file:
        for _ in range(30):
            file.write(b"q1 Q0 d1 1 1 t\n" * 10**6)


def many_members(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("queries.jsonl", '{"_id": "q", "text": "t"}\n')
        for number in range(20_000):
            archive.writestr(f"{number}.run", "q Q0 d 1 1 t\n")


def long_id(path: Path) -> None:
    path.write_text('{"q1": {"' + "a" * 50_000_000 + '": 1.5}}')


def quotes(path: Path) -> None:
    path.write_text("query_id\ttext\nq1\t" + '"a\t' * 1_000_000 + "\n")


BOMBS: dict[str, tuple[Callable[[Path], None], str]] = {
    "rows.parquet": (many_rows, "50,000,000 rows of 3 columns"),
    "value.parquet": (long_value, "of texts stored once but used in many rows"),
    "behind.parquet": (long_value_behind, "of texts stored once but used in many rows"),
    "keys.jsonl": (many_keys, "cells, found"),
    "each.jsonl": (keys_in_each_line, "at most 4,096 columns"),
    "details.json": (keys_in_details, "at most 4,096 columns"),
    "cells.jsonl": (cells, "rows of 4,002 columns"),
    "4gb.zip": (zip_of_4_gb, "unpacks to 4 GB"),
    "x.run.gz": (gzip_bomb, "unpacks to more than"),
    "x.run.lz4": (lz4_bomb, "unpacks to more than"),
    "members.zip": (many_members, "found 20001 files"),
    "id.json": (long_id, "a doc_id of at most 1 MB"),
    "quotes.tsv": (quotes, "found 1000002"),
}


LONG_TO_MAKE = {"rows.parquet", "value.parquet", "x.run.lz4", "members.zip"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.thorough] * (n in LONG_TO_MAKE)) for n in BOMBS]
)
def test_bombs_are_refused_soon_and_small(tmp_path: Path, name: str) -> None:
    make, says = BOMBS[name]
    make(tmp_path / name)
    door = "set" if name in ("members.zip", "details.json") else "read"
    seconds, memory, said = outcome(tmp_path / name, door)
    assert says in said
    assert seconds < 2
    assert memory < 500


def run_on_one_line(path: Path, end: str) -> None:
    """A run of 268 MB as one line of JSON, with this at its end."""
    scores = ", ".join(f'"%d{i}": {30 - i / 50:.6f}' for i in range(1_000))
    with path.open("w") as file:
        file.write('{"q": {"d": 1.5}')
        for query in range(10_800):
            docs = scores.replace("%d", str(1_000_000 + query * 7))
            file.write(f', "{query}": {{{docs}}}')
        file.write(end)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "says"),
    [
        pytest.param("}", "read", marks=pytest.mark.thorough),
        pytest.param(', "z": {"a": "b"}}', 'found `"b"`', marks=pytest.mark.thorough),
    ],
)
def test_a_run_of_268_mb_on_one_line(tmp_path: Path, end: str, says: str) -> None:
    path = tmp_path / "x.json"
    run_on_one_line(path, end)
    size = path.stat().st_size
    seconds, memory, said = outcome(path)
    assert size > 268_000_000 and says in said
    assert memory < 10 * (size >> 20)
    assert seconds < 30  # of both cores; 15 s by the clock on a machine that does nothing else


def test_values_that_repeat_are_read(tmp_path: Path) -> None:
    texts = one_value(1_000, "a text of many words " * 50)
    ids = pa.array(range(1_000)).cast(pa.string())
    pq.write_table(pa.table({"query_id": ids, "text": texts}), tmp_path / "y.parquet")
    assert len(read(tmp_path / "y.parquet").table) == 1_000


# The limit as a choice

RUN = "".join(f"q{i // 10} Q0 d{i} 1 {100 - i}.5 t\n" for i in range(100)).encode()


@pytest.mark.parametrize(
    ("given", "size"),
    [("2GB", 2 * 10**9), ("500 mb", 5 * 10**8), ("1.5kB", 1_500), (7, 7), ("7", 7), ("1t", 10**12)],
)
def test_sizes(given: Any, size: int) -> None:
    assert parse_size(given) == size


@pytest.mark.parametrize("given", ["", "GB", "-1", "0", 0, "1e9", "٣", True, "2 GiB", "9" * 99])
def test_what_is_no_size(given: Any) -> None:
    with pytest.raises(ParameterError, match="is not a valid size"):
        read(RUN, limit=given)


def test_the_error_names_the_limit_the_size_and_how_to_raise_it() -> None:
    with pytest.raises(FileFormatError) as caught:
        read(RUN, name="x.run", limit=1_000)
    assert str(caught.value) == (
        f"x.run: expected at most 1,000 bytes, found {len(RUN):,} bytes\nIf this size is intended"
        " and you have enough memory, use `--limit 1GB` on the command line or"
        ' limit="1GB" in Python.'
    )
    assert len(read(RUN, limit=len(RUN)).table) == 100


def test_a_given_limit_lifts_the_suspicion(monkeypatch: pytest.MonkeyPatch) -> None:
    data = gzip.compress(b"q1 Q0 d1 1 1 t\n" + b"# %s\n" % (b"x" * 100) * 700_000)
    with pytest.raises(FileFormatError, match="50 times the compressed size"):
        read(data)
    assert len(read(data, limit="1GB").table) == 1


def test_cells_follow_the_limit() -> None:
    assert Limit.from_size("64MB").cell_limit == 10**6
    table = "query_id,text,a\n" + "".join(f"{i},t,\n" for i in range(2_000))
    assert len(read(table.encode(), limit="1MB").table) == 2_000
    with pytest.raises(FileFormatError, match="2,000 rows of 3 columns"):
        read(table.encode(), limit=100_000)


# Sets take the same choices


def beir(run: str, qrels: str = "q1\td1\t1\n") -> dict[str, bytes]:
    head = "query-id\tcorpus-id\tscore\n"
    return {
        "queries.jsonl": '{"_id": "q1", "text": "café"}\n'.encode("latin-1"),
        "qrels/test.tsv": (head + qrels).encode(),
        "bm25.run": run.encode(),
    }


def zipped(folder: Path, files: dict[str, bytes]) -> bytes:
    path = folder / "set.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path.read_bytes()


def test_a_set_takes_the_choices_of_a_file(tmp_path: Path) -> None:
    twice = "q1 Q0 d1 1 2.5 t\nq1 Q0 d1 2 3.5 t\n"
    data = zipped(tmp_path, beir(twice, "q1\td1\t0.5\n"))
    with pytest.raises(FileFormatError) as caught:
        read_set(data)
    assert caught.value.offer == "encoding=latin-1"
    with pytest.raises(FileFormatError) as caught:
        read_set(data, encoding="latin-1")
    assert caught.value.offer == "grades=real"
    with pytest.raises(FileFormatError) as caught:
        read_set(data, encoding="latin-1", grades="real")
    assert caught.value.offer == "duplicates=best"
    for choice, score in (("best", 3.5), ("first", 2.5)):
        loaded = read_set(data, encoding="latin-1", grades="real", duplicates=choice)
        tables = {part.kind: part.table for part in loaded}
        assert tables["run"].table["score"].to_pylist() == [score]
        assert tables["qrels"].table["relevance"].to_pylist() == [0.5]
    with pytest.raises(ParameterError):
        read_set(data, duplicates="last")


def test_a_zip_may_unpack_to_the_limit_altogether(tmp_path: Path) -> None:
    files = (
        beir(RUN.decode()) | {"two.run": RUN} | {"queries.jsonl": b'{"_id": "q", "text": "t"}\n'}
    )
    data = zipped(tmp_path, files)
    assert len(read_set(data, limit=10_000)) == 4
    with pytest.raises(FileFormatError, match="at most 3,000 bytes"):
        read_set(data, limit=3_000)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (
            '{"query": "q", "retrieved": ["a"], "expected": "b"}',
            "expected several tables in one file, found a run",
        ),
        ('{"query": "q"}', "found no column for doc_id and score"),
    ],
)
def test_nearly_detailed_results_are_refused_as_what_they_are(record: str, told: str) -> None:
    data = f"[{record}]".encode()
    assert not is_set(data)
    with pytest.raises(FileFormatError) as caught:
        read_set(data, name="x.json")
    assert told in str(caught.value)


def test_a_file_of_several_tables_is_refused_for_what_is_wrong_with_it() -> None:
    whole = b'[{"query": "q", "retrieved": ["a"], "expected": ["b"]}]'
    for content, limit, told in [
        (whole, 20, "expected at most 20 bytes"),
        (gzip.compress(whole * 300), 200, "unpacks to more than 200 bytes"),
        (gzip.compress(whole)[:-6], None, "x.json"),
    ]:
        with pytest.raises(FileFormatError) as caught:
            read_set(content, name="x.json", limit=limit)
        assert told in str(caught.value) and "BEIR" not in str(caught.value)


# Names


@pytest.mark.parametrize("name", ["\udcff.run", "\ud800", "a\0b", "x" * 300, "", "/", ".."])
def test_names_of_any_bytes(name: str) -> None:
    assert read(RUN, name=name).file.encode()
    with pytest.raises(FileFormatError) as caught:
        read(Path("nowhere") / name)
    assert str(caught.value).encode()
