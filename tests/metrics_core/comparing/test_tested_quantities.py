"""Costs have a verdict on the typical ratio or the sign, never on the difference of their means."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metrics_core import compare_scores
from metrics_core.__main__ import main
from metrics_core.comparing.agreement import find_agreement
from metrics_core.comparing.all_pairs.all_pairs import all_pairs
from metrics_core.comparing.method import CORRECTIONS, TESTS, Method
from metrics_core.comparing.pairs import compare
from metrics_core.findings.costs import describe_mean_difference, format_ratio_change
from metrics_core.findings.ranking import format_pair
from metrics_core.measures import Measure, make_score_only_measure
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import summarise_groups

N = 12


def table(*runs: Any, name: str = "latency_ms") -> pd.DataFrame:
    """A table of one number per run and query; the runs are v1, v2, …"""
    return pd.concat(
        [
            pd.DataFrame(
                {"run": f"v{i}", "query_id": [f"q{j}" for j in range(len(values))], name: values}
            )
            for i, values in enumerate(runs, start=1)
        ]
    )


def compared(*runs: Any, name: str = "latency_ms", **options: Any) -> list[dict[str, Any]]:
    options = {"lower": name} | options
    rows = compare_scores(table(*runs, name=name), name, **options).to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in rows]


def costs(seed: int, runs: int = 2, n: int = 60, spread: float = 0.5) -> Any:
    made = np.random.default_rng(seed).lognormal(6, spread, (n, runs))
    return list(made.T)


def test_the_typical_ratio_is_the_exponential_of_the_mean_logarithm() -> None:
    # Six queries take twice as long and six take half as long again: sqrt(2 * 1.5) = 1.7321.
    before = np.arange(100.0, 100 + N)
    after = before * np.repeat([2.0, 1.5], 6)
    (row,) = compared(before, after)
    assert row["tested"] == "typical ratio" and row["verdict"] == "worse"
    assert row["ratio"] == pytest.approx(math.sqrt(3))
    assert 1.5 < row["ratio_low"] < row["ratio"] < row["ratio_high"] < 2
    assert row["difference"] == pytest.approx((after - before).mean())
    assert row["low"] != row["low"] and row["inner_high"] != row["inner_high"]
    assert (row["won"], row["lost"], row["same"]) == (0, 12, 0)


def test_a_value_of_0_is_tested_by_its_sign() -> None:
    # Slower on 9 of 10 that differ: 2 * (1 + 10) / 2**10; the query of 0 is tied.
    before = np.array([0.0, *range(101, 112)])
    after = before + np.array([0, 50, 50, 50, 50, 50, 50, 50, 50, 50, -50, 0])
    (row,) = compared(before, after)
    assert row["tested"] == "sign" and row["verdict"] == "worse"
    assert row["p"] == pytest.approx(2 * 11 / 1024)
    assert (row["won"], row["lost"], row["same"]) == (1, 9, 2)
    assert row["ratio"] != row["ratio"] and row["difference"] == pytest.approx(400 / 12)


@pytest.mark.parametrize("seed", range(4))
def test_the_ratio_is_the_test_of_logarithms_with_its_ends_taken_back(seed: int) -> None:
    runs = costs(seed, 4)
    logs = compare_scores(table(*np.log(runs), name="log"), "log")
    rows = compared(*runs)
    for row, (_, log) in zip(rows, logs.iterrows(), strict=True):
        assert row["p_corrected"] == pytest.approx(log["p_corrected"])
        for name, end in (("ratio", "difference"), ("ratio_low", "low"), ("ratio_high", "high")):
            assert row[name] == pytest.approx(math.exp(log[end]))
    gaps = np.log(runs[1]) - np.log(runs[0])
    (row,) = compared(*runs[:2], test="t-test")
    assert row["p"] == pytest.approx(stats.ttest_rel(*np.log(runs[:2])).pvalue)
    expected = stats.ttest_1samp(gaps, 0).confidence_interval(0.95)
    assert np.log([row["ratio_low"], row["ratio_high"]]) == pytest.approx(list(expected))


@pytest.mark.parametrize("test", sorted(TESTS))
def test_the_sign_is_a_binomial_test_corrected_over_all_runs(test: str) -> None:
    runs = costs(3, 4, n=40)
    runs[1], runs[3] = runs[1] * 1.6, runs[3] * 1.2
    runs[1][0] = runs[3][1] = 0
    rows = compared(*runs, test=test)
    assert [row["tested"] for row in rows] == ["sign", "typical ratio", "sign"]
    for row, run in zip(rows[::2], runs[1::2], strict=True):
        above = int((run > runs[0]).sum())
        assert row["p"] == pytest.approx(stats.binomtest(above, 40).pvalue)
    if Method(test).effective_correction == "holm":
        p = sorted(row["p"] for row in rows)
        least = min(row["p_corrected"] for row in rows)
        assert least == pytest.approx(min(1, 3 * p[0]))


@pytest.mark.parametrize("correction", sorted(CORRECTIONS))
def test_every_correction_takes_ratios_and_signs_together(correction: str) -> None:
    runs = costs(5, 4)
    runs[1][0] = 0
    rows = compared(*runs, correction=correction)
    assert all(row["p_corrected"] >= row["p"] - 1e-12 for row in rows)


def test_extremes() -> None:
    (before,) = costs(1, 1, n=30)
    (tied,) = compared(before, before)
    assert (tied["ratio"], tied["p"], tied["verdict"]) == (1, 1, "cannot tell")
    one = before.copy()
    one[3] *= 1_000
    (row,) = compared(before, one)
    assert row["p"] != row["p"] and row["reason"] == "only one query differs"
    assert row["ratio"] == pytest.approx(1_000 ** (1 / 30)) and row["verdict"] == "cannot tell"
    (row,) = compared(before[:9], 2 * before[:9])
    assert row["reason"] == "fewer than 10 queries" and row["ratio"] == pytest.approx(2)
    (row,) = compared(np.zeros(30), before)
    assert (row["tested"], row["lost"]) == ("sign", 30)
    assert row["p"] == pytest.approx(2.0**-29)
    huge = np.full(30, 1e100)
    (row,) = compared(huge, np.full(30, 1.5))
    assert row["ratio"] == pytest.approx(1.5e-100) and row["verdict"] == "better"
    missing = before.copy()
    missing[:5] = np.nan
    assert compared(before, missing)[0]["queries"] == 25


def test_one_slow_query_does_not_turn_the_verdict() -> None:
    before = np.random.default_rng(2).lognormal(6, 0.2, 60)
    after = 0.7 * before
    after[7] *= 80
    (row,) = compared(before, after)
    assert row["difference"] > 0 and row["verdict"] == "better" and row["ratio"] < 1


def test_no_verdict_rests_on_the_means_of_a_cost() -> None:
    for seed in range(40):
        chance = np.random.default_rng(seed)
        runs = costs(seed, 3, n=int(chance.integers(10, 80)), spread=1.5)
        runs[1][-1] *= 10 ** chance.integers(0, 6)
        if seed % 3 == 0:
            runs[2][0] = 0
        for row in compared(*runs):
            assert row["tested"] in ("typical ratio", "sign")
            untested = ("low", "high", "inner_low", "inner_high", "effect_low", "width")
            assert all(row[name] != row[name] for name in untested)
            slower = row["ratio"] > 1 if row["tested"] != "sign" else row["lost"] > row["won"]
            assert row["verdict"] in ("cannot tell", "worse" if slower else "better")


def test_a_margin_on_the_means_of_a_cost_is_said_to_be_unused() -> None:
    (row,) = compared(*costs(1), margin=1e6)
    assert row["verdict"] == "cannot tell" and "the margin applies to the means" in row["reason"]


def test_other_measures_are_tested_by_their_means() -> None:
    share = np.random.default_rng(1).random(30)
    (row,) = compared(share, share / 2, name="hallucination")
    assert (row["tested"], row["verdict"]) == ("mean difference", "better")
    assert -1 <= row["low"] < row["high"] < 0 and row["ratio"] != row["ratio"]
    (row,) = compared(share - 1, share, name="gain", lower=())
    assert row["tested"] == "mean difference"


@pytest.mark.parametrize("name", ["hallucination", "eval_loss", "WER", "rmse"])
def test_the_name_of_an_error_has_no_direction(name: str) -> None:
    share = np.random.default_rng(1).random(30)
    (row,) = compared(share, share / 2, name=name, lower=())
    assert row["verdict"] == "–" and f"--lower {name}" in row["reason"]


def test_a_measure_without_a_direction_has_no_verdict() -> None:
    before, after = costs(1)
    (row,) = compared(before, after, lower=())
    assert row["verdict"] == "–" and "--lower latency_ms or --higher latency_ms" in row["reason"]
    assert row["difference"] == pytest.approx((after - before).mean()) and row["tested"] == ""
    untested = ("p", "p_corrected", "low", "high", "won", "lost", "same", "ratio", "width")
    assert all(row[name] != row[name] for name in untested)


def scores_of(*runs: Any, **options: Any) -> tuple[Scores, Measure]:
    measure = make_score_only_measure(
        "cost", **({"higher_is_better": False, "scale": "cost"} | options)
    )
    values = np.array(runs)[:, :, None]
    names = tuple(f"v{i}" for i in range(1, len(runs) + 1))
    ids = tuple(f"q{i}" for i in range(values.shape[1]))
    return Scores(names, ids, (measure,), values, np.isnan(values[:, :, 0])), measure


def test_pairs_and_measures_side_by_side_are_tested_alike() -> None:
    runs = costs(7, 3, n=40)
    runs[1] = runs[0] * np.random.default_rng(8).lognormal(0.3, 0.2, 40)
    runs[1][0] /= 1e5  # the mean says otherwise
    runs[0][0] *= 1e3
    scores, measure = scores_of(*runs)
    expected = compare(scores, measure, "v1").set_index("run")["verdict"]
    pairs = all_pairs(scores, measure)
    assert np.isnan(pairs.low).all() and pairs.queries.max() == 40
    assert pairs.log_ratios is not None
    ratio, low, high = (np.exp(ends[:, pairs.runs.index("v1")]) for ends in pairs.log_ratios)
    rows = compare(scores, measure, "v1").set_index("run")
    for run in ("v2", "v3"):
        at = pairs.runs.index(run)
        assert ratio[at] == pytest.approx(rows["ratio"][run]) and low[at] < ratio[at] < high[at]
        text, interval = format_pair(pairs, at, pairs.runs.index("v1"), 3)
        assert text == format_ratio_change(rows["ratio"][run]) and interval.startswith("[")
    part = pairs.select_runs(["v1", "v3"])
    assert part.log_ratios is not None and part.tested.mean.shape == (2, 2)
    found = dict(zip(pairs.runs, pairs.verdict[:, pairs.runs.index("v1")], strict=True))
    assert found["v2"] in (expected["v2"], "cannot tell")
    agreement = find_agreement(scores, "v2", "v1").table.iloc[0]
    assert agreement["verdict"] == expected["v2"] and math.isnan(agreement["low"])
    groups = pd.Series("all", index=list(scores.query_ids))
    rows = summarise_groups(scores, measure, groups, baseline="v1")
    assert rows["diff_low"].isna().all() and rows["difference"].notna().sum() == 2
    own = compare(scores, measure, "v1").set_index("run").loc[rows["run"]]
    agrees = np.sign(np.log(own["ratio"])) == np.sign(own["difference"])
    assert rows["clear"].tolist() == ((own["p"] < 0.05) & agrees).tolist()
    for run in runs:
        run[3] = 0
    zero, measure = scores_of(*runs)
    assert set(all_pairs(zero, measure).verdict.ravel()) == {None, "cannot tell"}
    assert all_pairs(zero, measure).log_ratios is None
    assert find_agreement(zero, "v2", "v1").table["verdict"][0] in (
        "better",
        "worse",
        "cannot tell",
    )


def test_a_price_per_query_keeps_its_digits() -> None:
    (row,) = compared(np.full(20, 0.0004), np.full(20, 0.0007), name="cost_usd")
    assert describe_mean_difference(row | {"baseline_mean": 0.0004}, "cost_usd").startswith(
        "mean +0.000300 USD (0.000700 against 0.000400)"
    )


def test_nothing_is_tested_without_a_direction() -> None:
    (run,) = costs(9, 1, n=30)
    scores, measure = scores_of(run, 2 * run, higher_is_better=None, scale="")
    assert find_agreement(scores, "v2", "v1").table["verdict"].tolist() == ["–"]
    assert set(all_pairs(scores, measure).verdict.ravel()) == {None, "cannot tell"}
    groups = pd.Series("all", index=list(scores.query_ids))
    assert not summarise_groups(scores, measure, groups, baseline="v1")["clear"].any()


def test_the_command_says_what_is_tested(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = np.arange(100.0, 100 + N)
    frame = table(before, before * np.repeat([2.0, 1.5], 6)).assign(correct=1.0)
    frame.to_csv(tmp_path / "s.csv", index=False)

    def printed(*options: str) -> str:
        assert main(["compare", "--scores", str(tmp_path / "s.csv"), *options]) == 0
        return capsys.readouterr().out.replace("\N{NO-BREAK SPACE}", " ")

    lower = ("--lower", "latency_ms", "-m", "latency_ms")
    text = printed(*lower)
    assert "typical ratio  ×1.73 [" in text and "worse" in text
    sentence = "v2, latency_ms: typically 73% slower (95%: "
    assert sentence in text and ". Not tested: mean +78.375 ms (183.9 against 105.5);" in text
    assert "| typical ratio | ×1.73 [" in printed(*lower, "--format", "markdown")
    (row,) = json.loads(printed(*lower, "--format", "json"))
    assert (row["tested"], row["low"]) == ("typical ratio", None) and row["half_from"] > 0
    latex = printed(*lower, "--format", "latex")
    assert "significantly worse runs" in latex and "typical ratio, not the mean" in latex
    assert (
        "–" in printed()
        and "higher is better; use --lower latency_ms or --higher latency_ms (in Python lower="
        in printed()
    )
