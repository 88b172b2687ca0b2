"""Where the marks of a chart and the rows of the table stand, to click them for real."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page

_MARK = """([key, trace, point]) => {
  const chart = document.querySelector(`.st-key-chart_${key} .js-plotly-plot`);
  const data = chart._fullData[trace], layout = chart._fullLayout;
  const axis = (name) => layout[name.replace(/^(.)(\\d*)$/, '$1axis$2')];
  const x = axis(data.xaxis || 'x'), y = axis(data.yaxis || 'y');
  const box = chart.getBoundingClientRect();
  const at = (along, value) => along._offset + along.d2p(value);
  const bar = data.type === 'bar', flat = data.orientation === 'h';
  const half = (values) => ((data.base || [])[point] ?? 0) + values[point] / 2;
  const across = bar && flat ? half(data.x) : data.x[point];
  const up = bar && !flat ? half(data.y) : data.y[point];
  return [box.x + at(x, across), box.y + at(y, up)];
}"""
_FIND = """([key, wanted]) => {
  const chart = document.querySelector(`.st-key-chart_${key} .js-plotly-plot`);
  const same = (data) => data && wanted.every((part, i) => data[i] === part);
  for (const [trace, data] of chart._fullData.entries()) {
    const rows = data.customdata || [];
    for (let point = 0; point < rows.length; point++)
      if (same([].concat(rows[point]))) return [trace, point];
  }
  return null;
}"""


def steady(page: Page, selector: str) -> dict[str, float]:
    """Scroll to an element and wait until it stands still, for charts above it may still grow."""
    element = page.locator(selector).first
    element.wait_for()
    seen = None
    for _ in range(40):
        element.scroll_into_view_if_needed()
        page.wait_for_timeout(250)
        box: Any = element.bounding_box()
        if box is not None and box == seen:
            return box
        seen = box
    raise AssertionError(f"{selector} does not come to rest")


def click_mark(page: Page, chart: str, *customdata: str | int) -> None:
    """Click the mark of a chart that carries this customdata (its first parts suffice)."""
    steady(page, f".st-key-chart_{chart} .js-plotly-plot .main-svg")
    found: Any = page.evaluate(_FIND, [chart, list(customdata)])
    assert found is not None, f"no mark {customdata} in {chart}"
    x, y = page.evaluate(_MARK, [chart, *found])
    # Plotly clicks what it hovers, so the mouse has to arrive first.
    page.mouse.move(x - 3, y - 3)
    page.wait_for_timeout(80)
    page.mouse.move(x, y)
    page.wait_for_timeout(120)
    page.mouse.click(x, y)


def click_cutoff(page: Page, chart: str, cutoff: int) -> None:
    """Click a chart by cutoff at this k, and wait until it is chosen."""
    plot = f".st-key-chart_{chart} .js-plotly-plot"
    box = steady(page, plot)
    at = page.evaluate(
        "([plot, k]) => { const x = document.querySelector(plot)._fullLayout.xaxis;"
        " return x._offset + x.d2p(k); }",
        [plot, cutoff],
    )
    page.mouse.move(box["x"] + at - 3, box["y"] + 100)
    page.mouse.move(box["x"] + at, box["y"] + 100)
    # Plotly looks for the nearest point some time after a move, and a click takes what it found.
    page.wait_for_function(
        "([plot, k]) => document.querySelector(plot)._hoverdata?.some((point) => point.x === k)",
        arg=[plot, cutoff],
    )
    page.mouse.down()
    page.mouse.up()
    page.wait_for_url(re.compile(rf"[?&]k={cutoff}(&|$)"))


def click_row(page: Page, row: int) -> None:
    """Click a row of the table of queries in its middle, which holds no text; from 0."""
    shown = page.locator(".lens.queries tbody tr").nth(row)
    shown.scroll_into_view_if_needed()
    box: Any = shown.bounding_box()
    window: Any = page.locator(".lens.queries").bounding_box()
    page.mouse.click(window["x"] + window["width"] / 2, box["y"] + box["height"] / 2)
