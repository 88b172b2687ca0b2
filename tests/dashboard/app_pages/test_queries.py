"""The pages of the queries: the table's links, the list a query was opened from, filters, chips."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.answers.query_chips import RULES
from dashboard.drawing.theme import LIGHT
from dashboard.session.open_collection import workspace
from metrics_core.explaining.query_kinds import GOOD_SCORE
from tests.dashboard.conftest import drawn, opened, text_of


def links_of(app: AppTest, part: str) -> list[str]:
    """The links of the drawn part of this class, unescaped."""
    found = [e.proto.body for e in app.get("html") if f'class="lens {part}"' in e.proto.body]
    assert len(found) == 1, part
    own = found[0][found[0].index(f'class="lens {part}"') :]
    if part == "queries":  # the menus of its heads, and the values that filter, are apart
        own = re.sub(r'<div popover.*?</div>|<a class="only".*?</a>', "", own)
    return [unescape(link) for link in re.findall(r'<a[^>]* href="([^"]*)"', own)]


def asked_of(link: str) -> dict[str, str]:
    """What a link asks for, but for what every link holds."""
    known = parse_qs(urlsplit(link).query)
    everywhere = ("set", "run", "base", "qrels")
    return {name: values[-1] for name, values in known.items() if name not in everywhere}


def test_rows_of_the_table_open_their_query_with_the_list_they_stand_in() -> None:
    app = opened("queries", show="worse", order="-score:hybrid", p="1", s="a")
    links = links_of(app, "queries")
    heads, rows = links[:9], links[9:]
    assert [asked_of(link).get("order") for link in heads] == [
        "text",
        None,
        "score:dense",
        "score:bm25",
        "score:hybrid",
        "score:titles-only",
        "n:unjudged",
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
    following = asked_of(links_of(page, "steps-through")[-1])
    assert following["q"] == opened_ids[2] and following["sort"] == "-score:hybrid"


def test_the_table_shows_a_hundred_rows_a_page() -> None:
    app = opened("queries", order="text")
    assert len(links_of(app, "queries")) > 9 + 200
    more = links_of(app, "page-links")
    second = opened("queries", **asked_of(more[-1]))
    assert "101–104 of 104" in text_of(second)
    rows = [asked_of(link)["q"] for link in links_of(second, "queries")[9:17:2]]
    assert not set(rows) & {asked_of(link).get("q") for link in links_of(app, "queries")[9:209]}


def test_another_list_or_search_begins_on_its_first_page() -> None:
    app = opened("queries", p="2")
    app.button_group(key="w_show").set_value("worse").run()
    assert "p" not in app.query_params
    assert "p" not in asked_of(links_of(opened("queries", p="2"), "queries")[0])


def test_lists_of_the_overview_go_with_the_query_and_leave_the_menu_as_it_was() -> None:
    app = opened(show="none")
    links = [unescape(link) for link in re.findall(r'href="(\./query\?[^"]*q=[^"]*)"', drawn(app))]
    assert {asked_of(link)["list"] for link in links} == {"worse", "better"}
    assert {asked_of(link)["show"] for link in links} == {"none"}
    worst_link = next(link for link in links if asked_of(link)["list"] == "worse")
    worst = opened("query", **asked_of(worst_link))
    assert "1 of 21 that got worse" in text_of(worst)
    assert asked_of(links_of(worst, "pages")[3]) == {
        "show": "none",
        **{name: asked_of(worst_link)[name] for name in ("q", "list")},
    }


def test_a_filter_set_by_a_click_is_taken_back_on_the_page() -> None:
    app = opened("queries", where=["category=Devices", "difficulty=hard"], p="1", show="worse")
    shown = text_of(app)
    assert "category: Devices" in shown and "difficulty: hard" in shown
    first, second = links_of(app, "taken")[:2]
    assert parse_qs(urlsplit(first).query)["where"] == ["difficulty=hard"]
    assert parse_qs(urlsplit(second).query)["where"] == ["category=Devices"]
    assert asked_of(first)["show"] == "worse"
    assert 'aria-label="Clear' not in drawn(opened("queries"))


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
        assert ("Only 9 queries: too few to test" in text_of(app)) is not coloured
        chart = app.get("plotly_chart")[0].proto.spec.upper()
        assert (LIGHT.worse in chart) is coloured


def held(app: AppTest, name: str) -> list[str]:
    """The values of a field of the address."""
    value = app.query_params[name]
    return [value] if isinstance(value, str) else list(value)


def chips_of(app: AppTest) -> dict[str, int]:
    """The number on each chip, by what it is called."""
    rows = [g for g in app.get("button_group") if g.key.startswith("w_show")]
    texts = [option.content for row in rows for option in row.proto.options]
    return {
        re.sub(r":\w+\[.\] ", "", text.rpartition(" ")[0]).replace("\\", ""): int(
            text.rpartition(" ")[2]
        )
        for text in texts
    }


def title_of(app: AppTest) -> str:
    """The head of the table, which counts its rows."""
    (found,) = set(re.findall(r"<h2>([\d,]+(?: of [\d,]+)? quer(?:y|ies))</h2>", drawn(app)))
    return str(found)


def test_the_browser_defines_good_queries_as_the_pages_do() -> None:
    script = Path(__file__).parents[3] / "dashboard" / "components" / "frame.js"
    assert f"good: {GOOD_SCORE}" in script.read_text("utf-8")


def test_every_chip_of_the_sample_gives_as_many_rows_as_it_says() -> None:
    app = opened("queries")
    chips = chips_of(app)
    assert {"all", "better", "worse", "same", "fixed", "broken", "both failing"} <= set(chips)
    assert chips["ranked too low"] and chips["all"] == 104
    keys = {"fixed": "fixed", "both failing": "both", "ranked too low": "low"}
    for name, key in keys.items():
        app.query_params["show"] = key
        app.run()
        assert title_of(app) == f"{chips[name]} of 104 queries"
        assert RULES[key] in text_of(app)
        n_unfolding = chips[name] > 20  # on a narrow screen, the link that shows the other rows
        assert len(links_of(app, "queries")) == 9 + 2 * chips[name] + n_unfolding


def test_a_chip_under_more_takes_the_place_of_one_of_the_row() -> None:
    app = opened("queries", show="worse")
    one = next(g for g in app.get("button_group") if g.key == "w_show_one")
    assert one.value in (None, [])
    app.button_group(key="w_show_one").set_value("low").run()
    assert held(app, "show") == ["low"]
    first = next(g for g in app.get("button_group") if g.key == "w_show")
    assert not first.value


def test_a_filter_line_stands_in_the_address_and_narrows_all() -> None:
    app = opened("queries", filter="difference < -0.1 and words > 5")
    rows = int(title_of(app).split()[0])
    assert 0 < rows < 21 and chips_of(app)["all"] == rows
    assert chips_of(app)["worse"] == rows
    link = asked_of(links_of(app, "queries")[9])
    assert link["line"] == link["filter"] == "difference < -0.1 and words > 5"
    assert f"1 of {rows}" in text_of(opened("query", **link))


def menu_of(app: AppTest, head: str) -> dict[str, str]:
    """The links of the menu of a column's head, by their texts."""
    menus = re.findall(r'<div popover[^>]*aria-label="([^"]*)">(.*?)</div>', drawn(app))
    (own,) = [content for name, content in menus if name == head]
    links = re.findall(r'<a href="([^"]*)"[^>]*>(.*?)</a>', own)
    return {re.sub(r"<[^>]*>", "", text): unescape(link) for link, text in links}


