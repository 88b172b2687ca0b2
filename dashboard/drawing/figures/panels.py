"""Small panels of the Breakdown page: a group each, all on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace, scatter
from dashboard.drawing.figures.layout import Margin, axis, drawing_order, figure, note
from dashboard.drawing.figures.rows import cells_of, marks
from dashboard.drawing.figures.text import (
    coloured,
    escape,
    name_width,
    run_name,
    short_names,
    text_width,
    whole,
)
from dashboard.drawing.theme import Palette, RunStyle
from dashboard.drawing.ticks import Ticks, score_ticks
from metrics_core.base import wording

_HEAD, _AFTER, _PITCH = 28, 20, 23
_BOTTOM = 28


def score_by_difficulty(frame: pd.DataFrame, drawing: Drawing, *, order: Sequence[str]) -> Chart:
    """Scores with intervals in one small panel per group, all on one scale, values at the right.
    customdata of a point is [group, run, what the hover box says].

    Runs stand in the order in which they are shown, groups in that of `order`.
    """
    styles, palette = drawing.styles, drawing.palette
    shown = frame[frame["run"].isin(list(styles)) & frame["group"].isin(list(order))]
    ticks = score_ticks(shown[["mean", "low", "high"]].to_numpy().ravel(), drawing.value_range)
    runs = list(styles.values())
    short = short_names(s.name for s in runs)
    left = max((name_width(s, short[s.name]) for s in runs), default=0) + 16
    margin = Margin(left, _widest_score(shown) + 14, 4, _BOTTOM)
    panel = _HEAD + _PITCH * len(runs) + _AFTER
    total = panel * len(order) - _AFTER + 4
    places = {
        (g, s.name): i * panel + _HEAD + (j + 0.5) * _PITCH
        for i, g in enumerate(order)
        for j, s in enumerate(runs)
    }
    return figure(
        [
            _panel_grid(order, panel, _PITCH * len(runs), ticks, palette),
            *_panel_marks(shown, styles, places, palette),
        ],
        palette=palette,
        height=margin.top + total + margin.bottom,
        margin=margin,
        annotations=[
            *_panel_heads(shown, order, panel, margin, palette),
            *_panel_rows(shown, styles, short, places, margin, palette),
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
) -> Iterator[Trace]:
    for style in drawing_order(styles):
        part = shown[(shown["run"] == style.name) & shown["mean"].notna()]
        y = np.array([places[group, style.name] for group in part["group"]], dtype=np.float64)
        yield from marks(part, y, style, palette, ("mean", "low", "high"))


def _panel_grid(
    order: Sequence[str], panel: float, height: float, ticks: Ticks, palette: Palette
) -> Trace:
    """The grid inside the panels only: one trace of short lines."""
    x, y = [], []
    for i in range(len(order)):
        top = i * panel + _HEAD
        for value in ticks.values:
            x += [value, value, None]
            y += [top, top + height, None]
    line = {"color": palette.hairline, "width": 1}
    return scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", cliponaxis=False)


def _panel_heads(
    shown: pd.DataFrame, order: Sequence[str], panel: float, margin: Margin, palette: Palette
) -> Iterator[dict[str, Any]]:
    queries: dict[str, int] = {}
    for group, n in cells_of(shown, "group", "queries"):
        queries[group] = max(n, queries.get(group, 0))
    for i, group in enumerate(order):
        n = queries[group]
        count = f"{wording.count(n)} {wording.plural(n, 'query', 'queries')}"
        text = f"<b>{escape(group)}</b> {coloured(count, palette.muted)}"
        place = {"xref": "paper", "yanchor": "top", "xshift": -margin.left}
        yield note(text, 0, i * panel, palette.ink, **place)


def _panel_rows(
    shown: pd.DataFrame,
    styles: Mapping[str, RunStyle],
    short: Mapping[str, str],
    places: Mapping[tuple[str, str], float],
    margin: Margin,
    palette: Palette,
) -> Iterator[dict[str, Any]]:
    """The name at the left and the score at the right of every row."""
    place: dict[str, Any] = {"xref": "paper", "xanchor": "right", "align": "right"}
    means = {(group, run): mean for group, run, mean in cells_of(shown, "group", "run", "mean")}
    for (group, run), y in places.items():
        name = run_name(styles[run], palette, short[run])
        score = wording.score(means.get((group, run)))
        yield note(name, 0, y, palette.ink, xshift=-12, **place, **whole(run, short[run]))
        yield note(score, 1, y, palette.ink, xshift=margin.right - 2, **place)
