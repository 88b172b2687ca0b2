"""The table of queries by mouse, keys and touch: a head sorts, a row opens, nothing else does."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opened, settle
from tests.browser.marks import click_mark, click_row, steady
from tests.browser.test_paths import menu, on, parameters


def table_at(open_page: Opened, address: str, **options: Any) -> Page:
    """The page, once its table is seen: it is hidden while the code of its parts still loads."""
    page = open_page(address, **options)
    page.locator(".lens.queries tbody a").first.wait_for()
    return page


def head(page: Page, name: str) -> Locator:
    return page.locator(".lens.queries thead th").filter(has_text=re.compile(f"^{name}"))


def query_text(page: Page, row: int) -> str:
    return page.locator(".lens.queries tbody th a").nth(row).text_content() or ""


def scores(page: Page, column: int) -> list[float]:
    """The numbers of a column of the table, from 0 at the query."""
    cells = page.locator(f".lens.queries tbody tr > :nth-child({column + 1})").all_text_contents()
    return [float(cell.replace("−", "-")) for cell in cells]


def place(page: Page) -> tuple[float, float, float]:
    """How far the page is scrolled, and the table down and sideways."""
    found: Any = page.evaluate(
        """() => {
          const main = document.querySelector('[data-testid=stMain]');
          const box = document.querySelector('.lens.queries');
          return [main.scrollTop, box?.scrollTop ?? 0, box?.scrollLeft ?? 0];
        }"""
    )
    return found[0], found[1], found[2]


def scroll(page: Page, main: float, table: float) -> None:
    page.evaluate(
        """([main, table]) => {
          document.querySelector('[data-testid=stMain]').scrollTop = main;
          document.querySelector('.lens.queries').scrollTop = table;
        }""",
        [main, table],
    )


@pytest.mark.thorough
def test_a_head_sorts_and_opens_nothing(sample_app: str, open_page: Opened) -> None:
    page = table_at(open_page, f"{sample_app}/queries")
    assert scores(page, 1) == sorted(scores(page, 1))
    expect(head(page, "dense −")).to_have_attribute("aria-sort", "ascending")
    for order, backwards in (("score:hybrid", False), ("-score:hybrid", True)):
        head(page, "hybrid").click(position={"x": 4, "y": 8})
        settle(page)
        on(page, "All queries")
        assert parameters(page)["order"] == [order]
        assert scores(page, 4) == sorted(scores(page, 4), reverse=backwards)
        said = "descending" if backwards else "ascending"
        expect(head(page, "hybrid")).to_have_attribute("aria-sort", said)
    expect(page.locator(".lens.queries [aria-sort]")).to_have_count(1)


@pytest.mark.thorough
def test_a_row_opens_wherever_it_is_clicked(sample_app: str, open_page: Opened) -> None:
    page = table_at(open_page, f"{sample_app}/queries?order=text", width=1200)
    for row in (0, 3):
        text = query_text(page, row)
        click_row(page, row)
        on(page, "Query")
        expect(page.locator("h1")).to_have_text(text)
        expect(page.locator(".lens.steps-through")).to_contain_text(f"{row + 1} of 104")
        menu(page, "All queries")
        assert parameters(page)["order"] == ["text"]


def test_by_keys_a_head_sorts_and_keeps_the_focus_and_a_row_opens(
    sample_app: str, open_page: Opened
) -> None:
    page = table_at(open_page, f"{sample_app}/queries")
    page.wait_for_url(lambda now: "run=" in now)
    page.locator(".lens.queries").focus()
    address = page.url
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "PageDown", " ", "End", "Home"):
        page.keyboard.press(key)
    page.locator(".lens.queries tbody a").first.focus()
    for key in ("ArrowDown", "ArrowLeft", " "):
        page.keyboard.press(key)
    settle(page)
    assert page.url == address, "arrow keys open nothing and sort nothing"
    page.locator(".lens.queries").focus()
    for _ in range(5):  # each head has its name and its menu
        page.keyboard.press("Tab")
    first = page.locator(".lens.queries thead .score").first
    page.keyboard.press("Enter")
    # The link of the table that was there asks for the same again.
    expect(first).to_have_attribute("aria-sort", "ascending")
    settle(page)
    assert parameters(page)["order"] == ["score:dense"]
    expect(page.locator(".lens.queries thead .score a").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(first).to_have_attribute("aria-sort", "descending")
    settle(page)
    assert parameters(page)["order"] == ["-score:dense"]
    expect(page.locator(".lens.queries thead .score a").first).to_be_focused()
    # Its menu, the other six heads, then a link and a star a row.
    for _ in range(16):
        page.keyboard.press("Tab")
    text = query_text(page, 1)
    assert page.evaluate("document.activeElement.textContent") == text
    page.keyboard.press("Enter")
    beside = page.locator(".st-key-beside")
    expect(beside.get_by_role("heading")).to_have_text(text)
    settle(page)
    assert page.evaluate("document.activeElement.textContent") == text
    list_address = page.url
    for key, row in (("ArrowDown", 2), ("ArrowDown", 3), ("ArrowUp", 2)):
        page.keyboard.press(key)
        expect(beside.get_by_role("heading")).to_have_text(query_text(page, row))
        settle(page)
    page.go_back()
    expect(beside).to_have_count(0)
    settle(page)
    assert "open" not in parameters(page)
    page.go_forward()
    expect(beside.get_by_role("heading")).to_have_text(query_text(page, 2))
    settle(page)
    assert page.url != list_address
    page.keyboard.press("Escape")
    expect(beside).to_have_count(0)
    settle(page)
    assert parameters(page)["order"] == ["-score:dense"]


def test_a_query_beside_the_list_leads_to_its_page(sample_app: str, open_page: Opened) -> None:
    page = table_at(open_page, f"{sample_app}/queries?order=text&open=q024")
    beside = page.locator(".st-key-beside")
    assert beside.locator(".ranked").count() == 2
    row: Any = page.locator(".lens.queries").bounding_box()
    shown: Any = beside.bounding_box()
    assert shown["x"] > row["x"] + row["width"] and abs(shown["y"] - row["y"]) < 40
    beside.get_by_role("link", name="Open the full page").click()
    on(page, "Query")
    expect(page.locator(".lens.steps-through")).to_contain_text("of 104")


def test_by_keys_a_head_filters_and_back_undoes_it_in_one_step(
    sample_app: str, open_page: Opened
) -> None:
    page = table_at(open_page, f"{sample_app}/queries?order=text")
    page.wait_for_url(lambda now: "run=" in now)
    before = page.url
    menu_of_head = head(page, "dense −").locator(".opens-menu")
    menu_of_head.focus()
    page.keyboard.press("Enter")
    shown = page.get_by_role("group", name="dense − bm25")
    expect(shown).to_be_visible()
    page.keyboard.press("Escape")
    expect(shown).not_to_be_visible()
    expect(menu_of_head).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(5):  # both orders, Move right, from, to
        page.keyboard.press("Tab")
    page.keyboard.type("-0.2")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("filter="))
    settle(page)
    assert parameters(page)["filter"] == ["difference <= -0.2"]
    expect(page.locator(".lens.listed h2")).to_have_text(re.compile("^6 of 104"))
    expect(menu_of_head).to_be_focused()
    category = page.locator(".lens.queries td.group a.only").first
    value = category.text_content()
    category.click()
    page.wait_for_url(re.compile("category"))
    settle(page)
    assert parameters(page)["filter"] == [f'difference <= -0.2 and category == "{value}"']
    page.go_back()
    settle(page)
    assert parameters(page)["filter"] == ["difference <= -0.2"]
    page.go_back()
    settle(page)
    assert page.url == before


def test_a_range_of_the_strip_lists_its_queries(sample_app: str, open_page: Opened) -> None:
    page = table_at(open_page, f"{sample_app}/queries")
    box = steady(page, ".st-key-chart_sorted .nsewdrag")
    page.mouse.move(box["x"] + 3, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.1, box["y"] + 30, steps=6)
    page.mouse.up()
    page.wait_for_url(re.compile("filter=difference"))
    settle(page)
    expect(page.locator(".lens.listed h2")).to_have_text("10 of 104 queries")
    page.get_by_role("link", name="Clear filters").click()
    settle(page)
    assert "filter" not in parameters(page)
    click_mark(page, "sorted", "q098")
    on(page, "Query")


def test_by_keys_a_column_is_moved_and_back_undoes_it(sample_app: str, open_page: Opened) -> None:
    page = table_at(open_page, f"{sample_app}/queries?cols=words&cols=n:words&cols=by:category")
    page.locator(".st-key-columns button").first.click()
    moves = page.get_by_role("link", name="Move category left")
    moves.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("cols=by%3Acategory&cols=n%3Awords"))
    settle(page)
    expect(head(page, "category")).to_be_visible()
    expect(page.get_by_role("link", name="Move category right")).to_be_visible()
    page.keyboard.press("Escape")
    page.go_back()
    settle(page)
    assert parameters(page)["cols"][-1] == "by:category"


def test_by_touch_a_head_sorts_and_a_row_opens(sample_app: str, open_page: Opened) -> None:
    page = table_at(open_page, f"{sample_app}/queries", width=400, height=800, touch=True)
    head(page, "Query").tap()
    settle(page)
    assert parameters(page)["order"] == ["text"]
    on(page, "All queries")
    cell = page.locator(".lens.queries tbody tr").nth(2).locator(".difference")
    text = query_text(page, 2)
    cell.scroll_into_view_if_needed()
    box: Any = cell.bounding_box()
    page.touchscreen.tap(box["x"] + 20, box["y"] + box["height"] / 2)
    on(page, "Query")
    expect(page.locator("h1")).to_have_text(text)


@pytest.mark.thorough
def test_back_returns_to_the_place(sample_app: str, open_page: Opened) -> None:
    page = table_at(open_page, f"{sample_app}/queries?order=text", width=1200, height=700)
    scroll(page, 600, 900)
    before = place(page)
    assert before[0] > 100 and before[1] == 900
    window: Any = page.locator(".lens.queries").bounding_box()
    page.mouse.click(window["x"] + window["width"] / 2, window["y"] + 200)
    on(page, "Query")
    assert place(page)[0] <= 50, "a page that is opened is seen from its top"
    page.go_back()
    on(page, "All queries")
    page.wait_for_timeout(1500)
    for now, then in zip(place(page), before, strict=True):
        assert abs(now - then) <= 50, (place(page), before)


@pytest.mark.thorough
def test_back_from_a_mark_of_a_chart_returns_too(sample_app: str, open_page: Opened) -> None:
    page = table_at(open_page, f"{sample_app}/queries?view=heatmap", height=400)
    click_mark(page, "heatmap", "q098")
    on(page, "Query")
    # What was scrolled to click it is known only now: it is where Back must lead.
    left = urlsplit(f"{sample_app}/queries").path
    noted: Any = page.evaluate(f"JSON.parse(sessionStorage.getItem('ranklens {left}'))")
    page.go_back()
    on(page, "All queries")
    page.wait_for_timeout(1500)
    assert noted[""][1] > 0 and abs(place(page)[0] - noted[""][1]) <= 50


def test_a_scrolled_table_keeps_its_queries_and_sorted_the_columns_that_are_seen(
    sample_app: str, open_page: Opened
) -> None:
    page = table_at(open_page, f"{sample_app}/queries", width=700, height=800)
    query = page.locator(".lens.queries tbody th").first
    query.scroll_into_view_if_needed()
    before: Any = query.bounding_box()
    page.evaluate("document.querySelector('.lens.queries').scrollLeft = 260")
    after: Any = query.bounding_box()
    assert after["x"] == pytest.approx(before["x"], abs=1)
    left = place(page)[2]
    assert left > 200
    head(page, "hybrid").locator("a").first.dispatch_event("click")
    page.wait_for_url(re.compile("order="))
    settle(page)
    assert abs(place(page)[2] - left) <= 1


@pytest.mark.thorough
def test_next_follows_the_order_and_the_menu_keeps_its_list(
    sample_app: str, open_page: Opened
) -> None:
    page = table_at(open_page, f"{sample_app}/queries?show=worse&order=-score:hybrid", width=1200)
    texts = page.locator(".lens.queries tbody th a").all_text_contents()
    click_row(page, 1)
    on(page, "Query")
    page.locator(".lens.steps-through a.next").click()
    expect(page.locator("h1")).to_have_text(texts[2])
    menu(page, "Overview")
    page.locator(".lens.lists a[href*='list=better']").first.click()
    on(page, "Query")
    expect(page.locator(".lens.steps-through")).to_contain_text("that got better")
    menu(page, "All queries")
    assert page.locator(".lens.queries tbody th a").all_text_contents() == texts


@pytest.mark.thorough
def test_a_filter_is_taken_back_on_the_page(sample_app: str, open_page: Opened) -> None:
    page = table_at(
        open_page, f"{sample_app}/queries?where=category%3DDevices&where=difficulty%3Dhard"
    )
    page.get_by_role("link", name="Clear category: Devices").click()
    settle(page)
    assert parameters(page)["where"] == ["difficulty=hard"]
    page.get_by_role("link", name="Clear difficulty: hard").click()
    settle(page)
    assert "where" not in parameters(page)
    expect(page.get_by_role("heading", name="104 queries", exact=True)).to_be_visible()


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.thorough), 400])
def test_a_missed_document_opens(sample_app: str, open_page: Opened, width: int) -> None:
    page = open_page(f"{sample_app}/query?q=q098", width=width)
    row = page.locator(".lens.missed tbody tr").first
    box = steady(page, ".lens.missed tbody tr")
    text = row.locator(".whole")
    expect(text).not_to_be_visible()
    page.mouse.click(box["x"] + box["width"] - 8, box["y"] + 12)
    expect(text).to_be_visible()
    expect(text).not_to_be_empty()


@pytest.mark.thorough
def test_a_lasso_lists_its_queries_and_a_filter_narrows_the_table(
    sample_app: str, open_page: Opened
) -> None:
    page = table_at(open_page, f"{sample_app}/queries?view=against&tool=lasso")
    box = steady(page, ".st-key-chart_against_lasso .nsewdrag")
    # Around the upper half of the points at the left: bm25 at zero, dense above.
    corners = ((-0.02, 0.0), (0.1, 0.0), (0.1, 0.5), (-0.02, 0.5), (-0.02, 0.02))
    places = [(box["x"] + max(x, 0.004) * box["width"], box["y"] + y * box["height"])
              for x, y in corners]  # fmt: skip
    page.mouse.move(*places[0])
    page.mouse.down()
    for place_ in places[1:]:
        page.mouse.move(*place_, steps=6)
    page.mouse.up()
    page.wait_for_url(re.compile("pick="))
    settle(page)
    picked = parameters(page)["pick"]
    assert 1 < len(picked) < 20
    title = f"{len(picked)} of 104 queries"
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    assert min(scores(page, 1)) > 0.4
    page.get_by_role("link", name="Clear the selection").click()
    settle(page)
    expect(page.get_by_role("heading", name="104 queries", exact=True)).to_be_visible()
    field = page.get_by_role("combobox", name="Search or filter")
    field.fill("bm25 == 0 and dense > 0.4")
    field.press("Enter")
    page.wait_for_url(re.compile("filter="))
    settle(page)
    assert len(scores(page, 1)) >= len(picked) and set(scores(page, 3)) == {0}
