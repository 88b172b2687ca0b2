"""The chart of a measure over versions: the mean of each with its interval, joined by a line as far
as the same judgments tell it."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace, scatter
from dashboard.drawing.figures.colour import rgba
from dashboard.drawing.figures.layout import NARROW, Margin, axis, figure, note, tick_width
from dashboard.drawing.figures.text import LINE, escape, short_names, shorten, whole, widest
from dashboard.drawing.theme import Palette
from dashboard.drawing.ticks import score_ticks
from metrics_core.base import wording

_HEIGHT = 240
_RIGHT, _SLANTED_LINE = 24, 17
_NAME, _BY = 14, 28

Row = dict[str, Any]


def mean_by_version(frame: pd.DataFrame, drawing: Drawing) -> Chart:
    """`frame` has run, collection, judged_by, queries, mean, low, high, judged, date, unknown, a
    row a version in order from the left; those of one collection stand together, apart from others.

    customdata is [run, escaped run, numbers, collection]. Of many versions every second, third … is
    named below the chart; all are on hover.
    """
    palette = drawing.palette
    rows: list[Row] = frame.to_dict("records")
    segments = [list(own) for _, own in groupby(rows, key=lambda row: row["collection"])]
    ticks = score_ticks(frame[["mean", "low", "high"]].to_numpy(dtype=np.float64).ravel(),
                        drawing.value_range)  # fmt: skip
    labelled = len(segments) if len(segments) > 1 else 0
    lengths = [len(own) for own in segments]
    # A place is left free between two collections.
    begins = [sum(lengths[:i]) + i for i in range(len(segments))]
    end = begins[-1] + lengths[-1]
    drawn = list(zip(segments, begins, strict=True))
    named = _named_places(drawn)
    left = tick_width(ticks)
    room = (NARROW - left - _RIGHT) / end
    width = widest(list(short_names((run for _, run in named), _NAME).values()))
    slanted = width + 6 > room
    margin = Margin(left, _RIGHT, 12 + LINE * labelled, 34)
    if slanted:
        reach = width * math.sqrt(0.5)
        margin = margin._replace(left=max(left, reach - 0.4 * room + 8), bottom=20 + reach)
    labels = [
        _judged_by(own, begin, i, end, palette) for i, (own, begin) in enumerate(drawn) if labelled
    ]
    return figure(
        [_line(own, begin, drawing) for own, begin in drawn],
        palette=palette,
        height=_HEIGHT + margin.top + margin.bottom,
        margin=margin,
        annotations=[*_names(named, slanted, room, palette), *labels],
        shapes=[_rule(begin - 1, palette) for begin in begins[1:]],
        xaxis=axis(palette, (-0.4, end - 0.6)),
        yaxis=axis(palette, ticks.span, ticks, grid=True),
    )


def _line(rows: list[Row], begin: int, drawing: Drawing) -> Trace:
    """The versions of one collection: full points on a line here, hollow ones elsewhere, and here
    where the judgments hardly know a version."""
    palette = drawing.palette
    elsewhere = bool(rows[0]["collection"])
    color = palette.muted if elsewhere else palette.ink
    hollow = [elsewhere or row["unknown"] for row in rows]
    mean, low, high = (np.array([row[c] for row in rows], float) for c in ("mean", "low", "high"))
    return scatter(
        x=begin + np.arange(len(rows)),
        y=mean,
        mode="lines+markers",
        line={"color": color, "width": 1 if elsewhere else 2, "dash": "dot" if elsewhere else None},
        marker={
            "size": 9,
            "symbol": "diamond" if elsewhere else "circle",
            "color": [palette.page if each else color for each in hollow],
            "line": {
                "width": [2 if each else 1 for each in hollow],
                "color": [color if each else palette.page for each in hollow],
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
            [row["run"], escape(row["run"]), _told(row, drawing.cutoff), row["collection"]]
            for row in rows
        ],
        hovertemplate="<b>%{customdata[1]}</b><br>%{customdata[2]}<extra></extra>",
        cliponaxis=False,
    )


def _told(row: Row, cutoff: int) -> str:
    mean = wording.with_interval(row["mean"], row["low"], row["high"]).lstrip("+")
    told = [
        f"{mean}  {wording.count(row['queries'])}"
        f" {wording.plural(row['queries'], 'query', 'queries')}",
        f"{wording.share(row['judged'])} of its top {wording.count(cutoff)} judged",
        *([escape(row["date"])] if row["date"] else []),
        *([f"judged by {escape(row['judged_by'])}"] if row["collection"] else []),
    ]
    return "<br>".join(told)


def _named_places(drawn: list[tuple[list[Row], int]]) -> list[tuple[int, str]]:
    return [(begin + i, row["run"]) for rows, begin in drawn for i, row in enumerate(rows)]


def _names(
    named: list[tuple[int, str]], slanted: bool, room: float, palette: Palette
) -> list[dict[str, Any]]:
    """The names below their places, which are `room` px wide; slanted where they would overlap, and
    where even then, only every second, third …"""
    short = short_names((run for _, run in named), _NAME)
    place: dict[str, Any] = {"yref": "paper", "yanchor": "top", "xanchor": "center", "yshift": -8}
    if slanted:
        place |= {"xanchor": "right", "yshift": -4, "xshift": 6, "textangle": -45}
    step = math.ceil(_SLANTED_LINE / room) if slanted else 1
    return [
        note(escape(short[run]), x, 0, palette.muted, **place, align="center",
             **whole(run, short[run]))
        for x, run in named[::step]
    ]  # fmt: skip


def _judged_by(rows: list[Row], begin: int, line: int, end: int, palette: Palette) -> Row:
    """Whose judgments tell a segment, each on a line of its own, so that none covers another."""
    by = rows[0]["judged_by"]
    text = f"judged by {by}" if rows[0]["collection"] else "judged by the open collection"
    shown = shorten(text, _BY + len("judged by "))
    right = begin + len(rows) / 2 > end / 2
    x = begin + len(rows) - 1 + 0.4 if right else begin - 0.4
    side = {"xanchor": "right" if right else "left", "yanchor": "bottom", "yref": "paper"}
    up = {"yshift": 6 + LINE * line}
    return note(escape(shown), x, 1, palette.muted, **side, **up, **whole(text, shown))


def _rule(x: float, palette: Palette) -> dict[str, Any]:
    line = {"color": palette.line, "width": 1, "dash": "dot"}
    return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": line}
