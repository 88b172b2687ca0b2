"""Versions that other judgments judged: their own means, beside and in no comparison."""

from __future__ import annotations

from datetime import datetime

from dashboard.address.address import Address
from dashboard.address.view import Comparison
from dashboard.answers.history import HistoryPage, history_page
from dashboard.answers.history_dates import NAMES, NO_DATES, VersionDates, version_dates
from dashboard.answers.other_judgments import (
    OtherJudgments,
    version_rows,
    version_sentences,
    versions_of_collection,
)
from dashboard.study.library import Library
from dashboard.study.study import Study
from metrics_core.tables import Qrels, Queries, Run
from metrics_core.tables.run_dates import RunDate

HERE_IDS, THERE_IDS = [[f"q{i}" for i in range(first, first + 10)] for first in (0, 4)]


def study_of(ids: list[str], runs: dict[str, str], text: str = "about") -> Study:
    """One relevant document "d" and one that is not, "x", a query; each run lists one document."""
    judged = [f"{q}-{d}" for d in "dx" for q in ids]
    columns = {"query_id": ids, "text": [f"{text} {q}" for q in ids], "kind": ["A", "B"] * 5}
    return Study(
        [Run.from_columns(n, ids, [f"{q}-{d}" for q in ids], [1.0] * 10) for n, d in runs.items()],
        Qrels.from_columns([*ids, *ids], judged, [1] * 10 + [0] * 10),
        Queries.from_columns(columns),
    )


HERE = study_of(HERE_IDS, {"v1": "d", "v2": "x", "v3": "new"})
THERE = study_of(THERE_IDS, {"v0-2025-01": "x", "v1": "d"})


def shown(where: tuple[tuple[str, str], ...] = (), m: str = "") -> Comparison:
    return HERE.view(Address.create(where=where, k="1", m=m)).comparison


def beside(study: Study | None, seen: Comparison | None = None) -> OtherJudgments:
    library = Library((), study)
    return versions_of_collection(HERE, seen or shown(), "", "old", "Of 2025", library)


def page() -> HistoryPage:
    return history_page(HERE, shown(), ("v1", "v2", "v3"), are_versions=True)


def test_means_are_by_their_judgments_over_the_queries_that_both_know() -> None:
    found = beside(THERE)
    assert (found.judgments, found.queries, found.shared, found.other_text) == (20, 10, 6, 0)
    assert found.means["run"].tolist() == ["v0-2025-01", "v1"]
    assert found.means["mean"].tolist() == [0, 1] and found.means["queries"].tolist() == [6, 6]
    assert found.means["judged"].tolist() == [1, 1]
    narrowed = beside(THERE, shown((("kind", "A"),)))
    assert narrowed.shared == 3 and narrowed.means["queries"].tolist() == [3, 3]
    renamed = beside(study_of(THERE_IDS, {"v1": "d"}, text="not  about"))
    assert renamed.other_text == 6


def test_what_cannot_be_shown_says_why() -> None:
    far = study_of([f"z{i}" for i in range(10)], {"v0": "d"})
    assert beside(far).why_not == "The collection has no judgments for the queries in view."
    assert beside(None).why_not == "None of the runs match the judgments."
    gone = versions_of_collection(HERE, shown(), "", "old", "Of 2025", None)
    rows = version_rows(page(), NO_DATES, [gone], by_date=False)
    told = version_sentences(rows, [gone], 1)
    assert (
        "No versions of Of 2025 are shown: This collection was not found." in told
        and len(rows) == 3
    )
    assert not any("Diamonds" in line for line in told)


def test_other_collections_stand_apart_and_before_unless_dates_say_otherwise() -> None:
    other, dates = beside(THERE), version_dates(("v1", "v2", "v3"), {})
    rows = version_rows(page(), dates, [other], by_date=False)
    assert list(zip(rows["collection"], rows["run"], strict=True)) == [
        ("old", "v0-2025-01"), ("old", "v1"), ("", "v1"), ("", "v2"), ("", "v3"),
    ]  # fmt: skip
    assert rows["date"].tolist() == ["2025-01", "", "", "", ""]
    assert rows["queries"].tolist() == [6, 6, 10, 10, 10]
    older = VersionDates(NAMES, {"v2": RunDate(datetime(2024, 1, 1), "2024-01")})
    by_date = version_rows(page(), older, [other], by_date=True)
    assert by_date["collection"].tolist() == ["", "", "", "old", "old"]


def test_versions_that_the_judgments_hardly_know_are_told_apart() -> None:
    rows = version_rows(page(), NO_DATES, [beside(THERE)], by_date=False)
    assert rows[rows["collection"] == ""].set_index("run")["unknown"].to_dict() == {
        "v1": False, "v2": False, "v3": True,
    }  # fmt: skip
    told = version_sentences(rows, [beside(THERE)], 1)
    assert told[0].startswith(
        "Fewer results are judged for v3 (0% of its top 1) than for other versions (up to 100%)."
    )
    assert told[2] == (
        "Of 2025 has 20 judgments for 10 queries. Its means cover only the 6 queries that are"
        " also in view here."
    )


def test_other_judgments_change_nothing_here() -> None:
    before = page()
    beside(THERE)
    after = history_page(HERE, shown(), ("v1", "v2", "v3"), are_versions=True)
    assert after.queries.equals(before.queries) and after.overall.equals(before.overall)
    assert list(after.overall["run"]) == ["v1", "v2", "v3"]
