"""A chart as SVG, for where no script is: a report, a notebook, a paper.

It reads what the figures give Plotly (`figures/chart.py`): lines, filled areas, points, bars, rules
and notes over linear and logarithmic axes. What a hover box says stands in `<title>`. A trace that
no figure makes raises ValueError, so that nothing is left out of a picture in silence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import count, pairwise
from typing import Any

from markupsafe import Markup, escape

from dashboard.drawing.figures.chart import Chart, Trace

_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_BASELINES = {"top": 1.0, "middle": 0.35, "bottom": 0.0}
"""Where the first line stands below its place, in line heights of the text's size."""
_LINE = 1.25
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
_TAGS = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class _Axis:
    """Where values lie between two ends in px; `low` and `high` are those of its range."""

    given: Mapping[str, Any]
    begin: float
    end: float

    def at(self, value: float) -> float:
        """The place of a value in px."""
        low, high = self.given["range"]
        on = math.log10(value) if self.given.get("type") == "log" else value
        return self.begin + (on - low) / (high - low) * (self.end - self.begin)

    def has(self, value: float) -> bool:
        """Whether a value lies within the range."""
        ends = sorted((self.begin, self.end))
        return ends[0] - 0.5 <= self.at(value) <= ends[1] + 0.5


@dataclass(frozen=True)
class _Plot:
    """The layout, and where its plot lies in px."""

    layout: Mapping[str, Any]
    left: float
    right: float
    top: float
    bottom: float

    def axis(self, name: str) -> _Axis:
        """The axis that a trace names: x, x2, y, y2."""
        given = self.layout[f"{name[0]}axis{name[1:]}"]
        low, high = given.get("domain", (0, 1))
        if name[0] == "x":
            width = self.right - self.left
            return _Axis(given, self.left + low * width, self.left + high * width)
        height = self.bottom - self.top
        return _Axis(given, self.bottom - low * height, self.bottom - high * height)

    def place(self, reference: str, value: float, *, across: bool) -> float:
        """The place of a note or a rule in px, by an axis or as a share of the plot."""
        if reference != "paper":
            return self.axis(reference).at(value)
        if across:
            return self.left + value * (self.right - self.left)
        return self.bottom - value * (self.bottom - self.top)


def svg_of(chart: Chart, width: float, label: str) -> Markup:
    """The chart at this width in px, which it keeps in proportion where it is shown smaller;
    `label` says what it shows to those who do not see it."""
    layout = chart.to_dict()["layout"]
    margin, height = layout["margin"], layout["height"]
    plot = _Plot(layout, margin["l"], width - margin["r"], margin["t"], height - margin["b"])
    rules = [shape for shape in layout.get("shapes", ()) if shape["type"] in ("line", "rect")]
    below = [shape for shape in rules if shape.get("layer") == "below"]
    parts = [
        *(_rule(shape, plot) for shape in below),
        *_grids(plot),
        *(mark for trace in chart.traces for mark in _marks(trace, plot)),
        *(_rule(shape, plot) for shape in rules if shape not in below),
        *_ticks(plot),
        *(_note(note, plot) for note in layout.get("annotations", ())),
        *_pointed_at(chart.traces, plot),
    ]
    font = layout["font"]
    style = f"font-family:{font['family']};font-size:{font['size']}px"
    return _tag(
        "svg",
        Markup("").join(parts),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_px(width)} {_px(height)}",
        role="img",
        aria_label=label,
        style=style,
    )


def _tag(name: str, inside: str = "", **attributes: Any) -> Markup:
    """An element; attributes that are None are left out."""
    given = Markup("").join(
        Markup(' {}="{}"').format(key.replace("_", "-") if key != "viewBox" else key, value)
        for key, value in attributes.items()
        if value is not None
    )
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), given, inside)


