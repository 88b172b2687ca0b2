"""Breakdown page: the contribution of each group of queries to the difference."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import session
from dashboard.address.group_table import CLEARED_FIELDS
from dashboard.address.query_list import DEFAULT_LIST
from dashboard.answers import breakdown as answers
from dashboard.answers.breakdown import Breakdown
from dashboard.answers.crossing import crossing, default_second_column, offered_crossings
from dashboard.answers.group_names import column_title, crossed_title
from dashboard.answers.group_table import (
    LEAST_QUERIES,
    MOST_ROWS,
    GroupRows,
    GroupTableRequest,
    make_sort_values,
    select_groups,
)
from dashboard.answers.slices import slices
from dashboard.answers.spreadsheet import format_spreadsheet_csv
from dashboard.app_pages.parts import group_charts, section
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import curves, groups, markup
from dashboard.drawing.blocks.slices import draw_slice_rows
from dashboard.session import PageContext
from dashboard.session.deferred_drawing import defer_drawing
from metrics_core.base import wording as w
from metrics_core.base.digits import parse_whole_number
from metrics_core.findings.groups import slices_finding
from metrics_core.findings.sentence import Sentence
from metrics_core.findings.significance import rounding_note


def show_crossed_groups(
    breakdown: Breakdown, across: str, context: PageContext, show_heading: Callable[..., None]
) -> None:
    """Show the cells of two crossed columns, and the scores of all runs by the second column. If
    `show_heading` is true, the head of the page is shown too."""
    show_all = bool(context.view.address["every"])
    crossed_groups = crossing(
        context.study, context.comparison, breakdown.by, across, show_all=show_all
    )
    downloads = [
        ("cells", "Cells (CSV)", lambda: crossed_groups.cells),
        ("second", "Scores of all runs shown (CSV)", lambda: crossed_groups.groups),
    ]
    show_heading(
        context, crossed_groups.title, crossed_groups.lead_text, breakdown, across, downloads
    )
    group_charts.show_legend(context.drawing)
    with st.container(key="crossed"):
        left, right = st.columns([1.8, 1], gap="medium")
    with left:
        group_charts.show_cells(crossed_groups, breakdown.by, context)
        if crossed_groups.left_out or show_all:
            text = "Show fewer groups" if show_all else f"{crossed_groups.left_out} more groups"
            link = session.href("breakdown", every="" if show_all else "1")
            st.html(groups.draw_more_link(text, link))
    with right:
        scores, order = crossed_groups.groups, crossed_groups.order
        summary, drawing = crossed_groups.summary, context.drawing
        group_charts.show_scores(scores, across, order, summary, context, drawing)
        st.html(curves.draw_chart_note("Click a dot or a row to open its queries."))


_RANKS = {
    "adds": "contribution",
    "difference": "difference",
    "mean": "mean",
    "queries": "queries",
    "room": "headroom",
    "group": "name",
}
_UNFOLDED = {"own": 3, "crossed": 1, "computed": 2}
"""Number of columns of each kind that are shown. Further columns are folded away."""


def render() -> None:
    """Show the page: the groups of one column, or two crossed columns."""
    context = session.study_context()
    address = context.view.address
    breakdown = answers.breakdown(context.study, context.comparison, address["by"])
    if not breakdown.columns:
        _show_no_columns_message()
        return
    across = address["across"]
    if (
        context.comparison.is_single_run
        or across not in breakdown.columns
        or across == breakdown.by
    ):
        _show_groups(breakdown, context)
    else:
        show_crossed_groups(breakdown, across, context, _show_page_heading)
    defer_drawing(lambda: _show_slices(context))


def _show_no_columns_message() -> None:
    st.html(
        markup.draw_empty_state(
            "There is nothing to group these queries by.",
            "To break results down, add a query file with texts or with a column such as category.",
        )
    )
    if st.button("Add queries"):
        session.goto("data")


def _show_page_heading(
    context: PageContext,
    title: Sentence,
    lead: Sentence,
    breakdown: Breakdown,
    across: str,
    downloads: list[tuple[str, str, Callable[[], pd.DataFrame]]],
) -> None:
    """Show the title, the sentence below it, the links to columns, and the downloads."""
    st.html(markup.draw_heading(title, lead, context.drawing.styles))
    with st.container(horizontal=True, key="choice_of_columns", vertical_alignment="center"):
        if not across and len(breakdown.groups) > 1:
            session.draw_widget(
                st.segmented_control,
                "Show as",
                "charts",
                value=group_charts.choose_form(context),
                store=lambda form: {"charts": form or group_charts.choose_form(context)},
                options=group_charts.offered_forms(context),
                format_func=group_charts.FORMS.__getitem__,
                label_visibility="collapsed",
            )
        _show_column_choice(breakdown, across, context)
        with st.popover("Download", type="tertiary"):
            for key, label, frame in downloads:
                st.download_button(
                    label,
                    data=partial(_spreadsheet_bytes, frame),
                    file_name=section.make_download_name(key),
                    mime="text/csv",
                    key=f"csv_{key}",
                    type="tertiary",
                    on_click="ignore",
                )
    if breakdown.explanation:
        st.caption(breakdown.explanation)


def _spreadsheet_bytes(make_frame: Callable[[], pd.DataFrame]) -> bytes:
    return format_spreadsheet_csv(make_frame())


def _show_column_choice(breakdown: Breakdown, across: str, context: PageContext) -> None:
    """Show links to the columns and to pairs of columns."""
    file_columns = set(context.study.groupings)

    cutoff = context.comparison.cutoff

    def grouping_choice(column: str) -> groups.Choice:
        link = session.href("breakdown", **CLEARED_FIELDS | {"by": column})
        kind = "own" if column in file_columns else "computed"
        return groups.Choice(
            column_title(column, cutoff), link, kind, column == breakdown.by and not across
        )

    def crossing_choice(column: str, second: str) -> groups.Choice:
        link = session.href("breakdown", **CLEARED_FIELDS | {"by": column, "across": second})
        text = crossed_title(column, second, cutoff)
        return groups.Choice(text, link, "crossed", {column, second} == {breakdown.by, across})

    pairs = offered_crossings(context.study, context.comparison, breakdown.by, across)
    choices = [
        *map(grouping_choice, breakdown.columns),
        *(crossing_choice(*both) for both in pairs),
    ]
    st.html(groups.draw_column_choice(choices, max_visible=_UNFOLDED))


def _show_groups(breakdown: Breakdown, context: PageContext) -> None:
    """Show the groups of one column, as charts or as a table of the compared runs."""
    comparison, address = context.comparison, context.view.address

    def all_run_scores() -> pd.DataFrame:
        return answers.scores_by_column(context.study, comparison, breakdown.by)

    _show_page_heading(
        context,
        breakdown.title,
        breakdown.lead_text,
        breakdown,
        "",
        [
            (
                "groups",
                f"Table by {escape_markdown(breakdown.column)} (CSV)",
                lambda: breakdown.download_table,
            ),
            ("scores", "Scores and differences of all runs shown (CSV)", all_run_scores),
        ],
    )
    least = parse_whole_number(address["least"]) or 0
    request = GroupTableRequest(address["ranked"], address["within"], least, bool(address["every"]))
    result = select_groups(breakdown, request, is_single_run=comparison.is_single_run)
    many = len(breakdown.groups) > MOST_ROWS
    if many:
        _show_group_controls(breakdown, result, request)
    if len(breakdown.groups) < 2:
        if breakdown.shared_difference:
            st.html(groups.draw_note_below_groups(breakdown, context.drawing, ""))
    elif not len(result.rows):
        total = f"{len(breakdown.groups)} groups in total."
        st.html(markup.draw_empty_state("No group matches.", total))
        st.button(
            "Show all groups", on_click=session.change_address, kwargs={"within": "", "least": ""}
        )
    else:
        is_table = group_charts.choose_form(context) == group_charts.TABLE
        (_show_table if is_table else _show_charts)(breakdown, result, request, context)
        if request.every and many:
            st.html(groups.draw_more_link("Show fewer groups", session.href("breakdown", every="")))


def _show_group_controls(
    breakdown: Breakdown, group_rows: GroupRows, request: GroupTableRequest
) -> None:
    """Show controls for many groups: a search, the sort order, and the minimum number of
    queries."""
    ranks = [key for key in _RANKS if key in make_sort_values(breakdown.groups)]
    with st.container(horizontal=True, key="finding_groups"):
        session.draw_search("within", "Find a group", width=230)
        session.draw_widget(
            st.selectbox,
            "Sort by",
            "ranked",
            value=group_rows.sort_key.removeprefix("-"),
            store=lambda key: {"ranked": key if key == "group" else f"-{key}"},
            options=ranks,
            format_func=lambda key: f"By {_RANKS[key]}",
            label_visibility="collapsed",
            width=250,
        )
        session.draw_widget(
            st.selectbox,
            "Show groups of at least",
            "least",
            value=request.least,
            store=lambda least: {"least": str(least or "")},
            options=sorted({0, *LEAST_QUERIES, request.least}),
            format_func=lambda n: f"At least {w.format_query_count(n)}" if n else "Of any size",
            label_visibility="collapsed",
            width=210,
        )


def _show_table(
    breakdown: Breakdown, group_rows: GroupRows, request: GroupTableRequest, context: PageContext
) -> None:
    comparison = context.comparison

    def draw() -> Any:
        return groups.draw_group_table(
            group_rows,
            breakdown,
            context.drawing,
            make_group_link=lambda group: session.href(
                "queries", where=comparison.replace_filters({breakdown.by: [group]}), **DEFAULT_LIST
            ),
            sort_link=lambda order: session.href("breakdown", ranked=order),
            more=_more_link(group_rows, request),
        )

    st.html(draw())
    parts = [group_rows.note, rounding_note(breakdown.table)]
    parts.append(groups.headroom_note(breakdown, context.drawing))
    if breakdown.groups["diff_low"].notna().any():
        remarks = ", though not all are tested" * bool(breakdown.groups["diff_low"].isna().any())
        remarks += "; colour marks significance" * bool(breakdown.direction)
        parts.insert(
            0,
            f"{w.format_share(comparison.method.level)} intervals are corrected for all"
            f" {w.number_word(breakdown.group_count)}"
            f" {breakdown.noun.plural}{remarks}.",
        )
    note = " ".join(filter(None, parts))
    st.html(groups.draw_note_below_groups(breakdown, context.drawing, note))


def _more_link(group_rows: GroupRows, request: GroupTableRequest) -> str:
    """Return a link that shows the hidden groups. Returns "" if all requested groups are shown."""
    narrowed = bool(request.within or request.least) and group_rows.matching_count == len(
        group_rows.rows
    )
    return "" if narrowed else session.href("breakdown", every="1")


def _show_charts(
    breakdown: Breakdown, group_rows: GroupRows, request: GroupTableRequest, context: PageContext
) -> None:
    """Show charts by group: of the compared runs, or of all shown runs. Also show the cells of the
    column crossed with its default second column.

    The cells are omitted if only a single run is shown, or if the user has searched for groups or
    set a minimum number of queries."""
    comparison, drawing = context.comparison, group_charts.select_drawing(context)
    scores = answers.scores_by_group(
        context.study, comparison, breakdown.by, tuple(group_rows.rows["group"])
    )
    group_charts.show_legend(drawing)
    across = (
        ""
        if comparison.is_single_run
        else default_second_column(context.study, comparison, breakdown.by)
    )
    # The cells show the groups that contribute most, not those searched for.
    across = "" if request.within or request.least else across
    column_count = 1 if comparison.is_single_run else 2 + bool(across)
    with st.container(key="by_group"):
        columns = st.columns(column_count, gap="medium")
    with columns[0]:
        group_charts.show_scores(
            scores.groups, breakdown.by, scores.order, scores.summary, context, drawing
        )
        order = "Largest contribution first. " * (group_rows.sort_key == "-adds")
        st.html(curves.draw_chart_note(f"{order}Click a dot or a row to open its queries."))
    if not comparison.is_single_run:
        with columns[1]:
            title_text = breakdown.title.text
            group_charts.show_differences(
                scores.groups,
                breakdown.by,
                scores.order,
                title_text,
                breakdown.group_count,
                context,
                drawing,
            )
            if group_rows.note:
                st.html(curves.draw_chart_note(group_rows.note))
    if across:
        with columns[2]:
            group_charts.show_cells(
                crossing(context.study, comparison, breakdown.by, across), breakdown.by, context
            )
    if group_rows.hidden and (more := _more_link(group_rows, request)):
        st.html(groups.draw_more_link(f"{w.format_count(group_rows.hidden)} more groups", more))
    strongest = scores.strongest if drawing == context.drawing else ""
    st.html(groups.draw_note_below_groups(breakdown, drawing, "", strongest))


def _show_slices(context: PageContext) -> None:
    """Show the slices in which the mean difference is unlike the mean difference of all other
    queries."""
    result = slices(context.study, context.comparison)
    text = slices_finding(
        result.searched_count,
        len(result.slices),
        compares_means=context.comparison.compares_means,
    )
    if not result.slices:
        st.html(curves.draw_chart_note(text))
        return
    section.show_heading("Groups that deviate", text, frame=result.table, key="slices")
    st.html(
        draw_slice_rows(
            result.slices,
            make_slice_link=lambda unlike_slice: session.href(
                "queries", where=unlike_slice.filters, **DEFAULT_LIST
            ),
        )
    )


if __name__ == "__main__":
    render()
