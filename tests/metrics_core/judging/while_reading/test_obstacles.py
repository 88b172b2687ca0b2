"""What keeps a run from being judged within memory is named, with its lines."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.base.errors import FileFormatError, NoSharedQueriesError, RanklensError
from metrics_core.formats import read_run
from metrics_core.judging.while_reading import apart
from metrics_core.judging.while_reading.size_worth_it import judged_within
from metrics_core.tables import Qrels

QRELS = Qrels.from_columns(["q1", "q2"], ["d1", "d1"], [1, 0])
ROWS = ["q1 Q0 d1 1 3 r", "q1 Q0 d2 2 2 r", "q2 Q0 d1 1 3 r", "q2 Q0 d3 2 2 r"]
APART = [ROWS[0], ROWS[2], ROWS[1], ROWS[3]]


def refused(path: Path, lines: list[str], qrels: Qrels = QRELS) -> RanklensError:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(RanklensError) as caught:
        judged_within("1GB", path, qrels)
    return caught.value


@pytest.mark.parametrize(
    ("lines", "places", "found"),
    [
        ([*ROWS, "q2 Q0 d1 3 1 r"], [5], "document d1 of query q2 a second time"),
        (["# a comment", "", *ROWS, "q2 Q0 d1 3 1 r"], [7], "document d1 of query q2"),
        ([*APART, "q1 Q0 d2 3 1 r", "q2 Q0 d3 4 0 r"], [5, 6], "a second time"),
        ([*ROWS[:2], "q2 Q0 é 1 3 r"], [3], "other characters"),
        ([*APART, "", ROWS[0]], [5], "a header, a blank line or a comment"),
        ([*APART, "  # said", ROWS[0]], [5], "a header, a blank line or a comment"),
        (["query_id Q0 doc_id rank score tag", *APART], [1], "a header, a blank line or a comment"),
        ([*APART, "q1 Q0 d9 3 high r"], [5], "`high`"),
        ([*APART, "q1 Q0 d9 3 1 r more"], [5], "not plain"),
        ([*APART, "q1 Q0 d9 3 +1 r"], [5], "not plain"),
        ([*APART, "q1 Q0 d9 3.5 1 r", "q2 Q0 d9 2.5 0 r"], [5], "not plain"),
        ([*APART, "q1 Q0 é 3 1 r"], [5], "not plain"),
        ([*APART, "é Q0 d9 3 1 r", ""], [5], "not plain"),
        ([*APART[:2], f"{APART[2]}\r", APART[3]], [3], "a carriage return"),
        (["\r".join(APART)], [1], "a carriage return"),
        ([*ROWS, f"q2 Q0 {'d' * 10_000_000} 3 1 r"], [5], "a longer one"),
        ([*ROWS, f"q2 Q0 {'d' * 1_100_000} 3 1 r"], [5], "one of 1.1 MB"),
        ([*APART, f"q2 Q0 {'d' * 1_100_000} 3 1 r"], [5], "one of 1.1 MB"),
        ([*APART, f"q2 Q0 {'d' * 10_000_000} 3 1 r"], [5], "a longer one"),
    ],
)
def test_the_line_is_named(lines: list[str], places: list[int], found: str, tmp_path: Path) -> None:
    error = refused(tmp_path / "a.run", lines)
    assert isinstance(error, FileFormatError)
    assert sorted(p.line or 0 for p in error.problems)[: len(places)] == places
    assert found in str(error)


def test_text_that_is_none_is_named_by_its_place_in_the_file(tmp_path: Path) -> None:
    many = [f"q{i % 5} Q0 d{i} 1 {i % 97}.25 r" for i in range(9_000)]
    for odd in (b"q1 Q0 \xff 1 1 r\n", b"q1 Q0 a\0b 1 1 r\n"):
        path = tmp_path / "a.run"
        path.write_bytes("\n".join(many).encode() + b"\n" + odd)
        with pytest.raises(FileFormatError) as own:
            judged_within("1GB", path, QRELS)
        with pytest.raises(FileFormatError) as whole:
            read_run(path)
        assert own.value.problems == whole.value.problems
        assert own.value.problems[0].line == 9_001


def test_other_reasons_are_said(tmp_path: Path) -> None:
    other = refused(tmp_path / "a.csv", ["query_id,doc_id,score", "q1,d1,1.5"])
    assert "no TREC run" in other.message
    beyond = Qrels.from_columns(["é"], ["d1"], [1])
    assert "beyond printable ASCII" in refused(tmp_path / "a.run", ROWS, beyond).message
    strangers = Qrels.from_columns(["q9"], ["d1"], [1])
    for lines in (ROWS, APART):
        error = refused(tmp_path / "a.run", lines, strangers)
        assert isinstance(error, NoSharedQueriesError)
        assert "the run has q1, q2; the judgments have q9" in error.message
    named = refused(tmp_path / "a.run", [*APART, "q1 Q0 d9 3 1 other"])
    assert "several run names, r and other" in named.message


def test_a_full_disk_is_told_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: bool) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(apart, "_room", full)
    error = refused(tmp_path / "a.run", APART)
    assert tempfile.gettempdir() in error.message and "No space left" in error.message
    assert "TMPDIR" in error.hint


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(1, 3), st.integers(1, 6)), min_size=2, max_size=12),
    comment=st.booleans(),
)
def test_repeats_are_where_reading_it_whole_finds_them(
    rows: list[tuple[int, int]], comment: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("run") / "a.run"
    if comment:
        rows.sort(key=lambda row: row[0])
    lines = [f"q{q} Q0 d{d} {i} {-i} r" for i, (q, d) in enumerate(rows)]
    if len(set(rows)) == len(rows) or not any(q < 3 for q, _ in rows):
        return
    own = refused(path, ["# said"] * comment + lines)
    with pytest.raises(FileFormatError) as whole:
        read_run(path)
    assert isinstance(own, FileFormatError)
    first = {(p.line, p.found, p.text) for p in own.problems}
    assert first <= {(p.line, p.found, p.text) for p in whole.value.problems}
