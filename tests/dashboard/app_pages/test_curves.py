"""By cutoff: its charts, its other parts, and bands for all k together."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.app_pages.test_pages import collection
from tests.dashboard.app_pages.test_pairs import folder_of
from tests.dashboard.conftest import APP, drawn, opened, text_of


def test_charts_carry_the_numbers_of_metrics_core_and_no_names() -> None:
    app = opened("curves")
    charts = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert len(charts) == 3
    for chart in charts:
        names = {trace.get("name") for trace in chart["data"]}
        assert names >= {"bm25", "dense", "hybrid", "titles-only"}
        said = [note["text"] for note in chart["layout"]["annotations"]]
        assert said == ["k", "difference from bm25", "dense: significant"]
    axes = [chart["layout"]["yaxis2"]["tickvals"] for chart in charts]
    ends = [(axis[0], axis[-1]) for axis in axes]
    assert ends == [(-0.2, 0.2), (-0.2, 0.2), (-0.4, 0.4)], "each follows its differences"
    assert drawn(app).count("lens legend") == 1


def test_the_other_parts_are_in_the_address() -> None:
    app = opened("curves", part="recall")
    assert "dense has 64% precision at 50% recall" in text_of(app)
    assert len(app.get("plotly_chart")) == 1 and "Precision when" in text_of(app)
    app = opened("curves", part="table")
    assert not app.get("plotly_chart") and "dense minus bm25" in text_of(app)
    assert "is significantly ahead of bm25 on nDCG from k = 3" in text_of(app)


def test_the_ceiling_of_reranking_begins_at_the_score_and_ends_at_the_headroom() -> None:
    app = opened("curves", part="rerank")
    assert "dense could reach 0.928 on nDCG@10 with a perfect reordering" in text_of(app)
    (chart,) = app.get("plotly_chart")
    lines = {t["name"]: t for t in json.loads(chart.proto.spec)["data"] if t.get("name")}
    assert lines.keys() == {"bm25", "dense", "hybrid", "titles-only"}
    first, last = lines["dense"]["text"][0], lines["dense"]["text"][-1]
    ledger = text_of(opened("overview"))
    assert (first, last) == ("0.636", "0.928") and "0.636" in ledger
    for measure in ("Judged@10", "AP"):
        shown = text_of(opened("curves", part="rerank", m=measure))
        assert ("Best AP after a perfect reordering" in shown) == (measure == "AP")


def test_bands_of_the_differences_hold_for_all_k_together_and_none_under_ten_queries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = text_of(opened("curves"))
    assert "Also significantly ahead on P from k = 2 and on R from k = 3." in shown
    assert "simultaneous over all k. Thin line: at least half" in shown
    assert "Half of the bm25 lists end by rank 22, which favours dense" in shown
    monkeypatch.setenv("RANKLENS_DATA", str(collection(tmp_path, 9)))
    app = opened("curves", run="a", base="b")
    assert "Too few queries for bands." in text_of(app) and "No k is tested" in text_of(app)
    traces = [t for c in app.get("plotly_chart") for t in json.loads(c.proto.spec)["data"]]
    assert traces and not any(trace.get("fill") for trace in traces)


def test_of_many_runs_it_is_said_how_many_are_drawn_and_the_rest_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "runs drawn" not in text_of(opened("curves", also="-")), "few are hidden on purpose"
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, 12)))
    app = opened("curves", also="-")
    assert "2 of 12 runs drawn: draw all" in text_of(app)
    link = re.findall(r'<a href="([^"]*)"[^>]*>draw all', drawn(app))[0]
    assert "also=*" in link or "also=%2A" in link
    traces = [
        t
        for c in opened("curves", also="*").get("plotly_chart")[:1]
        for t in json.loads(c.proto.spec)["data"]
    ]
    assert {t["name"] for t in traces if t.get("name")} == {f"r{i:02}" for i in range(12)}


def test_a_name_in_the_legend_hides_its_run() -> None:
    app = opened("curves")
    links = re.findall(r'<a href="([^"]*)"', drawn(app).partition("lens legend")[2])
    assert len(links) >= 2 and "also=titles-only" in links[0] and "also=hybrid" not in links[0]


def test_a_page_that_fails_leaves_the_data_and_the_other_pages(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Only a collection that cannot be opened is offered for removal, never for a failed page."""

    def fail(*_: object, **__: object) -> None:
        raise OverflowError("int too large to convert to float")

    monkeypatch.setattr("dashboard.drawing.blocks.overview.draw_facts_line", fail)
    app = AppTest.from_file(str(APP), default_timeout=60).run()
    assert "The page Overview cannot be shown: OverflowError" in text_of(app)
    assert "Your data is unchanged." in text_of(app) and "Robustness" in text_of(app)
    assert not [button.label for button in app.button if "emove" in button.label]
    caplog.clear()
