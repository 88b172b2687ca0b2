"""Judging in place: grades that change scores, layers on and off, as files, notes kept."""

from __future__ import annotations

import json
import re
import sqlite3
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard.address.address import Address
from dashboard.answers.grading import judging_queue, judging_summary
from dashboard.answers.subset import export_subset
from dashboard.files.collections import SAMPLE
from dashboard.session.actions.collections import copy_collection
from dashboard.session.actions.grading import export_layer
from dashboard.session.open_collection import all_collections, collection_files, workspace
from dashboard.study.library import assemble_library
from dashboard.workspace import Workspace
from metrics_core.comparing.drawn_queries import QueryDraw
from tests.dashboard.conftest import drawn, on_files, opened, text_of

PAIR = {"run": "dense", "base": "bm25"}


def kept() -> Workspace:
    return workspace()


def judged(grades: dict[tuple[str, str], float], name: str = "me", here: str = SAMPLE) -> str:
    """A layer of the example, as judging there makes it."""
    kept().get_or_create_collection("The example", here)
    return kept().layers.create_layer(here, name, grades)


def rows_of(app: AppTest) -> dict[str, Any]:
    """What the part that judges was given."""
    (found,) = [
        e.proto for e in app.get("bidi_component") if e.proto.component_name == "ranklens_judge"
    ]
    told: dict[str, Any] = json.loads(found.json)
    return told


ROW = ("q065", "FN-0073")
"""A query and a document of the example that three runs list in their top 10 and nobody judged."""


def test_the_query_page_offers_what_nobody_judged() -> None:
    app = opened("query", **PAIR)
    told = rows_of(app)
    assert told["rows"] and told["judged"] == 0 and told["total"] == len(told["rows"])
    assert told["grades"] == [0, 1, 2, 3] and told["name"] == "me"
    assert all(row["grade"] is None and row["title"] for row in told["rows"])
    assert f"{len(told['rows'])} unjudged in the top 10" in text_of(app)
    assert "own grade" not in text_of(app)


def test_a_grade_counts_in_the_score_is_told_and_can_be_switched_off() -> None:
    opened("", **PAIR)  # the rail says what waits once it was worked out
    before = opened("", **PAIR)
    judged({ROW: 3})
    app = opened("query", q=ROW[0], **PAIR)
    assert rows_of(app)["rows"][0]["grade"] == 3 and rows_of(app)["judged"] == 1
    assert "Includes 1 own grade (layer me)" in text_of(app)
    effect = re.search(r"mean difference (\S+) → (\S+)", text_of(app))
    assert effect and "layer me · 1 grade · active" in text_of(app)
    after = opened("", **PAIR)
    assert "Includes 1 own grade (layer me)" in text_of(after)
    assert text_of(after) != text_of(before)
    off = opened("", layers=["-"], **PAIR)
    assert text_of(off) == text_of(before)
    assert "off" in text_of(opened("query", q=ROW[0], layers=["-"], **PAIR))


def test_the_address_says_which_layers_are_on() -> None:
    layer = judged({ROW: 3})
    app = opened("", **PAIR)
    hrefs = set(re.findall(r"layers=([^&\"]+)", drawn(app)))
    assert hrefs == {layer, "-"}
    gone = text_of(opened("", layers=["gone"], **PAIR))
    assert "no judgment layer gone" in gone


def tells() -> None:
    """What a page tells by its keys, where the app's address is known; a script of its own."""
    import streamlit as st

    from dashboard.address.address import Address
    from dashboard.session.actions import grading

    st.session_state["_empty"] = st.session_state["_address"] = Address.create(set="sample")
    acts = [
        {"n": 1, "query_id": "q", "doc_id": "a", "grade": 2},
        {"n": 2, "query_id": "q", "doc_id": "b", "grade": 1},
        {"n": 3, "query_id": "q", "doc_id": "a", "grade": None},
        {"n": 4, "query_id": "q", "doc_id": "c", "skip": True},
    ]
    grading.store_judge_actions({"session": "s", "by": " Ann  B ", "acts": acts})
    assert grading.last_stored_action() == {"session": "s", "done": 4}
    assert grading.skipped_pairs() == {("q", "c")}
    grading.store_judge_actions({"session": "s", "by": "", "acts": acts})
    later = {"n": 5, "query_id": "q", "doc_id": "c", "grade": 3}
    grading.store_judge_actions({"session": "s", "by": "", "acts": [*acts, later]})
    assert grading.skipped_pairs() == set()
    grading.store_judge_actions(None)


