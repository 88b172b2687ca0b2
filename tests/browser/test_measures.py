"""The measure picker and the page to look measures up, as a person uses them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened, control, settle
from tests.browser.test_paths import menu, on, parameters


def typed(page: Page, name: str) -> None:
    """A name typed into the picker of the measure, and Enter."""
    field = control(page, "measure").get_by_role("combobox", name="Measure")
    field.click()
    field.fill(name)
    field.press("Enter")
    settle(page)


@pytest.mark.thorough
def test_a_measure_by_any_name(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/?m=AP")
    typed(page, "precison@5")
    refusal = page.locator(".lens.explained.warning").first
    expect(refusal).to_contain_text("There is no measure 'precison'. Did you mean P")
    expect(page.locator(".st-key-verdict")).to_contain_text("AP ")
    assert parameters(page)["m"] == ["AP"]
    refusal.get_by_role("link", name="P", exact=True).click()
    settle(page)
    expect(page.locator(".st-key-verdict")).to_contain_text("P@10 ")
    typed(page, "ndcg_cut_5")
    expect(page.locator(".st-key-verdict")).to_contain_text("nDCG@5 ")
    expect(page.locator(".lens.explained.warning")).to_have_count(0)
    typed(page, "P(rel=2)@k")
    expect(page.locator(".st-key-verdict")).to_contain_text("P(rel=2)@5 ")


def test_a_measure_is_looked_up_and_used(sample_app: str, open_page: Opened) -> None:
    page = open_page(sample_app)
    menu(page, "Measures")
    search = page.get_by_role("textbox", name="Search the measures")
    search.fill("hit rate")
    search.press("Enter")
    settle(page)
    page.locator(".catalogue a").first.click()
    settle(page)
    expect(page.locator("h1")).to_contain_text("Success")
    expect(page.locator(".katex").first).to_be_visible()
    page.get_by_role("link", name="Use in this comparison").click()
    on(page, "Overview")
    expect(page.locator(".st-key-verdict")).to_contain_text("Success@10 ")
