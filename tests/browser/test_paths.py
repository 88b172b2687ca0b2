"""The main paths, as a person walks them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened, control, running_server, settle
from tests.browser.marks import click_cutoff, click_mark, click_row, steady


def parameters(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def on(page: Page, name: str) -> None:
    """The page of this name is shown."""
    expect(page.locator(".lens.page-title")).to_have_text(name)
    settle(page)


def in_sight(page: Page, part: str, height: int = 720) -> None:
    """The first such part stands on the first screen, of a projector if no height is given."""
    box: Any = page.locator(part).first.bounding_box()
    assert box["y"] > 0 and box["y"] + box["height"] <= height, part


def menu(page: Page, name: str) -> None:
    page.locator(".lens.pages a", has_text=re.compile(f"^{name}")).click()
    on(page, name)


CHARTS_LOADED = """() => performance.getEntriesByType('resource')
  .some((e) => e.name.includes('/PlotlyChart.'))"""


def test_first_start_shows_the_sample(sample_app: str, open_page: Opened) -> None:
    page = open_page(sample_app)
    expect(page.locator("h1")).to_contain_text("beats bm25")
    expect(page.locator(".lens.facts")).to_contain_text("judgments, grades 0–3")
    for name in ("bm25", "dense", "hybrid", "titles-only"):
        expect(page.get_by_role("rowheader", name=re.compile(name)).first).to_be_visible()
    # The answer stands on the first screen of a projector.
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(page.locator(".lens.checks li")).to_have_count(6)
    parts = (".answer", ".against", ".outcomes", ".checks", ".measures", ".list li:nth-child(3)")
    for part in parts:
        in_sight(page, f".lens{part}")
    # What draws charts has come before a page needs it.
    page.wait_for_function(CHARTS_LOADED)
    menu(page, "Robustness")
    expect(page.locator("a.lens.check")).to_have_count(6)
    expect(page.locator(".lens.spans .number").first).to_be_visible()
    in_sight(page, "a.lens.check >> nth=5")
    menu(page, "By cutoff")
    expect(page.locator(".js-plotly-plot .xtick").first).to_be_visible()
    in_sight(page, ".js-plotly-plot .xtick")


def test_from_the_start_to_the_document_in_two_clicks_and_a_change_that_restores_it(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(sample_app)
    worst = page.locator(".lens.list", has_text="Got worse").locator("a[href*='q=']").first
    text = worst.locator("b, strong, .title, span").first.inner_text()
    worst.click()
    on(page, "Query")
    expect(page.locator("h1")).to_contain_text(text[:20])
    expect(page.locator(".lens.explanation")).to_contain_text(re.compile(r"scores 0\.\d+ lower: "))
    assert page.locator(".lens.pairs li, .lens.pairs [role=listitem]").count() >= 10
    page.locator(".lens.what-if-best a").first.click()
    card = page.get_by_role("dialog")
    expect(card).to_contain_text("rank 5 of 100")
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    settle(page)
    assert "doc" not in parameters(page)
    page.get_by_role("link", name="Try it").click()
    settle(page)
    expect(page.locator(".what-if-scores tbody tr").first).to_contain_text("0.826")
    page.get_by_role("link", name="Undo", exact=True).click()
    settle(page)
    expect(page.locator(".what-if-scores")).to_have_count(0)
    title = page.locator("h1").inner_text()
    page.locator("h1").click()
    page.keyboard.press("j")
    settle(page)
    expect(page.locator("h1")).not_to_have_text(title)
    page.keyboard.press("ArrowLeft")
    settle(page)
    expect(page.locator("h1")).to_have_text(title)


@pytest.mark.thorough
def test_overview_breakdown_queries_query(sample_app: str, open_page: Opened) -> None:
    page = open_page(sample_app)
    menu(page, "Breakdown")
    page.locator(".lens.choice a", has_text="×").first.click()
    click_mark(page, "cells", "Devices", "hard")
    on(page, "All queries")
    assert sorted(parameters(page)["where"]) == ["category=Devices", "difficulty=hard"]
    page.get_by_test_id("stMain").get_by_text(re.compile(r"worse \d+$")).first.click()
    settle(page)
    assert parameters(page)["show"] == ["worse"]
    click_row(page, 0)
    page.get_by_role("link", name="Open the full page").click()
    on(page, "Query")
    expect(page.locator(".lens.steps-through")).to_contain_text("that got worse")
    assert parameters(page)["list"] == ["worse"]


def test_from_the_overview_to_a_groups_documents_in_three_steps(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(f"{sample_app}/?run=dense&base=bm25&charts=0")
    menu(page, "Breakdown")
    group = page.locator(".lens.group-table th a", has_text="Network")
    # All eight groups and their whole stand on the first screen of a projector.
    page.set_viewport_size({"width": 1280, "height": 720})
    whole = page.locator(".lens.group-table tfoot tr").bounding_box()
    assert whole and whole["y"] + whole["height"] <= 720
    # A bar stands where the one before it ended, and the keyboard reaches its queries.
    first, second = page.locator(".lens.group-table tbody .bar").all()[:2]
    ended, begins = first.bounding_box(), second.bounding_box()
    assert ended and begins and abs(ended["x"] + ended["width"] - begins["x"]) < 2
    group.focus()
    page.keyboard.press("Enter")
    on(page, "All queries")
    assert parameters(page)["where"] == ["category=Network"]
    click_row(page, 0)
    page.get_by_role("link", name="Open the full page").click()
    on(page, "Query")
    assert page.locator(".lens.pairs li, .lens.pairs [role=listitem]").count() >= 10


def test_charts_of_the_breakdown_are_on_the_first_screen_and_lead_on(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(f"{sample_app}/breakdown?run=dense&base=bm25&charts=2", height=900)
    for chart in ("score_by_group", "difference_by_group", "cells"):
        in_sight(page, f".st-key-chart_{chart} .js-plotly-plot", 900)
    # A dot opens the queries of its group, with its run compared.
    click_mark(page, "score_by_group", "Network", "hybrid")
    on(page, "All queries")
    assert parameters(page)["where"] == ["category=Network"]
    assert parameters(page)["run"] == ["hybrid"] and parameters(page)["base"] == ["bm25"]


def _drag(page: Page, chart: str, begin: tuple[float, float], end: tuple[float, float]) -> None:
    box = steady(page, f".st-key-chart_{chart} .js-plotly-plot")
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (begin, end)]
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=5)
    page.mouse.up()


def test_a_curve_is_zoomed_by_a_drag_and_a_chart_is_enlarged(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(f"{sample_app}/curves?run=dense&base=bm25", height=900)
    # The bands come last, and what they say moves the charts down.
    expect(page.get_by_text("significantly ahead of bm25 on nDCG").first).to_be_visible()
    plot = ".st-key-chart_curve_P .js-plotly-plot"
    steady(page, plot)
    ranges = f"() => {{ const {{ xaxis, yaxis, yaxis2 }} = document.querySelector('{plot}')"
    ranges += "._fullLayout; return [xaxis.range, yaxis.range, yaxis2.range]; }"
    whole = page.evaluate(ranges)
    _drag(page, "curve_P", (0.4, 0.15), (0.7, 0.45))
    page.wait_for_function(f"whole => ({ranges})()[0][0] > whole[0][0]", arg=whole)
    zoomed = page.evaluate(ranges)
    assert zoomed[0][1] < whole[0][1] and zoomed[1][0] > whole[1][0] and zoomed[2] == whole[2]
    # Two clicks are no choice of a k.
    box: Any = page.locator(plot).bounding_box()
    page.wait_for_timeout(700)  # The drag began with a press, too.
    page.mouse.dblclick(box["x"] + 0.5 * box["width"], box["y"] + 0.3 * box["height"])
    page.wait_for_function(f"whole => String(({ranges})()) === String(whole)", arg=whole)
    settle(page)
    assert "k" not in parameters(page)
    steady(page, plot)
    box = page.locator(plot).bounding_box()  # the page may have moved below it
    # What the lines say is read between the two panels.
    at = page.evaluate(
        f"() => {{ const x = document.querySelector('{plot}')._fullLayout.xaxis;"
        " return x._offset + x.d2p(3); }"
    )
    page.mouse.move(box["x"] + at - 3, box["y"] + 100)
    page.mouse.move(box["x"] + at, box["y"] + 100)
    read: Any = page.locator(f"{plot} .hovertext").bounding_box()
    upper, lower = page.evaluate(
        f"() => {{ const l = document.querySelector('{plot}')._fullLayout;"
        " return [l.yaxis._offset + l.yaxis._length, l.yaxis2._offset]; }"
    )
    assert upper - 4 <= read["y"] - box["y"] and read["y"] + read["height"] - box["y"] <= lower + 4
    page.mouse.click(box["x"] + at, box["y"] + 100)
    page.wait_for_url(re.compile(r"[?&]k=3(&|$)"))
    settle(page)
    # As large as the window by the keyboard, and back.
    steady(page, plot)
    page.locator(".st-key-chart_curve_P [data-opens=chart]").focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => document.querySelector('{plot}').clientHeight > 700")
    menu = page.locator(".st-key-chart_curve_P .image-menu")
    expect(menu).to_contain_text("P@k by number of results (k)")
    expect(menu.get_by_text("titles-only")).to_be_visible()
    page.keyboard.press("Escape")
    page.wait_for_function(f"() => document.querySelector('{plot}').clientHeight < 500")
    menu.get_by_text("Enlarge").click(force=True)
    menu.get_by_role("button", name="Close").click()
    page.wait_for_function(f"() => document.querySelector('{plot}').clientHeight < 500")


@pytest.mark.thorough
@pytest.mark.parametrize("chart", ["against", "sorted", "heatmap", "strips"])
def test_a_mark_opens_its_query(sample_app: str, open_page: Opened, chart: str) -> None:
    page = open_page(f"{sample_app}/queries?view={chart}")
    click_mark(page, chart, "q098")
    on(page, "Query")
    assert parameters(page)["q"] == ["q098"]


@pytest.mark.thorough
def test_a_category_of_the_overview_leads_on(sample_app: str, open_page: Opened) -> None:
    page = open_page(sample_app)
    page.locator(".lens a", has_text="Network").last.click()
    on(page, "All queries")
    assert parameters(page)["where"] == ["category=Network"]


@pytest.mark.thorough
def test_marks_of_the_overview_lead_on(sample_app: str, open_page: Opened) -> None:
    page = open_page(sample_app)
    page.locator(".lens.differences a.track").first.click()
    on(page, "All queries")
    expect(page.locator("h1")).to_contain_text("hybrid is better on")
    menu(page, "Overview")
    page.locator(".lens.differences .tally a", has_text="worse with dense").click()
    on(page, "All queries")
    assert parameters(page)["show"] == ["worse"] and parameters(page)["run"] == ["dense"]
    menu(page, "Overview")
    page.locator(".lens.measures").get_by_role("link", name="RR").click()
    settle(page)
    expect(page.locator(".st-key-verdict")).to_contain_text("RR rises from")
    page.locator(".lens.measures").get_by_role("link", name="titles-only").click()
    settle(page)
    expect(page.locator("h1")).to_contain_text("titles-only falls behind")


# The first word asked for of each excerpt that is cut off with the rest of its row.
_CUT_WORDS = """() => [...document.querySelectorAll('.ranked .excerpt')].flatMap((excerpt) => {
  const [word, paper] = [excerpt.querySelector('mark'), excerpt.closest('.paper')];
  if (!word) return [];
  const [{ bottom, right }, box] = [word.getBoundingClientRect(), paper.getBoundingClientRect()];
  return bottom > box.bottom + 2 || right > box.right + 1 ? [excerpt.innerText] : [];
})"""


def test_previous_and_next_step_through_the_list(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/query?list=worse&q=q098")
    page.set_viewport_size({"width": 1280, "height": 720})
    # Both lists stand on the first screen of a projector, and the way to more of them.
    for part in (".ranked.left > li >> nth=4", ".ranked.right > li >> nth=4", ".lens.ways"):
        box = page.locator(part).bounding_box()
        assert box and box["y"] + box["height"] <= 720, part
    assert page.locator(".excerpt mark").count() > 5 and page.evaluate(_CUT_WORDS) == []
    steps = page.locator(".lens.steps-through")
    expect(steps).to_contain_text("1 of")
    steps.get_by_role("link", name="Next").click()
    expect(steps).to_contain_text("2 of")
    steps.get_by_role("link", name="Previous").click()
    expect(steps).to_contain_text("1 of")


@pytest.mark.thorough
def test_reload_and_another_window_give_the_same_view(sample_app: str, open_page: Opened) -> None:
    page = open_page(sample_app)
    control(page, "queries_in_view").get_by_text("hard (").click()
    settle(page)
    page.keyboard.press("Escape")
    control(page, "measure").get_by_text("5", exact=True).click()
    settle(page)
    headline = page.locator(".st-key-verdict").inner_text()
    assert "nDCG@5" in headline
    page.reload()
    settle(page)
    assert page.locator(".st-key-verdict").inner_text() == headline
    other = open_page(page.url)
    assert other.locator(".st-key-verdict").inner_text() == headline


def one_entry(page: Page, act: Callable[[], Any], title: str) -> None:
    """What `act` does to the page, which ends on the one of this title, is one entry in the
    browser's history: Back once shows what was there, and Forward what came."""

    def shown() -> tuple[str, dict[str, list[str]]]:
        return page.locator(".lens.page-title").inner_text(), parameters(page)

    def settled() -> tuple[str, dict[str, list[str]]]:
        settle(page)
        return shown()

    before, entries = settled(), page.evaluate("history.length")
    act()
    on(page, title)
    after = shown()
    assert after != before
    assert page.evaluate("history.length") == entries + 1, (before, after)
    page.go_back()
    assert settled() == before
    page.go_forward()
    assert settled() == after


