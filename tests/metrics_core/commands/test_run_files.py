"""Runs as a command line names them: several in a file, one of these."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics_core import evaluate
from metrics_core.__main__ import main

QRELS = "q1 0 d1 1\nq2 0 d2 1\n"
RUNS = "q1 Q0 d1 1 9 bm25\nq2 Q0 d1 1 8 bm25\nq1 Q0 d1 1 .9 dense\nq2 Q0 d2 1 .8 dense\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    Path("two.trec").write_text(RUNS)
    return tmp_path


def test_each_system_is_a_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["evaluate", "qrels.txt", "two.trec", "-m", "RR", "--format", "csv"]
    assert main(asked) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1:] == ["bm25,all,RR,0.5", "dense,all,RR,1.0"]
    assert "note: two.trec: 2 runs in one file" in err
    means = evaluate("two.trec", "qrels.txt", "RR").groupby("run")["RR"].mean()
    assert means.to_dict() == {"bm25": 0.5, "dense": 1.0}


def test_one_is_named_behind_its_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for baseline, words in [
        ("two.trec", "Name the one, such as two.trec/bm25."),
        ("two.trec/den", "Did you mean 'dense'?"),
    ]:
        assert main(["compare", "qrels.txt", baseline, "two.trec"]) == 2
        assert words in capsys.readouterr().err
    asked = ["compare", "qrels.txt", "two.trec/bm25", "two.trec", "-m", "RR", "--format", "csv"]
    assert main(asked) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("dense,bm25,RR,2,1.0,0.5,0.5")
