"""Mixing of colours, and readable text on coloured backgrounds."""

from __future__ import annotations

from dashboard.drawing.theme import Palette

READABLE = 4.5
"""Minimum contrast between text and its background."""
TRANSPARENT = "rgba(0,0,0,0)"


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def rgba(color: str, opacity: float) -> str:
    """Return a colour (#RRGGBB) with an opacity, in the form that Plotly reads. If the colour is a
    CSS variable, the result is a CSS expression."""
    if color.startswith("var("):
        return f"color-mix(in srgb, {color} {opacity:.0%}, transparent)"
    red, green, blue = _channels(color)
    return f"rgba({red},{green},{blue},{opacity:g})"


def mix_colors(top_color: str, bottom_color: str, share: float) -> str:
    """Mix two colours, given as #RRGGBB. `share` is the share of `top_color` in the mixture."""
    mixed = (
        round(share * a + (1 - share) * b)
        for a, b in zip(_channels(top_color), _channels(bottom_color), strict=True)
    )
    return "#" + "".join(f"{channel:02X}" for channel in mixed)


def _luminance(color: str) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in _channels(color))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast_ratio(color: str, other_color: str) -> float:
    """Return the WCAG contrast ratio of two colours, from 1 to 21."""
    dark, light = sorted((_luminance(color), _luminance(other_color)))
    return (light + 0.05) / (dark + 0.05)


def readable_color(background: str, *preferred: str) -> str:
    """Return the first of the preferred colours that is readable on this background. If none of
    them is readable, return black or white."""
    for color in preferred:
        if contrast_ratio(color, background) >= READABLE:
            return color
    return max(("#000000", "#FFFFFF"), key=lambda color: contrast_ratio(color, background))


def diverging_color(value: float, limit: float, palette: Palette) -> str:
    """Return the colour of a difference on the symmetric scale from -limit to limit. A difference
    beyond the scale has the colour of the nearer end."""
    position = 2 + 2 * max(-1.0, min(1.0, value / limit))
    lower = min(int(position), 3)
    stops = palette.diverging_scale
    return mix_colors(stops[lower + 1], stops[lower], position - lower)
