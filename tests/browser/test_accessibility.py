"""What axe-core finds on every page, what jumps while loading, and what is wider than the window.
The thorough tests open further pages, in both themes and two widths."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from dashboard.app_pages import menu
from tests.browser.conftest import Opened, running_server, settle
from tests.dashboard.app_pages.test_given_measures import RAIL, write_answers
from tests.dashboard.app_pages.test_unjudged_runs import copy_sample_runs

_PAGES = {page.name: "" if page is menu.PAGES[0] else page.name for page in menu.PAGES} | {
    "query": "query?q=q098",
    "history": "history?in_order=loaded",
}
_FURTHER = {
    "one run": "?run=bm25&base=bm25",
    "no such measure": "?m=precison",
    "how firm": "firm?part=measures",
    "single queries": "firm?part=queries",
    "preview of a file": "data?file=1",
    "queries with a wrong filter": "queries?filter=word%20%3E%205&view=strips",
    "a query beside the list": "queries?open=q024",
    "one measure": "measures?measure=nDCG",
    "first run": "?set=own",
}
# Streamlit's own: its uploader is a section without a role of its own that carries a label.
_NOT_OURS = {("presentation-role-conflict", "stFileUploaderDropzone")}
_MOST_SHIFT = 0.1

_LOADED = "() => !document.querySelector('[data-testid=stSkeleton]')"
_TOO_WIDE = """() => {
  const page = document.querySelector('[data-testid=stMain]');
  return page.scrollWidth - page.clientWidth;
}"""
# What moves as something is scrolled is "running" all the time.
_STILL = """() => document.getAnimations()
  .every((each) => each.playState !== 'running' || each.timeline !== document.timeline)"""
_OPEN_ALL = (
    "() => document.querySelectorAll('.lens details').forEach((fold) => { fold.open = true })"
)
_WATCH_SHIFTS = """
  window.__shifts = [];
  const named = ({node}) => (node?.closest ? node : node?.parentElement)?.innerText?.slice(0, 60);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!entry.hadRecentInput) window.__shifts.push([entry.value, entry.sources.map(named)]);
    }
  }).observe({type: 'layout-shift', buffered: true});
"""


@pytest.fixture(scope="session")
def axe() -> str:
    """axe-core's source; its tests are skipped if its package is missing."""
    package = pytest.importorskip("axe_playwright_python")
    return (files(package) / "axe.min.js").read_text("utf-8")


def _violations(page: Page, axe: str, theme: str) -> list[str]:
    # Texts of charts stand on no background that axe can see; a theme changes only colours.
    options = {"resultTypes": ["violations"]}
    if theme == "dark":
        options["runOnly"] = ["color-contrast", "link-in-text-block"]
    page.evaluate(axe)
    found: Any = page.evaluate("(options) => axe.run({exclude: ['.main-svg']}, options)", options)
    return [
        f"{violation['id']}: {node['html'][:120]}"
        for violation in found["violations"]
        for node in violation["nodes"]
        if not any(violation["id"] == rule and mark in node["html"] for rule, mark in _NOT_OURS)
    ]


def _switch(page: Page, theme: str) -> None:
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.wait_for_function(
        "(it) => getComputedStyle(document.querySelector('.stApp')).colorScheme === it", arg=theme
    )
    # The page is drawn anew in the other colours, and is pale meanwhile; buttons change slowly.
    settle(page)
    page.wait_for_function(_STILL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "every"),
    [
        (1440, False),
        (400, False),
        pytest.param(1440, True, marks=pytest.mark.thorough),
        pytest.param(400, True, marks=pytest.mark.thorough),
    ],
)
def test_axe_finds_nothing_and_nothing_jumps_or_scrolls_sideways(
    sample_app: str, open_page: Opened, axe: str, width: int, every: bool
) -> None:
    page = open_page(f"{sample_app}/collections", width=width)
    page.add_init_script(_WATCH_SHIFTS)
    found, jumped, too_wide = {}, {}, {}
    for name, path in (_PAGES | _FURTHER if every else _PAGES).items():
        page.goto(f"{sample_app}/{path}")
        settle(page)
        page.wait_for_function(_LOADED)
        # What was held back while loading is shown a moment later.
        page.wait_for_timeout(250)
        shifts: Any = page.evaluate("window.__shifts")
        if sum(value for value, _ in shifts) >= _MOST_SHIFT:
            jumped[name] = shifts
        beyond: Any = page.evaluate(_TOO_WIDE)
        if beyond > 1:
            too_wide[name] = beyond
        page.evaluate(_OPEN_ALL)
        found[f"{name}, light"] = _violations(page, axe, "light")
        if every:
            _switch(page, "dark")
            found[f"{name}, dark"] = _violations(page, axe, "dark")
            page.emulate_media(color_scheme="light")
    assert not {where: what for where, what in found.items() if what}
    assert not jumped
    assert not too_wide


@pytest.mark.slow
@pytest.mark.parametrize("with_lists", [False, True])
def test_axe_finds_nothing_with_given_scores(
    tmp_path: Path, open_page: Opened, axe: str, with_lists: bool
) -> None:
    data = write_answers(tmp_path, with_lists=with_lists)
    found, too_wide = {}, {}
    with running_server(tmp_path / "workspace", data) as address:
        page = open_page(address, width=1280, height=720)
        verdict = page.get_by_role("heading", level=1).bounding_box()
        assert verdict is not None and verdict["y"] + verdict["height"] < 720
        for name in RAIL:
            page.goto(f"{address}/{'' if name == 'overview' else name}?m=correct")
            settle(page)
            page.wait_for_function(_LOADED)
            page.evaluate(_OPEN_ALL)
            found[name] = _violations(page, axe, "light")
            beyond: Any = page.evaluate(_TOO_WIDE)
            if beyond > 1:
                too_wide[name] = beyond
    assert not {where: what for where, what in found.items() if what}
    assert not too_wide


@pytest.mark.slow
def test_axe_finds_nothing_without_judgments(tmp_path: Path, open_page: Opened, axe: str) -> None:
    data = copy_sample_runs(tmp_path / "runs")
    found, too_wide = {}, {}
    with running_server(tmp_path / "workspace", data) as address:
        page = open_page(address, width=1440, height=900)
        for name in (p.name for p in menu.PAGES if p.name in RAIL and not p.needs_judgments):
            for width in (1440, 400):
                page.set_viewport_size({"width": width, "height": 900})
                page.goto(f"{address}/{'' if name == 'overview' else name}")
                settle(page)
                page.wait_for_function(_LOADED)
                assert not page.locator("[data-testid=stException]").count()
                found[name, width] = _violations(page, axe, "light")
                beyond: Any = page.evaluate(_TOO_WIDE)
                if beyond > 1:
                    too_wide[name, width] = beyond
    assert not {where: what for where, what in found.items() if what}
    assert not too_wide
