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


def test_a_gate_names_the_file_and_the_run_in_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queries = range(20)
    Path("qrels.txt").write_text("".join(f"q{n} 0 d{n} 1\n" for n in queries))
    lists = {"poor": ("x{}", "d{}"), "good": ("d{}", "x{}")}
    two = [
        f"q{n} Q0 {doc.format(n)} {rank} {9 - rank}.{n} {run}\n"
        for run, docs in lists.items()
        for n in queries
        for rank, doc in enumerate(docs, 1)
    ]
    Path("two.trec").write_text("".join(two))
    Path("third.run").write_text("".join(two[40:]).replace("good", "third"))
    asked = ["compare", "qrels.txt", "third.run", "two.trec", "third.run", "--gate", "RR > -0.01"]
    assert main([*asked, "--format", "markdown"]) == 1
    out = capsys.readouterr().out
    # "good" holds the same lines as "third", and a gate keeps both.
    assert "explain qrels.txt third.run two.trec/poor -m RR --query" in out
    runs = [part.split(" ")[1] for part in out.split(" · ") if part.startswith("run ")]
    assert runs == ["two.trec/poor", "two.trec/good", "third.run"]
    asked = ["compare", "qrels.txt", "two.trec/poor", "two.trec/good", "third.run"]
    assert main([*asked, "--gate", "RR > -0.01"]) == 0
    out = capsys.readouterr().out
    assert (
        "The baseline is 0.500 below good on RR. If the baseline is a snapshot, --update with"
    ) in out


def test_one_is_named_behind_its_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for baseline, words in [
        ("two.trec", "Name one of them, such as two.trec/bm25."),
        ("two.trec/den", "Did you mean 'dense'?"),
    ]:
        assert main(["compare", "qrels.txt", baseline, "two.trec"]) == 2
        assert words in capsys.readouterr().err
    asked = ["compare", "qrels.txt", "two.trec/bm25", "two.trec", "-m", "RR", "--format", "csv"]
    assert main(asked) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("dense,bm25,RR,2,1.0,0.5,0.5")
