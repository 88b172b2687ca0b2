"""Chart for a paper: all pairs of runs as the upper triangle of a matrix."""

from __future__ import annotations

from typing import Any

from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.chart import Chart, Trace, make_bar_trace
from dashboard.drawing.figures.colour import mix_colors, readable_color
from dashboard.drawing.figures.layout import Margin, make_axis, make_figure, make_note
from dashboard.drawing.figures.text import (
    LINE,
    color_text,
    hover_properties,
    name_width,
    name_with_mark,
    short_names,
    text_width,
)
from metrics_core.base import wording
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.verdicts import CANNOT_TELL
from metrics_core.findings.ranking import format_pair

_ROW, _FILLED, _RIGHT = 30, 0.94, 4
_APART = 2 * wording.NO_BREAK
_LEAST = 0.25
"""Strength of the colour for a significant difference near 0."""


def pair_matrix(run_pairs: AllPairs, drawing: Drawing, *, width: float) -> Chart:
    """Draw the differences of all pairs (row minus column), with the run with the best mean first,
    in a chart that is `width` px wide. Significant differences are coloured and bold; other
    differences are grey. Cells that are too narrow for numbers have only colours."""
    palette, runs = drawing.palette, run_pairs.runs
    short, last = short_names(runs), len(runs) - 1
    label = f"● {_APART}{last + 1}"
    left = max(name_width(drawing.styles[run], short[run]) for run in runs) + text_width(label) + 16
    margin = Margin(left, _RIGHT, LINE + 10, _RIGHT)
    rows = [
        make_note(
            f"{name_with_mark(drawing.styles[run], palette, short[run])}{_APART}"
            f"{color_text(str(row + 1), palette.muted)}",
            0, row, palette.ink,
            xref="paper", xanchor="right", xshift=-8, align="right",
            **hover_properties(run, short[run]),
        )
        for row, run in enumerate(runs)
    ]  # fmt: skip
    head_anchors: dict[str, Any] = {
        "yref": "paper",
        "xanchor": "center",
        "yanchor": "bottom",
        "yshift": 4,
    }
    heads = [
        make_note(str(column + 1), column, 1, palette.muted, **head_anchors)
        for column in range(1, last + 1)
    ]
    has_numbers = (width - left - _RIGHT) / max(last, 1) > text_width("+0.000", bold=True) + 4
    return make_figure(
        [_pair_bars(run_pairs, drawing, has_numbers=has_numbers)],
        palette=palette,
        height=margin.top + _ROW * (last + 1) + margin.bottom,
        margin=margin,
        annotations=[*rows, *heads],
        barmode="overlay",
        xaxis=make_axis(palette, (0.5, last + 0.5)),
        yaxis=make_axis(palette, (last + 0.5, -0.5)),
    )


def _pair_bars(run_pairs: AllPairs, drawing: Drawing, *, has_numbers: bool) -> Trace:
    """Return one trace for all pairs. Each pair is a bar that fills its cell."""
    palette, many = drawing.palette, range(len(run_pairs.runs))
    pairs = [(i, j) for i in many for j in many if j > i]
    colors = [_cell_color(run_pairs, i, j, drawing) for i, j in pairs]
    digits = wording.column_decimals(run_pairs.low.ravel(), run_pairs.high.ravel())
    texts = [_cell_text(run_pairs, i, j, digits) for i, j in pairs]
    return make_bar_trace(
        x=[j for _, j in pairs],
        base=[i - _FILLED / 2 for i, _ in pairs],
        y=[_FILLED] * len(pairs),
        width=0.97,
        marker={"color": colors, "line": {"width": 0}},
        text=texts if has_numbers else [""] * len(pairs),
        textposition="inside",
        insidetextanchor="middle",
        insidetextfont={"color": [readable_color(c, palette.ink, palette.page) for c in colors]},
        customdata=[
            [f"{run_pairs.runs[i]} minus {run_pairs.runs[j]}: {text}"]
            for (i, j), text in zip(pairs, texts, strict=True)
        ],
        hovertemplate="%{customdata[0]}<extra></extra>",
    )


def _cell_text(run_pairs: AllPairs, row: int, column: int, digits: int) -> str:
    text = format_pair(run_pairs, row, column, digits)[0]
    return text if run_pairs.verdict[row, column] == CANNOT_TELL else f"<b>{text}</b>"


def _cell_color(run_pairs: AllPairs, row: int, column: int, drawing: Drawing) -> str:
    palette = drawing.palette
    if run_pairs.verdict[row, column] == CANNOT_TELL:
        return palette.wash
    sizes = abs(run_pairs.tested.mean)
    share = float(sizes[row, column]) / max(float(sizes[run_pairs.clear].max()), 1e-12)
    return mix_colors(palette.diverging_high, palette.page, _LEAST + (1 - _LEAST) * share)
