"""The Data page: files read, remembered, refused, and read with a choice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.answers.navigation_counts import describe_files
from dashboard.session.open_collection import all_collections, load_library, workspace
from tests.dashboard.conftest import drawn, on_files, opened, text_of


def test_uploads_are_read_remembered_and_refused(tmp_path: Path) -> None:
    app = opened("data")
    app.file_uploader[0].set_value(
        [
            ("my.qrels", b"q1 0 d1 1\nq1 0 d2 0\n", "text/plain"),
            ("good.run", b"q1 Q0 d1 1 2.0 x\n", "text/plain"),
            ("broken.run", b"q1 Q0 d1 1 2.0 x\nq1 Q0 d1 oops\n", "text/plain"),
        ]
    ).run()
    shown = text_of(app)
    assert "Two files are loaded" in shown
    assert "broken.run was not loaded: line 2" in shown
    again = opened("data")
    assert "Two files are loaded" in text_of(again)


def test_the_table_says_that_queries_are_users() -> None:
    app = opened("data", set="own")
    assert "What happens next" in text_of(app)
    ratings, scores = b"userId,movieId,rating\n1,2,4\n", b"user_id,item_id,prediction\n1,2,0.5\n"
    app.file_uploader[0].set_value([("r.csv", ratings, ""), ("als.csv", scores, "")]).run()
    assert "Users (queries)" in text_of(on_files(app))
    assert "Users (queries)" not in text_of(opened("data", set="sample"))


def test_duplicates_can_be_kept_by_choice() -> None:
    app = opened("data")
    app.file_uploader[0].set_value(
        [
            ("my.qrels", b"q1 0 d1 1\n", "text/plain"),
            ("twice.run", b"q1 Q0 d1 1 2.0 x\nq1 Q0 d1 2 1.0 x\n", "text/plain"),
            ("rag.jsonl", b'{"user_input": "q1", "retrieved_contexts": ["d1"]}\n', "text/plain"),
        ]
    ).run()
    assert "twice.run was not loaded" in text_of(app)
    assert "rag.jsonl was not loaded" in text_of(app)
    # The way out is a button; a list of texts has no column of scores to choose.
    assert "Score" not in [box.label for box in app.selectbox]
    by_text = "Match documents by text"
    next(b for b in app.button if b.label == by_text).click().run()
    assert "rag.jsonl was not loaded" not in text_of(app)
    next(b for b in app.button if b.label == "Keep the best score of each document").click().run()
    assert "Five files are loaded" in text_of(app)


def test_swapped_files_are_recognised_by_content() -> None:
    app = opened("data")
    app.file_uploader[0].set_value(
        [
            ("run.txt", b"q1 0 d1 1\n", "text/plain"),
            ("qrels.txt", b"q1 Q0 d1 1 2.0 x\n", "text/plain"),
        ]
    ).run()
    shown = text_of(on_files(app))
    assert "TREC run" in shown and "TREC qrels" in shown


@pytest.mark.thorough
def test_a_folder_of_many_files_says_what_was_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(204):
        (tmp_path / f"run{number:03}.txt").write_text(f"q1 Q0 d{number} 1 2.0 x\n")
    (tmp_path / "z-judged.txt").write_text("q1 0 d1 1\n")
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    app = opened("data")
    assert "5 of the 205 files in the folder were skipped" in text_of(app)
    assert "Judgments" in text_of(app)


def test_the_files_lead_to_what_they_say() -> None:
    shown = opened("data", run="dense", base="bm25")
    assert "dense beats bm25 clear difference" in text_of(shown)
    assert "See the comparison" in text_of(shown)
    assert "See the scores" in text_of(opened("data", run="bm25", base="bm25"))
    # Where nothing can be scored there is no answer to lead to.
    assert "See the comparison" not in text_of(opened("data", set="own"))


def test_each_file_has_its_preview() -> None:
    app = opened("data", set="sample")
    links = re.findall(r'href="([^"]*file=\d+)"', drawn(app))
    assert len(links) == 7 and "Queries, first 5 rows" not in drawn(app)
    app = opened("data", set="sample", file="1")
    assert "Queries, first 5 rows" in drawn(app) and "robot map" in drawn(app)
    # The address of a preview is no part of a link.
    assert not any(
        "file=1" in link for link in re.findall(r'href="([^"]*overview[^"]*)"', drawn(app))
    )
    assert ", first 5 rows" not in drawn(opened("data", set="sample", file="99"))


def test_several_systems_in_one_file_are_several_runs() -> None:
    app = opened("data")
    rows = b"q1 Q0 d1 1 2.0 bm25\nq2 Q0 d1 1 2.0 bm25\nq1 Q0 d1 1 0.4 dense\nq2 Q0 d2 1 0.9 dense\n"
    app.file_uploader[0].set_value(
        [
            ("my.qrels", b"q1 0 d1 1\nq2 0 d2 1\n", "text/plain"),
            ("both.run", rows, "text/plain"),
        ]
    ).run()
    assert not app.exception
    assert "Three files are loaded" in text_of(app)
    assert opened(set="own").selectbox(key="w_run").options == ["bm25", "dense"]
    on_files(app).file_uploader[0].set_value([("both.run", rows, "text/plain")]).run()
    assert "Three files are loaded" in text_of(app), "the same file is kept once"


FILES = {
    "my.qrels": b"q1 0 d1 1\nq2 0 d2 1\n",
    "a.run": b"q1 Q0 d1 1 2.0 x\nq2 Q0 d2 1 2.0 x\n",
    "b.run": b"q1 Q0 d2 1 2.0 x\nq2 Q0 d2 1 2.0 x\n",
    "broken.run": b"q1 Q0 d1 1 2.0 x\nq1 Q0 d1 oops\n",
}


def given(app: AppTest, *names: str) -> AppTest:
    app.file_uploader[0].set_value([(name, FILES[name], "text/plain") for name in names]).run()
    assert not app.exception
    return app


def test_a_new_collection_opens_on_the_overview_which_names_each_file() -> None:
    app = given(opened("breakdown", set="own"), "my.qrels", "a.run", "b.run")
    assert 'data-page="overview"' in drawn(app)
    assert "Three files are loaded: my.qrels (judgments), a.run (run), b.run (run)." in text_of(app)
    app.button(key="arrived").click().run()
    assert "Three files are loaded" not in text_of(app)
    # What is added to it stays where it was added.
    later = given(opened("data", set="own"), "broken.run")
    assert 'data-page="data"' in drawn(later) and "Three files are loaded" in text_of(later)


def test_refused_files_stay_listed_until_they_are_dismissed() -> None:
    app = given(opened("curves", set="own"), "my.qrels", "a.run", "broken.run", "b.run")
    shown = text_of(app)
    assert 'data-page="data"' in drawn(app) and "Three files are loaded" in shown
    assert all(name in shown for name in FILES) and "TREC qrels" in shown
    assert "broken.run was not loaded: line 2: expected 6 columns, found 4" in shown
    again = opened("data", set="own")  # a reload
    assert "broken.run was not loaded" in text_of(again)
    next(b for b in again.button if b.label == "Dismiss").click().run()
    assert "broken.run" not in text_of(again)
    assert "broken.run" not in text_of(opened("data", set="own"))


def test_runs_without_judgments_open_what_changed() -> None:
    app = opened("overview", set="own")
    text = b"q1 Q0 d1 1 2.0 x\n"
    runs = [(f"run{number}.run", text, "text/plain") for number in range(20)]
    app.file_uploader[0].set_value(runs).run()
    assert not app.exception
    shown = text_of(app)
    assert 'data-page="overview"' in drawn(app)
    assert "run1 and run0 give the same top 10 for the query" in shown
    files = text_of(opened("data", set="own"))
    assert (
        "20 files are loaded" in files
        and "No judgments are loaded, so pages show what changed" in files
    )
    assert all(f"run{number}.run" in files for number in range(20))
    assert describe_files(load_library("own")) == "no judgments \u00b7 20 runs"
    ready = given(opened("data", set="own"), "my.qrels")
    assert 'data-page="overview"' in drawn(ready)
    assert "One file is loaded: my.qrels (judgments)" in text_of(ready)


def own_files(app: AppTest) -> str:
    """The page and the collection that the example's button leads to; "" where there is none."""
    buttons = [b for b in app.button if b.label == "Open your files"]
    if not buttons:
        return ""
    drawn_page = re.search(r'data-page="(\w+)"', drawn(buttons[0].click().run()))
    assert drawn_page and not app.exception
    return f"{drawn_page[1]} {app.query_params['set']}"


def test_the_example_leads_to_ones_own_files_which_are_not_mixed_into_it() -> None:
    assert [own_files(opened(page)) for page in ("overview", "curves")] == ["data own"] * 2
    app = given(opened("data", set="sample"), "a.run")
    assert "One file is loaded" in text_of(app) and not own_files(app)
    workspace().get_or_create_collection("Further", "further")
    all_collections().record_opening("further")
    assert own_files(opened(set="sample")) == "data further"
    for collection in ("own", "further"):
        workspace().remove_collection(collection)
    assert own_files(opened(set="sample")) == "collections sample"
