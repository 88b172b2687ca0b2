"""Scores and differences by group."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from metrics_core.base.errors import UnknownColumnError
from metrics_core.comparing.resampled import resample_means
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.measures import parse_measure
from metrics_core.scoring.intervals import mean_interval
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import (
    ALL,
    NO_GROUP,
    breakdown,
    find_groups,
    order_groups,
    summarise_groups,
)
from metrics_core.slicing.crossed import cross_groups
from metrics_core.tables import Queries


@pytest.mark.parametrize(
    ("values", "ordered"),
    [
        (["hard", "easy", "medium", "easy"], ["easy", "medium", "hard"]),
        (["Hard", "Easy"], ["Easy", "Hard"]),
        (["high", "very low", "low"], ["very low", "low", "high"]),
        (["tail", "head", "torso"], ["head", "torso", "tail"]),
        (["10", "9", "2.5"], ["2.5", "9", "10"]),
        (["b", "a", "10"], ["10", "a", "b"]),
        (["hard", NO_GROUP, "easy"], ["easy", "hard", NO_GROUP]),
        (["easy", "Billing"], ["Billing", "easy"]),
        ([NO_GROUP], [NO_GROUP]),
        ([], []),
    ],
)
def test_groups_in_a_readers_order(values: list[str], ordered: list[str]) -> None:
    assert order_groups(values) == ordered


IDS = [f"q{i:02}" for i in range(30)]
QUERIES = Queries.from_columns(
    {
        "query_id": [*IDS[:28], "unused"],
        "category": ["Billing"] * 12 + ["Returns"] * 12 + ["Rare"] * 4 + ["Unused"],
        "difficulty": (["easy", "hard"] * 14) + [""],
    }
)
BASE = np.linspace(0.2, 0.6, 30)
NEW = BASE.copy()
NEW[:12] += 0.2  # Billing
NEW[12:24] += np.array([0.1, -0.1] * 6)  # Returns
NEW[24:28] += 0.3  # Rare: too few
SCORES = pd.concat(
    [
        pd.DataFrame({"run": "bm25", "query_id": IDS, "AP": BASE}),
        pd.DataFrame({"run": "new", "query_id": IDS, "AP": NEW}),
    ],
    ignore_index=True,
)
ROWS = breakdown(SCORES, QUERIES, "AP", by="category", baseline="bm25").set_index(["group", "run"])


def test_a_query_without_a_value_is_in_the_group_none() -> None:
    groups = find_groups(QUERIES, ["q00", "q29", "unused"], "difficulty")
    assert groups.to_dict() == {"q00": "easy", "q29": NO_GROUP, "unused": NO_GROUP}


def test_an_unknown_column_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownColumnError) as caught:
        find_groups(QUERIES, IDS, "colour")
    assert "'colour'" in caught.value.message
    assert "category, difficulty" in caught.value.hint


def test_every_group_has_its_queries_and_mean() -> None:
    assert ROWS["queries"].xs("new", level="run").to_dict() == {
        "Billing": 12,
        "Rare": 4,
        "Returns": 12,
        NO_GROUP: 2,
    }
    assert ROWS.loc[("Billing", "new"), "mean"] == pytest.approx(NEW[:12].mean())
    interval = mean_interval(NEW[:12])
    assert ROWS.loc[("Billing", "new"), "low"] == pytest.approx(float(interval.low))


def test_differences_are_paired_within_the_group() -> None:
    differences = ROWS["difference"].xs("new", level="run")
    assert differences.to_dict() == pytest.approx(
        {"Billing": 0.2, "Rare": 0.3, "Returns": 0.0, NO_GROUP: 0.0}
    )
    assert ROWS["difference"].xs("bm25", level="run").isna().all()


def test_only_a_large_enough_group_with_a_clear_difference_is_named() -> None:
    clear = ROWS["clear"].xs("new", level="run")
    assert clear.to_dict() == {"Billing": True, "Rare": False, "Returns": False, NO_GROUP: False}
    assert not ROWS["clear"].xs("bm25", level="run").any()


def test_intervals_are_widened_for_the_number_of_groups() -> None:
    # Clear on its own at 95%, but not at the 1 - 0.05/10 that ten groups ask for.
    gap = np.random.default_rng(2).normal(0.028, 0.05, 20)
    alone = mean_interval(gap)
    assert float(alone.low) > 0 > float(mean_interval(gap, level=0.995).low)
    ids = [f"q{i}" for i in range(200)]
    base = np.full(200, 0.5)
    scores = pd.concat(
        [
            pd.DataFrame({"run": "a", "query_id": ids, "AP": base}),
            pd.DataFrame({"run": "b", "query_id": ids, "AP": base + np.tile(gap, 10)}),
        ]
    )

    def clear(groups: int) -> bool:
        values = [f"g{min(i // 20, groups - 1)}" for i in range(200)]
        queries = Queries.from_columns({"query_id": ids[:200], "g": values})
        first = scores[scores["query_id"].isin(ids[:20])] if groups == 1 else scores
        rows = breakdown(first, queries, "AP", by="g", baseline="a")
        return bool(rows[(rows["run"] == "b") & (rows["group"] == "g0")]["clear"].iloc[0])

    assert clear(1)
    assert not clear(10)


def test_without_a_baseline_there_are_scores_and_no_differences() -> None:
    rows = breakdown(SCORES, QUERIES, "AP", by="category")
    assert rows["mean"].notna().all()
    assert rows["difference"].isna().all() and not rows["clear"].any()


def cells_of(scores: pd.DataFrame, measure: str) -> pd.DataFrame:
    groups = (find_groups(QUERIES, IDS, by) for by in ("category", "difficulty"))
    cells = cross_groups(scores, measure, *groups, run="new", baseline="bm25")
    return cells.set_index(["row", "column"])


def test_cells_of_two_groupings_and_their_margins() -> None:
    cells = cells_of(SCORES, "AP")
    assert cells.loc[("Billing", "easy")].tolist() == pytest.approx([6, 0.2])
    assert cells.loc[("Returns", "hard")].tolist() == pytest.approx([6, -0.1])
    assert cells.loc[("Billing", ALL)].tolist() == pytest.approx([12, 0.2])
    assert cells.loc[(ALL, "easy"), "queries"] == 14
    assert cells.loc[(ALL, ALL)].tolist() == pytest.approx([30, (NEW - BASE).mean()])
    empty = cells.loc[("Billing", NO_GROUP)]
    assert empty["queries"] == 0 and np.isnan(empty["difference"])


def test_geometric_means_by_group_and_in_cells() -> None:
    def geometric(values: np.ndarray) -> float:
        return float(np.exp(np.log(np.maximum(values, 0.00001)).mean()))

    scores = SCORES.rename(columns={"AP": "GMAP"})
    scores.loc[scores["query_id"] == IDS[3], "GMAP"] = 0.0
    own, other = (
        scores.loc[scores["run"] == run, "GMAP"].to_numpy()[:12] for run in ("new", "bm25")
    )
    rows = breakdown(scores, QUERIES, "GMAP", by="category", baseline="bm25")
    row = rows[(rows["group"] == "Billing") & (rows["run"] == "new")].iloc[0]
    assert row["mean"] == pytest.approx(geometric(own), rel=1e-12)
    assert row["difference"] == pytest.approx(geometric(own) - geometric(other), rel=1e-12)
    assert row["diff_low"] <= row["difference"] <= row["diff_high"]
    cells = cells_of(scores, "GMAP")
    assert cells.loc[("Billing", ALL)].tolist() == pytest.approx(
        [12, geometric(own) - geometric(other)], rel=1e-12
    )


@pytest.mark.parametrize(("n", "clear"), [(FEWEST_QUERIES - 1, False), (FEWEST_QUERIES, True)])
def test_a_group_of_few_queries_is_never_called_clear(n: int, clear: bool) -> None:
    ids = IDS[: n + 12]
    base = np.full(len(ids), 0.3)
    new = base + np.where(np.arange(len(ids)) < n, 0.3, 0.0) + np.arange(len(ids)) / 1000
    scores = pd.concat(
        pd.DataFrame({"run": run, "query_id": ids, "AP": values})
        for run, values in (("bm25", base), ("new", new))
    )
    groups = pd.Series(["small"] * n + ["rest"] * 12, ids)
    rows = summarise_groups(scores, "AP", groups, baseline="bm25").set_index(["group", "run"])
    assert (rows.loc[("small", "new"), "diff_low"] > 0) is np.bool_(clear)
    assert bool(rows.loc[("small", "new"), "clear"]) is clear


def test_what_is_clear_holds_for_all_groups_together() -> None:
    """Of groups in which nothing differs but by chance one in twenty views has a clear one."""
    chance = np.random.default_rng(21)
    ids = [f"q{i}" for i in range(96)]
    groups = pd.Series([f"g{i % 8}" for i in range(96)], ids)
    runs = {f"r{i}": chance.normal(0, 0.2, 96) for i in range(150)}
    values = {"bm25": np.zeros(96), **runs}
    scores = pd.concat(
        pd.DataFrame({"run": run, "query_id": ids, "AP": v}) for run, v in values.items()
    )
    rows = summarise_groups(scores, "AP", groups, baseline="bm25")
    alarms = rows[rows["run"] != "bm25"].groupby("run")["clear"].any()
    # 5% of 150 are 7.5; more than 14 has a chance of 1%.
    assert alarms.sum() <= 14


def alone(values: np.ndarray, baseline: int, level: float, looked_at: int) -> list[list[float]]:
    """What `summarise_groups` says of one group, run by run, each difference with its interval for
    all."""
    rows = []
    for run in range(values.shape[1]):
        own = mean_interval(values[:, run])
        row = [float(np.sum(~np.isnan(values[:, run]))), *map(float, own)]
        gaps = values[:, run] - values[:, baseline]
        told, clear = [np.nan] * 3, 0.0
        if run != baseline:
            found = resample_means(gaps[:, None])
            clear = float(1 - (1 - found.p[0]) ** looked_at <= 1 - level)
            for_all = found.intervals(1 - level ** (1 / looked_at), np.array([bool(clear)]))
            told = [float(end[0]) for end in for_all]
        rows.append([*row, *told, clear])
    return rows


def in_groups(kind: str) -> pd.Series:
    ids = [f"q{i:03}" for i in range(200)]
    if kind == "numbers":
        numbers = [str(1980 + 7 * i % 90) if i % 9 else "" for i in range(200)]
        queries = Queries.from_columns({"query_id": ids, "year": numbers})
        return find_groups(queries, ids, "year")
    names = {
        "uneven": ["one"] + ["two"] * 2 + ["five"] * 5 + ["eight"] * 8 + ["rest"] * 184,
        "all in one": ["same"] * 200,
        "forty": [f"g{i % 40}" for i in range(200)],
        "twice as many": ["a"] * 60 + ["b"] * 60 + ["c"] * 80,
    }
    return pd.Series(names[kind], ids)


@pytest.mark.parametrize("kind", ["uneven", "all in one", "forty", "twice as many", "numbers"])
@pytest.mark.parametrize("lacking", [False, True], ids=["whole", "undefined scores"])
def test_groups_together_come_out_as_each_by_itself(kind: str, lacking: bool) -> None:
    chance = np.random.default_rng(len(kind))
    groups = in_groups(kind)
    values = np.round(chance.random((3, 200, 1)) + 0.05 * np.arange(3)[:, None, None], 1)
    if lacking:
        values[chance.random(values.shape) < 0.1] = np.nan
        values[2, :40] = np.nan
    measure = parse_measure("P@10")
    missing = np.zeros((3, 200), dtype=np.bool_)
    scores = Scores(("a", "b", "c"), tuple(groups.index), (measure,), values, missing)
    found = summarise_groups(scores, measure, groups, baseline="b")
    for name, part in found.groupby("group", sort=False):
        inside = values[:, (groups == name).to_numpy(), 0].T
        expected = alone(inside, 1, 0.95, groups.nunique())
        columns = [c for c in part.columns if c not in ("group", "run")]
        np.testing.assert_allclose(part[columns].astype(float).to_numpy(), expected, atol=1e-9)


def test_cells_have_the_means_of_their_queries() -> None:
    chance = np.random.default_rng(1)
    one, other = in_groups("uneven"), in_groups("forty")
    values = chance.random((2, 200, 1))
    values[0, ::7] = np.nan
    measure = parse_measure("P@10")
    missing = np.zeros((2, 200), dtype=np.bool_)
    scores = Scores(("a", "b"), tuple(one.index), (measure,), values, missing)
    cells = cross_groups(scores, measure, one, other, run="a", baseline="b")
    gaps = values[0, :, 0] - values[1, :, 0]
    assert len(cells) == 6 * 41
    for row, column, queries, difference in cells.itertuples(index=False):
        inside = ~np.isnan(gaps)
        inside &= True if row == ALL else (one == row).to_numpy()
        inside &= True if column == ALL else (other == column).to_numpy()
        assert queries == inside.sum()
        expected = gaps[inside].mean() if inside.any() else np.nan
        assert difference == pytest.approx(expected, abs=1e-12, nan_ok=True)
