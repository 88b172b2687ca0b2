"""Charts of the Breakdown page with a row for each group; more in `heatmap` and `panels`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.drawn_once import drawn
from dashboard.drawing.figures.chart import Chart, Trace, scatter
from dashboard.drawing.figures.colour import rgba
from dashboard.drawing.figures.keys import Placed, key_height, key_notes, name_notes, names_above
from dashboard.drawing.figures.layout import NARROW, Margin, drawing_order, note
from dashboard.drawing.figures.rows import (
    Rows,
    cells_of,
    first_values,
    marks,
    points,
    row_figure,
    rows_of,
    zero_label,
)
from dashboard.drawing.figures.text import (
    LINE,
    name_width,
    run_name,
)
from dashboard.drawing.theme import Palette, RunStyle
from dashboard.drawing.ticks import Ticks, difference_ticks, nice_ticks

_DIFFERENCE = ("difference", "diff_low", "diff_high")
_SCORE = ("mean", "low", "high")
_WIDEST_BESIDE, _MOST_BESIDE = 120, 6
_RIGHT, _BOTTOM = 14, 28
_HIDDEN, _DODGE = 0.02, 10.0


def difference_by_group(frame: pd.DataFrame, drawing: Drawing, *, order: Sequence[str]) -> Chart:
    """The differences to the baseline by group, a row each in this order, one interval per run.

    `frame` is that of `slicing.breakdowns.breakdown`. A click on a run's point gives customdata
    [group, run, what the hover box says], a click anywhere else in a row gives [group].
    """
    styles, palette = drawing.styles, drawing.palette
    rows = rows_of(frame, drawing, order, counted=True)
    gaps = frame[frame["run"].isin(list(styles)) & frame["difference"].notna()]
    ticks = difference_ticks(gaps[list(_DIFFERENCE)].to_numpy().ravel())
    runs = _compared(frame, styles)
    offsets = {s.name: (i - (len(runs) - 1) / 2) * rows.pitch for i, s in enumerate(runs)}
    keyed = _is_keyed(runs)
    firsts = first_values(gaps.assign(end=_ends(gaps)), runs, order, "end")
    right = _RIGHT if keyed else _beside_margin(firsts, styles, ticks, rows.label_width)
    margin = Margin(rows.label_width, right, drawn(_head, frame, drawing, order).top, _BOTTOM)
    traces = []
    for style in (s for s in drawing_order(styles) if s.name in offsets):
        part = gaps[gaps["run"] == style.name]
        y = rows.centres(part["group"]) + offsets[style.name]
        traces += marks(part, y, style, palette, _DIFFERENCE, rows.pitch)
    notes = [zero_label(drawing, ticks, margin)]
    if keyed:
        notes += key_notes(runs, palette, margin)
    else:
        notes += _beside(firsts, styles, rows, offsets, palette)
    line = {"zeroline": True, "zerolinecolor": palette.zero, "zerolinewidth": 1.5}
    return row_figure(
        traces, rows=rows, palette=palette, margin=margin, ticks=ticks, annotations=notes, **line
    )


def score_by_group(frame: pd.DataFrame, drawing: Drawing, *, order: Sequence[str]) -> Chart:
    """The mean score by group: a dot per run on one line, rows and customdata as in
    `difference_by_group`."""
    styles, palette = drawing.styles, drawing.palette
    head = drawn(_head, frame, drawing, order)
    rows, ticks = head.rows, head.ticks
    shown = frame[frame["run"].isin(list(styles)) & frame["mean"].notna()]
    shown = shown.assign(dodge=_dodge(shown, ticks, rows.height))
    margin = Margin(rows.label_width, _RIGHT, head.top, _BOTTOM)
    traces = [_spans(shown, rows, palette)]
    for style in drawing_order(styles):
        part = shown[shown["run"] == style.name]
        y = rows.centres(part["group"]) + part["dodge"].to_numpy()
        traces.append(points(part, y, style, palette, _SCORE, rows.pitch))
    notes = name_notes(head.above, palette) or list(key_notes(head.present, palette, margin))
    return row_figure(
        traces, rows=rows, palette=palette, margin=margin, ticks=ticks, annotations=notes
    )


def _compared(frame: pd.DataFrame, styles: Mapping[str, RunStyle]) -> list[RunStyle]:
    """The runs with differences as they stand in a row: the focus, then the others."""
    known = {run for run, gap in cells_of(frame, "run", "difference") if not math.isnan(gap)}
    return sorted((s for s in styles.values() if s.name in known), key=lambda s: s.role != "focus")


def _present(frame: pd.DataFrame, styles: Mapping[str, RunStyle]) -> list[RunStyle]:
    known = {run for run, mean in cells_of(frame, "run", "mean") if not math.isnan(mean)}
    return [style for style in styles.values() if style.name in known]


def _is_keyed(runs: Sequence[RunStyle]) -> bool:
    """Whether the names do not fit beside the first row and stand in a key."""
    return len(runs) > _MOST_BESIDE or any(name_width(s) > _WIDEST_BESIDE for s in runs)


@dataclass(frozen=True)
class _Head:
    """What stands over the scores: the top margin, the same for both charts of these groups, so
    that their rows align; the names in it; the runs with scores, their ticks and rows."""

    top: float
    above: Placed
    present: list[RunStyle]
    ticks: Ticks
    rows: Rows


def _head(frame: pd.DataFrame, drawing: Drawing, order: Sequence[str]) -> _Head:
    styles = drawing.styles
    ticks, rows = _mean_ticks(frame, styles), rows_of(frame, drawing, order, counted=False)
    firsts = first_values(frame, styles.values(), order, "mean")
    shares = {run: ticks.share(value) for run, (_, value) in firsts.items()}
    above = names_above(shares, styles, rows.label_width, _RIGHT)
    compared, present = _compared(frame, styles), _present(frame, styles)
    over_differences = LINE + (key_height(compared) if _is_keyed(compared) else 0)
    over_scores = LINE * len(above) if above else key_height(present)
    return _Head(10 + max(over_differences, over_scores), above, present, ticks, rows)


def _mean_ticks(frame: pd.DataFrame, styles: Mapping[str, RunStyle]) -> Ticks:
    means = frame.loc[frame["run"].isin(list(styles)), "mean"].dropna()
    low, high = (means.min(), means.max()) if len(means) else (0.0, 1.0)
    room = max(0.05 * (high - low), 0.02)
    low, high = low - room, high + room
    return nice_ticks(low, high, most=5).within(low, high)


def _ends(gaps: pd.DataFrame) -> pd.Series:
    return gaps["diff_high"].fillna(gaps["difference"])


def _beside_margin(
    firsts: Mapping[str, tuple[str, float]],
    styles: Mapping[str, RunStyle],
    ticks: Ticks,
    left: float,
) -> float:
    """The right margin at which a name beside the end of its interval is not cut, however
    narrow the chart."""
    needed = [float(_RIGHT)]
    for run, (_, end) in firsts.items():
        share = max(ticks.share(end), 0.01)
        free = NARROW - left - 12 - name_width(styles[run])
        needed.append(NARROW - left - free / share)
    return max(needed)


def _beside(
    firsts: Mapping[str, tuple[str, float]],
    styles: Mapping[str, RunStyle],
    rows: Rows,
    offsets: Mapping[str, float],
    palette: Palette,
) -> list[dict[str, Any]]:
    return [
        note(
            run_name(styles[run], palette),
            end,
            float(rows.centres([group])[0]) + offsets[run],
            palette.ink,
            xshift=9,
            bgcolor=rgba(palette.page, 0.8),
        )
        for run, (group, end) in firsts.items()
    ]


def _dodge(shown: pd.DataFrame, ticks: Ticks, height: float) -> pd.Series:
    """Px by which dots that would hide another one leave the line, so that all are seen; none
    leaves its row, which is this high."""
    ordered = shown.sort_values(["group", "mean"], kind="stable")
    near = ordered.groupby("group")["mean"].diff() < _HIDDEN * (ticks.span[1] - ticks.span[0])
    together = near.groupby((~near).cumsum())
    size = together.transform("size")
    step = np.minimum(_DODGE, (height - _DODGE) / size)
    return ((together.cumcount() - (size - 1) / 2) * step).reindex(shown.index)


def _spans(shown: pd.DataFrame, rows: Rows, palette: Palette) -> Trace:
    """The line of each row from its lowest to its highest dot."""
    ends = shown.groupby("group", sort=False)["mean"].agg(["min", "max"])
    y = rows.centres(ends.index)
    gap = np.full(len(ends), np.nan)
    return scatter(
        x=np.column_stack([ends["min"], ends["max"], gap]).ravel(),
        y=np.column_stack([y, y, gap]).ravel(),
        mode="lines",
        line={"color": palette.line, "width": 1.3},
        hoverinfo="skip",
    )
