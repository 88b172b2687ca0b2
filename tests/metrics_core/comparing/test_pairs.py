"""Paired differences, outcomes and verdicts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metrics_core.comparing.pairs import FEWEST_QUERIES, compare, differences, outcomes, verdict
from metrics_core.errors import UnknownRunError
from metrics_core.scoring.intervals import mean_interval

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
    gap = differences(shuffled, "AP", "better", "bm25")["difference"]
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
    assert outcomes(np.array([difference])).tolist() == [outcome]


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (0.01, 0.1, "ahead"),
        (-0.1, -0.01, "behind"),
        (-0.1, 0.1, "unclear"),
        (0.0, 0.1, "unclear"),
        (-0.1, 0.0, "unclear"),
        (np.nan, np.nan, "unclear"),
    ],
)
def test_a_verdict_needs_an_interval_that_excludes_zero(
    low: float, high: float, found: str
) -> None:
    assert verdict(low, high, FEWEST_QUERIES) == found


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.2), (-0.2, -0.1), (-0.1, 0.1)])
def test_below_ten_queries_there_is_no_verdict(low: float, high: float) -> None:
    assert verdict(low, high, 9) == "too few"
    few = frame_of(RUNS)
    few = few[few["query_id"].isin([f"q{i}" for i in range(9)])]
    assert set(compare(few, "AP", "bm25")["verdict"].dropna()) == {"too few"}


def test_a_run_that_is_not_there_is_an_error() -> None:
    for call in (
        lambda: compare(FRAME, "AP", "BM25"),
        lambda: differences(FRAME, "AP", "bm26", "bm25"),
    ):
        with pytest.raises(UnknownRunError, match="Did you mean 'bm25'"):
            call()


def test_the_baseline_stands_first_and_has_no_difference() -> None:
    assert compare(FRAME, "AP", "noise")["run"].tolist() == ["noise", "bm25", "better", "worse"]
    own = ROWS.loc["bm25"]
    assert own["mean"] == pytest.approx(BASE.mean())
    assert own[["difference", "low", "high", "p_value", "verdict"]].isna().all()


def test_a_difference_is_run_minus_baseline() -> None:
    assert ROWS.loc["better", "difference"] == pytest.approx(0.1)
    assert ROWS.loc["worse", "difference"] == pytest.approx(-0.16)
    assert ROWS["verdict"].dropna().to_dict() == {
        "better": "ahead",
        "worse": "behind",
        "noise": "unclear",
    }
    assert ROWS.loc["worse", ["won", "lost", "same", "queries"]].tolist() == [0, 40, 10, 50]


def test_interval_and_test_are_of_the_paired_differences() -> None:
    paired = RUNS["noise"] - BASE
    interval = mean_interval(paired)
    row = ROWS.loc["noise"]
    assert (row["low"], row["high"]) == pytest.approx((float(interval.low), float(interval.high)))
    assert row["p_value"] == pytest.approx(stats.ttest_rel(RUNS["noise"], BASE).pvalue)


def test_undefined_pairs_are_left_out() -> None:
    holed = BASE.copy()
    holed[:5] = np.nan
    row = compare(frame_of({"bm25": holed, "up": BASE + 0.2}), "AP", "bm25").set_index("run")
    assert row.loc["up", ["queries", "won"]].tolist() == [45, 45]
    assert row.loc["up", "difference"] == pytest.approx(0.2)


def test_differences_of_a_run_to_itself_are_the_same() -> None:
    own = differences(FRAME, "AP", "bm25", "bm25")
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
    assert worse["verdict"] == "behind"
    logs = [np.log(np.maximum(v, 0.00001)) for v in (RUNS["worse"], BASE)]
    assert worse["p_value"] == pytest.approx(stats.ttest_rel(*logs).pvalue, rel=1e-9)
    assert (worse["won"], worse["lost"]) == (0, 40)


def test_fewer_is_better_where_the_measure_says_so() -> None:
    frame = FRAME.rename(columns={"AP": "Unjudged@10"})
    rows = compare(frame, "Unjudged@10", "bm25").set_index("run")
    assert rows.loc["better", "verdict"] == "behind"
    assert rows.loc["worse", "verdict"] == "ahead"
    assert rows.loc["better", "difference"] == pytest.approx(0.1)
    assert (rows.loc["worse", "won"], rows.loc["worse", "lost"]) == (40, 0)
    assert set(differences(frame, "Unjudged@10", "better", "bm25")["outcome"]) == {"worse"}
