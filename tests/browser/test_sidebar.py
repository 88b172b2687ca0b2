"""The sidebar: what a measure's name means, long names, the drawer of a narrow screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened, running_server, settle

LONG = ["a-rather-long-name-of-a-run-base-seed1", "a-rather-long-name-of-a-run-large-seed1"]


def type_measure(page: Page, text: str) -> None:
    field = page.get_by_role("combobox", name="Measure")
    field.click()
    field.press("Control+a")
    field.press_sequentially(text)


@pytest.mark.parametrize(
    ("typed", "says", "measure"),
    [
        ("ndcg", "ndcg = nDCG", "nDCG@10"),
        ("recip_rank", "recip_rank = RR", "RR"),
        ("P(rel=2)@5", "Use P(rel=2)@5", "P(rel=2)@5"),
    ],
)
def test_a_typed_measure_says_what_it_stands_for(
    sample_app: str, open_page: Opened, typed: str, says: str, measure: str
) -> None:
    page = open_page(f"{sample_app}/?m=P@k")
    type_measure(page, typed)
    expect(page.get_by_role("option").first).to_have_attribute("data-says", says)
    listed = page.get_by_role("option").nth(1)
    if "=" in says.removeprefix("Use P(rel=2)"):
        expect(listed).to_contain_text(f"{says.split(' = ')[1]} · ")
    page.keyboard.press("Enter")
    settle(page)
    expect(page.locator("h1")).to_contain_text(f"on {measure}")


@pytest.mark.thorough
def test_a_choice_closes_the_drawer_of_a_narrow_screen(sample_app: str, open_page: Opened) -> None:
    page = open_page(sample_app, width=400, height=860)
    open_drawer = page.get_by_test_id("stExpandSidebarButton")
    open_drawer.click()
    page.get_by_role("button", name="titles-only").click()
    settle(page)
    expect(page.locator(".lens.drawer")).to_be_visible()
    page.locator(".lens.drawer a", has_text="Curves").click()
    expect(open_drawer).to_be_visible()
    expect(page.locator(".lens.drawer")).not_to_be_in_viewport()
    settle(page)
    open_drawer.click()
    page.wait_for_timeout(600)  # a list closes while the drawer still moves
    page.locator(".st-key-w_run input").click()
    page.get_by_role("option", name="titles-only").click()
    expect(page.locator("h1")).to_contain_text("titles-only")
    expect(open_drawer).to_be_visible()


def test_a_wide_screen_keeps_its_sidebar(sample_app: str, open_page: Opened) -> None:
    page = open_page(sample_app)
    type_measure(page, "mrr")
    page.keyboard.press("Enter")
    settle(page)
    expect(page.get_by_role("combobox", name="Measure")).to_be_in_viewport()


@pytest.mark.thorough
def test_a_shortened_name_is_whole_for_eye_and_ear(tmp_path: Path, open_page: Opened) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "j.qrels").write_text("q1 0 d1 1\n")
    for name in ("bm25", *LONG):
        (tmp_path / "files" / f"{name}.run").write_text(f"q1 Q0 d{len(name)} 1 2.0 x\n")
    with running_server(tmp_path / "workspace", tmp_path / "files") as address:
        page = open_page(f"{address}/?run={LONG[0]}&base=bm25")
        pill = page.get_by_role("button", name=LONG[1])
        expect(pill).to_have_attribute("title", LONG[1])
        assert "…" in pill.inner_text()
        expect(page.locator(".st-key-w_run input")).to_have_attribute("title", LONG[0])


def test_a_table_that_goes_on_says_so_at_its_edge(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/?m=RBP", width=1024, height=720)
    table = page.locator(".lens.measures")
    assert table.evaluate("e => e.scrollWidth > e.clientWidth")
    assert "local, scroll" in table.evaluate("e => getComputedStyle(e).backgroundAttachment")
    first = table.get_by_role("rowheader").first
    table.evaluate("e => e.scrollLeft = 200")
    assert first.evaluate("e => getComputedStyle(e).position") == "sticky"


def test_the_tab_key_enters_the_row_of_k_at_the_chosen_one(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(f"{sample_app}/?k=5")
    buttons = page.locator(".st-key-w_k [role=radio]")
    page.get_by_role("combobox", name="Measure").focus()
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "radio":
            break
    expect(buttons.filter(has_text="5").first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(buttons.nth(3)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") != "radio"
    page.locator(".st-key-w_k [role=radio]").first.click()
    settle(page)
    expect(page).to_have_url(re.compile("k=1(&|$)"))
