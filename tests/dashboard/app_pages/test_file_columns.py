"""Files whose columns or kind the reader says: chosen, scored, kept, taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.session.open_collection import workspace
from tests.dashboard.conftest import drawn, on_files, opened, text_of

QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\nq3 0 d4 1\n"
HEADLESS = b"q1,d1,9\nq1,d2,5\nq2,d9,8\nq2,d3,2\nq3,d4,9\nq3,d5,1\n"
LARGEST, SMALLEST = "mine scores 0.877", "mine scores 0.754"
"""One relevant document a query, which is first or second: 1 or 1 / log2(3)."""


def press(app: AppTest, label: str) -> AppTest:
    next(b for b in app.button if b.label == label).click().run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def box(app: AppTest, label: str) -> Any:
    return next(b for b in app.selectbox if b.label == label)


def given(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    app.file_uploader[0].set_value([(name, content, "") for name, content in files]).run()
    assert not app.exception, [e.value for e in app.exception]
    return on_files(app)


def test_the_columns_of_a_file_without_a_header_are_chosen_and_changed_back() -> None:
    app = given(opened("data", set="own"), ("my.qrels", QRELS), ("mine.csv", HEADLESS))
    assert "mine.csv was not loaded" in text_of(app)
    assert [box(app, label).value for label in ("Query", "Document", "Score")] == ["1", "2", "3"]
    assert "First row: query q1, document d1, score 9." in text_of(app)
    press(app, "Read it so")
    assert "Two files are loaded" in text_of(app)
    assert LARGEST in text_of(opened("", set="own"))

    app.session_state["look"] = True
    next(t for t in app.run().toggle if t.label == "Columns").set_value(True).run()
    assert box(app, "Score").value == "3", "what was chosen is proposed"
    box(app, "Best is").select("the smallest").run()
    press(app, "Read it so")
    assert "Two files are loaded" in text_of(app)
    assert SMALLEST in text_of(opened("", set="own"))
    press(app, "Undo")
    assert LARGEST in text_of(opened("", set="own"))

    other = opened("data", set="own")
    other.session_state["look"] = True
    assert not [t for t in other.run().toggle if t.label == "Columns"]
    assert any("add the file again" in c.value for c in other.caption)


def test_a_folder_keeps_the_columns_that_were_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "j.qrels").write_bytes(QRELS)
    (tmp_path / "mine.csv").write_bytes(HEADLESS)
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    app = opened("data")
    box(app, "Best is").select("the smallest").run()
    press(app, "Read it so")
    assert SMALLEST in text_of(opened(""))
    assert "Two files are loaded" in text_of(opened("data"))


RATINGS = b"userId,movieId,rating\n" + b"".join(
    b"u%d,m%d,%d\n" % (user, user + item, 1 + item) for user in range(12) for item in range(5)
)
RECOMMENDED = b"user,item,score\n" + b"".join(
    b"u%d,m%d,%d.5\n" % (user, user + item, 9 - item) for user in range(12) for item in range(2, 12)
)


def pills(app: AppTest, label: str) -> Any:
    return next(b for b in app.button_group if b.label == label)


def test_the_numbers_follow_what_is_relevant_and_what_no_rating_means() -> None:
    app = opened("data", set="own", m="P@k")
    given(app, ("ratings.csv", RATINGS), ("als.csv", RECOMMENDED))
    app.session_state["look"] = True
    app.run()
    next(t for t in app.toggle if t.label == "Columns").set_value(True).run()
    shown = text_of(app)
    assert "rated users are in the run12 of 12" in shown
    assert "ratings, 60 of them 1 or more60" in shown and "of the top 10 rated30 %" in shown
    assert "rating 1 → relevant." in shown
    pills(app, "Relevant from").set_value(4).run()
    shown = text_of(app)
    assert "ratings, 24 of them 4 or more60" in shown and "rating 1 → not relevant." in shown
    assert app.query_params["m"] == "P(rel=4)@k", "the link says from which rating"
    assert "70 % of the top 10 is not rated." in shown
    pills(app, "Not rated").set_value(True).run()
    assert workspace().collection("own").settings.complete
    assert "is not rated." not in text_of(app)


def test_a_measure_without_a_limit_says_so_and_which_has_one() -> None:
    app = opened("data", set="own")
    given(app, ("ratings.csv", RATINGS), ("als.csv", RECOMMENDED))
    app.session_state["look"] = True
    app.run()
    next(t for t in app.toggle if t.label == "Columns").set_value(True).run()
    pills(app, "Relevant from").set_value(4).run()
    shown = text_of(app)
    assert "ratings, 24 of them 4 or more60" in shown
    assert "nDCG@10 takes ratings as gains" in shown and "R(rel=4)@k counts" in shown
    assert "m=R%28rel%3D4%29%40k" in drawn(app)


def test_columns_that_cannot_be_read_say_why() -> None:
    app = given(opened("data", set="own"), ("my.qrels", QRELS), ("mine.csv", HEADLESS))
    assert "of the top 10 judged67 %" in text_of(app), "before anything is read"
    box(app, "Score").select("2").run()
    box(app, "Document").select("3").run()
    assert "expected a finite number as score, found `d1`" in text_of(app)
    assert "of the top 10" not in text_of(app)


def test_several_systems_are_read_as_one_run_and_back() -> None:
    rows = b"query,doc,score,model\n" + b"".join(
        b"q%d,d%d,%d.5,%s\n" % (q, d, 9 - d, b"ab"[d % 2 : d % 2 + 1])
        for q in range(1, 4)
        for d in range(4)
    )
    app = opened("data", set="own")
    given(app, ("my.qrels", QRELS), ("tv.csv", rows))
    assert "Three files are loaded" in text_of(app)
    app.session_state["look"] = True
    app.run()
    [t for t in app.toggle if t.label == "Columns"][-1].set_value(True).run()
    box(app, "System").select("-").run()
    press(app, "Read it so")
    assert "Two files are loaded" in text_of(app)
    app.session_state["look"] = True
    app.run()
    [t for t in app.toggle if t.label == "Columns"][-1].set_value(True).run()
    assert box(app, "System").value == "-", "what was chosen is proposed"
    box(app, "System").select("model").run()
    press(app, "Read it so")
    assert "Three files are loaded" in text_of(app)


def test_what_nothing_tells_is_asked_once() -> None:
    app = opened("data", set="own")
    given(app, ("a.json", b'{"q1": {"d1": 3, "d2": 1}}'), ("b.run", b"q1 Q0 d1 1 2.0 x\n"))
    assert any("json judgments?" in m.value for m in app.markdown)
    press(app, "Read it so")
    assert not any("json judgments?" in m.value for m in app.markdown)
    assert "here already" not in text_of(app)


def test_what_the_judgments_tell_is_not_asked_and_they_stay_in_use() -> None:
    scores = {f"q{q}": {f"d{q}{d}": 9 - d for d in range(4)} for q in range(10)}
    judged = "".join(f"q{q} 0 d{q}1 1\n" for q in range(10)).encode()
    app = opened("data", set="own")
    given(app, ("a.json", json.dumps(scores).encode()), ("j.qrels", judged))
    assert not any("json judgments?" in m.value for m in app.markdown)
    shown = text_of(app)
    assert "read as a run: judgments are loaded already, and 10 of its 10 queries" in shown
    assert "a scores" in shown and "not used" not in shown
    given(app, ("b.json", json.dumps({q: list(d) for q, d in scores.items()}).encode()))
    assert "b.json was not loaded" not in text_of(app)
    assert "Three files are loaded" in text_of(app)
    given(app, ("c.json", json.dumps({q: {"d" + q[1:] + "1": 0} for q in scores}).encode()))
    assert "c.json was read as judgments and is not used: j.qrels is." in text_of(app)


def test_what_is_asked_may_be_the_other() -> None:
    app = opened("data", set="own")
    given(app, ("a.json", b'{"q1": {"d1": 3, "d2": 1}}'), ("b.run", b"q1 Q0 d1 1 2.0 x\n"))
    box(app, "Read as").select("run").run()
    press(app, "Read it so")
    assert "Judgments are still missing" in text_of(app)
    assert "Two files are loaded" in text_of(app)
