"""What explains a score adds up to it on the sample, and the check of that can fail."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import explained_sums
from benchmarks.edited_files import better_lists, edited
from benchmarks.explained_sums import ALLOWED, Deviation, check, explained_measures
from metrics_core.explaining.what_if import Grade, Move, Remove
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure, parse_measure

SAMPLE = Path(__file__).parents[2] / "sample_runs"
MEASURES = [parse_measure(name) for name in ("nDCG@10", "AP", "IPrec@0.5")]


def test_on_the_sample(tmp_path: Path) -> None:
    for name in ("qrels.txt", "bm25.run", "titles-only.run"):
        shutil.copy(SAMPLE / name, tmp_path)
    (found,) = check(tmp_path, MEASURES)
    assert (found.queries, found.runs, found.measures) == (104, 2, 3)
    assert {name: seen.scores for name, seen in found.by_check.items()} == {
        "ledger": 2 * 104 * 3,
        "ledger of a difference": 104 * 3,
        "headroom": 2 * 104 * 3 * 3,
        "headroom not below 0": 2 * 104 * 3,
        "what if: a move": 2 * 104 * 3,
        "what if: a removal": 2 * 104 * 3,
        "what if: a grade": 2 * 104 * 3,
    }
    assert max(seen.largest for seen in found.by_check.values()) <= ALLOWED


def test_a_ledger_that_is_off_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def off(ranks: JudgedRanks, measure: Measure) -> object:
        found = ledger(ranks, measure)
        return replace(found, part=found.part + 1e-11)

    ledger = explained_sums.score_ledger
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 d2 1 9 x\nq1 Q0 d1 2 8 x\nq2 Q0 d1 1 7 x\n")
    monkeypatch.setattr("sys.argv", ["x", str(tmp_path)])
    assert explained_sums.main() == 0
    monkeypatch.setattr(explained_sums, "score_ledger", off)
    assert explained_sums.main() == 1
    assert "e-11 of" in capsys.readouterr().out


def test_a_score_on_one_side_only_is_no_agreement() -> None:
    seen = Deviation()
    seen.take(np.array([np.nan, 3.0]), np.array([np.nan, 2.0]), str)
    assert (seen.largest, seen.where, seen.scores) == (0.5, "1", 2)
    seen.take(np.array([np.nan]), np.array([0.0]), str)
    assert (seen.largest, seen.where) == (np.inf, "0")


def test_every_measure_of_grades_is_looked_at() -> None:
    names = {str(measure) for measure in explained_measures()}
    assert {"nDCG@10", "AP", "RR", "R@10", "RBP", "ERR", "Success@10", "Bpref", "infAP"} <= names
    assert not {"P@5", "StRecall@10"} & names


def test_edits_and_orders_of_plain_lists() -> None:
    lists, grades = {"q": ["a", "b", "c"]}, {"q": {"b": 1.0, "c": 2.0, "x": 3.0, "n": -1.0}}
    assert edited(lists, grades, {"q": Move("c", 1)})[0] == {"q": ["c", "a", "b"]}
    assert edited(lists, grades, {"q": Move("x", 9)})[0] == {"q": ["a", "b", "c", "x"]}
    assert edited(lists, grades, {"q": Remove("b")})[0] == {"q": ["a", "c"]}
    assert edited(lists, grades, {"q": Grade("b", None)})[1]["q"].keys() == {"c", "x", "n"}
    assert edited(lists, grades, {"q": Grade("a", 2)})[1]["q"]["a"] == 2
    assert better_lists(lists, grades, 2, 1) == (
        {"q": ["b", "a", "c"]},
        {"q": ["c", "b", "a"]},
        {"q": ["x", "c", "b", "a"]},
    )
