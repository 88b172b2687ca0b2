"""Files whose fields or kind the reader says: proposed with reasons, previewed, kept for the next
file of their shape, changed back."""

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
QUESTION = "Is a.json a run or judgments?"
LARGEST, SMALLEST = "mine scores 0.877", "mine scores 0.754"
"""One relevant document a query, which is first or second: 1 or 1 / log2(3)."""


def press(app: AppTest, label: str) -> AppTest:
    next(b for b in app.button if b.label == label).click().run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def box(app: AppTest, label: str) -> Any:
    return next(b for b in app.selectbox if b.label == label)


def meaning(app: AppTest, field: str) -> Any:
    return box(app, f"Meaning of {field}")


def fields(app: AppTest, which: int = -1) -> AppTest:
    """The fields of a file that was read, the last one or the `which`-th."""
    app.session_state["look"] = True
    app.run()
    [t for t in app.toggle if t.label == "Columns"][which].set_value(True).run()
    return app


def given(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    app.file_uploader[0].set_value([(name, content, "") for name, content in files]).run()
    assert not app.exception, [e.value for e in app.exception]
    return on_files(app)


def test_the_columns_of_a_file_without_a_header_are_chosen_and_changed_back() -> None:
    app = given(opened("data", set="own"), ("my.qrels", QRELS), ("mine.csv", HEADLESS))
    shown = text_of(app)
    assert "One of two files needs a look" in shown and "No known format fits mine.csv" in shown
    assert [meaning(app, f"column {n}").value for n in (1, 2, 3)] == ["query", "doc", "score"]
    assert "all 3 are query ids of my.qrels" in shown and "falls from row to row" in shown
    assert "q11d19grade 1" in shown, "the first row as it will be read"
    assert "Gives the run mine: 3 lists of 2 documents, 67% of the top 10 judged." in shown
    press(app, "Import as a run")
    assert "Two files are loaded" in text_of(app)
    assert "Query from 1, document from 2, score from 3. Files with these fields" in text_of(app)
    assert LARGEST in text_of(opened("", set="own"))

    fields(app)
    assert meaning(app, "column 3").value == "score", "what was chosen is proposed"
    box(app, "Best is").select("smallest is best").run()
    press(app, "Import as a run")
    assert "Two files are loaded" in text_of(app)
    assert SMALLEST in text_of(opened("", set="own"))
    press(app, "Undo")
    assert LARGEST in text_of(opened("", set="own"))

    other = opened("data", set="own")
    other.session_state["look"] = True
    assert not [t for t in other.run().toggle if t.label == "Columns"]
    assert any("upload the file again" in c.value for c in other.caption)


def test_a_folder_keeps_the_columns_that_were_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "j.qrels").write_bytes(QRELS)
    (tmp_path / "mine.csv").write_bytes(HEADLESS)
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    app = opened("data")
    box(app, "Best is").select("smallest is best").run()
    press(app, "Import as a run")
    assert SMALLEST in text_of(opened(""))
    (tmp_path / "other.csv").write_bytes(HEADLESS.replace(b"9", b"7"))
    app = opened("data")
    assert "Three files are loaded" in text_of(app), "the next one of this shape is read"
    assert "read as before: query from 1, document from 2, score from 3" in text_of(app)


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
    shown = text_of(fields(app, 0))
    assert "rated users are in the run12 of 12" in shown
    assert "ratings, 60 of them 1 or more60" in shown and "of the top 10 rated30%" in shown
    assert "UserItemRating" in shown and "only 1, 2, 3, 4 and 5" in shown
    pills(app, "Relevant from").set_value(4).run()
    shown = text_of(app)
    assert "ratings, 24 of them 4 or more60" in shown
    assert app.query_params["m"] == "P(rel=4)@k", "the link says from which rating"
    assert "70% of the top 10 is not rated." in shown
    pills(app, "Not rated").set_value(True).run()
    assert workspace().collection("own").settings.complete
    assert "is not rated." not in text_of(app)


