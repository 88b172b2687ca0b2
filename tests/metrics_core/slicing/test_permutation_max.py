"""Differences dealt out anew: nearly and exactly say the same, and the deals stay what they are."""

from __future__ import annotations

import numpy as np
import pytest

from metrics_core.slicing import permutation_max
from metrics_core.slicing.members import Members
from metrics_core.slicing.permutation_max import farthest_dealt, studentised, studentised_inside

CHANCE = np.random.default_rng(4)
N = 300


def slices(n: int = N, count: int = 12) -> Members:
    members = (CHANCE.random((n, count)) < np.linspace(0.1, 0.6, count)).astype(np.float64)
    return Members(np.arange(n), members)


def literally(members: Members, gaps: np.ndarray, deals: int) -> np.ndarray:
    """Each deal by itself, the differences shuffled as a whole, 250 deals by a generator."""
    found = []
    for block in range(-(-deals // 250)):
        generator = np.random.default_rng((20_261, block))
        shuffled = generator.permuted(np.tile(gaps, (250, 1)), axis=1)
        found += [studentised(members.of_each, each[:, None])[:, 0] for each in shuffled]
    return np.abs(found).max(axis=1)[:deals]


@pytest.mark.parametrize("on_one_core", [False, True])
@pytest.mark.parametrize(
    "gaps",
    [
        CHANCE.normal(0.01, 0.2, N),
        CHANCE.choice([0.0, 0.0, 0.0, 0.5, -0.5], N),
        np.where(np.arange(N) == 7, 1e6, CHANCE.normal(0, 1e-3, N)),
    ],
    ids=["smooth", "many ties", "one outweighs all"],
)
def test_single_precision_counts_as_double_does(
    gaps: np.ndarray, on_one_core: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permutation_max, "PRODUCTS_ON_ONE_CORE", on_one_core)
    monkeypatch.setattr(permutation_max, "_MOST_DEALS", 600)
    members = slices()
    exactly = literally(members, gaps, 600)
    # Limits that deals tie with, beside those that they do not.
    limits = np.append(np.sort(exactly)[::60], [0.0, 2.5]) * (1 - 1e-9)
    limits = limits[: len(members.queries)]
    for small in (0, 10**12):
        monkeypatch.setattr(permutation_max, "_SMALL", small)
        found = farthest_dealt(members, gaps, limits)
        np.testing.assert_allclose(found, exactly, rtol=1e-3)
        reached = (found[:, None] >= limits).sum(axis=0)
        np.testing.assert_array_equal(reached, (exactly[:, None] >= limits).sum(axis=0))


def test_differences_that_are_all_alike_are_never_far_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation_max, "_SMALL", 0)
    members = slices()
    found = farthest_dealt(members, np.full(N, 0.5), np.zeros(len(members.queries)))
    np.testing.assert_array_equal(found, 0.0)


def test_what_is_not_kept_is_dealt_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    members, gaps = slices(), CHANCE.normal(size=N)
    limits = np.zeros(len(members.queries))
    kept = farthest_dealt(members, gaps, limits)
    monkeypatch.setattr(permutation_max, "_MOST_KEPT", 1)
    np.testing.assert_array_equal(farthest_dealt(members, gaps, limits), kept)


def test_a_block_of_deals_is_the_same_by_whomever_it_is_made() -> None:
    kept, again = permutation_max._dealt(N, 3), permutation_max._dealt(N, 3)
    assert kept is again and (np.sort(kept, axis=1) == np.arange(N)).all()
    assert (permutation_max._dealt(N, 4) != kept).any() and (
        permutation_max._dealt(N, 3, seed=1) != kept
    ).any()


def test_one_set_of_differences_is_studentised_as_many_are() -> None:
    members, gaps = slices(), CHANCE.normal(size=N)
    found = studentised_inside(members, gaps)
    np.testing.assert_allclose(found, studentised(members.of_each, gaps[:, None])[:, 0])
