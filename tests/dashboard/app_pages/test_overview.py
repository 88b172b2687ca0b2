"""The Overview's verdict: for which runs together, by which test, against which margin."""

from __future__ import annotations

import pytest

from dashboard.files.files import SAMPLE_FOLDER
from dashboard.session.open_collection import workspace
from metrics_core import formats
from metrics_core.comparing.method import TESTS
from tests.dashboard.app_pages.test_pages import links_of
from tests.dashboard.conftest import opened, text_of


def test_the_verdict_says_for_how_many_runs_it_holds_and_what_these_queries_can_show() -> None:
    shown = text_of(opened(""))
    assert "Significant after correction for three comparisons (p = 0.00" in shown
    assert (
        "Three runs are compared with one baseline, with 95% intervals and verdicts corrected"
        " for three comparisons."
    ) in shown
    assert "These 104 queries can detect a difference of 0.07" in shown


def test_the_verdict_is_the_same_whichever_runs_are_shown() -> None:
    def headline(**parameters: str) -> str:
        shown = text_of(opened("", run="dense", base="bm25", **parameters))
        title, lead = (shown.index(text) for text in ("dense beats bm25", "nDCG@10 rises"))
        return f"{shown[title : title + 33]} {shown[lead:].partition('. ')[0]}"

    alone = headline(also="-")
    assert "clear difference" in alone and "nDCG@10 rises from 0.548 to 0.636" in alone
    assert headline() == alone and headline(also="*") == alone


def test_an_unclear_difference_says_what_would_settle_it() -> None:
    shown = text_of(opened("", run="dense", base="hybrid"))
    assert (
        "dense and hybrid no clear difference" in shown
        and "What would make it conclusive?" in shown
    )
    assert "Can you rely on this result?" not in shown and "may be chance: p = 0.2" in shown
    assert "Decide which measure counts before you look at the results." in shown


def test_few_queries_are_shown_instead_of_tested() -> None:
    app = opened("", run="dense", base="bm25", where="category=Network")
    shown = text_of(app)
    assert "Only 9 queries: examples, not a result" in shown and "too few queries" in shown
    assert "Your filter leaves 9 of 104 queries." in shown and "new router" in shown
    assert "Can you rely on this result?" not in shown
    whole = next(href for href in links_of(app) if "where" not in href and "base=bm25" in href)
    assert whole.startswith("./?")


def test_one_run_shows_how_its_queries_score() -> None:
    app = opened("", run="bm25", base="bm25")
    shown = text_of(app)
    assert "bm25 scores 0.548 on nDCG@10" in shown and "Choose another run to compare." in shown
    assert "Scores of the 104 queries" in shown and "Lowest scores" in shown
    assert "excluding the 3 queries that have no relevant document" in shown
    assert any(link.endswith("filter=bm25 >= 0.9 and bm25 <= 1") for link in links_of(app))


@pytest.mark.parametrize("test", [name for name in TESTS if name != "bootstrap"])
def test_another_test_is_said_and_breaks_nothing(test: str) -> None:
    app = opened("", test=test)
    assert f"Method: {TESTS[test]}, " in text_of(app)
    assert "nan" not in text_of(app).lower().replace("finance", "")


def test_a_test_that_is_not_there_is_said_and_put_away() -> None:
    app = opened("", test="z", correction="holm", level="80")
    assert "There is no test 'z'." in text_of(app)
    next(b for b in app.button if b.label == "Continue without it").click().run()
    assert "95% intervals and verdicts corrected for three comparisons." in text_of(app)


def test_a_margin_is_part_of_the_verdict() -> None:
    shown = text_of(opened("", run="hybrid", base="dense", margin="nDCG:0.2"))
    assert "hybrid and dense equivalent within 0.2" in shown
    assert "within the margin of 0.2" in shown
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
    assert "90% intervals" in text_of(app) and "Bonferroni" in text_of(app)
    app.selectbox(key="w_test").select("bootstrap").run()
    assert "test" not in app.query_params and "correction" not in app.query_params
    app.number_input(key="w_margin").set_value(0.02).run()
    assert app.query_params["margin"] == "nDCG:0.02"


def test_the_measure_that_is_alone_has_no_comparison() -> None:
    shown = text_of(opened("", run="bm25", base="bm25"))
    assert "compared with one baseline" not in shown and "Choose another run" in shown
    assert "can detect" not in shown
    assert "Compare dense with bm25" in shown
    assert any(
        "run=dense" in link and "base=bm25" in link
        for link in links_of(opened("", run="bm25", base="bm25"))
    )
    assert "Compare hybrid with bm25" in text_of(opened("", run="hybrid", base="hybrid"))


def test_queries_that_a_run_lacks_are_left_out_by_choice() -> None:
    counted = opened("", run="dense", base="bm25")
    assert "bm25 has no results for 6 queries, counted as 0: leave out" in text_of(counted)
    without = "Without the 6 queries that bm25 has no results for, the difference is +0.053."
    assert without in text_of(counted)
    assert "5 queries without bm25 resultsmean gain +0.776" in text_of(counted)
    link = next(href for href in links_of(counted) if "missing=shared" in href)
    assert link.startswith("./?") and "run=dense" in link
    left_out = opened("", run="dense", base="bm25", missing="shared")
    shown = text_of(left_out)
    assert "bm25 has no results for 6 queries, left out: count as 0" in shown
    assert "98 of 104" in shown and "These 98 queries can detect" in shown
    assert "+0.053" in shown and "On the 98 queries" not in shown
    alone = text_of(opened("", run="bm25", base="bm25", missing="shared"))
    assert "98 of 104" in alone
    assert "Scores of on nDCG@10" in alone


def test_a_baseline_that_was_guessed_by_its_name_is_said() -> None:
    workspace().get_or_create_collection("Mine", "mine")
    for file in ("qrels.txt", "dense.run", "bm25.run"):
        workspace().add_table("mine", formats.read(SAMPLE_FOLDER / file, name=file))
    said = "bm25 is the baseline because of its name; commands and Python use the first run (dense)"
    app = opened("", set="mine")
    assert "dense beats bm25" in text_of(app) and said in text_of(app)
    app.selectbox(key="w_base").select("dense").run()
    assert "because of its name" not in text_of(app)
    assert "because of its name" not in text_of(opened("", set="mine", base="bm25"))
