"""The Measures page: looked up by any name, before anything is loaded."""

from __future__ import annotations

import pytest

from dashboard.answers.measures import find_measures
from metrics_core.measures import declarations
from metrics_core.measures.declaring.description import describe_measure
from tests.dashboard.conftest import drawn, opened, text_of


def test_the_list_of_measures_is_searched_by_any_name() -> None:
    app = opened("measures")
    app.text_input(key="w_find").set_value("hit rate").run()
    shown = text_of(app)
    assert "Matches" in shown and "1 if any of the first" in shown
    assert app.query_params["find"] == "hit rate"
    app.text_input(key="w_find").set_value("recal").run()
    assert "Recall" in text_of(app)
    app.text_input(key="w_find").set_value("precisoin").run()
    assert "No measure matches “precisoin”. Did you mean P" in text_of(app).replace(".Did", ". Did")


def test_a_family_is_whole_below_those_that_are_used_most() -> None:
    groups = find_measures("").groups
    assert [told.name for told in groups.pop("Most used")][:2] == ["nDCG", "P"]
    assert {told.name for told in groups["Precision and recall"]} >= {"P", "R", "AP", "Rprec"}
    assert sum(map(len, groups.values())) == len(declarations())
    assert "nDCG Normalised discounted cumulative gain" in text_of(opened("measures"))


def test_a_listed_measure_is_selected_by_a_link() -> None:
    app = opened("measures")
    assert "m=P%40k&" in drawn(app) and "m=nDCG&" not in drawn(app)
    assert "in use" in text_of(app) and "“Use” replaces nDCG@10 on all pages" in text_of(app)
    assert "m=alpha" not in drawn(app), "the sample has no subtopics"
    shown = text_of(app)
    assert shown.count("needs subtopics") == 9 and shown.count("Needs subtopics: alpha_DCG") == 1
    assert shown.count("needs document data") == 3 and shown.count("command line only") == 8
    assert "Needs document data: MoneyP · MoneyR · Novelty" in shown
    assert "needs subtopics" not in text_of(opened("measures", set="own"))


@pytest.mark.parametrize("name", ["nDCG", "alpha_nDCG", "NumRet", "Utility"])
def test_a_measure_is_looked_up(name: str) -> None:
    declaration = next(d for d in declarations() if d.name == name)
    app = opened("measures", measure=name)
    shown = text_of(app)
    assert declaration.reference in shown
    assert describe_measure(declaration).formula in app.latex[0].value
    assert ("Use in this comparison" in shown) == (name == "Utility")


def test_a_measure_is_looked_up_by_any_name() -> None:
    assert "1 divided by the rank" in text_of(opened("measures", measure="recip_rank"))
    assert "There is no measure 'bogus'" in text_of(opened("measures", measure="bogus"))


def test_measures_are_looked_up_before_anything_is_loaded() -> None:
    assert "Precision" in text_of(opened("measures", set="own"))
    assert "Use in this comparison" not in text_of(opened("measures", set="own", measure="nDCG"))
