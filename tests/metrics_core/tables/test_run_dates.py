"""Dates in the names of runs and files."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.tables.run_dates import find_date

FOUND = {
    "bm25-2026-03-01": ("2026-03-01", datetime(2026, 3, 1)),
    "20260301.run": ("20260301", datetime(2026, 3, 1)),
    "v3_2026_03_01_b": ("2026_03_01", datetime(2026, 3, 1)),
    "nightly 2026.03.01": ("2026.03.01", datetime(2026, 3, 1)),
    "2026-03-01T12:30": ("2026-03-01T12:30", datetime(2026, 3, 1, 12, 30)),
    "2026-03-01T12:30:05Z": ("2026-03-01T12:30:05", datetime(2026, 3, 1, 12, 30, 5)),
    "20260301_1230": ("20260301_1230", datetime(2026, 3, 1, 12, 30)),
    "20260301_9999": ("20260301", datetime(2026, 3, 1)),
    "release-2026-03": ("2026-03", datetime(2026, 3, 1)),
    "2026-W09": ("2026-W09", datetime(2026, 2, 23)),
    "2026w09-3": ("2026w09-3", datetime(2026, 2, 25)),
    "2020-W53": ("2020-W53", datetime(2020, 12, 28)),
    "2026-02-30 2026-03": ("2026-03", datetime(2026, 3, 1)),
    "2026-03-01 after 2025-01-01": ("2026-03-01", datetime(2026, 3, 1)),
}
NOT_ONE = [
    "", "bm25", "2026", "v20", "2026-13", "2026-02-30", "2026-03-45", "2026-W54", "2025-W53",
    "120260301", "202603011", "18991231", "2026-03_01", "03-01-2026", "2026-3-1",
]  # fmt: skip


@pytest.mark.parametrize("text", FOUND)
def test_a_date_is_found_as_it_is_written(text: str) -> None:
    moment = find_date(text)
    assert moment is not None and (moment.text, moment.when) == FOUND[text]


@pytest.mark.parametrize("text", NOT_ONE)
def test_what_is_no_date_is_none(text: str) -> None:
    assert find_date(text) is None


@settings(max_examples=60, deadline=None)
@given(
    st.dates(date(1900, 1, 1), date(2099, 12, 31)),
    st.sampled_from(["%Y-%m-%d", "%Y%m%d", "%Y_%m_%d", "%Y.%m.%d", "%G-W%V-%u"]),
    st.sampled_from(["", "v2-", "a b ", "run7_"]),
    st.sampled_from(["", ".run", "-final", " (2)"]),
)
def test_every_day_is_found_in_every_form(day: date, form: str, before: str, behind: str) -> None:
    if form.startswith("%G") and not 1900 <= day.isocalendar().year <= 2099:
        return
    moment = find_date(before + day.strftime(form) + behind)
    assert moment is not None and moment.when == datetime(day.year, day.month, day.day)
