"""Names of runs over charts with rows: each over its first point, or all in a key."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dashboard.drawing.figures.layout import NARROW, Margin, corner, note
from dashboard.drawing.figures.text import (
    LINE,
    marked_name,
    name_width,
    run_name,
    short_names,
    spread,
    whole,
)
from dashboard.drawing.theme import Palette, RunStyle

_BETWEEN = 10
_MOST_LINES = 3
_KEY_LENGTH, KEY_COLUMN = 16, 156
"""Characters and px of a name in a key, so that two stand side by side beside
another chart at 1280 px."""


def key_height(runs: Sequence[RunStyle], columns: int = 2) -> float:
    """The height in px of `key_notes`."""
    return LINE * math.ceil(len(runs) / columns)


def key_notes(
    runs: Sequence[RunStyle], palette: Palette, margin: Margin, columns: int = 2
) -> Iterable[dict[str, Any]]:
    """The runs with their marks in columns on top, for names that do not fit in the chart."""
    short = short_names((s.name for s in runs), _KEY_LENGTH)
    for i, style in enumerate(runs):
        text = marked_name(style, palette, short[style.name])
        yield corner(
            text, palette.ink, margin, LINE * (i // columns),
            **whole(style.name, short[style.name]), xshift=KEY_COLUMN * (i % columns) - margin.left,
        )  # fmt: skip


Placed = list[list[tuple[RunStyle, str, float, float]]]
"""Lines of run names from bottom to top: each run's style, its name as it is shown, its share of
the axis, its shift."""


def names_above(shares: Mapping[str, float], styles: Mapping[str, RunStyle], left: float,
                right: float) -> Placed:  # fmt: skip
    """Names over their points, in as few lines as hold them at the narrowest width; none where
    that takes more than three."""
    plot = NARROW - left - right
    order = sorted(shares, key=lambda run: shares[run])
    short = short_names(order)
    for n in range(1, min(len(order), _MOST_LINES) + 1):
        lines = [order[i::n] for i in range(n)]
        sizes = [[name_width(styles[r], short[r]) + _BETWEEN for r in line] for line in lines]
        if max(map(sum, sizes)) <= NARROW:
            break
    else:
        return []
    placed = []
    for line, widths in zip(lines, sizes, strict=True):
        wanted = [shares[run] * plot for run in line]
        centres = spread(wanted, widths, -left, plot + right)
        placed.append(
            [
                (styles[run], short[run], shares[run], centre - want)
                for run, centre, want in zip(line, centres, wanted, strict=True)
            ]
        )
    return placed


def name_notes(placed: Placed, palette: Palette) -> list[dict[str, Any]]:
    """The names of `names_above` as notes over the plot."""
    over = {"xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom"}
    return [
        note(
            run_name(style, palette, short),
            share,
            1,
            palette.ink,
            xshift=shift,
            yshift=4 + LINE * i,
            **over,
            **whole(style.name, short),
        )
        for i, line in enumerate(placed)
        for style, short, share, shift in line
    ]
