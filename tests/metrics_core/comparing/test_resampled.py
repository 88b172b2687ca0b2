"""Studentised draws: against a literal loop, at the edges, and as interval and verdict together."""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics_core.comparing.paired_tests import PAIRED_TESTS, holm_adjusted
from metrics_core.comparing.resampled import resample_groups, resample_means
from metrics_core.comparing.verdicts import are_significant
from metrics_core.scoring import studentised
from metrics_core.scoring.random_groups import MOST_SINGLE, sum_by_unit
from metrics_core.scoring.resampling import iterate_draws
from metrics_core.scoring.studentised import CentredColumns


def literal(columns: list[list[float]], level: float) -> tuple[list[float], list[float], float]:
    """The share of draws in which each column is as far off, draw by draw and query by query;
    min-P p-values, and what it leaves to each."""
    n = len(columns[0])

    def variance(values: list[float]) -> float:
        known = [v for v in values if not math.isnan(v)]
        mean = sum(known) / max(len(known), 1)
        return sum((v - mean) ** 2 for v in known) / max(len(known), 1)

    def statistic(values: list[float], about: float, least: float) -> float:
        known = [v for v in values if not math.isnan(v)]
        off = sum(known) / max(len(known), 1) - about if known else 0.0
        # Never less than a quarter of the data's own standard deviation.
        return off / math.sqrt(max(variance(values), least / 16) / max(len(known) - 1, 1))

    means = [
        sum(v for v in c if not math.isnan(v)) / sum(not math.isnan(v) for v in c) for c in columns
    ]
    spread = [variance(c) for c in columns]
    found = [abs(statistic(c, 0.0, s)) for c, s in zip(columns, spread, strict=True)]
    far: list[list[float]] = []
    for block in iterate_draws(n):
        for counts in block:
            drawn = [q for q in range(n) for _ in range(int(counts[q]))]
            far.append(
                [abs(statistic([c[q] for q in drawn], m, s))
                 for c, m, s in zip(columns, means, spread, strict=True)]
            )  # fmt: skip
    total, places = len(far), range(len(columns))
    share = [(sum(d[c] >= found[c] - 1e-9 for d in far) + 1) / (total + 1) for c in places]
    ordered = [sorted(d[c] for d in far) for c in places]
    ranks = [[total - bisect_left(ordered[c], d[c]) for c in places] for d in far]
    rarest = sorted(min(each) for each in ranks)
    left = rarest[math.floor((1 - level) * (total + 1) + 1e-9) - 1] / (total + 1)
    return share, [min(each) for each in ranks], left


@pytest.mark.parametrize("lacking", [False, True])
def test_as_a_literal_loop(lacking: bool) -> None:
    generator = np.random.default_rng(7)
    values = generator.normal(0.3, 1.0, (12, 3)) * [1.0, 0.4, 2.0] + [0.0, 0.5, -0.2]
    if lacking:
        values[[0, 4], [1, 2]] = np.nan
    found = resample_means(values)
    share, rarest, left = literal(values.T.tolist(), 0.95)
    signs = [PAIRED_TESTS["randomization"](column) for column in values.T]
    p = [s**0.7 * r**0.3 for s, r in zip(share, signs, strict=True)]
    assert found.p == pytest.approx(p, abs=3e-4)  # sums in another order may tie
    assert found.column_error_probability(0.05) == pytest.approx(left, abs=2e-4)
    first = int(np.argmin(found.p))
    as_rare = sum(rank <= found.p[first] * (len(rarest) + 1) for rank in rarest)
    assert found.min_p_corrected()[first] == pytest.approx(
        (as_rare + 1) / (len(rarest) + 1), abs=3e-4
    )


def test_mean_error_and_statistic_are_those_of_the_t_test() -> None:
    values = np.random.default_rng(3).normal(0.1, 1.0, (40, 4))
    found = resample_means(values)
    t = stats.ttest_1samp(values, 0.0)
    assert found.mean == pytest.approx(values.mean(axis=0), abs=1e-15)
    assert found.statistic == pytest.approx(t.statistic, rel=1e-12)
    assert found.p == pytest.approx(t.pvalue, abs=0.02)


