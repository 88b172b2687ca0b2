"""The pages of the queries: the table's links, the list a query was opened from, filters, chips."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.theme import LIGHT
from tests.dashboard.conftest import drawn, opened, text_of


def links_of(app: AppTest, part: str) -> list[str]:
    """The links of the drawn part of this class, unescaped."""
    found = [e.proto.body for e in app.get("html") if f'class="lens {part}"' in e.proto.body]
    assert len(found) == 1, part
    own = found[0][found[0].index(f'class="lens {part}"') :]
    return [unescape(link) for link in re.findall(r'<a[^>]* href="([^"]*)"', own)]


def asked_of(link: str) -> dict[str, str]:
    """What a link asks for, but for what every link holds."""
    known = parse_qs(urlsplit(link).query)
    return {
        name: values[-1] for name, values in known.items() if name not in ("set", "run", "base")
    }


def test_rows_of_the_table_open_their_query_with_the_list_they_stand_in() -> None:
    app = opened("queries", show="worse", order="-score:hybrid", p="1", s="a")
    links = links_of(app, "queries")
    heads, rows = links[:8], links[8:]
    assert [asked_of(link).get("order") for link in heads] == [
        "text",
        None,
        "score:dense",
        "score:bm25",
        "score:hybrid",
        "score:titles-only",
        "by:category",
        "by:difficulty",
    ]
    assert all(
        link.startswith("./queries?") and asked_of(link)["show"] == "worse" for link in heads
    )
    opened_ids = [asked_of(link)["q"] for link in rows]
    assert opened_ids[::2] == opened_ids[1::2] and len(set(opened_ids)) == len(rows) // 2
    asked = asked_of(rows[0])
    assert (asked["list"], asked["search"], asked["sort"]) == ("worse", "a", "-score:hybrid")
    # What the menu's Queries shows is as it was.
    assert (asked["show"], asked["s"], asked["order"]) == ("worse", "a", "-score:hybrid")
    page = opened("query", **asked)
    assert f"1 of {len(rows) // 2} that got worse with “a”" in text_of(page)
    following = asked_of(links_of(page, "steps-through")[0])
    assert following["q"] == opened_ids[2] and following["sort"] == "-score:hybrid"


def test_the_table_shows_a_hundred_rows_a_page() -> None:
    app = opened("queries", order="text")
    assert len(links_of(app, "queries")) > 8 + 200
    more = links_of(app, "page-links")
    second = opened("queries", **asked_of(more[-1]))
    assert "101–104 of 104" in text_of(second)
    rows = [asked_of(link)["q"] for link in links_of(second, "queries")[8:16:2]]
    assert not set(rows) & {asked_of(link).get("q") for link in links_of(app, "queries")[8:208]}


def test_another_list_or_search_begins_on_its_first_page() -> None:
    app = opened("queries", p="2")
    app.text_input(key="w_s").set_value("the").run()
    assert "p" not in app.query_params
    assert "p" not in asked_of(links_of(opened("queries", p="2"), "queries")[0])


def test_lists_of_the_overview_go_with_the_query_and_leave_the_menu_as_it_was() -> None:
    app = opened(show="none")
    links = [unescape(link) for link in re.findall(r'href="(\./query\?[^"]*q=[^"]*)"', drawn(app))]
    assert {asked_of(link)["list"] for link in links} == {"worse", "better"}
    assert {asked_of(link)["show"] for link in links} == {"none"}
    worst = opened("query", **asked_of(links[0]))
    assert "1 of 21 that got worse" in text_of(worst)
    assert asked_of(links_of(worst, "pages")[3]) == {
        "show": "none",
        **{name: asked_of(links[0])[name] for name in ("q", "list")},
    }


def test_a_filter_set_by_a_click_is_taken_back_on_the_page() -> None:
    app = opened("queries", where=["category=Devices", "difficulty=hard"], p="1", show="worse")
    shown = text_of(app)
    assert "category: Devices" in shown and "difficulty: hard" in shown
    first, second = links_of(app, "taken")[:2]
    assert parse_qs(urlsplit(first).query)["where"] == ["difficulty=hard"]
    assert parse_qs(urlsplit(second).query)["where"] == ["category=Devices"]
    assert asked_of(first)["show"] == "worse"
    assert "Take back" not in drawn(opened("queries"))


def test_under_ten_paired_queries_nothing_is_coloured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def page(n: int) -> AppTest:
        ids = [f"q{i}" for i in range(n)]
        (tmp_path / "a.run").write_text("".join(f"{q} Q0 d1 1 2.0 x\n" for q in ids))
        (tmp_path / "b.run").write_text("".join(f"{q} Q0 d2 1 2.0 x\n" for q in ids))
        (tmp_path / "j.qrels").write_text("".join(f"{q} 0 d1 1\n" for q in ids))
        return opened("queries", run="b", base="a")

    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    for n, coloured in ((9, False), (10, True)):
        app = page(n)
        chips = next(g for g in app.get("button_group") if g.key == "w_show")
        contents = [option.content for option in chips.proto.options]
        assert any(":orange[▼]" in text for text in contents) is coloured, contents
        assert ('class="change worse clear"' in drawn(app)) is coloured
        assert ("Only 9 queries: too few to tell" in text_of(app)) is not coloured
        chart = app.get("plotly_chart")[0].proto.spec.upper()
        assert (LIGHT.worse in chart) is coloured
