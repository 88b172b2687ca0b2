"""Charts of the Curves page: measures by cutoff, precision against recall."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace
from dashboard.drawing.figures.layout import (
    NARROW,
    Margin,
    axis,
    axis_name,
    corner,
    drawing_order,
    end_labels_height,
    end_margin,
    figure,
    note,
    point,
    tick_width,
)
from dashboard.drawing.figures.lines import Line, band, by_run, line, markers, names
from dashboard.drawing.figures.text import LINE, escape, shorten, text_width, whole, wrap, wrapped
from dashboard.drawing.theme import Palette, RunStyle
from dashboard.drawing.ticks import Ticks, difference_ticks, score_ticks, signed_ticks

UPPER, GAP, LOWER = 250, 44, 150
_TICKS = (1, 10, 100, 1000, 2, 5, 20, 50, 200, 500)
_SUBTITLE_LENGTH, _MINUS_LENGTH = 50, 34
_MOST_BANDS = 4
_BEST_FIRST: dict[str, Any] = {"hovermode": "x unified", "hoversort": "value descending"}


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


def difference_range(frames: Iterable[pd.DataFrame], drawing: Drawing) -> tuple[float, float]:
    """The range that the lower panels of several measures share, so that they compare."""
    return _difference_ticks(pd.concat([_shown(f, drawing.styles) for f in frames])).span


def measure_by_cutoff(
    frame: pd.DataFrame,
    drawing: Drawing,
    *,
    title: str,
    subtitle: str = "",
    difference_range: tuple[float, float] | None = None,
    value_range: tuple[float, float] = (0, 1),
) -> Chart:
    """One measure by k: the scores above, the differences to the baseline below.

    `frame` is that of `metrics_core.scoring.curves.curves`, `value_range` that of its measure.
    Without differences there is one panel.
    """
    palette, k = drawing.palette, drawing.cutoff
    shown = _shown(frame, drawing.styles)
    runs = [s for s in drawing_order(drawing.styles) if s.name in set(shown["run"])]
    gaps = shown[shown["difference"].notna()]
    lines = by_run(shown, drawing)
    compared = [s for s in runs if not np.isnan(lines[s.name]["difference"]).all()]
    above, below = (
        score_ticks(shown[["mean", "low", "high"]].to_numpy().ravel(), value_range),
        _difference_ticks(gaps, difference_range),
    )
    panels = _panels(runs, compared, (above, below), (title, subtitle))
    deepest = max(int(shown["k"].max()), 2)
    chosen = [k] if k <= deepest else []
    notes = [
        *(_rule_name(k, palette) for k in chosen),
        axis_name("k, results counted", palette.muted, panels.margin),
        *_heads(title, subtitle, drawing.baseline if compared else "", palette, panels),
        *names(lines, runs, palette, k, "mean", above, panels.upper),
        *names(lines, _named_below(compared), palette, k, "difference", below, panels.lower),
    ]
    return figure(
        _traces(lines, runs, compared, drawing),
        palette=palette,
        height=panels.height,
        margin=panels.margin,
        annotations=notes,
        shapes=[_rule(k, palette) for k in chosen],
        **_BEST_FIRST,
        **_axes(palette, panels, above, below, deepest, panels.margin),
    )


def precision_recall(frame: pd.DataFrame, drawing: Drawing) -> Chart:
    """Interpolated precision at eleven recall levels; `frame` is that of
    `metrics_core.scoring.curves.precision_recall`."""
    palette, styles = drawing.palette, drawing.styles
    shown = _shown(frame, styles).assign(k=lambda f: f["recall"].round(6))
    runs = [s for s in drawing_order(styles) if s.name in set(shown["run"])]
    lines = by_run(shown, drawing)
    ticks = score_ticks(shown["precision"].to_numpy(), (0, 0.1))
    margin = Margin(max(tick_width(ticks), text_width("precision")), end_margin(runs), 30, 48)
    height = max(260, end_labels_height(runs))
    traces = []
    for style in runs:
        marker = {**point(style, palette, 7), "line": {"width": 0}}
        trace = line(lines[style.name], style, palette, "precision")
        traces.append({**trace, "mode": "lines+markers", "marker": marker})
    x = axis(palette, (-0.015, 1.015), score_ticks([]))
    x |= {
        **_hover_axis("recall %{x:.1f}"),
    }
    return figure(
        traces,
        palette=palette,
        height=height + margin.top + margin.bottom,
        margin=margin,
        annotations=[
            *names(lines, runs, palette, 0.5, "precision", ticks, height),
            corner("precision", palette.muted, margin, 4),
            axis_name("recall: share of the relevant documents found", palette.muted, margin),
        ],
        **_BEST_FIRST,
        xaxis=x,
        yaxis=axis(palette, ticks.span, ticks, grid=True),
    )


def _traces(
    lines: Mapping[str, Line],
    runs: Sequence[RunStyle],
    compared: Sequence[RunStyle],
    drawing: Drawing,
) -> list[Trace]:
    """Bands below lines: above those of the focus and the baseline only, four would make mud;
    below those of every run, or with many runs of the focus only."""
    palette = drawing.palette
    focal, banded = [s for s in runs if s.role != "other"], _banded(compared)
    traces = [
        *(band(lines[s.name], s, palette, 0.13, "low", "high") for s in focal),
        *(line(lines[s.name], s, palette, "mean") for s in runs),
        markers(lines, runs, drawing, "mean"),
        *(band(lines[s.name], s, palette, 0.16, "diff_low", "diff_high") for s in banded),
        *(line(lines[s.name], s, palette, "difference") for s in compared),
    ]
    return [trace for trace in traces if trace is not None]


def _banded(compared: Sequence[RunStyle]) -> Sequence[RunStyle]:
    if len(compared) <= _MOST_BANDS:
        return compared
    return [style for style in compared if style.role == "focus"]


def _named_below(compared: Sequence[RunStyle]) -> Sequence[RunStyle]:
    """The runs named in the lower panel: all, or the focus where not all have room. The upper
    panel names them all."""
    if end_labels_height(compared) <= LOWER:
        return compared
    return [style for style in compared if style.role == "focus"]


def _shown(frame: pd.DataFrame, styles: Mapping[str, RunStyle]) -> pd.DataFrame:
    return frame[frame["run"].isin(list(styles))]


def _difference_ticks(gaps: pd.DataFrame, span: tuple[float, float] | None = None) -> Ticks:
    if span:
        return signed_ticks(*span)
    return difference_ticks(gaps[["difference", "diff_low", "diff_high"]].to_numpy().ravel())


def _panels(
    runs: Sequence[RunStyle],
    compared: Sequence[RunStyle],
    ticks: tuple[Ticks, Ticks],
    head: tuple[str, str],
) -> _Panels:
    upper = max(UPPER, end_labels_height(runs))
    lower = LOWER if compared else 0
    title, subtitle = head
    over = 26 * bool(title) + LINE * len(wrap(subtitle, _SUBTITLE_LENGTH)) * bool(subtitle)
    margin = Margin(tick_width(*ticks), end_margin(runs), over + 30, 46)
    gap = GAP if compared else 0
    return _Panels(margin, upper, gap, lower)


def _heads(
    title: str, subtitle: str, baseline: str, palette: Palette, panels: _Panels
) -> Iterable[dict[str, Any]]:
    margin = panels.margin
    if title:
        font = {"color": palette.ink, "size": 15}
        yield corner(f"<b>{escape(title)}</b>", palette.ink, margin, 2, font=font)
    if subtitle:
        text = wrapped(subtitle, _SUBTITLE_LENGTH)
        yield corner(text, palette.muted, margin, 26 * bool(title))
    if baseline:
        shown = shorten(baseline, _MINUS_LENGTH)
        text = f"<b>minus {escape(shown)}</b>"
        top = margin.top + panels.upper + panels.gap - 10
        more = whole(baseline, shown)
        yield corner(text, palette.muted, margin, top, yanchor="bottom", **more)


def _rule(chosen_k: int, palette: Palette) -> dict[str, Any]:
    """The dotted rule at the chosen k, through both panels."""
    return {
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


def _rule_name(chosen_k: int, palette: Palette) -> dict[str, Any]:
    # On a log axis a note takes the exponent where a shape takes k itself.
    place = {"yref": "paper", "xanchor": "center", "yanchor": "bottom", "yshift": 3}
    return note(f"k = {chosen_k}", math.log10(chosen_k), 1, palette.muted, **place)


def _axes(
    palette: Palette, panels: _Panels, above: Ticks, below: Ticks, deepest: int, margin: Margin
) -> dict[str, Any]:
    x = axis(palette, (0, math.log10(deepest)), _cutoff_ticks(deepest, margin))
    x |= {
        "type": "log",
        "anchor": "y2" if panels.lower else "y",
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
