"""Queries page: the queries on which the runs differ."""

from functools import partial
from typing import Any

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.query_list import fields_for_query_page
from dashboard.answers import column_filters
from dashboard.answers import queries as answers
from dashboard.answers.queries import QueryList, QueryListRequest
from dashboard.answers.query import query_page
from dashboard.answers.query_chips import RULES
from dashboard.app_pages.parts import add_files, query_charts, query_controls, section
from dashboard.drawing.blocks import (
    filter_line,
    markup,
    navigation,
    query,
    two_lists,
    word_marks,
)
from dashboard.drawing.blocks import queries as blocks
from dashboard.session import PageContext
from dashboard.session.actions.notes import current_remarks
from dashboard.session.picked_queries import ids_in_selection
from metrics_core.base import wording as w

_NO_FILTERS: dict[str, Any] = {"s": "", "filter": "", "pick": (), "where": ()}
"""Values of the address fields that filter the list, for a list without filters."""


def render() -> None:
    """Show the finding, the search and filter field, the chips, a chart and the table."""
    context = session.study_context()
    comparison, address = context.comparison, context.view.address
    picked_ids = ids_in_selection(address["pick"])
    request = QueryListRequest(
        address["show"],
        address["s"],
        address["order"],
        address["filter"],
        picked_ids,
        address["cols"],
        current_remarks(),
    )
    query_list = answers.query_list(context.study, comparison, request)
    st.html(markup.draw_heading(query_list.finding, query_list.lead, context.drawing.styles))
    query_controls.filter_controls(query_list, context)
    with st.container(horizontal=True, key="chips", vertical_alignment="center"):
        query_controls.show_chips(query_list, comparison)
        chart = "" if context.study.is_unjudged else query_charts.choose_view(context)
    add_files.show_action_messages()
    if len(query_list.frame) and not context.study.is_unjudged:
        query_charts.draw_chart(chart, query_list, context)
    st.html(_filter_summary(query_list, context, picked_ids))
    with st.container(key="list_board"):
        with st.container():
            if query_list.rows.empty:
                _show_no_matching_queries(query_list, context)
            else:
                _show_table(query_list, request, context)
        if address["open"]:
            with st.container(key="beside"):
                _show_query_beside(request, context)


def _show_query_beside(request: QueryListRequest, context: PageContext) -> None:
    """Show a query beside the list: its explanation, and the top of the result lists of both
    compared runs."""
    address, drawing = context.view.address, context.drawing
    query_id = address["open"]
    page = query_page(context.study, context.comparison, query_id, request)
    before, after = (
        None if other_id is None else session.href("queries", open=other_id)
        for other_id in (page.previous, page.following)
    )
    steps = navigation.draw_query_navigation(
        before,
        after,
        ""
        if page.position is None
        else f"{page.position + 1} of {w.format_query_count(page.listed)}",
        session.href("queries", open=""),
        closes_query=True,
    )
    head = query.draw_query_heading(
        page.text,
        query_id,
        page.metadata,
        is_starred=query_id in request.remarks.starred_query_ids,
        is_beside=True,
    )
    lists = two_lists.draw_two_lists(
        page.diagnosis,
        drawing,
        page.documents,
        word_marks.query_words(page.text),
        dict.fromkeys(context.study.grades, ""),
    )
    link = session.href("query", q=query_id, rows="", open="", **fields_for_query_page(address))
    explanation = query.draw_explanation(page.explanation, drawing.styles)
    st.html(steps + head + explanation + lists + query.draw_page_link(link, query_id))


def _filter_summary(
    query_list: QueryList, context: PageContext, picked_ids: tuple[str, ...]
) -> Markup:
    """Return a summary of the list: the number of queries that pass the filters, and each active
    filter with a link that clears it."""
    comparison, address = context.comparison, context.view.address
    without = {column: comparison.replace_filters({column: ()}) for column, _ in comparison.filters}
    parts = [
        blocks.draw_filters(
            comparison.filters, lambda column: session.href("queries", where=without[column], p="")
        )
    ]
    if address["s"] and address["filter"]:
        # The field shows the filter, so the search needs a chip.
        parts.append(
            filter_line.draw_search_chip(address["s"], session.href("queries", s="", p=""))
        )
    if address["pick"]:
        back = session.href("queries", pick=(), p="")
        parts.append(filter_line.draw_selection_chip(len(picked_ids), bool(picked_ids), back))
    return blocks.draw_list_summary(
        len(query_list.rows),
        len(query_list.frame),
        parts,
        RULES.get(query_list.show, ""),
        session.href("queries", **_NO_FILTERS, p="")
        if any(address[name] for name in _NO_FILTERS)
        else "",
    )


def _show_no_matching_queries(query_list: QueryList, context: PageContext) -> None:
    list_name = query_controls.filter_chip_label(query_list.show, context.comparison)
    address, count_text = context.view.address, w.format_query_count(query_list.list_size)
    is_filtered = address["s"] or address["filter"] or address["pick"]
    if address["s"] and not address["filter"] and not address["pick"]:
        text = f"None of the {count_text} in the list “{list_name}” contains “{address['s']}”."
    elif is_filtered:
        text = f"None of the {count_text} in the list “{list_name}” matches the filters."
    else:
        text = f"None of the {w.format_query_count(len(query_list.frame))} is in this list."
    st.html(markup.draw_empty_state("No query matches.", text))
    label = "Clear filters" if is_filtered else "Show all queries"
    show = address["show"] if is_filtered else ""
    cleared = _NO_FILTERS | {"show": show, "p": ""}
    st.button(label, on_click=session.change_address, kwargs=cleared)


def _show_table(query_list: QueryList, request: QueryListRequest, context: PageContext) -> None:
    comparison, page = context.comparison, query_list.select_page(context.view.address["p"])
    row_count = len(query_list.rows)

    def draw() -> Markup:
        # The same links whichever query is open beside: the table keeps its place.
        href = partial(session.href, "queries", open="")
        links = blocks.TableLinks(
            order=lambda order: href(order=query_list.format_order_for_address(order), p=""),
            line=session.make_href_function("queries", "filter", p="", open=""),
            query=session.make_href_function(
                "query", "q", rows="", open="", **fields_for_query_page(context.view.address)
            ),
            move=query_controls.neighbour_link_maker(query_list),
            filters=column_filters.column_filters(
                context.study, comparison, request, query_list.columns
            ),
        )
        table = blocks.draw_query_table(
            page,
            query_list.columns,
            query_list.order,
            context.look.styles,
            pair=comparison.pair,
            label=f"{w.format_query_count(row_count)} and what changed"
            if context.study.is_unjudged
            else f"{w.format_query_count(row_count)} with their scores on {comparison.name}",
            span=query_list.difference_span,
            scale=query_list.scale if comparison.is_single_run else None,
            use_colours=query_list.has_outcomes,
            links=links,
            starred=request.remarks.starred_query_ids,
            unfold="" if context.view.address["p"] else href(p="1"),
        )
        return table + blocks.draw_page_links(
            page, row_count, lambda number: session.href("queries", p=number, open="")
        )

    section.show_cached("queries", draw, query_list, context.drawing)


if __name__ == "__main__":
    render()
