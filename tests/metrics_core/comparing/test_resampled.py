"""Studentised draws: against a literal loop, at the edges, and as interval and verdict together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics_core.comparing import max_statistic as away_module
from metrics_core.comparing.max_statistic import Columns
from metrics_core.comparing.resampled import (
    _varied,
    resampled,
    resampled_each,
    resampled_groups,
)
from metrics_core.comparing.verdicts import FEWEST_DIFFERING
from metrics_core.scoring.random_groups import MOST_SINGLE, in_groups
from metrics_core.scoring.resampling import draws


def literal(columns: list[list[float]], level: float) -> tuple[list[float], list[float], float]:
    """Single and step-down p-values, and the common width, query by query and draw by draw."""
    n = len(columns[0])

    def statistic(values: list[float], about: float) -> float:
        known = [v for v in values if not math.isnan(v)]
        if len(known) < 2:
            return 0.0
        mean = sum(known) / len(known)
        spread = sum((v - mean) ** 2 for v in known) / (len(known) - 1)
        error = math.sqrt(spread / len(known))
        off = mean - about
        if error < 1e-14:
            return 0.0 if abs(off) < 1e-14 else math.copysign(math.inf, off)
        return off / error

    means = [
        sum(v for v in c if not math.isnan(v)) / sum(not math.isnan(v) for v in c) for c in columns
    ]
    found = [abs(statistic(c, 0.0)) for c in columns]
    order = sorted(range(len(columns)), key=lambda c: -found[c])
    single, steps, largest, total = [0] * len(columns), [0] * len(columns), [], 0
    for block in draws(n):
        for counts in block:
            drawn = [q for q in range(n) for _ in range(int(counts[q]))]
            away = [
                abs(statistic([c[q] for q in drawn], m))
                for c, m in zip(columns, means, strict=True)
            ]
            total += 1
            largest.append(max(away))
            for place, c in enumerate(order):
                single[c] += away[c] >= found[c] - 1e-9
                steps[c] += max(away[o] for o in order[place:]) >= found[c] - 1e-9
    p, highest = {}, 0.0
    for c in order:
        highest = max(highest, (steps[c] + 1) / (total + 1))
        p[c] = highest
    most = math.floor((1 - level) * (total + 1) + 1e-9)
    return (
        [(s + 1) / (total + 1) for s in single],
        [p[c] for c in range(len(columns))],
        sorted(largest)[-most],
    )


@pytest.mark.parametrize("lacking", [False, True])
def test_as_a_literal_loop(lacking: bool) -> None:
    generator = np.random.default_rng(7)
    values = generator.normal(0.3, 1.0, (9, 3)) * [1.0, 0.4, 2.0] + [0.0, 0.5, -0.2]
    if lacking:
        values[[0, 4], [1, 2]] = np.nan
    found = resampled(values)
    single, corrected, width = literal(values.T.tolist(), 0.95)
    assert found.single == pytest.approx(single, abs=3e-4)  # sums in another order may tie
    assert found.corrected == pytest.approx(corrected, abs=3e-4)
    assert found.width(0.95) == pytest.approx(width, rel=1e-6)


def test_mean_error_and_statistic_are_those_of_the_t_test() -> None:
    values = np.random.default_rng(3).normal(0.1, 1.0, (40, 4))
    found = resampled(values)
    t = stats.ttest_1samp(values, 0.0)
    assert found.mean == pytest.approx(values.mean(axis=0), abs=1e-15)
    assert found.statistic == pytest.approx(t.statistic, rel=1e-12)
    assert found.single == pytest.approx(t.pvalue, abs=0.02)


def test_one_column_needs_no_correction() -> None:
    found = resampled(np.random.default_rng(5).normal(0.4, 1.0, (25, 1)))
    assert found.corrected == pytest.approx(found.single, abs=0)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(6, 30),
    st.integers(1, 6),
    st.integers(0, 2**31),
    st.sampled_from([0.5, 0.9, 0.95, 0.99]),
)
def test_interval_and_corrected_p_never_disagree(
    n: int, runs: int, seed: int, level: float
) -> None:
    generator = np.random.default_rng(seed)
    values = generator.normal(generator.normal(0, 0.7, runs), 1.0, (n, runs))
    found = resampled(np.round(values, 1))
    interval = found.intervals(level)
    beyond = (interval.low > 0) | (interval.high < 0)
    assert (beyond == (found.corrected <= 1 - level + 1e-12)).all()
    tested = ~np.isnan(found.corrected)
    assert (found.corrected >= found.single - 1e-12)[tested].all()
    assert ((interval.low <= found.mean) & (found.mean <= interval.high))[tested].all()
    assert np.isnan(interval.low[~tested]).all() and np.isnan(found.single[~tested]).all()


def test_columns_may_come_in_any_order_and_scale() -> None:
    values = np.random.default_rng(11).normal(0.2, 1.0, (30, 5))
    order = [3, 0, 4, 2, 1]
    plain, turned = resampled(values), resampled(values[:, order] * 1000)
    assert turned.corrected == pytest.approx(plain.corrected[order], abs=1e-12)
    assert turned.width() == pytest.approx(plain.width(), rel=1e-9)
    mirrored = resampled(-values)
    assert mirrored.corrected == pytest.approx(plain.corrected, abs=1e-12)


def test_edges() -> None:
    nothing = resampled(np.zeros((12, 2)))
    assert (nothing.single == 1).all() and (nothing.corrected == 1).all()
    assert (nothing.error == 0).all() and (nothing.intervals().high == 0).all()
    alike = resampled(np.full((12, 1), 0.1))
    assert alike.single[0] <= 1e-3 and alike.intervals().low[0] > 0
    one = resampled(np.array([[0.5]]))
    assert np.isnan(one.single).all() and one.mean[0] == 0.5 and one.queries[0] == 1
    none = resampled(np.full((3, 1), np.nan))
    assert np.isnan(none.mean).all() and none.queries[0] == 0
    mixed = resampled(np.column_stack([np.r_[1.0, np.full(9, np.nan)], np.arange(10.0)]))
    assert np.isnan(mixed.single[0]) and mixed.single[1] < 0.05


def test_the_same_draws_serve_every_call() -> None:
    values = np.random.default_rng(2).normal(0.1, 1.0, (60, 3))
    assert resampled(values).single[1] == resampled(values[:, [1]]).single[0]


def test_a_column_in_which_hardly_a_query_differs_is_not_tested_and_harms_no_other() -> None:
    values = np.random.default_rng(4).normal(0.5, 1.0, (40, 3))
    alone = resampled(values[:, [0, 2]])
    values[5:, 1] = 0.0
    values[:5, 1] = 0.3
    found = resampled(values)
    assert found.differing.tolist() == [40, 5, 40]
    assert np.isnan(found.single[1]) and np.isnan(found.corrected[1])
    assert np.isnan(found.intervals().low[1]) and found.mean[1] == pytest.approx(0.3 / 8)
    assert found.corrected[[0, 2]] == pytest.approx(alone.corrected, abs=3e-4)
    assert found.width() == pytest.approx(alone.width(), rel=1e-9)
    values[:6, 1] = 0.3
    assert resampled(values).corrected[1] <= 1.0


def test_all_but_a_few_alike_is_not_tested_either() -> None:
    values = np.full((30, 1), 0.2)
    values[:3] = -0.4
    assert np.isnan(resampled(values).corrected[0])


def test_columns_by_themselves_in_one_pass_are_what_each_is_alone() -> None:
    chance = np.random.default_rng(4)
    columns = chance.normal(0.1, 0.3, (40, 12))
    columns[:, 2] = 0.0
    # Within reach of a test by itself, not among twelve.
    columns[:, 3:] = 0.001
    columns[:8, 3:] = 0.1 * np.arange(1, 9)[:, None]
    columns[0, 3:] = 2.0
    for column, found in zip(columns.T, resampled_each(columns), strict=True):
        alone = resampled(column[:, None])
        assert np.array_equal(found.single, alone.single, equal_nan=True)
        for level in (0.95, 0.99):
            for ours, theirs in zip(found.intervals(level), alone.intervals(level), strict=True):
                assert ours == pytest.approx(theirs, nan_ok=True)


def in_double_precision(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How far off each column is in every draw, all in one product; step-down p-values and the
    farthest of each draw in falling order."""
    n = len(differences)
    counts = np.concatenate(list(draws(n))).astype(np.float64)
    defined = ~np.isnan(differences)
    mean = np.nanmean(differences, axis=0)
    centred = np.where(defined, differences - mean, 0.0)
    drawn = counts @ defined
    about = counts @ centred / drawn
    error = np.sqrt((counts @ np.square(centred) / drawn - about**2) / (drawn - 1))
    queries = defined.sum(axis=0)
    limits = np.abs(mean) / np.sqrt(np.square(centred).sum(axis=0) / (queries - 1) / queries)
    away = np.abs(about / error)
    order = np.argsort(-limits)
    farthest = np.maximum.accumulate(away[:, order[::-1]], axis=1)[:, ::-1]
    steps = (farthest >= limits[order] * (1 - 1e-9)).sum(axis=0)
    corrected = np.empty(len(order))
    corrected[order] = np.maximum.accumulate((steps + 1) / (len(away) + 1))
    single = ((away >= limits * (1 - 1e-9)).sum(axis=0) + 1) / (len(away) + 1)
    return single, corrected, np.sort(farthest[:, 0])[::-1]


