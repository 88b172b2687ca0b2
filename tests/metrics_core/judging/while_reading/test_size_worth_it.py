"""Large files are judged while they are read, wherever files are given."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from metrics_core import evaluate
from metrics_core.__main__ import main
from metrics_core.base.errors import RanklensError
from metrics_core.judging.while_reading import size_worth_it as worth
from metrics_core.tables import Run
from tests.metrics_core.judging.while_reading.test_judged_run import ODD, PLAIN

QRELS = "q1 0 d1 2\nq1 0 d3 0\nq1 0 d4 1\nq2 0 d1 1\nq3 0 d1 1\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments and runs, of which every one is large."""
    monkeypatch.setattr(worth, "FROM", 0)
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    for name, text in {
        "a.run": PLAIN,
        "b.run": ODD["ties"],
        "c.run": PLAIN,
        "apart.run": ODD["queries apart"],
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
    asked = (command, "qrels.txt", "a.run", "b.run", "c.run", "apart.run", "-m", "nDCG@3,AP,P@2")
    at_once = printed(capsys, *asked)
    assert "c is the same run as a" in at_once[2] and "the ties allow" in at_once[2]
    monkeypatch.setattr(worth, "FROM", 10**9)
    assert printed(capsys, *asked) == at_once


def test_memory_changes_nothing_that_is_printed(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("evaluate", "qrels.txt", "a.run", "apart.run", "-m", "nDCG@3,AP", "--per-query")
    assert printed(capsys, *asked, "--memory", "1GB") == printed(capsys, *asked)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.run", "--memory", "10MB"), "too little"),
        (("twice.run", "--memory", "1GB"), "d2 of query a-query-of-a-long-name a second time"),
        (("-", "--memory", "1GB"), "read but once"),
        (("a.run", "--memory", "1GB", "--clean-ids"), "--clean-ids takes them read whole"),
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


def test_paths_give_the_same_scores_as_tables(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = evaluate(["a.run", "b.run"], "qrels.txt", ["nDCG@3", "AP"])
    monkeypatch.setattr(worth, "FROM", 10**9)
    pd.testing.assert_frame_equal(
        evaluate(["a.run", "b.run"], "qrels.txt", ["nDCG@3", "AP"]), at_once, check_exact=True
    )
    assert isinstance(evaluate(Path("a.run"), "qrels.txt", "AP"), pd.DataFrame)
    monkeypatch.setattr(worth, "FROM", 0)
    with pytest.raises(RanklensError, match="Two runs are named 'a'"):
        evaluate(["a.run", "a.run"], "qrels.txt", "AP")


def test_what_is_no_file_is_read_whole(files: Path) -> None:
    assert worth.judged_at_once(["-"], qrels=Run) is None  # type: ignore[arg-type]
