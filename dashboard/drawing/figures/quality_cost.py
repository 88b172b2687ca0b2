"""The chart of quality against cost: one point per run, and a line for the best quality at each
cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace, make_scatter_trace
from dashboard.drawing.figures.colour import rgba
from dashboard.drawing.figures.layout import (
    Margin,
    axis_name,
    corner_note,
    interval_line,
    make_axis,
    make_figure,
    make_note,
    run_marker,
    tick_width,
)
from dashboard.drawing.figures.text import LINE, escape, hover_properties, short_names
from dashboard.drawing.ticks import score_ticks
from metrics_core.base import wording as w
from metrics_core.measures import Measure

_HEIGHT = 260
_NAME = 22
_MOST_LABELS = 8
_UP = {1: "↑ better", -1: "↓ better", 0: ""}
_SIDES = {1: "{} · better →", -1: "← better · {}", 0: "{}"}
"""Names of the axes by the direction of their measures."""


def quality_against_cost(
    frame: pd.DataFrame, drawing: Drawing, quality: Measure, cost: Measure
) -> Chart:
    """Draw the runs as points: x is the mean cost, y the mean quality, both with an interval. A
    step line connects the runs with the best quality at each cost. `frame` is `QualityCost.frame`;
    customdata is the name of the run."""
    palette = drawing.palette
    x_ticks, y_ticks = (
        score_ticks(frame[[name, f"{name}_low", f"{name}_high"]].to_numpy(), (least, np.inf))
        for name, least in (("cost", 0.0), ("quality", -np.inf))
    )
    x_span, y_span = (ticks.span for ticks in (x_ticks, y_ticks))
    margin = Margin(tick_width(y_ticks), 14, 14 + LINE, 32 + LINE)
    short = short_names(drawing.styles, _NAME)
    rises, lowers = (m.declaration.direction for m in (quality, cost))
    far_end = x_span[1] if lowers < 0 else x_span[0]
    traces, notes = [_step_line(frame, drawing, far_end, y_span if rises > 0 else y_span[::-1])], []
    for row in frame.to_dict("records"):
        style = drawing.styles[row["run"]]
        traces += _run_traces(row, drawing, str(quality), str(cost))
        if len(frame) <= _MOST_LABELS or row["best"] or style.role != "other":
            is_right = row["cost"] > sum(x_span) / 2
            notes.append(
                make_note(
                    escape(short[style.name]),
                    row["cost"],
                    row["quality"],
                    style.color(palette),
                    xanchor="right" if is_right else "left",
                    xshift=-10 if is_right else 10,
                    yshift=10 if is_right and row["best"] else -10,  # off the step line
                    **hover_properties(style.name, short[style.name]),
                )
            )
    return make_figure(
        traces,
        palette=palette,
        height=_HEIGHT + margin.top + margin.bottom,
        margin=margin,
        annotations=[
            corner_note(escape(f"{quality} {_UP[rises]}"), palette.muted, margin, 0),
            axis_name(_SIDES[lowers].format(cost), palette.muted, margin),
            *notes,
        ],
        xaxis=make_axis(palette, x_span, x_ticks),
        yaxis=make_axis(palette, y_span, y_ticks, grid=True),
    )


def _step_line(
    frame: pd.DataFrame, drawing: Drawing, far_end: float, y_span: Sequence[float]
) -> Trace:
    """Return the step line through the best runs. It starts at the best cost and the worst quality,
    and ends at the worst cost.

    `far_end` is the worst cost; `y_span` begins with the worst quality."""
    best = frame[frame["best"]]
    xs, ys = np.repeat(best["cost"], 2).tolist(), np.repeat(best["quality"], 2).tolist()
    return make_scatter_trace(
        x=[*xs, far_end],
        y=[y_span[0], *ys],
        mode="lines",
        line={"color": drawing.palette.zero, "width": 1.5},
        fill="tozeroy" if y_span[0] < y_span[1] else "none",
        fillcolor=rgba(drawing.palette.zero, 0.12),
        hoverinfo="skip",
    )


def _run_traces(row: dict[str, Any], drawing: Drawing, quality: str, cost: str) -> list[Trace]:
    style, palette = drawing.styles[row["run"]], drawing.palette
    x, y = row["cost"], row["quality"]
    ends = (
        ([row["cost_low"], row["cost_high"]], [y, y]),
        ([x, x], [row["quality_low"], row["quality_high"]]),
    )
    line = interval_line(style, palette, 5)
    crosses = [
        make_scatter_trace(x=xs, y=ys, mode="lines", line=line, hoverinfo="skip") for xs, ys in ends
    ]
    text = escape(f"{row['run']}: {quality} {w.format_score(y)}, {cost} {w.format_score(x)}")
    point = make_scatter_trace(
        x=[x],
        y=[y],
        mode="markers",
        marker=run_marker(style, palette),
        customdata=[row["run"]],
        hovertemplate=f"{text}<extra></extra>",
    )
    return [*crosses, point]
