"""The key above a chart, with the names and marks of the runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from dashboard.drawing.figures.layout import Margin, corner_note
from dashboard.drawing.figures.text import LINE, hover_properties, name_with_mark, short_names
from dashboard.drawing.theme import Palette, RunStyle

_KEY_LENGTH, KEY_COLUMN = 16, 156
"""Maximum number of characters of a run's name in a key, and the width in px of one column of the
key. With these values, the keys of two charts fit side by side in a window that is 1280 px wide."""


def legend_height(runs: Sequence[RunStyle], n_columns: int = 2) -> float:
    """Return the height in px of the notes made by `legend_notes`."""
    return LINE * math.ceil(len(runs) / n_columns)


def legend_notes(
    runs: Sequence[RunStyle], palette: Palette, margin: Margin, n_columns: int = 2
) -> Iterable[dict[str, Any]]:
    """Yield notes with the names and marks of the runs, in columns above the chart. They are for
    charts that have no other space for the names."""
    short = short_names((s.name for s in runs), _KEY_LENGTH)
    for i, style in enumerate(runs):
        text = name_with_mark(style, palette, short[style.name])
        yield corner_note(
            text, palette.ink, margin, LINE * (i // n_columns),
            **hover_properties(style.name, short[style.name]),
            xshift=KEY_COLUMN * (i % n_columns) - margin.left,
        )  # fmt: skip
