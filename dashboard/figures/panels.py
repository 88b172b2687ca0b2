"""Small panels of the Breakdown page: a group each, all on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard.figures.layout import Margin, axis, drawing_order, figure, note
from dashboard.figures.rows import marks
from dashboard.figures.text import LINE, coloured, escape, name_width, run_name, text_width, wrap
from dashboard.theme import Palette, RunStyle
from dashboard.ticks import Ticks, score_ticks
from metrics_core import wording

_HEAD, _AFTER, _PITCH = 28, 20, 23
_BOTTOM = 28


def score_by_difficulty(
    frame: pd.DataFrame,
    *,
    styles: Mapping[str, RunStyle],
    palette: Palette,
    order: Sequence[str],
    value_range: tuple[float, float] = (0, 1),
) -> go.Figure:
    """Scores with intervals in one small panel per group, all on one scale, values at the right.

    Runs stand in the order of `styles`, groups in that of `order`.
    """
    shown = frame[frame["run"].isin(list(styles)) & frame["group"].isin(list(order))]
    ticks = score_ticks(shown[["mean", "low", "high"]].to_numpy().ravel(), value_range)
    runs = list(styles.values())
    left = max((name_width(s) for s in runs), default=0) + 16
    margin = Margin(left, _widest_score(shown) + 14, 4, _BOTTOM)
    pitch = max(_PITCH, LINE * max((len(wrap(s.name)) for s in runs), default=1) + 4)
    panel = _HEAD + pitch * len(runs) + _AFTER
    total = panel * len(order) - _AFTER + 4
    places = {
        (g, s.name): i * panel + _HEAD + (j + 0.5) * pitch
        for i, g in enumerate(order)
        for j, s in enumerate(runs)
    }
    return figure(
        [
            _panel_grid(order, panel, pitch * len(runs), ticks, palette),
            *_panel_marks(shown, styles, places, palette),
        ],
        palette=palette,
        height=margin.top + total + margin.bottom,
        margin=margin,
        annotations=[
            *(_panel_head(g, shown, i * panel, margin, palette) for i, g in enumerate(order)),
            *_panel_rows(shown, styles, places, margin, palette),
        ],
        xaxis=axis(palette, ticks.span, ticks),
        yaxis=axis(palette, (total, 0)),
    )


def _widest_score(shown: pd.DataFrame) -> float:
    return max([text_width("0.000"), *(text_width(wording.score(v)) for v in shown["mean"])])


def _panel_marks(
    shown: pd.DataFrame,
    styles: Mapping[str, RunStyle],
    places: Mapping[tuple[str, str], float],
    palette: Palette,
) -> Iterator[go.Scatter]:
    for style in drawing_order(styles):
        part = shown[(shown["run"] == style.name) & shown["mean"].notna()]
        y = np.array([places[group, style.name] for group in part["group"]], dtype=np.float64)
        yield from marks(part, y, style, palette, ("mean", "low", "high"))


def _panel_grid(
    order: Sequence[str], panel: float, height: float, ticks: Ticks, palette: Palette
) -> go.Scatter:
    """The grid inside the panels only: one trace of short lines."""
    x, y = [], []
    for i in range(len(order)):
        top = i * panel + _HEAD
        for value in ticks.values:
            x += [value, value, None]
            y += [top, top + height, None]
    line = {"color": palette.hairline, "width": 1}
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", cliponaxis=False)


def _panel_head(
    group: str, shown: pd.DataFrame, y: float, margin: Margin, palette: Palette
) -> dict[str, Any]:
    n = int(shown.loc[shown["group"] == group, "queries"].max())
    count = f"{wording.count(n)} {wording.plural(n, 'query', 'queries')}"
    text = f"<b>{escape(group)}</b> {coloured(count, palette.muted)}"
    return note(text, 0, y, palette.ink, xref="paper", yanchor="top", xshift=-margin.left)


def _panel_rows(
    shown: pd.DataFrame,
    styles: Mapping[str, RunStyle],
    places: Mapping[tuple[str, str], float],
    margin: Margin,
    palette: Palette,
) -> Iterator[dict[str, Any]]:
    """The name at the left and the score at the right of every row."""
    place = {"xref": "paper", "xanchor": "right", "align": "right"}
    means = shown.set_index(["group", "run"])["mean"]
    for (group, run), y in places.items():
        name = run_name(styles[run], palette)
        score = wording.score(means.get((group, run)))
        yield note(name, 0, y, palette.ink, xshift=-12, **place)
        yield note(score, 1, y, palette.ink, xshift=margin.right - 2, **place)
