"""A chart as an SVG file at a width on paper: it brings its font, and its colours are colours."""

from __future__ import annotations

from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.svg.chart_svg import draw_svg
from dashboard.drawing.theme import font_faces_for

_PX_PER_MM = 96 / 25.4
_SHRUNK = 1.3
"""A chart is drawn so much larger than it is printed: its text of 13 px is 7.5 pt on paper."""
LEAST_MM = 74.0
"""Narrower than this, charts have no room for their labels (`figures.layout.NARROW`)."""


def width_in_px(mm: float) -> float:
    """How wide in px a chart is drawn that is to be printed so wide."""
    return mm * _PX_PER_MM * _SHRUNK


def height_in_mm(chart: Chart) -> float:
    """How high it is printed."""
    return float(chart.to_dict()["layout"]["height"]) / _PX_PER_MM / _SHRUNK


def svg_file(chart: Chart, mm: float, label: str) -> str:
    """The file."""
    size = (f"{mm:g}mm", f"{height_in_mm(chart):.2f}mm")
    return draw_svg(chart, width_in_px(mm), label, size=size, sheet=font_faces_for)


def print_page(svg: str, chart: Chart, mm: float) -> str:
    """An HTML page of the drawing's own size, to be printed."""
    size = f"{mm:g}mm {height_in_mm(chart):.2f}mm"
    style = (
        f"@page{{size:{size};margin:0}}html,body{{margin:0;overflow:hidden}}svg{{display:block}}"
    )
    return f'<!doctype html><meta charset="utf-8"><title>Figure</title><style>{style}</style>{svg}'