def test_a_head_filters_by_its_groups_and_the_line_says_so() -> None:
    app = opened("queries", filter="difference < 0")
    links = menu_of(app, "category")
    values = [text for text in links if text.endswith("queries")]
    assert sum(int(re.findall(r"(\d+) queries", text)[0]) for text in values) == int(
        title_of(app).split()[0]
    )
    devices = next(text for text in values if text.startswith("Devices"))
    line = asked_of(links[devices])["filter"]
    assert line == 'difference < 0 and category == "Devices"'
    one = opened("queries", filter=line)
    assert title_of(one).split()[0] == re.findall(r"(\d+) queries", devices)[0]
    again = menu_of(one, "category")
    assert [text for text in again if text.endswith("queries")] == values, (
        "the column's own test counts for no value of it"
    )
    two = asked_of(next(link for text, link in again.items() if text.startswith("Errors")))
    assert two["filter"] == 'difference < 0 and category in ("Devices", "Errors")'
    assert asked_of(again[devices])["filter"] == "difference < 0"
    assert asked_of(again["Clear this filter"])["filter"] == "difference < 0"
    cells = re.findall(r'<a class="only" href="([^"]*)"', drawn(one))
    assert all("category+%3D%3D" in unescape(link) for link in cells)


def test_orders_of_a_head_and_an_invalid_line() -> None:
    app = opened("queries", order="text", filter="word > 5")
    links = menu_of(app, "category")
    assert asked_of(links["Sort descending"])["order"] == "-by:category"
    errors = next(link for text, link in links.items() if text.startswith("Errors"))
    assert asked_of(errors)["filter"] == 'category == "Errors"'
    difference = menu_of(app, "dense − bm25")
    assert "order" not in asked_of(difference["Sort ascending"])


