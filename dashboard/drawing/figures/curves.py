"""Charts of the By cutoff page: measures by cutoff, and precision against recall. The names of the
runs are only in the legend that the charts share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace
from dashboard.drawing.figures.layout import (
    NARROW,
    Margin,
    axis_name,
    corner_note,
    make_axis,
    make_figure,
    make_note,
    order_for_drawing,
    run_marker,
    tick_width,
)
from dashboard.drawing.figures.lines import (
    Line,
    cutoff_markers,
    lines_by_run,
    make_line_grey,
    run_band,
    run_line,
    run_line_thin_after,
    significance_line,
)
from dashboard.drawing.figures.text import escape, hover_properties, short_names, text_width
from dashboard.drawing.theme import Palette, RunStyle, make_lines_solid
from dashboard.drawing.ticks import Ticks, score_ticks, zero_based_ticks

UPPER, GAP, LOWER = 200, 40, 176
"""Heights in px of the upper panel, of the gap below it, and of the lower panel. With these
heights, both panels fit on the first screen of a projector, together with the top of the page."""
SINGLE = 156
"""Height in px of a panel that is drawn alone, beside the other panel."""
_TOP, _BOTTOM, _RIGHT = 10, 28, 16
_EDGE = 2
"""Space in px beyond the ends of a value axis. It is needed because Plotly draws no grid line
exactly at an end."""
_RECALL = 420
_TICKS = (10, 100, 1000, 2, 5, 20, 50, 200, 500)
_MINUS_LENGTH = 12
_STRIP, _BAR = 31, 27
"""Height in px of the strip below the lower panel, and the distance of the bar over significant k
from the panel. The label of the bar is above it."""
_ROOM = 0.5
"""Space beyond the differences, as a share of their range. Most bands, which are computed later,
fit in this space, so that the axis need not change."""
_PAPER = {"xref": "paper", "yref": "paper", "yanchor": "bottom"}
_BELOW = {"xanchor": "right", "yanchor": "top"}
_LAST_LABEL = 0.5
"""The position at which the label of the bar starts at most, as a share of the panel's width."""
_WIDER = 1.75
"""Other runs may widen the axis of differences at most by this factor."""
_ONE_OF_MANY = 6


Panels = Literal["both", "scores", "differences"]


class _Layout(NamedTuple):
    """The layout of the panels: margins and heights in px. The height of a panel that is not drawn
    is 0."""

    margin: Margin
    upper: float
    gap: float
    lower: float

    @property
    def plot_height(self) -> float:
        return self.upper + self.gap + self.lower

    @property
    def height(self) -> float:
        return self.margin.top + self.plot_height + self.margin.bottom


