"""A gate for a program says what the command says, of whatever Python holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metrics_core import RanklensError, gate
from metrics_core.__main__ import main
from metrics_core.base.errors import ParameterError, UnknownMeasureError
from metrics_core.commands.gate.records import format_json
from metrics_core.comparing.gate_conditions import EVERY_QUERY, Gate, QuerySlice
from metrics_core.measures import parse_measure

SAMPLE = Path(__file__).parents[2] / "sample_runs"
GATES = ["AP > -0.02", "nDCG@10 > -0.04", "nDCG@10[category=Billing] > -0.2"]
QRELS = {f"q{i:02}": {"a": 2, "b": 1} for i in range(30)}
GOOD = {query: ["a", "b", "c"] for query in QRELS}
BAD = {query: ["c", "b", "a"] if i % 5 else ["b", "a"] for i, query in enumerate(QRELS)}


def test_it_says_what_the_command_says(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(SAMPLE / name) for name in ("qrels.txt", "dense.run", "hybrid.run", "queries.csv")]
    qrels, dense, hybrid, queries = files
    report = gate(hybrid, dense, qrels, GATES, floors="AP >= 0.5", queries=queries)
    asked = [part for text in GATES for part in ("--gate", text)]
    options = [*asked, "--floor", "AP >= 0.5", "--queries", queries, "--format", "json"]
    assert main(["compare", qrels, dense, hybrid, *options]) == report.status == 1
    told = json.loads(capsys.readouterr().out)
    own = json.loads(format_json(report))
    for one in (told, own):  # the files are known to the command alone
        del one["files"]
        for broken in one["broken"]:
            del broken["command"]
    assert own == told


def test_it_takes_what_python_holds_and_tells_equal_names_apart() -> None:
    report = gate(BAD, GOOD, QRELS, "nDCG@10 > -0.05")
    assert report.status == 1 and report.runs == ["run"] and report.baseline == "run (baseline)"
    assert str(report).startswith(
        "run against run (baseline), 30 queries: 1 gate failed.\nWorse: nDCG@10"
    )
    assert str(report).endswith("\nFailed.")
    several = gate({"new": BAD, "newer": GOOD}, GOOD, QRELS, "nDCG@10 > -0.05")
    assert [one.partition(" ")[0] for one in several.sentences] == ["new:", "newer:"]


def test_a_snapshot_is_a_baseline(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    qrels, dense = (str(SAMPLE / name) for name in ("qrels.txt", "dense.run"))
    assert main(["snapshot", qrels, dense, "-o", str(path), "-m", "AP", "--label", "model 3"]) == 0
    report = gate(SAMPLE / "hybrid.run", path, qrels, "AP > -0.02")
    assert report.status == 1 and report.label == "model 3"
    assert report.outcomes == gate(SAMPLE / "hybrid.run", dense, qrels, "AP > -0.02").outcomes
    fewer = tmp_path / "fewer.txt"
    fewer.write_text("\n".join(Path(qrels).read_text().splitlines()[40:]))
    changed = gate(dense, path, fewer, "AP > -0.02")
    assert changed.status == 4 and "no longer judged" in changed.changes[1]
    assert gate(dense, path, fewer, "AP > -0.02", allow_changed=True).status == 0


def test_what_is_none_is_refused() -> None:
    with pytest.raises(RanklensError, match="No gate is given"):
        gate(BAD, GOOD, QRELS, [])
    with pytest.raises(ParameterError, match="'AP < 1' is not a gate"):
        gate(BAD, GOOD, QRELS, "AP < 1")
    with pytest.raises(RanklensError, match="The baseline contains 2 runs: a, b"):
        gate(BAD, {"a": GOOD, "b": BAD}, QRELS, "AP > -0.1")
    with pytest.raises(RanklensError, match="needs the queries"):
        gate(BAD, GOOD, QRELS, "AP[kind=x] > -0.1")


def test_a_gate_from_a_measure_and_a_margin() -> None:
    assert Gate.from_margin("nDCG@10", 0.01) == Gate.parse("nDCG@10 > -0.01")
    sliced = Gate.from_margin(" AP [kind=long one] ", 0.5)
    assert sliced.slice == QuerySlice("kind", "long one") and sliced.measure == parse_measure("AP")
    assert Gate.from_margin("AP", 1e-7).slice == EVERY_QUERY
    for asked, margin in (("AP[kind", 0.1), ("AP[=x]", 0.1), ("AP", 0.0), ("AP", float("nan"))):
        with pytest.raises(ParameterError):
            Gate.from_margin(asked, margin)
    with pytest.raises(UnknownMeasureError):
        Gate.from_margin("nDGC@10", 0.1)
