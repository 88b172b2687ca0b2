"""The comparison of two checkouts' command lines: it finds files, and it finds a difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import real_data
from benchmarks.real_data import collection_of, command_lines, differing_lines

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "small"
    (folder / "runs").mkdir(parents=True)
    (folder / "qrels.txt").write_text(QRELS)
    (folder / "runs" / "a").write_text("q1 Q0 d2 1 9 x\nq1 Q0 d1 2 8 x\nq2 Q0 d1 1 7 x\n")
    (folder / "runs" / "of others").write_text("x9 Q0 d2 1 9 x\n")
    (folder / "queries.csv").write_text("query_id,text,kind\nq1,a,x\nq2,b,y\n")
    (folder / "README").write_text("A few files.\n")
    return tmp_path / "data"


def test_each_judgments_file_meets_the_runs_that_share_a_query(data: Path) -> None:
    lines = list(command_lines(collection_of(data / "small"), data))
    assert {line[0] for line in lines} == {"evaluate", "residuals", "trec_eval"}
    assert not any("of others" in word for line in lines for word in line)
    assert any(line[-2:] == ("--by", "kind") for line in lines)
    asked = [word for line in lines for word in line]
    assert {"nDCG@10", "AP", "RBP@5", "IPrec@0.5", "NumRet"} <= set(asked)
    assert "StRecall@5" not in asked


@pytest.mark.parametrize("broken", [False, True])
def test_two_checkouts(
    data: Path, broken: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Against itself nothing differs; with other decimals here, the table does."""
    if broken:
        monkeypatch.setattr("metrics_core.base.wording.format_score", lambda value: f"{value:.2f}")
    arguments = ["x", str(data), "--against", str(ROOT), "--only", "format table"]
    monkeypatch.setattr("sys.argv", arguments)
    assert real_data.main() == (1 if broken else 0)
    printed = capsys.readouterr().out
    assert f"{1 if broken else 0} of 1 outputs differ" in printed
    assert ("    + run  query_id" in printed) == broken


def test_differing_lines() -> None:
    assert differing_lines(b"a\nb\nc", b"a\nx") == (2, [("x", "b"), ("(no line)", "c")])
    assert differing_lines(b"a", b"a") == (0, [])
