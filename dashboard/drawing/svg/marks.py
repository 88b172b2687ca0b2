"""The marks of a trace as SVG, and their hover texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from dashboard.drawing.figures.chart import Trace
from dashboard.drawing.svg.axes import Plot
from dashboard.drawing.svg.elements import (
    dash_pattern,
    draw_text,
    format_css,
    format_points,
    format_px,
    make_element,
    plain_text,
)

_STAR = ((0, -1), (0.24, -0.32), (0.95, -0.31), (0.38, 0.12), (0.59, 0.81),
         (0, 0.4), (-0.59, 0.81), (-0.38, 0.12), (-0.95, -0.31), (-0.24, -0.32))  # fmt: skip
_CROSS = ((-0.4, -1), (0.4, -1), (0.4, -0.4), (1, -0.4), (1, 0.4), (0.4, 0.4),
          (0.4, 1), (-0.4, 1), (-0.4, 0.4), (-1, 0.4), (-1, -0.4), (-0.4, -0.4))  # fmt: skip
_SHAPES: Mapping[str, Sequence[tuple[float, float]]] = {
    "square": ((-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)),
    "diamond": ((0, -1.1), (1.1, 0), (0, 1.1), (-1.1, 0)),
    "triangle-up": ((0, -1.1), (1.1, 0.85), (-1.1, 0.85)),
    "star": _STAR,
    "cross": _CROSS,
}
"""The corners of the runs' marks, except for the circle. Each mark is about as wide as a circle
with radius 1."""


def draw_marks(trace: Trace, plot: Plot) -> Iterable[Markup]:
    """Draw the marks of a trace. Raises ValueError if the type of the trace is not bar or
    scatter."""
    if trace["type"] == "bar":
        return _draw_bars(trace, plot)
    if trace["type"] != "scatter":
        raise ValueError(f"a trace of type {trace['type']} cannot be drawn as SVG")
    return _scatter_marks(trace, plot)


def _positions(trace: Trace, plot: Plot) -> list[tuple[float, float] | None]:
    """Return the positions of a trace's points in px. A position is None if one of its coordinates
    is missing."""
    x, y = plot.axis(trace.get("xaxis", "x")), plot.axis(trace.get("yaxis", "y"))
    return [
        None if is_missing(a) or is_missing(b) else (x.position(a), y.position(b))
        for a, b in zip(trace["x"], trace["y"], strict=True)
    ]


def is_missing(value: float | None) -> bool:
    """Return whether a value is None or NaN."""
    return value is None or value != value


def _scatter_marks(trace: Trace, plot: Plot) -> Iterable[Markup]:
    positions, mode = _positions(trace, plot), trace["mode"]
    if "lines" in mode:
        line = trace["line"]
        for piece in _split_at_gaps(positions):
            filled = trace.get("fill") == "toself"
            yield make_element(
                "polygon" if filled else "polyline",
                points=format_points(piece),
                style=format_css(
                    fill=trace["fillcolor"] if filled else "none",
                    stroke=line.get("color") if line["width"] else None,
                    stroke_width=line["width"] or None,
                    stroke_dasharray=dash_pattern(line.get("dash")),
                    stroke_linejoin="round",
                ),
            )
    if "markers" in mode:
        yield from _draw_markers(trace, positions)


def _split_at_gaps(
    positions: Sequence[tuple[float, float] | None],
) -> Iterable[list[tuple[float, float]]]:
    """Yield the sequences of points between gaps."""
    piece: list[tuple[float, float]] = []
    for one in (*positions, None):
        if one is not None:
            piece.append(one)
        elif piece:
            yield piece
            piece = []


def _draw_markers(
    trace: Trace, positions: Sequence[tuple[float, float] | None]
) -> Iterable[Markup]:
    marker = trace["marker"]
    text_of = make_hover_text_function(trace)
    for number, position in enumerate(positions):
        if position is None or _value_at(marker.get("opacity", 1), number) == 0:
            continue
        rim = marker.get("line", {})
        yield _draw_mark(
            _value_at(marker.get("symbol", "circle"), number),
            position,
            _value_at(marker.get("size", 6), number) / 2,
            format_css(
                fill=_value_at(marker.get("color"), number),
                stroke=_value_at(rim.get("color"), number) if rim.get("width") else None,
                stroke_width=_value_at(rim.get("width"), number) or None,
            ),
            text_of(number),
        )


def _value_at(value: Any, number: int) -> Any:
    """Return the value of a property for one point. The property may have one value per point, or a
    single value for all points."""
    return value if isinstance(value, str) or not hasattr(value, "__len__") else value[number]


def _draw_mark(
    symbol: str, center: tuple[float, float], radius: float, style: str, title_text: str
) -> Markup:
    title = make_element("title", title_text) if title_text else Markup()
    if symbol == "circle":
        return make_element(
            "circle",
            title,
            cx=format_px(center[0]),
            cy=format_px(center[1]),
            r=format_px(radius),
            style=style,
        )
    shape = [(center[0] + radius * x, center[1] + radius * y) for x, y in _SHAPES[symbol]]
    return make_element("polygon", title, points=format_points(shape), style=style)


def _draw_bars(trace: Trace, plot: Plot) -> Iterable[Markup]:
    marker = trace["marker"]
    if marker.get("opacity") == 0:
        return
    flat = trace.get("orientation") == "h"
    x, y = plot.axis(trace.get("xaxis", "x")), plot.axis(trace.get("yaxis", "y"))
    cross_axis, length_axis = (y, x) if flat else (x, y)
    text_of, texts = make_hover_text_function(trace), trace.get("text")
    for number, (center, length) in enumerate(
        zip(trace["y" if flat else "x"], trace["x" if flat else "y"], strict=True)
    ):
        base = _value_at(trace.get("base", 0), number) or 0
        half = _value_at(trace.get("width", 0.8), number) / 2
        ends = sorted((length_axis.position(base), length_axis.position(base + length)))
        sides = sorted((cross_axis.position(center - half), cross_axis.position(center + half)))
        left, right, top, bottom = (*ends, *sides) if flat else (*sides, *ends)
        yield make_element(
            "rect",
            make_element("title", text_of(number)) if text_of(number) else Markup(),
            x=format_px(left),
            y=format_px(top),
            width=format_px(right - left),
            height=format_px(bottom - top),
            style=format_css(fill=_value_at(marker.get("color"), number)),
        )
        if texts is not None and trace.get("textposition") == "inside":
            color = _value_at(trace["insidetextfont"]["color"], number)
            middle = (left + right) / 2, (top + bottom) / 2
            yield draw_text(str(texts[number]), middle, "center", "middle", {"color": color})


def make_hover_text_function(trace: Trace) -> Callable[[int], str]:
    """Return a function that returns the hover text of a point, given its number. The text is "" if
    the point has none."""
    template = trace.get("hovertemplate", "")
    if not template or trace.get("hoverinfo") in ("skip", "none"):
        return lambda number: ""
    custom = trace.get("customdata")

    def hover_text(number: int) -> str:
        text = template.partition("<extra>")[0]
        if custom is not None:
            for index in range(len(custom[number])):
                text = text.replace(f"%{{customdata[{index}]}}", str(custom[number][index]))
        if "text" in trace:
            text = text.replace("%{text}", str(_value_at(trace["text"], number)))
        return "" if "%{" in text else plain_text(text)

    return hover_text
