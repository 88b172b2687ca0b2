"""Charts of the Curves page: measures by cutoff, precision against recall."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard.figures.colour import rgba
from dashboard.figures.layout import (
    NARROW,
    Margin,
    Ticks,
    axis,
    corner,
    difference_ticks,
    drawing_order,
    end_labels,
    end_labels_height,
    end_margin,
    figure,
    note,
    point,
    score_ticks,
    signed_ticks,
    tick_width,
)
from dashboard.figures.text import LINE, escape, text_width, wrap, wrapped
from dashboard.theme import Palette, RunStyle
from metrics_core import wording

UPPER, GAP, LOWER = 250, 44, 150
_TICKS = (1, 10, 100, 1000, 2, 5, 20, 50, 200, 500)
_SUBTITLE_LENGTH = 50


class _Panels(NamedTuple):
    """Where the panels stand: the margins and the heights in px; no lower panel is height 0."""

    margin: Margin
    upper: float
    gap: float
    lower: float

    @property
    def plot(self) -> float:
        return self.upper + self.gap + self.lower

    @property
    def height(self) -> float:
        return self.margin.top + self.plot + self.margin.bottom


def difference_range(
    frames: Iterable[pd.DataFrame], styles: Mapping[str, RunStyle]
) -> tuple[float, float]:
    """The range that the lower panels of several measures share, so that they compare."""
    return _difference_ticks(pd.concat([_shown(f, styles) for f in frames])).span


def measure_by_cutoff(
    frame: pd.DataFrame,
    *,
    title: str,
    styles: Mapping[str, RunStyle],
    palette: Palette,
    chosen_k: int,
    baseline: str,
    subtitle: str = "",
    difference_range: tuple[float, float] | None = None,
) -> go.Figure:
    """One measure by k: the scores above, the differences to the baseline below.

    `frame` is that of `metrics_core.curves.curves`. Without differences there is one panel.
    """
    shown = _shown(frame, styles)
    runs = [s for s in drawing_order(styles) if s.name in set(shown["run"])]
    gaps = shown[shown["difference"].notna()]
    compared = [s for s in runs if s.name in set(gaps["run"])]
    above = score_ticks(shown["mean"])
    below = _difference_ticks(gaps, difference_range)
    panels = _panels(runs, compared, palette, (above, below), title, subtitle)
    traces = [
        *(_band(shown, s, palette, 0.13, "low", "high") for s in runs if s.role != "other"),
        *(_line(shown, s, palette, "mean") for s in runs),
        _markers(shown, runs, palette, chosen_k, "mean"),
        *(_band(gaps, s, palette, 0.16, "diff_low", "diff_high") for s in compared),
        *(_line(gaps, s, palette, "difference") for s in compared),
    ]
    notes = [
        *_heads(title, subtitle, palette, panels.margin),
        *_names(shown, runs, palette, chosen_k, "mean", above, panels.upper),
        *_names(gaps, compared, palette, chosen_k, "difference", below, panels.lower),
    ]
    deepest = max(int(shown["k"].max()), 2)
    rule, rule_note = _chosen(chosen_k, deepest, palette)
    notes += rule_note
    if compared:
        notes.append(_minus(baseline, palette, panels))
    return figure(
        [trace for trace in traces if trace is not None],
        palette=palette,
        height=panels.height,
        margin=panels.margin,
        annotations=notes,
        shapes=rule,
        hovermode="x unified",
        hoversort="value descending",
        **_axes(palette, panels, above, below, deepest, panels.margin),
    )


def precision_recall(
    frame: pd.DataFrame, *, styles: Mapping[str, RunStyle], palette: Palette
) -> go.Figure:
    """Interpolated precision at eleven recall levels; `frame` is that of
    `metrics_core.curves.precision_recall`."""
    shown = _shown(frame, styles).assign(k=lambda f: f["recall"].round(6))
    runs = [s for s in drawing_order(styles) if s.name in set(shown["run"])]
    ticks = score_ticks(shown["precision"], (0, 0.1))
    margin = Margin(max(tick_width(ticks), text_width("precision")), end_margin(runs), 30, 48)
    height = max(260, end_labels_height(runs, palette))
    traces = []
    for style in runs:
        line = _line(shown, style, palette, "precision")
        line.update(mode="lines+markers", marker={**point(style, palette, 7), "line_width": 0})
        traces.append(line)
    x = axis(palette, (-0.015, 1.015), score_ticks([]))
    x |= {
        "title": _axis_title("recall: share of the relevant documents found", palette),
        **_hover_axis("recall %{x:.1f}"),
    }
    return figure(
        traces,
        palette=palette,
        height=height + margin.top + margin.bottom,
        margin=margin,
        annotations=[
            *_names(shown, runs, palette, 0.5, "precision", ticks, height),
            corner("precision", palette.muted, margin, 4),
        ],
        hovermode="x unified",
        hoversort="value descending",
        xaxis=x,
        yaxis=axis(palette, ticks.span, ticks, grid=True),
    )


def _shown(frame: pd.DataFrame, styles: Mapping[str, RunStyle]) -> pd.DataFrame:
    return frame[frame["run"].isin(list(styles))]


def _difference_ticks(gaps: pd.DataFrame, span: tuple[float, float] | None = None) -> Ticks:
    if span:
        return signed_ticks(*span)
    return difference_ticks(gaps[["difference", "diff_low", "diff_high"]].to_numpy().ravel())


def _of(frame: pd.DataFrame, style: RunStyle) -> pd.DataFrame:
    return frame[frame["run"] == style.name].sort_values("k")


def _line(frame: pd.DataFrame, style: RunStyle, palette: Palette, column: str) -> go.Scatter:
    rows = _of(frame, style)
    write = wording.difference if column == "difference" else wording.score
    return go.Scatter(
        x=rows["k"].to_numpy(),
        y=rows[column].to_numpy(),
        yaxis="y2" if column == "difference" else "y",
        mode="lines",
        line={"color": style.color(palette), "width": style.width, "dash": style.dash},
        name=escape(style.name),
        text=[write(v) for v in rows[column]],
        hovertemplate=f"<b>{escape(style.name)}</b>  %{{text}}<extra></extra>",
        cliponaxis=False,
    )


def _band(
    frame: pd.DataFrame, style: RunStyle, palette: Palette, opacity: float, low: str, high: str
) -> go.Scatter | None:
    rows = _of(frame, style).dropna(subset=[low, high])
    if rows.empty:
        return None
    k = rows["k"].to_numpy()
    return go.Scatter(
        x=np.concatenate([k, k[::-1]]),
        y=np.concatenate([rows[high].to_numpy(), rows[low].to_numpy()[::-1]]),
        yaxis="y2" if low == "diff_low" else "y",
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=rgba(style.color(palette), opacity),
        hoverinfo="skip",
    )


def _markers(
    frame: pd.DataFrame, runs: Sequence[RunStyle], palette: Palette, chosen_k: int, column: str
) -> go.Scatter | None:
    at = frame[frame["k"] == chosen_k].set_index("run")[column].dropna()
    marked = [s for s in runs if s.name in at.index]
    if not marked:
        return None
    return go.Scatter(
        x=[chosen_k] * len(marked),
        y=[float(at[s.name]) for s in marked],
        mode="markers",
        marker={
            "symbol": [s.symbol for s in marked],
            "color": [s.color(palette) for s in marked],
            "size": 8,
            "line": {"color": palette.page, "width": 1},
        },
        hoverinfo="skip",
        cliponaxis=False,
    )


def _names(
    frame: pd.DataFrame,
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
        rows = _of(frame, style).dropna(subset=[column])
        if not rows.empty:
            nearest = (rows["k"] - decisive).abs().idxmin()
            share = 1 - ticks.share(float(rows[column].iloc[-1]))
            ends[style.name] = (share, float(rows.loc[nearest, column]))
    by_name = {s.name: s for s in runs}
    yref = "y2" if column == "difference" else "y"
    return end_labels(ends, styles=by_name, palette=palette, height=height, yref=yref)


def _panels(
    runs: Sequence[RunStyle],
    compared: Sequence[RunStyle],
    palette: Palette,
    ticks: tuple[Ticks, Ticks],
    title: str,
    subtitle: str,
) -> _Panels:
    upper = max(UPPER, end_labels_height(runs, palette))
    lower = max(LOWER, end_labels_height(compared, palette)) if compared else 0
    head = 26 * bool(title) + LINE * len(wrap(subtitle, _SUBTITLE_LENGTH)) * bool(subtitle)
    margin = Margin(tick_width(*ticks), end_margin(runs), head + 30, 44)
    return _Panels(margin, upper, GAP if compared else 0, lower)


def _heads(title: str, subtitle: str, palette: Palette, margin: Margin) -> Iterable[dict[str, Any]]:
    if title:
        font = {"color": palette.ink, "size": 15}
        yield corner(f"<b>{escape(title)}</b>", palette.ink, margin, 2, font=font)
    if subtitle:
        text = wrapped(subtitle, _SUBTITLE_LENGTH)
        yield corner(text, palette.muted, margin, 26 * bool(title))


def _chosen(
    chosen_k: int, deepest: int, palette: Palette
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The dotted rule at the chosen k and its name; nothing where the runs are not that deep."""
    if chosen_k > deepest:
        return [], []
    rule = {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": chosen_k,
        "x1": chosen_k,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": {"color": palette.zero, "width": 1.2, "dash": "3px,3px"},
    }
    place = {"yref": "paper", "xanchor": "center", "yanchor": "bottom", "yshift": 3}
    return [rule], [note(f"k = {chosen_k}", math.log10(chosen_k), 1, palette.muted, **place)]


