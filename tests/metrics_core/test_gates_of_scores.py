"""Gates on given scores: their signs declare directions, and a cost has a gate on its typical ratio
or, if asked for, on the difference of its means."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from metrics_core import RanklensError, gate_scores
from metrics_core.__main__ import main
from metrics_core.base.errors import ParameterError
from metrics_core.commands.gate.records import format_json
from metrics_core.comparing.gate_conditions import Gate
from metrics_core.measures import make_score_only_measure

N = 60
GATES = ("correct > -0.02", "latency_ms < 5%", "mean(latency_ms) < 50")


def made_table(change: str) -> pd.DataFrame:
    """Scores of v1 and v2, of which v2 is equal ("same"), worse, or unclear on every measure."""
    chance = np.random.default_rng(5)
    right, latency = chance.random(N) < 0.7, chance.lognormal(6, 0.5, N)
    noise = chance.permutation(np.linspace(-1, 1, N))
    after = {
        "same": (right, latency),
        "worse": (right & (np.arange(N) % 2 == 0), latency * 1.6 * np.exp(noise / 10)),
        "unclear": (np.where(noise > 0.6, ~right, right), latency * np.exp(noise)),
    }[change]
    return pd.concat(
        pd.DataFrame(
            {"query_id": map(str, range(N)), "run": run, "correct": a * 1.0, "latency_ms": b}
        )
        for run, (a, b) in (("v1", (right, latency)), ("v2", after))
    )


def run_gate(path: Path, gates: Sequence[str], *options: str) -> int:
    named = [part for text in gates for part in ("--gate", text)]
    return main(["compare", "--scores", str(path), *named, "--if-unclear", "fail", *options])


@pytest.mark.parametrize(("change", "status"), [("same", 0), ("worse", 1), ("unclear", 3)])
@pytest.mark.parametrize("gate", GATES)
def test_gates_end_with_their_status(
    gate: str, change: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made_table(change).to_csv(tmp_path / "s.csv", index=False)
    reports = [f"{name}={tmp_path / name}" for name in ("junit", "json", "markdown", "github")]
    options = [part for report in reports for part in ("--report", report)]
    assert run_gate(tmp_path / "s.csv", [gate], *options) == status
    report = gate_scores(made_table(change), gate, if_unclear="fail")
    assert report.status == status and report.outcomes[0].gate.tested_quantity == (
        "typical ratio" if "%" in gate else "mean difference"
    )
    (record,) = json.loads((tmp_path / "json").read_text())["gates"]
    assert record == json.loads(format_json(report))["gates"][0]
    assert record["gate"] == gate and record["tested"] == report.outcomes[0].gate.tested_quantity
    (case,) = ElementTree.fromstring((tmp_path / "junit").read_text()).iter("testcase")
    assert case.get("name") == f"{gate} ({'typical ratio, ' if '%' in gate else ''}v2)"
    texts = [capsys.readouterr().out, *((tmp_path / n).read_text() for n in ("markdown", "github"))]
    for text in texts:
        assert ("not robust to skewed distributions" in text) == gate.startswith("mean")
        if "%" in gate:
            assert "typically" in text or "unchanged" in text.lower() or status == 0


def test_the_ratio_of_a_gate_is_that_of_the_comparison() -> None:
    table = made_table("worse")
    (outcome,) = gate_scores(table, "latency_ms < 5%").outcomes
    wide = table.pivot(index="query_id", columns="run", values="latency_ms")
    gaps = np.log(wide["v2"]) - np.log(wide["v1"])
    assert outcome.difference == pytest.approx(math.exp(gaps.mean()) - 1)
    assert outcome.low < outcome.inner_low < outcome.difference < outcome.inner_high < outcome.high
    # The bounds are those of the same gate on logarithms.
    logs = table.assign(logs=np.log(table["latency_ms"]))
    (same,) = gate_scores(logs, f"mean(logs) < {math.log(1.05)}").outcomes
    for name in ("low", "high", "inner_low", "inner_high"):
        assert 1 + getattr(outcome, name) == pytest.approx(math.exp(getattr(same, name)))
    assert same.outcome == outcome.outcome == "worse"


def test_one_timeout_does_not_turn_a_gate_on_the_ratio() -> None:
    table = made_table("same")
    table.loc[table["run"] == "v2", "latency_ms"] *= np.r_[60, np.full(N - 1, 0.7)]
    assert gate_scores(table, "latency_ms < 5%").outcomes[0].outcome == "not worse"


def test_a_value_of_0_has_no_ratio() -> None:
    table = made_table("worse")
    table.iloc[0, 3] = 0
    report = gate_scores(table, "latency_ms < 5%", if_unclear="fail")
    assert report.status == 3 and "because a value is 0 or below" in report.sentences[0]
    assert gate_scores(table, "mean(latency_ms) < 50").status == 1


@pytest.mark.parametrize(
    ("gates", "said"),
    [
        (
            "latency_ms < 50",
            r"not a valid gate for a cost(?s:.*)latency_ms < 5%(?s:.*)mean\(latency_ms",
        ),
        ("mean(latency_ms) < 5%", "not a valid gate for a cost"),
        ("correct > -2%", "correct is not a cost"),
        ("latency_ms < -5%", "not a valid gate for a cost"),
        (["correct > -0.02", "correct < 0.02"], "disagree on whether a higher correct is better"),
        ("latency < 5%", "no scores of latency"),
        ([], "No gate is given"),
    ],
)
def test_what_is_no_gate(gates: Any, said: str) -> None:
    with pytest.raises((ParameterError, RanklensError), match=said):
        gate_scores(made_table("same"), gates)


def test_the_sign_declares_the_direction(tmp_path: Path) -> None:
    table = made_table("worse").rename(columns={"correct": "error_rate"})
    assert gate_scores(table, "error_rate < 0.02").status == 0
    assert gate_scores(table, "error_rate > -0.02").status == 1
    table.to_csv(tmp_path / "s.csv", index=False)
    assert run_gate(tmp_path / "s.csv", ["error_rate > -0.02"], "--baseline", "v2") == 0
    assert run_gate(tmp_path / "s.csv", [], "--floor", "latency_ms <= 1") == 1


def test_a_gate_reads_back_from_its_text() -> None:
    cost = make_score_only_measure("latency_ms", higher_is_better=False, scale="cost")
    for text in ("latency_ms[kind=a b] < 2.5%", "mean(latency_ms)[kind=a b] < 50"):
        assert str(Gate.parse(text, [cost])) == text


def test_given_scores_are_kept_in_a_snapshot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, base = made_table("worse"), tmp_path / "base.json"
    for run in ("v1", "v2"):
        table[table["run"] == run].to_csv(tmp_path / f"{run}.csv", index=False)
    assert main(["snapshot", "--scores", str(tmp_path / "v1.csv"), "-o", str(base)]) == 0
    assert "60 queries, correct and latency_ms." in capsys.readouterr().out

    def gated(name: str, gate: str) -> tuple[int, str]:
        options = ("--baseline", str(base), "--format", "json")
        return run_gate(tmp_path / name, [gate], *options), capsys.readouterr().out

    for gate in GATES:
        status, out = gated("v2.csv", gate)
        expected = json.loads(format_json(gate_scores(table, gate, if_unclear="fail")))
        assert status == 1 and json.loads(out)["gates"] == expected["gates"]
        assert gated("v1.csv", gate)[0] == 0
    table[(table["run"] == "v2") & (table["query_id"] != "7")].to_csv(
        tmp_path / "fewer.csv", index=False
    )
    status, out = gated("fewer.csv", "correct > -0.9")
    assert status == 4 and json.loads(out)["changes"] == [
        "One query is without scores now: 7.",
        "Compared on the 59 queries in both.",
    ]
    table.to_csv(tmp_path / "both.csv", index=False)
    assert main(["snapshot", "--scores", str(tmp_path / "both.csv"), "-o", str(base)]) == 2
    assert "has the scores of 2 runs: v1 and v2" in capsys.readouterr().err


def test_a_snapshot_is_the_baseline_of_a_gate_in_python(tmp_path: Path) -> None:
    table = made_table("same")
    first, second = table["run"].unique()[:2]
    table[table["run"] == first].to_csv(tmp_path / "s.csv", index=False)
    file = tmp_path / "base.json"
    assert main(["snapshot", "--scores", str(tmp_path / "s.csv"), "-o", str(file)]) == 0
    gates = ["correct > -0.3", "latency_ms < 5%"]
    own = gate_scores(table[table["run"] == second], gates, baseline=file)
    both = gate_scores(table[table["run"].isin([first, second])], gates, baseline=first)
    assert [o.outcome for o in own.outcomes] == [o.outcome for o in both.outcomes]
    assert own.status == both.status