def test_a_measure_without_a_limit_says_so_and_which_has_one() -> None:
    app = opened("data", set="own")
    given(app, ("ratings.csv", RATINGS), ("als.csv", RECOMMENDED))
    fields(app, 0)
    pills(app, "Relevant from").set_value(4).run()
    shown = text_of(app)
    assert "ratings, 24 of them 4 or more60" in shown
    assert "nDCG@10 uses ratings as gains" in shown and "R(rel=4)@k counts" in shown
    assert "m=R%28rel%3D4%29%40k" in drawn(app)


def test_columns_that_cannot_be_read_say_why() -> None:
    app = given(opened("data", set="own"), ("my.qrels", QRELS), ("mine.csv", HEADLESS))
    meaning(app, "column 2").select("score").run()
    assert "Several fields are set as the score. Choose one." in text_of(app)
    assert next(b for b in app.button if b.label == "Import as a run").disabled
    meaning(app, "column 3").select("doc").run()
    shown = text_of(app)
    assert "expected a finite number as the score, found d1" in shown
    assert "6 of 6 values are not numbers" in shown and "Gives the run" not in shown
    meaning(app, "column 3").select("").run()
    assert "Choose the field for the document." in text_of(app)


def test_several_systems_are_read_as_one_run_and_back() -> None:
    rows = b"query,doc,score,model\n" + b"".join(
        b"q%d,d%d,%d.5,%s\n" % (q, d, 9 - d, b"ab"[d % 2 : d % 2 + 1])
        for q in range(1, 4)
        for d in range(4)
    )
    app = opened("data", set="own")
    given(app, ("my.qrels", QRELS), ("tv.csv", rows))
    assert "Three files are loaded" in text_of(app)
    fields(app)
    assert meaning(app, "model").value == "system"
    assert "Gives two runs: a and b: 6 lists of 2 documents" in text_of(app)
    meaning(app, "model").select("").run()
    press(app, "Import as a run")
    assert "Two files are loaded" in text_of(app)
    fields(app)
    assert meaning(app, "model").value == "", "what was chosen is proposed"
    meaning(app, "model").select("system").run()
    press(app, "Import as a run")
    assert "Three files are loaded" in text_of(app)


def test_what_nothing_tells_is_asked_once() -> None:
    app = opened("data", set="own")
    given(app, ("a.json", b'{"q1": {"d1": 3, "d2": 1}}'), ("b.run", b"q1 Q0 d1 1 2.0 x\n"))
    shown = text_of(app)
    assert "One of two files needs your answer" in shown and QUESTION in shown
    assert "Judgments more likely" in shown and "only 1 and 3, like grades" in shown
    assert "rows have tied scores0 of 2" in shown
    press(app, "Import as judgments")
    assert QUESTION not in text_of(app) and "already here" not in text_of(app)


def test_what_the_judgments_tell_is_not_asked_and_they_stay_in_use() -> None:
    scores = {f"q{q}": {f"d{q}{d}": 9 - d for d in range(4)} for q in range(10)}
    judged = "".join(f"q{q} 0 d{q}1 1\n" for q in range(10)).encode()
    app = opened("data", set="own")
    given(app, ("a.json", json.dumps(scores).encode()), ("j.qrels", judged))
    assert QUESTION not in text_of(app)
    shown = text_of(app)
    assert "read as a run: the loaded judgments cover 10 of the run's 10 queries" in shown
    assert "a scores" in shown and "not used" not in shown
    given(app, ("b.json", json.dumps({q: list(d) for q, d in scores.items()}).encode()))
    assert "b.json was not loaded" not in text_of(app)
    assert "Three files are loaded" in text_of(app)
    given(app, ("c.json", json.dumps({q: {"d" + q[1:] + "1": 0} for q in scores}).encode()))
    assert (
        "c.json was read as judgments but is not in use, because j.qrels is in use."
    ) in text_of(app)


