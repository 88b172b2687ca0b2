"""Lines over a numeric axis, with bands, and with markers at the chosen cutoff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Trace, make_scatter_trace
from dashboard.drawing.figures.colour import rgba
from dashboard.drawing.figures.text import escape
from dashboard.drawing.theme import Palette, RunStyle
from metrics_core.base import wording
from metrics_core.base.arrays import Floats

Line = Mapping[str, Floats]
"""The values of one run, by column. Each is float64[k], ordered by k or by the values of another
horizontal axis."""

_THIN = 1.0


def lines_by_run(frame: pd.DataFrame, drawing: Drawing) -> dict[str, Line]:
    """Return the line data of each run, given a frame with run, k and any value columns."""
    ordered = frame.sort_values("k", kind="stable")
    runs = ordered["run"].to_numpy()
    values = {c: ordered[c].to_numpy(np.float64) for c in ordered.columns if c != "run"}
    masks = {run: runs == run for run in drawing.styles}
    return {run: {c: v[mask] for c, v in values.items()} for run, mask in masks.items()}


def run_line(
    rows: Line, style: RunStyle, palette: Palette, column: str, *, prefix: str = ""
) -> Trace:
    """Return a run's line for one column. The line of the column "difference" is in the lower
    panel. In the hover text, `prefix` follows the name of the run."""
    has_value = ~np.isnan(rows[column]) if column == "difference" else slice(None)
    y = rows[column][has_value]
    write = wording.format_difference if column == "difference" else wording.format_score
    return make_scatter_trace(
        x=rows["k"][has_value],
        y=y,
        yaxis=_axis_of_column(column),
        mode="lines",
        line={"color": style.color(palette), "width": style.width, "dash": style.dash},
        name=escape(style.name),
        text=[*map(write, y)],
        hovertemplate=f"<b>{escape(style.name)}</b>  {prefix}%{{text}}<extra></extra>",
        cliponaxis=False,
    )


def run_line_thin_after(
    rows: Line, style: RunStyle, palette: Palette, column: str, rank: int, *, prefix: str = ""
) -> tuple[Trace, ...]:
    """Return a run's line over k. It is thinner beyond the rank `rank`."""
    full = run_line(rows, style, palette, column, prefix=prefix)
    within = full["x"] <= rank
    if within.all():
        return (full,)
    thick = make_scatter_trace(
        x=full["x"][within], y=full["y"][within], yaxis=full["yaxis"], mode="lines",
        line=full["line"], hoverinfo="skip", cliponaxis=False,
    )  # fmt: skip
    return {**full, "line": {**full["line"], "width": _THIN}}, thick


def make_line_grey(trace: Trace, palette: Palette) -> Trace:
    """Return a run's line in grey, for charts with many runs. The name of the run is shown on
    hover."""
    return {**trace, "line": {"color": palette.line, "width": _THIN, "dash": "solid"}}


def run_band(
    rows: Line, style: RunStyle, palette: Palette, opacity: float, low: str, high: str
) -> Trace | None:
    """Return the band of a run's intervals. Returns None if the run has no intervals."""
    has_value = ~(np.isnan(rows[low]) | np.isnan(rows[high]))
    if not has_value.any():
        return None
    k, least, most = rows["k"][has_value], rows[low][has_value], rows[high][has_value]
    return make_scatter_trace(
        x=np.concatenate([k, k[::-1]]),
        y=np.concatenate([most, least[::-1]]),
        yaxis="y2" if low == "diff_low" else "y",
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=rgba(style.color(palette), opacity),
        hoverinfo="skip",
    )


def significance_line(rows: Line, drawing: Drawing, y: float) -> Trace:
    """Return a thick line at `y` over each k at which the difference of the run in focus is
    significant, that is, at which its band excludes zero. `rows` has the rows of this run."""
    excludes_zero = (rows["diff_low"] > 0) | (rows["diff_high"] < 0)
    color = drawing.focus_style.color(drawing.palette)
    return make_scatter_trace(
        x=rows["k"],
        y=[y if significant else None for significant in excludes_zero],
        yaxis="y2",
        mode="lines+markers",
        line={"color": color, "width": 4},
        marker={"symbol": "square", "size": 4, "color": color},
        hoverinfo="skip",
        cliponaxis=False,
    )


def cutoff_markers(
    lines: Mapping[str, Line], runs: Sequence[RunStyle], drawing: Drawing, column: str
) -> Trace | None:
    """Return a trace with a marker on each line at the chosen k. Returns None if no line has a
    value at this k."""
    values = {s.name: lines[s.name][column][lines[s.name]["k"] == drawing.cutoff] for s in runs}
    valued_runs = [s for s in runs if len(values[s.name]) and not np.isnan(values[s.name][0])]
    if not valued_runs:
        return None
    marker: dict[str, Any] = {
        "symbol": [s.symbol for s in valued_runs],
        "color": [s.color(drawing.palette) for s in valued_runs],
        "size": 9,
        "opacity": 1,
        "line": {"color": drawing.palette.page, "width": 1},
    }
    return make_scatter_trace(
        x=[drawing.cutoff] * len(valued_runs),
        y=[float(values[s.name][0]) for s in valued_runs],
        yaxis=_axis_of_column(column),
        mode="markers",
        marker=marker,
        unselected={"marker": {"opacity": 1}},
        hoverinfo="skip",
        cliponaxis=False,
    )


def _axis_of_column(column: str) -> str:
    return "y2" if column == "difference" else "y"
