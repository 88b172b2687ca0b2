"""Charts of the Breakdown page: scores and differences by group, and two columns crossed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import session
from dashboard.address.query_list import DEFAULT_LIST
from dashboard.answers.crossing import Crossing
from dashboard.answers.group_names import column_name, crossed_title, group_noun
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import curves as blocks
from dashboard.drawing.blocks import groups
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.drawing_cache import draw_figure_cached
from dashboard.drawing.figures import breakdown as figures
from dashboard.drawing.figures import heatmap
from dashboard.drawing.figures.text import short_names
from dashboard.session import PageContext
from metrics_core.base import wording as w
from metrics_core.scoring.intervals import LEVEL
from metrics_core.slicing.breakdowns import ALL

_IN_A_HEAD = 16
"""Maximum number of characters of a run's name in the head of the crossed columns."""

CHARTS, ALL_RUNS, TABLE = "1", "2", "0"
FORMS = {TABLE: "Table", CHARTS: "Charts", ALL_RUNS: "All runs"}
"""The forms in which groups can be shown: a table of the compared runs, charts of the compared
runs, and charts of all shown runs."""


def offered_forms(context: PageContext) -> list[str]:
    """Return the forms in which groups can be shown. `ALL_RUNS` is included only if more runs are
    shown than the compared pair."""
    return [TABLE, CHARTS, *[ALL_RUNS] * (len(context.comparison.runs) > 2)]


def choose_form(context: PageContext) -> str:
    """Return the form in which the groups are shown. The default is the table."""
    form: str = context.view.address["charts"]
    return form if form in offered_forms(context) else TABLE


def select_drawing(context: PageContext) -> Drawing:
    """Return the drawing with which the groups are shown. It has the styles of all shown runs if
    the user chose to see all of them, otherwise only the styles of the compared runs."""
    drawing = context.drawing
    if choose_form(context) == ALL_RUNS:
        return drawing
    return replace(drawing, styles={run: drawing.styles[run] for run in context.comparison.pair})


def show_legend(drawing: Drawing) -> None:
    """Show the legend that the charts of the Breakdown page share."""
    st.html(blocks.draw_legend(drawing, list(drawing.styles), {}))


def show_scores(
    frame: pd.DataFrame,
    by: str,
    order: Sequence[str],
    finding: str,
    context: PageContext,
    drawing: Drawing,
) -> None:
    """Show the scores of each run of the `drawing` by group. `frame` is the result of
    `summarise_groups`."""
    name, column = context.comparison.name, column_name(by, context.comparison.cutoff)
    st.html(blocks.draw_panel_heading("Score", f"mean {name}"))
    label = f"bar: {w.format_share(LEVEL)} interval of each mean"
    figure = draw_figure_cached(figures.score_by_group, frame, drawing, order=order, label=label)
    picture = section.make_caption(f"Score on {name}, by {column}", name, section.INTERVALS)
    alt = f"Mean {name} per run by {column}. {finding}"
    clicked = section.show_chart(figure, "score_by_group", alt=alt, caption=picture)
    _open_queries(clicked, by, context)


def show_differences(
    frame: pd.DataFrame,
    by: str,
    order: Sequence[str],
    finding: str,
    group_count: int,
    context: PageContext,
    drawing: Drawing,
) -> None:
    """Show the difference of each run of the `drawing` from the baseline by group. `frame` is the
    result of `summarise_groups`."""
    comparison = context.comparison
    column = column_name(by, comparison.cutoff)
    groups_text = w.format_with_noun(group_count, group_noun(by).singular, group_noun(by).plural)
    title = f"Difference from {comparison.baseline}"
    baseline = short_names(context.drawing.styles)[comparison.baseline]
    st.html(blocks.draw_panel_heading(f"Difference from {baseline}", f"mean {comparison.name}"))
    level = w.format_share(comparison.method.level)
    label = f"bar: {level} interval, corrected for {groups_text}"
    figure = draw_figure_cached(
        figures.difference_by_group, frame, drawing, order=order, label=label
    )
    picture = section.make_caption(
        f"{title} on {comparison.name}, by {column}", comparison.name, section.INTERVALS
    )
    alt = f"{title} by {column}. {finding}"
    clicked = section.show_chart(figure, "difference_by_group", alt=alt, caption=picture)
    _open_queries(clicked, by, context)


def show_cells(crossing: Crossing, by: str, context: PageContext) -> None:
    """Show the table of two crossed columns with the difference in each cell, and the colour
    scale."""
    comparison = context.comparison
    rows, columns = (column_name(name, comparison.cutoff) for name in (by, crossing.across))
    both, pair_text = f"by {rows} and {columns}", f"{comparison.focus} minus {comparison.baseline}"
    title = crossed_title(by, crossing.across, comparison.cutoff)
    short = short_names(context.drawing.styles, _IN_A_HEAD)
    gloss = f"{short[comparison.focus]} minus {short[comparison.baseline]}"
    st.html(blocks.draw_panel_heading(title, gloss))
    figure = draw_figure_cached(
        heatmap.difference_heatmap,
        crossing.cells,
        palette=context.look.palette,
        rows_title=rows,
        columns_title=columns,
    )
    picture = section.make_caption(
        f"{pair_text}, {both}",
        comparison.name,
        "n is the number of queries",
        runs=comparison.pair,
    )
    alt = f"Difference from {comparison.baseline} {both}. {crossing.extremes}"
    clicked = section.show_chart(figure, "cells", alt=alt, caption=picture)
    if clicked:
        cell_groups = {by: clicked[0], crossing.across: clicked[1]}
        _open_query_list(
            {name: group for name, group in cell_groups.items() if group != ALL}, context
        )
    st.html(groups.draw_cell_color_scale(crossing.cells, context.drawing))


def _open_queries(clicked: Sequence[Any] | None, by: str, context: PageContext) -> None:
    """Open the list of queries in the group that was clicked. If the dot of a run outside the
    compared pair was clicked, this run is put in focus."""
    if not clicked:
        return
    comparison, run = context.comparison, clicked[1] if len(clicked) > 1 else ""
    another = bool(run) and run not in comparison.pair
    _open_query_list(
        {by: clicked[0]}, context, context.view.address_changes_to_compare(run) if another else {}
    )


def _open_query_list(
    group_by_column: Mapping[str, str],
    context: PageContext,
    changes: Mapping[str, Any] | None = None,
) -> None:
    filters = context.comparison.replace_filters(
        {column: [value] for column, value in group_by_column.items()}
    )
    session.goto("queries", **(changes or {}), where=filters, **DEFAULT_LIST)
