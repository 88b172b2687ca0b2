"""Lines over a numeric axis, with bands, markers and names at their ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Trace, scatter
from dashboard.drawing.figures.colour import rgba
from dashboard.drawing.figures.layout import end_labels
from dashboard.drawing.figures.text import escape
from dashboard.drawing.theme import Palette, RunStyle
from dashboard.drawing.ticks import Ticks
from metrics_core.base import wording

Line = Mapping[str, npt.NDArray[np.float64]]
"""The columns of one run in the order of `k`, whatever the axis counts; float64[k]."""


def by_run(frame: pd.DataFrame, drawing: Drawing) -> dict[str, Line]:
    """Run -> its line, of a frame with the columns run and k and any number of values."""
    ordered = frame.sort_values("k", kind="stable")
    runs = ordered["run"].to_numpy()
    values = {c: ordered[c].to_numpy(np.float64) for c in ordered.columns if c != "run"}
    of = {run: runs == run for run in drawing.styles}
    return {run: {c: v[own] for c, v in values.items()} for run, own in of.items()}


def line(rows: Line, style: RunStyle, palette: Palette, column: str) -> Trace:
    """A run's line where it has values; differences are drawn in the lower panel."""
    known = ~np.isnan(rows[column]) if column == "difference" else slice(None)
    y = rows[column][known]
    write = wording.differences if column == "difference" else wording.scores
    return scatter(
        x=rows["k"][known],
        y=y,
        yaxis="y2" if column == "difference" else "y",
        mode="lines",
        line={"color": style.color(palette), "width": style.width, "dash": style.dash},
        name=escape(style.name),
        text=write(y.tolist()),
        hovertemplate=f"<b>{escape(style.name)}</b>  %{{text}}<extra></extra>",
        cliponaxis=False,
    )


def band(
    rows: Line, style: RunStyle, palette: Palette, opacity: float, low: str, high: str
) -> Trace | None:
    """The band of a run\'s intervals; None where it has none."""
    known = ~(np.isnan(rows[low]) | np.isnan(rows[high]))
    if not known.any():
        return None
    k, least, most = rows["k"][known], rows[low][known], rows[high][known]
    return scatter(
        x=np.concatenate([k, k[::-1]]),
        y=np.concatenate([most, least[::-1]]),
        yaxis="y2" if low == "diff_low" else "y",
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=rgba(style.color(palette), opacity),
        hoverinfo="skip",
    )


def markers(
    lines: Mapping[str, Line], runs: Sequence[RunStyle], drawing: Drawing, column: str
) -> Trace | None:
    """A marker where each line meets the chosen k; None where no line does."""
    at = {s.name: lines[s.name][column][lines[s.name]["k"] == drawing.cutoff] for s in runs}
    marked = [s for s in runs if len(at[s.name]) and not np.isnan(at[s.name][0])]
    if not marked:
        return None
    return scatter(
        x=[drawing.cutoff] * len(marked),
        y=[float(at[s.name][0]) for s in marked],
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
    lines: Mapping[str, Line],
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
        rows = lines[style.name]
        known = ~np.isnan(rows[column])
        if known.any():
            k, values = rows["k"][known], rows[column][known]
            nearest = int(np.abs(k - decisive).argmin())
            share = 1 - ticks.share(float(values[-1]))
            ends[style.name] = (share, float(values[nearest]))
    named = {s.name: s for s in runs}
    yref = "y2" if column == "difference" else "y"
    return end_labels(ends, named=named, palette=palette, height=height, yref=yref)