def measure_by_cutoff(
    frame: pd.DataFrame,
    drawing: Drawing,
    *,
    coloured_runs: Sequence[str] = (),
    end_by_run: Mapping[str, int] | None = None,
    panels: Panels = "both",
    axis: str = "k",
) -> Chart:
    """Draw one measure by k: the scores in the upper panel, the differences from the baseline in
    the lower panel. If `panels` is "scores" or "differences", only this panel is drawn. If there
    are no differences, only the upper panel is drawn.

    `frame` is the result of `mean_curves`. The runs in `coloured_runs` keep their style, and other
    runs are grey; if `coloured_runs` is empty, all runs keep their style. `end_by_run` maps runs to
    the rank by which half of their lists have ended. Lines are thinner beyond this rank. `axis` is
    the name of the horizontal axis."""
    palette, k = drawing.palette, drawing.cutoff
    rows = frame[frame["run"].isin(list(drawing.styles))]
    below = _difference_ticks(rows, drawing)
    # Not every format clips a line that leaves its panel.
    clipped = rows["difference"].where(rows["difference"].between(*below.span))
    is_outside = clipped.isna() & rows["difference"].notna()
    outside = list(dict.fromkeys(rows["run"][is_outside]))
    rows = rows.assign(difference=clipped)
    runs = [s for s in order_for_drawing(drawing.styles) if s.name in set(rows["run"])]
    loud = make_lines_solid([s for s in runs if not coloured_runs or s.name in coloured_runs])
    quiet = [s for s in runs if coloured_runs and s.name not in coloured_runs]
    lines = lines_by_run(rows, drawing)
    has_differences = panels != "scores" and any(
        not np.isnan(lines[s.name]["difference"]).all() for s in runs
    )
    # Alone, the panel has room for less, so its axis follows the scores.
    ends = (np.nan, np.nan) if panels == "scores" else (0, 0)
    above = score_ticks(rows[["mean", "low", "high"]].to_numpy().ravel(), ends)
    margin = Margin(tick_width(above, below), _RIGHT, _TOP, _BOTTOM)
    layout = _Layout(margin, UPPER, GAP, LOWER)
    if panels != "both":
        sizes = (SINGLE, 0) if panels == "scores" else (0, SINGLE)
        layout = _Layout(margin, sizes[0], 0, sizes[1])
    elif not has_differences:
        layout = _Layout(margin, UPPER, 0, 0)
    deepest = max(int(rows["k"].max()), 2)
    bottom, strip_end = below.span[0], _padded_span(below.span, layout.lower or LOWER, _STRIP)[0]
    bar_at = bottom + (strip_end - bottom) * _BAR / _STRIP
    bar = significance_line(lines[drawing.focus], drawing, bar_at)
    labels = [
        make_note(axis, 0, 0, palette.muted, xshift=-13, yshift=-6, **_PAPER | _BELOW),
        *(_lower_labels(drawing, layout, outside) if layout.gap else ()),
    ]
    if layout.lower and not np.isnan(lines[drawing.focus]["diff_low"]).all():
        name = escape(short_names(drawing.styles, _MINUS_LENGTH)[drawing.focus])
        marked = [k for k, y in zip(bar["x"], bar["y"], strict=True) if y is not None]
        text = f"{name}: significant{'' if marked else ' at no k'}"
        # The label starts where the bar starts, unless it would leave the panel.
        start = min(math.log(marked[0], deepest), _LAST_LABEL) if marked else 0
        # The line at k runs behind the text.
        layout_of_note = _PAPER | {"yshift": _STRIP - _BAR + 6, "bgcolor": palette.page}
        labels.append(make_note(text, start, 0, palette.muted, **layout_of_note))
    traces = [*_line_traces(lines, quiet, loud, drawing, end_by_run or {}, axis), bar]
    return make_figure(
        [
            t
            for t in traces
            if t is not None and (layout.lower if t["yaxis"] == "y2" else layout.upper)
        ],
        palette=palette,
        height=layout.height,
        margin=layout.margin,
        annotations=labels,
        shapes=[_cutoff_line(k, palette)] if k <= deepest else [],
        **_hover_mode(len(runs)),
        **_panel_axes(palette, layout, above, below, deepest, axis),
    )


def reranking_ceiling(
    frame: pd.DataFrame, drawing: Drawing, *, coloured_runs: Sequence[str] = ()
) -> Chart:
    """Draw the best mean that reordering the first N results can reach, in the upper panel of
    `measure_by_cutoff`. `frame` has run, k (N) and mean."""
    columns = dict.fromkeys(("low", "high", "difference", "diff_low", "diff_high"), np.nan)
    return measure_by_cutoff(
        frame.assign(**columns), drawing, coloured_runs=coloured_runs, axis="N"
    )


