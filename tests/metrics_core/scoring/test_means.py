"""Means and their intervals, against a literal bootstrap-t and scipy's interval of a share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics_core.measures.declaring.aggregation import COMBINATIONS, Aggregation
from metrics_core.scoring.evaluate import evaluate
from metrics_core.scoring.intervals import mean_bound, mean_interval, mean_intervals
from metrics_core.scoring.means import aggregate, combine_scores
from tests.collections_of import qrels_of, run_of

GENERATOR = np.random.default_rng(7)
SKEWED = GENERATOR.beta(0.5, 1.5, 60)
NORMAL = GENERATOR.normal(0.02, 0.2, 35)


@pytest.mark.parametrize("values", [SKEWED, NORMAL], ids=["skewed", "normal"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_interval_as_a_literal_bootstrap_t(values: np.ndarray, level: float) -> None:
    ours = mean_interval(values, level=level)
    drawn = np.random.default_rng(1).choice(values, (20_000, len(values)))
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.abs(drawn.mean(axis=1) - values.mean()) / stats.sem(drawn, axis=1)
    # Two simulations of some 10,000 draws: a quantile's own error is about 3% of this.
    error = stats.sem(values)
    reach = np.quantile(np.nan_to_num(far), level) * error
    assert float(ours.mean) == pytest.approx(values.mean(), rel=1e-14)
    assert float(ours.low) == pytest.approx(values.mean() - reach, abs=0.12 * error)
    assert float(ours.high) == pytest.approx(values.mean() + reach, abs=0.12 * error)


def test_a_higher_level_is_wider() -> None:
    narrow, wide = mean_interval(SKEWED, level=0.8), mean_interval(SKEWED, level=0.99)
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high


def test_the_same_values_give_the_same_interval() -> None:
    assert mean_interval(SKEWED) == mean_interval(SKEWED.copy())


def test_every_column_has_the_draws_it_would_have_alone() -> None:
    values = np.stack([SKEWED, SKEWED[::-1], np.full(60, 0.25)], axis=1)
    together = mean_interval(values.reshape(60, 3, 1))
    assert together.low.shape == (3, 1)
    for i in range(3):
        alone = mean_interval(values[:, i])
        assert together.low[i, 0] == pytest.approx(float(alone.low), rel=1e-12, nan_ok=True)
        assert together.high[i, 0] == pytest.approx(float(alone.high), rel=1e-12, nan_ok=True)
    assert np.isnan(together.low[2, 0]), "all are equal"


def test_undefined_scores_are_left_out_of_their_column() -> None:
    holed = np.concatenate([NORMAL, np.full(15, np.nan)])
    full = np.concatenate([NORMAL, NORMAL[:15]])
    both = mean_interval(np.stack([holed, full], axis=1))
    alone = mean_interval(NORMAL)
    error = NORMAL.std() / np.sqrt(len(NORMAL))
    assert both.mean == pytest.approx([NORMAL.mean(), full.mean()])
    assert both.low[0] == pytest.approx(float(alone.low), abs=0.2 * error)
    assert both.high[0] == pytest.approx(float(alone.high), abs=0.2 * error)


@pytest.mark.parametrize("values", [[0.5], [0.5, np.nan, np.nan]])
def test_one_query_has_a_mean_and_no_interval(values: list[float]) -> None:
    interval = mean_interval(np.array(values))
    assert float(interval.mean) == 0.5
    assert np.isnan(interval.low) and np.isnan(interval.high)


def test_under_eight_scores_there_is_no_interval() -> None:
    for n, known in ((7, False), (8, True)):
        found = mean_interval(np.arange(n) / 10)
        assert (not np.isnan(found.low)) is known


def test_an_interval_ends_within_the_scores_that_there_can_be() -> None:
    values = np.r_[np.zeros(9), 0.4][:, None]
    (found,) = mean_intervals([values], limits=(0.0, 1.0))
    assert found.low[0] == 0 and found.high[0] > 0.04


@given(
    n=st.integers(8, 3_000),
    share=st.floats(0, 1),
    level=st.sampled_from([0.8, 0.9, 0.95, 0.99]),
    undefined=st.integers(0, 3),
)
def test_the_interval_of_a_share_is_wilsons(
    n: int, share: float, level: float, undefined: int
) -> None:
    hits = round(n * share)
    values = np.r_[np.ones(hits), np.zeros(n - hits), np.full(undefined, np.nan)]
    ours = mean_interval(values, level=level)
    theirs = stats.binomtest(hits, n).proportion_ci(level, method="wilson")
    assert [float(end) for end in ours] == pytest.approx([hits / n, *theirs], abs=1e-12)
    bound = mean_bound(values, level=level)
    one_sided = stats.binomtest(hits, n, alternative="greater").proportion_ci(level, "wilson")
    assert bound == pytest.approx(one_sided.low, abs=1e-12)


@given(
    n=st.integers(8, 600),
    odd=st.lists(st.sampled_from([0.0, 1.0, 0.5, 1e-9, 1 - 1e-4]), max_size=5),
    usual=st.sampled_from([0.0, 1.0, 0.3]),
)
def test_an_interval_is_finite_within_the_scale_and_holds_the_mean(
    n: int, odd: list[float], usual: float
) -> None:
    values = np.r_[np.full(n, usual), odd]
    for combination in (COMBINATIONS["mean"], COMBINATIONS["geometric"]):
        (found,) = mean_intervals([values[:, None]], combination, limits=(0.0, 1.0))
        mean, low, high = (float(end[0]) for end in found)
        if len(set(combination.to_scale(values))) == 1 and (usual == 0.3 or not combination.linear):
            assert np.isnan(low) and np.isnan(high)
        else:
            assert 0 <= low <= mean * (1 + 1e-12) and mean * (1 - 1e-12) <= high <= 1
            assert high - low < 1


@pytest.mark.parametrize(("n", "most"), [(10, 0.09), (20, 0.07), (50, 0.06)])
def test_the_lower_bound_of_scores_near_the_top_is_seldom_above_the_true_mean(
    n: int, most: float
) -> None:
    drawn = np.random.default_rng(5)
    bounds = [mean_bound(1 - drawn.beta(0.3, 5.7, n)) for _ in range(400)]
    assert np.mean(np.array(bounds) > 0.95) <= most + 3 * (most * (1 - most) / 400) ** 0.5


def test_an_upper_bound_is_the_lower_one_of_turned_scores() -> None:
    for values in (SKEWED, np.r_[np.ones(20), np.zeros(7)]):
        assert mean_bound(values, is_upper=True) == pytest.approx(1 - mean_bound(1 - values))


def test_nothing_defined_is_undefined() -> None:
    assert all(np.isnan(v).all() for v in mean_interval(np.full((3, 2), np.nan)))


FRAME = evaluate(
    [run_of({"a": {"d1": 2, "d2": 1}, "b": {"d1": 1}}, "one"), run_of({"a": {"d2": 1}}, "two")],
    qrels_of({"a": {"d1": 1}, "b": {"d1": 1}, "c": {"d1": 0}}),
    ["AP", "NumRet"],
    without_relevant="leave out",
)


def test_aggregate_summarises_each_run_and_measure() -> None:
    rows = aggregate(FRAME).set_index(["run", "measure"])
    one = rows.loc["one", "AP"]
    assert (one["mean"], one["median"], one["queries"]) == (1, 1, 2)
    assert np.isnan(one["low"]), "of two scores"
    two = rows.loc["two", "AP"]
    assert (two["mean"], two["median"], two["queries"]) == (0, 0, 2)


def test_counts_are_summed_and_have_no_interval() -> None:
    rows = aggregate(FRAME).set_index(["run", "measure"])
    assert rows.loc["one", "NumRet"]["mean"] == 3
    assert rows.loc["two", "NumRet"]["mean"] == 1
    assert np.isnan(rows.loc["one", "NumRet"]["low"])


def test_means_are_those_of_aggregate() -> None:
    plain, full = combine_scores(FRAME), aggregate(FRAME)
    assert plain["value"].tolist() == full["mean"].tolist()
    assert list(plain.columns) == ["run", "measure", "value"]


def test_a_mean_of_nothing_is_undefined_not_zero() -> None:
    frame = pd.DataFrame({"run": ["r"], "query_id": ["q"], "AP": [np.nan], "NumRet": [np.nan]})
    assert combine_scores(frame)["value"].isna().all()
    assert np.isnan(aggregate(frame)["mean"][0])


# Geometric means


HARD = np.concatenate([SKEWED, np.zeros(3)])


def geometric(values: np.ndarray, axis: int | None = None) -> np.ndarray:
    return np.exp(np.log(np.maximum(values, 0.00001)).mean(axis=axis))


def frame_of(**columns: np.ndarray) -> pd.DataFrame:
    ids = [f"q{i}" for i in range(len(HARD))]
    return pd.DataFrame({"run": "r", "query_id": ids, **columns})


def test_a_geometric_mean_counts_a_zero_as_trec_evals_least_score() -> None:
    frame = frame_of(GMAP=HARD, AP=HARD)
    value = combine_scores(frame).set_index("measure")["value"]
    assert value["GMAP"] == pytest.approx(geometric(HARD), rel=1e-13)
    assert value["AP"] == pytest.approx(HARD.mean(), rel=1e-13)
    summary = aggregate(frame).set_index("measure")
    assert summary["mean"].to_dict() == pytest.approx(value.to_dict(), rel=1e-13)
    assert summary.loc["GMAP", "median"] == np.median(HARD)


def test_a_geometric_interval_as_scipys_percentile_bootstrap() -> None:
    row = aggregate(frame_of(GMAP=HARD)).iloc[0]
    theirs = stats.bootstrap(
        (HARD,),
        geometric,
        method="percentile",
        confidence_level=0.95,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert row["low"] == pytest.approx(theirs.low, rel=0.08)
    assert row["high"] == pytest.approx(theirs.high, rel=0.08)
    assert row["low"] < row["mean"] < row["high"]


def test_a_geometric_mean_leaves_undefined_scores_out() -> None:
    holed = np.where(np.arange(len(HARD)) % 2, HARD, np.nan)
    row = aggregate(frame_of(GMAP=holed)).iloc[0]
    assert row["mean"] == pytest.approx(geometric(holed[1::2]), rel=1e-13)
    assert row["queries"] == len(holed[1::2])
    assert np.isnan(combine_scores(frame_of(GMAP=np.full(len(HARD), np.nan)))["value"]).all()


@pytest.mark.parametrize("aggregation", ["mean", "sum", "geometric"])
def test_every_combination_works_over_the_first_axis(aggregation: Aggregation) -> None:
    combination = COMBINATIONS[aggregation]
    table = np.stack([HARD, np.where(HARD > 0.1, HARD, np.nan), np.full_like(HARD, np.nan)], axis=1)
    together = combination.combine(table)
    assert together.tolist() == pytest.approx(
        [float(combination.combine(table[:, i])) for i in range(3)], rel=1e-13, nan_ok=True
    )
    assert np.isnan(together).tolist() == [False, False, True]
