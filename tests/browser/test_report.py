"""A report from the disk, in a browser without a network: it asks for nothing, sorts and finds, is
shown in a meeting by keys, and axe finds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.start import main
from dashboard.workspace.exports.packing import is_packed_collection
from dashboard.workspace.exports.report_data import extract_packed_collection, is_page_with_data
from tests.browser.conftest import Opened, settle
from tests.browser.test_accessibility import axe as axe
from tests.dashboard.drawing.report.test_document import text_of

SAMPLE = Path(__file__).parents[2] / "sample_runs"


@pytest.fixture(scope="module")
def report_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "report.html"
    runs = [str(SAMPLE / f"{name}.run") for name in ("bm25", "dense", "hybrid", "titles-only")]
    given = [
        "--queries",
        str(SAMPLE / "queries.csv"),
        "--documents",
        str(SAMPLE / "articles.jsonl"),
        "--with-data",
    ]
    assert main(["report", str(SAMPLE / "qrels.txt"), *runs, *given, "-o", str(out)]) == 0
    return out


@pytest.fixture
def page(browser: Browser, report_file: Path) -> Iterator[Page]:
    """The report, with what it asked for and complained of."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True)
    shown = context.new_page()
    problems: list[str] = []
    shown.on("pageerror", lambda error: problems.append(str(error)))
    shown.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    shown.on(
        "request",
        lambda r: (
            problems.append(r.url) if not r.url.startswith(("file:", "data:", "blob:")) else None
        ),
    )
    shown.goto(report_file.as_uri())
    yield shown
    context.close()
    assert not problems


def first_query(page: Page) -> str:
    return page.locator(".every tbody tr:not([hidden]) th").first.inner_text()


def test_the_table_of_queries_sorts_and_finds(page: Page) -> None:
    rows = page.locator(".every tbody tr:not([hidden])")
    expect(page.locator(".every tbody tr:visible")).to_have_count(20)
    page.get_by_role("button", name="Show all 104 queries").click()
    expect(page.locator(".every tbody tr:visible")).to_have_count(104)
    assert rows.count() == 104 and first_query(page) == "vinegar for the robot"
    page.get_by_role("button", name="dense − bm25").click()
    assert first_query(page) == "vinegar for the robot"
    page.get_by_role("button", name="dense − bm25").click()
    assert first_query(page) == "fingrprints not recogniced"
    page.get_by_role("searchbox").fill("refund")
    assert 0 < rows.count() < 20 and "of 104" in page.locator(".finding .said").inner_text()
    page.get_by_role("searchbox").fill("")
    page.locator(".tally a", has_text="worse").click()
    expect(rows).to_have_count(21)
    page.get_by_role("button", name="All 104").click()
    expect(rows).to_have_count(104)


def test_it_gives_the_data_that_it_carries(page: Page) -> None:
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the data").click()
    assert download.value.suggested_filename == "The-example.zip"
    assert is_packed_collection(Path(download.value.path()))


def test_charts_are_drawn_and_cases_are_reached(page: Page) -> None:
    boxes = [each.bounding_box() for each in page.locator("main .panels svg").all()]
    assert len(boxes) == 3 and all(
        box and box["width"] > 200 and box["height"] > 200 for box in boxes
    )
    page.locator(".every tbody th a", has_text="vinegar").click()
    assert page.locator("#case-1").bounding_box()["y"] < 300  # type: ignore[index]
    # A folded one is opened by its link.
    expect(page.locator("#case-4")).not_to_be_visible()
    page.locator(".every tbody th a", has_text="selling my flat").click()
    expect(page.locator("#case-4")).to_be_visible()


# What is wrong with the screen that is shown: a part over the one before it or wider than the
# screen, and, unless a phone scrolls it, a part below its end or a text smaller than `least` px.
WRONG = """(least) => {
  const root = document.querySelector('.ranklens-meeting')?.shadowRoot ?? document;
  const screen = root.querySelector('.slide:not([hidden])'), wrong = [];
  const boxes = [...screen.children].map((part) => part.getBoundingClientRect());
  const foot = root.querySelector('.slides-foot').getBoundingClientRect();
  if (!boxes.slice(1).every((box, i) => box.top >= boxes[i].bottom - 1)) wrong.push('over');
  if (screen.getBoundingClientRect().bottom > foot.top + 1) wrong.push('over the foot');
  if (screen.scrollWidth > screen.clientWidth + 1) wrong.push('too wide');
  if (!least) return wrong;
  if (screen.scrollHeight > screen.clientHeight + 1) wrong.push('too high');
  const texts = document.createTreeWalker(screen.parentElement, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const part = texts.currentNode.parentElement, svg = part.closest('svg');
    const unseen = part.closest('.unseen, title') || !part.checkVisibility();
    const zoom = svg ? part.getScreenCTM?.().a ?? 0 : part.currentCSSZoom;
    const size = parseFloat(getComputedStyle(part).fontSize) * zoom;
    const small = texts.currentNode.data.trim() && size < least - 0.05;
    if (small && !unseen) wrong.push([texts.currentNode.data, size]);
  }
  return wrong;
}"""


