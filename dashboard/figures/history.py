"""The chart of a measure over versions: the mean of each with its interval, joined by a line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard.drawing import Drawing
from dashboard.figures.colour import rgba
from dashboard.figures.layout import Margin, axis, figure, note, tick_width
from dashboard.figures.text import escape, short_names, whole
from dashboard.ticks import score_ticks
from metrics_core import wording

_HEIGHT = 240
_NAME, _NAMED = 14, 12


def mean_by_version(frame: pd.DataFrame, drawing: Drawing) -> go.Figure:
    """`frame` has run, queries, mean, low, high, a row a version in order from the left.

    customdata is [run, escaped run, numbers]. Of more than twelve versions every second, third …
    is named below the chart; all are on hover.
    """
    palette = drawing.palette
    values = frame[["mean", "low", "high"]].to_numpy(dtype=np.float64).ravel()
    ticks = score_ticks(values, drawing.value_range)
    margin = Margin(tick_width(ticks), 24, 12, 34)
    places = np.arange(len(frame))
    color = palette.ink
    short = short_names(frame["run"], _NAME)
    step = -(-len(frame) // _NAMED)
    below = {
        "yref": "paper",
        "xanchor": "center",
        "yanchor": "top",
        "yshift": -8,
        "align": "center",
    }
    line = go.Scatter(
        x=places,
        y=frame["mean"].to_numpy(),
        mode="lines+markers",
        line={"color": color, "width": 2},
        marker={"size": 9, "color": color, "line": {"width": 1, "color": palette.page}},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": (frame["high"] - frame["mean"]).to_numpy(),
            "arrayminus": (frame["mean"] - frame["low"]).to_numpy(),
            "color": rgba(color, 0.38),
            "thickness": 5,
            "width": 0,
        },
        customdata=[
            [
                row["run"],
                escape(row["run"]),
                f"{wording.with_interval(row['mean'], row['low'], row['high']).lstrip('+')}  "
                f"{wording.count(row['queries'])} queries",
            ]
            for row in frame.to_dict("records")
        ],
        hovertemplate="<b>%{customdata[1]}</b><br>%{customdata[2]}<extra></extra>",
        cliponaxis=False,
    )
    return figure(
        [line],
        palette=palette,
        height=_HEIGHT + margin.top + margin.bottom,
        margin=margin,
        annotations=[
            note(escape(short[run]), i, 0, palette.muted, **below, **whole(run, short[run]))
            for i, run in enumerate(frame["run"])
            if i % step == 0
        ],
        xaxis=axis(palette, (-0.4, len(frame) - 0.6)),
        yaxis=axis(palette, ticks.span, ticks, grid=True),
    )
