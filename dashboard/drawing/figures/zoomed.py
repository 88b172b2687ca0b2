"""Line charts with zooming by dragging. The values at the mouse position are shown beside the
lines."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace, make_scatter_trace
from dashboard.drawing.figures.text import color_text, escape

_LOG_TICKS, _TICKS = 3, 6
"""Number of ticks requested from Plotly: on a logarithmic axis, and on any other axis. If three are
requested, Plotly labels every logarithmic axis with 1, 2, 5, 10 and so on."""
_STRIP = 30
"""Height in px of the strip above a single panel. The strip shows the values at the mouse
position."""
_IN_LINE = 5
"""Number of values that fit side by side in the narrowest chart."""


def make_zoomable(chart: Chart, drawing: Drawing, cutoff_link: str = "") -> Chart:
    """Return the chart with axes that the user can zoom by dragging.

    If the chart has one hover box for all lines, the box is replaced by text between the two panels
    or, for a single panel, above it, so that no line is hidden. `cutoff_link` is the link that a
    click in the chart follows, with the position of the click as k; if "", clicks do nothing."""
    layout = chart.to_dict()["layout"]
    axes: dict[str, Any] = {
        name: _zoomable_axis(axis) for name, axis in layout.items() if name[1:5] == "axis"
    }
    axes |= {"dragmode": "zoom", "meta": {"chooses": cutoff_link}}
    if layout["hovermode"] != "x unified":
        return chart.with_layout(**axes)
    height = layout["height"]
    if "yaxis2" in axes:
        strip = [axes["yaxis2"]["domain"][1], axes["yaxis"]["domain"][0]]
    else:
        plot = height - layout["margin"]["t"] - layout["margin"]["b"]
        strip, height = [plot / (plot + _STRIP), 1], height + _STRIP
        axes["yaxis"]["domain"] = [0, strip[0]]
    unseen = {"fixedrange": True, "anchor": "x", "visible": False}
    axes["yaxis3"] = {"domain": strip, "range": [0, 1], **unseen}
    quiet = [{**trace, "hovertemplate": None, "hoverinfo": "skip"} for trace in chart.traces]
    reading = _hover_values_trace(quiet, layout["xaxis"]["unifiedhovertitle"]["text"], drawing)
    return Chart([*quiet, reading], layout).with_layout(
        **axes,
        height=height,
        hovermode="x",
        hoversubplots="axis",
        hoverlabel={**layout["hoverlabel"], "showarrow": False},
    )


def _zoomable_axis(axis: Mapping[str, Any]) -> dict[str, Any]:
    """Return the axis with zooming enabled. Plotly chooses ticks for the range that is visible."""
    count = _LOG_TICKS if axis.get("type") == "log" else _TICKS
    text_format = "+~r" if "+" in "".join(axis["ticktext"]) else "~r"
    ticks = {"tickmode": "auto", "nticks": count, "tickformat": text_format}
    return {**axis, **ticks, "labelalias": {"+0": "0"}, "fixedrange": False}


def _hover_values_trace(traces: Iterable[Trace], title: str, drawing: Drawing) -> Trace:
    """Return a trace of invisible points, one at each position of the horizontal axis. The hover
    text of a point has the values of all lines at this position, highest first. `title` is the
    template for the name of the position."""
    styles = {escape(style.name): style for style in drawing.styles.values()}
    texts_by_place: dict[float, dict[str, list[tuple[float, str]]]] = {}
    for trace in traces:
        if "text" not in trace:
            continue
        style = styles[trace["name"]]
        mark = color_text(style.glyph, style.color(drawing.palette))
        for x, y, text in zip(trace["x"], trace["y"], trace["text"], strict=True):
            if y == y:
                values = texts_by_place.setdefault(float(x), {}).setdefault(
                    trace.get("yaxis", "y"), []
                )
                values.append((float(y), f"{mark}\N{NO-BREAK SPACE}{text}"))
    places = sorted(texts_by_place)
    heads = [re.sub(r"%\{x[^}]*\}", f"{position:g}", title) for position in places]
    return make_scatter_trace(
        x=places,
        y=[0.5] * len(places),
        yaxis="y3",
        mode="markers",
        marker={"opacity": 0},
        hovertext=[
            f"{head}  "
            + "<br>".join(
                line for values in texts_by_place[x].values() for line in _join_values(values)
            )
            for head, x in zip(heads, places, strict=True)
        ],
        # Without "x" Plotly omits a second box that would show only the position.
        hoverinfo="text",
    )


def _join_values(values: list[tuple[float, str]]) -> list[str]:
    """Return the values as text, in lines of about the same length."""
    texts = [text for _, text in sorted(values, reverse=True)]
    most = math.ceil(len(texts) / math.ceil(len(texts) / _IN_LINE))
    return ["  ".join(texts[i : i + most]) for i in range(0, len(texts), most)]
