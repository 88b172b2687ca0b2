"""The command of all pairs: the numbers of the library, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metrics_core import all_pairs
from metrics_core.__main__ import main

SAMPLE = Path(__file__).parents[3] / "sample_runs"
QRELS, *RUNS = (str(SAMPLE / n) for n in ("qrels.txt", "bm25.run", "dense.run", "hybrid.run"))


def test_json_is_what_the_library_says(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["-m", "AP,P@5", "--level", "0.9", "--format", "json"]
    assert main(["all-pairs", QRELS, *RUNS, *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["measure"] for row in found] == ["AP"] * 3 + ["P@5"] * 3
    wanted = all_pairs(RUNS, QRELS, "AP", level=0.9).frame.to_dict("records")
    for row, own in zip(found, wanted, strict=False):
        assert row["n"] == own["queries"]
        assert {key: row[key] for key in own if key != "queries"} == {
            key: value for key, value in own.items() if key != "queries"
        }


@pytest.mark.parametrize("format", ["table", "markdown"])
def test_people_read_rounded_numbers(format: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["all-pairs", QRELS, *RUNS[:2], "-m", "AP", "--format", format]) == 0
    shown = capsys.readouterr().out.replace("|", " ").splitlines()[-1].split()
    assert shown[:6] == ["dense", "bm25", "AP", "better", "104", "+0.126"]


def test_one_run_is_no_pair(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["all-pairs", QRELS, RUNS[0]]) == 2
    assert "no run to compare with bm25" in capsys.readouterr().err
