"""The Data page: files read, remembered, refused, and read with a choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dashboard.conftest import opened, text_of


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
    by_text = "Tell documents apart by their texts"
    next(b for b in app.button if b.label == by_text).click().run()
    assert "rag.jsonl was not loaded" not in text_of(app)
    next(b for b in app.button if b.label == "Keep the best score of each").click().run()
    assert "Five files are loaded" in text_of(app)


def test_swapped_files_are_recognised_by_content() -> None:
    app = opened("data")
    app.file_uploader[0].set_value(
        [
            ("run.txt", b"q1 0 d1 1\n", "text/plain"),
            ("qrels.txt", b"q1 Q0 d1 1 2.0 x\n", "text/plain"),
        ]
    ).run()
    shown = text_of(app)
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
    assert "205 files; 5 of them, runs first, were left out: run199.txt" in text_of(app)
    assert "Judgments" in text_of(app)


def test_the_files_lead_to_what_they_say() -> None:
    shown = opened("data", run="dense", base="bm25")
    assert "dense beats bm25 clear difference" in text_of(shown)
    assert "See the comparison" in text_of(shown)
    assert "See the scores" in text_of(opened("data", run="bm25", base="bm25"))
    # Where nothing can be scored there is no answer to lead to.
    assert "See the comparison" not in text_of(opened("data", set="own"))


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
    app.file_uploader[0].set_value([("both.run", rows, "text/plain")]).run()
    assert "Three files are loaded" in text_of(app), "the same file is kept once"
