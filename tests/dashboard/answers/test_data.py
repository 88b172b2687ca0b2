"""The Data page: a look into files."""

from __future__ import annotations

from dashboard.answers.data import first_rows
from metrics_core.tables import Run


def test_a_look_into_a_file_shows_its_first_rows() -> None:
    run = Run.from_columns("a", ["q"] * 9, list("abcdefghi"), [9.0 - i for i in range(9)])
    rows = first_rows(run)
    assert list(rows["query_id"]) == ["q"] * 5 and list(rows["doc_id"]) == list("abcde")