def test_what_a_page_tells_is_kept_once_and_in_its_order() -> None:
    app = AppTest.from_function(tells, default_timeout=60).run()
    assert not app.exception, [e.value for e in app.exception]
    (layer,) = kept().layers.list_layers(SAMPLE)
    assert (layer.name, layer.judged) == ("Ann B", True)
    assert layer.grades == {("q", "b"): 1, ("q", "c"): 3}


def test_the_queue_goes_on_where_it_was_left() -> None:
    app = opened("judge", **PAIR)
    first = rows_of(app)
    assert first["one"] and first["total"] > 100
    row = first["rows"][0]
    assert row["query"] and row["title"] and row["text"]
    judged({(row["query_id"], row["doc_id"]): 0})
    after = rows_of(opened("judge", **PAIR))
    assert after["judged"] == 1 and after["total"] == first["total"]
    assert after["rows"][0] == first["rows"][1]
    assert first["names"] == ["Not", "Slightly", "Fairly", "Highly"]
    assert 0 < first["settle"] < first["total"] and row["settles"]
    assert row["where"] == "rank 10 in bm25, not in the top 10 of dense"


def test_to_judge_leads_back_and_says_where_everything_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = unescape(drawn(opened("judge", **PAIR)))
    assert "← Robustness" in back and re.search(r'href="\./firm\?[^"]*part=unjudged', back)
    (tmp_path / "a.run").write_text("q Q0 d1 1 2.0 x\n")
    (tmp_path / "b.run").write_text("q Q0 d2 1 2.0 x\n")
    (tmp_path / "j.qrels").write_text("q 0 d1 1\nq 0 d2 0\n")
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    app = opened("judge", run="b", base="a")
    assert "Every document in the top 10 is judged" in text_of(app)
    assert "See Robustness" in text_of(app)
    assert not app.get("bidi_component") or "ranklens_judge" not in {
        e.proto.component_name for e in app.get("bidi_component")
    }


def test_the_order_is_in_the_address_and_runs_and_ranks_can_be_hidden() -> None:
    moving = rows_of(opened("judge", **PAIR))
    assert moving["queue"]["order"] == "" and not moving["queue"]["blind"]
    assert moving["queue"]["behind"] + len(moving["rows"]) == moving["settle"]
    by_query = rows_of(opened("judge", order="queries", blind="on", **PAIR))
    assert by_query["queue"]["order"] == "queries" and by_query["settle"] == moving["settle"]
    assert by_query["queue"]["blind"] and {row["where"] for row in by_query["rows"]} == {""}
    drawn_by_lot = rows_of(opened("judge", order="random", **PAIR))
    assert drawn_by_lot["settle"] == 0 and drawn_by_lot["rows"] != moving["rows"]
    rest = drawn_by_lot["queue"]["behind"] + len(drawn_by_lot["rows"])
    assert rest == drawn_by_lot["total"]
    judged({ROW: 3}, "ann")
    judged({ROW: 2}, "bo")
    several = rows_of(opened("judge", **PAIR))["queue"]
    assert several["blind"] and not several["scores"]
    assert not rows_of(opened("judge", blind="off", **PAIR))["queue"]["blind"]


def test_what_the_grades_changed_stands_beside_the_card_and_what_came_of_it_on_top() -> None:
    first = rows_of(opened("judge", **PAIR))
    (_, before, now), (worst, _, _) = first["queue"]["changes"]
    assert before == now and worst == "worst case" and first["queue"]["scores"] == {}
    rows = first["rows"]
    again = rows[1]
    judged({(rows[0]["query_id"], rows[0]["doc_id"]): 3, (again["query_id"], "nowhere"): 0})
    after = rows_of(opened("judge", **PAIR))["queue"]
    (_, before, now), _ = after["changes"]
    assert before != now
    runs = [run for run, _, _ in after["scores"][again["query_id"]]]
    assert sorted(runs) == ["bm25", "dense"]


