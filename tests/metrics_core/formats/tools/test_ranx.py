"""What ranx packs with LZ4; what it writes otherwise is read by tests/oracle."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any

import pytest

from dashboard.files.uploaded_file import UploadedFile, tables_of
from metrics_core import evaluate
from metrics_core.__main__ import main
from metrics_core.base.errors import FileFormatError
from metrics_core.formats import is_set, read_each
from metrics_core.tables import Run

cbor2 = pytest.importorskip("cbor2")
lz4 = pytest.importorskip("lz4.frame")

RUN = {"007": {"d é": 0.1 + 0.2, "1e5": 0.25, "d3": -1e-300}, "q2": {"d3": 1.5}}
WRITTEN = base64.b85decode(
    "1R_lsKtRAz0001k1R_lsXh1yx0RZqdJOBUy@BpG?FfccxWMm-2srx_EGXVgRG-EMkHTyr%0098-0b*n``+=oyAHw+a"
    "Sz>WAp%4IoKllIu000000000000000"
)
"""RUN, by Run.save of ranx 0.3.21."""
QRELS = {"007": {"d é": 2, "d3": 1}, "q2": {"d3": 1, "d4": 0}}
TREC = b"".join(
    f"{q}\tQ0\t{d}\t{rank}\t{score!r}\tx\n".encode()
    for q, docs in RUN.items()
    for rank, (d, score) in enumerate(docs.items(), 1)
)


def packed(content: Any) -> bytes:
    """As ranx packs it; bytes as they are."""
    own = content if isinstance(content, bytes) else cbor2.dumps(content)
    return bytes(lz4.compress(lz4.compress(own)))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run as its Run.save packs it, and judgments; tests/oracle has files that it wrote."""
    folder = tmp_path_factory.mktemp("ranx")
    (folder / "mine.lz4").write_bytes(WRITTEN)
    (folder / "qrels.json").write_text(json.dumps(QRELS, indent=2))
    return folder


def rows_of(table: Any) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query_id, doc_id, number in (row.values() for row in table.table.to_pylist()):
        found.setdefault(query_id, {})[doc_id] = number
    return found


def test_a_saved_run_is_read_as_it_was(saved: Path) -> None:
    (loaded,) = read_each(saved / "mine.lz4")
    assert isinstance(loaded.table, Run) and loaded.table.name == "mine"
    assert rows_of(loaded.table) == RUN
    assert loaded.notes == () and not is_set(saved / "mine.lz4")


def test_scores_are_those_of_trec_lines_to_the_bit(
    saved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = saved / "lines.trec"
    lines.write_bytes(TREC)
    qrels, run = str(saved / "qrels.json"), saved / "mine.lz4"
    ours, theirs = (evaluate(path, qrels, ["nDCG", "AP", "RR"]) for path in (run, lines))
    assert ours.drop(columns="run").equals(theirs.drop(columns="run"))
    assert main(["evaluate", qrels, str(run), "-m", "AP", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert "mine,all,AP,0.916" in out and "mine.lz4" not in err


def test_in_the_browser(saved: Path) -> None:
    content = (saved / "mine.lz4").read_bytes()
    (loaded,) = tables_of(UploadedFile("up.lz4", content))
    assert (loaded.kind, loaded.table.name, loaded.title) == (  # type: ignore[union-attr]
        *("run", "up"),
        "ranx: query, document, score",
    )


def test_whole_numbers_and_empty_queries() -> None:
    (loaded,) = read_each(packed({"q1": {"d1": 3, "d2": -2}, "q2": {}}), name="x.lz4")
    assert rows_of(loaded.table) == {"q1": {"d1": 3.0, "d2": -2.0}}
    assert [(n.message, n.examples) for n in loaded.notes] == [
        ("1 query without documents", ("q2",))
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"q1": {"d1": float("nan")}}, "expected a finite number as score, found `nan` at q1.d1"),
        ({"q1": {"d1": "x"}}, "expected a finite number as score, found a text at q1.d1"),
        ({"q1": ["d1"]}, "expected a map, found a list at q1, before byte 5"),
        ({1: {"d1": 1.0}}, "expected an id, as a text, found a number, before byte 2"),
        ({"q1": {}}, "no document for any query"),
        (cbor2.dumps({"q1": {"d1": 1.5}})[:-2], "expected a whole file, found its end"),
        (cbor2.dumps({"q1": {"d1": 1.5}}) + b"x", "more behind the map"),
        (b"\xbb" + b"\xff" * 8, "expected a whole file, found its end"),  # 2**64 entries
        (b"\xa1\x7b" + b"\xff" * 8, "expected a whole file, found its end"),
        (b"\xbf\xff", "a value of unknown length"),
        (b"\xa1\x61q\xa1\x61\xff\x01", "bytes that are not UTF-8"),
        (b"\xa1\x61q\xa2\x61d\x01\x61d\x02", "document d of query q a second time"),
        (b"q1 Q0 d1 1 1 x\n", "a file packed with LZ4 twice"),
    ],
)
def test_what_is_broken_is_refused_where_it_stands(content: Any, words: str) -> None:
    with pytest.raises(FileFormatError) as refused:
        read_each(packed(content), name="x.lz4")
    assert words in str(refused.value) and refused.value.hint


@pytest.mark.parametrize("content", [bytes(400_000_000), b"\xa1" + bytes(400_000_000)])
def test_a_bomb_is_refused_at_once(content: bytes) -> None:
    bomb = packed(content)
    assert len(bomb) < 100_000
    begun = time.perf_counter()
    with pytest.raises(FileFormatError):
        read_each(bomb, name="x.lz4")
    assert time.perf_counter() - begun < 2


def test_damage_is_told() -> None:
    with pytest.raises(FileFormatError, match="damaged or cut off"):
        read_each(packed(RUN)[:-20], name="x.lz4")
