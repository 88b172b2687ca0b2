"""The order of the versions by hand in a real browser: dragged, by keys, taken out and put back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opened, settle

BY_NAME = ("bm25", "dense", "hybrid", "titles-only")


def chip(page: Page, name: str) -> Locator:
    return page.locator(f".order .chip[data-name='{name}']")


_STAND = """([shown, asked]) => {
  const chips = [...document.querySelectorAll('.st-key-order *')].find((e) => e.shadowRoot)
    ?.shadowRoot.querySelectorAll('.chip') ?? document.querySelectorAll('.order .chip');
  const held = new URL(location).searchParams.getAll('versions');
  return [...chips].map((c) => c.dataset.name) + '' === shown + '' && held + '' === asked + '';
}"""


def stand(page: Page, *names: str, asked: bool = True) -> None:
    """Wait until the chips are these, and the address holds them, or none."""
    page.wait_for_function(_STAND, arg=[list(names), list(names) if asked else []])


def test_versions_are_dragged_moved_by_keys_taken_out_and_put_back(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(f"{sample_app}/history")
    expect(
        page.get_by_role("heading", name="in this order")
    ).to_be_visible()  # nothing says that they are versions
    page.get_by_role("radio", name="as loaded").click()
    expect(page.get_by_role("heading", name="over 4 versions")).to_be_visible()
    settle(page)
    stand(page, *BY_NAME, asked=False)
    grip = chip(page, "titles-only").locator(".grip")
    grip.scroll_into_view_if_needed()
    start, end = grip.bounding_box(), chip(page, "dense").bounding_box()
    assert start and end
    page.mouse.move(start["x"] + 8, start["y"] + 16)
    page.mouse.down()
    for step in range(1, 6):
        x = start["x"] + (end["x"] + 4 - start["x"]) * step / 5
        page.mouse.move(x, end["y"] + 16)
    expect(page.locator(".order .before")).to_have_attribute("data-name", "dense")
    page.mouse.up()
    stand(page, "bm25", "titles-only", "dense", "hybrid")
    # Quicker than the server: only the last order counts, and the focus stays on the chip.
    chip(page, "bm25").locator(".name").focus()
    for _ in range(3):
        page.keyboard.press("Alt+ArrowRight")
    stand(page, "titles-only", "dense", "hybrid", "bm25")
    expect(page.locator(".order .said")).to_have_text("bm25, now 4 of 4")
    expect(chip(page, "bm25").locator(".name")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Delete")
    stand(page, "titles-only", "dense", "bm25")
    page.get_by_role("button", name="Restore hybrid").click()
    stand(page, "titles-only", "dense", "bm25", "hybrid")
    page.get_by_role("radio", name="by name").click()
    stand(page, *BY_NAME, asked=False)


@pytest.mark.thorough
def test_versions_are_moved_on_a_phone(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/history", width=400, height=800, touch=True)
    expect(chip(page, "hybrid").locator(".mark")).to_have_text("◆")
    page.get_by_role("button", name="Move hybrid earlier").tap()  # no hover and no focus shows it
    stand(page, "bm25", "hybrid", "dense", "titles-only")
    settle(page)  # an order by hand says that they are versions: the rest of the page comes
    touch = page.context.new_cdp_session(page)
    start = chip(page, "bm25").locator(".grip").bounding_box()
    end = chip(page, "titles-only").bounding_box()
    assert start and end
    last = {"x": end["x"] + end["width"] - 5, "y": end["y"] + 16}
    points = [{"x": start["x"] + 8, "y": start["y"] + 16}, {"x": 150, "y": 300}, last]
    for kind, at in zip(("touchStart", "touchMove", "touchMove"), points, strict=True):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    stand(page, "hybrid", "dense", "titles-only", "bm25")
