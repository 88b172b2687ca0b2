"""Running sums and places within the hits of many queries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.judging import hits as judging_hits
from metrics_core.judging.hits import Hits

ALIKE = [3, 2, 0, 4, 1]
SKEWED = [0, 400, 1, 0, 3, 2, 1, 1, 0, 7, 8, 1, 1, 1]


def hits_of(lengths: list[int]) -> Hits:
    generator = np.random.default_rng(3)
    ranks = [np.sort(generator.choice(1000, n, replace=False)) + 1 for n in lengths]
    query = np.repeat(np.arange(len(lengths)), lengths)
    rank = np.concatenate([np.empty(0, dtype=np.int64), *ranks])
    return Hits(query, rank, generator.random(len(query)), len(lengths))


@pytest.mark.parametrize("lengths", [ALIKE, SKEWED, [], [0, 0], [1]], ids=str)
def test_running_sums_are_those_of_each_query_alone(lengths: list[int]) -> None:
    hits = hits_of(lengths)
    alone = [np.cumsum(hits.relevance[hits.query == q]) for q in range(len(lengths))]
    assert hits.accumulate(hits.relevance).tolist() == np.concatenate([[], *alone]).tolist()


@given(lengths=st.lists(st.integers(0, 40), min_size=1, max_size=30))
def test_running_sums_at_any_mix_of_lengths(lengths: list[int]) -> None:
    hits = hits_of(lengths)
    last = np.cumsum(lengths)[np.array(lengths) > 0] - 1
    total = hits.total(hits.relevance)[np.array(lengths) > 0]
    assert hits.accumulate(hits.relevance)[last].tolist() == total.tolist()


def test_long_lists_do_not_widen_the_table_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    hits = hits_of(SKEWED)
    monkeypatch.setattr(judging_hits, "_MOST_CELLS", 20)
    alone = [np.cumsum(hits.relevance[hits.query == q]) for q in range(len(SKEWED))]
    assert hits.accumulate(hits.relevance).tolist() == np.concatenate(alone).tolist()
    shapes = [shape for _, _, shape in hits._hit_tables]
    assert max(rows * width for rows, width in shapes if rows > 1) <= 20
    assert sum(rows for rows, _ in shapes) == len(SKEWED)


@given(
    lengths=st.lists(st.integers(0, 40), min_size=1, max_size=12),
    cutoffs=st.lists(st.integers(1, 1200), min_size=1, max_size=12),
)
def test_a_cutoff_sums_the_same_bits_whatever_else_is_asked(
    lengths: list[int], cutoffs: list[int]
) -> None:
    hits = hits_of(lengths)
    together = hits.total(hits.relevance, np.array(cutoffs))
    assert together.shape == (len(lengths), len(cutoffs))
    for column, cutoff in zip(together.T, cutoffs, strict=True):
        assert column.tolist() == hits.total(hits.relevance, cutoff).tolist()
    counts = hits.count(np.array(cutoffs))
    for column, cutoff in zip(counts.T, cutoffs, strict=True):
        assert column.tolist() == hits.count(cutoff).tolist()


def test_the_last_hit_within_a_depth() -> None:
    hits = Hits(np.array([0, 0, 2]), np.array([2, 5, 1]), np.zeros(3), 4)
    query = np.array([0, 0, 0, 0, 1, 2, 2, 3])
    depth = np.array([1, 2, 4, 9, 3, 0, 7, 7])
    assert hits.last_hit_positions(depth, query).tolist() == [-1, 0, 0, 1, -1, -1, 2, -1]
