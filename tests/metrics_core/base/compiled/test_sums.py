"""The compiled sums against numpy's own, for every remainder of rows and columns."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from metrics_core.base.compiled import machine
from metrics_core.base.compiled.machine import compiled_functions
from metrics_core.base.compiled.signatures import COLUMNS
from metrics_core.judging.hits import Hits
from metrics_core.scoring.resampling import iterate_draws, sum_each_draw


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n_rows", [1, 2, 3, 16, 17])
@pytest.mark.parametrize("n_units", [1, 7, 8, 33, 500])
def test_weighed_sums_are_products_of_matrices(kind: type, n_rows: int, n_units: int) -> None:
    generator = np.random.default_rng(n_units)
    weights = generator.integers(0, 256, (n_rows, n_units)).astype(np.uint8)
    columns = generator.normal(size=(2 * COLUMNS, n_units)).astype(kind)
    found = np.full((n_rows, 2 * COLUMNS), np.nan, kind)
    functions = compiled_functions("sums")
    weigh = functions.weigh_singles if kind is np.float32 else functions.weigh_doubles
    weigh(weights, columns, found)
    close = 1e-5 if kind is np.float32 else 1e-13
    size = weights.astype(np.float64) @ np.abs(columns.T.astype(np.float64))
    exact = weights.astype(np.float64) @ columns.T.astype(np.float64)
    assert (np.abs(found - exact) <= close * size).all()


@pytest.mark.parametrize("n_units", [1, 2, 255, 40_000])
def test_counts_say_how_often_each_was_drawn(n_units: int) -> None:
    drawn = np.random.default_rng(3).integers(0, n_units, (3, 200), dtype=np.uint16)
    counts = np.zeros((3, n_units), np.uint8)
    compiled_functions("sums").count_drawn(drawn, counts)
    assert (counts == [np.bincount(row, minlength=n_units) for row in drawn]).all()


@pytest.mark.parametrize("n_columns", [1, 3, 4, 5, 40, 41])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_sums_over_draws_of_few_and_of_many_columns(kind: type, n_columns: int) -> None:
    columns = np.random.default_rng(1).normal(size=(90, n_columns)).astype(kind)
    expected = np.vstack([block.astype(np.float64) @ columns for block in iterate_draws(90, 3_001)])
    found = sum_each_draw(columns, 3_001)
    assert found.dtype == kind and found.shape == (3_001, n_columns)
    assert found == pytest.approx(expected, abs=1e-3 if kind is np.float32 else 1e-11)


def test_threads_that_ask_at_once_are_given_one() -> None:
    machine._load_part.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda _: compiled_functions("sums"), range(64)))
    assert len(set(map(id, given))) == 1


def test_a_wrong_array_is_refused_for_it_would_be_read_elsewhere() -> None:
    weights = np.zeros((4, 6), np.uint8)
    columns, found = np.zeros((COLUMNS, 6)), np.zeros((4, COLUMNS))
    for wrong in (weights.astype(np.int8), weights[:, ::2], weights[0]):
        with pytest.raises(TypeError, match="weigh_doubles takes bytes"):
            compiled_functions("sums").weigh_doubles(wrong, columns, found)


def test_totals_at_cutoffs_in_any_order_are_those_of_loops() -> None:
    generator = np.random.default_rng(2)
    lengths = [0, 5, 1, 0, 9, 0]  # queries without a hit: first, within, last
    query = np.repeat(np.arange(len(lengths)), lengths)
    rank = np.concatenate([np.sort(generator.permutation(20)[:n] + 1) for n in lengths])
    hits = Hits(query, rank, np.ones(len(query)), len(lengths))
    weight = generator.normal(size=len(query))
    cutoffs = np.array([7, 1, 20, 7, 3, 1000])
    expected = np.zeros((len(lengths), len(cutoffs)))
    for q, k in np.ndindex(expected.shape):
        for row in np.flatnonzero(query == q):
            expected[q, k] += weight[row] if rank[row] <= cutoffs[k] else 0.0
    assert (hits.total(weight, cutoffs) == expected).all()
    counted = [[np.sum((query == q) & (rank <= k)) for k in cutoffs] for q in range(len(lengths))]
    assert (hits.count(cutoffs) == counted).all()
