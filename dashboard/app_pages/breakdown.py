"""Breakdown: where does the difference come from?"""

import streamlit as st

from dashboard import answers, parts, session
from dashboard.address.view import View
from dashboard.answers import Breakdown
from dashboard.blocks import markup
from dashboard.figures import breakdown as figures
from dashboard.figures import heatmap, panels
from dashboard.literal import literal
from dashboard.theme import RunStyle
from metrics_core.findings.sentence import muted, run
from metrics_core.slicing.breakdowns import ALL, FEWEST_QUERIES


def render() -> None:
    """Differences and scores by group, group by group, and in the cells of two groupings."""
    study, view, styles = session.opened()
    shown = answers.breakdown(study, view)
    if not shown.groupings:
        st.html(
            markup.nothing(
                "The queries carry no groups.",
                "Add a column such as category to the query file to break results down.",
            )
        )
        return
    st.html(markup.sentence(shown.finding, styles) + markup.second(shown.strongest, styles))
    if len(shown.groupings) > 1:
        session.widget(
            st.segmented_control,
            "Group by",
            "by",
            value=shown.by,
            store=lambda by: {"by": by or shown.by},
            options=shown.groupings,
            format_func=literal,
        )
    with st.container(key="by_group"):
        left, right = st.columns([1.6, 1], gap="large")
        with left:
            _differences(shown, view, styles)
        with right:
            _scores(shown, view, styles)
    if shown.cells is not None and shown.second_groups is not None:
        with st.container(key="by_cells"):
            left, right = st.columns([1.35, 1], gap="large")
            with left:
                _cells(shown, view, styles)
            with right:
                _second(shown, view, styles)


def _differences(shown: Breakdown, view: View, styles: dict[str, RunStyle]) -> None:
    name = str(view.measure)
    parts.heading(
        f"Difference to {view.baseline} on {name}, by {shown.by}",
        muted("Sorted by ")
        + run(view.focus)
        + muted(
            ". Bars are 95 % intervals; a bar that crosses the line may be chance. The sentence"
            " above asks more: intervals widened for"
            f" {parts.counted(shown.looked_at, 'group', 'groups')}."
        ),
        frame=shown.groups,
        key="groups",
        styles=styles,
    )
    if view.focus == view.baseline:
        st.html(markup.nothing("No difference to show.", "Compare another run at the left."))
        return
    figure = figures.difference_by_group(
        shown.groups,
        styles=styles,
        palette=session.palette(),
        focus=view.focus,
        baseline=view.baseline,
    )
    alt = f"Difference to {view.baseline} by {shown.by}. {shown.finding.text}"
    clicked = parts.chart(figure, "difference_by_group", alt=alt)
    if clicked:
        session.goto("queries", where=_narrowed(view, {shown.by: clicked[0]}), show="")


def _scores(shown: Breakdown, view: View, styles: dict[str, RunStyle]) -> None:
    parts.heading(
        f"Score on {view.measure}",
        "Mean per run; same order of rows.",
        frame=shown.groups,
        key="scores",
    )
    figure = figures.score_by_group(
        shown.groups, styles=styles, palette=session.palette(), order=shown.order
    )
    alt = f"Mean {view.measure} per run by {shown.by}."
    clicked = parts.chart(figure, "score_by_group", alt=alt)
    if clicked:
        session.goto("queries", where=_narrowed(view, {shown.by: clicked[0]}), show="")


def _cells(shown: Breakdown, view: View, styles: dict[str, RunStyle]) -> None:
    assert shown.cells is not None and shown.second is not None
    parts.heading(
        f"{shown.by.capitalize()} and {shown.second}",
        run(view.focus)
        + muted(
            f" minus {view.baseline} on {view.measure}; n is the number of queries. Cells under"
            f" {FEWEST_QUERIES} queries are pale: read them as single cases. A click lists the"
            " queries."
        ),
        frame=shown.cells,
        key="cells",
        styles=styles,
    )
    figure = heatmap.difference_heatmap(
        shown.cells, palette=session.palette(), rows_title=shown.by, columns_title=shown.second
    )
    alt = f"Difference to {view.baseline} by {shown.by} and {shown.second}."
    clicked = parts.chart(figure, "cells", alt=alt)
    if clicked:
        picked = {shown.by: clicked[0], shown.second: clicked[1]}
        session.goto("queries", where=_narrowed(view, picked), show="")


def _second(shown: Breakdown, view: View, styles: dict[str, RunStyle]) -> None:
    assert shown.second_groups is not None and shown.second is not None
    parts.heading(
        f"By {shown.second}",
        f"{view.measure} per run with 95 % interval, same scale in all.",
        frame=shown.second_groups,
        key="second",
    )
    figure = panels.score_by_difficulty(
        shown.second_groups,
        styles=styles,
        palette=session.palette(),
        order=shown.second_order,
        value_range=view.measure.declaration.range,
    )
    alt = f"Mean {view.measure} per run by {shown.second}."
    clicked = parts.chart(figure, "second", alt=alt)
    if clicked:
        session.goto("queries", where=_narrowed(view, {shown.second: clicked[0]}), show="")


def _narrowed(view: View, picked: dict[str, str]) -> tuple[str, ...]:
    """The view's filters with these columns set; "all" leaves a column as it was."""
    chosen = {column: value for column, value in picked.items() if value != ALL}
    kept = [f"{column}={value}" for column, value in view.where if column not in chosen]
    return (*kept, *(f"{column}={value}" for column, value in chosen.items()))


render()
