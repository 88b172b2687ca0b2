"""`ranklens figure`: charts at a width on paper that need nothing around them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from dashboard import printing
from dashboard.drawing.figures.text import SIZE, text_width
from dashboard.paper_figures import FIGURES
from dashboard.start import main
from tests.dashboard.test_printing import HERE, boxes
from tests.full_disk import full_disk

SAMPLE = Path(__file__).parents[3] / "sample_runs"
NAMES = ("bm25", "dense", "hybrid", "titles-only")
GIVEN = [str(SAMPLE / "qrels.txt"), *(str(SAMPLE / f"{name}.run") for name in NAMES)]
QUERIES = ["--queries", str(SAMPLE / "queries.csv")]
SVG = "{http://www.w3.org/2000/svg}"
SAYS = {
    "curves": ["nDCG@k", "difference from bm25", "k"],
    "forest": ["+0.087 [0.030, 0.144]", "difference in nDCG@10"],
    "breakdown": ["Billing", "12 queries", "difference in nDCG@10"],
    "pairs": ["+0.087", "+0.252"],
}


class Written(NamedTuple):
    """A line of text, and where it stands in px."""

    text: str
    left: float
    right: float
    base: float


def lines(drawing: ElementTree.Element) -> Iterator[Written]:
    for text in drawing.iter(f"{SVG}text"):
        anchor = text.get("text-anchor")
        for line in text.findall(f"{SVG}tspan"):
            said = "".join(line.itertext())
            width, x = text_width(said), float(line.get("x", "nan"))
            left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[str(anchor)] * width
            yield Written(said, left, left + width, float(line.get("y", "nan")))


@pytest.mark.parametrize(
    ("name", "width"),
    [*((name, "column") for name in FIGURES), ("curves", "page"), ("pairs", "page"),
     ("forest", "3.17in")],
)  # fmt: skip
def test_a_drawing_stands_alone(
    name: str, width: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.svg"
    assert main(["figure", name, *GIVEN, *QUERIES, "--width", width, "-o", str(out)]) == 0
    text = out.read_text()
    drawing = ElementTree.fromstring(text)
    mm = {"column": 84, "page": 174, "3.17in": 80.518}[width]
    assert drawing.get("width") == f"{mm:g}mm"
    assert f"{mm:.0f} × " in capsys.readouterr().out
    # Colours that Inkscape knows, and the font itself.
    assert not re.search(r"var\(|light-dark|rgba\(|color-mix|currentColor", text)
    assert text.count("@font-face") == 2 and "http" not in text.replace("http://www.w3.org", "")
    high, wide = (float(n) for n in drawing.get("viewBox", "").split()[:1:-1])
    pt_per_px = mm / 25.4 * 72 / wide
    sizes = [SIZE, *(float(n) for n in re.findall(r"font-size:([\d.]+)px", text))]
    assert min(sizes) * pt_per_px >= 7
    found = list(lines(drawing))
    assert {line.text for line in found} >= set(SAYS[name])
    assert all(any(run in line.text for line in found) for run in NAMES)
    assert all(line.left > -2 and line.right < wide + 2 and 0 < line.base < high for line in found)
    for one, other in combinations(found, 2):
        apart = one.right <= other.left + 2 or other.right <= one.left + 2
        assert apart or abs(one.base - other.base) > SIZE - 1, (one, other)


@pytest.mark.skipif(HERE is None, reason="no browser is at hand")
def test_a_pdf_of_its_size_with_its_fonts(tmp_path: Path) -> None:
    out = tmp_path / "x.pdf"
    assert main(["figure", "forest", *GIVEN, "-o", str(out)]) == 0
    pdf = out.read_bytes()
    ((width, _),) = boxes(pdf)
    assert width == pytest.approx(84, abs=0.5)
    # Publishers refuse outlines in the place of fonts.
    assert b"Inter-SemiBold" in pdf and b"/FontFile2" in pdf and b"/Type3" not in pdf


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["curves", "-m", "AP"], "AP has no cutoff to vary"),
        (["forest", "-m", "AP,P@5"], "one measure, not AP and P@5"),
        (["breakdown", "--by", "colour"], "colour"),
        (["forest", "-o", "x.png"], "x.png is neither SVG nor PDF"),
        (["pairs", "--baseline", "bm52"], "bm25"),
        (["pairs", "-o", "no/such/folder/x.svg"], "No such file or directory"),
        (["pairs", "-o", "x.pdf"], "Chrome, Chromium or Edge"),
    ],
)
def test_errors_say_what_to_write(
    more: list[str], says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printing, "find_browser", lambda: None)
    name, *options = more
    assert main(["figure", name, *GIVEN[:3], *QUERIES, *options]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("width", ["60mm", "2m", "wide", "0in"])
def test_a_width_that_is_none(width: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["figure", "pairs", *GIVEN, "--width", width])
    assert "not a valid width" in capsys.readouterr().err


def test_one_run_has_curves_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "x.svg")
    assert main(["figure", "curves", *GIVEN[:2], "-o", out]) == 0
    assert "minus" not in capsys.readouterr().out
    assert main(["figure", "forest", *GIVEN[:2], "-o", out]) == 2
    assert "no run to compare with bm25" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "name"),
    [(["report"], b"new.run"), (["report"], b"n\xff.run"), (["figure", "forest"], b"new.run")],
)
def test_what_was_there_stays_whole_where_nothing_can_be_written(
    command: list[str], name: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, out = tmp_path / os.fsdecode(name), tmp_path / "x.svg"
    run.write_bytes(Path(GIVEN[2]).read_bytes())
    out.write_text("before")
    with full_disk() if name == b"new.run" else nullcontext():
        assert main([*command, *GIVEN[:2], str(run), "-o", str(out)]) == 2
    assert str(out) in capsys.readouterr().err
    assert out.read_text() == "before" and len(list(tmp_path.iterdir())) == 2
