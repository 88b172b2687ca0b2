"""The scatter plot of the scores of two runs, with one point per query."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace, make_scatter_trace
from dashboard.drawing.figures.colour import rgba
from dashboard.drawing.figures.layout import (
    Margin,
    corner_note,
    make_axis,
    make_figure,
    make_note,
    tick_width,
)
from dashboard.drawing.figures.queries import FADED, HOVER, outcome_color, query_customdata
from dashboard.drawing.figures.text import LINE, escape, hover_properties, short_names
from dashboard.drawing.theme import Palette
from dashboard.drawing.ticks import Ticks, score_ticks
from metrics_core.base.arrays import Floats
from metrics_core.comparing.pairs import BETTER, TIED, WORSE

_SQUARE = 290
_NAME = 44
_MANY = 2000
_GRIDS = (100, 67, 50, 40, 30)
_SYMBOLS = {BETTER: "triangle-up", WORSE: "triangle-down", TIED: "circle"}


def run_against_run(
    frame: pd.DataFrame,
    drawing: Drawing,
    *,
    tie_threshold: float,
    visible_ids: Collection[str] | None = None,
    lasso: bool = False,
) -> Chart:
    """Draw a scatter plot with one point per query: x is the baseline's score, y the score of the
    run in focus.

    `frame` is the result of `query_differences` with a column text. The band around the diagonal
    contains the pairs of scores that count as tied. customdata is [query_id, escaped text,
    numbers]. With `lasso`, the user can select points by drawing a line around them, but cannot
    click them."""
    palette, focus, baseline = drawing.palette, drawing.focus, drawing.baseline
    scored = frame.dropna(subset=["difference"])
    scores = scored[["score", "baseline_score"]].to_numpy().ravel()
    ticks = score_ticks(scores, drawing.value_range)
    short = short_names((focus, baseline), _NAME)
    y_label, x_label = f"↑ {escape(short[focus])}", f"{escape(short[baseline])} →"
    margin = Margin(tick_width(ticks), 14, 14 + LINE, 32 + LINE)
    focus_hover = hover_properties(focus, short[focus])
    baseline_hover = hover_properties(baseline, short[baseline])
    low, high = ticks.span
    padding = 0.03 * (high - low)
    span = (low - padding, high + padding)
    square = make_axis(palette, span, ticks, grid=True)
    anchors = {"yref": "paper", "xref": "paper", "xanchor": "left", "yanchor": "top"}
    return make_figure(
        [*_tie_traces(span, tie_threshold, palette), *_point_traces(scored, palette, visible_ids)],
        palette=palette,
        height=_SQUARE + margin.top + margin.bottom,
        margin=margin,
        annotations=[
            corner_note(y_label, drawing.focus_style.color(palette), margin, 0, **focus_hover),
            make_note(x_label, 0, 0, palette.ink, **anchors, yshift=-26, **baseline_hover),
            *_side_notes(drawing, ticks),
        ],
        dragmode="lasso" if lasso else False,
        xaxis={**square, "constrain": "domain", "constraintoward": "left"},
        yaxis={**square, "scaleanchor": "x", "constrain": "domain", "constraintoward": "top"},
    )


def _point_opacities(points: pd.DataFrame, visible_ids: Collection[str] | None) -> float | Floats:
    if visible_ids is None:
        return 1.0
    return np.where(points["query_id"].isin(set(visible_ids)), 1.0, FADED)


def _tie_traces(span: tuple[float, float], tie_threshold: float, palette: Palette) -> list[Trace]:
    low, high = span
    band = make_scatter_trace(
        x=[low, high, high, low],
        y=[low - tie_threshold, high - tie_threshold, high + tie_threshold, low + tie_threshold],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=rgba(palette.zero, 0.3),
        hoverinfo="skip",
    )
    line = {"color": palette.zero, "width": 1}
    diagonal = make_scatter_trace(
        x=[low, high], y=[low, high], mode="lines", line=line, hoverinfo="skip"
    )
    return [band, diagonal]


def _thin_out_points(points: pd.DataFrame) -> pd.DataFrame:
    """Return the points, but at most about `_MANY`. Each point is a query.

    If there are more, the plot is divided into a grid, and one point of each opacity is kept per
    cell, because the points in a cell would hide each other. The finest grid that leaves few enough
    points is used."""
    if len(points) <= _MANY:
        return points
    first = points.sort_values("opacity", ascending=False, kind="stable")
    scores = first[["score", "baseline_score"]]
    low, high = scores.to_numpy().min(), scores.to_numpy().max()
    for lines in _GRIDS:
        cells = ((scores - low) / max(high - low, 1e-9) * lines).round()
        thinned = first[~cells.assign(opacity=first["opacity"]).duplicated()]
        if len(thinned) <= _MANY:
            break
    return thinned.sort_index()


def _point_traces(
    points: pd.DataFrame, palette: Palette, visible_ids: Collection[str] | None
) -> list[Trace]:
    many = len(points) > _MANY
    points = _thin_out_points(points.assign(opacity=_point_opacities(points, visible_ids)))
    traces = []
    for outcome in (TIED, BETTER, WORSE):
        part = points[points["outcome"] == outcome]
        traces.append(
            make_scatter_trace(
                x=part["baseline_score"].to_numpy(),
                y=part["score"].to_numpy(),
                mode="markers",
                marker={
                    "symbol": _SYMBOLS[outcome],
                    "size": 6 if many else 9,
                    "color": outcome_color(outcome, palette),
                    "opacity": part["opacity"].to_numpy(),
                    "line": {"color": palette.page, "width": 0 if many else 0.7},
                },
                customdata=query_customdata(part),
                hovertemplate=HOVER,
                cliponaxis=False,
            )
        )
    return traces


def _side_notes(drawing: Drawing, ticks: Ticks) -> list[dict[str, Any]]:
    """Return two notes, one for each side of the diagonal. A note says which run is better on its
    side of the diagonal. If the direction of the measure is not declared, it says which run is
    higher."""
    direction, palette = drawing.comparison.measure.declaration.direction, drawing.palette
    low, high = ticks.span
    ground = {"bgcolor": rgba(palette.page, 0.75), "borderpad": 1}
    runs, colors = (drawing.focus, drawing.baseline), (palette.better, palette.worse)
    short = short_names(runs)
    notes = [(f"{escape(short[r])} {'better' if direction else 'higher'}", c)
             for r, c in zip(runs, colors, strict=True)]  # fmt: skip
    above, below = notes[::-1] if direction < 0 else notes
    ends = {"xanchor": "right", "yanchor": "bottom", "align": "right", "xshift": -4, "yshift": 4}
    starts = {"yanchor": "top", "xshift": 6, "yshift": -4}
    return [
        make_note(above[0], low, high, above[1], **ground, **starts),
        make_note(below[0], high, low, below[1], **ground, **ends),
    ]
