"""A chart as SVG: marks stand where their values lie, texts are texts, and nothing is left out."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest

from dashboard.drawing.figures.chart import Chart, Trace, make_bar_trace, make_scatter_trace
from dashboard.drawing.figures.layout import Margin, make_axis, make_figure, make_note
from dashboard.drawing.svg.chart_svg import draw_svg
from dashboard.drawing.theme import BY_THEME, LIGHT
from dashboard.drawing.ticks import Ticks

SVG = "{http://www.w3.org/2000/svg}"
TICKS = Ticks([0.0, 1.0], ["0", "1"], (0, 1))


def chart_of(*traces: Trace, log: bool = False, **more: object) -> Chart:
    """A plot of 200 by 100 px at (20, 10), over 0 to 1, or over 1 to 100 across."""
    ticks = Ticks([1.0, 100.0], ["1", "100"], (1, 100)) if log else TICKS
    across = make_axis(LIGHT, (0, 2) if log else (0, 1), ticks)
    if log:
        across |= {"type": "log"}
    return make_figure(
        traces,
        palette=LIGHT,
        height=130,
        margin=Margin(20, 10, 10, 20),
        xaxis=across,
        yaxis=make_axis(LIGHT, (0, 1), TICKS, grid=True),
        **more,
    )


def drawn(chart: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(draw_svg(chart, 230, "what it shows"))


def line(**more: object) -> Trace:
    given = {"mode": "lines", "line": {"color": "#123456", "width": 2, "dash": "5px,3px"}}
    return make_scatter_trace(**{**given, **more})


def test_a_line_stands_where_its_values_lie_and_breaks_at_gaps() -> None:
    found = drawn(chart_of(line(x=[0, 0.5, 1, 1], y=[0, 1, math.nan, 0.25])))
    pieces = [each.get("points") for each in found.iter(f"{SVG}polyline")]
    assert pieces == ["20,110 120,10", "220,85"]
    assert "stroke-dasharray:5px,3px" in str(next(found.iter(f"{SVG}polyline")).get("style"))


def test_a_logarithmic_axis() -> None:
    found = drawn(chart_of(line(x=[1, 10, 100], y=[0, 0, 0]), log=True))
    (piece,) = found.iter(f"{SVG}polyline")
    assert piece.get("points") == "20,110 120,110 220,110"


def test_an_area_a_bar_and_a_point() -> None:
    area = make_scatter_trace(
        x=[0, 1, 1], y=[0, 0, 1], mode="lines", line={"width": 0}, fill="toself", fillcolor="red"
    )
    bars = make_bar_trace(
        orientation="h", x=[0.5], base=[0.25], y=[0.5], width=0.2, marker={"color": "blue"}
    )
    marker = {"symbol": "square", "size": 10, "color": "green", "line": {"width": 0}}
    point = make_scatter_trace(x=[0.5], y=[0.5], mode="markers", marker=marker)
    found = drawn(chart_of(area, bars, point))
    area_drawn, square = found.iter(f"{SVG}polygon")
    assert area_drawn.get("points") == "20,110 220,110 220,10"
    assert "stroke:" not in str(area_drawn.get("style"))
    (rect,) = found.iter(f"{SVG}rect")
    assert [rect.get(name) for name in ("x", "y", "width", "height")] == ["70", "50", "100", "20"]
    assert square.get("points") == "116,56 124,56 124,64 116,64"


def test_what_is_not_seen_on_the_page_is_not_drawn() -> None:
    unseen = make_scatter_trace(x=[0.5], y=[0.5], mode="markers", marker={"opacity": 0, "size": 8})
    nothing = make_bar_trace(x=[1], y=[1], marker={"opacity": 0})
    found = drawn(chart_of(unseen, nothing))
    assert not list(found.iter(f"{SVG}circle")) and not list(found.iter(f"{SVG}rect"))


def test_texts_are_texts() -> None:
    name = '<b>a &lt;b&gt; &amp; c</b><br><span style="color:#ff0000">below</span>'
    found = drawn(chart_of(annotations=[make_note(name, 0.5, 0.5, LIGHT.ink)]))
    (text,) = (t for t in found.iter(f"{SVG}text") if "below" in "".join(t.itertext()))
    first, second = text.findall(f"{SVG}tspan")
    assert "".join(first.itertext()) == "a <b> & c"
    assert "font-weight:600" in str(first[0].get("style"))
    assert "".join(second.itertext()) == "below" and second[0].get("style") == "fill:#ff0000"


def test_what_a_hover_box_says_stands_in_titles() -> None:
    marker = {"size": 10, "color": "green"}
    point = make_scatter_trace(
        x=[0.5], y=[0.5], mode="markers", marker=marker, customdata=[["q1", "<b>a &lt; b</b>"]],
        hovertemplate="%{customdata[1]}<extra></extra>",
    )  # fmt: skip
    together = [
        line(x=[0, 1], y=[0, 1], text=["0.0", "1.0"], hovertemplate=f"<b>{name}</b>  %{{text}}")
        for name in ("one", "two")
    ]
    found = drawn(chart_of(*together, point, hovermode="x unified"))
    titles = [title.text for title in found.iter(f"{SVG}title")]
    assert "a < b" in titles
    assert [t for t in titles if t and "one" in t] == [
        "0\none  0.0\ntwo  0.0",
        "1\none  1.0\ntwo  1.0",
    ]


def test_colours_may_follow_the_theme() -> None:
    themed = make_figure(
        [], palette=BY_THEME, height=130, margin=Margin(20, 10, 10, 20),
        xaxis=make_axis(BY_THEME, (0, 1), TICKS),
        yaxis=make_axis(BY_THEME, (0, 1), TICKS, grid=True),
    )  # fmt: skip
    assert not re.search(r"#[0-9A-Fa-f]{6}", draw_svg(themed, 230, ""))


def test_a_mark_that_no_figure_makes_is_refused() -> None:
    with pytest.raises(ValueError, match="type pie cannot be drawn as SVG"):
        draw_svg(chart_of({"type": "pie"}), 230, "")


def test_an_opacity_is_a_property_of_its_own() -> None:
    area = make_scatter_trace(
        x=[0, 1, 1], y=[0, 0, 1], mode="lines", line={"width": 0}, fill="toself",
        fillcolor="rgba(1,2,3,0.25)",
    )  # fmt: skip
    (drawn_area,) = drawn(chart_of(area)).iter(f"{SVG}polygon")
    assert drawn_area.get("style", "").startswith("fill:rgb(1,2,3);fill-opacity:0.25")
