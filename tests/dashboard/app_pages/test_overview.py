"""The Overview's verdict: for which runs together, by which test, against which margin."""

from __future__ import annotations

import pytest

from metrics_core.comparing.method import TESTS
from tests.dashboard.app_pages.test_pages import links_of
from tests.dashboard.conftest import opened, text_of


def test_the_verdict_says_for_how_many_runs_it_holds_and_what_these_queries_can_show() -> None:
    shown = text_of(opened(""))
    assert (
        "Three runs compared with one baseline: 95 % intervals and verdicts hold for all three"
        " together."
    ) in shown
    assert "would have shown in these 104 queries four times out of five." in shown


def test_the_verdict_is_the_same_whichever_runs_are_shown() -> None:
    def headline(**parameters: str) -> str:
        return text_of(opened("", run="dense", base="bm25", **parameters)).partition(". ")[0]

    alone = headline(also="-")
    assert "dense is ahead of bm25 on nDCG@10 by 0.087" in alone
    assert headline() == alone and headline(also="*") == alone


@pytest.mark.parametrize("test", [name for name in TESTS if name != "bootstrap"])
def test_another_test_is_said_and_breaks_nothing(test: str) -> None:
    app = opened("", test=test)
    assert f"Chosen: {TESTS[test]}, " in text_of(app)
    assert "nan" not in text_of(app).lower().replace("finance", "")


def test_a_test_that_is_not_there_is_said_and_put_away() -> None:
    app = opened("", test="z", correction="holm", level="80")
    assert "There is no test 'z'." in text_of(app)
    app.button[0].click().run()
    assert "95 % intervals and verdicts hold for all three together." in text_of(app)


def test_a_margin_is_part_of_the_verdict() -> None:
    shown = text_of(opened("", run="hybrid", base="dense", margin="nDCG:0.2"))
    assert "No difference that matters between hybrid and dense on nDCG@10" in shown
    assert "within the 0.2 that matters" in shown
    # On another measure the same number would mean something else.
    other = text_of(opened("", run="hybrid", base="dense", margin="nDCG:0.2", m="RR"))
    assert "that matters" not in other


def test_the_choices_write_the_address() -> None:
    app = opened("")
    app.selectbox(key="w_test").select("t-test").run()
    assert app.query_params["test"] == "t-test"
    app.selectbox(key="w_correction").select("bonferroni").run()
    assert app.query_params["correction"] == "bonferroni"
    app.selectbox(key="w_level").select(90.0).run()
    assert app.query_params["level"] == "90"
    assert "90 % intervals" in text_of(app) and "Bonferroni" in text_of(app)
    app.selectbox(key="w_test").select("bootstrap").run()
    assert "test" not in app.query_params and "correction" not in app.query_params
    app.number_input(key="w_margin").set_value(0.02).run()
    assert app.query_params["margin"] == "nDCG:0.02"


def test_the_measure_that_is_alone_has_no_comparison() -> None:
    shown = text_of(opened("", run="bm25", base="bm25"))
    assert "compared with one baseline" in shown or "choose another run" in shown
    assert "four times out of five" not in shown


def test_queries_that_a_run_lacks_are_left_out_by_choice() -> None:
    counted = opened("", run="dense", base="bm25")
    assert "bm25 lacks 6 queries, counted as 0: leave out" in text_of(counted)
    link = next(href for href in links_of(counted) if "missing=shared" in href)
    assert link.startswith("./?") and "run=dense" in link
    left_out = opened("", run="dense", base="bm25", missing="shared")
    shown = text_of(left_out)
    assert "bm25 lacks 6 queries, left out: count as 0" in shown
    assert "98 of 104 queries" in shown and "these 98 queries" in shown
    assert "on nDCG@10 by 0.053" in shown
    alone = text_of(opened("", run="bm25", base="bm25", missing="shared"))
    assert "98 of 104 queries" in alone
