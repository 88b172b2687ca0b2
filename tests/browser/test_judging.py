"""Judging by keys in a real browser: twenty documents, seen in the score, switched off."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard.workspace import Workspace
from metrics_core.comparing.drawn_queries import QueryDraw
from tests.browser.conftest import Opened, running_server, settle


def test_ten_documents_by_keys(tmp_path: Path, open_page: Opened) -> None:
    with running_server(tmp_path / "workspace") as app:
        page = open_page(f"{app}/judge?run=dense&base=bm25")
        asked = page.locator(".judge .card .asked")
        asked.wait_for()
        first = page.locator(".judge .card").inner_text()
        page.keyboard.press("3")
        page.locator(".lens.layered").wait_for()
        buttons = page.locator(".judge .choices")
        settle(page)
        stands = buttons.bounding_box()
        for number in range(1, 11):
            page.keyboard.press("30"[number % 2])
        page.keyboard.press("z")
        expect(page.locator(".judge .progress")).to_have_text(re.compile(r"^10 of \d+ judged"))
        settle(page)
        assert buttons.bounding_box() == stands, "they stay where they are from card to card"
        page.keyboard.press("ArrowDown")
        expect(page.locator(".judge .pending")).to_have_count(0)
        settle(page)
        expect(page.locator(".lens.layered")).to_contain_text("Includes 10 own grades")
        said = page.locator(".judge .side").first.inner_text()
        before, after = re.findall(r"difference\s+(\S+) → (\S+)", said)[0]
        assert before != after
        workspace = Workspace(tmp_path / "workspace")
        (layer,) = workspace.layers.list_layers("sample")
        assert sorted(layer.grades.values()) == [0] * 5 + [3] * 5
        assert layer.name == "me" and page.locator(".judge .card").inner_text() != first
        page.goto(f"{app}/?run=dense&base=bm25&layers={layer.id}")
        settle(page)
        expect(page.locator(".lens.layered")).to_contain_text("Includes 10 own grades")
        off(page)
        expect(page.locator(".lens.layered")).to_have_count(0)


@pytest.mark.thorough
def test_two_visits_judge_at_the_same_time(tmp_path: Path, open_page: Opened) -> None:
    with running_server(tmp_path / "workspace") as app:
        workspace = Workspace(tmp_path / "workspace")
        page = open_page(f"{app}/judge?run=dense&base=bm25")
        page.locator(".judge .card .asked").wait_for()
        page.keyboard.press("3")
        page.locator(".lens.layered").wait_for()
        settle(page)
        other = open_page(f"{app}/judge?run=dense&base=bm25")
        other.get_by_role("button", name="change").click()
        name = other.get_by_label("Your name")
        name.fill("Bo")
        name.press("Enter")
        for key in "1230":
            page.keyboard.press(key)
            other.keyboard.press(key)
        for who in (page, other):
            expect(who.locator(".judge .pending")).to_have_count(0)
            settle(who)
        counts = {layer.name: len(layer) for layer in workspace.layers.list_layers("sample")}
        assert counts == {"me": 5, "Bo": 4}, [p.read_text() for p in tmp_path.rglob("layer-*")]
        page.goto(f"{app}/query?q=q065&run=dense&base=bm25")
        settle(page)
        page.keyboard.press("1")
        expect(page.locator(".judge .progress")).to_have_text(re.compile("^1 of"))
        expect(page.locator(".judge .pending")).to_have_count(0)
        settle(page)
        # A field of the card, as every field, keeps its letters to itself.
        page.locator(".judge .more button").click()
        page.get_by_role("button", name="change").click()
        page.keyboard.type("wnj")
        assert page.get_by_label("Your name").input_value() == "wnj"
        page.keyboard.press("Escape")
        assert [len(layer) for layer in workspace.layers.list_layers("sample")] == [6, 4]


@pytest.mark.thorough
def test_the_queue_reached_from_a_query_shows_its_own_document(
    tmp_path: Path, open_page: Opened
) -> None:
    with running_server(tmp_path / "workspace") as app:
        page = open_page(f"{app}/query?q=q065&run=dense&base=bm25")
        page.locator(".judge .single").scroll_into_view_if_needed()
        page.keyboard.press("1")
        expect(page.locator(".judge .pending")).to_have_count(0)
        settle(page)
        page.locator(".st-key-side_what_if .what-if-links").wait_for()
        page.keyboard.press("w")
        page.locator(".lens.what-if .row").first.wait_for()
        page.keyboard.press("n")
        expect(page.get_by_label("Note", exact=True)).to_be_focused()
        page.get_by_text("Judge all queries").click()
        page.locator(".judge .card").wait_for()
        settle(page)
        expect(page.locator(".judge .card .asked")).not_to_be_empty()
        page.get_by_role("button", name="Random documents").click()
        expect(page.get_by_role("button", name="Random documents")).to_have_attribute(
            "aria-pressed", "true"
        )
        page.get_by_role("switch").click()
        expect(page.locator(".judge .where")).to_have_count(0)
        page.wait_for_url(re.compile("order=random.*blind=on"))
        # Z takes back what was done here, not what was done on the page before.
        page.keyboard.press("z")
        settle(page)
        (layer,) = Workspace(tmp_path / "workspace").layers.list_layers("sample")
        assert len(layer) == 1


def off(page: Page) -> None:
    page.get_by_role("link", name="Exclude").click()
    settle(page)


def test_the_comparison_opens_while_drawn_queries_are_judged(
    tmp_path: Path, open_page: Opened
) -> None:
    with running_server(tmp_path / "workspace") as app:
        page = open_page(f"{app}/judge?run=hybrid&base=bm25&m=P@10&order=drawn")
        page.get_by_role("button", name="Draw 50 queries").click()
        heading = page.locator("h1").filter(has_text="Judge 50 random queries")
        heading.wait_for()
        settle(page)
        page.evaluate("() => { window.notReloaded = true; }")
        progress = page.locator(".judge .progress")
        expect(page.locator(".judge .card")).to_contain_text(
            re.compile(r"Query \d+ of \d+ · document")
        )
        for number in range(300):
            if heading.count() == 0:
                break
            page.keyboard.press("10"[number % 2])
            expect(page.locator(".judge .pending")).to_have_count(0)
        expect(page.locator("h1")).to_contain_text(re.compile("hybrid.*bm25"))
        settle(page)
        assert page.evaluate("() => window.notReloaded"), "it opened by itself"
        workspace = Workspace(tmp_path / "workspace")
        (stored,) = workspace.collection("sample").draws.values()
        lead = page.locator(".lens.answer").inner_text()
        counted = re.findall(rf"on (\d+) of 50 random queries: .*seed {stored['seed']}\.", lead)
        assert counted and int(counted[0]) >= 10
        assert progress.inner_text().startswith(f"{counted[0]} of 50 queries")
        # The same seed gives the same order: the queries were judged in it.
        (layer,) = workspace.layers.list_layers("sample")
        judged = list(dict.fromkeys(query_id for query_id, _ in layer.grades))
        runs = [Path(f"sample_runs/{name}.run").read_text("utf-8") for name in ("hybrid", "bm25")]
        queries = {line.split()[0] for text in runs for line in text.splitlines()}
        order = QueryDraw(stored["seed"], (50,)).judging_order(sorted(queries))
        assert judged == sorted(judged, key=order.index) and set(judged) <= {
            *order[: int(counted[0]) + 1]
        }