def precision_recall(
    frame: pd.DataFrame, drawing: Drawing, *, coloured_runs: Sequence[str] = ()
) -> Chart:
    """Draw interpolated precision at eleven recall levels. `frame` has run, recall, precision;
    `coloured_runs` is the same as for `measure_by_cutoff`."""
    palette, styles = drawing.palette, drawing.styles
    rows = frame[frame["run"].isin(list(styles))].assign(k=lambda f: f["recall"].round(6))
    runs = [s for s in order_for_drawing(styles) if s.name in set(rows["run"])]
    loud = make_lines_solid([s for s in runs if not coloured_runs or s.name in coloured_runs])
    lines = lines_by_run(rows, drawing)
    ticks = score_ticks(rows["precision"].to_numpy())
    margin = Margin(max(tick_width(ticks), text_width("precision")), 14, 30, 48)
    prefix = _hover_prefix(len(runs), "recall %{x:.1f}")
    quiet = [
        make_line_grey(run_line(lines[s.name], s, palette, "precision", prefix=prefix), palette)
        for s in runs
        if coloured_runs and s.name not in coloured_runs
    ]
    traces: list[Trace] = []
    for style in loud:
        trace = run_line(lines[style.name], style, palette, "precision", prefix=prefix)
        marker = {**run_marker(style, palette, 8), "line": {"color": palette.page, "width": 1}}
        traces.append({**trace, "mode": "lines+markers", "marker": marker})
    x = make_axis(palette, (-0.015, 1.015), score_ticks([]))
    x |= _hover_axis("recall %{x:.1f}")
    return make_figure(
        [*quiet, *traces],
        palette=palette,
        height=_RECALL + margin.top + margin.bottom,
        margin=margin,
        annotations=[
            corner_note("precision", palette.muted, margin, 4),
            axis_name("recall: share of the relevant documents found", palette.muted, margin),
        ],
        **_hover_mode(len(runs)),
        xaxis=x,
        yaxis=make_axis(palette, ticks.span, ticks, grid=True),
    )


def _hover_mode(n_runs: int) -> dict[str, Any]:
    """Return the hover settings: a box with the values of all lines or, if there are many runs, of
    the nearest line."""
    if n_runs > _ONE_OF_MANY:
        return {"hovermode": "closest"}
    return {"hovermode": "x unified", "hoversort": "value descending"}


def _hover_prefix(n_runs: int, template: str) -> str:
    return f"{template}, " if n_runs > _ONE_OF_MANY else ""


def _line_traces(
    lines: Mapping[str, Line],
    grey_runs: Sequence[RunStyle],
    coloured_runs: Sequence[RunStyle],
    drawing: Drawing,
    end_by_run: Mapping[str, int],
    axis: str,
) -> Iterable[Trace | None]:
    """Yield the traces from back to front: bands behind lines, and grey lines behind coloured
    lines.

    The bands of the upper panel belong to the run in focus and the baseline; they are pointwise,
    that is, valid for each k separately. The band of the lower panel belongs to the difference of
    the run in focus; it is simultaneous over all k and determines significance."""
    palette, deep = drawing.palette, 10**9
    prefix = _hover_prefix(len(grey_runs) + len(coloured_runs), f"{axis} = %{{x}}")
    for style in coloured_runs:
        if style.role != "other":
            yield run_band(lines[style.name], style, palette, 0.13, "low", "high")
        if style.role == "focus":
            yield run_band(lines[style.name], style, palette, 0.16, "diff_low", "diff_high")
    for column in ("mean", "difference"):
        grey, coloured = (
            [s for s in some if not np.isnan(lines[s.name][column]).all()]
            for some in (grey_runs, coloured_runs)
        )
        for style in grey:
            (trace,) = run_line_thin_after(
                lines[style.name], style, palette, column, deep, prefix=prefix
            )
            yield make_line_grey(trace, palette)
        for style in coloured:
            end = end_by_run.get(style.name, deep)
            yield from run_line_thin_after(
                lines[style.name], style, palette, column, end, prefix=prefix
            )
        yield cutoff_markers(lines, coloured, drawing, column)


def _difference_ticks(frame: pd.DataFrame, drawing: Drawing) -> Ticks:
    """Return ticks that cover the difference of the run in focus and its band. The other runs are
    covered, too, unless they would make both flat."""
    rows = frame[frame["run"] == drawing.focus]
    values = rows["difference"].to_numpy()
    finite = values[~np.isnan(values)]
    reach = _ROOM * float(np.ptp(np.append(finite, 0.0)))
    band_ends = rows[["diff_low", "diff_high"]].to_numpy().ravel()
    ticks = zero_based_ticks([*(finite - reach), *(finite + reach), *band_ends])
    wider = zero_based_ticks([*ticks.span, *frame["difference"]])
    return wider if np.ptp(wider.span) <= _WIDER * np.ptp(ticks.span) else ticks


