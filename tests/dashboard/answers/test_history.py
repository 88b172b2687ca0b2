"""The page History: the order of the versions, its tables, its sentence."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

from dashboard.address.address import Address
from dashboard.answers.history import (
    AS_LOADED,
    HistoryPage,
    are_versions,
    groups_by_version,
    history_page,
    ordered_versions,
)
from dashboard.answers.history_dates import NO_DATES, VersionDates
from dashboard.study.study import Study
from metrics_core.findings.history import history_finding
from metrics_core.tables import Qrels, Queries, Run
from metrics_core.tables.run_dates import RunDate

IDS = [f"q{i:02}" for i in range(40)]


def study() -> Study:
    """Four versions: v2 mends the second half, v10 breaks the first ten queries, v9 all of A."""

    def run(name: str, good: range) -> Run:
        docs = [f"{q}-d" if i in good else f"{q}-x" for i, q in enumerate(IDS)]
        return Run.from_columns(name, IDS, docs, [1.0] * len(IDS))

    good = {"v10": range(20, 40), "v1": range(20), "v2": range(40), "v9": range(10, 40)}
    queries = {"query_id": IDS, "text": IDS, "category": ["A"] * 20 + ["B"] * 20}
    return Study(
        [run(name, found) for name, found in good.items()],
        Qrels.from_columns(IDS, [f"{q}-d" for q in IDS], [1] * len(IDS)),
        Queries.from_columns(queries),
    )


STUDY = study()


def page(runs: tuple[str, ...] = ("v1", "v2", "v9", "v10")) -> HistoryPage:
    return history_page(STUDY, STUDY.view(Address.create()).comparison, runs, are_versions=True)


@pytest.mark.parametrize(
    ("runs", "order", "asked", "told"),
    [
        (("bm25", "dense"), "", (), False),
        (("v1", "v2", "v10"), "", (), True),
        (("bm25", "dense"), "loaded", (), True),
        (("dense", "bm25"), "", ("dense", "bm25"), True),
    ],
)
def test_runs_are_versions_where_something_says_so(
    runs: tuple[str, ...], order: str, asked: tuple[str, ...], told: bool
) -> None:
    assert are_versions(runs, order, asked, NO_DATES) is told
    dated = VersionDates("names", {runs[0]: RunDate(datetime(2026, 1, 2), "2026-01-02")}, ())
    assert are_versions(runs, order, asked, dated)


def test_of_runs_that_are_no_versions_nothing_is_told() -> None:
    view, runs = STUDY.view(Address.create()).comparison, ("v1", "v2", "v9", "v10")
    found = history_page(STUDY, view, runs, are_versions=False)
    assert found.finding.text.startswith("Are these versions of one system? The run names contain")
    assert "broke" not in found.finding.text
    assert found.overall["run"].tolist() == list(runs) and found.queries.empty


def test_the_best_is_only_called_so_where_it_is_clearly_better() -> None:
    means = np.array([0.4, 0.5])
    given = {"measure": "AP", "n_failing": 0, "n_flickering": 0, "first_bad_version": ""}
    sure, unsure = (
        history_finding(["a", "b"], means, is_best=is_best, **given).text
        for is_best in (True, False)
    )
    assert "is the best on AP." in sure
    assert "has the best mean on AP, but not significantly." in unsure


def test_versions_stand_by_name_with_numbers_by_size_or_as_they_are_asked_for() -> None:
    assert ordered_versions(STUDY, "", ()) == ("v1", "v2", "v9", "v10")
    assert ordered_versions(STUDY, AS_LOADED, ()) == ("v10", "v1", "v2", "v9")
    assert ordered_versions(STUDY, "", ("v9", "nobody", "v1", "v9")) == ("v9", "v1")
    assert ordered_versions(STUDY, "", ("v9",)) == ("v1", "v2", "v9", "v10")


def test_queries_that_broke_last_stand_first() -> None:
    found = page().queries.set_index("query_id")
    assert len(found) == 40 and list(found["states"].iloc[[0, -1]]) == ["+++-", "-+++"]
    assert found.loc["q00", ["broke", "fixed", "first_bad"]].tolist() == ["v9", "", "v9"]
    assert found.loc["q15", ["broke", "fixed", "first_bad"]].tolist() == ["v10", "", "v10"]
    assert found.loc["q30", ["broke", "fixed", "first_bad"]].tolist() == ["", "v2", ""]
    assert set(found.index[:10]) == {f"q{i}" for i in range(10, 20)}


def test_slices_say_since_when_they_are_worse() -> None:
    found = page()
    view = STUDY.view(Address.create()).comparison
    slices = groups_by_version(STUDY, view, found.versions, "category")
    assert slices.first_bad == {"A": "v9"} and slices.groups == ["A", "B"]
    means = slices.means.set_index(["group", "run"])["mean"]
    assert means["A", "v9"] == 0.5 and means["B", "v1"] == 0
    assert list(found.overall["mean"]) == [0.5, 1.0, 0.75, 0.5]
    assert list(found.overall["judged"]) == [0.5, 1.0, 0.75, 0.5]
    assert found.finding.text == (
        "v10 is significantly worse on nDCG@10 than v2 was. So is every version since v9. The"
        " difference of 0.500 is significant after correction for all six pairs (two-sided). 20"
        " queries broke."
    )
    better = page(("v1", "v2")).finding.text
    assert better.startswith("v2, the last of two versions, is the best on nDCG@10.")


def test_a_sentence_for_versions_that_cannot_be_told_apart() -> None:
    told = history_finding(
        ["a", "b"],
        np.array([0.5, 0.4]),
        "AP",
        n_failing=1,
        n_flickering=2,
        first_bad_version="",
        is_best=False,
    ).text
    assert told == (
        "b is not significantly worse on AP than a, the best so far. 1 query broke;"
        " 2 went back and forth."
    )
    none = np.array([np.nan])
    told = history_finding(
        ["a"], none, "AP", n_failing=0, n_flickering=0, first_bad_version="", is_best=False
    ).text
    assert "No query has a score" in told


def test_a_last_version_as_good_as_the_best_is_level_with_it() -> None:
    told = history_finding(
        ["a", "b"],
        np.array([0.5, 0.5]),
        "AP",
        n_failing=0,
        n_flickering=0,
        first_bad_version="",
        is_best=False,
    ).text
    assert told.startswith("b is tied on AP with a, the best so far.")


def test_the_best_is_best_at_the_level_that_is_chosen() -> None:
    def run(name: str, ranks: list[int]) -> Run:
        rows = [
            (query, "d" if at == rank else f"x{at}", -float(at))
            for query, rank in zip(IDS, ranks, strict=True)
            for at in (1, 2)
        ]
        return Run.from_columns(name, *map(list, zip(*rows, strict=True)))

    runs = [run("v1", [2] * 40), run("v2", [1] * 6 + [2] * 34)]
    of = Study(runs, Qrels.from_columns(IDS, ["d"] * 40, [1] * 40))
    for level, words in (("95", "is the best on RR"), ("99", "has the best mean on RR")):
        shown = of.view(Address.create(m="RR", level=level)).comparison
        found = history_page(of, shown, ("v1", "v2"), are_versions=True).finding
        assert words in found.text