def test_one_column_needs_no_correction() -> None:
    found = resample_means(np.random.default_rng(5).normal(0.4, 1.0, (25, 1)))
    assert found.min_p_corrected() == pytest.approx(found.p, abs=2e-4)
    assert found.column_error_probability(0.05) == pytest.approx(0.05, abs=2e-4)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(6, 30),
    st.integers(1, 6),
    st.integers(0, 2**31),
    st.sampled_from([0.5, 0.9, 0.95, 0.99]),
)
def test_an_interval_excludes_zero_just_where_a_difference_is_found(
    n: int, runs: int, seed: int, level: float
) -> None:
    generator = np.random.default_rng(seed)
    values = generator.normal(generator.normal(0, 0.7, runs), 1.0, (n, runs))
    sample = resample_means(np.round(values, 1))
    for p in (sample.p, sample.min_p_corrected()):
        found = are_significant(p, level)
        interval = sample.intervals(sample.column_error_probability(1 - level), found)
        assert (((interval.low > 0) | (interval.high < 0)) == found).all()
        tested = ~np.isnan(p)
        assert (p >= sample.p - 1e-12)[tested].all()
        assert ((interval.low <= sample.mean) & (sample.mean <= interval.high))[tested].all()
        assert np.isnan(interval.low[~tested]).all()


def test_columns_may_come_in_any_order_and_scale() -> None:
    values = np.random.default_rng(11).normal(0.2, 1.0, (30, 5))
    order = [3, 0, 4, 2, 1]
    plain, turned = resample_means(values), resample_means(values[:, order] * 1000)
    for name in ("p", "min_p_corrected"):
        ours, theirs = (getattr(s, name) for s in (turned, plain))
        ours, theirs = (v() if callable(v) else v for v in (ours, theirs))
        assert ours == pytest.approx(theirs[order], abs=1e-12)
    assert resample_means(-values).p == pytest.approx(plain.p, abs=1e-12)


# Won, of how many, by 1 each: what a reader takes for better is.
@pytest.mark.parametrize(
    ("won", "queries", "size"),
    [(6, 12, 1), (8, 12, 1), (9, 12, 1), (10, 12, 1), (11, 12, 1), (12, 12, 1), (46, 50, 1),
     (25, 25, 0.8), (10, 10, 1)],
)  # fmt: skip
def test_runs_that_lose_no_query_are_better(won: int, queries: int, size: float) -> None:
    found = resample_means(np.r_[np.full(won, size), np.zeros(queries - won)][:, None])
    assert 2.0 ** (1 - won) <= found.p[0] <= 0.05
    low, high = (float(end[0]) for end in found.intervals(0.05, found.p <= 0.05)[1:])
    assert 0 < low <= won / queries * size <= high


def test_of_differences_that_are_all_equal_the_interval_is_that_of_the_share_won() -> None:
    found = resample_means(np.full((10, 1), 1.0))
    assert found.p[0] == 2 / 2**10
    low, high = (float(end[0]) for end in found.intervals(0.05, found.p <= 0.05)[1:])
    exact = stats.binomtest(10, 10).proportion_ci(0.95, "exact")
    assert (low, high) == pytest.approx((exact.low, 1.0))
    down = resample_means(np.full((25, 1), -0.8)).intervals(0.05, np.array([True]))
    assert down.high[0] == pytest.approx(-0.8 * 0.025 ** (1 / 25))
    assert down.low[0] == pytest.approx(-0.8)


def test_one_column_that_hardly_varies_hides_nothing_in_the_others() -> None:
    values = np.random.default_rng(2).normal(0.8, 0.3, (12, 19))
    alone = resample_means(values[:, 1:])
    values[:, 0] = 1.0
    values[0, 0] = 0.0
    found = resample_means(values)
    assert (found.p[1:] == alone.p).all()
    assert (found.min_p_corrected()[1:] <= 0.05).all() and (holm_adjusted(found.p) <= 0.05).all()


def test_what_hardly_any_draw_reaches_is_as_rare_as_t_says() -> None:
    values = np.random.default_rng(3).normal(0.5, 1.0, (150, 3))
    t = stats.ttest_1samp(values, 0.0).pvalue
    assert (t < 1e-5).all()
    assert np.log(resample_means(values).p) == pytest.approx(np.log(t), rel=0.25)


