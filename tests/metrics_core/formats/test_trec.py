"""TREC runs and qrels: the fast and the careful path mean the same, whatever the file."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import Kind, read, read_qrels, read_run
from metrics_core.formats.parsing import trec_lines
from metrics_core.formats.registry import Request
from metrics_core.formats.source import source
from metrics_core.formats.source.opening import open_source
from metrics_core.formats.trec import read_trec
from tests.random_cases import examples

ODD = ["q1", "q2", "d1", "d2", "Q0", "0", "1", "-1", "+1", ".5", "1.", "1e5", "+-1", "inf", "nan"]
ODD += ["1e400", "NA", "0x10", "1_0", "#", "\ufeff", "\u2028", "\x0b", "٣", '"', '""', ",", "tag"]
SEPARATOR = st.sampled_from([" ", "\t", "  ", " \t"])
END = st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n", ""])
TEXT = st.text(st.characters(exclude_characters=" \t\r\n\0", codec="utf-8"), min_size=1, max_size=9)


@st.composite
def odd_lines(draw: st.DrawFn) -> str:
    """Anything between blanks and tabs."""
    fields = draw(st.lists(st.sampled_from(ODD), max_size=8))
    return draw(SEPARATOR).join(fields) + draw(st.sampled_from(["", " ", "\t"])) + draw(END)


@st.composite
def run_lines(draw: st.DrawFn) -> str:
    """Run lines, nearly right."""
    query = draw(st.sampled_from(["q1", "q2", "#q", "\ufeffq"]))
    rank = draw(st.sampled_from(["1", "2", "3", "x", "1.5", "inf", "0x1", "1e3"]))
    score = draw(st.one_of(st.floats().map(repr), st.sampled_from(ODD)))
    tag = draw(st.sampled_from(["t", "u", "t u", ""]))
    fields = [query, "Q0", draw(TEXT), rank, score, tag]
    return draw(SEPARATOR).join(fields) + draw(END)


@st.composite
def qrels_lines(draw: st.DrawFn) -> str:
    """Qrels lines, nearly right."""
    grades = ["1", "0", "2", "-2", "1.0", "0.5", "1e1", "+1", "x", "0x1", "200", "nan"]
    fields = [draw(st.sampled_from(["q1", "q2"])), "0", draw(TEXT), draw(st.sampled_from(grades))]
    return draw(SEPARATOR).join(fields) + draw(END)


@st.composite
def good_lines(draw: st.DrawFn) -> str:
    """Right run lines, all alike."""
    doc_id = draw(st.text("abcdefgh", min_size=1, max_size=8))
    return f"{draw(st.sampled_from(['q1', 'q2']))} Q0 {doc_id} 1 {draw(st.integers(-9, 9))} t\n"


FILES = st.one_of(
    *(
        st.lists(lines, max_size=6).map("".join)
        for lines in (
            *(odd_lines(), run_lines(), qrels_lines(), good_lines()),
            *(st.one_of(good_lines(), run_lines()), st.one_of(run_lines(), odd_lines())),
        )
    )
)


def outcome(content: bytes, kind: Kind) -> tuple[Any, ...]:
    """What reading gives: the table with its notes, or the error in words."""
    try:
        loaded = read_trec(open_source(content, "x"), Request(kind))
    except FileFormatError as error:
        return str(error), error.count
    rows = loaded.table.table.to_pylist()  # type: ignore[union-attr]
    return loaded.title, loaded.tag, loaded.notes, rows


def careful_outcome(content: bytes, kind: Kind) -> tuple[Any, ...]:
    """The same without the fast path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec_lines, "parse_with_arrow", lambda *_: None)
        return outcome(content, kind)


@examples(200)
@given(FILES, st.sampled_from(["run", "qrels"]))
def test_fast_and_careful_agree(text: str, kind: Kind) -> None:
    content = text.encode()
    assert outcome(content, kind) == careful_outcome(content, kind)