def test_once_all_is_judged_that_settles_it_the_page_says_what_came_of_it() -> None:
    here = assemble_library(collection_files(SAMPLE)).study
    assert here is not None
    view = here.view(Address.create(**PAIR)).comparison
    settle = judging_summary(here, view).settle
    first = judging_queue(here, view).head(settle)
    judged(dict.fromkeys(zip(first["query_id"], first["doc_id"], strict=True), 0))
    said = text_of(opened("judge", **PAIR))
    assert f"{settle} of {settle} judged" in said
    assert re.search(
        r"The worst-case difference is now 0\.000: nothing can reverse the order", said
    )
    assert "See Robustness" in said


def test_layers_on_the_data_page() -> None:
    layer = judged({ROW: 3})
    app = opened("data", **PAIR)
    assert "me 1 grade · judged here" in text_of(app) and "· active" in text_of(app)
    app.button(key=f"switch_{layer}").click().run()
    assert "· inactive" in text_of(app) and "layer_row" not in text_of(app)
    app.button(key=f"switch_{layer}").click().run()
    assert "· active" in text_of(app)
    app.button(key=f"remove_layer_{layer}").click().run()
    assert not app.exception
    assert "The layer “me” was removed." in text_of(app) and kept().layers.list_layers(SAMPLE) == []
    next(b for b in app.button if b.label == "Undo").click().run()
    assert len(kept().layers.list_layers(SAMPLE)) == 1


def test_a_layer_downloaded_is_a_layer_taken_in() -> None:
    judged({ROW: 3, ("q065", "nowhere"): 0})
    (layer,) = kept().layers.list_layers(SAMPLE)
    content = export_layer(layer)
    assert content.decode().splitlines()[0].split() == [ROW[0], "0", ROW[1], "3"]
    kept().layers.remove_layer(SAMPLE, layer.id)
    app = opened("data", **PAIR)
    uploader = next(u for u in app.file_uploader if "separate layer" in u.label)
    uploader.set_value(("mine.qrels", content, "text/plain")).run()
    assert not app.exception, [e.value for e in app.exception]
    (again,) = kept().layers.list_layers(SAMPLE)
    assert (again.name, again.judged, again.grades) == ("mine", False, layer.grades)
    assert "mine 2 grades · from a file" in text_of(app) and "· active" in text_of(app)
    assert "own grade" not in text_of(opened("", **PAIR)), "off where no link asks for it"
    odd = next(u for u in app.file_uploader if "separate layer" in u.label)
    odd.set_value(("odd.qrels", b"no judgments here", "text/plain")).run()
    assert not app.exception and len(kept().layers.list_layers(SAMPLE)) == 1


def test_the_example_keeps_its_layers_apart_and_stays_the_example() -> None:
    judged({ROW: 3})
    assert all_collections().choose_collection("") == SAMPLE
    assert [c.id for c in all_collections().list_collections()] == [SAMPLE]
    copy = copy_collection(SAMPLE, "Copy")
    assert [len(layer) for layer in kept().layers.list_layers(copy.id)] == [1]


def test_notes_and_tags_are_kept_with_the_collection() -> None:
    app = opened("query", **PAIR)
    query_id = rows_of(app)["rows"][0]["query_id"]
    app.text_area(key=f"note_text_{query_id}").set_value("<b>why</b>")
    app.text_input(key=f"note_tag_{query_id}").set_value("cause: *stemming*")
    next(b for b in app.button if b.label == "Save").click().run()
    assert not app.exception, [e.value for e in app.exception]
    found = kept().notes.notes_by_query(SAMPLE)[query_id]
    assert [n.text for n in found.notes] == ["<b>why</b>"] and found.tags == ("cause: *stemming*",)
    listed = opened("queries", show="tag:cause: *stemming*", **PAIR)
    assert "1 of 104 queries" in text_of(listed)
    assert "*stemming* 1" in "".join(listed.button_group(key="w_show_tag").options).replace(
        "\\", ""
    )
    line = opened("queries", filter='tags contains "stem" and notes == "<b>why</b>"', **PAIR)
    assert "1 of 104 queries" in text_of(line)
    again = opened("query", q=query_id, **PAIR)
    assert "&lt;b&gt;why&lt;/b&gt;" in drawn(again)
    next(b for b in again.button if b.label.endswith("✕")).click().run()
    next(b for b in again.button if b.label.startswith("Undo")).click().run()
    assert kept().notes.notes_by_query(SAMPLE) == {}


