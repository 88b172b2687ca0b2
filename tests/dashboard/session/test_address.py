"""Links hold what they show; what a page only looked up stays there."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.dashboard.conftest import drawn, opened, text_of


def links(html: str) -> list[dict[str, list[str]]]:
    """The parameters of every link into the app."""
    return [
        parse_qs(urlsplit(unescape(link)).query) for link in re.findall(r'href="(\./[^"]*)"', html)
    ]


@pytest.mark.parametrize("page", ["", "curves", "breakdown", "queries", "query", "measures"])
def test_every_link_names_collection_run_and_baseline(page: str) -> None:
    found = links(drawn(opened(page)))
    assert found
    for link in found:
        assert link["set"] == ["sample"] and link["base"], link
        assert link["run"], link


@pytest.mark.parametrize(
    ("page", "foreign"), [("", "measure"), ("breakdown", "named"), ("measures", "part")]
)
def test_parameters_that_the_page_does_not_have_are_in_no_link(page: str, foreign: str) -> None:
    found = links(drawn(opened(page, **{foreign: "Foo@3", "nonsense": "1", "k": "5"})))
    assert found and all(link["k"] == ["5"] for link in found)
    assert not any("nonsense" in link or link.get(foreign) == ["Foo@3"] for link in found)


def test_a_change_pins_the_rest() -> None:
    app = opened()
    app.selectbox(key="w_base").select("titles-only").run()
    assert app.query_params["run"] == "dense"
    assert app.query_params["base"] == "titles-only"
    assert app.query_params["set"] == "sample"


def test_the_menu_leaves_behind_what_was_looked_up() -> None:
    page = drawn(opened("measures", find="rank", k="5"))
    menu = links(page.partition('class="lens pages"')[2])
    assert all("find" not in link and link["k"] == ["5"] for link in menu)


def test_opening_another_collection_keeps_nothing_that_belongs_to_this_one() -> None:
    app = opened("collections", run="hybrid", base="dense", where="category=Network", k="5")
    app.text_input(key="new_name_here").set_value("Mine")
    next(b for b in app.button if b.label == "Create and open").click().run()
    assert "run" not in app.query_params and "where" not in app.query_params
    assert app.query_params["k"] == "5" or app.query_params["k"] == ["5"]
    app.switch_page("app_pages/overview.py").run()
    assert "Compare two systems" in text_of(app)


def test_a_change_counts_that_comes_with_the_address_of_before_it_was_completed() -> None:
    app = opened("queries")
    app.query_params.clear()
    # Twice, as after a restart: what the browser says has not heard of run and baseline.
    app.run()
    app.query_params.clear()
    app.selectbox(key="w_base").select("titles-only").run()
    assert app.query_params["base"] == "titles-only"
    # A step back is not taken for it.
    app.query_params.clear()
    app.query_params["base"] = "bm25"
    app.run()
    assert app.query_params["base"] == "bm25"
