"""Runs are renamed and recoloured in their collection, and its judgments treated as complete."""

from __future__ import annotations

from typing import Any

from dashboard.session.open_collection import workspace
from tests.dashboard.conftest import drawn, opened, text_of


def press(app: Any, label: str) -> Any:
    next(b for b in app.button if b.label == label).click().run()
    assert not app.exception
    return app


def test_a_run_gets_another_name_and_colour_everywhere() -> None:
    app = opened(set="sample", run="dense", base="bm25", naming="dense")
    app.text_input(key="run_name_dense").set_value("E5").run()
    app.pills(key="run_slot").set_value(7).run()
    press(app, "Save")
    assert app.query_params["run"] in ("E5", ["E5"]) and "naming" not in app.query_params
    assert "E5 beats bm25" in text_of(app)
    assert '--run:var(--run-8)" data-run="E5"' in drawn(app)
    older = opened("curves", set="sample", run="dense", base="bm25")
    assert "E5 is significantly ahead" in text_of(older), "a link of before leads to the same run"
    settings = workspace().collection("sample").settings
    assert settings.names == (("dense", "E5"),)
    assert dict(settings.slots) == {"bm25": 0, "dense": 7, "hybrid": 2, "titles-only": 3}


def test_two_runs_change_colours_and_no_two_have_one_name() -> None:
    app = opened(set="sample", naming="dense")
    app.pills(key="run_slot").set_value(2).run()
    press(app, "Save")
    slots = dict(workspace().collection("sample").settings.slots)
    assert (slots["dense"], slots["hybrid"]) == (2, 1)
    app = opened(set="sample", naming="dense")
    app.text_input(key="run_name_dense").set_value(" hybrid ").run()
    press(app, "Save")
    assert "Another run already has the name hybrid" in text_of(app)
    assert not workspace().collection("sample").settings.names


def test_an_empty_name_is_that_of_the_file() -> None:
    app = opened(set="sample", naming="dense")
    app.text_input(key="run_name_dense").set_value("E5").run()
    press(app, "Save")
    app = opened(set="sample", naming="E5")
    app.text_input(key="run_name_E5").set_value("").run()
    press(app, "Save")
    assert not workspace().collection("sample").settings.names
    assert "dense beats bm25" in text_of(app)


def test_judgments_taken_as_complete_are_said_on_every_page() -> None:
    app = opened(set="sample")
    assert "5 of 6 checks hold" in text_of(app)
    app.toggle(key="w_complete_controls").set_value(True).run()
    assert not app.exception
    assert "5 of 5 checks hold" in text_of(app)
    assert "the judgments are treated as complete" in text_of(app)
    for page in ("curves", "judge", "query", "data"):
        assert "Judgments treated as complete" in text_of(opened(page, set="sample")), page
    app.toggle(key="w_complete_controls").set_value(False).run()
    assert "Judgments treated as complete" not in text_of(app)
