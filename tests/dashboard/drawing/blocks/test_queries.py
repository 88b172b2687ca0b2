"""The table of queries as it is drawn."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pandas as pd

from dashboard.answers.column_filters import ColumnFilter
from dashboard.answers.queries import QueryRows
from dashboard.answers.table_column import TableColumn
from dashboard.drawing.blocks import queries
from tests.dashboard.drawing.blocks.test_blocks import EVIL, Page, styles_of

LONG = "bm25-with-rm3-and-a-very-long-name-v2-final"
STYLES = styles_of("hybrid", LONG, baseline=LONG)
COLUMNS = [
    TableColumn("text", "text", "text"),
    TableColumn("difference", "difference", "difference"),
    TableColumn("score", "score:hybrid", "run: hybrid", "hybrid"),
    TableColumn("score", f"score:{LONG}", f"run: {LONG}", LONG),
    TableColumn("group", "by:topic", "by: topic", "topic"),
]


def rows(n: int = 2, **changes: object) -> QueryRows:
    row = {
        "query_id": "q1",
        "text": "charged twice",
        "difference": -0.333,
        "outcome": "worse",
        "run: hybrid": 0.442,
        f"run: {LONG}": math.nan,
        "by: topic": "Billing",
    }
    frame = pd.DataFrame([row | changes | {"query_id": f"q{i}"} for i in range(n)])
    return QueryRows(frame, 1, 1, 0)


OPTIONS: dict[str, object] = {
    "pair": ("hybrid", LONG),
    "label": "2 queries",
    "span": (-0.5, 0.5),
    "scale": (0.0, 1.0),
    "use_colours": True,
    "links": queries.TableLinks(
        order=lambda order: f"queries?order={order}",
        line=lambda line: f"queries?filter={line}",
        query=lambda query_id: f"query?q={query_id}",
        move=lambda key, step: "" if key == "text" else f"queries?move={key}{step:+d}",
        filters={
            "by:topic": ColumnFilter("topic", "", "words > 5", (("Billing", 2), (EVIL, 1))),
            "difference": ColumnFilter("difference", "difference >= -0.2", "", span=(-0.5, 0.25)),
        },
    ),
}


def table(shown: QueryRows, order: str = "difference", **changes: object) -> Page:
    return Page(queries.draw_query_table(shown, COLUMNS, order, STYLES, **(OPTIONS | changes)))  # type: ignore[arg-type]


def test_a_head_is_a_link_that_sorts_and_a_row_is_one_that_opens() -> None:
    page = table(rows())
    links = [own for tag, own in page.found if tag == "a"]
    heads = [own for own in links if own.get("data-keep", "").startswith("sort-")][::3]
    opening = [own for own in links if own["href"].startswith("query?")]
    orders = [f"queries?order={c.key}" for c in COLUMNS]
    orders[1] = "queries?order=-difference"  # the rows are sorted by it already
    assert [own["href"] for own in heads] == orders
    # For keys and screen readers a row is one link; the other one covers the row.
    assert [own["href"] for own in opening] == [f"query?q=q{i}" for i in (0, 0, 1, 1)]
    assert [own.get("tabindex") for own in opening] == [None, "-1", None, "-1"]
    assert [own.get("aria-hidden") for own in opening] == [None, "true", None, "true"]
    assert all("tabindex" not in own for own in heads)


def test_the_menu_of_a_head_sorts_and_filters_and_a_group_in_a_row_filters_by_itself() -> None:
    page = table(rows())
    links = [own for tag, own in page.found if tag == "a"]
    opens = [own["popovertarget"] for tag, own in page.found if "popovertarget" in own]
    assert opens == [own["id"] for tag, own in page.found if "popover" in own]
    assert len(opens) == len(COLUMNS)
    sorts = [own["href"] for own in links if own.get("data-keep", "").startswith("sort-")]
    both = [f"queries?order={sign}{c.key}" for c in COLUMNS for sign in ("", "-")]
    assert [href for n, href in enumerate(sorts) if n % 3] == both
    current = [own["href"] for own in links if "aria-current" in own]
    assert current == ["queries?order=difference"]
    lines = [own["href"].partition("filter=")[2] for own in links if "filter=" in own["href"]]
    only = 'words > 5 and topic == "Billing"'
    evil = f'words > 5 and topic == "{EVIL}"'.replace(EVIL, EVIL.replace('"', '""'))
    assert lines == ["", only, evil, only, only]
    assert page.text.count("2 queries") == 1 and "Clear this filter" in page.text
    fields = [own for tag, own in page.found if tag == "input"]
    assert [own["value"] for own in fields] == ["-0.2", ""]
    assert [own["placeholder"] for own in fields] == ["-0.500", "0.250"]
    narrowed = ColumnFilter(
        "topic", 'topic == "Billing"', "", (("Billing", 2),), frozenset({"Billing"})
    )
    links_of_one = replace(OPTIONS["links"], filters={"by:topic": narrowed})  # type: ignore[type-var]
    again = table(rows(), links=links_of_one)
    assert not again.having("only"), "all rows have it"
    assert [own for own in again.having("active") if own["aria-label"].endswith("filtered")]


def test_a_column_is_moved_from_its_head_and_in_the_list_of_columns() -> None:
    links = [f"queries?move={column.key}{step}" for column in COLUMNS[1:] for step in ("-1", "+1")]
    page = table(rows())
    hrefs = [own["href"] for tag, own in page.found if tag == "a"]
    assert [href for href in hrefs if "move=" in href] == links
    move = OPTIONS["links"].move  # type: ignore[attr-defined]
    order = Page(queries.draw_column_order(COLUMNS, move))
    found = [own for tag, own in order.found if tag == "a"]
    assert [own["href"] for own in found] == links
    assert found[0]["aria-label"] == "Move Difference left"


def test_the_sorted_column_says_so() -> None:
    for order, said in (("difference", "ascending"), ("-difference", "descending")):
        heads = [
            own for tag, own in table(rows(), order).found if tag == "th" and "aria-sort" in own
        ]
        assert [(own["class"], own["aria-sort"]) for own in heads] == [("difference", said)]


def test_a_long_name_loses_its_middle_and_is_whole_on_hover() -> None:
    page = table(rows())
    assert "bm25-with-r…e-v2-final" in page.text and page.text.count(LONG) == 2, "in two menus"
    assert [own["title"] for tag, own in page.found if tag == "a" and own.get("title") == LONG]


def test_scores_have_bars_where_they_have_a_scale_and_undefined_ones_a_dash() -> None:
    scores = table(rows(1), span=(0.0, 0.0)).having("bar")
    assert [own["style"] for own in scores] == ["left:0.00%;width:44.20%"]
    page = table(rows(1), span=(0.0, 0.0), scale=None)
    assert not page.having("track")
    assert "0.442" in page.text and "–" in page.text and "nan" not in page.text


def test_a_narrow_screen_knows_a_score_by_its_column() -> None:
    drawn = str(queries.draw_query_table(rows(1), COLUMNS, "text", STYLES, **OPTIONS))  # type: ignore[arg-type]
    rules = re.search(r"<style>(.*?)</style>", drawn)
    assert rules and re.findall(r"nth-child\((\d)\)\{--mark:\"(.)\";--run:([^}]+)", rules[1]) == [
        ("3", STYLES["hybrid"].glyph, STYLES["hybrid"].css_color),
        ("4", STYLES[LONG].glyph, "var(--baseline)"),
    ]


def test_a_difference_has_a_bar_from_zero_on_the_scale_of_all_queries() -> None:
    bars = table(rows(1), scale=None).having("bar")
    assert [own["style"] for own in bars] == ["left:16.70%;width:33.30%"]
    assert bars[0]["class"] == "bar worse"
    assert not table(rows(1), span=(0.0, 0.0), scale=None).having("bar")
    assert not table(rows(1, difference=math.nan, outcome=None), scale=None).having("bar")


def test_only_what_is_clear_of_the_same_is_coloured_and_nothing_where_too_few() -> None:
    def classes(**changes: object) -> list[str]:
        coloured = bool(changes.pop("use_colours", True))
        shown = table(rows(1, **changes), use_colours=coloured)
        return [own["class"] for own in shown.having("change")]

    assert classes() == ["change worse clear"]
    assert classes(difference=0.004, outcome="same") == ["change unclear"]
    assert classes(difference=math.nan, outcome=None) == ["change unclear"]
    assert classes(use_colours=False) == ["change unclear"]


def test_pages_are_links() -> None:
    def drawn(number: int, pages: int) -> Page:
        frame = rows(100).frame
        shown = QueryRows(frame, number, pages, (number - 1) * 100)
        return Page(queries.draw_page_links(shown, pages * 100, lambda n: f"queries?p={n}"))

    assert not queries.draw_page_links(rows(), 2, str)
    page = drawn(12, 70)
    assert page.text == "1,101–1,200 of 7,000← Previous1…111213…70Next →"
    links = [own for tag, own in page.found if tag == "a"]
    assert [own["href"] for own in links] == [f"queries?p={n}" for n in (11, 1, 11, 12, 13, 70, 13)]
    assert [own["href"] for own in links if "aria-current" in own] == ["queries?p=12"]
    assert drawn(1, 3).text.endswith("← Previous123Next →"), "no gap stands for no page"
    assert drawn(1, 2).text == "1–100 of 200← Previous12Next →"


def test_a_filter_is_a_chip_that_takes_it_back() -> None:
    where = [("category", "Billing"), ("category", EVIL), ("query_type", "a"), ("query_type", "b")]
    page = Page(queries.draw_filters(where, lambda column: f"queries?without={column}"))
    assert f"category: Billing or {EVIL[:11]}" in page.text
    assert "query_type: a or b" in page.text
    links = [own for tag, own in page.found if tag == "a"]
    assert [own["href"] for own in links] == [
        "queries?without=category",
        "queries?without=query_type",
    ]
    assert links[1]["aria-label"] == "Clear query_type: a, b"
    many = queries.draw_filters([("n", str(i)) for i in range(9)], str)
    assert "n: 0, 1, 2 or 6 more" in Page(many).text
    assert not queries.draw_filters([], str)


def test_no_user_text_becomes_markup() -> None:
    page = table(rows(1, text=EVIL, **{"by: topic": EVIL}), pair=(EVIL, "b"))
    assert page.text.count(EVIL) == 4


def test_columns_are_as_wide_as_their_texts() -> None:
    def widths(page: Page) -> list[int]:
        styles = [own.get("style") for tag, own in page.found if own.get("scope") == "col"]
        return [int(style[6:-2]) if style else 0 for style in styles]

    short, long = (widths(table(rows(1, **{"by: topic": t}))) for t in ("ab", "a long topic here"))
    assert short[:4] == long[:4] and short[4] < long[4]
    assert widths(table(rows(1, **{"by: topic": "x" * 400})))[4] == 260
    assert short[0] == 0, "the query has what is left"


def test_numbers_are_plain_where_they_are_whole() -> None:
    columns = [*COLUMNS[:1], TableColumn("number", "n:words", "n: words", "words")]
    for value, text in ((7.0, "7"), (0.25, "0.250"), (math.nan, "–")):
        page = Page(
            queries.draw_query_table(
                rows(1, **{"n: words": value}), columns, "", STYLES, pair=("a", "b"), label="",
                span=(0.0, 0.0), scale=None, use_colours=False,
                links=queries.TableLinks(str, str, str, lambda key, step: "", {}),
            )
        )  # fmt: skip
        assert page.text.endswith(f"{text} words") and "Words" in page.text