def _px(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-0", "0") if value else "0"


def _points(at: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_px(x)},{_px(y)}" for x, y in at)


# Marks


def _marks(trace: Trace, plot: _Plot) -> Iterable[Markup]:
    if trace["type"] == "bar":
        return _bars(trace, plot)
    if trace["type"] != "scatter":
        raise ValueError(f"no {trace['type']} is drawn as SVG")
    return _scattered(trace, plot)


def _placed(trace: Trace, plot: _Plot) -> list[tuple[float, float] | None]:
    """The places of a trace's points in px; None where there is none."""
    x, y = plot.axis(trace.get("xaxis", "x")), plot.axis(trace.get("yaxis", "y"))
    return [
        None if _gone(a) or _gone(b) else (x.at(a), y.at(b))
        for a, b in zip(trace["x"], trace["y"], strict=True)
    ]


def _gone(value: float | None) -> bool:
    return value is None or value != value


def _scattered(trace: Trace, plot: _Plot) -> Iterable[Markup]:
    at, mode = _placed(trace, plot), trace["mode"]
    if "lines" in mode:
        line = trace["line"]
        for piece in _pieces(at):
            filled = trace.get("fill") == "toself"
            yield _tag(
                "polygon" if filled else "polyline",
                points=_points(piece),
                style=_style(
                    fill=trace["fillcolor"] if filled else "none",
                    stroke=line.get("color") if line["width"] else None,
                    stroke_width=line["width"] or None,
                    stroke_dasharray=_dashes(line.get("dash")),
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
    said = _said_of_each(trace)
    for number, place in enumerate(at):
        if place is None or _of(marker.get("opacity", 1), number) == 0:
            continue
        rim = marker.get("line", {})
        yield _mark(
            _of(marker.get("symbol", "circle"), number),
            place,
            _of(marker.get("size", 6), number) / 2,
            _style(
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
    title = _tag("title", said) if said else Markup()
    if symbol == "circle":
        return _tag("circle", title, cx=_px(at[0]), cy=_px(at[1]), r=_px(radius), style=style)
    shape = [(at[0] + radius * x, at[1] + radius * y) for x, y in _SHAPES[symbol]]
    return _tag("polygon", title, points=_points(shape), style=style)


def _bars(trace: Trace, plot: _Plot) -> Iterable[Markup]:
    marker = trace["marker"]
    if marker.get("opacity") == 0:
        return
    flat = trace.get("orientation") == "h"
    x, y = plot.axis(trace.get("xaxis", "x")), plot.axis(trace.get("yaxis", "y"))
    across, along = (y, x) if flat else (x, y)
    said, texts = _said_of_each(trace), trace.get("text")
    for number, (place, length) in enumerate(
        zip(trace["y" if flat else "x"], trace["x" if flat else "y"], strict=True)
    ):
        base = _of(trace.get("base", 0), number) or 0
        half = _of(trace.get("width", 0.8), number) / 2
        ends = sorted((along.at(base), along.at(base + length)))
        sides = sorted((across.at(place - half), across.at(place + half)))
        left, right, top, bottom = (*ends, *sides) if flat else (*sides, *ends)
        yield _tag(
            "rect",
            _tag("title", said(number)) if said(number) else Markup(),
            x=_px(left),
            y=_px(top),
            width=_px(right - left),
            height=_px(bottom - top),
            style=_style(fill=_of(marker.get("color"), number)),
        )
        if texts is not None and trace.get("textposition") == "inside":
            color = _of(trace["insidetextfont"]["color"], number)
            middle = (left + right) / 2, (top + bottom) / 2
            yield _text(str(texts[number]), middle, "center", "middle", {"color": color})


def _said_of_each(trace: Trace) -> Callable[[int], str]:
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
        return "" if "%{" in whole else _plain(whole)

    return said


def _plain(html: str) -> str:
    """The text of a hover box without its tags, a line for each of its lines."""
    return unescape(_TAGS.sub("", html.replace("<br>", "\n")))


def _style(**properties: Any) -> str:
    """As CSS, so that colours may be variables, which follow the theme."""
    given = ((name.replace("_", "-"), value) for name, value in properties.items())
    return ";".join(f"{name}:{value}" for name, value in given if value not in (None, ""))


def _dashes(dash: str | None) -> str | None:
    named = {"dash": "9px,9px", "dot": "3px,3px"}
    return None if dash in (None, "solid") else named.get(dash, dash)


# Axes, rules and notes


def _grids(plot: _Plot) -> Iterable[Markup]:
    for axis, is_x in _axes(plot):
        given = axis.given
        lines = [(v, given["gridcolor"], given["gridwidth"]) for v in given["tickvals"]]
        lines = lines if given["showgrid"] else []
        if given.get("zeroline") and axis.has(0):
            lines.append((0, given["zerolinecolor"], given["zerolinewidth"]))
        for value, color, width in lines:
            if axis.has(value):
                yield _line(_across(axis.at(value), plot, is_x=is_x), color, width)


def _axes(plot: _Plot) -> Iterable[tuple[_Axis, bool]]:
    for name in plot.layout:
        if re.fullmatch(r"[xy]axis\d*", name):
            yield plot.axis(name.replace("axis", "")), name[0] == "x"


def _across(at: float, plot: _Plot, *, is_x: bool) -> tuple[float, float, float, float]:
    return (at, plot.top, at, plot.bottom) if is_x else (plot.left, at, plot.right, at)


def _line(
    ends: tuple[float, float, float, float], color: str, width: float, dash: str | None = None
) -> Markup:
    names = ("x1", "y1", "x2", "y2")
    style = _style(stroke=color, stroke_width=width, stroke_dasharray=_dashes(dash))
    return _tag("line", style=style, **dict(zip(names, map(_px, ends), strict=True)))


def _ticks(plot: _Plot) -> Iterable[Markup]:
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
                yield _text(text, (at, plot.bottom + away), "center", "top", given["tickfont"])
            else:
                yield _text(text, (plot.left - away, at), "right", "middle", given["tickfont"])


def _rule(shape: Mapping[str, Any], plot: _Plot) -> Markup:
    x = [_end(shape, plot, "x", number) for number in (0, 1)]
    y = [_end(shape, plot, "y", number) for number in (0, 1)]
    line = shape["line"]
    if shape["type"] == "line":
        return _line((x[0], y[0], x[1], y[1]), line["color"], line["width"], line.get("dash"))
    return _tag(
        "rect",
        x=_px(min(x)),
        y=_px(min(y)),
        width=_px(abs(x[1] - x[0])),
        height=_px(abs(y[1] - y[0])),
        style=_style(fill=shape["fillcolor"]),
    )


def _end(shape: Mapping[str, Any], plot: _Plot, side: str, number: int) -> float:
    """One end of a shape in px."""
    across, value = side == "x", shape[f"{side}{number}"]
    if shape.get(f"{side}sizemode") != "pixel":
        return plot.place(shape[f"{side}ref"], value, across=across)
    begin = plot.place(shape[f"{side}ref"], shape[f"{side}anchor"], across=across)
    return begin + (value if across else -value)


def _note(note: Mapping[str, Any], plot: _Plot) -> Markup:
    x = plot.place(note["xref"], note["x"], across=True) + note.get("xshift", 0)
    y = plot.place(note["yref"], note["y"], across=False) - note.get("yshift", 0)
    said = _plain(note.get("hovertext", ""))
    return _text(note["text"], (x, y), note["xanchor"], note["yanchor"], note["font"], said)


def _text(
    html: str,
    at: tuple[float, float],
    anchor: str,
    baseline: str,
    font: Mapping[str, Any],
    said: str = "",
) -> Markup:
    """Text in lines, with what is bold or in a colour of its own within it."""
    lines, size = html.split("<br>"), font.get("size", 13)
    first = at[1] + _BASELINES[baseline] * size
    if baseline == "middle":
        first -= (len(lines) - 1) / 2 * _LINE * size
    elif baseline == "bottom":
        first -= (len(lines) - 1) * _LINE * size + 0.25 * size
    spans = [
        _tag("tspan", _spans(line), x=_px(at[0]), y=_px(first + number * _LINE * size))
        for number, line in enumerate(lines)
    ]
    return _tag(
        "text",
        Markup("").join([_tag("title", said) if said else Markup(), *spans]),
        text_anchor=_ANCHORS[anchor],
        style=_style(
            fill=font.get("color", "currentColor"),
            font_size=f"{size}px" if "size" in font else None,
        ),
    )


_SPAN = re.compile(r'<b>|</b>|<span style="color:([^"]+)">|</span>')


def _spans(line: str) -> Markup:
    """The pieces of a line, each in its colour and weight."""
    bold, colors, found, begin = 0, [""], [], 0
    for tag in _SPAN.finditer(line):
        found.append((line[begin : tag.start()], bold, colors[-1]))
        begin = tag.end()
        bold += {"<b>": 1, "</b>": -1}.get(tag[0], 0)
        if tag[1]:
            colors.append(tag[1])
        elif tag[0] == "</span>" and len(colors) > 1:
            colors.pop()
    found.append((line[begin:], bold, colors[-1]))
    drawn = [
        _tag("tspan", text, style=_style(fill=color, font_weight=600 if is_bold else None))
        if is_bold or color
        else escape(text)
        for part, is_bold, color in found
        if part
        for text in [_plain(part)]
    ]
    return Markup("").join(drawn)


def _pointed_at(traces: Sequence[Trace], plot: _Plot) -> Iterable[Markup]:
    """Where all lines are told of together: over each place of the horizontal axis what they say
    there, in a strip that is not seen."""
    if plot.layout.get("hovermode") != "x unified":
        return
    x = plot.axis("x")
    told: dict[float, dict[str, list[str]]] = {}
    for trace in traces:
        said = _said_of_each(trace)
        for number, (at, y) in enumerate(zip(trace["x"], trace["y"], strict=True)):
            if not _gone(y) and said(number):
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
        yield _tag(
            "rect",
            _tag("title", "\n".join([head, *lines])),
            x=_px(edges[number]),
            y=_px(plot.top),
            width=_px(max(edges[number + 1] - edges[number], 0)),
            height=_px(plot.bottom - plot.top),
            style="fill:transparent",
        )