def _minus(baseline: str, palette: Palette, panels: _Panels) -> dict[str, Any]:
    text = f"<b>minus {wrapped(baseline, 40)}</b>"
    top = panels.margin.top + panels.upper + panels.gap - 10
    return corner(text, palette.muted, panels.margin, top, yanchor="bottom")


def _axes(
    palette: Palette, panels: _Panels, above: Ticks, below: Ticks, deepest: int, margin: Margin
) -> dict[str, Any]:
    x = axis(palette, (0, math.log10(deepest)), _cutoff_ticks(deepest, margin))
    x |= {
        "type": "log",
        "anchor": "y2" if panels.lower else "y",
        "title": _axis_title("k, results counted", palette),
        **_hover_axis("k = %{x}"),
    }
    split = panels.lower / panels.plot
    upper = axis(palette, above.span, above, grid=True)
    if not panels.lower:
        return {"xaxis": x, "yaxis": upper}
    upper["domain"] = [1 - panels.upper / panels.plot, 1]
    lower = axis(palette, below.span, below, grid=True)
    lower |= {"domain": [0, split], "anchor": "x"}
    lower |= {"zeroline": True, "zerolinecolor": palette.zero, "zerolinewidth": 1.5}
    return {"xaxis": x, "yaxis": upper, "yaxis2": lower}


def _axis_title(text: str, palette: Palette) -> dict[str, Any]:
    return {"text": text, "standoff": 6, "font": {"color": palette.muted, "size": 13}}


def _hover_axis(title: str) -> dict[str, Any]:
    # Plotly puts a white rim around the spike of a transparent chart, in dark too.
    return {"unifiedhovertitle": {"text": title}, "showspikes": False}


def _cutoff_ticks(deepest: int, margin: Margin) -> Ticks:
    """Round cutoffs, powers of ten first, as many as stand side by side without touching."""
    per_unit = (NARROW - margin.left - margin.right) / math.log10(deepest)
    kept: list[int] = []
    for k in _TICKS:
        clear = all(
            abs(math.log10(k / other)) * per_unit
            >= (text_width(str(k)) + text_width(str(other))) / 2 + 4
            for other in kept
        )
        if k <= deepest and clear:
            kept.append(k)
    kept.sort()
    return Ticks([float(k) for k in kept], [str(k) for k in kept], (1, deepest))