def test_what_is_asked_may_be_the_other() -> None:
    app = opened("data", set="own")
    given(app, ("a.json", b'{"q1": {"d1": 3, "d2": 1}}'), ("b.run", b"q1 Q0 d1 1 2.0 x\n"))
    press(app, "Import as a run")
    assert "No judgments are loaded, so pages show what changed between the runs." in text_of(app)
    assert "Two files are loaded" in text_of(app)


NESTED = (
    '{"asked": "q%d", "found": [{"key": "d%d", "close": 0.9, "at": 1}, {"key": "x", "close": 0.5,'
    ' "at": 2}], "ms": %d}\n'
)


def nested(most: int, *, ms: str = "ms") -> bytes:
    return "".join(NESTED % (q, q, 9 - q) for q in range(1, most)).replace("ms", ms).encode()


def test_paths_are_proposed_by_what_is_loaded_and_the_next_file_is_not_asked_about() -> None:
    app = given(
        opened("data", set="own"),
        ("my.qrels", QRELS),
        ("a.jsonl", nested(4)),
        ("b.jsonl", nested(3)),
    )
    shown = text_of(app)
    assert (
        "Two of three files need a look" in shown and "and 1 more file with these fields" in shown
    )
    words = {f: meaning(app, f).value for f in ("asked", "found[].key", "found[].close", "ms")}
    assert [*words.values()] == ["query", "doc", "score", ""]
    assert "from 1 to at most 2 in every list, in the same order as found[].close" in shown
    press(app, "Import as a run")
    assert "a.jsonl and b.jsonl are read as a run." in text_of(app)
    given(app, ("c.jsonl", nested(4, ms="ms")))
    shown = text_of(app)
    assert "Four files are loaded" in shown
    assert "read as before: query from asked, document from found[].key" in shown
    given(app, ("d.jsonl", nested(4, ms="other")))
    assert "One of five files needs a look" in text_of(app), "a file of another shape is"
    press(app, "Dismiss")
    fields(app)
    press(app, "Ask again next time")
    given(app, ("e.jsonl", nested(3)))
    assert "One of five files needs a look" in text_of(app)


def test_what_is_listed_may_all_be_relevant() -> None:
    app = given(
        opened("data", set="own"), ("b.run", b"q1 Q0 d1 1 2.0 x\n"), ("liked.csv", b"a,b\nq1,d1\n")
    )
    box(app, "Read as").select("qrels").run()
    assert "This gives 1 judgment of 1 query." in text_of(app)
    press(app, "Import as judgments")
    assert "Two files are loaded" in text_of(app)
    assert "query from a, document from b, all documents relevant" in text_of(app).lower()


def test_lists_of_documents_may_be_two_kinds() -> None:
    app = given(opened("data", set="own"), ("my.qrels", QRELS), ("a.json", b'{"q1": ["d1", "d2"]}'))
    shown = text_of(app)
    assert "One of two files needs your answer" in shown and "could not be read" not in shown
    assert QUESTION in shown and "more likely" not in shown
    assert "the order of each list is the ranking1 list of 2 documents" in shown
    assert "every listed document is relevant" in shown
    press(app, "Import as a run")
    assert "Two files are loaded" in text_of(app)


def test_columns_of_queries_are_chosen_and_what_an_error_offers_mends_the_rest() -> None:
    texts = b"n,frage\nq1,was ist das\nq2,wer\n"
    app = given(opened("data", set="own"), ("my.qrels", QRELS), ("fragen.csv", texts))
    box(app, "Read as").select("queries").run()
    shown = text_of(app)
    assert "This gives 2 queries." in shown and "all 2 are query ids of my.qrels" in shown
    press(app, "Import as queries")
    assert "Two files are loaded" in text_of(app)
    given(app, ("twice.csv", b"q1,d1,9\nq1,d1,5\n"))
    assert "duplicates=best" in text_of(app)
    press(app, "Import as a run")
    press(app, "Keep the best score of each document")
    assert "Three files are loaded" in text_of(app)
