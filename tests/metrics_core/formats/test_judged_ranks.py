"""Judged ranks as files: a part, a folder as Spark leaves it, a zip of one; broken ones."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics_core import read, read_judged_ranks, read_set, write
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.formats import guess_file_kind, has_judged_ranks, is_set, table_bytes
from metrics_core.formats.parsing.columns import JUDGED_RANKS_COLUMNS as COLUMNS
from metrics_core.tables import RankedRun, Run

ROWS = [
    ("b", "q1", 4, 2, None, 1),
    ("a", "q3", 9, 0, None, 1),
    ("a", "q1", 5, 2, "d1", 5),
    ("a", "q1", 5, 2, None, 1),
    ("a", "q1", 5, 2, "d2", 3),
]


def part(rows: list[tuple[Any, ...]], **columns: Any) -> bytes:
    """A Parquet file of these rows; `columns` replaces some, None leaves one out."""
    table = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)) | columns
    out = io.BytesIO()
    pq.write_table(pa.table({n: v for n, v in table.items() if v is not None}), out)
    return out.getvalue()


def folder_of(path: Path, *parts: bytes) -> Path:
    """A folder as Spark writes it."""
    path.mkdir()
    for i, content in enumerate(parts):
        (path / f"part-{i:05}-4f-c000.snappy.parquet").write_bytes(content)
        (path / f".part-{i:05}-4f-c000.snappy.parquet.crc").write_bytes(b"crc")
    (path / "_SUCCESS").write_bytes(b"")
    return path


def zip_of(folder: Path) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for path in folder.iterdir():
            packed.write(path, f"ranks/{path.name}")
    return out.getvalue()


def test_a_file_a_folder_and_a_zip_are_the_same_runs(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "ranks", part(ROWS[:2]), part(ROWS[2:]))
    whole = part(ROWS)
    for source in (whole, folder, str(folder), zip_of(folder)):
        assert is_set(source) and has_judged_ranks(source)
        a, b = read_judged_ranks(source)
        assert (a.name, b.name) == ("a", "b")
        assert a.query_ids == ["q1", "q3"] and a.lengths.tolist() == [5, 9]
        assert a.table["doc_id"].to_pylist() == ["d2", "d1", None]
        assert a.notes[0].message.startswith(
            "only the ranks of judged documents were loaded: of 14 listed documents, only the"
        )
        assert b.notes[0].message.count("the 0 judged ones")
    glance = guess_file_kind(whole)
    assert glance is not None and glance.kind == "run"
    named = read_set(whole, name="ranks.parquet")
    assert [one.file for one in named] == ["ranks.parquet/a", "ranks.parquet/b"]
    assert {one.format for one in named} == {"judged-ranks"} and named[0].kind == "run"


def test_a_single_part_says_that_it_is_one() -> None:
    (only,) = read_set(part(ROWS[:1]), name="part-00003-4f.snappy.parquet")
    assert [note.kind for note in only.notes] == ["judged_ranks", "part"] and only.notes[1].loud
    (whole,) = read_set(part(ROWS[:1]), name="ranks.parquet")
    assert [note.kind for note in whole.notes] == ["judged_ranks"]


def test_types_that_mean_the_same() -> None:
    numbers = {
        c: pa.array([r[i] for r in ROWS], pa.int32()) for i, c in ((2, "retrieved"), (5, "rank"))
    }
    texts = {
        "query_id": pa.array([1, 3, 1, 1, 1]),
        "run": pa.array(["b", "a", "a", "a", "a"], pa.large_string()),
    }
    a, b = read_judged_ranks(part(ROWS, **numbers, **texts))
    assert (a.query_ids, b.query_ids) == (["1", "3"], ["1"])


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    a, _ = read_judged_ranks(part(ROWS))
    (again,) = read_judged_ranks(table_bytes(a, "parquet"))
    assert again.name == "a" and again.has_same_rows(a)
    for name in ("trec", "csv", "jsonl"):
        with pytest.raises(RanklensError, match="it can only be stored as Parquet"):
            write(a, tmp_path / "a.run", name)
    assert not (tmp_path / "a.run").exists()


def test_read_gives_one_run_or_says_how_many_there_are() -> None:
    loaded = read(part(ROWS[:1]), name="b.parquet")
    assert isinstance(loaded.table, RankedRun) and loaded.file == "b.parquet"
    with pytest.raises(FileFormatError, match="ranks of judged documents from 2 runs: a and b"):
        read(part(ROWS), name="ranks.parquet")
    with pytest.raises(FileFormatError, match="expected a table with one row per document"):
        read(part(ROWS), name="ranks.parquet", format="parquet", kind="run")
    with pytest.raises(FileFormatError, match="This looks like a run"):
        read(part(ROWS), name="ranks.parquet", kind="qrels")


def test_other_parquet_is_what_it_was() -> None:
    out = io.BytesIO()
    pq.write_table(pa.table({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]}), out)
    assert not is_set(out.getvalue())
    assert type(read(out.getvalue(), name="bm25.parquet").table) is Run


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (part(ROWS, rank=None), "no column rank among run, query_id"),
        (part(ROWS, rank=[1.5, 1, 5, 1, 3]), "`rank` of the type double"),
        (part(ROWS, retrieved=["4"] * 5), "`retrieved` of the type string"),
        (part(ROWS, rank=[1, None, 5, 1, 3]), r"nothing \(row 2\)"),
        (part(ROWS, retrieved=[2**62] * 5), "retrieved ≤ 1,099,511,627,776"),
        (part(ROWS[3:], rank=[0, -1]), r"(?s)rank 0 of .* also found rank -1 of .*\(row 2\)"),
        (part(ROWS, run=["b", "", "a", "a", "a"]), r"nothing \(row 2\)"),
        (part(ROWS, query_id=["q1", None, "q1", "q1", "q1"]), r"nothing \(row 2\)"),
        (part(ROWS, rank=[1, 1, 6, 1, 3]), r"rank 6 of 5 retrieved, 2 judged \(row 3\)"),
        (part(ROWS, doc_id=[None, None, "d2", None, "d2"]), r"again \(row 5\)"),
        (part(ROWS[:0] or ROWS)[:-9], "expected"),
        (b"PAR1 and no more", "expected"),
    ],
)
def test_broken_parts_are_refused_by_name(tmp_path: Path, content: bytes, found: str) -> None:
    """The broken part stands behind a sound one, which names no list of it."""
    sound = part([("c", "q1", 3, 1, "d1", 2)])
    folder = folder_of(tmp_path / "ranks", sound, content)
    with pytest.raises(FileFormatError, match=found) as refused:
        read_judged_ranks(folder, name="ranks")
    assert refused.value.file.startswith("ranks/part-00001-4f")
    assert refused.value.hint


def test_a_part_given_twice_and_a_folder_without_rows(tmp_path: Path) -> None:
    twice = folder_of(tmp_path / "twice", part(ROWS), part(ROWS[2:]))
    with pytest.raises(FileFormatError, match="d1 at rank 5 again") as refused:
        read_judged_ranks(twice)
    assert "part loaded twice" in refused.value.hint
    empty = pa.table(
        {
            n: pa.array([], pa.string() if n in ("run", "query_id", "doc_id") else pa.int64())
            for n in COLUMNS
        }
    )
    out = io.BytesIO()
    pq.write_table(empty, out)
    with pytest.raises(FileFormatError, match="no row"):
        read_judged_ranks(folder_of(tmp_path / "empty", out.getvalue()))
    (only,) = read_judged_ranks(folder_of(tmp_path / "some", out.getvalue(), part(ROWS[:1])))
    assert only.name == "b"


def test_folders_of_other_files_are_none(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "mixed", part(ROWS))
    (folder / "qrels.txt").write_text("q1 0 d1 1\n")
    assert (
        not has_judged_ranks(folder)
        and not has_judged_ranks(tmp_path)
        and not has_judged_ranks("nowhere")
    )
    with pytest.raises(FileFormatError, match="other files, or no files"):
        read_judged_ranks(folder)
