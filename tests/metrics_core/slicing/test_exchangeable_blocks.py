"""Parcels of queries: each lies in the same slices with all of its queries, and is dealt as one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.slicing import permutation_max
from metrics_core.slicing.permutation_max import (
    largest_flipped_distances,
    largest_permuted_distances,
    make_query_chunks,
    studentise_slices,
)
from metrics_core.slicing.slice_members import SliceMembers

CHANCE = np.random.default_rng(9)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation_max, "MOST_SINGLE", 40)
    monkeypatch.setattr(permutation_max, "_PARCELS", 30)


def each(members: np.ndarray) -> SliceMembers:
    """Every query a kind of its own."""
    return SliceMembers(np.arange(len(members)), members)


def slices(n: int, count: int) -> SliceMembers:
    return each((CHANCE.random((n, count)) < np.linspace(0.2, 0.7, count)).astype(np.float64))


def test_up_to_so_many_queries_there_are_none() -> None:
    assert make_query_chunks(each(np.ones((20_000, 1)))) is None
    found = make_query_chunks(SliceMembers(np.arange(40_001) % 2, np.eye(2)))
    assert found is not None
    # Of five each: 20,001 and 20,000 queries that are alike.
    assert found.full == 8_000 and found.n_single == 1


@settings(max_examples=20, deadline=None)
@given(n=st.integers(41, 150), count=st.integers(1, 70), seed=st.integers(0, 99))
def test_every_query_is_in_one_parcel_of_its_own_slices(n: int, count: int, seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(permutation_max, "MOST_SINGLE", 40)
        patch.setattr(permutation_max, "_PARCELS", 30)
        members = np.random.default_rng(seed).integers(0, 2, (n, count)).astype(np.float64)
        members[:, 2:] = members[:, :1]
        found = make_query_chunks(each(np.asfortranarray(members)))
    assert found is not None and sorted(found.order.tolist()) == list(range(n))
    sizes = np.diff(found.starts, append=n)
    assert set(sizes[: found.full]) <= {-(-n // 30)} and (sizes[found.full :] == 1).all()
    np.testing.assert_array_equal(members[found.order], np.repeat(found.members, sizes, axis=0))
    np.testing.assert_array_equal(found.queries[:, 0], members.sum(axis=0))
    np.testing.assert_array_equal(found.sum_by_unit(np.ones(n)), sizes)
    # Fewer than a parcel are left over of each kind.
    assert found.n_single < len(np.unique(members, axis=0)) * (-(-n // 30))


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("small", [0, 10**12], ids=["single precision", "double"])
@pytest.mark.parametrize("on_one_core", [False, True])
def test_a_deal_is_one_of_single_queries(
    small: int, on_one_core: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permutation_max, "PRODUCTS_ON_ONE_CORE", on_one_core)
    monkeypatch.setattr(permutation_max, "_SMALL", small)
    monkeypatch.setattr(permutation_max, "_MOST_TIMES", 500)
    members, gaps = slices(157, 4), CHANCE.normal(0.1, 0.2, 157)
    found = make_query_chunks(members)
    assert found is not None and found.full > 5 and found.n_single > 5
    exactly = []
    sizes = np.diff(found.starts, append=157)
    for place in np.concatenate(
        [permutation_max._permute_chunks(found, block) for block in (0, 1)]
    ):
        moved = np.empty(157)
        # Where a parcel lay now lie the differences of another one.
        taken = [found.order[found.starts[p] : found.starts[p] + sizes[p]] for p in place]
        moved[found.order] = gaps[np.concatenate(taken)]
        exactly.append(np.abs(studentise_slices(members, moved)).max())
    limits = np.sort(exactly)[::130] * (1 - 1e-9)
    dealt = largest_permuted_distances(members, gaps, limits)
    np.testing.assert_allclose(dealt, exactly, rtol=1e-3)
    reached = (dealt[:, None] >= limits).sum(axis=0)
    np.testing.assert_array_equal(reached, (np.array(exactly)[:, None] >= limits).sum(axis=0))


@pytest.mark.parametrize("farthest", [largest_permuted_distances, largest_flipped_distances])
def test_chance_reaches_as_far_as_with_single_queries(
    farthest: Callable[..., np.ndarray],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    members, gaps = slices(24_000, 6), CHANCE.exponential(size=24_000)
    limits = np.zeros(6)
    together = farthest(members, gaps, limits)
    monkeypatch.setattr(permutation_max, "MOST_SINGLE", 10**9)
    singly = farthest(members, gaps, limits)
    for share in (0.5, 0.95):
        assert np.quantile(together, share) == pytest.approx(np.quantile(singly, share), abs=0.2)