def test_edges() -> None:
    nothing = resample_means(np.zeros((12, 2)))
    assert (nothing.p == 1).all() and (nothing.min_p_corrected() == 1).all()
    no = np.zeros(2, dtype=bool)
    assert (nothing.error == 0).all() and (nothing.intervals(0.05, no).high == 0).all()
    one = resample_means(np.array([[0.5]]))
    assert np.isnan(one.p).all() and one.mean[0] == 0.5 and one.queries[0] == 1
    none = resample_means(np.full((3, 1), np.nan))
    assert np.isnan(none.mean).all() and none.queries[0] == 0
    mixed = resample_means(np.column_stack([np.r_[1.0, np.full(9, np.nan)], np.arange(10.0)]))
    assert np.isnan(mixed.p[0]) and mixed.p[1] < 0.05


def test_the_same_draws_serve_every_call() -> None:
    values = np.random.default_rng(2).normal(0.1, 1.0, (60, 3))
    assert resample_means(values).p[1] == resample_means(values[:, [1]]).p[0]


def test_a_column_in_which_hardly_a_query_differs_is_not_tested() -> None:
    values = np.random.default_rng(4).normal(0.5, 1.0, (40, 3))
    values[5:, 1] = 0.0
    values[:5, 1] = 0.3
    found = resample_means(values)
    assert found.differing.tolist() == [40, 5, 40]
    assert np.isnan(found.p[1]) and np.isnan(found.min_p_corrected()[1])
    assert found.mean[1] == pytest.approx(0.3 / 8)
    values[:6, 1] = 0.3
    assert resample_means(values).p[1] <= 1.0


def in_double_precision(differences: np.ndarray) -> np.ndarray:
    """The share of draws in which each column is as far off, all in one product."""
    n = len(differences)
    counts = np.concatenate(list(iterate_draws(n))).astype(np.float64)
    defined = ~np.isnan(differences)
    mean = np.nanmean(differences, axis=0)
    centred = np.where(defined, differences - mean, 0.0)
    drawn = counts @ defined
    about = counts @ centred / drawn
    error = np.sqrt((counts @ np.square(centred) / drawn - about**2) / (drawn - 1))
    queries = defined.sum(axis=0)
    limits = np.abs(mean) / np.sqrt(np.square(centred).sum(axis=0) / (queries - 1) / queries)
    away = np.abs(about / error)
    return np.asarray(((away >= limits * (1 - 1e-9)).sum(axis=0) + 1) / (len(away) + 1))


@pytest.mark.parametrize("small", [0, 10**12], ids=["in single precision", "in double"])
@pytest.mark.parametrize("kind", ["plain", "in steps", "lacking", "carried by few"])
def test_of_many_queries_as_if_all_were_in_double_precision(
    kind: str, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studentised, "_SMALL", small)
    generator = np.random.default_rng(5)
    values = generator.normal(0, 1.0, (2_500, 4)) * [0.1, 1, 1, 3] + [0.001, 0.04, -0.05, 0.02]
    if kind == "in steps":
        values = np.round(values * 3) / 10
    elif kind == "lacking":
        values[generator.random(values.shape) < 0.2] = np.nan
    elif kind == "carried by few":
        values = np.where(generator.random(values.shape) < 0.1, values**3, 0.0)
    assert resample_means(values).p.tolist() == in_double_precision(values).tolist()


def test_columns_that_do_not_vary_ask_for_no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(8)
    looked: list[int] = []
    exactly = CentredColumns.exact_distances_of_draws

    def counting(self: CentredColumns, places: np.ndarray) -> np.ndarray:
        looked.append(len(places))
        return exactly(self, places)

    monkeypatch.setattr(CentredColumns, "exact_distances_of_draws", counting)
    monkeypatch.setattr(studentised, "_SMALL", 0)
    varied = generator.normal(0.1, 1.0, 2_500)
    # Two runs that are one at a deep cutoff, and one that is better by as much on every query.
    alike, better = np.zeros(2_500), np.full(2_500, 0.25)
    values = np.stack([varied, alike, better], axis=1)
    found = resample_means(values)
    assert found.p[1] == 1.0 and found.p[2] < 0.001
    assert found.p[0] == resample_means(values[:, :1]).p[0]
    assert sum(looked) < 200, "of ten thousand draws"


