"""Chart of Robustness: the difference without the queries that favour the better run most."""

from __future__ import annotations

from typing import Any

import numpy as np

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, scatter
from dashboard.drawing.figures.colour import rgba
from dashboard.drawing.figures.layout import (
    Margin,
    axis_name,
    make_axis,
    make_figure,
    make_note,
    run_marker,
    tick_width,
)
from dashboard.drawing.ticks import covering_ticks, nice_ticks
from metrics_core.base import wording
from metrics_core.base.arrays import Floats

_HEIGHT, _TOP, _RIGHT, _BOTTOM = 170, 22, 24, 46


def difference_after_removal(differences: Floats, turning: int | None, drawing: Drawing) -> Chart:
    """Draw the mean difference by the number of removed queries. `differences` float64[removed]
    starts with all queries; `turning` is the number whose removal reverses its sign."""
    palette, style, most = drawing.palette, drawing.focus_style, max(len(differences) - 1, 1)
    above, along = covering_ticks(differences, most=5), nice_ticks(0, most, most=min(6, most))
    margin = Margin(tick_width(above), _RIGHT, _TOP, _BOTTOM)
    marked = [0] if turning is None else [0, turning]
    color = style.color(palette)
    line = scatter(
        x=np.arange(len(differences)),
        y=differences,
        mode="lines",
        line={"color": color, "width": style.width},
        fill="tozeroy",
        fillcolor=rgba(color, 0.1),
        text=wording.format_differences(differences.tolist()),
        hovertemplate="without %{x} queries: %{text}<extra></extra>",
    )
    points = scatter(
        x=marked,
        y=differences[marked],
        mode="markers",
        marker=run_marker(style, palette),
        hoverinfo="skip",
        cliponaxis=False,
    )
    return make_figure(
        [line, points],
        palette=palette,
        height=_HEIGHT + _TOP + _BOTTOM,
        margin=margin,
        annotations=[
            *(_value_note(n, differences, palette.ink) for n in marked),
            axis_name("queries removed, most favourable first", palette.muted, margin),
        ],
        xaxis=make_axis(palette, (0, most), along.within(0, most)),
        yaxis={
            **make_axis(palette, above.span, above, grid=True),
            "zeroline": True,
            "zerolinecolor": palette.zero,
            "zerolinewidth": 1.5,
        },
    )


def _value_note(removed: int, differences: Floats, color: str) -> dict[str, Any]:
    """Return the label of a marked point, at its right on the side that the line leaves."""
    falls, at_end = differences[0] >= 0, removed > 0.75 * len(differences)
    text = f"without {wording.format_count(removed)}: " if removed else "all queries: "
    return make_note(
        f"{text}<b>{wording.format_difference(float(differences[removed]))}</b>",
        removed,
        float(differences[removed]),
        color,
        xanchor="right" if at_end else "left",
        xshift=0 if at_end else 8,
        yanchor="bottom" if falls else "top",
        yshift=(16 if at_end else 5) * (1 if falls else -1),
    )