def test_filters_are_cleared_by_one_link() -> None:
    assert "Clear filters" not in text_of(opened("queries", show="worse", p="2"))
    app = opened(
        "queries", filter="words > 2", s="a", where="category=Devices", p="2", show="worse"
    )
    (link,) = re.findall(r'<p class="clears"><a href="([^"]*)"', drawn(app))
    assert asked_of(unescape(link)) == {"show": "worse"}


def test_what_is_wrong_in_a_filter_is_said_under_it_and_nothing_is_filtered() -> None:
    app = opened("queries", filter="difference < -0.1 and word > 5")
    assert title_of(app) == "104 queries"
    assert "expected a column, found word. Did you mean words?" in text_of(app)
    assert "<mark>word</mark>" in drawn(app)
    app.query_params["filter"] = '<img src=x onerror="alert(1)">'
    app.run()
    assert "<img" not in drawn(app) and title_of(app) == "104 queries"


def test_columns_are_chosen_and_kept() -> None:
    app = opened("queries", cols=["n:words", "kind:failure", "score:hybrid"])
    heads = links_of(app, "queries")[:4]
    assert [asked_of(link).get("order") for link in heads] == [
        "text",
        "n:words",
        "kind:failure",
        "score:hybrid",
    ]
    menu = parse_qs(urlsplit(links_of(app, "pages")[0]).query)
    assert menu["cols"] == ["n:words", "kind:failure", "score:hybrid"]
    offered = app.multiselect(key="w_cols").options
    assert {"bm25", "category", "Words", "Unjudged"} <= set(offered), offered
    app.multiselect(key="w_cols").set_value(["n:words"]).run()
    assert held(app, "cols") == ["n:words"]
    app.multiselect(key="w_cols").set_value([]).run()
    assert "cols" not in app.query_params and len(links_of(app, "queries")) > 9 + 200


def test_a_moved_column_stays_there_in_the_address() -> None:
    keys = ["n:words", "kind:failure", "score:hybrid"]
    links = menu_of(opened("queries", cols=keys), "hybrid")
    assert "Move right" not in links
    moved = parse_qs(urlsplit(links["Move left"]).query)["cols"]
    assert moved == ["n:words", "score:hybrid", "kind:failure"]
    app = opened("queries", cols=moved)
    order = [asked_of(link).get("order") for link in links_of(app, "queries")[:4]]
    assert order == ["text", *moved]
    assert app.multiselect(key="w_cols").value == moved
    default = parse_qs(urlsplit(menu_of(opened("queries"), "dense")["Move left"]).query)["cols"]
    assert default[:3] == ["score:dense", "difference", "score:bm25"] and len(default) == 8


def test_a_region_of_the_chart_lists_its_queries_and_is_taken_back() -> None:
    app = opened("queries", view="against", tool="lasso")
    box = {"x": [-0.1, 0.3], "y": [0.9, 1.1], "xref": "x", "yref": "y"}
    region = {"selection": {"points": [], "point_indices": [], "box": [box], "lasso": []}}
    app.session_state["against_lasso_0"] = region
    app.run()
    few = held(app, "pick")
    assert 1 <= len(few) <= 20 and title_of(app) == f"{len(few)} of 104 queries"
    assert "picked in the chart" in text_of(app)
    back = links_of(app, "taken")[0]
    assert "pick" not in asked_of(back)
    # Of many the address holds a word that this visit knows, and another says that it does not.
    wide = [dict(box, x=[-0.1, 1.1], y=[-0.1, 1.1])]
    app.session_state["against_lasso_1"] = {"selection": {**region["selection"], "box": wide}}
    app.run()
    (word,) = held(app, "pick")
    assert word.startswith("~") and "picked in the chart" in text_of(app)
    other = opened("queries", pick=word)
    assert "from another session" in text_of(other) and title_of(other) == "104 queries"


