"""By which dates versions stand: one source for all of them."""

from __future__ import annotations

from dashboard.answers.history import AS_LOADED, BY_DATE, ordered_versions
from dashboard.answers.history_dates import FILES, NAMES, version_dates
from dashboard.files.files import File
from dashboard.study.study import Study
from metrics_core.tables import Qrels, Run


def files(**told: str) -> dict[str, File]:
    """Run name -> a file of this path, written on consecutive days."""
    return {
        name: File(path, path, "folder", written=f"2026-05-0{day}T10:00:00+00:00")
        for day, (name, path) in enumerate(told.items(), start=1)
    }


def test_dates_in_the_names_come_before_those_of_the_files() -> None:
    found = version_dates(["a", "b-2026-01", "c"], files(a="2025-11-03/a.run", c="x/c.run"))
    assert found.source == NAMES and found.undated == ("c",)
    assert {name: moment.text for name, moment in found.dates.items()} == {
        "a": "2025-11-03",
        "b-2026-01": "2026-01",
    }
    assert found.source_sentence == (
        "Dates are taken from the names of runs and files. Versions without a date come last: c."
    )
    named = version_dates(["a-2026-01-02"], files(**{"a-2026-01-02": "2025-01-01/a.run"}))
    assert named.date_text("a-2026-01-02") == "2026-01-02"


def test_files_date_versions_where_few_names_do() -> None:
    found = version_dates(["a-2026-01", "b", "c"], files(b="b.run", c="c.run"))
    assert found.source == FILES and found.undated == ("a-2026-01",)
    assert found.date_text("b") == "2026-05-01 10:00 UTC" and found.date_text("a-2026-01") == ""
    assert found.source_sentence.startswith("The names contain no dates")
    nothing = version_dates(["a", "b"], {})
    assert nothing.source == "" and nothing.source_sentence == "No version has a date."


def test_versions_by_date_have_the_undated_last_and_names_break_ties() -> None:
    names = ["old", "b-2026-03", "a-2026-03", "v2-2025-12-31", "v10"]
    runs = [Run.from_columns(name, ["q"], [f"d{i}"], [1.0]) for i, name in enumerate(names)]
    study = Study(runs, Qrels.from_columns(["q"], ["d1"], [1]))
    dates = version_dates(names, {})
    wanted = ("v2-2025-12-31", "a-2026-03", "b-2026-03", "old", "v10")
    assert ordered_versions(study, BY_DATE, (), dates) == wanted
    assert ordered_versions(study, AS_LOADED, (), dates) == tuple(names)
    assert ordered_versions(study, BY_DATE, ("v10", "old"), dates) == ("v10", "old")
