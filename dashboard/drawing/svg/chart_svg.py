"""A chart as SVG, for documents in which scripts do not run: a report, a notebook, a paper.

The SVG is made from the data that figures prepare for Plotly (`figures/chart.py`): lines, filled
areas, points, bars, line shapes and notes, over linear and logarithmic axes. Hover texts become
`<title>` elements. Other traces raise ValueError, so that nothing is silently missing from an
image."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count, pairwise
from typing import Any

from markupsafe import Markup

from dashboard.drawing.figures.chart import Chart, Trace
from dashboard.drawing.svg.axes import Axis, Plot
from dashboard.drawing.svg.elements import (
    dash_pattern,
    draw_text,
    format_css,
    format_px,
    make_element,
    plain_text,
)
from dashboard.drawing.svg.marks import draw_marks, is_missing, make_hover_text_function


def draw_svg(
    chart: Chart,
    width: float,
    label: str,
    *,
    size: tuple[str, str] | None = None,
    sheet: Callable[[str], str] | None = None,
) -> Markup:
    """Draw the chart with a width of `width` px. If it is shown smaller, it is scaled in
    proportion. `label` describes the chart for screen readers. For an SVG file, `size` is the width
    and height of the file as CSS, and `sheet` is a function that makes the style sheet from the
    content."""
    layout = chart.to_dict()["layout"]
    margin, height = layout["margin"], layout["height"]
    plot = Plot(layout, margin["l"], width - margin["r"], margin["t"], height - margin["b"])
    rules = [shape for shape in layout.get("shapes", ()) if shape["type"] in ("line", "rect")]
    below = [shape for shape in rules if shape.get("layer") == "below"]
    parts = [
        *(_draw_line_shape(shape, plot) for shape in below),
        *_grid_lines(plot),
        *(mark for trace in chart.traces for mark in draw_marks(trace, plot)),
        *(_draw_line_shape(shape, plot) for shape in rules if shape not in below),
        *_tick_labels(plot),
        *(_draw_note(note, plot) for note in layout.get("annotations", ())),
        *_hover_areas(chart.traces, plot),
    ]
    inside, font = Markup("").join(parts), layout["font"]
    style = f"font-family:{font['family']};font-size:{font['size']}px"
    return make_element(
        "svg",
        Markup("").join(
            [make_element("style", Markup(sheet(inside))) if sheet else Markup(), inside]
        ),
        width=size and size[0],
        height=size and size[1],
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {format_px(width)} {format_px(height)}",
        role="img",
        aria_label=label,
        style=style,
    )


def _grid_lines(plot: Plot) -> Iterable[Markup]:
    for axis, is_x in _plot_axes(plot):
        settings = axis.settings
        lines = [(v, settings["gridcolor"], settings["gridwidth"]) for v in settings["tickvals"]]
        lines = lines if settings["showgrid"] else []
        if settings.get("zeroline") and axis.contains(0):
            lines.append((0, settings["zerolinecolor"], settings["zerolinewidth"]))
        for value, color, width in lines:
            if axis.contains(value):
                at = axis.position(value)
                ends = at, plot.top, at, plot.bottom
                yield _draw_line(ends if is_x else (plot.left, at, plot.right, at), color, width)


def _plot_axes(plot: Plot) -> Iterable[tuple[Axis, bool]]:
    for name in plot.layout:
        if re.fullmatch(r"[xy]axis\d*", name):
            yield plot.axis(name.replace("axis", "")), name[0] == "x"


def _draw_line(
    end_points: tuple[float, float, float, float], color: str, width: float, dash: str | None = None
) -> Markup:
    names = ("x1", "y1", "x2", "y2")
    style = format_css(stroke=color, stroke_width=width, stroke_dasharray=dash_pattern(dash))
    return make_element(
        "line", style=style, **dict(zip(names, map(format_px, end_points), strict=True))
    )


def _tick_labels(plot: Plot) -> Iterable[Markup]:
    for axis, is_x in _plot_axes(plot):
        settings = axis.settings
        if not settings["showticklabels"]:
            continue
        distance = settings.get("ticklabelstandoff", 0) + 3
        for value, text in zip(settings["tickvals"], settings["ticktext"], strict=True):
            if not axis.contains(value):
                continue
            position = axis.position(value)
            if is_x:
                yield draw_text(
                    text,
                    (position, plot.bottom + distance - 2),
                    "center",
                    "top",
                    settings["tickfont"],
                )
            else:
                yield draw_text(
                    text, (plot.left - distance, position), "right", "middle", settings["tickfont"]
                )


def _draw_line_shape(shape: Mapping[str, Any], plot: Plot) -> Markup:
    x = [_end_position(shape, plot, "x", number) for number in (0, 1)]
    y = [_end_position(shape, plot, "y", number) for number in (0, 1)]
    line = shape["line"]
    if shape["type"] == "line":
        return _draw_line((x[0], y[0], x[1], y[1]), line["color"], line["width"], line.get("dash"))
    return make_element(
        "rect",
        x=format_px(min(x)),
        y=format_px(min(y)),
        width=format_px(abs(x[1] - x[0])),
        height=format_px(abs(y[1] - y[0])),
        style=format_css(fill=shape["fillcolor"]),
    )


def _end_position(shape: Mapping[str, Any], plot: Plot, axis: str, number: int) -> float:
    is_horizontal, value = axis == "x", shape[f"{axis}{number}"]
    if shape.get(f"{axis}sizemode") != "pixel":
        return plot.position(shape[f"{axis}ref"], value, is_horizontal=is_horizontal)
    begin = plot.position(shape[f"{axis}ref"], shape[f"{axis}anchor"], is_horizontal=is_horizontal)
    return begin + (value if is_horizontal else -value)


def _draw_note(note: Mapping[str, Any], plot: Plot) -> Markup:
    x = plot.position(note["xref"], note["x"], is_horizontal=True) + note.get("xshift", 0)
    y = plot.position(note["yref"], note["y"], is_horizontal=False) - note.get("yshift", 0)
    hover_text = plain_text(note.get("hovertext", ""))
    return draw_text(
        note["text"],
        (x, y),
        note["xanchor"],
        note["yanchor"],
        {**note["font"], "halo": note.get("bgcolor")},
        hover_text,
    )


def _hover_areas(traces: Sequence[Trace], plot: Plot) -> Iterable[Markup]:
    """Yield an invisible strip for each position of the horizontal axis. The hover text of a strip
    has the values of all lines at its position. If the lines of the chart do not share a hover box,
    nothing is yielded."""
    if plot.layout.get("hovermode") != "x unified":
        return
    x = plot.axis("x")
    lines_by_place: dict[float, dict[str, list[str]]] = {}
    for trace in traces:
        text_of = make_hover_text_function(trace)
        for number, (x_value, y) in enumerate(zip(trace["x"], trace["y"], strict=True)):
            if not is_missing(y) and text_of(number):
                lines_by_place.setdefault(float(x_value), {}).setdefault(
                    trace.get("yaxis", "y"), []
                ).append(text_of(number))
    places = sorted(lines_by_place)
    middles = [(x.position(a) + x.position(b)) / 2 for a, b in pairwise(places)]
    edges = [x.begin, *middles, x.end]
    title = x.settings.get("unifiedhovertitle", {}).get("text", "%{x}")
    for number, position in zip(count(), places):
        head = re.sub(r"%\{x[^}]*\}", f"{position:g}", title)
        lines = [line for panel in lines_by_place[position].values() for line in panel]
        yield make_element(
            "rect",
            make_element("title", "\n".join([head, *lines])),
            x=format_px(edges[number]),
            y=format_px(plot.top),
            width=format_px(max(edges[number + 1] - edges[number], 0)),
            height=format_px(plot.bottom - plot.top),
            style="fill:none;pointer-events:all",
        )
