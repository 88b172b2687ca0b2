"""Paired differences, outcomes and verdicts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metrics_core.base.errors import UnknownRunError
from metrics_core.comparing import testing
from metrics_core.comparing.method import Method
from metrics_core.comparing.pairs import classify_differences, compare, query_differences
from metrics_core.findings.phrases import describe_tie_rule
from metrics_core.measures import make_given_measure, parse_measure

GENERATOR = np.random.default_rng(5)
BASE = GENERATOR.random(50).round(3)
RUNS = {
    "bm25": BASE,
    "better": BASE + 0.1,
    "worse": np.where(np.arange(50) < 40, BASE - 0.2, BASE),
    "noise": BASE + GENERATOR.normal(0, 0.2, 50),
}


def frame_of(runs: dict[str, np.ndarray]) -> pd.DataFrame:
    ids = [f"q{i}" for i in range(50)]
    parts = [pd.DataFrame({"run": r, "query_id": ids, "AP": v}) for r, v in runs.items()]
    return pd.concat(parts, ignore_index=True)


FRAME = frame_of(RUNS)
ROWS = compare(FRAME, "AP", "bm25").set_index("run")


def test_runs_are_paired_by_query_and_not_by_row() -> None:
    shuffled = FRAME.sample(frac=1, random_state=1, ignore_index=True)
    gap = query_differences(shuffled, "AP", "better", "bm25")["difference"]
    assert gap.to_numpy() == pytest.approx(np.full(50, 0.1))


@pytest.mark.parametrize(
    ("difference", "outcome"),
    [
        (0.31 - 0.30, "same"),  # 0.010000000000000009
        (0.30 - 0.31, "same"),
        (0.0101, "better"),
        (-0.0101, "worse"),
        (0.0, "same"),
        (np.nan, None),
    ],
)
def test_a_difference_within_the_band_is_the_same(difference: float, outcome: str | None) -> None:
    measure = parse_measure("P@5")
    assert classify_differences(np.array([difference]), measure).tolist() == [outcome]


def test_costs_are_the_same_only_if_they_are_equal() -> None:
    # A price per query is often far below 0.01.
    cost = make_given_measure("cost_usd", np.array([0.0004]), higher_is_better=False)
    differences = np.array([0.0003, -0.0003, 0.0])
    assert classify_differences(differences, cost).tolist() == ["better", "worse", "same"]
    assert describe_tie_rule(cost) == "Same: queries whose two scores are equal."


def test_below_ten_queries_there_is_no_test_and_no_verdict() -> None:
    few = frame_of(RUNS)
    few = few[few["query_id"].isin([f"q{i}" for i in range(9)])]
    rows = compare(few, "AP", "bm25").iloc[1:]
    assert set(rows["verdict"]) == {"cannot tell"}
    assert set(rows["reason"]) == {"fewer than 10 queries"}
    assert rows[["low", "high", "p", "p_corrected"]].isna().all(axis=None)
    assert rows["difference"].notna().all()


def test_a_run_that_is_not_there_is_an_error() -> None:
    for call in (
        lambda: compare(FRAME, "AP", "BM25"),
        lambda: query_differences(FRAME, "AP", "bm26", "bm25"),
    ):
        with pytest.raises(UnknownRunError, match="Did you mean 'bm25'"):
            call()


def test_the_baseline_stands_first_and_has_no_difference() -> None:
    assert compare(FRAME, "AP", "noise")["run"].tolist() == ["noise", "bm25", "better", "worse"]
    own = ROWS.loc["bm25"]
    assert own["mean"] == pytest.approx(BASE.mean())
    assert own[["difference", "low", "high", "p", "verdict", "reason"]].isna().all()


def test_a_difference_is_run_minus_baseline() -> None:
    assert ROWS.loc["better", "difference"] == pytest.approx(0.1)
    assert ROWS.loc["worse", "difference"] == pytest.approx(-0.16)
    assert ROWS["verdict"].dropna().to_dict() == {
        "better": "better",
        "worse": "worse",
        "noise": "cannot tell",
    }
    assert ROWS.loc["worse", ["won", "lost", "same", "queries"]].tolist() == [0, 40, 10, 50]


def test_interval_and_test_hold_for_all_runs_together() -> None:
    gaps = np.column_stack([RUNS[run] - BASE for run in ("better", "worse", "noise")])
    found = testing.compare_columns(gaps, Method()).clip_bounds(1)
    for row, c in ((ROWS.loc["worse"], 1), (ROWS.loc["noise"], 2)):
        assert (row["low"], row["high"]) == (found.low[c], found.high[c])
        assert row["inner_low"] <= found.inner_low[c] < found.inner_high[c] <= row["inner_high"]
        assert (row["p"], row["p_corrected"]) == (found.p[c], found.p_corrected[c])
        assert row["effect_low"] < row["effect"] < row["effect_high"]
    assert ROWS.loc["noise", "effect"] == pytest.approx(
        gaps[:, 2].mean() / gaps[:, 2].std(ddof=1), rel=1e-12
    )


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_significant_loss_excludes_zero_also_for_a_margin(sign: int) -> None:
    # Half of the queries have no results in one of the runs: there is no failure of the other.
    full = np.linspace(0.3, 1.0, 50)
    empty = np.where(np.arange(50) % 2, full, 0.0)
    base, run = (full, empty) if sign < 0 else (empty, full)
    row = compare(frame_of({"base": base, "run": run}), "AP", "base").set_index("run").loc["run"]
    ends = sorted(sign * row[["low", "high", "inner_low", "inner_high"]].to_numpy(dtype=float))
    assert ends[0] > 0.1
    assert row["verdict"] == ("better" if sign > 0 else "worse")


def test_a_margin_says_what_does_not_matter() -> None:
    few = np.where(np.arange(50) % 2, BASE + 0.004, BASE)
    frame = frame_of({"bm25": BASE, "few": few, "far": BASE + 0.1, "noise": RUNS["noise"]})
    plain = compare(frame, "AP", "bm25").set_index("run")
    assert plain.loc["few", "verdict"] == "better"
    rows = compare(frame, "AP", "bm25", method=Method(margin=0.01)).set_index("run")
    assert rows.loc["few", "verdict"] == "better, but within the margin"
    assert rows.loc["far", "verdict"] == "better"
    assert rows.loc["noise", "verdict"] == "cannot tell"
    wide = compare(frame, "AP", "bm25", method=Method(margin=0.3)).set_index("run")
    assert wide.loc["noise", "verdict"] == "no difference that matters"


def test_a_run_that_is_hardly_different_says_so() -> None:
    near, same = BASE.copy(), BASE.copy()
    near[:3] += 0.3
    rows = compare(frame_of({"bm25": BASE, "near": near, "same": same}), "AP", "bm25")
    assert rows["reason"].tolist()[1:] == ["only 3 queries differ", "no query differs"]
    assert set(rows["verdict"].iloc[1:]) == {"cannot tell"}


def test_undefined_pairs_are_left_out() -> None:
    holed = BASE.copy()
    holed[:5] = np.nan
    row = compare(frame_of({"bm25": holed, "up": BASE + 0.2}), "AP", "bm25").set_index("run")
    assert row.loc["up", ["queries", "won"]].tolist() == [45, 45]
    assert row.loc["up", "difference"] == pytest.approx(0.2)


def test_differences_of_a_run_to_itself_are_the_same() -> None:
    own = query_differences(FRAME, "AP", "bm25", "bm25")
    assert set(own["outcome"]) == {"same"}
    assert (own["score"] == own["baseline_score"]).all()


def geometric(values: np.ndarray) -> float:
    return float(np.exp(np.log(np.maximum(values, 0.00001)).mean()))


def test_geometric_means_are_compared_as_such() -> None:
    rows = compare(FRAME.rename(columns={"AP": "GMAP"}), "GMAP", "bm25").set_index("run")
    worse = rows.loc["worse"]
    assert worse["mean"] == pytest.approx(geometric(RUNS["worse"]), rel=1e-13)
    gap = geometric(RUNS["worse"]) - geometric(BASE)
    assert worse["difference"] == pytest.approx(gap, rel=1e-12)
    assert worse["low"] < gap < worse["high"] < 0
    assert worse["verdict"] == "worse"
    logs = [np.log(np.maximum(v, 0.00001)) for v in (RUNS["worse"], BASE)]
    steps = logs[0] - logs[1]
    assert worse["effect"] == pytest.approx(steps.mean() / steps.std(ddof=1), rel=1e-9)
    assert (worse["won"], worse["lost"]) == (0, 40)


def test_fewer_is_better_where_the_measure_says_so() -> None:
    frame = FRAME.rename(columns={"AP": "Unjudged@10"})
    rows = compare(frame, "Unjudged@10", "bm25").set_index("run")
    assert rows.loc["better", "verdict"] == "worse"
    assert rows.loc["worse", "verdict"] == "better"
    assert rows.loc["better", "difference"] == pytest.approx(0.1)
    assert (rows.loc["worse", "won"], rows.loc["worse", "lost"]) == (40, 0)
    assert set(query_differences(frame, "Unjudged@10", "better", "bm25")["outcome"]) == {"worse"}


def test_where_mean_and_ranks_point_to_different_runs_there_is_no_verdict() -> None:
    # 38 small wins, twelve large losses.
    odd = BASE + np.where(np.arange(50) < 38, 0.02, -0.4) + np.arange(50) / 1e4
    rows = {
        test: compare(frame_of({"bm25": BASE, "odd": odd}), "AP", "bm25", method=Method(test)).iloc[
            1
        ]
        for test in ("bootstrap", "wilcoxon", "sign")
    }
    assert rows["bootstrap"]["verdict"] == "worse"
    assert rows["sign"]["p_corrected"] < 0.05 and rows["sign"]["verdict"] == "cannot tell"
    assert rows["sign"]["reason"] == "the mean and this test favour different runs"
    assert np.isnan(rows["wilcoxon"]["low"])


def test_skewed_differences_are_tested_and_count_among_all_that_are_compared() -> None:
    few = {name: values[:20] for name, values in RUNS.items()}
    few["skewed"] = few["bm25"] + np.r_[np.full(18, 0.05), 2.0, 3.0] + np.arange(20) / 1e3
    ids = [f"q{i}" for i in range(20)]
    parts = [pd.DataFrame({"run": r, "query_id": ids, "AP": v}) for r, v in few.items()]
    frame = pd.concat(parts, ignore_index=True)
    rows = compare(frame, "AP", "bm25").set_index("run")
    # All queries won, by little or by much.
    assert rows.loc["skewed", "verdict"] == "better"
    without = compare(frame[frame["run"] != "skewed"], "AP", "bm25").set_index("run")
    assert rows.loc["worse", "p"] == without.loc["worse", "p"]
    assert rows.loc["worse", "p_corrected"] == pytest.approx(
        4 / 3 * without.loc["worse", "p_corrected"]
    )


@pytest.mark.parametrize(("queries", "lost", "within"), [(10, 0, False), (300, 0, True)])
def test_few_equal_scores_rule_out_little(queries: int, lost: int, within: bool) -> None:
    base = np.full(queries, 0.5)
    run = np.where(np.arange(queries) < lost, 0.4, base)
    ids = [f"q{i}" for i in range(queries)]
    runs = (("base", base), ("run", run))
    frame = pd.concat(
        [pd.DataFrame({"run": name, "query_id": ids, "AP": scores}) for name, scores in runs]
    )
    row = compare(frame, "AP", "base", method=Method(margin=0.01)).set_index("run").loc["run"]
    assert (row["verdict"] == "no difference that matters") == within
    share = stats.binomtest(lost, queries).proportion_ci(0.9).high
    assert row["inner_high"] == pytest.approx(-row["inner_low"]) == pytest.approx(share)
