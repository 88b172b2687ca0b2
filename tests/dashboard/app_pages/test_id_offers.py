"""Ids that do not meet: the page Files offers a reading that would match, and takes it back."""

from __future__ import annotations

import random
from typing import Any

from dashboard.session.open_collection import workspace
from tests.dashboard.conftest import opened, text_of


def files(chunk: str = "", query: str = "") -> list[tuple[str, bytes, str]]:
    numbers, run, qrels = random.Random(1), [], []
    for q in range(1, 21):
        for rank in range(12):
            doc = f"doc{numbers.randrange(10**6)}"
            run.append(f"{query}{q} Q0 {doc}{chunk} {rank} {100 - rank} x\n")
            if rank % 2 == 0:
                qrels.append(f"{q} 0 {doc} {rank % 4 // 2}\n")
    docs = [f"{line.split()[2]},of {line.split()[0]}\n" for line in run]
    return [
        ("j.qrels", "".join(qrels).encode(), ""),
        ("a.run", "".join(run).encode(), ""),
        ("docs.csv", ("doc_id,text\n" + "".join(docs)).encode(), ""),
    ]


def press(app: Any, label: str) -> Any:
    next(b for b in app.button if b.label == label).click().run()
    assert not app.exception
    return app


def test_chunks_are_read_as_their_documents_by_the_button_and_back() -> None:
    app = opened("data", set="own")
    app.file_uploader[0].set_value(files("#3")).run()
    shown = text_of(app)
    assert (
        "0 of 120 judged documents match the run; 120 would match if everything from the last # on"
        in shown
    )
    assert "#3' and 'doc" in shown
    assert "relevant documents in the judgments are missing from this documents table" in shown
    press(app, "Map these ids")
    assert workspace().collection("own").settings.map_docs == "cut #"
    shown = text_of(app)
    assert "Undo the mapping" in [b.label for b in app.button]
    assert "match the run;" not in shown and "missing from this documents table" not in shown
    page = opened("curves", set="own")
    assert "Ids are mapped" in text_of(page)
    assert "0.000" not in text_of(opened("", set="own")).split("Compare")[0]
    press(app, "Undo the mapping")
    assert not workspace().collection("own").settings.map_docs
    assert "match the run;" in text_of(app)


def test_a_run_that_shares_no_query_is_offered_a_reading_too() -> None:
    app = opened("data", set="own")
    app.file_uploader[0].set_value(files(query="q")).run()
    assert "0 of 20 queries match the run; 20 would match if q at the beginning" in text_of(app)
    press(app, "Map these ids")
    assert workspace().collection("own").settings.map_queries == "drop q"
    assert "a scores" in text_of(opened("", set="own"))
