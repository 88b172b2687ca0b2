"""The layout that all charts share: a figure with its axes and notes.

The server does not know how wide a chart is on the screen. Elements that must not overlap are
therefore positioned in px for the minimum width, NARROW; on a wider page, only the gaps between
them grow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.figures.colour import TRANSPARENT, rgba
from dashboard.drawing.figures.text import (
    SIZE,
    escape,
    text_width,
    widest_line_width,
)
from dashboard.drawing.theme import FONT, Palette, RunStyle
from dashboard.drawing.ticks import Ticks

NARROW = 360
"""Minimum width in px at which a chart is drawn correctly."""
_LARGER = {"star": 1.25, "triangle-up": 1.2}
"""Scale factors of marks that look smaller than a circle of the same size."""


class Margin(NamedTuple):
    """The margins of a chart, in px."""

    left: float
    right: float
    top: float
    bottom: float


def make_figure(
    traces: Iterable[Any],
    *,
    palette: Palette,
    height: float,
    margin: Margin,
    annotations: Sequence[Mapping[str, Any]] = (),
    shapes: Sequence[Mapping[str, Any]] = (),
    **layout: Any,
) -> Chart:
    """Return a figure in the style of all charts. `layout` has its axes and other settings."""
    margins = {side[0]: math.ceil(px) for side, px in margin._asdict().items()}
    return Chart(
        list(traces),
        {
            **_base_layout(palette),
            "height": round(height),
            "margin": {**margins, "pad": 0},
            "annotations": [_add_hover_style(a, palette) for a in annotations],
            "shapes": list(shapes),
            **layout,
        },
    )


def chart_margin(chart: Chart) -> Margin:
    """Return the margins of a chart."""
    margin = chart.to_dict()["layout"]["margin"]
    return Margin(margin["l"], margin["r"], margin["t"], margin["b"])


def _base_layout(palette: Palette) -> dict[str, Any]:
    font = _font(palette)
    modebar = {"bgcolor": TRANSPARENT, "color": palette.faint, "activecolor": palette.ink}
    return {
        "template": {},
        "paper_bgcolor": TRANSPARENT,
        "plot_bgcolor": TRANSPARENT,
        "font": font,
        "autosize": True,
        "showlegend": False,
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {**_hover_box(palette), "align": "left", "namelength": -1},
        "modebar": modebar,
        "uirevision": "ranklens",
    }


def _font(palette: Palette) -> dict[str, Any]:
    return {"family": FONT, "size": SIZE, "color": palette.ink}


def _hover_box(palette: Palette) -> dict[str, Any]:
    return {"bgcolor": palette.page, "bordercolor": palette.line, "font": _font(palette)}


def _add_hover_style(annotation: Mapping[str, Any], palette: Palette) -> dict[str, Any]:
    """Return the annotation. If it has hover text, the style that all hover boxes share is
    added."""
    if "hovertext" not in annotation:
        return dict(annotation)
    return {**annotation, "hoverlabel": _hover_box(palette)}


def make_axis(
    palette: Palette, span: Sequence[float], ticks: Ticks | None = None, *, grid: bool = False
) -> dict[str, Any]:
    """Return an axis without a frame, a line or tick marks. If `grid` is true, it has faint grid
    lines. Value axes are drawn with grid lines."""
    return {
        "range": list(span),
        "fixedrange": True,
        "showgrid": grid,
        "gridcolor": palette.hairline,
        "gridwidth": 1,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "showticklabels": ticks is not None,
        "tickmode": "array",
        "tickvals": ticks.values if ticks else [],
        "ticktext": ticks.texts if ticks else [],
        "tickangle": 0,
        "tickfont": {"color": palette.muted, "size": SIZE},
        "ticklabelstandoff": 5,
        "automargin": False,
    }


def tick_width(*ticks: Ticks) -> float:
    """Return the width in px of the space that tick labels need at the left of a chart."""
    return 12 + max(widest_line_width(t.texts) for t in ticks)


def make_note(text: str, x: float, y: float, color: str, **more: Any) -> dict[str, Any]:
    """Return an annotation with a text at a position in the chart. `text` must be escaped
    already."""
    return {
        "text": text,
        "x": x,
        "y": y,
        "xref": "x",
        "yref": "y",
        "xanchor": "left",
        "yanchor": "middle",
        "align": "left",
        "showarrow": False,
        "borderpad": 0,
        "font": {"color": color, "size": SIZE},
        **more,
    }


def corner_note(text: str, color: str, margin: Margin, top: float, **more: Any) -> dict[str, Any]:
    """Return a note at the left edge of the whole figure, `top` px below the upper edge."""
    anchors = {"xref": "paper", "yref": "paper", "yanchor": "top"}
    shift = {"xshift": -margin.left, "yshift": margin.top - top}
    return make_note(text, 0, 1, color, **{**anchors, **shift, **more})


def axis_name(text: str, color: str, margin: Margin) -> dict[str, Any]:
    """Return the name of the horizontal axis. It is centred below the axis and kept inside the
    figure. `text` is escaped here and must not be escaped already."""
    shift = clamp_shift(0.5, text_width(text), margin)
    anchors = {"xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "top"}
    return make_note(escape(text), 0.5, 0, color, xshift=shift, yshift=-26, **anchors)


def clamp_shift(share: float, width: float, margin: Margin) -> float:
    """Return the shift in px that keeps a label inside a figure of minimum width. The label is
    `width` px wide, and its centre is at `share` of the plot's width."""
    plot = NARROW - margin.left - margin.right
    low, high = width / 2 - margin.left, plot + margin.right - width / 2
    return max(min(share * plot, high), low) - share * plot


def run_marker(style: RunStyle, palette: Palette, size: float = 11) -> dict[str, Any]:
    """Return the marker of a run. It has a rim in the background colour of the page."""
    return {
        "symbol": style.symbol,
        "size": size if size >= 10 else size * _LARGER.get(style.symbol, 1.0),
        "color": style.color(palette),
        "opacity": 1,
        "line": {"color": palette.page, "width": 1.5 if size >= 10 else 0.8},
    }


def interval_line(style: RunStyle, palette: Palette, width: float) -> dict[str, Any]:
    """Return the line properties for a run's intervals."""
    return {"color": rgba(style.color(palette), 0.38), "width": width}


def order_for_drawing(styles: Mapping[str, RunStyle]) -> list[RunStyle]:
    """Return the styles of the runs in drawing order. The baseline and the run in focus come last,
    so that they are drawn on top."""
    rank = {"other": 0, "baseline": 1, "focus": 2}
    return sorted(styles.values(), key=lambda style: rank[style.role])
