"""Judging by keys in a real browser: twenty documents, seen in the score, switched off."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from dashboard.workspace import Workspace
from tests.browser.conftest import Opened, running_server, settle

WITH = re.compile(r"With (\d+) grades? of the judgment layer")


def test_twenty_documents_by_keys(tmp_path: Path, open_page: Opened) -> None:
    with running_server(tmp_path / "workspace") as app:
        page = open_page(f"{app}/judge?run=dense&base=bm25")
        asked = page.locator(".judge .card .asked")
        asked.wait_for()
        first = page.locator(".judge .card").inner_text()
        for number in range(21):
            page.keyboard.press("30"[number % 2])
        page.keyboard.press("z")
        expect(page.locator(".judge .progress")).to_have_text(re.compile(r"^20 of \d+ judged$"))
        page.keyboard.press("ArrowDown")
        expect(page.locator(".judge .pending")).to_have_count(0)
        settle(page)
        expect(page.locator(".lens.layered")).to_have_text(re.compile("With 20 grades"))
        said = page.locator(".lens.layered-effect").inner_text()
        before, after = re.findall(r"mean difference (\S+) → (\S+)", said)[0]
        assert before != after
        (layer,) = Workspace(tmp_path / "workspace").layers.of("sample")
        assert sorted(layer.grades.values()) == [0] * 10 + [3] * 10
        assert layer.name == "me" and page.locator(".judge .card").inner_text() != first
        off(page)
        expect(page.locator(".lens.layered")).to_have_count(0)
        page.goto(f"{app}/?run=dense&base=bm25&layers={layer.id}")
        settle(page)
        expect(page.locator(".lens.layered")).to_contain_text("With 20 grades")


def off(page: Page) -> None:
    page.get_by_role("link", name="Switch it off").click()
    settle(page)