def choose_run(page: Page, name: str) -> None:
    page.get_by_role("combobox", name="Compare").click()
    page.get_by_role("option", name=name).click()


def test_one_action_is_one_step_back(sample_app: str, open_page: Opened) -> None:
    """A filter, a run, a link, a key, the menu, a clicked chart: each is undone by Back."""
    page = open_page(f"{sample_app}/?k=5")
    for _ in ("on", "off"):
        pills = control(page, "queries_in_view")
        one_entry(page, pills.get_by_text("hard (").click, "Overview")
        page.keyboard.press("Escape")
    one_entry(page, lambda: choose_run(page, "hybrid"), "Overview")
    one_entry(page, page.locator(".lens a[href*='q=']").first.click, "Query")
    one_entry(page, lambda: page.keyboard.press("j"), "Query")
    one_entry(page, lambda: menu(page, "By cutoff"), "By cutoff")
    one_entry(page, lambda: click_cutoff(page, "curve_nDCG", 20), "By cutoff")


@pytest.mark.thorough
def test_one_row_or_list_is_one_step_back(sample_app: str, open_page: Opened) -> None:
    """Categories, lists, rows, cells of Ranking, several keys."""
    page = open_page(f"{sample_app}/?k=5")
    main = page.get_by_test_id("stMain")
    one_entry(page, page.locator(".lens a", has_text="Network").last.click, "All queries")
    one_entry(page, main.get_by_text(re.compile(r"better \d+$")).first.click, "All queries")
    one_entry(page, lambda: click_row(page, 0), "All queries")
    one_entry(page, lambda: [page.keyboard.press("g"), page.keyboard.press("o")], "Overview")

    def all_collections() -> None:
        page.keyboard.press("Control+k")
        page.get_by_role("link", name="All collections").click()

    one_entry(page, all_collections, "Collections")
    one_entry(page, lambda: menu(page, "Ranking"), "Ranking")
    one_entry(page, page.locator(".lens.all-pairs a").last.click, "Overview")


