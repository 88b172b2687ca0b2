"""PDF by the browser at hand: at the size of the page, and a sentence where there is none."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from dashboard import printing
from dashboard.printing import find_browser, print_pdf, write_page
from metrics_core.base.errors import RanklensError

HERE = find_browser()
PAGE = "<!doctype html><style>@page{size:84mm 40mm;margin:0}</style><p>It prints"


def boxes(pdf: bytes) -> list[tuple[float, float]]:
    """Width and height of each page in mm."""
    found = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    return [(float(w) / 72 * 25.4, float(h) / 72 * 25.4) for w, h in found]


@pytest.mark.skipif(HERE is None, reason="no browser is at hand")
def test_a_page_is_printed_at_its_size(tmp_path: Path) -> None:
    out = tmp_path / "x.PDF"
    assert write_page(PAGE, out) == out.stat().st_size
    ((width, height),) = boxes(out.read_bytes())
    assert (width, height) == (pytest.approx(84, abs=0.5), pytest.approx(40, abs=0.5))


def test_other_files_need_no_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "find_browser", lambda: None)
    assert write_page(PAGE, tmp_path / "x.html") == len(PAGE)
    with pytest.raises(RanklensError, match=r"Chrome, Chromium or Edge[^$]*ends in \.html"):
        write_page(PAGE, tmp_path / "x.pdf")
    assert not (tmp_path / "x.pdf").exists()


@pytest.mark.parametrize("browser", [sys.executable, "/no/such/browser"])
def test_a_browser_that_prints_nothing(browser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "find_browser", lambda: browser)
    with pytest.raises(RanklensError, match=r"printed nothing[^$]*Write a \.svg file"):
        print_pdf(PAGE, "svg")