@pytest.mark.parametrize("page", ["queries", "curves", "firm"])
def test_every_page_with_scores_says_that_a_layer_is_on(page: str) -> None:
    judged({ROW: 3, ("only judged here", "x"): 1})
    assert "Includes 2 own grades (layer me)" in text_of(opened(page, **PAIR))


def test_damaged_rows_are_shown_as_text_and_dropped() -> None:
    judged({ROW: 3, ("q065", "lost"): 1})
    for text in ("why", "because"):
        kept().notes.write_note(SAMPLE, "q065", text, author="me")
    with sqlite3.connect(kept().folder_of(SAMPLE) / "state.db") as state:
        state.execute("UPDATE grades SET doc_id = '<img src=x> *no*' WHERE doc_id = 'lost'")
        state.execute("UPDATE notes SET text = '<img src=x>' WHERE text = 'because'")
    st.cache_resource.clear()
    app = opened("data", **PAIR)
    assert ["<img src=x>" in c.value for c in app.code] == [True, True]
    assert "Layers, notes and tags: 1 row is damaged; all other rows are intact." in text_of(app)
    assert "1 damaged row. The grades in them are lost; all others are intact." in text_of(app)
    assert not any("<img src=x" in e.proto.body for e in app.get("html"))
    while drops := [b for b in app.button if b.label.startswith("Delete")]:
        drops[0].click().run()
        assert not app.exception, [e.value for e in app.exception]
    assert "1 damaged row of the layer “me” was deleted." in text_of(app)
    assert "1 damaged row of layers, notes and tags was deleted." in text_of(app)
    (layer,) = kept().layers.list_layers(SAMPLE)
    assert (
        kept().contents(SAMPLE).damaged_row_texts() == []
        and layer.lost == ()
        and layer.grades == {ROW: 3}
    )
    assert [n.text for n in kept().notes.notes_by_query(SAMPLE)["q065"].notes] == ["why"]


def test_some_queries_taken_in_elsewhere_bring_their_notes_and_layers() -> None:
    judged({ROW: 3})
    kept().notes.add_note_and_tag(SAMPLE, ROW[0], "why", "cause: stemming", author="bo")
    study, (layer,) = (
        assemble_library(collection_files(SAMPLE)).study,
        kept().layers.list_layers(SAMPLE),
    )
    assert study is not None
    view = study.view(Address.create(**PAIR)).comparison
    ids = [*study.query_ids[:30], ROW[0]]
    packed = export_subset(study, view, ids, kept().notes.notes_by_query(SAMPLE), [layer])
    app = opened("data", set="mine")
    for _ in range(2):
        uploader = next(u for u in app.file_uploader if u.label in ("Add files", "Import"))
        on_files(uploader.set_value(("queries.zip", packed, "application/zip")).run())
    (made,) = [c for c in kept().read_collections() if c.id != SAMPLE]
    assert {e.kind for e in kept().entries(made.id)} == {"run", "qrels", "queries"}
    assert kept().notes.notes_by_query(made.id) == kept().notes.notes_by_query(SAMPLE)
    (came,) = kept().layers.list_layers(made.id)
    assert (came.name, came.judged, came.grade_records) == ("me", True, layer.grade_records)
    assert "1 judgment layer came with the files" in text_of(app)
    assert "2 notes and tags also came with the files." in text_of(app)
    assert (
        "3 of the notes, tags and layers that came with the files were already in this collection"
        in text_of(app)
    )
    assert "Includes 1 own grade (layer me)" in text_of(opened("", set=made.id))


