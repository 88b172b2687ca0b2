"""Collections in the real browser: side by side, renamed, copied, removed, out and in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opened, control, running_server, settle, upload
from tests.browser.test_files import GOOD, POOR, QRELS


@pytest.fixture
def app(tmp_path: Path) -> Iterator[str]:
    """A dashboard with an empty workspace."""
    with running_server(tmp_path / "workspace") as address:
        yield address


def row_of(page: Page, name: str) -> Locator:
    named = page.locator(".lens.collection a", has_text=name)
    return page.locator("[class*=st-key-collection_]").filter(has=named).first


def acts_on(page: Page, name: str) -> Locator:
    """What can be done with a collection, opened."""
    row_of(page, name).get_by_role("button", name="Actions for").click()
    return page.locator("[data-testid=stPopoverBody]")


def make_collection(page: Page, app: str, name: str, *files: tuple[str, str]) -> str:
    """Make a collection through the page; its address."""
    page.goto(f"{app}/collections")
    settle(page)
    page.get_by_role("button", name="New collection").click()
    body = page.locator("[data-testid=stPopoverBody]")
    body.get_by_label("Collection name").fill(name)
    body.get_by_role("button", name="Create and open").click()
    settle(page)
    upload(page, *files)
    return page.url


@pytest.mark.thorough
def test_two_collections_in_two_tabs_each_with_its_own_state(app: str, open_page: Opened) -> None:
    one = open_page(app)
    make_collection(one, app, "Good ones", ("j.qrels", QRELS), ("good.run", GOOD))
    other = one.context.new_page()
    make_collection(other, app, "Poor ones", ("j.qrels", QRELS), ("poor.run", POOR))
    for page, run in ((one, "good"), (other, "poor")):
        page.locator(".lens.pages a", has_text="Overview").click()
        settle(page)
        expect(page.locator("h1")).to_contain_text(f"{run} scores")
    control(one, "measure").locator(".st-key-w_k [role=radio]").first.click()
    settle(one)
    expect(one.locator("h1")).to_contain_text("good scores 1.000 on nDCG@1")
    other.reload()
    settle(other)
    expect(other.locator("h1")).to_contain_text("poor scores")
    expect(other.locator("h1")).to_contain_text("nDCG@10")
    # With neither asked for, the one that was opened last is open, and the rail leads to the other.
    other.goto(app)
    settle(other)
    expect(other.locator("h1")).to_contain_text("poor scores")
    other.locator(".st-key-collections button").first.click()
    other.locator(".lens.shelf a", has_text="Good ones").click()
    settle(other)
    expect(other.locator("h1")).to_contain_text("good scores")


@pytest.mark.thorough
def test_renamed_copied_removed_undone(app: str, open_page: Opened) -> None:
    page = open_page(app)
    link = make_collection(page, app, "First", ("j.qrels", QRELS), ("good.run", GOOD))
    page.goto(f"{app}/collections")
    settle(page)
    body = acts_on(page, "First")
    body.get_by_label("New name").fill("<b>Ours</b>")
    body.get_by_label("New name").press("Tab")
    body.get_by_role("button", name="Rename").click()
    settle(page)
    expect(page.locator(".lens.collection a").first).to_have_text("<b>Ours</b>")
    acts_on(page, "<b>Ours</b>").get_by_role("button", name="Duplicate").click()
    settle(page)
    expect(page.locator("h1")).to_contain_text("Three collections")
    acts_on(page, "Ours</b>, copy").get_by_role(
        "button", name="Remove the collection and its 2 files"
    ).click()
    settle(page)
    expect(page.locator("h1")).to_contain_text("Two collections")
    page.get_by_role("button", name="Undo").click()
    settle(page)
    expect(page.locator("h1")).to_contain_text("Three collections")
    page.goto(link)  # by its id, whatever its name
    settle(page)
    expect(page.locator("h1")).to_contain_text("good scores 1.000")


@pytest.mark.thorough
def test_out_as_one_file_and_in_again(app: str, open_page: Opened, tmp_path: Path) -> None:
    page = open_page(app)
    make_collection(page, app, "Kept", ("j.qrels", QRELS), ("good.run", GOOD))
    page.goto(f"{app}/collections")
    settle(page)
    with page.expect_download() as download:
        acts_on(page, "Kept").get_by_role("button", name="Download as ZIP").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.name == "Kept.zip"
    upload(page, (path.name, path.read_bytes()))
    expect(page.locator("[data-testid=stMain]")).to_contain_text("“Kept” was imported")
    expect(page.locator(".lens.collection a", has_text="Kept")).to_have_count(2)
    page.locator(".lens.pages a", has_text="Overview").click()
    settle(page)
    expect(page.locator("h1")).to_contain_text("good scores 1.000")


@pytest.mark.thorough
def test_a_file_over_the_limit_says_so_also_beside_others(
    app: str, open_page: Opened, tmp_path: Path
) -> None:
    large, small = tmp_path / "large.run", tmp_path / "good.run"
    with large.open("wb") as file:
        file.truncate(1100 * 2**20)  # takes no room
    small.write_text(GOOD)
    page = open_page(f"{app}/data?set=own")
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files([large, small])
    main = page.locator("[data-testid=stMain]")
    expect(main).to_contain_text("large.run is larger than 1 GB")
    settle(page)
    expect(main).to_contain_text("good.run", timeout=30_000)  # an upload may take its time
    expect(main).to_contain_text("large.run is larger than 1 GB")
