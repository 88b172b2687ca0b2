"""The frame: rail and sentence on wide and narrow screens, keys, what a measure's name means."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened, control, running_server, settle

# What of the bar is cut, or lies beyond the window: text that is clipped, but for what is only
# read aloud.
CUT = """() => [...document.querySelectorAll('.st-key-top *')].filter((e) => {
  const style = getComputedStyle(e), box = e.getBoundingClientRect();
  if (box.width < 2 || style.visibility !== 'visible') return false;
  for (let at = e; at; at = at.parentElement)
    if (getComputedStyle(at).clipPath !== 'none') return false;
  const clips = e.tagName === 'INPUT' || style.overflowX !== 'visible';
  return (clips && e.scrollWidth > e.clientWidth + 1) || box.right > innerWidth + 1;
}).map((e) => e.value ?? e.textContent)"""
LONG = ["a-rather-long-name-of-a-run-base-seed1", "a-rather-long-name-of-a-run-large-seed1"]


def type_measure(page: Page, text: str) -> None:
    field = control(page, "measure").get_by_role("combobox", name="Measure")
    field.click()
    field.press("Control+a")
    field.press_sequentially(text)


@pytest.mark.parametrize(
    "cases",
    [
        (("rbp", "rbp = RBP(p=0.9)", "RBP(p=0.9)"), ("P(rel=2)@5", "Use P(rel=2)@5", "P(rel=2)@5")),
        pytest.param(
            (("ndcg", "ndcg = nDCG", "nDCG@10"), ("recip_rank", "recip_rank = RR", "RR")),
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_a_typed_measure_says_what_it_stands_for(
    sample_app: str, open_page: Opened, cases: tuple[tuple[str, str, str], ...]
) -> None:
    page = open_page(f"{sample_app}/?m=P@k")
    for typed, says, measure in cases:
        type_measure(page, typed)
        expect(page.get_by_role("option").first).to_have_attribute("data-says", says)
        listed = page.get_by_role("option").nth(1)
        if not says.startswith("Use"):
            expect(listed).to_contain_text(f"{says.split(' = ')[1].split('(')[0]} · ")
        page.keyboard.press("Enter")
        settle(page)
        expect(page.locator(".st-key-verdict")).to_contain_text(f"{measure} ")
    # A wide screen keeps its rail.
    expect(page.locator(".lens.pages")).to_be_in_viewport()


def test_a_narrow_screen_folds_the_rail_and_the_sentence(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(sample_app, width=390, height=844)
    field = page.locator(".st-key-w_run input")
    expect(field).not_to_be_visible()
    folded = page.locator(".lens.folded")
    expect(folded).to_contain_text("dense vs bm25 · nDCG@10 · all 104")
    folded.click()
    field.click()
    page.get_by_role("option", name="titles-only").click()
    expect(page.locator("h1")).to_contain_text("titles-only")
    settle(page)
    open_drawer = page.get_by_test_id("stExpandSidebarButton")
    open_drawer.click()
    page.locator(".lens.pages a", has_text="By cutoff").click()
    expect(page.locator(".lens.page-title")).to_have_text("By cutoff")
    expect(open_drawer).to_be_visible()
    expect(page.locator(".lens.pages")).not_to_be_in_viewport()
    expect(field).not_to_be_visible()


def test_the_two_runs_are_swapped_by_a_key_and_one_step_back_undoes_it(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(f"{sample_app}/breakdown?run=dense&base=bm25", width=1440, height=900)
    swap = page.get_by_role("button", name="Swap the two runs")
    swap.focus()
    page.keyboard.press("Enter")
    settle(page)
    run, base = (page.locator(f".st-key-w_{name} input") for name in ("run", "base"))
    expect(run).to_have_value("bm25")
    expect(base).to_have_value("dense")
    page.go_back()
    settle(page)
    expect(run).to_have_value("dense")
    expect(base).to_have_value("bm25")


@pytest.mark.parametrize(
    "measure", [pytest.param("nDCG@10", marks=pytest.mark.thorough), "nDCG(dcg='exp-log2')@10"]
)
def test_no_control_of_the_bar_is_cut(sample_app: str, open_page: Opened, measure: str) -> None:
    page = open_page(f"{sample_app}/curves?m={measure}", width=820)
    for width in (390, 820, 821, 1024, 1100, 1180, 1240, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 768})
        assert page.evaluate(CUT) == [], width
        folded = page.locator(".lens.folded").is_visible()
        assert folded != page.locator(".st-key-w_run input").is_visible()
        assert folded or width > 1180
        if folded:
            page.locator(".lens.folded").click()
            assert page.evaluate(CUT) == [], width
            page.locator(".lens.folded").click()
    # The chosen measure's curve comes first.
    expect(page.locator(".lens.panel-head").first).to_contain_text("nDCG")


def test_a_table_that_goes_on_keeps_what_is_judged_in_sight_and_says_so_at_its_edge(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(f"{sample_app}/?m=RBP", width=1280, height=768)
    table = page.locator(".lens.measures")
    for width in (1280, 1024, 820):
        page.set_viewport_size({"width": width, "height": 768})
        judged = table.locator("td.share").first.bounding_box()
        assert judged is not None and judged["x"] + judged["width"] <= width
    assert table.evaluate("e => e.scrollWidth > e.clientWidth")
    assert "local, scroll" in table.evaluate("e => getComputedStyle(e).backgroundAttachment")
    first = table.get_by_role("rowheader").first
    table.evaluate("e => e.scrollLeft = 200")
    assert first.evaluate("e => getComputedStyle(e).position") == "sticky"


def test_keys_open_pages_and_can_be_switched_off(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/queries")
    page.locator("h1").click()
    page.keyboard.press("/")
    expect(page.get_by_placeholder("Search queries")).to_be_focused()
    page.keyboard.press("?")  # where one types it is a letter
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("g")
    page.keyboard.press("m")
    expect(page.locator(".lens.page-title")).to_have_text("Measures")
    settle(page)
    page.locator("h1").click()
    page.keyboard.press("?")
    expect(page.locator(".lens.page-title")).to_have_text("Help")
    settle(page)
    page.get_by_role("button", name="Turn off single-key shortcuts").click()
    expect(page.get_by_role("button", name="Turn on single-key shortcuts")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("o")
    page.wait_for_timeout(600)
    expect(page.locator(".lens.page-title")).to_have_text("Help")
    page.get_by_role("button", name="Turn on single-key shortcuts").click()


def test_the_focus_goes_to_what_opens_and_to_another_pages_heading(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(sample_app)
    inside = page.locator("[data-testid=stPopoverBody]:focus-within")
    page.keyboard.press("Control+k")
    expect(inside.locator(":focus")).to_contain_text("The example")
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-collections button")).to_be_focused()
    control(page, "measure")
    expect(inside).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-measure button")).to_be_focused()
    page.locator(".lens.pages a", has_text="All queries").click()
    expect(page.locator("h1")).to_contain_text("is better on 54 of 104")
    expect(page.locator("h1")).to_be_focused()
    assert page.locator("h1").evaluate("e => getComputedStyle(e).outlineStyle") == "none"
    settle(page)
    # The caption of the strip stands above its bars.
    said, bars = page.locator(".lens.strip-said"), page.locator(".st-key-chart_sorted .main-svg")
    above, below = said.bounding_box(), bars.first.bounding_box()
    assert above is not None and below is not None
    assert above["y"] + above["height"] <= below["y"] + 1
    # The same page drawn anew takes nothing.
    field = page.get_by_placeholder("Search queries")
    field.fill("robot")
    field.press("Enter")
    settle(page)
    expect(page.locator("h1")).not_to_be_focused()


def test_the_link_is_copied_without_what_lets_one_in(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/?k=5")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert "k=5" in link and "run=dense" in link and "token" not in link


@pytest.mark.thorough
def test_a_shortened_name_is_whole_for_eye_and_ear(tmp_path: Path, open_page: Opened) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "j.qrels").write_text("q1 0 d1 1\n")
    for name in ("bm25", *LONG):
        (tmp_path / "files" / f"{name}.run").write_text(f"q1 Q0 d{len(name)} 1 2.0 x\n")
    with running_server(tmp_path / "workspace", tmp_path / "files") as address:
        page = open_page(f"{address}/?run={LONG[0]}&base={LONG[1]}&m=nDCG(dcg='exp-log2')@10")
        for width in (390, 1024, 1440, 1700):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(CUT) == [], width
        page.goto(f"{address}/?run={LONG[0]}&base=bm25")
        settle(page)
        pill = control(page, "also_shown").get_by_role("button", name=LONG[1])
        expect(pill).to_have_attribute("title", LONG[1])
        assert "…" in pill.inner_text()
        expect(page.locator(".st-key-w_run input")).to_have_attribute("title", LONG[0])


def test_the_tab_key_enters_the_row_of_k_at_the_chosen_one(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(f"{sample_app}/?k=5")
    buttons = page.locator(".st-key-w_k [role=radio]")
    control(page, "measure").get_by_role("combobox", name="Measure").focus()
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "radio":
            break
    expect(buttons.filter(has_text="5").first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(buttons.nth(3)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") != "radio"
    page.locator(".st-key-w_k [role=radio]").first.click()
    settle(page)
    expect(page).to_have_url(re.compile("k=1(&|$)"))
