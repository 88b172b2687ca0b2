"""Narrow windows and paper: nothing lies under something else, nothing is cut."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Opened

_OVERLAPS = """() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)]
    .filter((it) => it.checkVisibility()).map((it) => it.getBoundingClientRect());
  const meet = (a, b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const buttons = boxes('header[data-testid=stHeader] :is(button, img)');
  return boxes('.lens.pages a, h1').filter((text) => buttons.some((it) => meet(text, it))).length;
}"""
_SCROLLED_BOXES = """() => [...document.querySelectorAll('.stApp, .stApp *')]
  .filter((it) => it.checkVisibility() && it.clientHeight > 200
    && /auto|scroll|hidden/.test(getComputedStyle(it).overflowY)
    && it.scrollHeight > it.clientHeight + 1)
  .map((it) => it.outerHTML.slice(0, 90))"""


@pytest.mark.parametrize(
    "width", [400, *(pytest.param(width, marks=pytest.mark.thorough) for width in (720, 780, 1280))]
)
def test_nothing_stands_under_the_buttons(sample_app: str, open_page: Opened, width: int) -> None:
    for path in ("", "?set=own"):
        page = open_page(f"{sample_app}/{path}", width=width, height=720)
        assert page.evaluate(_OVERLAPS) == 0, path


@pytest.mark.thorough
def test_paper_shows_the_whole_page_and_no_controls(sample_app: str, open_page: Opened) -> None:
    for path in ("", "query?q=q098"):
        page = open_page(f"{sample_app}/{path}")
        page.emulate_media(media="print")
        hidden = "[data-testid=stSidebar], .lens.pages, [data-testid=stHeader], .stDownloadButton"
        assert not any(it.is_visible() for it in page.locator(hidden).all()), path
        assert page.locator("h1").first.is_visible()
        assert page.evaluate(_SCROLLED_BOXES) == [], path
        heights: Any = page.evaluate(
            "[document.documentElement.scrollHeight,"
            " document.querySelector('[data-testid=stMain]').getBoundingClientRect().height]"
        )
        assert heights[0] >= heights[1] - 1 > 1000, path


def test_bars_are_labelled_where_the_head_is_gone(sample_app: str, open_page: Opened) -> None:
    page = open_page(sample_app, width=400)
    tally = page.locator(".lens.differences .tally .or-narrow").first
    box: Any = tally.bounding_box()
    assert box["width"] > 15 and tally.inner_text().strip() == "worse"
