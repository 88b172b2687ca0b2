"""Lines over a numeric axis, with bands, markers and names at their ends.

Frames have the columns run and k, whatever the axis counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard.drawing import Drawing
from dashboard.figures.colour import rgba
from dashboard.figures.layout import end_labels
from dashboard.figures.text import escape
from dashboard.theme import Palette, RunStyle
from dashboard.ticks import Ticks
from metrics_core import wording


def _of(frame: pd.DataFrame, style: RunStyle) -> pd.DataFrame:
    return frame[frame["run"] == style.name].sort_values("k")


def line(frame: pd.DataFrame, style: RunStyle, palette: Palette, column: str) -> go.Scatter:
    """A run's line; differences are drawn in the lower panel."""
    rows = _of(frame, style)
    write = wording.difference if column == "difference" else wording.score
    return go.Scatter(
        x=rows["k"].to_numpy(),
        y=rows[column].to_numpy(),
        yaxis="y2" if column == "difference" else "y",
        mode="lines",
        line={"color": style.color(palette), "width": style.width, "dash": style.dash},
        name=escape(style.name),
        text=[write(v) for v in rows[column]],
        hovertemplate=f"<b>{escape(style.name)}</b>  %{{text}}<extra></extra>",
        cliponaxis=False,
    )


def band(
    frame: pd.DataFrame, style: RunStyle, palette: Palette, opacity: float, low: str, high: str
) -> go.Scatter | None:
    """The band of a run\'s intervals; None where it has none."""
    rows = _of(frame, style).dropna(subset=[low, high])
    if rows.empty:
        return None
    k = rows["k"].to_numpy()
    return go.Scatter(
        x=np.concatenate([k, k[::-1]]),
        y=np.concatenate([rows[high].to_numpy(), rows[low].to_numpy()[::-1]]),
        yaxis="y2" if low == "diff_low" else "y",
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=rgba(style.color(palette), opacity),
        hoverinfo="skip",
    )


def markers(
    frame: pd.DataFrame, runs: Sequence[RunStyle], drawing: Drawing, column: str
) -> go.Scatter | None:
    """A marker where each line meets the chosen k; None where no line does."""
    at = frame[frame["k"] == drawing.cutoff].set_index("run")[column].dropna()
    marked = [s for s in runs if s.name in at.index]
    if not marked:
        return None
    return go.Scatter(
        x=[drawing.cutoff] * len(marked),
        y=[float(at[s.name]) for s in marked],
        mode="markers",
        marker={
            "symbol": [s.symbol for s in marked],
            "color": [s.color(drawing.palette) for s in marked],
            "size": 8,
            "line": {"color": drawing.palette.page, "width": 1},
        },
        hoverinfo="skip",
        cliponaxis=False,
    )


def names(
    frame: pd.DataFrame,
    runs: Sequence[RunStyle],
    palette: Palette,
    decisive: float,
    column: str,
    ticks: Ticks,
    height: float,
) -> list[dict[str, Any]]:
    """Names at the line ends; where ends coincide the values at `decisive` give the order."""
    ends = {}
    for style in runs:
        rows = _of(frame, style).dropna(subset=[column])
        if not rows.empty:
            nearest = (rows["k"] - decisive).abs().idxmin()
            share = 1 - ticks.share(float(rows[column].iloc[-1]))
            ends[style.name] = (share, float(rows.loc[nearest, column]))
    named = {s.name: s for s in runs}
    yref = "y2" if column == "difference" else "y"
    return end_labels(ends, named=named, palette=palette, height=height, yref=yref)
