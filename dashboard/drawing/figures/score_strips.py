"""The chart of scores by group: a strip of points for each group and run, with one point per
query."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace, make_scatter_trace
from dashboard.drawing.figures.layout import NARROW, Margin, make_axis, make_figure, make_note
from dashboard.drawing.figures.queries import FADED
from dashboard.drawing.figures.run_key import legend_height, legend_notes
from dashboard.drawing.figures.text import (
    escape,
    hover_properties,
    query_hover_text,
    shorten_group_name,
    widest_line_width,
    wrap_group_name,
)
from dashboard.drawing.theme import RunStyle
from dashboard.drawing.ticks import score_ticks
from metrics_core.base import wording

MOST_POINTS = 2000
"""Maximum number of points in the chart. If there are more, evenly spaced points of each strip are
drawn."""
_ROW, _STRIP = 30, 0.34
_LEAST_LEFT = 60


def score_strips(
    frame: pd.DataFrame,
    means: pd.DataFrame,
    groups: Sequence[str],
    drawing: Drawing,
    *,
    visible_ids: Collection[str] | None = None,
) -> Chart:
    """Draw a strip for each group and run, with a point for the score of each query and a stroke
    for the mean.

    `frame` has query_id, text, group, run, score; `means` has group, run, mean, queries; `groups`
    lists the groups from top to bottom. Queries not in `visible_ids` are faded. customdata is
    [query_id, escaped text, numbers]."""
    palette = drawing.palette
    runs = [drawing.styles[name] for name in dict.fromkeys(means["run"])]
    ticks = score_ticks(frame["score"].to_numpy(), drawing.value_range)
    left = max(_LEAST_LEFT, *(widest_line_width(wrap_group_name(group)) for group in groups)) + 14
    margin = Margin(min(left, NARROW / 2), 14, legend_height(runs) + 10, 30)
    height = _ROW * len(runs) * len(groups)
    rows = [(group, style.name) for group in groups for style in runs]
    places = {row: i for i, row in enumerate(rows)}
    low, high = ticks.span
    padding = 0.02 * (high - low)
    most = max(1, MOST_POINTS // max(len(places), 1))
    return make_figure(
        [
            *(_point_trace(frame, style, places, drawing, most, visible_ids) for style in runs),
            *(_mean_trace(means, style, places, drawing) for style in runs),
        ],
        palette=palette,
        height=height + margin.top + margin.bottom,
        margin=margin,
        annotations=[
            *legend_notes(runs, palette, margin),
            *_group_names(groups, len(runs), drawing),
        ],
        shapes=[_separator(i * len(runs) - 0.5, palette.hairline) for i in range(1, len(groups))],
        xaxis=make_axis(palette, (low - padding, high + padding), ticks, grid=True),
        yaxis=make_axis(palette, (len(places) - 0.5, -0.5)),
    )


def _point_trace(
    frame: pd.DataFrame,
    style: RunStyle,
    row_numbers: Mapping[tuple[str, str], int],
    drawing: Drawing,
    max_points: int,
    visible_ids: Collection[str] | None,
) -> Trace:
    points = frame[(frame["run"] == style.name) & frame["score"].notna()]
    points = points.sort_values("score", kind="stable")
    parts = [_thin_out_points(part, max_points) for _, part in points.groupby("group", sort=False)]
    thinned = pd.concat(parts) if parts else points
    is_visible = np.ones(len(thinned), dtype=np.bool_)
    if visible_ids is not None:
        is_visible = thinned["query_id"].isin(set(visible_ids)).to_numpy()
    name = escape(style.name)
    # Spread points by the golden ratio, so that tied scores do not overlap; always the same way.
    off = ((np.arange(len(thinned)) * 0.618034) % 1 - 0.5) * 2 * _STRIP
    row = thinned["group"].map(
        {group: i for (group, run), i in row_numbers.items() if run == style.name}
    )
    return make_scatter_trace(
        x=thinned["score"].to_numpy(),
        y=row.to_numpy() + off,
        mode="markers",
        marker={
            "size": 6,
            "color": style.color(drawing.palette),
            "opacity": np.where(is_visible, 0.55, FADED * 0.6),
            "line": {"width": 0},
        },
        customdata=[
            [
                row["query_id"],
                query_hover_text(row["text"]),
                f"{name} {wording.format_score(row['score'])}",
            ]
            for row in thinned[["query_id", "text", "score"]].to_dict("records")
        ],
        hovertemplate="<b>%{customdata[1]}</b><br>%{customdata[2]}<extra></extra>",
        cliponaxis=False,
    )


def _thin_out_points(points: pd.DataFrame, max_points: int) -> pd.DataFrame:
    if len(points) <= max_points:
        return points
    return points.iloc[np.linspace(0, len(points) - 1, max_points).round().astype(int)]


def _mean_trace(
    means: pd.DataFrame,
    style: RunStyle,
    row_numbers: Mapping[tuple[str, str], int],
    drawing: Drawing,
) -> Trace:
    run_means = means[(means["run"] == style.name) & means["mean"].notna()]
    return make_scatter_trace(
        x=run_means["mean"].to_numpy(),
        y=[row_numbers[group, style.name] for group in run_means["group"]],
        mode="markers",
        marker={
            "symbol": "line-ns",
            "size": 20,
            "line": {"width": 3, "color": style.color(drawing.palette)},
        },
        hovertext=[
            f"{escape(group)}: mean {wording.format_score(mean)}, {wording.format_query_count(n)}"
            for group, mean, n in run_means[["group", "mean", "queries"]].itertuples(index=False)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
        cliponaxis=False,
    )


def _group_names(groups: Sequence[str], n_runs: int, drawing: Drawing) -> list[dict[str, Any]]:
    anchors = {"xref": "paper", "xanchor": "right", "align": "right", "xshift": -10}
    return [
        make_note(
            "<br>".join(escape(line) for line in wrap_group_name(group)),
            0,
            i * n_runs + (n_runs - 1) / 2,
            drawing.palette.ink,
            **anchors,
            **hover_properties(group, shorten_group_name(group)),
        )
        for i, group in enumerate(groups)
    ]


def _separator(y: float, color: str) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": y,
        "y1": y,
        "line": {"color": color, "width": 1},
    }
