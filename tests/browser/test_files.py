"""Files taken in through the browser: read, remembered, refused, removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened, running_server, settle

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
GOOD = "q1 Q0 d1 1 3.0 good\nq1 Q0 d2 2 2.0 good\nq2 Q0 d3 1 1.0 good\n"
POOR = "q1 Q0 d2 1 3.0 poor\nq1 Q0 d1 2 2.0 poor\nq2 Q0 d9 1 1.0 poor\n"
BROKEN = "q1 Q0 d1 1 3.0 broken\nq1 Q0 d2 2 broken\n"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[str]:
    """A dashboard with an empty workspace."""
    with running_server(tmp_path / "workspace") as address:
        yield address


def upload(page: Page, *files: tuple[str, str]) -> None:
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(
        [{"name": n, "mimeType": "text/plain", "buffer": t.encode()} for n, t in files]
    )
    page.wait_for_timeout(300)
    settle(page)


def test_upload_compare_reload_remove(app: str, open_page: Opened) -> None:
    page = open_page(f"{app}/data")
    upload(page, ("my.qrels", QRELS), ("good.run", GOOD), ("poor.run", POOR))
    expect(page.locator("h1")).to_contain_text("Three files are loaded")
    page.goto(app)
    settle(page)
    expect(page.locator("h1")).to_contain_text("Only 2 queries")
    expect(page.get_by_text("1.000").first).to_be_visible()
    page.reload()
    settle(page)
    expect(page.locator("h1")).to_contain_text("Only 2 queries")
    page = open_page(f"{app}/data")
    page.get_by_text("Preview or remove").click()
    page.get_by_role("button", name="Remove", exact=True).first.click()
    settle(page)
    expect(page.locator("h1")).to_contain_text("Two files are loaded")


def test_a_long_run_streams_to_the_disk_and_a_full_one_is_told(
    app: str, open_page: Opened, tmp_path: Path
) -> None:
    rows = (f"q{1 + n % 2} Q0 doc-{n:09} 1 {n / 100_000:.5f} long\n" for n in range(150_000))
    run, place = tmp_path / "long.run", tmp_path / "workspace" / "arriving"
    run.write_text("q1 Q0 d1 1 9.0 long\n" + "".join(rows))
    page = open_page(f"{app}/data?set=own")
    place.write_text("where a folder belongs")
    chosen = page.locator("[data-testid=stFileUploader] input[type=file]")
    chosen.set_input_files(run)
    told = page.locator(".lens.receipt").filter(has_text="long.run was not added")
    expect(told).to_contain_text("could not be written")
    expect(page.get_by_text("was cut off")).to_have_count(0)
    place.unlink()
    upload(page, ("my.qrels", QRELS))
    # The field in which the next file is chosen is a new one.
    expect(page.locator("h1")).to_contain_text("One file is loaded")
    settle(page)
    chosen.set_input_files(run)
    # 4 MB are sent, written and read, beside whatever else this machine does.
    expect(page.locator("h1")).to_contain_text("Two files are loaded", timeout=60_000)
    expect(page.get_by_text("150,001").first).to_be_visible()
    settle(page)
    assert not list(place.glob("*.part"))


def test_a_broken_file_says_line_found_expected_and_mend(app: str, open_page: Opened) -> None:
    page = open_page(f"{app}/data?set=own")
    upload(page, ("my.qrels", QRELS), ("good.run", GOOD), ("broken.run", BROKEN))
    card = page.locator("main, [data-testid=stMain]").first
    expect(card).to_contain_text("broken.run was not loaded: line 2")
    expect(card).to_contain_text("q1 Q0 d2 2 broken")
    expect(card).to_contain_text("how to fix it")
    expect(card).not_to_contain_text("Traceback")
    expect(page.locator(".lens.answer")).to_contain_text("One could not be read")


def test_a_first_visit_without_the_example(app: str, open_page: Opened) -> None:
    page = open_page(f"{app}/?set=own")
    expect(page.locator("h1")).to_contain_text("Which of two is better")
    page.get_by_role("button", name="Open the example").click()
    settle(page)
    expect(page.locator(".lens.answer")).to_contain_text("nDCG@10")


def test_ids_and_names_with_markup_are_shown_as_text(app: str, open_page: Opened) -> None:
    page = open_page(f"{app}/data")
    name = "<b>bold</b>"
    run = GOOD.replace("d1", "<img/src=x>")
    upload(page, ("my.qrels", QRELS), (f"{name}.run", run), ("poor.run", POOR))
    expect(page.locator("h1")).to_contain_text("Three files are loaded")
    page.goto(f"{app}/query?q=q1")
    settle(page)
    expect(page.get_by_text("<img/src=x>").first).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
