"""A chart as an SVG file for print, with embedded fonts, fixed colours and a width in mm."""

from __future__ import annotations

from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.svg.chart_svg import draw_svg
from dashboard.drawing.theme import font_faces_for

_PX_PER_MM = 96 / 25.4
_SHRUNK = 1.3
"""Factor by which a chart is drawn larger than it is printed. With this factor, a text of 13 px is
printed in 7.5 pt."""
LEAST_MM = 74.0
"""Minimum width in mm. In narrower charts, labels do not fit (see `figures.layout.NARROW`)."""


def width_in_px(mm: float) -> float:
    """Return the width in px at which a chart with this printed width is drawn."""
    return mm * _PX_PER_MM * _SHRUNK


def height_in_mm(chart: Chart) -> float:
    """Return the printed height of a chart in mm."""
    return float(chart.to_dict()["layout"]["height"]) / _PX_PER_MM / _SHRUNK


def make_svg_file(chart: Chart, width_mm: float, label: str) -> str:
    """Return the chart as an SVG file that is `width_mm` wide. `label` describes the chart for
    screen readers."""
    size = (f"{width_mm:g}mm", f"{height_in_mm(chart):.2f}mm")
    return draw_svg(chart, width_in_px(width_mm), label, size=size, sheet=font_faces_for)


def make_printable_page(svg: str, chart: Chart, width_mm: float) -> str:
    """Return an HTML page of the same size as the chart, for printing."""
    size = f"{width_mm:g}mm {height_in_mm(chart):.2f}mm"
    style = (
        f"@page{{size:{size};margin:0}}html,body{{margin:0;overflow:hidden}}svg{{display:block}}"
    )
    return f'<!doctype html><meta charset="utf-8"><title>Figure</title><style>{style}</style>{svg}'
