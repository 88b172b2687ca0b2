"""Chart of the Robustness page: the difference after removing the queries that favour the better
run most."""

from __future__ import annotations

from typing import Any

import numpy as np

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, make_scatter_trace
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
from dashboard.drawing.ticks import nice_ticks, zero_based_ticks
from metrics_core.base import wording
from metrics_core.base.arrays import Floats

_HEIGHT, _TOP, _RIGHT, _BOTTOM = 170, 22, 24, 46


def difference_after_removal(
    differences: Floats, n_reversing: int | None, drawing: Drawing
) -> Chart:
    """Draw the mean difference by the number of removed queries. `differences` float64[removed]
    starts with the difference on all queries; `n_reversing` is the number of removed queries at
    which the sign changes."""
    palette, style, most = drawing.palette, drawing.focus_style, max(len(differences) - 1, 1)
    above = zero_based_ticks(differences, max_ticks=5)
    along = nice_ticks(0, most, max_ticks=min(6, most))
    margin = Margin(tick_width(above), _RIGHT, _TOP, _BOTTOM)
    marked = [0] if n_reversing is None else [0, n_reversing]
    color = style.color(palette)
    line = make_scatter_trace(
        x=np.arange(len(differences)),
        y=differences,
        mode="lines",
        line={"color": color, "width": style.width},
        fill="tozeroy",
        fillcolor=rgba(color, 0.1),
        text=[*map(wording.format_difference, differences)],
        hovertemplate="without %{x} queries: %{text}<extra></extra>",
    )
    points = make_scatter_trace(
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
        xaxis=make_axis(palette, (0, most), along.select_range(0, most)),
        yaxis={
            **make_axis(palette, above.span, above, grid=True),
            "zeroline": True,
            "zerolinecolor": palette.zero,
            "zerolinewidth": 1.5,
        },
    )


def _value_note(n_removed: int, differences: Floats, color: str) -> dict[str, Any]:
    """Return the label of a marked point on the line. The label is placed so that the line does not
    cross it."""
    falls, at_end = differences[0] >= 0, n_removed > 0.75 * len(differences)
    text = f"without {wording.format_count(n_removed)}: " if n_removed else "all queries: "
    return make_note(
        f"{text}<b>{wording.format_difference(float(differences[n_removed]))}</b>",
        n_removed,
        float(differences[n_removed]),
        color,
        xanchor="right" if at_end else "left",
        xshift=0 if at_end else 8,
        yanchor="bottom" if falls else "top",
        yshift=(16 if at_end else 5) * (1 if falls else -1),
    )
