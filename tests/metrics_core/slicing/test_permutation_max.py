"""Differences dealt out anew: nearly and exactly say the same, and the deals stay what they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from metrics_core.slicing import permutation_max
from metrics_core.slicing.permutation_max import (
    largest_flipped_distances,
    largest_permuted_distances,
    studentise_slices,
)
from metrics_core.slicing.slice_members import SliceMembers

Farthest = Callable[..., np.ndarray]

CHANCE = np.random.default_rng(4)
N = 300


def slices(n: int = N, count: int = 12) -> SliceMembers:
    members = (CHANCE.random((n, count)) < np.linspace(0.1, 0.6, count)).astype(np.float64)
    return SliceMembers(np.arange(n), members)


def dealt_literally(gaps: np.ndarray, block: int) -> np.ndarray:
    """250 deals by a generator, the differences shuffled as a whole."""
    generator = np.random.default_rng((20_261, block))
    return generator.permuted(np.tile(gaps, (250, 1)), axis=1)


def flipped_literally(gaps: np.ndarray, block: int) -> np.ndarray:
    """250 times each difference on its side of the mean, or on the other."""
    generator = np.random.default_rng((20_263, block))
    signs = np.where(generator.integers(0, 2, (250, len(gaps)), dtype=np.int8) > 0, 1, -1)
    return gaps.mean() + signs * (gaps - gaps.mean())


GAPS = {
    "smooth": CHANCE.normal(0.01, 0.2, N),
    "many ties": CHANCE.choice([0.0, 0.0, 0.0, 0.5, -0.5], N),
    "one outweighs all": np.where(np.arange(N) == 7, 1e6, CHANCE.normal(0, 1e-3, N)),
}


@pytest.mark.parametrize("on_one_core", [False, True])
@pytest.mark.parametrize("gaps", GAPS.values(), ids=GAPS)
@pytest.mark.parametrize(
    ("farthest", "moved"),
    [(largest_permuted_distances, dealt_literally), (largest_flipped_distances, flipped_literally)],
    ids=["dealt", "flipped"],
)
def test_single_precision_counts_as_double_does(
    farthest: Farthest,
    moved: Callable[[np.ndarray, int], np.ndarray],
    gaps: np.ndarray,
    on_one_core: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(permutation_max, "PRODUCTS_ON_ONE_CORE", on_one_core)
    monkeypatch.setattr(permutation_max, "_MOST_TIMES", 600)
    members = slices()
    each = np.vstack([moved(gaps, block) for block in range(3)])[:600]
    exactly = np.array([np.abs(studentise_slices(members, one)).max() for one in each])
    # Limits that moves tie with, beside those that they do not.
    limits = np.append(np.sort(exactly)[::60], [0.0, 2.5]) * (1 - 1e-9)
    limits = limits[: len(members.queries)]
    for small in (0, 10**12):
        monkeypatch.setattr(permutation_max, "_SMALL", small)
        found = farthest(members, gaps, limits)
        np.testing.assert_allclose(found, exactly, rtol=1e-3)
        reached = (found[:, None] >= limits).sum(axis=0)
        np.testing.assert_array_equal(reached, (exactly[:, None] >= limits).sum(axis=0))


@pytest.mark.parametrize("farthest", [largest_permuted_distances, largest_flipped_distances])
def test_differences_that_are_all_alike_are_never_far_off(
    farthest: Farthest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permutation_max, "_SMALL", 0)
    members = slices()
    found = farthest(members, np.full(N, 0.5), np.zeros(len(members.queries)))
    np.testing.assert_array_equal(found, 0.0)


def test_what_is_not_kept_is_dealt_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    members, gaps = slices(), CHANCE.normal(size=N)
    limits = np.zeros(len(members.queries))
    kept = largest_permuted_distances(members, gaps, limits)
    monkeypatch.setattr(permutation_max, "_MOST_KEPT", 1)
    np.testing.assert_array_equal(largest_permuted_distances(members, gaps, limits), kept)


def test_a_block_of_deals_is_the_same_by_whomever_it_is_made() -> None:
    kept, again = permutation_max._permute_queries(N, 3), permutation_max._permute_queries(N, 3)
    assert kept is again and (np.sort(kept, axis=1) == np.arange(N)).all()
    assert (permutation_max._permute_queries(N, 4) != kept).any() and (
        permutation_max._permute_queries(N, 3, seed=1) != kept
    ).any()
