"""Ranking in the browser: a cell opens its pair, by mouse and by keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opened, settle


@pytest.mark.parametrize("by_keys", [False, True], ids=["mouse", "keys"])
def test_a_cell_opens_its_pair(sample_app: str, open_page: Opened, by_keys: bool) -> None:
    page = open_page(f"{sample_app}/pairs")
    cell = page.locator(".lens.all-pairs").get_by_role("row", name="bm25").get_by_role("link").last
    expect(cell).to_contain_text("significant")
    if by_keys:
        cell.focus()
        page.keyboard.press("Enter")
    else:
        cell.click()
    page.wait_for_url("**run=bm25&base=titles-only**")
    settle(page)
    expect(page.locator("h1")).to_contain_text("bm25")


def test_the_triangle_is_a_file(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/pairs")
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG of every pair").click()
    assert download.value.suggested_filename == "ranklens-pairs-nDCG@10-vs-bm25-sample.svg"
    assert "titles-only" in download.value.path().read_text()
