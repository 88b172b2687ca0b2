"""A note and a tag on a query outlive the server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opened, running_server, settle


def test_by_keys_a_star_is_set_and_lists_its_query(open_page: Opened, tmp_path: Path) -> None:
    with running_server(tmp_path / "workspace") as address:
        page = open_page(f"{address}/query?q=q065&set=sample")
        star = page.locator(".lens.query-head").get_by_role("button", name="Star")
        expect(star).to_have_attribute("aria-pressed", "false")
        star.focus()
        page.keyboard.press("Enter")
        expect(star).to_have_attribute("aria-pressed", "true")
        expect(star).to_be_focused()
        settle(page)
        page.goto(f"{address}/queries?set=sample")
        page.get_by_role("radio", name="★ starred 1").click()
        settle(page)
        row = page.locator(".lens.queries tbody tr")
        expect(row).to_have_count(1)
        row.get_by_role("button", name="Star").focus()
        page.keyboard.press(" ")
        expect(page.get_by_role("radio", name="★ starred 1")).to_have_count(0)


def test_by_keys_a_view_is_saved_opened_renamed_and_deleted(
    open_page: Opened, tmp_path: Path
) -> None:
    with running_server(tmp_path / "workspace") as address:
        page = open_page(f"{address}/queries?set=sample&show=worse&order=text")
        page.get_by_role("button", name="Save this view").focus()
        page.keyboard.press("Enter")
        page.get_by_label("Name of this view").focus()
        page.keyboard.type("Worse, A to Z")
        page.keyboard.press("Enter")
        saved = page.locator(".lens.pages").get_by_role("link", name="Worse, A to Z")
        expect(saved).to_have_attribute("aria-current", "page")
        settle(page)
        typed = page.get_by_label("Saved view")
        typed.fill("Worst")
        page.keyboard.press("Enter")
        renamed = page.locator(".lens.pages").get_by_role("link", name="Worst", exact=True)
        expect(renamed).to_be_visible()
        settle(page)
        page.keyboard.press("Escape")
        page.goto(f"{address}/?set=sample")
        settle(page)
        renamed.focus()
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("order=text"))
        expect(page.get_by_text("21 of 104 queries").first).to_be_visible()
        page.get_by_role("button", name="Save this view").click()
        page.get_by_role("button", name="Delete").click()
        expect(renamed).to_have_count(0)


@pytest.mark.thorough
def test_a_note_is_kept_over_a_restart(open_page: Opened, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    with running_server(workspace) as address:
        page = open_page(f"{address}/query?q=q065&set=sample")
        page.get_by_role("textbox", name="Note").fill("the <b>stemmer</b>")
        page.get_by_role("textbox", name="Tag").fill("cause: stemming")
        # Sent twice, as by an impatient hand; the second time with nothing in it.
        page.get_by_role("button", name="Save", exact=True).dblclick()
        expect(page.locator(".lens.noted .note-text")).to_have_text("the <b>stemmer</b>")
        settle(page)
        shown = page.url.removeprefix(address)
        page.goto("about:blank")  # nobody asks the next server with this one's cookie
    with running_server(workspace) as address:
        page = open_page(f"{address}{shown}")
        expect(page.locator(".lens.noted .note-text")).to_have_text("the <b>stemmer</b>")
        expect(page.get_by_role("button", name="cause: stemming")).to_be_visible()
        page.goto(f"{address}/queries?set=sample")
        page.get_by_role("button", name="more").click()
        chip = page.get_by_role("radio", name="cause: stemming 1")
        chip.click()
        settle(page)
        expect(page.get_by_text("1 of 104 queries").first).to_be_visible()
