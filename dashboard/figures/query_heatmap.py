"""The heatmap of scores: a row per run, a column per query."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from dashboard.drawing import Drawing
from dashboard.figures.colour import TRANSPARENT
from dashboard.figures.layout import NARROW, Margin, axis, figure, note
from dashboard.figures.text import escape, query_text, run_name, short_names, whole, widest
from dashboard.theme import Palette
from metrics_core import wording

_ROW, _GAP = 34, 0.08
_NAME = 22
_ALL = 60
"""From this many columns on, those of a gap's width would be thinner than their gaps."""


def score_heatmap(frame: pd.DataFrame, drawing: Drawing) -> go.Figure:
    """Every run's score on every query of `frame`, which has query_id, text and one column of
    scores per shown run, by its name; in its order from the left, the run in focus on top.
    Undefined scores are blank. customdata is [query_id, escaped text, numbers] and stands on
    invisible marks over the cells, which alone can be clicked.
    """
    palette, runs = drawing.palette, list(drawing.styles)
    values = frame[runs].to_numpy(dtype=np.float64).T
    short = short_names(runs, _NAME)
    margin = Margin(min(widest([short[r] for r in runs], bold=True) + 14, NARROW / 2), 4, 4, 4)
    gaps = {"ygap": 2, "xgap": 1 if len(frame) <= _ALL else 0}
    low, high = _span(values, drawing)
    cells = go.Heatmap(
        z=values,
        zmin=low,
        zmax=high,
        colorscale=_scale(palette),
        showscale=False,
        hoverinfo="skip",
        **gaps,
    )
    beside = {"xref": "paper", "xanchor": "right", "align": "right", "xshift": -8}
    names = [
        note(
            run_name(drawing.styles[run], palette, short[run]),
            0,
            i,
            palette.ink,
            **beside,
            **whole(run, short[run]),
        )
        for i, run in enumerate(runs)
    ]
    return figure(
        [cells, _marks(frame, values, runs)],
        palette=palette,
        height=_ROW * len(runs) + margin.top + margin.bottom,
        margin=margin,
        annotations=names,
        xaxis=axis(palette, (-0.5, max(len(frame), 1) - 0.5)),
        yaxis=axis(palette, (len(runs) - 0.5, -0.5)),
    )


def _scale(palette: Palette) -> list[list[Any]]:
    """From what nearly is the page to the strongest grade."""
    return [[0.0, palette.diverging_zero], [0.5, palette.grade_2], [1.0, palette.grade_3]]


def _span(values: npt.NDArray[np.float64], drawing: Drawing) -> tuple[float, float]:
    low, high = drawing.value_range
    known = values[np.isfinite(values)]
    least, most = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    low, high = (low if np.isfinite(low) else least), (high if np.isfinite(high) else most)
    return low, high if high > low else low + 1.0


def _marks(frame: pd.DataFrame, values: npt.NDArray[np.float64], runs: list[str]) -> go.Scatter:
    titles = [query_text(text) for text in frame["text"]]
    ids = list(frame["query_id"])
    across, up = np.meshgrid(np.arange(len(ids)), np.arange(len(runs)))
    return go.Scatter(
        x=across.ravel(),
        y=up.ravel(),
        mode="markers",
        marker={"symbol": "square", "size": 30, "color": TRANSPARENT, "opacity": 0},
        customdata=[
            [ids[x], titles[x], f"{escape(runs[y])} {wording.score(values[y, x])}"]
            for y in range(len(runs))
            for x in range(len(ids))
        ],
        hovertemplate="<b>%{customdata[1]}</b><br>%{customdata[2]}<extra></extra>",
        cliponaxis=False,
    )
