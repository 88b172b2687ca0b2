"""Histories by hand: what broke, what was fixed, what flickers, since when a slice is worse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.base.errors import ParameterError
from metrics_core.explaining.history import History, find_first_bad_versions, make_history
from metrics_core.explaining.query_kinds import classify_queries
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from tests.collections_of import qrels_of, run_of


def of(*rows: str) -> History:
    """A history of queries, each with a letter a version: "+" fine, "-" not."""
    fine = np.array([[mark == "+" for mark in row] for row in rows], dtype=np.bool_).T
    ids = tuple(f"q{i}" for i in range(len(rows)))
    versions = tuple(f"v{i}" for i in range(len(fine)))
    return History(versions, ids, fine)


def test_when_queries_broke_and_were_fixed() -> None:
    found = of("++++", "----", "++--", "--++", "+-+-", "-+-+", "-++-", "+--+")
    assert list(found.change_counts) == [0, 0, 1, 1, 3, 3, 2, 2]
    assert list(found.broken_at) == [-1, -1, 2, -1, 3, 2, 3, 1]
    assert list(found.fixed_at) == [-1, -1, -1, 2, 2, 3, 1, 3]
    assert list(found.first_bad_version) == [-1, -1, 2, -1, 3, -1, 3, -1]
    assert list(np.flatnonzero(found.is_flickering)) == [4, 5]
    assert list(of("+", "-").first_bad_version) == [-1, -1], "one version has no history"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text("+-", min_size=5, max_size=5), min_size=1, max_size=5))
def test_what_is_said_of_a_query_follows_from_its_row(rows: list[str]) -> None:
    found = of(*rows)
    for i, row in enumerate(rows):
        steps = [row[v : v + 2] for v in range(4)]
        assert found.change_counts[i] == steps.count("+-") + steps.count("-+")
        assert found.broken_at[i] == max((v + 1 for v in range(4) if steps[v] == "+-"), default=-1)
        assert found.fixed_at[i] == max((v + 1 for v in range(4) if steps[v] == "-+"), default=-1)
        was_fine = "+" in row and row[-1] == "-"
        assert found.first_bad_version[i] == (len(row.rstrip("-")) if was_fine else -1)


def test_fine_is_what_the_kinds_say() -> None:
    qrels = qrels_of({"a": {"d1": 1}, "b": {"d1": 1}, "none": {"d1": 0}})
    first = run_of({q: {"d1": 2.0, "d2": 1.0} for q in ("a", "b", "none")}, "v1")
    second = run_of({"a": {"d1": 2.0}, "b": {"d2": 1.0}}, "v2")
    measure = parse_measure("nDCG@10")
    ranks = [join_judgments(run, qrels) for run in (first, second)]
    kinds = [classify_queries(each, measure, 10) for each in ranks]
    found = make_history(ranks, kinds)
    assert found.fine.tolist() == [[True, True, False], [True, False, False]]
    assert found.versions == ("v1", "v2") and list(found.first_bad_version) == [-1, 1, -1]
    other = join_judgments(second, qrels_of({"a": {"d1": 1}, "b": {"d1": 2}, "none": {"d1": 0}}))
    with pytest.raises(ParameterError, match="have different judgments"):
        make_history([ranks[0], other], kinds)
    with pytest.raises(ParameterError):
        make_history([], [])


def first_bad_version(scores: np.ndarray, direction: int = 1, looked_at: int = 1) -> int:
    return find_first_bad_versions([scores], direction=direction, n_tested=looked_at)[0]


def test_since_when_a_slice_is_worse() -> None:
    random = np.random.default_rng(5)
    base = random.random(60)

    def scores(*means: float) -> np.ndarray:
        return np.array([base + m + random.normal(0, 0.02, 60) for m in means])

    assert first_bad_version(scores(0.1, 0.2, 0.2, 0.05, 0.04)) == 3
    assert first_bad_version(scores(0.2, 0.1, 0.2, 0.05)) == 3, "it was well again in between"
    assert first_bad_version(scores(0.0, 0.1, 0.2)) == -1
    assert first_bad_version(scores(0.2, 0.1, 0.2)) == -1
    assert first_bad_version(scores(0.1, 0.2, 0.2), direction=-1) == 1
    assert first_bad_version(np.full((3, 4), np.nan)) == -1
    assert first_bad_version(scores(0.2)) == -1
    few = np.array([[1.0, 1.0], [0.0, 0.0]])
    assert first_bad_version(few) == -1, "two queries tell nothing"


def test_several_slices_come_out_as_each_by_itself() -> None:
    chance = np.random.default_rng(2)
    slices = [chance.normal(0.5, 0.1, (4, n)) for n in (30, 8, 30, 12, 1)]
    slices[0][2:] -= 0.3
    slices[2][3] -= 0.3
    slices[3][1, :] = np.nan
    slices.append(np.full((4, 9), np.nan))
    found = find_first_bad_versions(slices, n_tested=6)
    assert found == [first_bad_version(scores, looked_at=6) for scores in slices]
    assert found[0] == 2 and found[2] == 3
