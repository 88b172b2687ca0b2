"""The page History: the order in the address, and versions of another collection beside."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.session.open_collection import workspace
from metrics_core import formats
from tests.dashboard.conftest import drawn, opened, text_of

SAMPLE = Path(__file__).resolve().parents[3] / "sample_runs"


def test_the_page_keeps_the_order_in_its_address() -> None:
    app = opened("history", versions=["titles-only", "bm25", "dense"])
    assert "dense, the last of three versions, is the best on nDCG@10" in text_of(app)
    assert "Worse since" in drawn(app) and "queries changed" in text_of(app)
    order = app.segmented_control(key="w_in_order")
    assert order.value is None
    order.set_value("loaded").run()
    assert "versions" not in app.query_params and app.query_params["in_order"] == "loaded"
    assert "over 4 versions" in text_of(app) and "Top 10 judged" in text_of(app)
    assert "with results 98 of 104" in text_of(app)
    # Each version against the one before, significant ones in colour.
    assert 'number worse"><span class="word">change </span>−0.241' in drawn(app)


def test_what_is_asked_stands_in_the_order_that_is_shown() -> None:
    app = opened("history", set="sample")
    assert "If you say yes, each run is compared with the one before it." in text_of(app)
    assert app.segmented_control(key="w_in_order").value == ""
    (chart,) = app.get("plotly_chart")
    assert "Preview: nDCG@10 in this order" in text_of(app)
    # Nothing is stated about progress before the answer.
    assert "Top 10 judged" not in text_of(app) and "hange" not in text_of(app)
    (line,) = json.loads(chart.proto.spec)["data"]
    assert [each[0] for each in line["customdata"]] == ["bm25", "dense", "hybrid", "titles-only"]
    assert line["mode"] == "markers", "a line would claim a development before the answer"
    systems = opened("history", set="sample", in_order="none")
    assert "Ranking compares different systems" in text_of(systems)
    assert not systems.get("plotly_chart") and "Top 10 judged" not in text_of(systems)
    next(button for button in systems.button if button.label == "Open Ranking").click().run()
    assert "dense and hybrid share first place" in text_of(systems)
    assert "is the best" not in text_of(app) and "queries changed" not in text_of(app)


def test_the_preview_has_runs_that_the_other_pages_do_not_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    for name in names:
        (tmp_path / f"{name}.run").write_text(f"q1 Q0 d{len(name)} 1 2.0 x\n")
    (tmp_path / "j.qrels").write_text("q1 0 d4 1\n")
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    (chart,) = opened("history").get("plotly_chart")
    points = json.loads(chart.proto.spec)["data"]
    assert [each[0] for point in points for each in point["customdata"]] == sorted(names)
    app = opened("history", versions=names)
    assert "Change from previous" in text_of(app)
    assert all(f'data-run="{name}"' in drawn(app) for name in names)


def test_the_chart_is_above_the_order_of_the_versions() -> None:
    app = opened("history", set="sample", in_order="loaded")
    keys = [getattr(element, "key", None) for element in app.main.children.values()]
    assert keys.index("chart_by_version") < keys.index("versions") < keys.index("order")


def test_files_of_a_folder_stand_by_their_own_dates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day, name in enumerate(("new", "old"), start=1):
        path = tmp_path / f"{name}.run"
        path.write_text(f"q1 Q0 d{day} 1 2.0 x\n")
        os.utime(path, (1.7e9 - day * 86_400,) * 2)
    (tmp_path / "j.qrels").write_text("q1 0 d1 1\n")
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    app = opened("history", in_order="date")
    assert app.segmented_control(key="w_in_order").options == [
        "by name",
        "as loaded",
        "sorted by date",
    ]
    told = text_of(app)
    assert "The names contain no dates, so each date is the day" in told
    assert told.index("oldnDCG@10 0.000") < told.index("new baselinenDCG@10 1.000")
    assert "2023-11-12 22:13 UTC" in told and "2023-11-13 22:13 UTC" in told
    os.utime(tmp_path / "old.run", (1.7e9 - 86_400,) * 2)
    alike = opened("history")
    assert alike.segmented_control(key="w_in_order").options == ["by name", "as loaded"]
    assert "2023-11-12 22:13 UTC" not in text_of(alike)


def hears() -> None:
    """What the chips tell, where the app's address is known; a script of its own."""
    import streamlit as st

    from dashboard.address.address import Address, Field
    from dashboard.session import address
    from dashboard.session.actions.history import store_version_order

    empty = Address.create([Field("versions", "several")], set="sample")
    st.session_state["_empty"] = st.session_state["_address"] = empty
    for told, wanted in (
        (["b", "a"], ("b", "a")),
        (None, ("b", "a")),
        (["a", "b"], ()),
    ):
        st.session_state["order"] = {"order": told}
        store_version_order("order", ("a", "b"))
        assert address()["versions"] == wanted


def test_an_order_by_hand_is_in_the_address_unless_it_is_the_usual_one() -> None:
    assert not AppTest.from_function(hears, default_timeout=60).run().exception


def other_collection() -> str:
    """Another collection: two runs of the example, and its judgments of the first half of them."""
    kept = workspace()
    made = kept.get_or_create_collection("Judged in 2025").id
    judged = (SAMPLE / "qrels.txt").read_bytes().splitlines(keepends=True)
    kept.add_table(made, formats.read(b"".join(judged[: len(judged) // 2]), name="qrels.txt"))
    for name in ("bm25", "titles-only"):
        content = (SAMPLE / f"{name}.run").read_bytes()
        kept.add_table(made, formats.read(content, name=f"{name}-2025-03-01.run"))
    return made


def test_versions_of_another_collection_stand_apart_by_their_own_judgments() -> None:
    before = opened("history", set="sample", in_order="loaded")
    assert "No other collection" not in text_of(before)
    other = other_collection()
    app = opened("history", set="sample", in_order="loaded", also_from=[other, "gone"])
    told = text_of(app)
    assert "Judged in 2025 has " in told and "query histories leave these versions" in told
    assert "No versions of" in told and "This collection was not found." in told
    assert drawn(app).count('<tr role="row" class="elsewhere">') == 2 and "2025-03-01" in told
    changed = text_of(before).partition(" queries changed")[2]
    assert changed and told.partition(" queries changed")[2] == changed
