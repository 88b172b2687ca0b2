"""Elements of SVG: tags, styles, and text in several lines. Colours are in the attribute `style`,
in which they can be CSS variables that follow the theme."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import unescape
from typing import Any

from markupsafe import Markup, escape

_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_BASELINES = {"top": 1.0, "middle": 0.35, "bottom": 0.0}
"""Distance from the position of a text down to the baseline of its first line, as a multiple of the
font size. The key is the vertical alignment."""
_LINE = 1.25
_RGBA = re.compile(r"rgba\((\d+,\d+,\d+),([\d.]+)\)")
_TAGS = re.compile(r"<[^>]*>")


def make_element(name: str, content: str = "", **attributes: Any) -> Markup:
    """Return an SVG element. Attributes that are None are omitted."""
    attribute_text = Markup("").join(
        Markup(' {}="{}"').format(key.replace("_", "-") if key != "viewBox" else key, value)
        for key, value in attributes.items()
        if value is not None
    )
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), attribute_text, content)


def format_px(value: float) -> str:
    """Format a length in px with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-0", "0") if value else "0"


def format_points(positions: Iterable[tuple[float, float]]) -> str:
    """Format positions in px as the points of a polygon or a line."""
    return " ".join(f"{format_px(x)},{format_px(y)}" for x, y in positions)


def plain_text(html: str) -> str:
    """Return the text of a hover box without its tags. Line breaks are kept."""
    return unescape(_TAGS.sub("", html.replace("<br>", "\n")))


def format_css(**properties: Any) -> str:
    """Return properties as CSS. A colour with opacity becomes two properties, because some SVG
    viewers do not support rgba()."""
    declarations = []
    for name, value in properties.items():
        if value in (None, ""):
            continue
        translucent = _RGBA.fullmatch(str(value))
        color = f"rgb({translucent[1]})" if translucent else value
        declarations.append(f"{name.replace('_', '-')}:{color}")
        if translucent:
            declarations.append(f"{name}-opacity:{translucent[2]}")
    return ";".join(declarations)


def dash_pattern(dash: str | None) -> str | None:
    """Return the CSS dash pattern for a dash style of Plotly. Returns None for a solid line."""
    patterns = {"dash": "9px,9px", "dot": "3px,3px"}
    return None if dash in (None, "solid") else patterns.get(dash, dash)


def draw_text(
    html: str,
    position: tuple[float, float],
    anchor: str,
    baseline: str,
    font: Mapping[str, Any],
    title: str = "",
) -> Markup:
    """Draw a text of one or more lines, which may contain bold and coloured pieces. If the font has
    a "halo", the letters have a border of this colour, which covers lines behind the text."""
    lines, size, halo = html.split("<br>"), font.get("size", 13), font.get("halo")
    first = position[1] + _BASELINES[baseline] * size
    if baseline == "middle":
        first -= (len(lines) - 1) / 2 * _LINE * size
    elif baseline == "bottom":
        first -= (len(lines) - 1) * _LINE * size + 0.25 * size
    spans = [
        make_element(
            "tspan",
            _split_into_spans(line),
            x=format_px(position[0]),
            y=format_px(first + number * _LINE * size),
        )
        for number, line in enumerate(lines)
    ]
    return make_element(
        "text",
        Markup("").join([make_element("title", title) if title else Markup(), *spans]),
        text_anchor=_ANCHORS[anchor],
        style=format_css(
            fill=font.get("color", "currentColor"),
            font_size=f"{size}px" if "size" in font else None,
            stroke=halo,
            stroke_width=halo and "5px",
            paint_order=halo and "stroke",
        ),
    )


_SPAN = re.compile(r'<b>|</b>|<span style="color:([^"]+)">|</span>')


def _split_into_spans(line: str) -> Markup:
    """Return the pieces of a line of text. Each piece has its own colour and weight."""
    bold, colors, pieces, begin = 0, [""], [], 0
    for match in _SPAN.finditer(line):
        pieces.append((line[begin : match.start()], bold, colors[-1]))
        begin = match.end()
        bold += {"<b>": 1, "</b>": -1}.get(match[0], 0)
        if match[1]:
            colors.append(match[1])
        elif match[0] == "</span>" and len(colors) > 1:
            colors.pop()
    pieces.append((line[begin:], bold, colors[-1]))
    elements = [
        make_element(
            "tspan", text, style=format_css(fill=color, font_weight=600 if is_bold else None)
        )
        if is_bold or color
        else escape(text)
        for part, is_bold, color in pieces
        if part
        for text in [plain_text(part)]
    ]
    return Markup("").join(elements)
