"""Files taken in through the browser: read, remembered, refused, removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened, running_server, settle, upload

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
GOOD = "q1 Q0 d1 1 3.0 good\nq1 Q0 d2 2 2.0 good\nq2 Q0 d3 1 1.0 good\n"
POOR = "q1 Q0 d2 1 3.0 poor\nq1 Q0 d1 2 2.0 poor\nq2 Q0 d9 1 1.0 poor\n"
BROKEN = "q1 Q0 d1 1 3.0 broken\nq1 Q0 d2 2 broken\n"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[str]:
    """A dashboard with an empty workspace."""
    with running_server(tmp_path / "workspace") as address:
        yield address


def lists(row: str, of: str, first: int, doc: str = "{}") -> str:
    """A line for each of two results of twelve queries: the relevant one, `d`, comes first in all
    queries but the `first` ones."""
    lines = []
    for number in range(12):
        order = ("x", "d") if number < first else ("d", "x")
        docs = [doc.format(f"{letter}{number}") for letter in order]
        lines.append(row.format(q=f"q{number}", one=docs[0], two=docs[1], of=of))
    return "".join(lines)


JUDGED = "".join(f"q{n} 0 d{n} 1\nq{n} 0 x{n} 0\n" for n in range(12))
IN_TREC = "{q} Q0 {one} 1 2.0 {of}\n{q} Q0 {two} 2 1.0 {of}\n"
AS_LISTS = '{{"query_id": "{q}", "retrieved_ids": ["{one}", "{two}"]}}\n'
AS_CSV = "{q},{one},0.9\n{q},{two},0.4\n"
POOR_FIRST, VERDICT = 11, "dense beats bm25"


def verdict(page: Page) -> None:
    """From the files to what they say."""
    expect(page.locator(".lens.result")).to_contain_text(VERDICT)
    page.get_by_role("link", name="See the comparison").click()
    settle(page)
    expect(page.locator("h1")).to_contain_text(VERDICT)


def files_page(page: Page) -> None:
    """From the line that names the files to their page."""
    page.locator(".lens.arrived a").click()
    settle(page)


def test_search_from_the_first_run_to_the_verdict(app: str, open_page: Opened) -> None:
    page = open_page(app)
    page.get_by_role("button", name="Open your files").first.click()
    settle(page)
    expect(page.locator(".lens.steps").first).to_contain_text("q1,doc12,14.2")
    expect(page.get_by_role("link", name="All formats")).to_be_visible()
    runs = [(f"{of}.run", lists(IN_TREC, of, n)) for of, n in (("dense", 0), ("bm25", POOR_FIRST))]
    upload(page, *runs)
    expect(page.locator("h1")).to_contain_text("dense changes the top 10 of 11 of 12 queries")
    expect(page.locator(".st-key-collections")).to_contain_text("12 queries · 2 runs")
    files_page(page)
    upload(page, ("my.qrels", JUDGED))
    expect(page.locator("h1")).to_contain_text(VERDICT)
    expect(page.locator(".lens.arrived")).to_contain_text("One file is loaded: my.qrels")
    expect(page.get_by_role("button", name="Open your files")).to_have_count(0)
    files_page(page)
    expect(page.locator("h1")).to_contain_text("Three files are loaded")
    verdict(page)
    page.reload()
    settle(page)
    shown = page.locator("h1").inner_text()
    link = page.url

    # What may be judgments changes nothing that is shown, and is asked.
    page.goto(f"{app}/data")
    settle(page)
    upload(page, ("llm_out.json", '{"q1": {"d1": 0, "x1": 3}, "q2": {"d2": 0, "x2": 1}}'))
    told = page.locator(".lens.receipt").filter(has_text="llm_out.json was read as judgments")
    expect(told).to_contain_text("is not in use, because my.qrels is in use")
    expect(page.get_by_role("button", name="It is a run")).to_be_visible()
    expect(page.locator(".lens.result")).to_contain_text(VERDICT)
    page.goto(link)
    settle(page)
    assert page.locator("h1").inner_text() == shown

    page.goto(f"{app}/data")
    settle(page)
    page.get_by_text("Change or remove files").click()
    page.get_by_role("button", name="Remove", exact=True).first.click()
    settle(page)
    expect(page.locator("h1")).to_contain_text("Three files are loaded")


@pytest.mark.thorough
def test_rag_chunks_count_as_their_documents_by_the_button_and_back(
    app: str, open_page: Opened
) -> None:
    page = open_page(f"{app}/data?set=own")
    page.get_by_role("radio", name="RAG").click()
    settle(page)
    expect(page.locator(".lens.steps").first).to_contain_text("kb-12#3")
    runs = [
        (f"{of}.jsonl", lists(AS_LISTS, of, n, "{}#3"))
        for of, n in (("dense", 0), ("bm25", POOR_FIRST))
    ]
    upload(page, ("gold.qrels", JUDGED), *runs)
    main = page.locator("[data-testid=stMain]")
    expect(main).to_contain_text("0 of 24 judged documents match the run")
    page.get_by_role("button", name="Map these ids").click()
    settle(page)
    expect(main).to_contain_text("Ids are mapped")
    expect(page.locator(".lens.result")).to_contain_text(VERDICT)
    page.get_by_role("button", name="Undo the mapping").click()
    settle(page)
    expect(page.locator(".lens.result")).not_to_contain_text(VERDICT)
    page.get_by_role("button", name="Map these ids").click()
    settle(page)
    verdict(page)


AS_FOUND = (
    '{{"for": "{q}", "found": [{{"key": "{one}", "fit": 0.9}}, {{"key": "{two}", "fit": 0.4}}]}}\n'
)


def test_a_file_of_unknown_shape_is_read_by_one_click_and_the_next_without_a_question(
    app: str, open_page: Opened
) -> None:
    page = open_page(f"{app}/data?set=own")
    page.get_by_role("radio", name="Recommender").click()
    settle(page)
    expect(page.locator(".lens.steps").first).to_contain_text("userId,movieId,rating")
    ratings = JUDGED.replace(" 0 ", ",", 24).replace(" ", ",")
    upload(
        page,
        ("test.csv", f"user,item,rating\n{ratings}"),
        ("bm25.jsonl", lists(AS_FOUND, "bm25", POOR_FIRST)),
    )
    expect(page.locator("h1")).to_contain_text("One of two files needs a look")
    rows = page.locator("[class*=st-key-field_]")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("all 12 are query ids of test.csv")
    expect(rows.nth(1)).to_contain_text("all 24 are judged in test.csv")
    expect(rows.nth(2)).to_contain_text("falls from row to row in all 12 lists")
    first = page.locator(".lens.read-rows tbody tr").first
    expect(first).to_contain_text("x0")
    # What a select changes is seen at once.
    page.get_by_role("combobox", name="Best is").click()
    page.get_by_role("option", name="smallest is best").click()
    settle(page)
    expect(first).to_contain_text("d0")
    page.get_by_role("combobox", name="Best is").click()
    page.get_by_role("option", name="largest is best").click()
    settle(page)
    expect(first).to_contain_text("x0")
    page.get_by_role("button", name="Import as a run").click()
    settle(page)
    page.goto(f"{app}/data")
    settle(page)
    upload(page, ("dense.jsonl", lists(AS_FOUND, "dense", 0)))
    page.goto(f"{app}/data")
    settle(page)
    expect(page.locator("h1")).to_contain_text("Three files are loaded")
    expect(page.locator(".lens.files")).to_contain_text("read as before: query from for")
    verdict(page)


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
    expect(page.locator(".lens.arrived")).to_contain_text("long.run (run)", timeout=60_000)
    files_page(page)
    expect(page.locator("h1")).to_contain_text("Two files are loaded")
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
    expect(page.locator("h1")).to_contain_text("Compare two systems")
    page.get_by_role("button", name="Open the example").click()
    settle(page)
    expect(page.locator(".st-key-verdict")).to_contain_text("nDCG@10")


@pytest.mark.thorough
def test_ids_and_names_with_markup_are_shown_as_text(app: str, open_page: Opened) -> None:
    page = open_page(f"{app}/data")
    name = "<b>bold</b>"
    run = GOOD.replace("d1", "<img/src=x>")
    upload(page, ("my.qrels", QRELS), (f"{name}.run", run), ("poor.run", POOR))
    expect(page.locator(".lens.arrived")).to_contain_text("Three files are loaded")
    page.goto(f"{app}/query?q=q1")
    settle(page)
    expect(page.get_by_text("<img/src=x>").first).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
