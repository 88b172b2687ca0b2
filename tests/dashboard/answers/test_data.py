"""The Data page: a look into files."""

from __future__ import annotations

import gc

from dashboard.answers.data import _first_rows_of, first_rows
from dashboard.opened.files import File
from metrics_core.tables import Run


def test_a_file_is_looked_into_once_and_forgotten_with_its_table() -> None:
    before = len(_first_rows_of)
    run = Run.from_columns("a", ["q"] * 9, list("abcdefghi"), [9.0 - i for i in range(9)])
    file = File("k", "a.run", "folder", table=run)
    rows = first_rows(file)
    assert list(rows["doc_id"]) == list("abcde")
    assert first_rows(file) is rows
    assert len(_first_rows_of) == before + 1
    del file, run
    gc.collect()
    assert len(_first_rows_of) == before
