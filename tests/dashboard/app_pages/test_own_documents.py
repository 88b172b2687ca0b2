"""Lists that hold their query's own document: Files says so, its switch leaves it out and back."""

from __future__ import annotations

import random
from typing import Any
from unittest import mock

from dashboard.session.open_collection import workspace
from tests.dashboard.conftest import on_files, opened, text_of


def files() -> list[tuple[str, bytes, str]]:
    rng, run, qrels = random.Random(1), [], []
    for q in range(20):
        others = [f"i{d}" for d in rng.sample([d for d in range(60) if d != q], 11)]
        run += [f"i{q} Q0 i{q} 1 100 x\n"]
        run += [f"i{q} Q0 {doc} {rank} {100 - rank} x\n" for rank, doc in enumerate(others, 2)]
        qrels += [f"i{q} 0 {doc} {rank % 3 // 2}\n" for rank, doc in enumerate(others)]
    return [("j.qrels", "".join(qrels).encode(), ""), ("a.run", "".join(run).encode(), "")]


def switch(app: Any) -> Any:
    return next(t for t in app.toggle if t.label == "Leave out each query's own document")


def test_the_own_document_is_said_left_out_and_taken_back() -> None:
    app = opened("data", set="own")
    on_files(app.file_uploader[0].set_value(files()).run())
    assert "20 of 20 lists contain the query itself" in text_of(app)
    before = text_of(opened("", set="own"))
    switch(app).set_value(True).run()
    assert not app.exception
    assert workspace().collection("own").settings.exclude_self
    shown = text_of(app)
    assert "the query itself is excluded from its results: 20 rows, in 20 of 20 lists" in shown
    assert "lists contain the query itself" not in shown
    for page in ("", "curves", "queries"):
        told = text_of(opened(page, set="own"))
        assert "Each query's own document is left out of every run (20 rows in 1 run)." in told
    assert text_of(opened("", set="own")) != before
    with mock.patch("dashboard.app_pages.parts.section.st.download_button") as offered:
        opened("", set="own")
    names = [call.kwargs["file_name"] for call in offered.call_args_list]
    assert names and all("without-own-documents" in name for name in names)
    switch(app).set_value(False).run()
    assert not workspace().collection("own").settings.exclude_self
    assert text_of(opened("", set="own")) == before


def test_files_without_it_have_no_switch() -> None:
    app = opened("data", set="own")
    plain = [
        (name, text.replace(b"Q0 i", b"Q0 d").replace(b" 0 i", b" 0 d"), "")
        for name, text, _ in files()
    ]
    on_files(app.file_uploader[0].set_value(plain).run())
    assert not [t for t in app.toggle if t.label.startswith("Leave out")]
