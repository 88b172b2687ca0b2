"""Many pairs in all draws: single precision where it tells, and it comes out as if it were not."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from metrics_core.comparing.all_pairs import pair_walk
from metrics_core.comparing.all_pairs.pair_columns import PairColumns
from metrics_core.comparing.all_pairs.pair_walk import walked
from metrics_core.scoring import random_groups
from metrics_core.scoring.resampling import draws

Floats = npt.NDArray[np.float64]

N, DRAWS = 40, 600
CHANCE = np.random.default_rng(6)
SMOOTH = CHANCE.normal(0.01, 0.2, (7, N))
LACKING = np.where(CHANCE.random((7, N)) < 0.15, np.nan, SMOOTH)
KINDS = {
    "smooth": SMOOTH,
    "lacking": LACKING,
    "tied": CHANCE.choice([0.0, 0.0, 0.5, 1.0], (7, N)),
    "alike": np.repeat(SMOOTH[:2], 4, axis=0),
    "one outweighs all": np.where(np.arange(N) == 3, 1e3 * SMOOTH, SMOOTH),
    "seldom differ": np.where(CHANCE.random((7, N)) < 0.05, SMOOTH, 0.1),
}


def literally(gaps: Floats, limits: Floats, n_queries: int) -> tuple[Floats, Floats, Floats]:
    """Each draw by itself: the same three answers."""
    counts = np.concatenate(list(draws(n_queries, DRAWS))).astype(np.float64)
    known = ~np.isnan(gaps)
    mean = np.where(known, gaps, 0).sum(axis=1) / known.sum(axis=1)
    centred = np.where(known, gaps - mean[:, None], 0.0)
    away = np.empty((DRAWS, len(gaps)))
    for draw, weight in enumerate(counts):
        for pair, own in enumerate(centred):
            units = random_groups.in_groups(np.column_stack([own, own**2, known[pair]]))
            sums, squares, n = weight @ units
            spread = n * squares - sums**2
            ties = spread <= 1e-12 * n * squares
            away[draw, pair] = np.inf if ties else abs(sums) * np.sqrt((n - 1) / spread)
            if ties and abs(sums) < 1e-9:
                away[draw, pair] = 0.0
    from_last = np.maximum.accumulate(away[:, ::-1], axis=1)[:, ::-1]
    return (away >= limits).sum(axis=0), (from_last >= limits).sum(axis=0), from_last[:, 0]


def check(values: Floats, n_queries: int = N) -> None:
    pairs = np.stack(np.triu_indices(len(values), 1))
    gaps = values[pairs[0]] - values[pairs[1]]
    gaps = gaps[np.nanstd(gaps, axis=1) > 1e-9]
    known = (~np.isnan(gaps)).sum(axis=1)
    limits = np.abs(np.nanmean(gaps, axis=1)) / np.nanstd(gaps, axis=1, ddof=1) * np.sqrt(known)
    order = np.argsort(-limits, kind="stable")
    gaps, limits = gaps[order], limits[order] * (1 - 1e-9)
    whole = not np.isnan(gaps).any()
    rows = np.vstack([gaps, np.zeros(n_queries)])

    def columns(places: npt.NDArray[np.int64]) -> PairColumns:
        return PairColumns.of(rows, np.stack([places, np.full(len(places), -1)]), whole=whole)

    off, steps, largest = walked(columns, limits, n_queries, DRAWS)
    wanted = literally(gaps, limits, n_queries)
    np.testing.assert_array_equal(off, wanted[0])
    np.testing.assert_array_equal(steps, wanted[1])
    far = wanted[2] < 1e5
    np.testing.assert_allclose(largest.near[far], wanted[2][far], rtol=1e-9, atol=1e-12)
    assert (largest.near[~far] > 1e5).all()


@pytest.mark.parametrize("cells", [0, 16, 10**9], ids=["singly", "as usual", "whole blocks"])
@pytest.mark.parametrize("kind", KINDS)
def test_as_each_draw_by_itself(kind: str, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Small blocks, so that there are many.
    monkeypatch.setattr(pair_walk, "_VALUES", 2_000)
    monkeypatch.setattr(pair_walk, "_AT_ONCE", 170)
    monkeypatch.setattr(pair_walk, "_ROWS", 3)
    monkeypatch.setattr(pair_walk, "_MOST_CELLS", cells)
    check(KINDS[kind])


@pytest.mark.parametrize("n_queries", [40, 43])
def test_bags_are_drawn_as_queries_are(n_queries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_groups, "MOST_SINGLE", 30)
    monkeypatch.setattr(random_groups, "GROUPS", 20)
    monkeypatch.setattr(random_groups, "_kept", random_groups.Memo(8))
    check(CHANCE.normal(0.01, 0.2, (4, n_queries)), n_queries)


def test_a_limit_without_bound_is_reached_by_nothing() -> None:
    rows = np.vstack([SMOOTH[:2], np.zeros(N)])

    def columns(places: npt.NDArray[np.int64]) -> PairColumns:
        return PairColumns.of(rows, np.stack([places, np.full(len(places), 2)]), whole=True)

    off, steps, _ = walked(columns, np.array([np.inf, 0.0]), N, DRAWS)
    assert off.tolist() == [0, DRAWS] and steps.tolist() == [0, DRAWS]
