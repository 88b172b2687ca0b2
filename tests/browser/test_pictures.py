"""Pictures of charts: what is downloaded can stand alone, and the page stays as it was."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from playwright.sync_api import Page

from dashboard.drawing.theme import DARK, LIGHT, Palette
from tests.browser.conftest import Opened, control, settle
from tests.dashboard.test_printing import boxes

_SVG = "{http://www.w3.org/2000/svg}"
_LAYOUT = """(key) => {
  const layout = document.querySelector(`.st-key-chart_${key} .js-plotly-plot`).layout;
  return [layout.paper_bgcolor, layout.height, layout.margin.t, layout.annotations.length];
}"""


def picture(page: Page, key: str, kind: str) -> Path:
    """Download a chart's picture."""
    chart = page.locator(f".st-key-chart_{key}")
    chart.locator(".main-svg").first.wait_for()
    chart.hover()
    with page.expect_download() as download:
        chart.locator(f"[data-image={kind}]").click()
    assert download.value.suggested_filename == f"ranklens-{key}.{kind}"
    return Path(download.value.path())


def texts(svg: Path) -> str:
    root = ElementTree.parse(svg).getroot()
    words = " ".join("".join(node.itertext()) for node in root.iter(f"{_SVG}text"))
    return words.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("name", "key", "said", "palette"),
    [
        pytest.param(
            *("curves", "curve_P", "P@k by number of results (k)", LIGHT),
            marks=pytest.mark.thorough,
        ),
        ("curves?part=recall", "precision_recall", "Precision against recall", DARK),
        pytest.param(
            *(
                "breakdown",
                "difference_by_group",
                "Difference from bm25 on nDCG@10, by category",
                LIGHT,
            ),
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            *("breakdown?across=difficulty", "cells", "by category and difficulty", DARK),
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            *("queries?view=against", "against", "vs bm25", LIGHT), marks=pytest.mark.thorough
        ),
    ],
)
def test_a_picture_says_title_measure_runs_and_queries(
    sample_app: str, open_page: Opened, name: str, key: str, said: str, palette: Palette
) -> None:
    page = open_page(f"{sample_app}/{name}", dark=palette is DARK)
    page.locator(f".st-key-chart_{key} .main-svg").first.wait_for()
    before = page.evaluate(_LAYOUT, key)
    svg = picture(page, key, "svg")
    text = texts(svg)
    assert said in text
    assert re.search(r"\d+ queries", text)
    assert "bm25 (baseline)" in text
    if not name.startswith("curves"):
        assert "nDCG@10" in text
    if key in ("curve_P", "difference_by_group"):
        assert "intervals: 95%, bootstrap over queries" in text
        assert "titles-only" in text and "hybrid" in text
    ground = ElementTree.parse(svg).getroot().get("style", "") + svg.read_text("utf-8")[:2000]
    red, green, blue = (int(palette.page[i : i + 2], 16) for i in (1, 3, 5))
    assert f"rgb({red}, {green}, {blue})" in ground
    assert page.evaluate(_LAYOUT, key) == before


@pytest.mark.thorough
def test_a_png_is_as_large_as_what_it_says(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/curves", width=400)
    page.locator(".st-key-chart_curve_P .main-svg").first.wait_for()
    height = page.evaluate(_LAYOUT, "curve_P")[1]
    content = picture(page, "curve_P", "png").read_bytes()
    assert content.startswith(b"\x89PNG")
    wide, high = struct.unpack(">II", content[16:24])
    assert wide >= 2 * 760
    assert high > 2 * (height + 40)


@pytest.mark.thorough
def test_a_picture_is_downloaded_once_after_changes_of_the_address(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(f"{sample_app}/curves")
    for k in ("1", "3"):
        control(page, "measure").locator(
            ".st-key-w_k [role=radio]", has_text=re.compile(f"^{k}$")
        ).click()
        page.wait_for_url(re.compile(f"[?&]k={k}(&|$)"))
    settle(page)
    downloads: list[object] = []
    page.on("download", lambda download: downloads.append(download))
    picture(page, "curve_P", "svg")
    page.wait_for_timeout(1000)
    assert len(downloads) == 1


def test_a_chart_is_printed_alone_on_a_page_of_its_size(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/curves?part=recall")
    chart = page.locator(".st-key-chart_precision_recall")
    chart.locator(".main-svg").first.wait_for()
    downloads: list[object] = []
    page.on("download", lambda download: downloads.append(download))
    page.evaluate("window.print = () => { window.asked = true; }")
    chart.hover()
    chart.locator("[data-image=pdf]").click()
    page.wait_for_function("() => window.asked")
    assert not page.locator(".printed-chart").is_visible()
    text = page.locator(".printed-chart > svg").text_content() or ""
    assert "Precision against recall" in text and "bm25 (baseline)" in text
    width, height = page.locator(".printed-chart > svg").evaluate(
        "svg => [svg.getAttribute('width'), svg.getAttribute('height')].map(Number)"
    )
    pdf = page.pdf(prefer_css_page_size=True)
    ((wide, high),) = boxes(pdf)
    mm_per_px = 25.4 / 96
    assert (wide, high) == (
        pytest.approx(width * mm_per_px, abs=0.5),
        pytest.approx(height * mm_per_px, abs=0.5),
    )
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator(".printed-chart").count() == 0
    assert not downloads
    # The next picture is saved as ever.
    assert "Precision against recall" in texts(picture(page, "precision_recall", "svg"))