@pytest.mark.parametrize("small", [0, 10**12], ids=["in single precision", "in double"])
@pytest.mark.parametrize("kind", ["plain", "in steps", "lacking", "carried by few"])
def test_of_many_queries_as_if_all_were_in_double_precision(
    kind: str, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(away_module, "_SMALL", small)
    generator = np.random.default_rng(5)
    values = generator.normal(0, 1.0, (2_500, 4)) * [0.1, 1, 1, 3] + [0.001, 0.04, -0.05, 0.02]
    if kind == "in steps":
        values = np.round(values * 3) / 10
    elif kind == "lacking":
        values[generator.random(values.shape) < 0.2] = np.nan
    elif kind == "carried by few":
        values = np.where(generator.random(values.shape) < 0.1, values**3, 0.0)
    found = resampled(values)
    single, corrected, farthest = in_double_precision(values)
    assert found.single.tolist() == single.tolist()
    assert found.corrected.tolist() == corrected.tolist()
    for level in (0.8, 0.95, 0.99):
        most = math.floor((1 - level) * (len(farthest) + 1) + 1e-9)
        assert found.width(level) == pytest.approx(farthest[most - 1], rel=1e-12)


def test_columns_that_do_not_vary_ask_for_no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(8)
    looked: list[int] = []
    exactly = Columns.away_in

    def counting(self: Columns, places: np.ndarray) -> np.ndarray:
        looked.append(len(places))
        return exactly(self, places)

    monkeypatch.setattr(Columns, "away_in", counting)
    monkeypatch.setattr(away_module, "_SMALL", 0)
    varied = generator.normal(0.1, 1.0, 2_500)
    # Two runs that are one at a deep cutoff, and one that is better by as much on every query.
    alike, better = np.zeros(2_500), np.full(2_500, 0.25)
    values = np.stack([varied, alike, better], axis=1)
    found = resampled(values)
    assert found.corrected[1] == 1.0 and found.corrected[2] < 0.001
    assert found.corrected[0] == resampled(values[:, :1]).corrected[0]
    assert found.width() == pytest.approx(resampled(values[:, :1]).width(), rel=1e-12)
    assert resampled(np.stack([alike, alike], axis=1)).width() == 0.0
    assert sum(looked) < 200, "of ten thousand draws"


def test_groups_together_are_as_each_by_itself() -> None:
    generator = np.random.default_rng(6)
    groups = [generator.normal(0.02, 1.0, (1_500, columns)) for columns in (1, 3, 2)]
    groups[1][:40, 0] = np.nan
    for together, alone in zip(resampled_groups(groups), map(resampled, groups), strict=True):
        assert together.corrected.tolist() == alone.corrected.tolist()
        for one, other in zip(together.intervals(), alone.intervals(), strict=True):
            assert one == pytest.approx(other, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([-0.2, -0.1, 0.0, 0.1, 0.3, math.nan]), min_size=3, max_size=40))
def test_signs_tell_of_enough_that_differ_what_the_median_does(values: list[float]) -> None:
    column = np.array(values)
    known = column[~np.isnan(column)]
    differing = np.array([(known != 0).sum()])
    apart = int((known != np.median(known)).sum()) if len(known) else 0
    told = bool(differing[0] >= FEWEST_DIFFERING and apart >= FEWEST_DIFFERING - 1)
    assert _varied(column[:, None], differing, np.array([0.1]))[0] == told


def test_bags_of_squares_and_squares_put_into_bags_are_the_same() -> None:
    values = np.random.default_rng(5).normal(size=(MOST_SINGLE + 7, 2))
    defined = np.ones_like(values, dtype=bool)
    defined[::9, 1] = False
    columns = Columns(np.where(defined, values, 0.0), defined)
    spread = np.sqrt(np.square(columns.centred).mean(axis=0))
    scaled = columns.centred / spread
    each = np.hstack([scaled, np.square(scaled), defined.astype(float)])
    assert columns.parts() == pytest.approx(in_groups(each), rel=1e-12, abs=1e-12)
