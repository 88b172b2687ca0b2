"""The Curves page: what it draws, and bands for all k at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.dashboard.app_pages.test_pages import collection
from tests.dashboard.conftest import opened, text_of


def test_charts_carry_the_numbers_of_metrics_core() -> None:
    app = opened("curves")
    charts = app.get("plotly_chart")
    assert len(charts) == 4
    drawn = json.loads(charts[0].proto.spec)["data"]
    assert {trace.get("name") for trace in drawn} >= {"bm25", "dense", "hybrid", "titles-only"}


def test_bands_of_the_differences_hold_for_all_k_at_once_and_none_under_ten_queries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = text_of(opened("curves"))
    assert "the bands below hold for all k at once" in shown
    monkeypatch.setenv("RANKLENS_DATA", str(collection(tmp_path, 9)))
    shown = text_of(opened("curves", run="a", base="b"))
    assert "under 10 queries any difference may be chance" in shown
    assert "unlikely to be chance" not in shown
