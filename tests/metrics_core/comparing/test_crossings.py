"""Where the lead changes over k: against a literal sweep, query by query and k by k."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from metrics_core.base.errors import NoSharedQueriesError, ParameterError
from metrics_core.comparing import testing
from metrics_core.comparing.crossings import Crossings, difference_curve, find_crossings
from metrics_core.comparing.curves import mean_curves
from metrics_core.comparing.method import MIN_P, Method
from metrics_core.comparing.resampled import align_bounds_with_test, reset_moved_bounds
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from metrics_core.tables import Qrels, Run
from tests.collections_of import collections, qrels_of, run_of


@settings(max_examples=25, deadline=None)
@given(first=collections(), second=collections())
def test_every_k_is_that_of_a_literal_sweep(first: Any, second: Any) -> None:
    qrels = qrels_of(first[1])
    own = join_judgments(run_of(first[0]), qrels)
    try:
        other = join_judgments(run_of(second[0]), qrels)
    except NoSharedQueriesError:
        return
    measure = parse_measure("nDCG@1")
    found = find_crossings(own, other, measure, depth=6)
    lead: list[int] = []
    for k in range(1, 7):
        gap = [
            a - b for a, b in zip(measure.at(k).score(own), measure.at(k).score(other), strict=True)
        ]
        mean = sum(gap) / len(gap)
        assert found.difference[k - 1] == pytest.approx(mean, abs=1e-12)
        lead.append(0 if abs(mean) < 1e-12 else (1 if mean > 0 else -1))
    assert found.side.tolist() == lead
    each = difference_curve(own, other, measure.at(3), depth=6)
    known = find_crossings(own, other, measure, depth=6, difference=each)
    assert known.difference.tolist() == found.difference.tolist()
    assert known.side.tolist() == lead


def pair(n: int, ranks: tuple[int, int]) -> tuple[Any, Any]:
    """One relevant document of n queries, at the first rank in the run, the second in the baseline;
    of the last sixth the other way round."""
    queries = [f"q{i}" for i in range(n)]
    qrels = Qrels.from_columns(queries, ["yes"] * n, [1] * n)

    def listed(name: str, place: int, last: int) -> Run:
        rows = []
        for i, q in enumerate(queries):
            at = place if i < n * 5 / 6 else last
            rows += [(q, "yes" if r == at else f"no{r}", 10.0 - r) for r in range(1, 7)]
        return Run.from_columns(name, *map(list, zip(*rows, strict=True)))

    first, second = ranks
    return join_judgments(listed("new", first, second), qrels), join_judgments(
        listed("old", second, first), qrels
    )


def test_the_band_holds_for_all_k_at_once_and_says_where_it_is_clear() -> None:
    own, other = pair(60, (2, 4))
    found = find_crossings(own, other, parse_measure("P@1"))
    assert found.depth == 6 and found.cutoffs.tolist() == [1, 2, 3, 4, 5, 6]
    assert found.side.tolist() == [0, 1, 1, 0, 0, 0]
    assert found.significant_ranges(1) == [(2, 3)] and found.significant_ranges(-1) == []
    gaps = np.stack(
        [parse_measure(f"P@{k}").score(own) - parse_measure(f"P@{k}").score(other)
         for k in range(1, 7)], axis=1,
    )  # fmt: skip
    band = testing.compare_columns(gaps, Method(correction=MIN_P)).clip_bounds(1)
    assert np.allclose(found.low, band.low) and np.allclose(found.high, band.high)


def test_the_band_is_that_of_the_curves() -> None:
    for queries in (9, 30, 60):
        own, other = pair(queries, (2, 4))
        found = find_crossings(own, other, parse_measure("P@1"))
        curves = mean_curves([own, other], parse_measure("P@1"), list(range(1, 7)), "old")
        rows = curves[curves["run"] == "new"]
        assert np.allclose(found.low, rows["diff_low"], equal_nan=True)
        assert np.allclose(found.high, rows["diff_high"], equal_nan=True)
        assert found.clear.any() == (queries >= 10)


def test_a_band_that_ends_at_zero_is_not_significant() -> None:
    """At some k, the test finds a difference whose simultaneous interval still touches zero."""
    touching = align_bounds_with_test(
        np.array([-0.1, 0.1]), np.array([0.9, 0.9]), np.array([0.4, 0.5]), np.array([True, True])
    )
    assert touching[0][0] > 0 and reset_moved_bounds(touching[0]).tolist() == [0.0, 0.1]
    falling = align_bounds_with_test(
        np.array([-0.9]), np.array([0.2]), np.array([-0.4]), np.array([True])
    )
    assert reset_moved_bounds(falling[1]).tolist() == [0.0]


def test_lower_is_better_turns_the_sides_round() -> None:
    own, other = pair(30, (2, 4))
    found = find_crossings(own, other, parse_measure("Unjudged@1"))
    higher = found.difference > 1e-12
    assert (found.side[higher] == -1).all() and (found.side[found.difference < -1e-12] == 1).all()
    assert found.side.any()


def test_a_measure_without_cutoff_has_no_crossings() -> None:
    own, other = pair(3, (1, 2))
    with pytest.raises(ParameterError):
        find_crossings(own, other, parse_measure("Bpref"))


def test_where_a_lead_begins_and_ends() -> None:
    def side(values: list[int]) -> Crossings:
        numbers = np.array(values)
        return Crossings(numbers.astype(float), numbers, np.arange(1, 5), *[numbers] * 3)

    assert side([1, 1, -1, 1]).significant_ranges(1) == [(1, 2), (4, 4)]


@pytest.mark.thorough
def test_of_many_queries_the_band_is_worked_out_at_spaced_cutoffs() -> None:
    own, other = pair(20_000, (2, 4))
    found = find_crossings(own, other, parse_measure("P@1"), depth=300, extra_cutoff=123)
    assert found.depth == 300 and len(found.cutoffs) < 20
    assert {1, 2, 10, 123, 300} <= set(found.cutoffs.tolist())
