"""On a phone: what is touched is as large as a finger, and nothing lies over or leaves the page."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Opened

_SMALL = """() => [...document.querySelectorAll('[data-testid=stMain] :is(a, button, summary)')]
  .filter((e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  // A row that covers its link, and a drawing beside one that says the same.
  .filter((e) => !e.closest('[aria-hidden=true], .queries, .missed, .group-table tbody'))
  .filter((e) => !e.matches('.track'))
  .map((e) => [e.innerText || e.ariaLabel, e.getBoundingClientRect()])
  .filter(([, box]) => box.height > 0 && box.height < 43)
  .map(([name, box]) => `${name}: ${box.height}`)"""
_OVERLAPPING = """() => [...document.querySelectorAll('.lens tr:has(> .number + .number)')]
  .flatMap((row) => {
    const boxes = [...row.querySelectorAll(':scope > .number')].map((e) => {
      const range = document.createRange();
      range.selectNodeContents(e);
      return range.getBoundingClientRect();
    });
    return boxes.slice(1).filter((b, i) => b.top < boxes[i].bottom && b.left < boxes[i].right - 1
      && b.bottom > boxes[i].top).map(() => row.innerText);
  })"""
_BEYOND = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  return main.scrollWidth - main.clientWidth;
}"""


@pytest.mark.parametrize(
    "path",
    [
        "?run=dense",
        pytest.param("breakdown?run=dense", marks=pytest.mark.thorough),
        pytest.param("query?q=q001&run=hybrid", marks=pytest.mark.thorough),
    ],
)
def test_a_finger_hits_what_it_points_at(sample_app: str, open_page: Opened, path: str) -> None:
    page = open_page(f"{sample_app}/{path}", width=400, height=900, touch=True)
    assert page.evaluate(_SMALL) == []
    assert page.evaluate(_OVERLAPPING) == []
    assert page.evaluate(_BEYOND) <= 0