@pytest.mark.thorough
def test_one_group_is_one_step_back(sample_app: str, open_page: Opened) -> None:
    """Columns, groups and their filters."""
    page = open_page(f"{sample_app}/breakdown?k=5")
    group = page.locator(".lens.group-table th a", has_text="hard")
    one_entry(page, lambda: click_mark(page, "cells", "Devices", "hard"), "All queries")
    page.go_back()
    on(page, "Breakdown")
    page.get_by_role("radio", name="Table").click()
    settle(page)
    by_difficulty = page.locator(".lens.choice a", has_text=re.compile("^difficulty$"))
    one_entry(page, by_difficulty.click, "Breakdown")
    one_entry(page, group.click, "All queries")
    page.go_back()
    on(page, "Breakdown")
    expect(group).to_be_visible()
    assert "where" not in parameters(page)


def test_an_address_of_nothing_says_so_and_is_one_entry(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/?measure=Foo@3&nonsense=1&k=5")
    assert parameters(page).keys() == {"set", "run", "base", "k", "qrels"}
    entries = page.evaluate("history.length")
    for path in ("nosuchpage", "nosuchpage/deeper"):
        page.goto(f"{sample_app}/{path}?k=5")
        settle(page)
        entries += 1
        assert page.evaluate("history.length") == entries
        expect(page.get_by_text(f"There is no page “{path}”.")).to_be_visible()
    page.get_by_role("button", name="Open the Overview").click()
    expect(page.locator("h1")).to_contain_text("beats bm25")
    assert parameters(page)["k"] == ["5"] and "nopage" not in parameters(page)


@pytest.mark.thorough
def test_search_narrows_and_clears(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/queries")
    search = page.get_by_placeholder("Search queries")
    search.fill("blockchain")
    search.press("Enter")
    expect(page.get_by_text("No query matches.")).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    settle(page)
    expect(page.get_by_text("No query matches.")).not_to_be_visible()


@pytest.mark.thorough
def test_tables_and_charts_can_be_downloaded(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/curves")
    page.locator(".st-key-chart_curve_P .main-svg").first.wait_for()
    for image in ("png", "svg"):
        page.locator(".st-key-chart_curve_P").hover()
        with page.expect_download() as download:
            page.locator(f".st-key-chart_curve_P [data-image={image}]").click()
        assert download.value.suggested_filename.endswith(image)
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV of By cutoff").click()
    assert download.value.suggested_filename == "ranklens-by_cutoff-nDCG@10-vs-bm25-sample.csv"
    assert download.value.path().read_text("utf-8-sig").startswith("run,k,mean,low,high")


def test_each_word_of_how_firm_leads_to_its_evidence(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/firm?run=dense&base=bm25")
    checks = page.locator("a.lens.check")
    expect(checks).to_have_count(6)
    open_now = page.locator("a.lens.check[aria-current=true] b")
    titles = checks.locator("b").evaluate_all("each => each.map((b) => b.firstChild.textContent)")
    for title in titles[-2:]:
        checks.locator("b", has_text=title).first.click()
        settle(page)
        expect(open_now).to_contain_text(title)
        assert "part=" in page.url
    page.go_back()
    settle(page)
    expect(open_now).to_contain_text(titles[-2])


@pytest.mark.thorough
def test_the_first_screens_of_ones_own_collection(tmp_path: Path, open_page: Opened) -> None:
    """Long names of runs, queries and groups, and no texts of documents."""
    chance, folder = random.Random(7), tmp_path / "own"
    folder.mkdir()
    long = "a name that goes on for as long as names of experiments do, with-its-settings"
    queries = [f"query-{n:03}" for n in range(40)]
    grades = {(q, d): chance.choice((0, 0, 1, 2)) for q in queries for d in range(20)}
    (folder / "qrels.txt").write_text("".join(f"{q} 0 d{d} {g}\n" for (q, d), g in grades.items()))
    for name, noise in (("first", 3.0), ("second", 2.0), ("third", 0.8)):
        scored = {key: grade + chance.gauss(0, noise) for key, grade in grades.items()}
        lines = (f"{q} Q0 d{d} 1 {score} {name}\n" for (q, d), score in scored.items())
        (folder / f"{long} {name}.run").write_text("".join(lines))
    rows = (f"{q},{long} {q},{long} of group {n % 9}\n" for n, q in enumerate(queries))
    (folder / "queries.csv").write_text(
        "query_id,text,kind\n" + "".join(rows).replace("do, w", "do w")
    )
    with running_server(tmp_path / "workspace", folder) as address:
        page = open_page(address)
        page.set_viewport_size({"width": 1280, "height": 720})
        expect(page.locator(".lens.checks li").first).to_be_visible()
        for part in (".answer", ".against", ".outcomes", ".checks", ".measures tbody tr >> nth=1"):
            in_sight(page, f".lens{part}")
        menu(page, "Breakdown")
        page.get_by_role("radio", name="Table").click()
        settle(page)
        in_sight(page, ".lens.group-table tbody tr >> nth=5")
        page.goto(f"{address}/query?q={queries[0]}")
        settle(page)
        for side in ("left", "right"):
            for rank in range(4):
                in_sight(page, f".ranked.{side} > li >> nth={rank}")
