"""The Query page's explanation: ledger, headroom, what if, a document, lists side by side."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote_plus

import pytest

from tests.dashboard.conftest import drawn, opened, text_of

PAIR = {"q": "q098", "run": "dense", "base": "bm25"}


def test_the_page_reads_as_an_answer() -> None:
    shown = text_of(opened("query", **PAIR))
    order = [
        "All queries",
        "category: Devices",
        "fell to 5",
        "Ranks 6 to 10 · All 100 · Side by side with hybrid",
        "fairly relevant",
        "Relevant, but not in the top 10 of dense",
        "Numbers are ranks in each run;",
        "Headroom 0.680 achieved (ideal: 1.000) 0.320",
        "Sweep error ER-21 at rank 1 instead of 5 gives 0.826",
        "3 unjudged in the top 10",
        "Note",
        "Every run on this query",
    ]
    places = [shown.index(text) for text in order]
    assert places == sorted(places)
    # The names are those of the buttons. One document needs no second drawing of its part.
    assert "grade 11 slightly relevantgrade 00 not relevant" in shown
    assert "Where the difference comes from" not in shown
    several = text_of(opened("query", run="hybrid", base="bm25", q="q002"))
    assert "Where the difference comes from" in several


def test_the_way_back_leads_to_the_list_that_one_came_from() -> None:
    page = drawn(opened("query", list="worse", sort="-query", **PAIR))
    back = unescape(re.findall(r'class="back" href="([^"]+)"', page)[0])
    assert "./queries?" in back and "show=worse" in back and "order=-query" in back


def test_a_what_if_from_the_address_and_back() -> None:
    app = opened("query", what=["1:FN-0175"], **PAIR)
    shown = text_of(app)
    assert "0.320 →becomes 0.826" in shown or "0.320 → becomes 0.826" in shown
    assert "Undo" in shown and "Best single change" not in shown
    links = [unquote_plus(unescape(h)) for h in re.findall(r'href="([^"]+)"', drawn(app))]
    assert any("what=1:FN-0175&what=out:FN-0232" in link for link in links)
    graded = text_of(opened("query", what=["g2:FN-0232"], **PAIR))
    assert "q098 0 FN-0232 2" in graded and "bm25, this query" in graded
    broken = opened("query", what=["nonsense", "0:x"], **PAIR)
    assert "Change the list" in text_of(broken) and "Undo all" not in text_of(broken)


def test_a_document_opens_over_the_page() -> None:
    app = opened("query", doc="FN-0175", **PAIR)
    assert "rank 5 of 100" in text_of(app) and "not among the 2 listed" in text_of(app)
    assert "rank 5 of 100" not in text_of(opened("query", doc="gone", **PAIR))


def test_lists_of_four_runs_stand_side_by_side() -> None:
    app = opened("query", beside=["hybrid", "titles-only"], **PAIR)
    assert drawn(app).count('class="ranked ') == 4 and "joins" not in drawn(app)
    assert drawn(opened("query", beside=["nobody"], **PAIR)).count('class="joins"') == 1
    whole = drawn(opened("query", rows="100", **PAIR))
    assert whole.count('<li class="relevant') + whole.count('<li class="other') == 120
    assert whole.count("First five") == 1 and "<b><bdi>" in whole.rsplit('class="ranked ', 1)[-1]


@pytest.mark.parametrize("measure", ["Yaap", "IPrec@0.5", "Judged@5", "RR", "AP", "NumNonrelRet"])
def test_every_kind_of_measure_is_explained_or_left_out(measure: str) -> None:
    for alone in ({}, {"base": "dense"}):
        app = opened("query", m=measure, **{**PAIR, **alone})
        assert "error-card" not in drawn(app) and not re.search(r"\bnan\b", text_of(app))


def test_ranks_that_a_file_left_out_are_no_documents() -> None:
    app = opened("data", set="own")
    qrels, run = b"q 0 d 1\nq 0 e 0\n", b"q\tx\t2\nq\td\t4\nq\te\t7\n"
    usual = b"q Q0 d 1 3 b\nq Q0 x 2 2 b\nq Q0 e 3 1 b\n"
    files = [("j.qrels", qrels, ""), ("gaps.run", run, ""), ("b.run", usual, "")]
    app.file_uploader[0].set_value(files).run()
    shown = text_of(opened("query", set="own", q="q", run="gaps", base="b", m="RR", k="5"))
    assert "rank 2: unjudged" in shown and "rank 4: grade 1" in shown and "rank 7" in shown
    assert "no results for this query" not in shown and "rank 1: not" not in shown
    assert "0.250" in shown and "Ranks 6 to 7" in shown
