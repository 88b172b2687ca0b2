"""Blocks around the charts of the By cutoff page: the legend, the headings, and tables of the
numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd
from markupsafe import Markup

from dashboard.answers.curves import Curves
from dashboard.drawing.blocks.markup import run_style
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import RunStyle
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES

_READ_AT = (0.2, 0.5, 0.8)
_ROUND = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000)
_NAME_LENGTH = 24

_render = Template("curves")


def draw_legend(
    drawing: Drawing,
    coloured_runs: Sequence[str],
    hidden_runs: Mapping[str, str],
    *,
    omitted_runs: tuple[int, str] = (0, ""),
) -> Markup:
    """Draw the legend: the coloured runs and the number of grey runs. `hidden_runs` maps each run
    that can be hidden to the link that hides it. `omitted_runs` has the number of runs that are not
    drawn, and the link to a chart with all runs."""
    short = short_names(coloured_runs, _NAME_LENGTH)
    return _render(
        "legend",
        runs=[(drawing.styles[r], short[r], hidden_runs.get(r, "")) for r in coloured_runs],
        more=len(drawing.styles) - len(coloured_runs),
        drawn=len(drawing.styles),
        left_out=omitted_runs,
    )


def bands_note(drawing: Drawing, *, is_tested: bool) -> str:
    """Return a note that explains the bands, and says which band is simultaneous over all k."""
    if not is_tested:
        return "Too few queries for bands."
    if drawing.is_single_run:
        return "Band: 95% interval."
    return "Bands: 95% intervals; in the lower charts, simultaneous over all k."


def describe_lines(curves: Curves, drawing: Drawing) -> str:
    """Return a note that explains the bands and, if there are any, the thin lines of the charts."""
    ends = {curves.list_ends[run] for run in curves.coloured_runs(drawing.comparison)}
    bands = bands_note(drawing, is_tested=curves.queries >= FEWEST_QUERIES)
    return bands + " Thin line: at least half of the run’s lists have ended." * (len(ends) > 1)


def draw_panel_heading(title: str, gloss: str) -> Markup:
    """Draw the heading of a chart."""
    return _render("panel_head", title=title, gloss=gloss)


def draw_chart_note(text: str) -> Markup:
    """Draw the note below the charts that explains how to read them."""
    return _render("note", text=text)


def draw_means_by_k(
    frames: Mapping[str, pd.DataFrame], glosses: Mapping[str, str], drawing: Drawing,
    coloured_runs: Sequence[str],
) -> Markup:  # fmt: skip
    """Draw one table per measure with the means of the coloured runs at round cutoffs k.

    The table also has the difference of the run in focus from the baseline, and the band of this
    difference. Significant differences are coloured. `frames` maps measure names to results of
    `mean_curves`."""
    heads = [drawing.styles[run] for run in coloured_runs]
    tables = [
        (f"{name}@k", glosses[name], heads, _mean_rows(frame, heads, drawing))
        for name, frame in frames.items()
    ]
    baseline = "" if drawing.is_single_run else drawing.baseline
    return _render(
        "by_k", tables=tables, focus=drawing.focus, baseline=baseline, label="Means by k"
    )


def _mean_rows(
    frame: pd.DataFrame, styles: Sequence[RunStyle], drawing: Drawing
) -> list[tuple[int, bool, list[tuple[str, bool]], tuple[float, bool, str, int]]]:
    means = frame.pivot(index="k", columns="run", values="mean")
    focus_rows = frame[frame["run"] == drawing.focus].set_index("k")
    digits = w.column_decimals(focus_rows["diff_low"], focus_rows["diff_high"])
    rows = []
    for k in means.index[means.index.isin({*_ROUND, drawing.cutoff})]:
        column = {head.name: float(means.loc[k, head.name]) for head in styles}
        gap, low, high = (
            float(focus_rows.loc[k, c]) for c in ("difference", "diff_low", "diff_high")
        )
        difference_cell = gap, low > 0 or high < 0, w.format_interval(low, high, digits), digits
        rows.append(
            (
                int(k),
                k == drawing.cutoff,
                [_format_cell(column, h.name) for h in styles],
                difference_cell,
            )
        )
    return rows


def draw_precision_table(frame: pd.DataFrame, drawing: Drawing) -> Markup:
    """Draw a table with the precision of each run at recall 0.2, 0.5 and 0.8. The run with the best
    precision at recall 0.5 comes first. `frame` has run, recall, precision."""
    level = frame["recall"].round(6)
    columns = [
        dict(zip(part["run"], part["precision"], strict=True))
        for part in (frame[level == share] for share in _READ_AT)
    ]
    middle = columns[1]
    runs = sorted(
        dict.fromkeys(frame["run"]), key=lambda r: -_replace_missing_by_lowest(middle.get(r))
    )
    return _render(
        "read_off",
        heads=[w.format_share(share) for share in _READ_AT],
        rows=[
            (run_style(drawing.styles, run), [_format_cell(c, run) for c in columns])
            for run in runs
        ],
        label=f"Precision by recall; the baseline is {drawing.baseline}",
    )


def _replace_missing_by_lowest(value: float | None) -> float:
    return -1.0 if value is None or math.isnan(value) else value


def _format_cell(column: dict[str, float], run: str) -> tuple[str, bool]:
    """Return the formatted value of a run, and whether it is the best value in its column."""
    text = w.format_score(column.get(run))
    return text, len(column) > 1 and text == w.format_score(
        max(map(_replace_missing_by_lowest, column.values()))
    )
