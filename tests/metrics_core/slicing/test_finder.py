"""Slices that differ are found, others are not."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from benchmarks.found_slices import NOTHING, cell, gaining
from metrics_core.slicing.finder import find_candidate_slices, find_differing_groups, find_slices
from metrics_core.slicing.permutation_max import (
    PRIOR,
    largest_permuted_distances,
    studentise_slices,
)
from metrics_core.slicing.slice_members import SliceMembers

N = 120
CHANCE = np.random.default_rng(11)
COLUMNS = {
    "category": CHANCE.choice(["Billing", "Devices", "Network", "Returns", "Rare"], N),
    "difficulty": CHANCE.choice(["easy", "medium", "hard"], N),
    "form": CHANCE.choice(["question", "keywords"], N),
}
IN_NETWORK = COLUMNS["category"] == "Network"
IS_HARD = COLUMNS["difficulty"] == "hard"


def noise(seed: int = 1) -> npt.NDArray[np.float64]:
    """Differences as they are: many of exactly zero, some large."""
    chance = np.random.default_rng(seed)
    return np.where(chance.random(N) < 0.4, 0.0, chance.normal(0.05, 0.2, N))


def conditions(found) -> list[tuple]:
    return list(found.slices["conditions"])


def test_a_planted_slice_is_found_alone_and_its_columns_are_not_blamed() -> None:
    inside = (COLUMNS["category"] == "Rare") & IS_HARD
    gaps = noise() - 0.8 * inside
    found = find_slices(gaps, COLUMNS)
    assert conditions(found)[0] == (("category", "Rare"), ("difficulty", "hard"))
    # Neither of the two by itself.
    assert not {(("category", "Rare"),), (("difficulty", "hard"),)} & set(conditions(found))
    row = found.slices.iloc[0]
    assert row["queries"] == inside.sum()
    assert row["difference"] == pytest.approx(gaps[inside].mean())
    assert row["elsewhere"] == pytest.approx(gaps[~inside].mean())


def test_a_slice_of_one_column_is_not_repeated_by_its_parts() -> None:
    found = find_slices(noise() + 0.6 * IN_NETWORK, COLUMNS)
    assert conditions(found) == [(("category", "Network"),)]


def test_two_slices_are_both_found() -> None:
    gaps = noise() + 0.7 * IN_NETWORK - 0.7 * (COLUMNS["category"] == "Devices")
    found = {c[0] for c in conditions(find_slices(gaps, COLUMNS))}
    assert found == {("category", "Network"), ("category", "Devices")}


def test_one_of_two_halves_is_named() -> None:
    gaps = noise() + 0.6 * (COLUMNS["form"] == "question")
    assert len(find_slices(gaps, {"form": COLUMNS["form"]}).slices) == 1


def test_of_shuffled_data_at_most_one_in_twenty_gives_an_alarm() -> None:
    members, gaps = find_candidate_slices(COLUMNS).members, noise(3)
    limit = np.quantile(
        largest_permuted_distances(members, gaps, np.zeros(len(members.queries))), 0.95
    )
    deals = np.random.default_rng(5).permuted(np.tile(gaps, (2_000, 1)), axis=1).T
    farthest = [np.abs(studentise_slices(members, deal)).max() for deal in deals.T]
    alarms = (np.array(farthest) > limit).mean()
    # Three standard errors of 2,000 deals and of the limit.
    assert 0.03 < alarms < 0.07


def test_hardly_ever_is_anything_found_where_nothing_is() -> None:
    deals = np.random.default_rng(5)
    found = [find_slices(deals.permutation(noise(3)), COLUMNS).slices for _ in range(25)]
    assert sum(len(slices) > 0 for slices in found) <= 4


def test_groups_that_vary_more_are_not_taken_for_groups_that_gain() -> None:
    chance = np.random.default_rng(8)
    wide = np.where(COLUMNS["category"] == "Rare", 0.5, 0.1)
    found = [find_slices(chance.normal(0, wide), COLUMNS).slices for _ in range(25)]
    assert sum(len(slices) > 0 for slices in found) <= 5


@pytest.mark.parametrize(
    ("kind", "queries", "columns"),
    [
        ("one group spread 2 times", 40, 2),
        ("one group spread 3 times", 104, 3),
        ("one group mostly ties", 104, 1),
        ("all but one mostly ties", 104, 3),
        ("alike, one in twenty", 104, 1),
    ],
)
def test_where_no_group_differs_one_is_seldom_found(kind: str, queries: int, columns: int) -> None:
    # Dealing alone finds 11% of the second and fourth, flipping alone 11% of the last.
    assert cell(kind, NOTHING[kind], queries, columns, 300).found <= 0.065


def test_a_group_that_gains_is_found_nearly_every_other_time() -> None:
    found = cell("one group gains", gaining, 104, 2, 300)
    assert found.found + found.error > 0.45


def test_every_slice_of_one_and_two_columns_is_looked_at_unless_too_small_or_too_large() -> None:
    columns = {
        "a": np.array(["x"] * 12 + ["y"] * 28),
        "b": np.array(["u", "v"] * 20),
        "c": np.array(["w"] * 34 + ["z"] * 6),
    }
    assert find_candidate_slices(columns).conditions == [
        (("a", "x"),),
        (("a", "y"),),
        (("b", "u"),),
        (("b", "v"),),
        (("a", "y"), ("b", "u")),
        (("a", "y"), ("b", "v")),
        (("a", "y"), ("c", "w")),
        (("b", "u"), ("c", "w")),
        (("b", "v"), ("c", "w")),
    ]
    assert find_slices(noise()[:40], columns).n_tested == 9


def test_the_statistic_is_welchs_with_variances_drawn_to_the_common_one() -> None:
    gaps = noise()
    inside, rest = gaps[IN_NETWORK], gaps[~IN_NETWORK]

    def error(part: npt.NDArray[np.float64]) -> float:
        within = sum((value - part.mean()) ** 2 for value in part)
        return (within + PRIOR * gaps.var(ddof=1)) / (len(part) - 1 + PRIOR) / len(part)

    own, other = error(inside), error(rest)
    t = (inside.mean() - rest.mean()) / math.sqrt(own + other)
    freedom = (own + other) ** 2 / (
        own**2 / (len(inside) - 1 + PRIOR) + other**2 / (len(rest) - 1 + PRIOR)
    )
    wanted = math.sqrt(freedom * math.log1p(t**2 / freedom))
    wanted *= (8 * freedom + 1) / (8 * freedom + 3)
    members = SliceMembers(IN_NETWORK.astype(np.int64), np.array([[0.0], [1.0]]))
    found = studentise_slices(members, gaps)[0]
    assert found == pytest.approx(math.copysign(wanted, t))


@pytest.mark.parametrize("gaps", [np.zeros(N), np.full(N, 0.1), np.full(N, np.nan)])
def test_where_nothing_varies_nothing_is_found(gaps: npt.NDArray[np.float64]) -> None:
    assert find_slices(gaps, COLUMNS).slices.empty


def test_undefined_differences_are_left_out() -> None:
    gaps = noise() + 0.6 * IN_NETWORK
    gaps[IN_NETWORK.nonzero()[0][:3]] = np.nan
    found = find_slices(gaps, COLUMNS)
    assert found.slices.iloc[0]["queries"] == IN_NETWORK.sum() - 3


def test_without_columns_or_with_few_queries_there_are_no_slices() -> None:
    assert find_slices(noise(), {}).n_tested == 0
    assert find_slices(noise()[:19], {"a": np.array(list(9 * "x" + 10 * "y"))}).n_tested == 0
    assert find_slices(noise()[:20], {"a": np.array(list(10 * "x" + 10 * "y"))}).n_tested == 2
    assert find_slices(noise()[:4], {"a": np.array(list("xxyy"))}).n_tested == 0


def test_groups_unlike_the_rest_are_all_told_also_the_other_half() -> None:
    gaps = noise() + 0.6 * (COLUMNS["form"] == "question")
    gaps[:3] = np.nan
    assert find_differing_groups(gaps, COLUMNS["form"]) == {"question", "keywords"}
    assert "Network" in find_differing_groups(noise() + 0.6 * IN_NETWORK, COLUMNS["category"])
    assert find_differing_groups(noise(), COLUMNS["category"]) == set()
    assert find_differing_groups(np.full(N, 0.1), COLUMNS["form"]) == set()
    assert find_differing_groups(np.full(N, np.nan), COLUMNS["form"]) == set()