def test_a_range_dragged_over_the_strip_is_a_filter_of_the_difference() -> None:
    app = opened("queries", filter='category == "Devices" and difference > 0.9')
    marks = [{"customdata": [query_id]} for query_id in ("q098", "q070")]
    chosen = {"points": marks, "point_indices": [0, 1], "box": [{}], "lasso": []}
    app.session_state["sorted_0"] = {"selection": chosen}
    app.run()
    (line,) = held(app, "filter")
    match = re.fullmatch(
        r'category == "Devices" and difference >= (\S+) and difference <= (\S+)', line
    )
    assert match and float(match[1]) < float(match[2])
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    opens = spec["layout"]["meta"]["opens"]
    assert opens.startswith("./query?") and opens.endswith("&q=")
    assert spec["layout"]["dragmode"] == "select"


def test_a_query_beside_the_list_is_explained_and_steps_through_it() -> None:
    app = opened("queries", show="worse", open="q024", s="a")
    shown = text_of(app)
    assert "how long does a refund take" in shown and "Open the full page" in shown
    assert "dense scores 0.309 lower" in shown
    back, *steps = links_of(app, "steps-through")[:3]
    assert "open" not in asked_of(back) and asked_of(back)["show"] == "worse"
    asked = asked_of(links_of(app, "ways")[0])
    assert "open" not in asked
    page = opened("query", **asked)
    position = re.search(r"\d+ of \d+", shown[shown.rindex("Close") :])
    assert position and f"{position[0]} that got worse with “a”" in text_of(page)
    for link in steps:
        assert asked_of(link)["open"] != "q024" and link.startswith("./queries?")
    assert all("open" not in asked_of(link) for link in links_of(app, "queries"))


def test_a_link_to_a_query_beside_the_list_that_is_gone_says_so() -> None:
    app = opened("queries", open="gone")
    assert "These files do not contain the query gone." in text_of(app)
    next(b for b in app.button if b.label == "Continue without it").click().run()
    assert title_of(app) == "104 queries"


def test_starred_queries_have_a_chip_and_a_pressed_star() -> None:
    app = opened("queries")
    assert not [name for name in chips_of(app) if "starred" in name]
    assert 'aria-pressed="true"' not in drawn(app) and drawn(app).count('aria-pressed="false"') > 99
    workspace().get_or_create_collection("Sample", "sample")
    workspace().notes.set_tag("sample", "q024", "starred", author="anna")
    app.run()
    assert chips_of(app)["★ starred"] == 1
    app.button_group(key="w_show").set_value("tag:starred").run()
    assert title_of(app) == "1 of 104 queries"
    assert re.findall(r'data-star="([^"]*)"[^>]*aria-pressed="true"', drawn(app)) == ["q024"]
    page = opened("query", q="q024")
    assert re.findall(r'data-star="([^"]*)"[^>]*aria-pressed="true"', drawn(page)) == ["q024"]
    assert not [button for button in page.button if "starred" in button.label]


def test_the_heatmap_says_how_many_of_its_queries_fail() -> None:
    every = text_of(opened("queries", run="dense", base="bm25", view="heatmap"))
    assert "11 of 104 queries score 0 with every run" in every
    assert "empty frame: no results from this run" in every
    better = text_of(opened("queries", run="dense", base="bm25", view="heatmap", show="better"))
    assert "nDCG@10 by query and run" in better and "queries fail with" not in better


def test_one_chart_at_a_time() -> None:
    app = opened("queries")
    for compared in ("dense", "bm25"):
        for view in ("", "against", "heatmap", "strips", "bogus"):
            app.query_params["view"], app.query_params["run"] = view, compared
            app.run()
            alone = compared == "bm25" and view in ("", "against", "bogus")
            assert not app.exception, (view, compared)
            assert len(app.get("plotly_chart")) == (0 if alone else 1), (view, compared)