DRAWN = {"run": "hybrid", "base": "bm25", "m": "P@10"}


def lines_of(run: str) -> list[str]:
    """The lines of a run of the example."""
    return (Path("sample_runs") / f"{run}.run").read_text("utf-8").splitlines()


def grade_shown(app: AppTest, grade: float = 1) -> None:
    """Grade the first of the documents that the page offers, as the judge of this visit."""
    row = rows_of(app)["rows"][0]
    kept().layers.grade_documents(SAMPLE, "me", {(row["query_id"], row["doc_id"]): grade})


def test_the_effect_of_a_grade_is_shown_before_the_first_one() -> None:
    before = rows_of(opened("judge", **PAIR))
    effects = [row["effect"] for row in before["rows"]]
    assert effects == sorted(effects, reverse=True) and effects[0] == "up to 0.003"
    assert before["queue"]["title"] == "The result so far"
    assert all(old == new for _, old, new in before["queue"]["changes"])
    judged({ROW: 1})
    after = rows_of(opened("judge", **PAIR))["queue"]
    assert any(old != new for _, old, new in after["changes"])


def test_queries_are_drawn_judged_in_their_order_and_the_comparison_opens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dashboard.session.actions.draws.randbelow", lambda seeds: 50)
    orders = {word: use for word, _, use in rows_of(opened("judge", **DRAWN))["queue"]["orders"]}
    assert orders["drawn"] == "judge a sample of queries completely"
    app = opened("judge", order="drawn", **DRAWN)
    assert "drawn at random to reach a verdict" in text_of(app) and "another order" in text_of(app)
    (button,) = [b for b in app.button if b.label == "Draw 50 queries"]
    app = button.click().run()
    assert not app.exception and app.query_params["order"] == "drawn"
    assert "Judge 50 random queries" in text_of(app)
    told = rows_of(app)
    assert told["queue"]["blind"] is None and not any(row["where"] for row in told["rows"])
    assert "of 50 queries judged" in told["queue"]["progress"] and told["queue"]["tick"] == 20
    order = [row["query_id"] for row in told["rows"]]
    assert order == sorted(order, key=order.index), "query by query"
    for _ in range(200):
        if "Randomly selected on" in text_of(app):
            break
        grade_shown(app)
        app = opened("judge", order="drawn", **DRAWN)
    shown = text_of(app)
    assert re.search(r"on 1\d of 50 random queries: .* Randomly selected on \S+, seed 50\.", shown)
    assert "so far" in shown and "queries are judged, a verdict needs p ≤ 0.001." in shown
    changes = {name: value for name, value, _ in rows_of(app)["queue"]["changes"]}
    assert changes.keys() >= {"hybrid", "bm25", "difference so far", "99.9% interval"}
    # A query that was not drawn is counted in a note and moves nothing.
    told = rows_of(app)
    ((place, record),) = kept().collection(SAMPLE).draws.items()
    queries = {line.split()[0] for name in ("hybrid", "bm25") for line in lines_of(name)}
    undrawn = queries - set(QueryDraw(50, (50,)).judging_order(sorted(queries)))
    kept().layers.grade_documents(SAMPLE, "me", {(min(undrawn), "FN-0073"): 3})
    app = opened("judge", order="drawn", **DRAWN)
    assert "1 other judged query is not counted" in text_of(app)
    assert rows_of(app)["queue"]["changes"] == told["queue"]["changes"]
    assert (json.loads(place), record["sizes"]) == (["me", "bm25", "hybrid", 10], [50])
    # Other orders, pairs and k have no part in it.
    assert "Randomly selected on" not in text_of(opened("judge", **DRAWN))
    other = text_of(opened("judge", order="drawn", **{**DRAWN, "m": "P@5"}))
    assert "drawn at random to reach a verdict" in other
    # More can be drawn at the end only: drawing earlier would move the end.
    assert not [b for b in app.button if "raw" in b.label]
