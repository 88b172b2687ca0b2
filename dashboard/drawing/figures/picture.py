"""The caption above a downloaded image of a chart, so that the image can be used outside the page.

On the page, a chart is transparent, and its heading, measure and runs are around it. In an image,
they must be inside: they are in `layout.meta`, positioned in px, and links.js adds them when the
image is made. The chart on the page does not change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.figures.layout import Margin, chart_margin, corner_note
from dashboard.drawing.figures.text import (
    color_text,
    escape,
    run_name,
    short_names,
    text_width,
    wrap,
)
from dashboard.drawing.theme import Palette, RunStyle

WIDTH, PAD = 720, 20
"""The minimum width of an image without its padding, and the width of the padding, both in px."""
_TITLE, _TITLE_LINE, _LINE, _GAP = 17, 23, 18, 10
_TITLE_LENGTH, _NOTE_LENGTH, _NAME_LENGTH = 70, 95, 80


@dataclass(frozen=True)
class Caption:
    """The caption of an image, as plain text. It has a title, notes (the measure, the number of
    queries, the kind of intervals) and the runs."""

    title: str
    notes: Sequence[str] = ()
    runs: Sequence[RunStyle] = ()


def add_caption(figure: Chart, caption: Caption, palette: Palette) -> Chart:
    """Return the figure with its caption in `layout.meta`."""
    margin = chart_margin(figure)
    titles = wrap(caption.title, _TITLE_LENGTH)
    notes = wrap(" · ".join(caption.notes), _NOTE_LENGTH) if caption.notes else []
    columns = _legend_column_count(caption.runs)
    runs = _LINE * math.ceil(len(caption.runs) / columns)
    top = _TITLE_LINE * len(titles) + _LINE * len(notes) + runs + 2 * _GAP
    # Notes are positioned from the upper edge of the plot, which moves down by `top` in the image.
    picture_margin = margin._replace(top=margin.top + top)
    title_notes = _title_notes(titles, notes, palette, picture_margin)
    run_notes = _legend_entries(caption.runs, columns, palette, picture_margin, top - runs - _GAP)
    picture = {
        "pad": PAD,
        "top": top,
        "width": WIDTH,
        "ground": palette.page,
        "annotations": [*title_notes, *run_notes],
    }
    meta = figure.to_dict()["layout"].get("meta", {})
    return figure.with_layout(meta={**meta, "picture": picture})


def _title_notes(
    titles: Sequence[str], notes: Sequence[str], palette: Palette, margin: Margin
) -> Iterator[dict[str, Any]]:
    bold = "<br>".join(f"<b>{escape(line)}</b>" for line in titles)
    font = {"size": _TITLE, "color": palette.ink}
    yield corner_note(bold, palette.ink, margin, 0, font=font)
    for i, line in enumerate(notes):
        top = _TITLE_LINE * len(titles) + 2 + _LINE * i
        yield corner_note(escape(line), palette.muted, margin, top)


def _legend_names(runs: Sequence[RunStyle]) -> list[str]:
    short = short_names((style.name for style in runs), _NAME_LENGTH)
    role_notes = {"baseline": " (baseline)"}
    return [short[style.name] + role_notes.get(style.role, "") for style in runs]


def _legend_column_count(runs: Sequence[RunStyle]) -> int:
    named_runs = zip(runs, _legend_names(runs), strict=True)
    widest = max(
        (text_width(text, bold=s.role == "focus") + 40 for s, text in named_runs), default=1.0
    )
    return max(1, min(int(WIDTH / widest), len(runs)))


def _legend_entries(
    runs: Sequence[RunStyle], n_columns: int, palette: Palette, margin: Margin, top: float
) -> Iterator[dict[str, Any]]:
    for i, (style, name) in enumerate(zip(runs, _legend_names(runs), strict=True)):
        mark = color_text(style.glyph, style.color(palette))
        text = f"{mark} {run_name(style, palette, name)}"
        shift = WIDTH / n_columns * (i % n_columns) - margin.left
        yield corner_note(text, palette.ink, margin, top + _LINE * (i // n_columns), xshift=shift)
