"""Large files are judged while they are read, wherever files are given."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from metrics_core import evaluate, read_qrels
from metrics_core.__main__ import main
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.judging.while_reading import large_files
from metrics_core.tables import Qrels, Run
from tests.metrics_core.judging.while_reading.test_judged import ODD, PLAIN, READ_WHOLE

QRELS = "q1 0 d1 2\nq1 0 d3 0\nq1 0 d4 1\nq2 0 d1 1\nq3 0 d1 1\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments and runs, of which every one is large."""
    monkeypatch.setattr(large_files, "MIN_BYTES", 0)
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    for name, text in {
        "a.run": PLAIN,
        "b.run": ODD["ties"],
        "apart.run": READ_WHOLE["queries apart"],
    }.items():
        Path(name).write_text(text)
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_the_command_line_prints_the_same_either_way(
    command: str,
    files: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = (command, "qrels.txt", "a.run", "b.run", "./a.run", "apart.run", "-m", "nDCG@3,AP,P@2")
    at_once = printed(capsys, *asked)
    assert "a was loaded twice" in at_once[2] and "other tie orders give" in at_once[2]
    monkeypatch.setattr(large_files, "MIN_BYTES", 10**9)
    assert printed(capsys, *asked) == at_once


def test_a_file_is_not_worth_compiling_for_unless_it_is_much_larger(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    qrels, size = read_qrels("qrels.txt"), Path("a.run").stat().st_size
    for cache, least, expected in (
        (None, size, True),
        (None, size + 1, False),
        ("empty", size, False),
        ("empty", size // 8, True),
    ):
        monkeypatch.setattr(large_files, "MIN_BYTES", least)
        if cache:
            monkeypatch.setenv("RANKLENS_CACHE", str(files / cache))
        assert (large_files.judge_files(["a.run"], qrels) is not None) == expected


def test_memory_changes_nothing_that_is_printed(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("evaluate", "qrels.txt", "a.run", "b.run", "-m", "nDCG@3,AP", "--per-query")
    assert printed(capsys, *asked, "--memory", "1GB") == printed(capsys, *asked)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.run", "--memory", "10MB"), "not enough"),
        (("twice.run", "--memory", "1GB"), "a query lists a document twice"),
        (("apart.run", "--memory", "1GB"), "sort -s -k1,1"),
        (("-", "--memory", "1GB"), "read only once"),
        (("a.run", "--memory", "1GB", "--clean-ids"), "cannot be combined with --clean-ids"),
        (("a.run", "--memory", "1GB", "--duplicates", "best"), "--duplicates best"),
        (("a.run", "--memory", "1GB", "-m", "MoneyP@1"), "documents"),
    ],
)
def test_what_memory_cannot_do_is_said(
    arguments: tuple[str, ...], said: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("twice.run").write_text(PLAIN + "a-query-of-a-long-name Q0 d2 3 0 r\n")
    code, out, err = printed(capsys, "evaluate", "qrels.txt", *arguments)
    assert code == 2 and not out and said in err


ROWS = ["q1 Q0 d1 1 3 r", "q1 Q0 d2 2 2 r", "q2 Q0 d1 1 3 r", "q2 Q0 d3 2 2 r"]
ONE = Qrels.from_columns(["q1"], ["d1"], [1])
APART = [ROWS[0], ROWS[2], ROWS[1], ROWS[3]]


def refused(path: Path, lines: list[str], qrels: Qrels = ONE) -> RanklensError:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(RanklensError) as caught:
        large_files.judge_within_memory("1GB", path, qrels)
    return caught.value


@pytest.mark.parametrize(
    "lines",
    [
        [*ROWS, "q2 Q0 d1 3 1 r"],
        APART,
        [*ROWS[:2], "q2 Q0 é 1 3 r"],
        [*ROWS, f"q2 Q0 {'d' * 1_100_000} 3 1 r"],
        [*ROWS, "q2 Q0 d9 3 1 other"],
        ["q9 Q0 d1 1 1 r"],
    ],
)
def test_what_needs_to_be_read_whole_is_refused(lines: list[str], tmp_path: Path) -> None:
    error = refused(tmp_path / "a.run", lines)
    assert "a.run cannot be evaluated with --memory" in error.message
    assert "omit --memory" in error.hint


def test_a_line_that_one_look_tells_is_named(tmp_path: Path) -> None:
    for odd, found in (
        ("q2 Q0 d9 3 high r", "`high`"),
        (f"q2 Q0 {'d' * 10_000_000} 3 1 r", "long"),
    ):
        error = refused(tmp_path / "a.run", [*ROWS, odd])
        assert isinstance(error, FileFormatError) and error.problems[0].line == 5
        assert found in str(error)


def test_other_reasons_are_said(tmp_path: Path) -> None:
    other = refused(tmp_path / "a.csv", ["query_id,doc_id,score", "q1,d1,1.5"])
    assert "not a TREC run" in other.message
    beyond = Qrels.from_columns(["é"], ["d1"], [1])
    assert "that are not printable ASCII" in refused(tmp_path / "a.run", ROWS, beyond).message


def test_paths_give_the_same_scores_as_tables(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = evaluate(["a.run", "b.run"], "qrels.txt", ["nDCG@3", "AP"])
    monkeypatch.setattr(large_files, "MIN_BYTES", 10**9)
    pd.testing.assert_frame_equal(
        evaluate(["a.run", "b.run"], "qrels.txt", ["nDCG@3", "AP"]), at_once, check_exact=True
    )
    assert isinstance(evaluate(Path("a.run"), "qrels.txt", "AP"), pd.DataFrame)
    monkeypatch.setattr(large_files, "MIN_BYTES", 0)
    with pytest.raises(RanklensError, match="Two runs are named 'a'"):
        evaluate(["a.run", "a.run"], "qrels.txt", "AP")


def test_what_is_no_file_is_read_whole(files: Path) -> None:
    assert large_files.judge_files(["-"], qrels=Run) is None  # type: ignore[arg-type]


def test_ids_that_another_reading_would_match_are_told_of_either_way(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = [f"q{n}" for n in range(60)]
    Path("many.txt").write_text("".join(f"{q} 0 D{d} 1\n" for q in queries for d in range(3)))
    lines = [f"{q} Q0 D{d}#{d % 2} {d} {9 - d} x\n" for q in queries for d in range(5)]
    Path("chunks.run").write_text("".join(sorted(lines)))
    asked = ("evaluate", "many.txt", "chunks.run", "-m", "P@5")
    told = "0 of 120 judged documents of 40 queries match the run; 120 would match if"
    code, out, err = printed(capsys, *asked)
    assert (code, told in err, "--map-docs 'cut #'" in err) == (0, True, True)
    monkeypatch.setattr(large_files, "MIN_BYTES", 10**9)
    assert printed(capsys, *asked) == (code, out, err)
