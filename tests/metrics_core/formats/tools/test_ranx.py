"""What ranx packs with LZ4; what it writes otherwise is read by tests/oracle."""

from __future__ import annotations

import base64
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from dashboard.files.uploaded_file import UploadedFile, read_tables
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.formats import is_set, read, read_all_tables
from metrics_core.tables import Run
from tests.metrics_core.formats.tools.looking import (
    as_json,
    hold_to_trec,
    notes,
    on_the_command_line,
    refused,
    rows,
    trec_of,
    written,
)

cbor2 = pytest.importorskip("cbor2")
lz4 = pytest.importorskip("lz4.frame")

RUN = {"007": {"d é": 0.1 + 0.2, "1e5": 0.25, "d3": -1e-300}, "q2": {"d3": 1.5}}
WRITTEN = base64.b85decode(
    "1R_lsKtRAz0001k1R_lsXh1yx0RZqdJOBUy@BpG?FfccxWMm-2srx_EGXVgRG-EMkHTyr%0098-0b*n``+=oyAHw+a"
    "Sz>WAp%4IoKllIu000000000000000"
)
"""RUN, by Run.save of ranx 0.3.21."""
QRELS = {"007": {"d é": 2, "d3": 1}, "q2": {"d3": 1, "d4": 0}}


def packed(content: Any) -> bytes:
    """As ranx packs it; bytes as they are."""
    own = content if isinstance(content, bytes) else cbor2.dumps(content)
    return bytes(lz4.compress(lz4.compress(own)))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run as its Run.save packs it, and judgments; tests/oracle has files that it wrote."""
    folder = tmp_path_factory.mktemp("ranx")
    written(folder, {"mine.lz4": WRITTEN, "qrels.json": as_json(QRELS, indent=2)})
    return folder


def test_a_saved_run_is_read_as_it_was(saved: Path) -> None:
    (loaded,) = read_all_tables(saved / "mine.lz4")
    assert isinstance(loaded.table, Run) and loaded.table.name == "mine"
    assert rows(loaded) == RUN
    assert loaded.notes == () and not is_set(saved / "mine.lz4")


def test_scores_are_those_of_trec_lines_to_the_bit(
    saved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, run = saved / "qrels.json", saved / "mine.lz4"
    hold_to_trec(read(run), trec_of(RUN), qrels)
    ((*told, value),), said = on_the_command_line(capsys, qrels, run, "-m", "AP")
    assert told == ["mine", "all", "AP"] and value.startswith("0.916") and "mine.lz4" not in said


def test_in_the_browser(saved: Path) -> None:
    content = (saved / "mine.lz4").read_bytes()
    (loaded,) = read_tables(UploadedFile("up.lz4", content))
    assert (loaded.kind, loaded.table.name, loaded.title) == (  # type: ignore[union-attr]
        *("run", "up"),
        "ranx: query, document, score",
    )


def test_whole_numbers_and_empty_queries() -> None:
    (loaded,) = read_all_tables(packed({"q1": {"d1": 3, "d2": -2}, "q2": {}}), name="x.lz4")
    assert rows(loaded) == {"q1": {"d1": 3.0, "d2": -2.0}}
    assert notes(loaded) == ["1 query without documents: q2"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            {"q1": {"d1": float("nan")}},
            "expected a finite number as the score, found `nan` at q1.d1",
        ),
        ({"q1": {"d1": "x"}}, "expected a finite number as the score, found `'x'` at q1.d1"),
        ({"q1": {"d1": True}}, "expected a finite number as the score, found `True` at q1.d1"),
        ({"q1": ["d1"]}, "found ['d1'] as the documents of 'q1'"),
        ({1: {"d1": 1.0}}, "found {'d1': 1.0} as the documents of 1"),
        ({"q1": {1: 1.0}}, "found the document 1 of query q1"),
        ({"q1": {"d1": date(2026, 1, 1)}}, "found a tag"),
        ({"q1": {"d1": 2**70}}, "found a tag"),
        ({"q1": {"d1": {"a": {"b": 1}}}}, "depth"),
        ({"q1": {}}, "no documents for any query"),
        (cbor2.dumps({"q1": {"d1": 1.5}})[:-2], "premature end"),
        (cbor2.dumps({"q1": {"d1": 1.5}}) + b"x", "more data after the map"),
        (b"\xbb" + b"\xff" * 8, "premature end"),  # 2**64 entries
        (b"\xa1\x7b" + b"\xff" * 8, "premature end"),
        (b"\xbf\xff", "indefinite length"),
        (b"\xa1\x61q\xa1\x61\xff\x01", "can't decode byte 0xff"),
        (b"\xa1\x61q\xa2\x61d\x01\x61d\x02", "Duplicate map key: 'd'"),
        (b"q1 Q0 d1 1 1 x\n", "a file compressed twice with LZ4"),
    ],
)
def test_what_is_broken_is_refused_where_it_stands(content: Any, words: str) -> None:
    assert refused(packed(content), "x.lz4", words)


@pytest.mark.parametrize("content", [bytes(400_000_000), b"\xa1" + bytes(400_000_000)])
def test_a_bomb_is_refused_at_once(content: bytes) -> None:
    bomb = packed(content)
    assert len(bomb) < 100_000
    begun = time.perf_counter()
    with pytest.raises(FileFormatError):
        read_all_tables(bomb, name="x.lz4")
    assert time.perf_counter() - begun < 2


def test_damage_is_told() -> None:
    refused(packed(RUN)[:-20], "x.lz4", "damaged or truncated")


def test_without_cbor2_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cbor2", None)
    with pytest.raises(RanklensError, match=r"cbor2[\s\S]*pip install .*\[ranx\]"):
        read(WRITTEN, name="x.lz4")
