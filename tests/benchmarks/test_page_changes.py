"""The collection that the pages are timed on is one that they can show, and its changes differ."""

from __future__ import annotations

from pathlib import Path

from benchmarks.page_changes import Collection, Views, steps, told, write
from metrics_core import read_qrels, read_run


def test_the_collection_is_as_large_as_it_says(tmp_path: Path) -> None:
    write(tmp_path, Collection(queries=6, runs=2, depth=5, judged=3))
    assert len(read_qrels(tmp_path / "qrels.txt")) == 18
    assert [len(read_run(tmp_path / f"run00{i}.run")) for i in (0, 1)] == [30, 30]


def test_every_change_leads_to_a_view_of_its_own() -> None:
    views = [asked for page in (0, 1) for _, asked in steps(page, ["a", "b", "c"])]
    assert len({tuple(sorted(asked.items())) for asked in views}) == len(views)


def test_the_table_says_what_was_measured() -> None:
    text = told({"curves": Views([0.08] * 5, [0.1] * 5, [0.05] * 5, [0.2] * 5, [12.0] * 5)})
    assert "top, 5 views: median 80 ms, 95% within 80 ms, worst 80 ms" in text
    assert "first, 5 views: median 100 ms, 95% within 100 ms, worst 100 ms" in text
