"""Charts of the Breakdown page with a row for each group; more in `heatmap` and `panels`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard.figures.colour import rgba
from dashboard.figures.layout import (
    NARROW,
    Margin,
    clamped,
    corner,
    drawing_order,
    note,
)
from dashboard.figures.rows import (
    PITCH,
    Placed,
    Rows,
    first_values,
    key,
    marks,
    name_notes,
    names_above,
    points,
    row_figure,
    rows_of,
)
from dashboard.figures.text import LINE, escape, name_width, run_name, text_width
from dashboard.theme import Palette, RunStyle
from dashboard.ticks import Ticks, difference_ticks, nice_ticks

_DIFFERENCE = ("difference", "diff_low", "diff_high")
_SCORE = ("mean", "low", "high")
_WIDEST_BESIDE = 120
_RIGHT, _BOTTOM = 14, 28
_HIDDEN, _DODGE = 0.02, 10.0


def groups_by_difference(frame: pd.DataFrame, focus: str) -> list[str]:
    """The groups sorted by the difference of the run in focus, best first, undefined last."""
    gaps = frame[frame["run"] == focus].set_index("group")["difference"].dropna()
    order = list(dict.fromkeys(frame["group"]))
    known = sorted((g for g in order if g in gaps.index), key=lambda g: -gaps[g])
    return known + [g for g in order if g not in gaps.index]


def difference_by_group(
    frame: pd.DataFrame,
    *,
    styles: Mapping[str, RunStyle],
    palette: Palette,
    focus: str,
    baseline: str,
) -> go.Figure:
    """The differences to the baseline by group, a row each, one interval per run.

    `frame` is that of `slicing.breakdowns.breakdown`; rows are sorted by the run in focus.
    A click anywhere in a row gives customdata that begins with the group.
    """
    order = groups_by_difference(frame, focus)
    rows = rows_of(frame, styles, palette, order, counted=True)
    gaps = frame[frame["run"].isin(list(styles)) & frame["difference"].notna()]
    ticks = difference_ticks(gaps[list(_DIFFERENCE)].to_numpy().ravel())
    runs = _compared(frame, styles)
    offsets = {s.name: (i - (len(runs) - 1) / 2) * PITCH for i, s in enumerate(runs)}
    keyed = _is_keyed(runs)
    firsts = first_values(gaps.assign(end=_ends(gaps)), runs, order, "end")
    right = _RIGHT if keyed else _beside_margin(firsts, styles, ticks, rows.label_width)
    margin = Margin(rows.label_width, right, _top(frame, styles, palette, order), _BOTTOM)
    traces = []
    for style in (s for s in drawing_order(styles) if s.name in offsets):
        part = gaps[gaps["run"] == style.name]
        y = rows.centres(part["group"]) + offsets[style.name]
        traces += marks(part, y, style, palette, _DIFFERENCE)
    notes = [_zero_label(baseline, ticks, margin, palette)]
    if keyed:
        notes.append(corner("<br>".join(key(runs, palette)), palette.ink, margin, 0))
    else:
        notes += _beside(firsts, styles, rows, offsets, palette)
    line = {"zeroline": True, "zerolinecolor": palette.zero, "zerolinewidth": 1.5}
    return row_figure(
        traces, rows=rows, palette=palette, margin=margin, ticks=ticks, annotations=notes, **line
    )


def score_by_group(
    frame: pd.DataFrame,
    *,
    styles: Mapping[str, RunStyle],
    palette: Palette,
    order: Sequence[str],
) -> go.Figure:
    """The mean score by group: a dot per run on one line, rows as in `difference_by_group`."""
    rows = rows_of(frame, styles, palette, order, counted=False)
    ticks = _mean_ticks(frame, styles)
    shown = frame[frame["run"].isin(list(styles)) & frame["mean"].notna()]
    shown = shown.assign(dodge=_dodge(shown, ticks))
    margin = Margin(rows.label_width, _RIGHT, _top(frame, styles, palette, order), _BOTTOM)
    traces = [_spans(shown, rows, palette)]
    for style in drawing_order(styles):
        part = shown[shown["run"] == style.name]
        y = rows.centres(part["group"]) + part["dodge"].to_numpy()
        traces.append(points(part, y, style, palette, _SCORE))
    notes = name_notes(_names_above(frame, styles, palette, order), palette)
    return row_figure(
        traces, rows=rows, palette=palette, margin=margin, ticks=ticks, annotations=notes
    )


def _compared(frame: pd.DataFrame, styles: Mapping[str, RunStyle]) -> list[RunStyle]:
    """The runs with differences as they stand in a row: the focus, then the others."""
    known = set(frame.loc[frame["difference"].notna(), "run"])
    return sorted((s for s in styles.values() if s.name in known), key=lambda s: s.role != "focus")


def _is_keyed(runs: Iterable[RunStyle]) -> bool:
    """Whether names are too long to stand beside the first row and get lines of their own."""
    return any(name_width(s, length=99) > _WIDEST_BESIDE for s in runs)


def _top(
    frame: pd.DataFrame,
    styles: Mapping[str, RunStyle],
    palette: Palette,
    order: Sequence[str],
) -> float:
    """The top margin, the same for both charts of these groups, so that their rows align."""
    runs = _compared(frame, styles)
    over_differences = 1 + (len(key(runs, palette)) if _is_keyed(runs) else 0)
    over_scores = len(_names_above(frame, styles, palette, order))
    return 10 + LINE * max(over_differences, over_scores)


def _names_above(
    frame: pd.DataFrame, styles: Mapping[str, RunStyle], palette: Palette, order: Sequence[str]
) -> Placed:
    ticks = _mean_ticks(frame, styles)
    firsts = first_values(frame, styles.values(), order, "mean")
    shares = {run: ticks.share(value) for run, (_, value) in firsts.items()}
    left = rows_of(frame, styles, palette, order, counted=False).label_width
    return names_above(shares, styles, left, _RIGHT)


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
        free = NARROW - left - 12 - name_width(styles[run], length=99)
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
            run_name(styles[run], palette, length=99),
            end,
            float(rows.centres([group])[0]) + offsets[run],
            palette.ink,
            xshift=9,
            bgcolor=rgba(palette.page, 0.8),
        )
        for run, (group, end) in firsts.items()
    ]


def _zero_label(baseline: str, ticks: Ticks, margin: Margin, palette: Palette) -> dict[str, Any]:
    shift = clamped(ticks.share(0), text_width(baseline), margin)
    place = {"yref": "paper", "xanchor": "center", "yanchor": "bottom", "yshift": 4}
    return note(escape(baseline), 0, 1, palette.ink, xshift=shift, **place)


def _dodge(shown: pd.DataFrame, ticks: Ticks) -> pd.Series:
    """Px by which dots that would hide another one leave the line, so that all are seen."""
    ordered = shown.sort_values(["group", "mean"], kind="stable")
    near = ordered.groupby("group")["mean"].diff() < _HIDDEN * (ticks.span[1] - ticks.span[0])
    together = near.groupby((~near).cumsum())
    middle = (together.transform("size") - 1) / 2
    return ((together.cumcount() - middle) * _DODGE).reindex(shown.index)


def _spans(shown: pd.DataFrame, rows: Rows, palette: Palette) -> go.Scatter:
    """The line of each row from its lowest to its highest dot."""
    ends = shown.groupby("group", sort=False)["mean"].agg(["min", "max"])
    y = rows.centres(ends.index)
    gap = np.full(len(ends), np.nan)
    return go.Scatter(
        x=np.column_stack([ends["min"], ends["max"], gap]).ravel(),
        y=np.column_stack([y, y, gap]).ravel(),
        mode="lines",
        line={"color": palette.line, "width": 1.3},
        hoverinfo="skip",
    )