@examples(100)
@given(FILES, st.sampled_from(["run", "qrels"]), st.integers(1, 40))
def test_blocks_do_not_matter(text: str, kind: Kind, size: int) -> None:
    content = text.encode()
    whole = outcome(content, kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", size)
        assert outcome(content, kind) == whole
        assert careful_outcome(content, kind) == whole


@pytest.mark.parametrize(
    "block",
    [
        "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1 tag\n",
        "q1\tQ0\td1\t1\t2.5\ttag\n",
        "q1  Q0 d1\t1   2.5 tag \n",
        "q1 Q0 d1 1 2.5 tag",
    ],
)
def test_regular_blocks_are_read_fast(block: str) -> None:
    parsed = trec_lines.parse_with_arrow(block.encode(), trec_lines.RUN)
    assert parsed is not None
    assert parsed.table["doc_id"][0].as_py() == "d1"


@pytest.mark.parametrize(
    "block",
    [
        "\nq1 Q0 d1 1 2.5 tag\n",
        "# x\nq1 Q0 d1 1 2.5 tag\n",
        "# a b 1 2.5 tag\n",
        "q1 Q0 d1 1 nan tag\n",
        "q1 Q0 d1 1 2.5 tag x\n",
        "q1 Q0 d1  2.5 tag\n",
        "\ufeffq1 Q0 d1 1 2.5 tag\n",
    ],
)
def test_irregular_blocks_are_left_to_the_careful_reader(block: str) -> None:
    assert trec_lines.parse_with_arrow(block.encode(), trec_lines.RUN) is None


def test_titles_names_and_tags() -> None:
    line = "q1 Q0 d1 1 2.5 tag-7\n"
    loaded = read(line.encode(), name="runs/bm25.run.gz")
    assert (loaded.kind, loaded.format, loaded.title) == ("run", "trec", "TREC run")
    assert (loaded.tag, loaded.file) == ("tag-7", "runs/bm25.run.gz")
    assert read_run(line.encode(), name="runs/bm25.run.gz").name == "bm25"
    assert read_run(line.encode(), name="input.UIUC03Rd1.gz").name == "input.UIUC03Rd1"
    assert read(line.replace(" ", "\t").encode(), name="x").title == "TREC run, tabs"
    assert read(b"q1\t0\td1\t1\n", name="x").title == "TREC qrels, tabs"


def test_several_tags_are_noted() -> None:
    loaded = read(b"q1 Q0 d1 1 2.5 a\nq1 Q0 d2 2 2 b\n", name="x")
    assert [(n.kind, n.count, n.examples) for n in loaded.notes] == [("tag", 2, ("a", "b"))]


@pytest.mark.parametrize(
    ("lines", "contradicting"),
    [
        ("q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\n", 0),
        ("q1 Q0 a 2 3 t\nq1 Q0 b 1 3 t\n", 0),
        ("q1 Q0 b 2 2 t\nq1 Q0 a 1 3 t\n", 0),
        ("q1 Q0 b 2 3 t\nq1 Q0 a 1 2 t\n", 1),
        ("q1 Q0 a 1 3 t\nq2 Q0 a 1 1 t\nq1 Q0 b 2 9 t\nq2 Q0 b 2 0 t\n", 1),
        ("q1 Q0 a 0 1000 t\nq1 Q0 b 1 999 t\n", 0),
    ],
)
def test_ranks_against_scores(lines: str, contradicting: int) -> None:
    notes = [n for n in read(lines.encode(), name="x").notes if n.kind == "rank"]
    assert sum(n.count for n in notes) == contradicting


def test_ranks_that_are_not_whole_numbers() -> None:
    loaded = read(b"q1 Q0 d1 first 2.5 t\nq1 Q0 d2 1.5 2 t\nq1 Q0 d3 3 1 t\n", name="x")
    assert [(n.kind, n.count) for n in loaded.notes] == [("rank", 2)]


def test_from_a_path(tmp_path: Path) -> None:
    content = b"q1 0 d1 1\r\nq1 0 d2 0\r\n"
    plain, packed = tmp_path / "qrels.txt", tmp_path / "qrels.txt.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    expected = [("q1", "d1", 1), ("q1", "d2", 0)]
    for path in (plain, str(plain), packed):
        table = read_qrels(path).table
        assert [tuple(row.values()) for row in table.to_pylist()] == expected
    with pytest.raises(FileFormatError, match="no such file"):
        read(tmp_path / "absent.run")
    with pytest.raises(FileFormatError, match="a folder"):
        read(tmp_path)


def test_columns_have_their_types() -> None:
    table = read_run(b"q1 Q0 d1 1 2 t\n").table
    coded = pa.dictionary(pa.int32(), pa.string())
    assert table.schema.types == [coded, pa.string(), pa.float64()]
    assert read_qrels(b"q1 0 d1 1\n").table.schema.types == [coded, pa.string(), pa.int64()]


@pytest.mark.parametrize("odd", ["\u2028", "\u00a0", "\x0b", "\x0c", "\u3000", "\x85", "\x1c"])
def test_a_first_line_whose_ids_hold_unicode_separators(odd: str) -> None:
    run = read(f"q{odd}1 Q0 d{odd}1 1 2.5 t\n".encode(), name="x")
    assert (run.kind, run.table.to_pandas()["doc_id"].tolist()) == ("run", [f"d{odd}1"])  # type: ignore[union-attr]
    qrels = read(f"q{odd}1 0 d{odd}1 1\n".encode(), name="x")
    assert (qrels.kind, qrels.table.query_ids) == ("qrels", [f"q{odd}1"])  # type: ignore[union-attr]


def test_an_id_that_is_the_name_of_a_column_is_no_header() -> None:
    assert read_qrels(b"0 0 PID 0\n").doc_ids.to_pylist() == ["PID"]
