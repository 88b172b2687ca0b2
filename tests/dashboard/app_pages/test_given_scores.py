"""Scores computed elsewhere: the files are kept and listed, whatever the other files are."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import on_files, opened, text_of

SCORES = b"query_id,run,correct\nq1,a,1\nq1,b,0\nq2,a,1\nq2,b,0\n"
RECORDS = [
    {"query": text, "retrieved": ["d7", "d3"], "expected": ["d3"], "metrics": {"mrr": 0.5}}
    for text in ("refund", "invoice")
]


def upload(*files: tuple[str, bytes]) -> AppTest:
    app = opened("data", set="own")
    app.file_uploader[0].set_value([(name, data, "text/plain") for name, data in files]).run()
    assert not app.exception
    return on_files(app)


def test_a_file_of_scores_is_listed() -> None:
    app = upload(("s.csv", SCORES))
    assert not app.exception and "s.csv" in text_of(app)
    again = on_files(opened("data", set="own"))
    assert not again.exception and "s.csv" in text_of(again)


def test_detailed_results_with_scores_open_as_before() -> None:
    app = upload(("d.json", json.dumps(RECORDS).encode()), ("s.csv", SCORES))
    assert not app.exception and "d.json" in text_of(app)
    assert not opened(set="own").exception
