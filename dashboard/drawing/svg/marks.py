"""The marks of a trace as SVG, and what a hover box says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from dashboard.drawing.figures.chart import Trace
from dashboard.drawing.svg.axes import Plot
from dashboard.drawing.svg.elements import css, dashes, plain, points, px, tag, written

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
"""The marks of the runs that are no circle, as wide as a circle of radius 1."""


def marks_of(trace: Trace, plot: Plot) -> Iterable[Markup]:
    if trace["type"] == "bar":
        return _bars(trace, plot)
    if trace["type"] != "scatter":
        raise ValueError(f"no {trace['type']} is drawn as SVG")
    return _scattered(trace, plot)


def _placed(trace: Trace, plot: Plot) -> list[tuple[float, float] | None]:
    """The places of a trace's points in px; None where there is none."""
    x, y = plot.axis(trace.get("xaxis", "x")), plot.axis(trace.get("yaxis", "y"))
    return [
        None if gone(a) or gone(b) else (x.at(a), y.at(b))
        for a, b in zip(trace["x"], trace["y"], strict=True)
    ]


def gone(value: float | None) -> bool:
    return value is None or value != value


def _scattered(trace: Trace, plot: Plot) -> Iterable[Markup]:
    at, mode = _placed(trace, plot), trace["mode"]
    if "lines" in mode:
        line = trace["line"]
        for piece in _pieces(at):
            filled = trace.get("fill") == "toself"
            yield tag(
                "polygon" if filled else "polyline",
                points=points(piece),
                style=css(
                    fill=trace["fillcolor"] if filled else "none",
                    stroke=line.get("color") if line["width"] else None,
                    stroke_width=line["width"] or None,
                    stroke_dasharray=dashes(line.get("dash")),
                    stroke_linejoin="round",
                ),
            )
    if "markers" in mode:
        yield from _markers(trace, at)


def _pieces(at: Sequence[tuple[float, float] | None]) -> Iterable[list[tuple[float, float]]]:
    """The runs of points between gaps."""
    piece: list[tuple[float, float]] = []
    for one in (*at, None):
        if one is not None:
            piece.append(one)
        elif piece:
            yield piece
            piece = []


def _markers(trace: Trace, at: Sequence[tuple[float, float] | None]) -> Iterable[Markup]:
    marker = trace["marker"]
    said = said_of_each(trace)
    for number, place in enumerate(at):
        if place is None or _of(marker.get("opacity", 1), number) == 0:
            continue
        rim = marker.get("line", {})
        yield _mark(
            _of(marker.get("symbol", "circle"), number),
            place,
            _of(marker.get("size", 6), number) / 2,
            css(
                fill=_of(marker.get("color"), number),
                stroke=_of(rim.get("color"), number) if rim.get("width") else None,
                stroke_width=_of(rim.get("width"), number) or None,
            ),
            said(number),
        )


def _of(value: Any, number: int) -> Any:
    """A property of one point: its own, or that of all."""
    return value if isinstance(value, str) or not hasattr(value, "__len__") else value[number]


def _mark(symbol: str, at: tuple[float, float], radius: float, style: str, said: str) -> Markup:
    title = tag("title", said) if said else Markup()
    if symbol == "circle":
        return tag("circle", title, cx=px(at[0]), cy=px(at[1]), r=px(radius), style=style)
    shape = [(at[0] + radius * x, at[1] + radius * y) for x, y in _SHAPES[symbol]]
    return tag("polygon", title, points=points(shape), style=style)


def _bars(trace: Trace, plot: Plot) -> Iterable[Markup]:
    marker = trace["marker"]
    if marker.get("opacity") == 0:
        return
    flat = trace.get("orientation") == "h"
    x, y = plot.axis(trace.get("xaxis", "x")), plot.axis(trace.get("yaxis", "y"))
    across, along = (y, x) if flat else (x, y)
    said, texts = said_of_each(trace), trace.get("text")
    for number, (place, length) in enumerate(
        zip(trace["y" if flat else "x"], trace["x" if flat else "y"], strict=True)
    ):
        base = _of(trace.get("base", 0), number) or 0
        half = _of(trace.get("width", 0.8), number) / 2
        ends = sorted((along.at(base), along.at(base + length)))
        sides = sorted((across.at(place - half), across.at(place + half)))
        left, right, top, bottom = (*ends, *sides) if flat else (*sides, *ends)
        yield tag(
            "rect",
            tag("title", said(number)) if said(number) else Markup(),
            x=px(left),
            y=px(top),
            width=px(right - left),
            height=px(bottom - top),
            style=css(fill=_of(marker.get("color"), number)),
        )
        if texts is not None and trace.get("textposition") == "inside":
            color = _of(trace["insidetextfont"]["color"], number)
            middle = (left + right) / 2, (top + bottom) / 2
            yield written(str(texts[number]), middle, "center", "middle", {"color": color})


def said_of_each(trace: Trace) -> Callable[[int], str]:
    """What the hover box says of each point; "" where nothing is."""
    template = trace.get("hovertemplate", "")
    if not template or trace.get("hoverinfo") in ("skip", "none"):
        return lambda number: ""
    custom = trace.get("customdata")

    def said(number: int) -> str:
        whole = template.partition("<extra>")[0]
        if custom is not None:
            for place in range(len(custom[number])):
                whole = whole.replace(f"%{{customdata[{place}]}}", str(custom[number][place]))
        if "text" in trace:
            whole = whole.replace("%{text}", str(_of(trace["text"], number)))
        return "" if "%{" in whole else plain(whole)

    return said