def test_the_meeting_is_moved_by_keys(page: Page) -> None:
    page.get_by_role("button", name="Present").click()
    answers = []
    for number in range(1, 8):
        page.wait_for_url(f"**#screen-{number}")
        answer = page.locator(".slide:not([hidden])")
        expect(page.locator(".slide").nth(number - 1)).to_be_visible()
        assert answer.count() == 1
        answers.append(answer.locator(".answer").inner_text())
        for width, height, least in ((1920, 1080, 27), (390, 844, 0), (1280, 720, 18)):
            page.set_viewport_size({"width": width, "height": height})
            # Listeners are told before the next frame.
            page.evaluate("new Promise((done) => requestAnimationFrame(() => done()))")
            assert page.evaluate(WRONG, least) == [], (answers[-1], width)
        rows = answer.locator("tbody tr, .reasons > div").count()
        assert rows <= 8, answers[-1]
        page.keyboard.press("ArrowRight")
    assert (
        "dense beats bm25" in answers[0]
        and answers[6] == "Judging 70 documents could rule out a reversal"
    )
    assert len(set(answers)) == 7
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**#screen-6")
    page.keyboard.press("Escape")
    expect(page.locator(".slide:not([hidden])")).to_have_count(0)
    expect(page.locator("main")).to_be_visible()
    expect(page.get_by_role("button", name="Present")).to_be_focused()
    # Without keys, as on a phone: a press behind the last screen leads back.
    page.get_by_role("button", name="Present").click()
    for number in range(1, 8):
        page.wait_for_url(f"**#screen-{number}")
        # At its edge: in the middle there may be a link.
        expect(page.locator(".slide").nth(number - 1)).to_be_visible()
        page.mouse.click(4, 4)
    expect(page.locator(".slide:not([hidden])")).to_have_count(0)


@pytest.mark.parametrize(
    ("width", "scheme"), [(1440, "light"), pytest.param(390, "dark", marks=pytest.mark.thorough)]
)
def test_axe_finds_nothing(page: Page, axe: str, width: int, scheme: Any) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.reload()
    page.evaluate(axe)
    found: Any = page.evaluate("axe.run({exclude: ['svg']}, {resultTypes: ['violations']})")
    assert [(v["id"], [n["html"][:150] for n in v["nodes"][:3]]) for v in found["violations"]] == []
    assert page.evaluate("[document.documentElement.scrollWidth, innerWidth]") == [width, width]


def test_it_is_saved_from_a_page(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/breakdown?m=AP")
    page.get_by_role("button", name="Save report").click()
    dialog = page.get_by_role("dialog")

    def saved() -> str:
        settle(page)
        with page.expect_download() as download:
            dialog.get_by_role("button", name="Save as HTML").click()
        assert download.value.suggested_filename.endswith(".html")
        return Path(download.value.path()).read_text()

    dialog.get_by_text("Scores only").click()
    public = saved()
    assert all(name not in public for name in ("vinegar", "bm25", "q098", "FN-00"))
    assert "B beats A" in text_of(public)
    dialog.get_by_text("Full texts").click()
    settle(page)
    dialog.get_by_text("Include the data").click()
    whole = saved()
    assert "vinegar for the robot" in whole and "dense beats bm25" in text_of(whole)
    assert "on AP" in whole and is_packed_collection(extract_packed_collection(whole.encode()))
    dialog.get_by_text("Run names").click()
    named = saved()
    assert "dense beats bm25" in text_of(named) and not is_page_with_data(named.encode())
    assert all(name not in named for name in ("vinegar", "q098", "FN-00"))


def test_the_meeting_lies_over_the_page_one_is_on(
    sample_app: str, open_page: Opened, axe: str
) -> None:
    page = open_page(f"{sample_app}/firm", width=1280, height=720)
    # Entered, moved and left by keys.
    page.locator(".lens.present a").focus()
    page.keyboard.press("Enter")
    answer = page.locator(".slide:not([hidden]) .answer")
    expect(answer).to_contain_text("holds in five of six checks")
    page.keyboard.press("ArrowLeft")
    expect(answer).to_contain_text("dense beats bm25")
    assert "screen=verdict" in page.url
    page.evaluate(axe)
    for _ in range(5):
        assert page.evaluate(WRONG, 18) == []
        found: Any = page.evaluate("axe.run('.ranklens-meeting', {resultTypes: ['violations']})")
        assert [(v["id"], [n["html"][:150] for n in v["nodes"]]) for v in found["violations"]] == []
        page.keyboard.press("ArrowRight")
    expect(answer).to_be_visible()
    page.reload()
    expect(answer).to_be_visible()
    assert "screen=wins" in page.url
    page.keyboard.press("Escape")
    expect(answer).to_have_count(0)
    settle(page)
    assert "screen=" not in page.url and "/firm" in page.url
    expect(page.locator("h1").first).to_contain_text("checks")
    expect(page.locator(".lens.present a")).to_be_focused()