def test_groups_together_are_as_each_by_itself() -> None:
    generator = np.random.default_rng(6)
    groups = [generator.normal(0.02, 1.0, (1_500, columns)) for columns in (1, 3, 2)]
    groups[1][:40, 0] = np.nan
    for together, alone in zip(resample_groups(groups), map(resample_means, groups), strict=True):
        assert together.p.tolist() == alone.p.tolist()


def test_bags_of_squares_and_squares_put_into_bags_are_the_same() -> None:
    values = np.random.default_rng(5).normal(size=(MOST_SINGLE + 7, 2))
    defined = np.ones_like(values, dtype=bool)
    defined[::9, 1] = False
    columns = CentredColumns(np.where(defined, values, 0.0), defined)
    spread = np.sqrt(np.square(columns.centred).mean(axis=0))
    scaled = columns.centred / spread
    each = np.hstack([scaled, np.square(scaled), defined.astype(float)])
    assert columns.values_to_sum() == pytest.approx(sum_by_unit(each), rel=1e-12, abs=1e-12)


SIZES = (10, 11, 12, 15, 20, 30, 50, 100, 101, 130, 200, 1_000)


@pytest.mark.parametrize("spread", [0.0, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize(
    ("odd", "value"), [(0, 0.0), *((n, v) for n in (1, 2, 3, 5) for v in (0.0, 1.0, -0.5))]
)
def test_each_further_loss_makes_chance_less_likely(spread: float, odd: int, value: float) -> None:
    chance = np.random.default_rng(3)
    losses = [-1 + spread * chance.uniform(-1, 1, n - odd) for n in SIZES]
    columns = [np.r_[lost, np.full(odd, value)][:, None] for lost in losses]
    p = [float(one.p[0]) for one in resample_groups(columns)]
    tested = [one for one in p if not math.isnan(one)]
    assert len(tested) == sum(len(lost) + odd * (value != 0) >= 6 for lost in losses)
    fewer = np.minimum.accumulate(tested)[:-1]
    assert (np.array(tested[1:]) <= 3 * fewer).all()
    if not spread and not value:
        known = 2.0 ** (1 - np.array([len(lost) for lost in losses if 6 <= len(lost) < 1_000]))
        assert tested[: len(known)] == pytest.approx(known)
    assert tested[-1] < 1e-20


@pytest.mark.parametrize("lost", range(6, 41))
def test_losses_of_one_size_are_a_matter_of_signs(lost: int) -> None:
    columns = np.zeros((200, 3))
    columns[:lost, 0], columns[:lost, 1] = -1.0, 0.1
    columns[:lost, 2] = -1.0
    columns[0, 2] = 1.0
    p = resample_means(columns).p
    signs = [PAIRED_TESTS["sign"](column) for column in columns.T]
    assert p[:2] == pytest.approx(signs[:2])
    assert p[2] >= signs[0]


@pytest.mark.parametrize("n", [15, 20, 30, 50, 101])
def test_losses_of_nearly_one_size_fall_with_each_further_one(n: int) -> None:
    sizes = 1 + 1e-2 * np.random.default_rng(n).uniform(-1, 1, n)
    losses = -np.tril(np.tile(sizes, (n, 1))).T  # one query more is lost in each column
    assert resample_means(losses).p[5:] == pytest.approx(2.0 ** -np.arange(5, n))


def test_nearly_total_loss_is_no_chance() -> None:
    for n, odd in ((1_000, 1), (200, 1), (50, 1), (101, 3)):
        found = resample_means(np.r_[np.full(n - odd, -1.0), np.zeros(odd)][:, None])
        assert found.p[0] < 1e-9
        low, high = (
            float(end[0]) for end in found.intervals(0.05, are_significant(found.p, 0.95))[1:]
        )
        assert low < found.mean[0] < high < -0.8