def _lower_labels(
    drawing: Drawing, layout: _Layout, outside: Sequence[str]
) -> Iterable[dict[str, Any]]:
    """Yield the labels of the lower panel. They name the baseline, and the runs that are
    partly or wholly `outside` the panel."""
    baseline, palette = drawing.baseline, drawing.palette
    short = short_names(drawing.styles, _MINUS_LENGTH)
    anchors = _PAPER | {"yshift": 9}
    y = layout.lower / layout.plot_height
    named = hover_properties(baseline, short[baseline])
    # The line at k runs behind the text.
    text = f"difference from {escape(short[baseline])}"
    yield make_note(text, 0, y, palette.muted, bgcolor=palette.page, **anchors, **named)
    if outside:
        name = short[outside[0]] if len(outside) == 1 else f"{len(outside)} runs"
        text = f"off scale: {name}"
        yield make_note(escape(text), 1, y, palette.muted, **anchors | {"xanchor": "right"})


def _cutoff_line(chosen_k: int, palette: Palette) -> dict[str, Any]:
    """Return a dotted line through both panels at the chosen k."""
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


def _panel_axes(
    palette: Palette,
    layout: _Layout,
    upper_ticks: Ticks,
    lower_ticks: Ticks,
    deepest_cutoff: int,
    axis: str,
) -> dict[str, Any]:
    x = make_axis(
        palette, (0, math.log10(deepest_cutoff)), _cutoff_ticks(deepest_cutoff, layout.margin)
    )
    x |= {
        "type": "log",
        "anchor": "y2" if layout.lower else "y",
        **_hover_axis(f"{axis} = %{{x}}"),
    }
    axes = {"xaxis": x}
    if layout.upper:
        upper = make_axis(
            palette, _padded_span(upper_ticks.span, layout.upper), upper_ticks, grid=True
        )
        axes["yaxis"] = upper | {"domain": [1 - layout.upper / layout.plot_height, 1]}
    if layout.lower:
        lower = make_axis(
            palette, _padded_span(lower_ticks.span, layout.lower, _STRIP), lower_ticks, grid=True
        )
        lower |= {"domain": [0, layout.lower / layout.plot_height], "anchor": "x"}
        lower |= {"zeroline": True, "zerolinecolor": palette.zero, "zerolinewidth": 1.5}
        axes["yaxis2"] = lower
    return axes


def _padded_span(
    span: tuple[float, float], height: float, below: float = _EDGE
) -> tuple[float, float]:
    px = (span[1] - span[0]) / (height - below - _EDGE)
    return span[0] - below * px, span[1] + _EDGE * px


def _hover_axis(title: str) -> dict[str, Any]:
    # Plotly draws a white rim around the spike of a transparent chart, also in the dark theme.
    return {"unifiedhovertitle": {"text": title}, "showspikes": False}


def _cutoff_ticks(deepest_cutoff: int, margin: Margin) -> Ticks:
    """Return ticks at the first and last cutoff and at round cutoffs between them, powers of ten
    first. Ticks are added as long as their labels do not overlap."""
    per_unit = (NARROW - margin.left - margin.right) / math.log10(deepest_cutoff)
    cutoffs: list[int] = []
    for k in (1, deepest_cutoff, *_TICKS):
        clear = all(
            abs(math.log10(k / other)) * per_unit
            >= (text_width(str(k)) + text_width(str(other))) / 2 + 4
            for other in cutoffs
        )
        if k <= deepest_cutoff and clear:
            cutoffs.append(k)
    cutoffs.sort()
    return Ticks([float(k) for k in cutoffs], [str(k) for k in cutoffs], (1, deepest_cutoff))
