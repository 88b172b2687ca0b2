"""The chart of a measure over versions: the mean of each version with its interval. A line connects
versions that were scored with the same judgments."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace, make_scatter_trace
from dashboard.drawing.figures.colour import rgba
from dashboard.drawing.figures.layout import (
    NARROW,
    Margin,
    make_axis,
    make_figure,
    make_note,
    tick_width,
)
from dashboard.drawing.figures.text import (
    LINE,
    escape,
    hover_properties,
    short_names,
    shorten,
    widest_line_width,
)
from dashboard.drawing.theme import Palette
from dashboard.drawing.ticks import score_ticks
from metrics_core.base import wording

_HEIGHT, _PREVIEW_HEIGHT = 240, 400
_RIGHT, _SLANTED_LINE = 24, 17
_NAME, _BY = 14, 28

Row = dict[str, Any]


def mean_by_version(frame: pd.DataFrame, drawing: Drawing, *, are_versions: bool = True) -> Chart:
    """Draw the mean of each version. `frame` has one row per version, from left to right: run,
    collection, judged_by, queries, mean, low, high, judged, date, unknown. The rows of a collection
    must be consecutive. A line connects the versions of each collection. If `are_versions` is
    false, the line is pale, and each point looks like its run.

    customdata is [run, escaped run, numbers, collection]. If there are many versions, only every
    n-th version is named below the chart; all have hover texts."""
    palette = drawing.palette
    rows: list[Row] = frame.to_dict("records")
    segments = [list(segment) for _, segment in groupby(rows, key=lambda row: row["collection"])]
    values = frame[["mean", "low", "high"]].to_numpy(dtype=np.float64).ravel()
    # Steps between versions are small, so the axis ends near the data.
    ticks = score_ticks(values, (math.nan, math.nan))
    room = 0.04 * (ticks.span[1] - ticks.span[0])
    labelled = len(segments) if len(segments) > 1 else 0
    lengths = [len(segment) for segment in segments]
    # One position is left empty between two collections.
    begins = [sum(lengths[:i]) + i for i in range(len(segments))]
    end = begins[-1] + lengths[-1]
    placed = list(zip(segments, begins, strict=True))
    named_versions = [
        (begin + i, row["run"]) for segment, begin in placed for i, row in enumerate(segment)
    ]
    left = tick_width(ticks)
    column_width = (NARROW - left - _RIGHT) / end
    width = widest_line_width(list(short_names((run for _, run in named_versions), _NAME).values()))
    slanted = width + 6 > column_width
    margin = Margin(left, _RIGHT, 12 + LINE * labelled, 34)
    if slanted:
        reach = width * math.sqrt(0.5)
        margin = margin._replace(left=max(left, reach - 0.4 * column_width + 8), bottom=20 + reach)
    labels = [
        _judgments_note(segment, begin, i, end, palette)
        for i, (segment, begin) in enumerate(placed)
        if labelled
    ]
    return make_figure(
        [_segment_line(segment, begin, drawing, are_versions) for segment, begin in placed],
        palette=palette,
        height=(_HEIGHT if are_versions else _PREVIEW_HEIGHT) + margin.top + margin.bottom,
        margin=margin,
        annotations=[*_version_names(named_versions, slanted, column_width, palette), *labels],
        shapes=[_separator(begin - 1, palette) for begin in begins[1:]],
        xaxis=make_axis(palette, (-0.4, end - 0.6)),
        # An interval may end at the last tick.
        yaxis=make_axis(palette, (ticks.span[0] - room, ticks.span[1] + room), ticks, grid=True),
    )


def _segment_line(
    rows: list[Row], first_position: int, drawing: Drawing, are_versions: bool
) -> Trace:
    """Return the points of one collection's versions on a line. Points are filled for the open
    collection; they are hollow for other collections, and for versions with few judged results."""
    palette, is_foreign = drawing.palette, bool(rows[0]["collection"])
    color = palette.muted if is_foreign else palette.ink
    colors, symbols = [color] * len(rows), ["diamond" if is_foreign else "circle"] * len(rows)
    if not are_versions:
        styles = [drawing.styles[row["run"]] for row in rows]
        color = palette.zero
        colors, symbols = [s.color(palette) for s in styles], [s.symbol for s in styles]
    hollow = [is_foreign or row["unknown"] for row in rows]
    mean, low, high = (np.array([row[c] for row in rows], float) for c in ("mean", "low", "high"))
    return make_scatter_trace(
        x=first_position + np.arange(len(rows)),
        y=mean,
        mode="lines+markers" if are_versions else "markers",
        line={
            "color": color,
            "width": 1 if is_foreign else 2,
            "dash": "dot" if is_foreign else None,
        },
        marker={
            "size": 9 if are_versions else 11,
            "symbol": symbols,
            "color": [palette.page if h else c for h, c in zip(hollow, colors, strict=True)],
            "line": {
                "width": [2 if each else 1 for each in hollow],
                "color": [c if h else palette.page for h, c in zip(hollow, colors, strict=True)],
            },
        },
        error_y={
            "type": "data",
            "symmetric": False,
            "array": high - mean,
            "arrayminus": mean - low,
            "color": rgba(color, 0.38),
            "thickness": 5,
            "width": 0,
        },
        customdata=[
            [row["run"], escape(row["run"]), _hover_text(row, drawing.cutoff), row["collection"]]
            for row in rows
        ],
        hovertemplate="<b>%{customdata[1]}</b><br>%{customdata[2]}<extra></extra>",
        cliponaxis=False,
    )


def _hover_text(row: Row, cutoff: int) -> str:
    mean = wording.format_with_interval(row["mean"], row["low"], row["high"]).lstrip("+")
    parts = [
        f"{mean}  {wording.format_query_count(row['queries'])}",
        f"{wording.format_share(row['judged'])} of its top {wording.format_count(cutoff)} judged",
        *([escape(row["date"])] if row["date"] else []),
        *([f"judgments of {escape(row['judged_by'])}"] if row["collection"] else []),
    ]
    return "<br>".join(parts)


def _version_names(
    named_versions: list[tuple[int, str]], slanted: bool, column_width: float, palette: Palette
) -> list[dict[str, Any]]:
    """Return the names below the positions of the versions. The positions are `column_width` px
    apart. `slanted` must be true if horizontal names would overlap. If slanted names would still
    overlap, only every n-th name is included."""
    short = short_names((run for _, run in named_versions), _NAME)
    anchors: dict[str, Any] = {"yref": "paper", "yanchor": "top", "xanchor": "center", "yshift": -8}
    if slanted:
        anchors |= {"xanchor": "right", "yshift": -4, "xshift": 6, "textangle": -45}
    step = math.ceil(_SLANTED_LINE / column_width) if slanted else 1
    return [
        make_note(escape(short[run]), x, 0, palette.muted, **anchors, align="center",
             **hover_properties(run, short[run]))
        for x, run in named_versions[::step]
    ]  # fmt: skip


def _judgments_note(
    rows: list[Row], first_position: int, line_number: int, n_positions: int, palette: Palette
) -> Row:
    """Return a note that says which judgments a segment of versions uses. The notes of different
    segments are on different lines, so that they do not overlap."""
    by = rows[0]["judged_by"]
    text = f"judgments of {by}" if rows[0]["collection"] else "judgments of the open collection"
    short_text = shorten(text, _BY + len("judgments of "))
    right = first_position + len(rows) / 2 > n_positions / 2
    x = first_position + len(rows) - 1 + 0.4 if right else first_position - 0.4
    side = {"xanchor": "right" if right else "left", "yanchor": "bottom", "yref": "paper"}
    shift = {"yshift": 6 + LINE * line_number}
    return make_note(
        escape(short_text),
        x,
        1,
        palette.muted,
        **side,
        **shift,
        **hover_properties(text, short_text),
    )


def _separator(x: float, palette: Palette) -> dict[str, Any]:
    line = {"color": palette.line, "width": 1, "dash": "dot"}
    return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": line}
