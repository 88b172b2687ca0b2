"""A chart as SVG, for where no script is: a report, a notebook, a paper.

It reads what the figures give Plotly (`figures/chart.py`): lines, filled areas, points, bars, rules
and notes over linear and logarithmic axes. What a hover box says stands in `<title>`. A trace that
no figure makes raises ValueError, so that nothing is left out of a picture in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count, pairwise
from typing import Any

from markupsafe import Markup

from dashboard.drawing.figures.chart import Chart, Trace
from dashboard.drawing.svg.axes import Axis, Plot
from dashboard.drawing.svg.elements import css, dashes, plain, px, tag, written
from dashboard.drawing.svg.marks import gone, marks_of, said_of_each


def svg_of(
    chart: Chart,
    width: float,
    label: str,
    *,
    size: tuple[str, str] | None = None,
    sheet: Callable[[str], str] | None = None,
) -> Markup:
    """The chart at this width in px, which it keeps in proportion where it is shown smaller;
    `label` says what it shows to those who do not see it. As a file it has a `size` of its own,
    width and height as CSS, and a `sheet` for what stands in it."""
    layout = chart.to_dict()["layout"]
    margin, height = layout["margin"], layout["height"]
    plot = Plot(layout, margin["l"], width - margin["r"], margin["t"], height - margin["b"])
    rules = [shape for shape in layout.get("shapes", ()) if shape["type"] in ("line", "rect")]
    below = [shape for shape in rules if shape.get("layer") == "below"]
    parts = [
        *(_rule(shape, plot) for shape in below),
        *_grids(plot),
        *(mark for trace in chart.traces for mark in marks_of(trace, plot)),
        *(_rule(shape, plot) for shape in rules if shape not in below),
        *_ticks(plot),
        *(_note(note, plot) for note in layout.get("annotations", ())),
        *_pointed_at(chart.traces, plot),
    ]
    inside, font = Markup("").join(parts), layout["font"]
    style = f"font-family:{font['family']};font-size:{font['size']}px"
    return tag(
        "svg",
        Markup("").join([tag("style", Markup(sheet(inside))) if sheet else Markup(), inside]),
        width=size and size[0],
        height=size and size[1],
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {px(width)} {px(height)}",
        role="img",
        aria_label=label,
        style=style,
    )


def _grids(plot: Plot) -> Iterable[Markup]:
    for axis, is_x in _axes(plot):
        given = axis.given
        lines = [(v, given["gridcolor"], given["gridwidth"]) for v in given["tickvals"]]
        lines = lines if given["showgrid"] else []
        if given.get("zeroline") and axis.has(0):
            lines.append((0, given["zerolinecolor"], given["zerolinewidth"]))
        for value, color, width in lines:
            if axis.has(value):
                yield _line(_across(axis.at(value), plot, is_x=is_x), color, width)


def _axes(plot: Plot) -> Iterable[tuple[Axis, bool]]:
    for name in plot.layout:
        if re.fullmatch(r"[xy]axis\d*", name):
            yield plot.axis(name.replace("axis", "")), name[0] == "x"


def _across(at: float, plot: Plot, *, is_x: bool) -> tuple[float, float, float, float]:
    return (at, plot.top, at, plot.bottom) if is_x else (plot.left, at, plot.right, at)


def _line(
    ends: tuple[float, float, float, float], color: str, width: float, dash: str | None = None
) -> Markup:
    names = ("x1", "y1", "x2", "y2")
    style = css(stroke=color, stroke_width=width, stroke_dasharray=dashes(dash))
    return tag("line", style=style, **dict(zip(names, map(px, ends), strict=True)))


def _ticks(plot: Plot) -> Iterable[Markup]:
    for axis, is_x in _axes(plot):
        given = axis.given
        if not given["showticklabels"]:
            continue
        away = given.get("ticklabelstandoff", 0) + 3
        for value, text in zip(given["tickvals"], given["ticktext"], strict=True):
            if not axis.has(value):
                continue
            at = axis.at(value)
            if is_x:
                yield written(text, (at, plot.bottom + away), "center", "top", given["tickfont"])
            else:
                yield written(text, (plot.left - away, at), "right", "middle", given["tickfont"])


def _rule(shape: Mapping[str, Any], plot: Plot) -> Markup:
    x = [_end(shape, plot, "x", number) for number in (0, 1)]
    y = [_end(shape, plot, "y", number) for number in (0, 1)]
    line = shape["line"]
    if shape["type"] == "line":
        return _line((x[0], y[0], x[1], y[1]), line["color"], line["width"], line.get("dash"))
    return tag(
        "rect",
        x=px(min(x)),
        y=px(min(y)),
        width=px(abs(x[1] - x[0])),
        height=px(abs(y[1] - y[0])),
        style=css(fill=shape["fillcolor"]),
    )


def _end(shape: Mapping[str, Any], plot: Plot, side: str, number: int) -> float:
    """One end of a shape in px."""
    across, value = side == "x", shape[f"{side}{number}"]
    if shape.get(f"{side}sizemode") != "pixel":
        return plot.place(shape[f"{side}ref"], value, across=across)
    begin = plot.place(shape[f"{side}ref"], shape[f"{side}anchor"], across=across)
    return begin + (value if across else -value)


def _note(note: Mapping[str, Any], plot: Plot) -> Markup:
    x = plot.place(note["xref"], note["x"], across=True) + note.get("xshift", 0)
    y = plot.place(note["yref"], note["y"], across=False) - note.get("yshift", 0)
    said = plain(note.get("hovertext", ""))
    return written(note["text"], (x, y), note["xanchor"], note["yanchor"], note["font"], said)


def _pointed_at(traces: Sequence[Trace], plot: Plot) -> Iterable[Markup]:
    """Where all lines are told of together: over each place of the horizontal axis what they say
    there, in a strip that is not seen."""
    if plot.layout.get("hovermode") != "x unified":
        return
    x = plot.axis("x")
    told: dict[float, dict[str, list[str]]] = {}
    for trace in traces:
        said = said_of_each(trace)
        for number, (at, y) in enumerate(zip(trace["x"], trace["y"], strict=True)):
            if not gone(y) and said(number):
                told.setdefault(float(at), {}).setdefault(trace.get("yaxis", "y"), []).append(
                    said(number)
                )
    places = sorted(told)
    middles = [(x.at(a) + x.at(b)) / 2 for a, b in pairwise(places)]
    edges = [x.begin, *middles, x.end]
    title = x.given.get("unifiedhovertitle", {}).get("text", "%{x}")
    for number, place in zip(count(), places):
        head = re.sub(r"%\{x[^}]*\}", f"{place:g}", title)
        lines = [line for panel in told[place].values() for line in panel]
        yield tag(
            "rect",
            tag("title", "\n".join([head, *lines])),
            x=px(edges[number]),
            y=px(plot.top),
            width=px(max(edges[number + 1] - edges[number], 0)),
            height=px(plot.bottom - plot.top),
            style="fill:none;pointer-events:all",
        )
